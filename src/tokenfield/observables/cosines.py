"""Pair cosines and harmonic spectra: histogram, smallest and mean cosine, Fourier modes, power per degree.

Cosines are those of the directions x/|x|; a token at the origin of R^d has cosine 0 with every other. Pairs go in
tiles, so memory is O(n). All functions except the histogram are traceable by JAX.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
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
    u, w = np.asarray(_directions(mu.points), np.float64), np.asarray(mu.weights, np.float64)
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
    u = _directions(mu.points)
    rows, columns = _blocks(u, ROWS), _blocks(u, COLUMNS)

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
    u, w = _directions(mu.points), mu.weights
    mean = w @ u
    same = jnp.sum(w * w * jnp.sum(u * u, axis=1))
    return (jnp.sum(mean * mean) - same) / (1 - jnp.sum(w * w))


def circle_modes(mu: Measure, degrees: Sequence[int]) -> Array:
    """The Fourier coefficients muhat_k = sum_j w_j e^{-ik theta_j} of tokens on the circle, complex (len(degrees),)."""
    if mu.d != 2:
        raise InvalidInput(f"circle_modes needs tokens in the plane (d = 2), got d = {mu.d}; use degree_power")
    orders = jnp.asarray([operator.index(k) for k in degrees], mu.points.dtype)
    theta = jnp.arctan2(mu.points[:, 1], mu.points[:, 0])

    def mode(k: Array) -> Array:
        return lax.complex(mu.weights @ jnp.cos(k * theta), -(mu.weights @ jnp.sin(k * theta)))

    return lax.map(mode, orders)


def degree_power(mu: Measure, degrees: Sequence[int]) -> Array:
    """The power P_k = iint C_k(<x, y>) dmu dmu in each degree k, shape (len(degrees),).

    C_k is the Gegenbauer polynomial of index d/2 - 1 with C_k(1) = 1: cos(k arccos) on the circle, Legendre on S^2.
    P_k is |muhat_k|^2 on the circle and in general the mean square of mu's harmonics of degree k, so it is >= 0, is
    1 for a Dirac, and P_1 is the square of the order parameter. O(n) per degree for d = 2, else O(n^2).

    >>> from tokenfield import Measure
    >>> degree_power(Measure([[1.0, 0.0], [-1.0, 0.0]]), [1, 2]).round(12).tolist()
    [0.0, 1.0]
    """
    orders = _degrees(degrees)
    if mu.d < 2:
        raise InvalidInput("degree_power needs tokens in dimension d >= 2")
    if mu.d == 2:
        modes = circle_modes(mu, orders)
        return jnp.real(modes) ** 2 + jnp.imag(modes) ** 2
    u = _directions(mu.points)
    rows = (_blocks(u, ROWS), _blocks(mu.weights, ROWS, pad_with_zero=True))
    columns = (_blocks(u, COLUMNS), _blocks(mu.weights, COLUMNS, pad_with_zero=True))
    largest = max(orders, default=0)

    @jax.checkpoint
    def tile(row: tuple[Array, Array]) -> Array:
        def add(total: Array, column: tuple[Array, Array]) -> tuple[Array, None]:
            cosines = jnp.clip(row[0] @ column[0].T, -1.0, 1.0)
            return total + _gegenbauer_sums(cosines, row[1], column[1], mu.d, largest), None

        return lax.scan(add, jnp.zeros(largest + 1, u.dtype), columns)[0]

    return jnp.sum(lax.map(tile, rows), axis=0)[jnp.asarray(orders, int)]


def _gegenbauer_sums(cosines: Array, w_rows: Array, w_columns: Array, d: int, largest: int) -> Array:
    """w^T C_k(cosines) w for k = 0 ... largest.

    By the recurrence (k + d - 2) C_{k+1}(t) = (2k + d - 2) t C_k(t) - k C_{k-1}(t), stable on [-1, 1].
    """

    def step(pair: tuple[Array, Array], k: Array) -> tuple[tuple[Array, Array], Array]:
        before, now = pair
        after = ((2 * k + d - 2) * cosines * now - k * before) / (k + d - 2)
        return (now, after), w_rows @ after @ w_columns

    start = (jnp.ones_like(cosines), cosines)
    first = jnp.stack([w_rows @ c @ w_columns for c in start])
    if largest < 2:
        return first[: largest + 1]
    later = lax.scan(step, start, jnp.arange(1, largest, dtype=cosines.dtype))[1]
    return jnp.concatenate([first, later])


def _degrees(degrees: Sequence[int]) -> list[int]:
    orders = [operator.index(k) for k in degrees]
    if any(k < 0 for k in orders):
        raise InvalidInput(f"degrees must be >= 0, got {orders}")
    return orders


def _directions(x: Array) -> Array:
    norm = length(x)
    return x / jnp.where(norm > 0, norm, 1.0)


def _blocks(array: Array, size: int, *, pad_with_zero: bool = False) -> Array:
    """`array` (n, ...) in equal blocks (b, s, ...) with s <= `size`; padded with its last entry, or with zeros."""
    n = array.shape[0]
    count = -(-n // size)
    size = -(-n // count)
    fill = jnp.zeros_like(array[-1:]) if pad_with_zero else array[-1:]
    padded = jnp.concatenate([array, jnp.repeat(fill, count * size - n, axis=0)])
    return padded.reshape(count, size, *array.shape[1:])
