"""Pair cosines and harmonic spectra: histogram, smallest and mean cosine, Fourier modes, power per degree.

Cosines are those of the directions x/|x|; a token at the origin of R^d has cosine 0 with every other. Pairs go in
tiles, so memory is O(n). All functions except the histogram are traceable by JAX.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.errors import InvalidInput
from tokenfield.geometry import length
from tokenfield.measure import Measure

ROWS = 256
COLUMNS = 1024  # a block of 256 x 1024 cosines is 2 MiB in float64: the recurrence over degrees stays in cache
HISTOGRAM_ROWS = 128


@dataclass(frozen=True, eq=False)
class CosineHistogram:
    """The density of the pair cosines on [-1, 1]: `edges` (bins + 1,), `density` (bins,), integral 1."""

    edges: np.ndarray
    density: np.ndarray


def pair_cosine_histogram(mu: Measure, *, bins: int = 200) -> CosineHistogram:
    """The histogram of <x_i, x_j> over pairs of distinct tokens i != j, weighted by w_i w_j.

    The diagonal is left out, unlike in some published figures: so splitting a token in two adds a pair of cosine 1.
    """
    if mu.n < 2:
        raise InvalidInput("a histogram of pairs needs at least two tokens")
    if bins < 1:
        raise InvalidInput(f"the histogram needs at least one bin, got bins = {bins}")
    u, w = np.asarray(directions(mu.points), np.float64), np.asarray(mu.weights, np.float64)
    is_equal = bool(np.all(w == w[0]))
    totals = np.zeros(bins)
    for start in range(0, mu.n, HISTOGRAM_ROWS):
        # each unordered pair once: columns from the tile's start on, then the strict upper triangle of its own square
        rows = slice(start, min(start + HISTOGRAM_ROWS, mu.n))
        index = ((u[rows] @ u[start:].T + 1) * (bins / 2)).astype(np.int64)
        kept = np.arange(start, mu.n)[None, :] > np.arange(rows.start, rows.stop)[:, None]
        index = np.clip(index, 0, bins - 1)[kept]
        pair_weights = None if is_equal else np.outer(w[rows], w[start:])[kept]
        totals += np.bincount(index, pair_weights, minlength=bins)
    edges = np.linspace(-1.0, 1.0, bins + 1)
    return CosineHistogram(edges, totals / (np.sum(totals) * np.diff(edges)))


def smallest_cosine(mu: Measure) -> Array:
    """The smallest cosine of any two tokens, a scalar (1 for a single token); O(n^2) time, O(n) memory."""
    u = directions(mu.points)
    rows, columns = blocks(u, ROWS), blocks(u, COLUMNS)

    @jax.checkpoint
    def tile(r: Array) -> Array:
        start = jnp.full((), jnp.inf, u.dtype)
        return lax.scan(lambda low, c: (jnp.minimum(low, jnp.min(r @ c.T)), None), start, columns)[0]

    return jnp.clip(jnp.min(lax.map(tile, rows)), -1.0, 1.0)


def mean_cosine(mu: Measure) -> Array:
    """The mean of <x_i, x_j> over pairs i != j with weights w_i w_j, a scalar (1 for a single token), in O(n).

    Equals (|sum w u|^2 - sum w^2 |u|^2) / (1 - sum w^2) with u = x/|x|.
    """
    if mu.n == 1:
        return jnp.ones((), mu.points.dtype)
    u, w = directions(mu.points), mu.weights
    mean = w @ u
    same = jnp.sum(w * w * jnp.sum(u * u, axis=1))
    return (jnp.sum(mean * mean) - same) / (1 - jnp.sum(w * w))


def directions(x: Array) -> Array:
    """Unit vectors along the rows of `x`; zero stays zero."""
    norm = length(x)
    return x / jnp.where(norm > 0, norm, 1.0)


def blocks(array: Array, size: int, *, pad_with_zero: bool = False) -> Array:
    """`array` (n, ...) in equal blocks (b, s, ...) with s <= `size`; padded with its last entry, or with zeros."""
    n = array.shape[0]
    count = -(-n // size)
    size = -(-n // count)
    fill = jnp.zeros_like(array[-1:]) if pad_with_zero else array[-1:]
    padded = jnp.concatenate([array, jnp.repeat(fill, count * size - n, axis=0)])
    return padded.reshape(count, size, *array.shape[1:])
