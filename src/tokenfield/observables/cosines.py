"""Cosines of pairs of tokens: the smallest and the mean, both traceable by JAX. Their histogram is in `histogram`.

Cosines are those of the directions x/|x|; a token at the origin of R^d has the cosine 0 with every other. Pairs go in
tiles, so memory is O(n).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.geometry import length
from tokenfield.measure import Measure, is_concrete

ROWS = 256
COLUMNS = 1024  # a block of 256 x 1024 cosines is 2 MiB in float64: the recurrence over degrees stays in cache
LEAF = 16  # tokens that are compared all with all
FEW_TOKENS = 4096  # up to here all pairs are compared in milliseconds


def smallest_cosine(mu: Measure) -> Array:
    """The smallest cosine of any two tokens; 1 for a single token.

    Traceable by JAX. O(n log n) time in the plane, and on S^2 outside of traced code, where parts of the cloud that
    cannot hold the pair are left out; else O(n^2). O(n) memory.

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
    if mu.n > FEW_TOKENS and mu.d == 3 and is_concrete(u):
        return jnp.asarray(_smallest_in_tree(np.asarray(u, np.float64)), u.dtype)
    return _smallest_of_all(u)


@jax.jit  # a loop that is called by itself would be compiled each time
def _smallest_of_all(u: Array) -> Array:
    """The smallest cosine of directions `u` (n, d): all pairs are compared."""
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


def _smallest_in_tree(u: np.ndarray) -> float:
    """The smallest cosine among unit or zero vectors (n, d), n > LEAF, to 1e-14.

    The cloud is halved along its longest sides. Then pairs of parts that may hold a smaller cosine than the smallest
    one known are halved in turn: <x, y> = 1 - |x - y|^2 / 2 = |x + y|^2 / 2 - 1, and centers bound the distances.
    """
    if not np.all(np.isfinite(u)):
        return np.nan
    is_zero = np.all(u == 0, axis=1)
    if np.any(is_zero):
        rest = u[~is_zero]
        return min(0.0, _smallest_in_tree(np.resize(rest, u.shape)) if len(rest) else 0.0)
    levels = int(np.ceil(np.log2(len(u) / LEAF)))
    x = np.resize(u, (LEAF * 2**levels, u.shape[1]))  # some tokens twice
    for level in range(levels):
        parts = x.reshape(2**level, -1, u.shape[1])
        longest = np.argmax(np.ptp(parts, axis=1), axis=1)
        along = np.take_along_axis(parts, longest[:, None, None], axis=2)[..., 0]
        order = np.argpartition(along, along.shape[1] // 2, axis=1)
        x = np.take_along_axis(parts, order[..., None], axis=1).reshape(x.shape)
    low, first, second = 1.0, np.zeros(1, int), np.zeros(1, int)
    for level in range(1, levels + 1):
        parts = x.reshape(2**level, -1, u.shape[1])
        centers = np.mean(parts, axis=1)
        reach = np.sqrt(np.max(np.sum((parts - centers[:, None]) ** 2, axis=2), axis=1))
        first, second = (
            np.concatenate([2 * k + i for i in shifts]) for k, shifts in ((first, (0, 0, 1, 1)), (second, (0, 1, 0, 1)))
        )
        first, second = first[first <= second], second[first <= second]
        low = min(low, float(np.min(np.einsum("ij,ij->i", parts[first, 0], parts[second, 0]), initial=1.0)))
        both = reach[first] + reach[second]
        apart = np.linalg.norm(centers[first] - centers[second], axis=1) + both
        opposite = np.maximum(np.linalg.norm(centers[first] + centers[second], axis=1) - both, 0.0)
        is_open = np.maximum(1 - apart**2 / 2, opposite**2 / 2 - 1) < low - 1e-14
        first, second = first[is_open], second[is_open]
    leaves = x.reshape(2**levels, LEAF, u.shape[1])
    for start in range(0, len(first), COLUMNS):
        some = slice(start, start + COLUMNS)
        low = min(low, float(np.min(np.matmul(leaves[first[some]], leaves[second[some]].transpose(0, 2, 1)))))
    return max(low, -1.0)


def mean_cosine(mu: Measure) -> Array:
    """The mean of the cosines <u_i, u_j> of distinct tokens i != j, weighted by w_i w_j; 1 for a single token.

    With the directions u_i = x_i/|x_i| it equals (|sum_i w_i u_i|^2 - sum_i w_i^2 |u_i|^2) / (1 - sum_i w_i^2), which
    takes O(n) time. Traceable by JAX.

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
    return mean_of_pairs(directions(mu.points), mu.weights)


def mean_of_pairs(u: Any, w: Any) -> Any:
    """The mean of <u_i, u_j> over pairs i != j, weighted by w_i w_j, for arrays of NumPy or of JAX.

    Args:
        u: vectors, shape (n, d), n >= 2.
        w: weights that sum to 1, shape (n,).

    Returns:
        A scalar of the same library.

    >>> round(float(mean_of_pairs(np.eye(3) + 1.0, np.full(3, 1 / 3))), 12)
    5.0
    """
    mean = w @ u
    same = (w * w * (u * u).sum(axis=1)).sum()
    return ((mean * mean).sum() - same) / (1 - (w * w).sum())


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
