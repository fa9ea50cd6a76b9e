"""Direct sums under kernels of the distance that are infinite at zero: pairs at the same place are left out.

Distances come from differences of coordinates, so that a token is at distance zero of itself exactly: from inner
products, as in `dense`, its own kernel would be the inverse of a rounding error. Memory is O(n).
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums.band import Band, seen
from tokenfield.sums.dense import Weighed, banded

ROWS = 64  # queries at a time: their differences to some thousand keys stay in cache


def weigh_apart(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    kernel: Callable[[Array], Array],
    band: Band | None = None,
) -> Weighed:
    """For each query the sum of kernel(|q_i - k_j|^2) over the keys that are elsewhere, alone and times the values.

    Args:
        queries: the vectors q_i, shape (m, k).
        keys: the vectors k_j, shape (n, k).
        values: the vectors v_j that are added up, shape (n, p); p may be 0.
        weights: the weights w_j of the keys, shape (n,).
        kernel: a function of arrays that acts on each entry, finite for positive numbers.
        band: what query i sees of key j by their positions; None: everything.

    Returns:
        `Weighed(total, sums)`: sum_j a_ij, shape (m,), and sum_j a_ij v_j, shape (m, p), with
        a_ij = w_j b_ij kernel(|q_i - k_j|^2), and 0 where q_i = k_j.

    >>> import jax.numpy as jnp
    >>> keys = jnp.asarray([[0.0], [2.0]])
    >>> weigh_apart(keys, keys, keys, jnp.ones(2), lambda u: 1 / u).total.tolist()
    [0.25, 0.25]
    """
    zero = jnp.zeros_like(queries[:, 0])
    positions = zero if band is None else band.queries
    offsets = zero if band is None or band.offset is None else band.offset

    def one(query: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        q, position, offset = query
        squared = jnp.sum((q - keys) ** 2, axis=1)[None]
        here = None if band is None else band._replace(queries=position[None], offset=offset[None])
        is_apart, mask = squared > 0, seen(here)
        # one stands in for zero, so that neither the kernel nor its derivative is infinite where it is thrown away
        a = banded(kernel, jnp.where(is_apart, squared, 1.0), here, is_apart if mask is None else mask & is_apart)[0]
        return a @ weights, (a * weights) @ values

    return Weighed(*lax.map(one, (queries, positions, offsets), batch_size=ROWS))
