"""The direct sums over all pairs, by whichever of `dense`, `tiled` and `gpu` suits their size and the device."""

from __future__ import annotations

from collections.abc import Callable

from jax import Array

from tokenfield.sums import dense, gpu, tiled
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended, Weighed
from tokenfield.sums.devices import device_count

DENSE_PAIRS = 2**20  # up to 1024 x 1024 pairs the matrix fits in cache and tiling only adds work


def way(m: int, n: int) -> str:
    """The name of the way to sum over `n` keys for `m` queries: dense, tiled, gpu, or a ring of devices."""
    if device_count() > 1:
        return "ring"
    if m * n <= DENSE_PAIRS:
        return "dense"
    return "gpu" if gpu.is_available() else "tiled"


def attend(queries: Array, keys: Array, values: Array, weights: Array, band: Band | None = None) -> Attended:
    """For logits <q_i, k_j> - slope |p_i - p_j|: the log-sum-exp over the seen j and the weighted mean of `values`.

    `queries` (m, k), `keys` (n, k), `values` (n, p), `weights` (n,) not negative; see `Attended` and `Band`.
    """
    name = way(queries.shape[0], keys.shape[0])
    if name == "gpu" and band is None:
        return gpu.attend(queries, keys, values, weights)
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
    """The sums over j of w_j b_ij kernel(<q_i, k_j> - s_i), alone and times v_j; see `Weighed`.

    b_ij = e^{-slope |p_i - p_j|} on the pairs that `band` lets see, else 0. `kernel` acts on each entry of an array
    and is finite on the logits, as its derivative is if gradients are wanted, and with a mask also at 0. `shift` is
    (m,), other shapes as for `attend`.
    """
    return _plain(queries, keys).weigh(queries, keys, values, weights, kernel, shift=shift, band=band)


def largest(queries: Array, keys: Array, band: Band | None = None) -> Array:
    """The largest <q_i, k_j> over the keys that query i sees, (m,); -inf where it sees none. No slope enters."""
    return _plain(queries, keys).largest(queries, keys, band)


def _plain(queries: Array, keys: Array):
    name = way(queries.shape[0], keys.shape[0])
    if name == "ring":
        from tokenfield.sums import sharded  # here, because its blocks are summed by this module

        return sharded
    return dense if name == "dense" else tiled
