"""Matrices of heads, where `None` stands for the identity, and roots of covariances."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import DTypeLike


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
