"""The direct sums over all pairs, by whichever of `dense`, `tiled`, `gpu` and `sharded` suits size and devices."""

from __future__ import annotations

from collections.abc import Callable

from jax import Array

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput
from tokenfield.sums import dense, gpu, tiled
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended, Weighed
from tokenfield.sums.devices import device_count

DENSE_PAIRS = 2**20  # up to 1024 x 1024 pairs the matrix fits in cache and tiling only adds work
BAND_DENSE_PAIRS = 2**18  # the same where a band hides something: tiles that are not seen are not computed


def algorithm(m: int, n: int, *, skips: bool = False) -> str:
    """How `n` keys are summed for `m` queries: "dense", "tiled", "gpu", or in a "ring" of devices.

    `skips` says that positions hide pairs, so that tiles may be skipped.
    """
    if device_count() > 1:
        return "ring"
    is_gpu = gpu.is_available()
    if m * n <= (min(BAND_DENSE_PAIRS, DENSE_PAIRS) if skips and not is_gpu else DENSE_PAIRS):
        return "dense"
    return "gpu" if is_gpu else "tiled"


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
    check_shapes(queries, keys, values, weights)
    if algorithm(queries.shape[0], keys.shape[0], skips=tiled.skips(band)) == "gpu":
        return gpu.attend(queries, keys, values, weights, band)
    return _plain(queries, keys, band).attend(queries, keys, values, weights, band)


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
    >>> queries = jnp.asarray([[2.0, 3.0]])
    >>> weigh(queries, keys, keys, jnp.ones(2), lambda logits: logits**2).sums.tolist()
    [[4.0, 9.0]]
    """
    check_shapes(queries, keys, values, weights)
    return _plain(queries, keys, band).weigh(queries, keys, values, weights, kernel, shift=shift, band=band)


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
    check_shapes(queries, keys)
    return _plain(queries, keys, band).largest(queries, keys, band)


def check_shapes(queries: Array, keys: Array, values: Array | None = None, weights: Array | None = None) -> None:
    """Raises `InvalidInput` unless queries, keys, values and weights are arrays that fit together."""
    given = {"queries": queries, "keys": keys, "values": values, "weights": weights}
    shapes: dict[str, tuple[int, ...]] = {name: getattr(array, "shape", ()) for name, array in given.items()}
    q, k, v, w = shapes.values()
    fit = len(q) == len(k) == 2 and q[1] == k[1] and k[0] > 0
    fit = fit and (values is None or (len(v) == 2 and v[0] == k[0]))
    if not (fit and (weights is None or w == k[:1])):
        found = ", ".join(
            f"{name} {shapes[name] or shown(array)}" for name, array in given.items() if array is not None
        )
        raise InvalidInput(f"sums need arrays: queries (m, k), keys (n, k), values (n, p), weights (n,); got {found}")


def _plain(queries: Array, keys: Array, band: Band | None):
    name = algorithm(queries.shape[0], keys.shape[0], skips=tiled.skips(band))
    if name == "ring":
        from tokenfield.sums import sharded  # here, because its blocks are summed by this module

        return sharded
    return dense if name == "dense" else tiled
