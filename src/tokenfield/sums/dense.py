"""The reference sums: they form the whole matrix of all pairs.

Of all that moves tokens (models, flows, the solver), only this file forms n x n arrays, with their masks from `band`;
many small systems at once have theirs, (S, n, n), in `systems`. Elsewhere such a matrix is made only where it is itself
what is asked for, as by `attention_matrix`, or what a library needs, as the costs of exact transport.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums.band import Band, decay, seen

NARROW = 4  # up to this many value columns, the normalizer rides along as one more column of the product


class Attended(NamedTuple):
    """What one pass over the keys gives for each query: the log-sum-exp of the logits and the mean of the values.

    With logits l_ij and weights w_j, log_sum[i] = log sum_j w_j e^{l_ij} and
    mean[i] = sum_j w_j e^{l_ij} v_j / sum_j w_j e^{l_ij}. Where nothing is seen they are -inf and 0.

    Attributes:
        log_sum: The logarithm of the sum for each query, shape (m,).
        mean: The mean of the values for each query, shape (m, p).

    >>> import jax.numpy as jnp
    >>> one = jnp.ones((1, 1))
    >>> values = jnp.asarray([[1.0], [3.0]])
    >>> attended = attend(0 * one, jnp.ones((2, 1)), values, jnp.ones(2))
    >>> round(float(jnp.exp(attended.log_sum[0])), 12), float(attended.mean[0, 0])
    (2.0, 2.0)
    """

    log_sum: Array
    mean: Array


class Weighed(NamedTuple):
    """What one pass over the keys gives under any kernel: the sums of a_ij = w_j b_ij kernel(l_ij - s_i).

    Attributes:
        total: sum_j a_ij for each query, shape (m,).
        sums: sum_j a_ij v_j for each query, shape (m, p).

    >>> import jax.numpy as jnp
    >>> one = jnp.ones((1, 1))
    >>> values = jnp.asarray([[1.0], [3.0]])
    >>> weighed = weigh(2 * one, jnp.ones((2, 1)), values, jnp.ones(2), jnp.square)
    >>> float(weighed.total[0]), float(weighed.sums[0, 0])
    (8.0, 16.0)
    """

    total: Array
    sums: Array


def attend(queries: Array, keys: Array, values: Array, weights: Array, band: Band | None = None) -> Attended:
    """The log-sum-exp and the mean of `values` (n, p) under logits <q_i, k_j> and weights w_j; see `Attended`."""
    logits = queries @ keys.T
    fade, mask = decay(band, logits.dtype), seen(band)
    if fade is not None:
        logits = logits - fade
    if mask is not None:
        logits = jnp.where(mask, logits, -jnp.inf)
    # the row maximum cancels in exact arithmetic, so it carries no gradient
    shift = lax.stop_gradient(jnp.max(logits, axis=1))
    if mask is not None:
        shift = jnp.maximum(shift, lowest(logits.dtype))
    total, sums = _add(jnp.exp(logits - shift[:, None]), values, weights)
    return normalized(shift, total, sums)


def lowest(dtype: jnp.dtype) -> float:
    """Stands for the largest logit of a row that has seen nothing: finite, because -inf - (-inf) is NaN."""
    return float(jnp.finfo(dtype).min) / 4


def normalized(shift: Array, total: Array, sums: Array) -> Attended:
    """Log-sum-exp and mean from sums of kernels e^{l_ij - shift_i}, finite also in the gradient where `total` is 0."""
    is_empty = total == 0
    total = jnp.where(is_empty, 1, total)
    return Attended(jnp.where(is_empty, -jnp.inf, jnp.log(total) + shift), sums / total[:, None])


def weigh(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    kernel: Callable[[Array], Array],
    *,
    shift: Array | None = None,
    band: Band | None = None,
) -> Weighed:
    """The sums of `values` (n, p) and of 1 under the weights w_j b_ij kernel(<q_i, k_j> - s_i); see `Weighed`."""
    logits = queries @ keys.T
    if shift is not None:
        logits = logits - shift[:, None]
    return Weighed(*_add(banded(kernel, logits, band, seen(band)), values, weights))


def banded(kernel: Callable[[Array], Array], logits: Array, band: Band | None, mask: Array | None) -> Array:
    """b_ij kernel(l_ij); pairs outside the mask give 0 and have no part in gradients, whatever the kernel is there."""
    if mask is not None:
        logits = jnp.where(mask, logits, 0)
    out = kernel(logits).astype(logits.dtype)
    fade = decay(band, logits.dtype)
    if fade is not None:
        out = out * jnp.exp(-fade)
    return out if mask is None else jnp.where(mask, out, 0)


def largest(queries: Array, keys: Array, band: Band | None = None) -> Array:
    """The largest <q_i, k_j> over the keys that query i sees, (m,); -inf where it sees none."""
    logits = queries @ keys.T
    mask = seen(band)
    return jnp.max(logits if mask is None else jnp.where(mask, logits, -jnp.inf), axis=1)


# --- few clusters, whose speeds may be far below rounding ---------------------------------------------------------


def of_pairs(function: Callable[[Any], Any], queries: Any, keys: Any, *, of_distance: bool) -> Any:
    """function(<q_i, k_j>), or function(|q_i - k_j|^2) if `of_distance`, (m, n), of NumPy or JAX arrays."""
    products = queries @ keys.T
    if not of_distance:
        return function(products)
    q_squared, k_squared = ((a * a).sum(axis=1) for a in (queries, keys))
    return function((q_squared[:, None] + k_squared - 2 * products).clip(0.0))


def log_weights_of_others(logits: Array, weights: Array, *, is_average: bool) -> Array:
    """log a_ij, shape (n, n), of the weights a_ij = w_j e^{l_ij} for j != i, and -inf for j = i and where w_i = 0.

    With `is_average` they are divided by their sum over all j, j = i included.
    """
    logs = logits + jnp.log(weights)
    if is_average:
        logs = logs - jax.nn.logsumexp(logs, axis=1, keepdims=True)
    is_other = ~jnp.eye(len(weights), dtype=bool) & (weights > 0)[:, None]
    return jnp.where(is_other, logs, -jnp.inf)


def pull(log_weights: Array, points: Array, *, shift: Array | float = 0.0) -> Array:
    """sum_j e^{-shift} a_ij (x_j - x_i), shape (n, d), for the logarithms (n, n) of weights that are 0 for j = i."""
    a = jnp.exp(log_weights - shift)
    return a @ points - jnp.sum(a, axis=1, keepdims=True) * points


def _add(kernel: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """sum_j K_ij w_j and sum_j K_ij w_j v_j."""
    p = values.shape[1]
    if p <= NARROW:
        sums = kernel @ jnp.concatenate([values * weights[:, None], weights[:, None]], axis=1)
        return sums[:, p], sums[:, :p]
    kernel = kernel * weights
    return jnp.sum(kernel, axis=1), kernel @ values
