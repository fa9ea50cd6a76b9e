"""Statistics of many systems, from the cosines (S, n, n) of their tokens: how far these have clustered."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array, lax

# The count of eigenvalues of a 0/1 matrix that are not zero: integers of this size have none between 0 and this.
ZERO = 1e-6


def pairs(gram: Array, delta: float) -> Array:
    """The fraction (S,) of ordered pairs i != j with cosine above 1 - delta (arXiv 2312.10794, figure 3)."""
    n = gram.shape[-1]
    return (jnp.sum(gram > 1 - delta, axis=(1, 2)) - n) / (n * (n - 1))  # i = j is always among them


def clusters(gram: Array, delta: float) -> Array:
    """The rank (S,) of the 0/1 matrix of cosines above 1 - delta: the number of clusters once they are tight.

    As many eigenvalues as are positive or negative, which elimination counts without finding them.
    """
    near = (gram > 1 - delta).astype(gram.dtype)
    return eigenvalues_above(near, ZERO) + eigenvalues_above(-near, ZERO)


def span(gram: Array, floor: float) -> Array:
    """The number (S,) of eigenvalues of the matrix of cosines above `floor`: the dimension that the tokens span."""
    return eigenvalues_above(gram, floor)


def order(gram: Array, _: float) -> Array:
    """The length (S,) of the mean token, |int x dmu|: 1 in consensus, about n^{-1/2} for uniform tokens."""
    return jnp.sqrt(jnp.maximum(jnp.mean(gram, axis=(1, 2)), 0.0))


STATISTICS: dict[str, Callable[[Array, float], Array]] = {
    "pairs": pairs,
    "clusters": clusters,
    "span": span,
    "order": order,
}
THRESHOLDS = {"pairs": 1e-3, "clusters": 1e-4, "span": 1e-3, "order": 0.0}


def eigenvalues_above(A: Array, level: float) -> Array:
    """How many eigenvalues of the symmetric matrices A (S, n, n) are above `level`, (S,).

    By Sylvester's law of inertia: as many as there are positive pivots in the elimination of A - level I.
    """
    n = A.shape[-1]
    A = A - level * jnp.eye(n, dtype=A.dtype)

    def eliminate(k: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        A, count = carry
        row = lax.dynamic_index_in_dim(A, k, 1, keepdims=False)
        pivot = lax.dynamic_index_in_dim(row, k, 1, keepdims=True)
        # an exact zero is moved off by less than rounding; rows that are done become 0 and change nothing
        pivot = jnp.where(jnp.abs(pivot) < 1e-30, -1e-30, pivot)
        A = A - row[:, :, None] * (row / pivot)[:, None, :]
        return A, count + (pivot[:, 0] > 0)

    count = jnp.zeros(A.shape[0], A.dtype)
    return lax.fori_loop(0, n, eliminate, (A, count))[1]
