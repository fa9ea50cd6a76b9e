"""Sums of numbers of any sign times e^{<u, y> - |u|} on S^2, over tokens y or over queries u, by spherical harmonics.

What `columns` needs of S^2: several columns of numbers at a time, and the same sums in both directions. The
coefficients of a column g are sum_j g_j Y_lm(y_j), complex (p, orders m, degrees l), N = L + 1 of both.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.sums import harmonics, harmonics_lengths


def of_points(points: Array, columns: Array, size: int) -> Array:
    """The coefficients of `columns` (n, p) at the directions of `points` (n, 3), up to degree `size`."""
    moments = jax.vmap(lambda column: harmonics.moments(points, column, size), in_axes=1)(columns)
    legendre = harmonics._legendre(moments.shape[-1])
    return jax.vmap(lambda moments: harmonics._analyze(moments, legendre))(moments)


def at_points(coefficients: Array, points: Array) -> Array:
    """The functions with these coefficients in the directions of `points` (n, 3): real, (n, p)."""
    legendre = harmonics._legendre(coefficients.shape[-1])
    return harmonics._at_directions(_fields(coefficients), legendre, points)


def of_queries(queries: Array, columns: Array, size: int, *, reach: float, is_uniform: bool) -> Array:
    """sum_i h_i i_l(|u_i|) e^{-|u_i|} Y_lm(u_i) for `columns` h (m, p) and `queries` u (m, 3), up to `reach`."""
    lengths = jnp.minimum(harmonics._lengths(queries), reach)
    count = 2 * (size // 2) + 2
    if is_uniform:
        return of_points(queries, columns, size) * harmonics._kernel(jnp.max(lengths, initial=0.0), count)
    return harmonics_lengths.of_queries(queries, columns, count, reach)


def at_queries(coefficients: Array, queries: Array, *, reach: float, is_uniform: bool) -> Array:
    """The functions with these coefficients times i_l(|u|) e^{-|u|} at `queries` u (m, 3): real, (m, p)."""
    lengths = jnp.minimum(harmonics._lengths(queries), reach)
    if is_uniform:
        kernel = harmonics._kernel(jnp.max(lengths, initial=0.0), coefficients.shape[-1])
        return at_points(coefficients * kernel, queries)
    return harmonics_lengths.at_queries(_fields(coefficients), queries, reach)


def _fields(coefficients: Array) -> Array:
    return jax.vmap(lambda a: harmonics._fields(a)[0])(coefficients)
