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
    """What query i sees of key j by their positions p_i and p_j: a mask and a decay.

    Query i sees key j if `nearest` <= p_i - p_j <= `farthest`. The weight of the key is then multiplied by
    e^{-slope |p_i - p_j|}. Causal attention is `nearest=0`; a causal window of s tokens adds `farthest=s-1`; ALiBi
    (arXiv 2108.12409) is a slope. Positions may come in any order, and repeat.

    Attributes:
        queries: positions of the queries, shape (m,).
        keys: positions of the keys, shape (n,).
        nearest: the smallest p_i - p_j that is seen; None: no bound.
        farthest: the largest p_i - p_j that is seen; None: no bound.
        slope: how fast weights decay with the distance of the positions; None: not at all.
        offset: numbers o_i, shape (m,), for use with a slope: all weights of query i are also multiplied by e^{o_i}, so
            that they do not underflow.

    >>> import jax.numpy as jnp
    >>> from tokenfield.sums import attend
    >>> positions, same = jnp.arange(3.0), jnp.zeros((3, 1))
    >>> causal = Band(positions, positions, nearest=jnp.zeros(()))
    >>> attend(same, same, jnp.eye(3), jnp.ones(3), causal).mean.round(2).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.33, 0.33, 0.33]]
    """

    queries: Array
    keys: Array
    nearest: Array | None = None
    farthest: Array | None = None
    slope: Array | None = None
    offset: Array | None = None


def turned(band: Band) -> Band:
    """The same pairs with the roles of queries and keys exchanged; a band without offsets."""
    nearest, farthest = (None if bound is None else -bound for bound in (band.farthest, band.nearest))
    return Band(band.keys, band.queries, nearest, farthest, band.slope)


def seen(band: Band | None) -> Array | None:
    """Which pairs are seen, (m, n); None if all are."""
    if band is None:
        return None
    difference, mask = band.queries[:, None] - band.keys[None, :], None
    if band.nearest is not None:
        mask = difference >= band.nearest
    if band.farthest is not None:
        is_near = difference <= band.farthest
        mask = is_near if mask is None else mask & is_near
    return mask


def decay(band: Band | None, dtype: jnp.dtype) -> Array | None:
    """The exponents slope |p_i - p_j| - offset_i, (m, n); None if there is no slope."""
    if band is None or band.slope is None:
        return None
    exponents = band.slope * jnp.abs(band.queries[:, None] - band.keys[None, :])
    return (exponents if band.offset is None else exponents - band.offset[:, None]).astype(dtype)


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
