"""The reference sum: forms the whole matrix. The only place, besides tests, where an n x n array exists."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

NARROW = 4  # up to this many value columns, the normalizer rides along as one more column of the product


class Attended(NamedTuple):
    """What one pass over the keys gives for each query i.

    `log_sum[i]` = log sum_j w_j e^{l_ij}, shape (m,); `mean[i]` = sum_j w_j e^{l_ij} v_j / sum_j w_j e^{l_ij}, (m, p).
    """

    log_sum: Array
    mean: Array


def attend(queries: Array, keys: Array, values: Array, weights: Array) -> Attended:
    """The log-sum-exp and the mean of `values` (n, p) under logits <q_i, k_j> and weights w_j; see `Attended`."""
    logits = queries @ keys.T
    # the row maximum cancels in exact arithmetic, so it carries no gradient
    shift = lax.stop_gradient(jnp.max(logits, axis=1))
    kernel = jnp.exp(logits - shift[:, None])
    p = values.shape[1]
    if p <= NARROW:
        sums = kernel @ jnp.concatenate([values * weights[:, None], weights[:, None]], axis=1)
        sums, total = sums[:, :p], sums[:, p]
    else:
        kernel = kernel * weights
        sums, total = kernel @ values, jnp.sum(kernel, axis=1)
    return Attended(jnp.log(total) + shift, sums / total[:, None])


def attention_matrix(queries: Array, keys: Array, weights: Array) -> Array:
    """The matrix P_ij = w_j e^{l_ij} / sum_k w_k e^{l_ik}, shape (m, n); rows sum to 1."""
    logits = queries @ keys.T + jnp.log(weights)
    logits = logits - lax.stop_gradient(jnp.max(logits, axis=1, keepdims=True))
    kernel = jnp.exp(logits)
    return kernel / jnp.sum(kernel, axis=1, keepdims=True)
