"""Spherical harmonics times the kernel, i_l(|u|) e^{-|u|} Y_lm(u), at queries u of any length: sums over (l, m) or u.

Where all lengths are equal, the kernel belongs to the coefficients and `harmonics` needs no degrees at the queries.
Here it belongs to each query. P_lm(z) / sin^m, times the kernel, comes by a stable recursion over l for all orders m at
once, and sin^m e^{i m f} is (x + i y)^m: no angles. What is left is one product of matrices for each order.

Arrays over orders have the axes (parity of m, m // 2), as in `harmonics`, written as one of size N.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.sums import harmonics

TABLE = 2**17  # entries of the table of one block of queries: it stays in cache
LEAST = 64  # queries in a block, also where the table is larger then: long vectors


def at_queries(fields: Array, queries: Array, reach: float) -> Array:
    """The functions with coefficients `fields`, f of them as from `harmonics._fields`, times the kernel: (m, f).

    Lengths above `reach` count as `reach`. A query 0 has a direction like any other.
    """
    directions, lengths = _polar(queries)
    return jnp.stack(values(fields, directions, jnp.minimum(lengths, reach)), axis=1)


def values(fields: Array, directions: tuple[Array, ...], lengths: Array) -> tuple[Array, ...]:
    """The functions of `at_queries`, (m,) each, at queries given by the coordinates of unit vectors and by lengths."""
    f, size = fields.shape[0], fields.shape[-1]
    by_order = fields.reshape(f, 2, size, size).transpose(2, 1, 0, 3).reshape(size, 2 * f, size)

    def one(block: tuple[tuple[Array, ...], Array]) -> Array:
        along, around = _tables(*block, size)
        found = jnp.einsum("mfl,mlt->mft", by_order, along, precision=lax.Precision.HIGHEST)
        found = lax.optimization_barrier(found).reshape(size, 2, f, -1)
        return jnp.sum(found * around[:, :, None], axis=(0, 1))

    found = lax.map(one, _blocks((directions, lengths), size))
    return tuple(found[:, k].reshape(-1)[: directions[0].size] for k in range(f))


def of_queries(queries: Array, columns: Array, size: int, reach: float) -> Array:
    """sum_i h_i i_l(|u_i|) e^{-|u_i|} Y_lm(u_i) for `columns` h (m, p): complex (p, orders m, degrees l < `size`)."""
    directions, lengths = _polar(queries)
    return coefficients(directions, jnp.minimum(lengths, reach), tuple(columns.T), size)


def coefficients(directions: tuple[Array, ...], lengths: Array, columns: tuple[Array, ...], size: int) -> Array:
    """What `of_queries` returns, for queries given as in `values` and p columns (m,)."""
    p = len(columns)

    def add(total: Array, block: tuple[tuple[Array, ...], tuple[Array, ...], Array]) -> tuple[Array, None]:
        columns, directions, lengths = block
        along, around = _tables(directions, lengths, size)
        weighted = (around[:, :, None] * jnp.stack(columns)).reshape(size, 2 * p, -1)
        return total + jnp.einsum("mct,mlt->mcl", weighted, along, precision=lax.Precision.HIGHEST), None

    blocks = _blocks((columns, directions, lengths), size)
    found = lax.scan(add, jnp.zeros((size, 2 * p, size)), blocks)[0]
    real, imaginary = found.reshape(2, size // 2, 2, p, size).transpose(2, 3, 1, 0, 4).reshape(2, p, size, size)
    return lax.complex(real, imaginary)


def _polar(vectors: Array) -> tuple[tuple[Array, ...], Array]:
    """The directions of `vectors` (m, 3), coordinate by coordinate, and their lengths; that of 0 is the third axis."""
    lengths = harmonics._lengths(vectors)
    is_zero = lengths < harmonics.TINIEST**0.5
    x, y, z = (vectors / jnp.where(is_zero, 1.0, lengths)[:, None]).T
    return (jnp.where(is_zero, 0.0, x), jnp.where(is_zero, 0.0, y), jnp.where(is_zero, 1.0, z)), lengths


def _tables(directions: tuple[Array, ...], lengths: Array, size: int) -> tuple[Array, Array]:
    """i_l(|u|) e^{-|u|} P_lm / sin^m, (m, l, b), and the real and imaginary parts of sin^m e^{i m f}, (m, 2, b)."""
    x, y, z = directions
    first, ratios = harmonics._ratios(lengths, size)
    ratios = jnp.concatenate([jnp.ones_like(ratios[:1]), ratios])  # of the kernels of l and l - 1
    kernel = first * jnp.cumprod(ratios, axis=0)
    rows = kernel, z * ratios, ratios * jnp.concatenate([ratios[:1], ratios[:-1]])
    numbers = tuple(jnp.asarray(a) for a in _numbers(size))

    def step(degree: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        before, last, table = carry
        slope, back, seed, kernel, once, twice = (a[degree] for a in (*numbers, *rows))
        now = slope * once * last - back * twice * before + seed * kernel
        return last, now, lax.dynamic_update_slice_in_dim(table, now[:, None], degree, axis=1)

    nothing = jnp.zeros((size, z.size))
    along = lax.fori_loop(0, size, step, (nothing, nothing, jnp.zeros((size, size, z.size))))[2]
    powers = jnp.stack(harmonics._powers((x, y), size), axis=1)
    return along, powers.reshape(size // 2, 2, 2, -1).swapaxes(0, 1).reshape(size, 2, -1)


@lru_cache(maxsize=8)
def _numbers(size: int) -> tuple[np.ndarray, ...]:
    """For each degree l, (l, m, 1): P_lm = slope z P_{l-1,m} - back P_{l-2,m}, plus `seed` where l = m."""
    constants = harmonics._constants(size)
    orders = np.arange(1, size)
    seeds = np.cumprod(np.concatenate([[1.0], np.sqrt((2 * orders + 1) / (2 * orders))]))
    seeds = seeds.reshape(size // 2, 2).T[..., None] * constants.is_first
    return tuple(a.reshape(size, size, 1) for a in (constants.slope, constants.back, seeds))


def _blocks(arrays: Any, size: int) -> Any:
    """All arrays (n,) as (blocks, b): equal blocks, the last one filled up with zeros."""
    n = jax.tree.leaves(arrays)[0].size
    count = max(-(-n // max(TABLE // size**2, LEAST)), 1)
    return jax.tree.map(lambda a: harmonics._blocks(a, max(-(-n // count), 1)), arrays)
