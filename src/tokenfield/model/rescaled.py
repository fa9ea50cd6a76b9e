"""What heads see of tokens in the frame z = e^{-tV} x (arXiv 2305.05465)."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from tokenfield.measure import Measure
from tokenfield.model.matrices import scaled_exponential
from tokenfield.model.parts import Head
from tokenfield.model.position import View
from tokenfield.model.projected import Projected

# Weights of logits this large are one-hot to rounding, so a larger scale changes nothing but may overflow.
LOG_SCALE_CAP = 69.0


def projected(
    heads: tuple[Head, ...], t: Array | float, z: Array, mu: Measure, view: View | None, *, average: bool
) -> tuple[Projected, ...]:
    """Queries Q e^{tV} z_i and keys K e^{tV} z_j, with e^{tV} scaled so that nothing overflows.

    V is that of the head; of several heads, whose V commute, their sum, or mean if they are averaged.
    """
    V, d = heads[0].value_matrix, z.shape[1]
    if len(heads) > 1:
        each = [jnp.eye(d) if head.value_matrix is None else head.value_matrix for head in heads]
        total = jnp.sum(jnp.stack(each), axis=0)
        V = total / len(heads) if average else total
    growth, log_scale = scaled_exponential(V, t, d)
    growth = jnp.exp(jnp.minimum(log_scale, LOG_SCALE_CAP / 2)) * growth
    found = []
    for i, head in enumerate(heads):
        Q, K = (growth if matrix is None else matrix @ growth for matrix in (head.Q, head.K))
        found.append(Head(head.attention, Q=Q, K=K).project(z, mu, view, i))
    return tuple(found)
