"""Statistics of many systems: how far the tokens of each have clustered, one number (S,) per system."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array, lax

from tokenfield.flows.systems import Systems

# The count of eigenvalues of a 0/1 matrix that are not zero: integers of this size have none between 0 and this.
ZERO = 1e-6


def pairs(systems: Systems, delta: float) -> Array:
    """The fraction (S,) of ordered pairs i != j with cosine above 1 - delta (arXiv 2312.10794, figure 3)."""
    return systems.fraction_above(1 - delta)


def clusters(systems: Systems, delta: float) -> Array:
    """The rank (S,) of the 0/1 matrix of cosines above 1 - delta: the number of clusters once they are tight."""
    cosines = systems.cosines
    return ranks((cosines > 1 - delta).astype(cosines.dtype))


def span(systems: Systems, floor: float) -> Array:
    """The number (S,) of eigenvalues of the matrix of cosines above `floor`: the dimension that the tokens span."""
    return eigenvalues_above(systems.cosines, floor)


def order(systems: Systems, _: float) -> Array:
    """The length (S,) of the mean token, |int x dmu|: 1 in consensus, about n^{-1/2} for uniform tokens."""
    return jnp.sqrt(jnp.maximum(jnp.mean(systems.cosines, axis=(1, 2)), 0.0))


Statistic = Callable[[Systems, float], Array]
STATISTICS: dict[str, Statistic] = {"pairs": pairs, "clusters": clusters, "span": span, "order": order}
THRESHOLDS = {"pairs": 1e-3, "clusters": 1e-4, "span": 1e-3, "order": 0.0}


def smallest_cap(statistics: tuple[tuple[str, float], ...], n: int) -> float:
    """The largest 1 - <center, x_i> at which no statistic of a system can change any more; 0 if there is none.

    Attention with positive weights keeps tokens in the cone that they span, and all distances in a small cap shrink.
    If tokens are within s of the center, their cosines exceed 1 - 4s and all eigenvalues of the Gram matrix but one
    are below 4 n s.
    """
    limits = {"pairs": 1.0, "clusters": 1.0, "span": 1 / n}
    return min(threshold * limits.get(name, 0.0) for name, threshold in statistics) / 8


def ranks(graphs: Array) -> Array:
    """The ranks (S,) of symmetric 0/1 matrices (S, n, n).

    As many eigenvalues as are positive or negative, which elimination counts without finding them.
    """
    return eigenvalues_above(graphs, ZERO) + eigenvalues_above(-graphs, ZERO)


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
