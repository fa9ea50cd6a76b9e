"""What a query sees of the keys by their positions: a mask and a decay. Everything here is about pairs (i, j).

Blocks of keys that a tile of queries does not see at all, or sees entirely, are told apart by the extreme positions
alone, so that the tiled sums skip the former and spend no mask on the latter.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

NOTHING, EVERYTHING, SOMETHING = 0, 1, 2  # what a tile of queries sees of a block of keys


class Band(NamedTuple):
    """What query i sees of key j by their positions: a mask and a decay.

    The pair is seen if `nearest` <= p_i - p_j <= `farthest` (None: no bound); the weight of key j for query i is
    multiplied by e^{-slope |p_i - p_j|}. Causal attention is `nearest=0`, a causal window of s tokens adds
    `farthest=s - 1`, ALiBi (arXiv 2108.12409) is a slope. Positions may be in any order and repeat.
    """

    queries: Array  # (m,) positions of the queries
    keys: Array  # (n,) positions of the keys
    nearest: Array | None = None
    farthest: Array | None = None
    slope: Array | None = None


def seen(band: Band) -> Array | None:
    """Which pairs are seen, (m, n); None if all are."""
    if band.nearest is None and band.farthest is None:
        return None
    difference = band.queries[:, None] - band.keys[None, :]
    if band.nearest is None:
        return difference <= band.farthest
    if band.farthest is None:
        return difference >= band.nearest
    return (difference >= band.nearest) & (difference <= band.farthest)


def decay(band: Band, dtype: jnp.dtype) -> Array:
    """The exponents slope |p_i - p_j|, (m, n)."""
    return (band.slope * jnp.abs(band.queries[:, None] - band.keys[None, :])).astype(dtype)


def view(band: Band) -> Array:
    """NOTHING, EVERYTHING or SOMETHING: what the queries see of the keys, from the extremes of their positions.

    Rounding is monotone, so that no rounded difference of two positions lies outside the two computed here.
    """
    least = jnp.min(band.queries) - jnp.max(band.keys)
    most = jnp.max(band.queries) - jnp.min(band.keys)
    nothing, everything = jnp.asarray(False), jnp.asarray(True)
    if band.nearest is not None:
        nothing, everything = nothing | (most < band.nearest), everything & (least >= band.nearest)
    if band.farthest is not None:
        nothing, everything = nothing | (least > band.farthest), everything & (most <= band.farthest)
    return jnp.where(nothing, NOTHING, jnp.where(everything, EVERYTHING, SOMETHING))
