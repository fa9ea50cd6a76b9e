"""Sums of numbers of any sign times e^{<u, y> - |u|} on the circle, over tokens y or over queries u, by Fourier modes.

What `columns` needs of the circle: several columns of numbers at a time, and the same sums in both directions. The
coefficients of a column g are sum_j g_j e^{i k theta_j}, k = 0 ... K, complex (p, K + 1) for p columns.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import fourier

PART = {"cpu": 2**10, "gpu": 2**14}  # queries at a time where lengths vary: the modes of all of them are kept


def of_points(points: Array, columns: Array, size: int) -> Array:
    """The coefficients of `columns` (n, p) at the directions of `points` (n, 2), up to mode `size`."""
    return jax.vmap(lambda column: fourier.moments(points, column, size), in_axes=1)(columns)[:, :-1]


def at_points(coefficients: Array, points: Array) -> Array:
    """sum_k c_k e^{-i k theta}, k = -K ... K, at the directions of `points` (n, 2): real, (n, p)."""
    table = _one_sided(coefficients)

    def at_part(z: tuple[Array, ...]) -> Array:
        return jax.vmap(lambda row: fourier._polynomials(row[None], (z[0], z[1]))[0])(table)

    parts = fourier._blocks(fourier.polar(points)[1], fourier.PART)
    return _joined(lax.map(at_part, parts), points.shape[0])


def of_queries(queries: Array, columns: Array, size: int, *, reach: float, is_uniform: bool) -> Array:
    """sum_i h_i I_k(|u_i|) e^{-|u_i|} e^{i k phi_i} for `columns` h (m, p) and `queries` u (m, 2), up to `reach`."""
    radius, z = fourier.polar(queries)
    if is_uniform:
        return of_points(queries, columns, size) * fourier.bessel(_shared(radius, reach), size + 1)
    nothing = jnp.zeros((columns.shape[1], size + 1), complex)

    def add_part(total: Array, part: tuple[Array, ...]) -> tuple[Array, None]:
        # the transpose of the evaluation at these queries
        _, back = jax.vjp(lambda table: _at_lengths(table, *part[:3]), nothing)
        return total + back(part[3].T)[0], None

    return lax.scan(add_part, nothing, fourier._blocks((jnp.minimum(radius, reach), *z, columns), PART))[0]


def at_queries(coefficients: Array, queries: Array, *, reach: float, is_uniform: bool) -> Array:
    """sum_k c_k I_k(|u|) e^{-|u|} e^{-i k phi} at `queries` (m, 2): real, (m, p)."""
    radius, z = fourier.polar(queries)
    if is_uniform:
        return at_points(coefficients * fourier.bessel(_shared(radius, reach), coefficients.shape[1]), queries)
    table = _one_sided(coefficients)
    parts = fourier._blocks((jnp.minimum(radius, reach), *z), PART)
    return _joined(lax.map(lambda part: _at_lengths(table, *part), parts), queries.shape[0])


def _at_lengths(table: Array, radius: Array, x: Array, y: Array) -> Array:
    return jax.vmap(lambda row: fourier._bessel_polynomials(row[None], radius, (x, y))[0])(table)


def _shared(radius: Array, reach: float) -> Array:
    return jnp.minimum(jnp.max(radius, initial=0.0), reach)


def _one_sided(coefficients: Array) -> Array:
    """c_k, k >= 0, for which the sum over k of both signs is Re sum_k c_k z^k."""
    return jnp.where(jnp.arange(coefficients.shape[1]) == 0, 1.0, 2.0) * jnp.conj(coefficients)


def _joined(parts: Array, count: int) -> Array:
    """(count, p) from parts (b, p, size)."""
    return jnp.moveaxis(parts, 1, 2).reshape(-1, parts.shape[1])[:count]
