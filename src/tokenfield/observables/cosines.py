"""Cosines of pairs of tokens: their histogram, the smallest and the mean.

Cosines are those of the directions x/|x|; a token at the origin of R^d has the cosine 0 with every other. Pairs go in
tiles, so memory is O(n). `smallest_cosine` and `mean_cosine` are traceable by JAX; the histograms are NumPy on
concrete arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield._runtime.progress import Progress
from tokenfield._runtime.randomness import numpy_generator
from tokenfield.errors import InvalidInput
from tokenfield.geometry import length
from tokenfield.measure import Measure

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

ROWS = 256
COLUMNS = 1024  # a block of 256 x 1024 cosines is 2 MiB in float64: the recurrence over degrees stays in cache
HISTOGRAM_ROWS = 128
BINS = 200
MOST_TOKENS = 2048  # a histogram over more pairs than these look the same


@dataclass(frozen=True, eq=False)
class CosineHistogram:
    """The density of pair cosines on [-1, 1], as a histogram; its integral is 1.

    Attributes:
        edges: the borders of the bins, equally spaced from -1 to 1, shape (bins + 1,).
        density: the density in each bin, shape (bins,), or (T, bins) over the saved times of a run.

    >>> from tokenfield import Measure
    >>> pair_cosine_histogram(Measure([[1.0, 0.0], [-1.0, 0.0]]), bins=4).density.tolist()
    [2.0, 0.0, 0.0, 0.0]
    """

    edges: np.ndarray
    density: np.ndarray


def pair_cosine_histogram(mu: Measure, *, bins: int = BINS) -> CosineHistogram:
    """The histogram of <x_i, x_j> over pairs of distinct tokens i != j, weighted by w_i w_j.

    The pairs i = j are left out, unlike in some published figures. So splitting a token in two adds a pair of cosine 1.
    O(n^2) time, O(n) memory.

    Args:
        mu: at least two tokens.
        bins: the number of bins; by default 200.

    Returns:
        The borders of the bins and the density in each.

    Raises:
        InvalidInput: there are fewer than two tokens, or fewer than one bin.

    >>> from tokenfield import Measure
    >>> pair_cosine_histogram(Measure([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), bins=2).density.round(3).tolist()
    [0.0, 1.0]
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


def pair_cosine_histograms(
    run: Trajectory, *, bins: int = BINS, most_tokens: int = MOST_TOKENS, seed: int | Array = 0
) -> CosineHistogram:
    """The histograms of the pair cosines at all saved times of a run; see `pair_cosine_histogram`.

    Args:
        run: a run of at least two tokens that saved them.
        bins: the number of bins; by default 200.
        most_tokens: a run of more tokens than these is represented by so many of them, chosen at random, the same at
            all times; by default 2048.
        seed: a whole number or a JAX key of that choice; by default 0.

    Returns:
        The borders of the bins, and densities of shape (T, bins).

    Raises:
        InvalidInput: the run kept no tokens, or as in `pair_cosine_histogram`.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> run = solve(Transformer(Sphere(2), Softmax(1.0)), initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> pair_cosine_histograms(run, bins=40).density.shape
    (5, 40)
    """
    points, weights = np.asarray(run.saved_points, np.float64), np.asarray(run.weights, np.float64)
    if points.shape[1] > most_tokens:
        chosen = np.sort(numpy_generator(seed).choice(points.shape[1], most_tokens, replace=False))
        points, weights = points[:, chosen], weights[chosen]
    densities = []
    with Progress("pair cosines") as bar:
        for k, x in enumerate(points):
            found = pair_cosine_histogram(Measure(x, weights, geometry=run.model.geometry), bins=bins)
            densities.append(found.density)
            bar.update((k + 1) / len(points))
    return CosineHistogram(found.edges, np.stack(densities))


def smallest_cosine(mu: Measure) -> Array:
    """The smallest cosine of any two tokens; 1 for a single token.

    Traceable by JAX. O(n) memory; O(n log n) time in the plane, elsewhere O(n^2).

    Args:
        mu: the tokens; weights do not matter.

    Returns:
        A scalar in [-1, 1].

    >>> from tokenfield import Measure
    >>> float(smallest_cosine(Measure([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])))
    0.0
    """
    u = directions(mu.points)
    if mu.d == 2:
        return _smallest_in_plane(u)
    rows, columns = blocks(u, ROWS), blocks(u, COLUMNS)

    @jax.checkpoint
    def tile(r: Array) -> Array:
        start = jnp.full((), jnp.inf, u.dtype)
        return lax.scan(lambda low, c: (jnp.minimum(low, jnp.min(r @ c.T)), None), start, columns)[0]

    return jnp.clip(jnp.min(lax.map(tile, rows)), -1.0, 1.0)


def _smallest_in_plane(u: Array) -> Array:
    """The smallest cosine of directions `u` (n, 2): each is farthest from a neighbor of its antipode."""
    lengths = jnp.sum(u * u, axis=1)
    # a zero vector has cosine 0 with all others, and no angle: another one stands in its place
    at_zero = jnp.where(jnp.min(lengths) > 0, 1.0, 0.0).astype(u.dtype)
    u = jnp.where(lengths[:, None] > 0, u, u[jnp.argmax(lengths)])
    angles = lax.stop_gradient(jnp.arctan2(u[:, 1], u[:, 0]))
    order = jnp.argsort(angles)
    opposite = jnp.where(angles > 0, angles - jnp.pi, angles + jnp.pi)
    above = jnp.searchsorted(angles[order], opposite)
    n = u.shape[0]
    # one more on each side: the angle of the antipode is rounded
    candidates = u[order[(above[:, None] + jnp.arange(-2, 2)) % n]]
    found = jnp.min(jnp.einsum("id,ikd->ik", u, candidates))
    return jnp.clip(jnp.minimum(found, at_zero), -1.0, 1.0)


def mean_cosine(mu: Measure) -> Array:
    """The mean of <x_i, x_j> over pairs of distinct tokens i != j, weighted by w_i w_j; 1 for a single token.

    With the directions u = x/|x| it equals (|sum w u|^2 - sum w^2 |u|^2) / (1 - sum w^2), which takes O(n) time.
    Traceable by JAX.

    Args:
        mu: the tokens.

    Returns:
        A scalar in [-1, 1].

    >>> from tokenfield import Measure
    >>> float(mean_cosine(Measure([[1.0, 0.0], [0.0, 1.0]])))
    0.0
    """
    if mu.n == 1:
        return jnp.ones((), mu.points.dtype)
    u, w = directions(mu.points), mu.weights
    mean = w @ u
    same = jnp.sum(w * w * jnp.sum(u * u, axis=1))
    return (jnp.sum(mean * mean) - same) / (1 - jnp.sum(w * w))


def directions(x: Array) -> Array:
    """The unit vectors x/|x| along the rows of `x`; zero stays zero.

    Args:
        x: vectors, shape (n, d).

    Returns:
        Unit vectors, shape (n, d).

    >>> import jax.numpy as jnp
    >>> directions(jnp.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    norm = length(x)
    return x / jnp.where(norm > 0, norm, 1.0)


def blocks(array: Array, size: int, *, pad_with_zero: bool = False) -> Array:
    """`array` cut into equal blocks along its first axis.

    Args:
        array: shape (n, ...).
        size: the largest size of a block.
        pad_with_zero: whether what is missing in the last block is zero; by default it is the last entry of `array`.

    Returns:
        Blocks, shape (b, s, ...) with s <= `size` and b s >= n.

    >>> import jax.numpy as jnp
    >>> blocks(jnp.arange(3), 2).tolist()
    [[0, 1], [2, 2]]
    """
    n = array.shape[0]
    count = -(-n // size)
    size = -(-n // count)
    fill = jnp.zeros_like(array[-1:]) if pad_with_zero else array[-1:]
    padded = jnp.concatenate([array, jnp.repeat(fill, count * size - n, axis=0)])
    return padded.reshape(count, size, *array.shape[1:])
