"""Matrices of heads, where `None` stands for the identity: products, roots of covariances, exponentials."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import DTypeLike

SQUARINGS = 6  # of an exponential that are scaled on the way


def apply_matrix(matrix: Array | None, x: Array) -> Array:
    """`matrix` times each row of `x`."""
    return x if matrix is None else x @ matrix.astype(x.dtype).T


def product(left: Array | None, right: Array | None) -> Array | None:
    """The product of two matrices; `None` if both are the identity."""
    if left is None or right is None:
        return right if left is None else left
    return left @ right


def transposed(matrix: Array | None) -> Array | None:
    """The transpose."""
    return None if matrix is None else matrix.T


def as_array(matrix: Array | None, d: int, dtype: DTypeLike) -> Array:
    """The matrix written out, (d, d) for the identity."""
    return jnp.eye(d, dtype=dtype) if matrix is None else matrix.astype(dtype)


def multiple_of_identity(matrix: Array | None) -> float | None:
    """c if `matrix` is c I; `None` for any other matrix, also one whose numbers are not known yet."""
    if matrix is None:
        return 1.0
    if isinstance(matrix, jax.core.Tracer) or matrix.shape[0] != matrix.shape[1]:
        return None
    known = np.asarray(matrix)
    return float(known[0, 0]) if np.array_equal(known, known[0, 0] * np.eye(len(known))) else None


def root(S: Array) -> Array:
    """The symmetric square root of a positive semi-definite matrix."""
    values, vectors = jnp.linalg.eigh(S)
    return (vectors * jnp.sqrt(jnp.maximum(values, 0.0))) @ vectors.T


def inverse_root(S: Array) -> Array:
    """The pseudo-inverse of the square root: on the support of the law it inverts, elsewhere there are no tokens."""
    values, vectors = jnp.linalg.eigh(S)
    is_there = values > jnp.finfo(S.dtype).eps * S.shape[0] * jnp.max(values)
    return (vectors * jnp.where(is_there, 1 / jnp.sqrt(jnp.where(is_there, values, 1.0)), 0.0)) @ vectors.T


def scaled_exponential(V: Array | None, t: Array | float, d: int) -> tuple[Array, Array]:
    """(E, s) with e^{tV} = e^s E and max |E_ij| = 1."""
    t = jnp.asarray(t, jnp.float64)
    if V is None:
        return jnp.eye(d), t
    V = V.astype(jnp.float64)
    # the logarithmic norm bounds the growth, so the exponential of t (V - bound I) cannot overflow
    off_diagonal = jnp.sum(jnp.abs(V), axis=1) - jnp.abs(jnp.diagonal(V))
    bound = jnp.max(jnp.diagonal(V) + off_diagonal)
    # but it may underflow where the bound is far above: so the last squarings are done here, each scaled
    E, log_scale = jax.scipy.linalg.expm(t * (V - bound * jnp.eye(d)) / 2**SQUARINGS), jnp.zeros_like(t)
    for _ in range(SQUARINGS):
        largest = jnp.max(jnp.abs(E))
        E, log_scale = (E / largest) @ (E / largest), 2 * (log_scale + jnp.log(largest))
    largest = jnp.max(jnp.abs(E))
    return E / largest, t * bound + log_scale + jnp.log(largest)
