"""Which way to compute a sum, and why: `choose` explains, `attend` does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from jax import Array

from tokenfield.sums import dense, tiled
from tokenfield.sums.dense import Attended

DENSE_PAIRS = 2**20  # up to 1024 x 1024 pairs the matrix fits in cache and tiling only adds work


class Choice(NamedTuple):
    """A way to compute the sum and the reason it was chosen."""

    name: str
    reason: str
    attend: Callable[[Array, Array, Array, Array], Attended]


def choose(m: int, n: int) -> Choice:
    """The way to sum over `n` keys for `m` queries.

    >>> choose(100_000, 100_000).name
    'tiled'
    """
    if m * n <= DENSE_PAIRS:
        return Choice("dense", f"{m} x {n} pairs are at most {DENSE_PAIRS}: one matrix fits in cache", dense.attend)
    return Choice("tiled", f"{m} x {n} pairs: row tiles keep the memory O(n)", tiled.attend)


def attend(queries: Array, keys: Array, values: Array, weights: Array) -> Attended:
    """For logits <q_i, k_j>: the log-sum-exp over j and the weighted mean of `values`; see `Attended`.

    `queries` (m, k), `keys` (n, k), `values` (n, p), `weights` (n,) positive.
    """
    return choose(queries.shape[0], keys.shape[0]).attend(queries, keys, values, weights)
