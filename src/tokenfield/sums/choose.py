"""Which way to compute a sum, and why: `choose` explains, `attend`, `weigh` and `largest` do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from jax import Array

from tokenfield.sums import dense, tiled
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended, Weighed

DENSE_PAIRS = 2**20  # up to 1024 x 1024 pairs the matrix fits in cache and tiling only adds work


class Choice(NamedTuple):
    """A way to compute the sums and the reason it was chosen."""

    name: str
    reason: str
    attend: Callable[..., Attended]
    weigh: Callable[..., Weighed]
    largest: Callable[..., Array]


def choose(m: int, n: int) -> Choice:
    """The way to sum over `n` keys for `m` queries.

    >>> choose(100_000, 100_000).name
    'tiled'
    """
    if m * n <= DENSE_PAIRS:
        reason = f"{m} x {n} pairs are at most {DENSE_PAIRS}: one matrix fits in cache"
        return Choice("dense", reason, dense.attend, dense.weigh, dense.largest)
    reason = f"{m} x {n} pairs: row tiles keep the memory O(n)"
    return Choice("tiled", reason, tiled.attend, tiled.weigh, tiled.largest)


def attend(queries: Array, keys: Array, values: Array, weights: Array, band: Band | None = None) -> Attended:
    """For logits <q_i, k_j> - slope |p_i - p_j|: the log-sum-exp over the seen j and the weighted mean of `values`.

    `queries` (m, k), `keys` (n, k), `values` (n, p), `weights` (n,) not negative; see `Attended` and `Band`.
    """
    return choose(queries.shape[0], keys.shape[0]).attend(queries, keys, values, weights, band)


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
    chosen = choose(queries.shape[0], keys.shape[0])
    return chosen.weigh(queries, keys, values, weights, kernel, shift=shift, band=band)


def largest(queries: Array, keys: Array, band: Band | None = None) -> Array:
    """The largest <q_i, k_j> over the keys that query i sees, (m,); -inf where it sees none. No slope enters."""
    return choose(queries.shape[0], keys.shape[0]).largest(queries, keys, band)
