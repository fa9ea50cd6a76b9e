"""The direct sums over all pairs, by whichever of `dense`, `tiled`, `gpu` and `sharded` suits size and devices."""

from __future__ import annotations

from collections.abc import Callable

from jax import Array

from tokenfield.sums import dense, gpu, tiled
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended, Weighed
from tokenfield.sums.devices import device_count

DENSE_PAIRS = 2**20  # up to 1024 x 1024 pairs the matrix fits in cache and tiling only adds work


def algorithm(m: int, n: int) -> str:
    """How `n` keys are summed for `m` queries: "dense", "tiled", "gpu", or in a "ring" of devices."""
    if device_count() > 1:
        return "ring"
    if m * n <= DENSE_PAIRS:
        return "dense"
    return "gpu" if gpu.is_available() else "tiled"


def attend(queries: Array, keys: Array, values: Array, weights: Array, band: Band | None = None) -> Attended:
    """For each query the log-sum-exp of its logits <q_i, k_j>, and the mean of the values under the softmax.

    Memory is O(m + n), whatever the sizes are, and no logit overflows. It works under `jax.jit`, `vmap` and `grad`.

    Args:
        queries: the vectors q_i, shape (m, k).
        keys: the vectors k_j, shape (n, k).
        values: the vectors v_j that are averaged, shape (n, p); p may be 0 if only the log-sum-exp matters.
        weights: the weights w_j of the keys, shape (n,), not negative.
        band: what query i sees of key j by their positions; None: everything.

    Returns:
        `Attended(log_sum, mean)`: log sum_j w_j e^{l_ij}, shape (m,), and sum_j w_j e^{l_ij} v_j / sum_j w_j e^{l_ij},
        shape (m, p), over the keys that query i sees, with l_ij = <q_i, k_j>, less the decay of the band. Where a
        query sees nothing they are -inf and 0.

    >>> import jax.numpy as jnp
    >>> keys = jnp.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> attend(jnp.zeros((1, 2)), keys, keys, jnp.asarray([0.75, 0.25])).mean.tolist()
    [[0.75, 0.25]]
    """
    if algorithm(queries.shape[0], keys.shape[0]) == "gpu":
        return gpu.attend(queries, keys, values, weights, band)
    return _plain(queries, keys).attend(queries, keys, values, weights, band)


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
    """For each query the sum of kernel(<q_i, k_j> - s_i) over the keys, alone and times the values.

    This is `attend` for kernels other than the exponential, without a division by the total.

    Args:
        queries: the vectors q_i, shape (m, k).
        keys: the vectors k_j, shape (n, k).
        values: the vectors v_j that are added up, shape (n, p); p may be 0.
        weights: the weights w_j of the keys, shape (n,).
        kernel: a function of arrays that acts on each entry. It must be finite on the logits, and with a band also at
            0; so must its derivative, if gradients are wanted.
        shift: numbers s_i to subtract from the logits, shape (m,); None: 0.
        band: what query i sees of key j by their positions; None: everything.

    Returns:
        `Weighed(total, sums)`: sum_j a_ij, shape (m,), and sum_j a_ij v_j, shape (m, p). Here a_ij is
        w_j b_ij kernel(<q_i, k_j> - s_i), with b_ij = e^{-slope |p_i - p_j|} where the band lets i see j, and else 0.

    >>> import jax.numpy as jnp
    >>> keys = jnp.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> weigh(jnp.asarray([[2.0, 3.0]]), keys, keys, jnp.ones(2), lambda logits: logits**2).sums.tolist()
    [[4.0, 9.0]]
    """
    return _plain(queries, keys).weigh(queries, keys, values, weights, kernel, shift=shift, band=band)


def largest(queries: Array, keys: Array, band: Band | None = None) -> Array:
    """For each query the largest <q_i, k_j> over the keys that it sees.

    Args:
        queries: the vectors q_i, shape (m, k).
        keys: the vectors k_j, shape (n, k).
        band: what query i sees of key j by their positions; None: everything. Its decay does not count.

    Returns:
        The maxima, shape (m,); -inf where a query sees nothing.

    >>> import jax.numpy as jnp
    >>> largest(jnp.asarray([[2.0, 3.0]]), jnp.eye(2)).tolist()
    [3.0]
    """
    return _plain(queries, keys).largest(queries, keys, band)


def _plain(queries: Array, keys: Array):
    name = algorithm(queries.shape[0], keys.shape[0])
    if name == "ring":
        from tokenfield.sums import sharded  # here, because its blocks are summed by this module

        return sharded
    return dense if name == "dense" else tiled
