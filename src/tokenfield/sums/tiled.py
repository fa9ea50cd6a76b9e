"""The direct sums in tiles that stay in cache: memory O(n), the same results as `dense` to rounding.

Queries go in row tiles, keys in blocks, with a running maximum where exponentials are summed, so no more than
`ROW_BYTES / itemsize` x `KEY_BLOCK` logits exist at a time. With a band, blocks that a tile does not see are skipped
and only those that it sees in part are masked. Tile shapes were measured on two CPU cores (`tokenfield bench
direct_sum`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums.band import Band, decay, seen, view
from tokenfield.sums.dense import NARROW, Attended, Weighed, banded, lowest, normalized

ROW_BYTES = 4096  # bytes of one column of a row tile: at most 1024 rows in float32, 512 in float64
KEY_BLOCK = 2048  # most keys in a block
WIDE = 128  # from this dimension on, blocks are half as long: the keys themselves fill the cache
BAND_TILE = 512  # most rows and keys where a band hides something: less is computed for pairs that are not seen


class _Block(NamedTuple):
    """Some keys: transposed (d, s), weighted values (s, p or p + 1), weights (s,), positions (s,)."""

    keys_t: Array
    columns: Array
    weights: Array
    positions: Array | None


def attend(queries: Array, keys: Array, values: Array, weights: Array, band: Band | None = None) -> Attended:
    """As `dense.attend`, in tiles."""
    longest_key = jnp.sqrt(jnp.max(jnp.sum(keys * keys, axis=1)))
    blocks = _key_blocks(keys, values, weights, band)

    def tile(q: Array, _: None, band: Band | None) -> Attended:
        return _attend_tile(q, blocks, band, longest_key, values.shape[1])

    return _map_tiles(tile, queries, None, band)


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
    """As `dense.weigh`, in tiles."""
    p = values.shape[1]
    blocks = _key_blocks(keys, values, weights, band)

    def tile(q: Array, shift: Array | None, band: Band | None) -> Weighed:
        def add_block(carry: Weighed, block: _Block, band: Band | None, mask: Array | None) -> Weighed:
            logits = q @ block.keys_t
            if shift is not None:
                logits = logits - shift[:, None]
            total, sums = _sums(banded(kernel, logits, band, mask), block, p)
            return Weighed(carry.total + total, carry.sums + sums)

        nothing = Weighed(jnp.zeros(q.shape[0], q.dtype), jnp.zeros((q.shape[0], p), q.dtype))
        return _over_blocks(add_block, nothing, blocks, band)

    return _map_tiles(tile, queries, shift, band)


def largest(queries: Array, keys: Array, band: Band | None = None) -> Array:
    """As `dense.largest`, in tiles."""
    blocks = _key_blocks(keys, keys[:, :0], jnp.ones(keys.shape[0], keys.dtype), band)

    def tile(q: Array, _: None, band: Band | None) -> Array:
        def add_block(so_far: Array, block: _Block, _: Band | None, mask: Array | None) -> Array:
            logits = q @ block.keys_t
            logits = logits if mask is None else jnp.where(mask, logits, -jnp.inf)
            return jnp.maximum(so_far, jnp.max(logits, axis=1))

        return _over_blocks(add_block, jnp.full(q.shape[0], -jnp.inf, q.dtype), blocks, band)

    return _map_tiles(tile, queries, None, band)


def _map_tiles(tile: Callable[..., Any], queries: Array, extra: Array | None, band: Band | None) -> Any:
    """`tile(q, extra, band)` for each tile of rows, put together again."""
    m = queries.shape[0]
    rows = _even_share(m, _tile(band) or ROW_BYTES // queries.dtype.itemsize)
    by_row = None if band is None else (band.queries, band.offset)

    # Without checkpoints here and below, reverse-mode differentiation would keep every kernel: n x n after all.
    @jax.checkpoint
    def one(arrays: tuple[Array, Array | None, tuple[Array, Array | None] | None]) -> Any:
        q, extra, by_row = arrays
        seen_here = None if band is None or by_row is None else band._replace(queries=by_row[0], offset=by_row[1])
        return tile(q, extra, seen_here)

    arrays = jax.tree.map(lambda a: _pad(a, rows).reshape(-1, rows, *a.shape[1:]), (queries, extra, by_row))
    return jax.tree.map(lambda a: a.reshape(a.shape[0] * a.shape[1], *a.shape[2:])[:m], lax.map(one, arrays))


def _over_blocks(add_block: Callable[..., Any], carry: Any, blocks: _Block, band: Band | None) -> Any:
    """`carry` after `add_block(carry, block, band, mask)` for every block that the tile sees something of."""

    def visit(carry: Any, block: _Block) -> Any:
        if band is None or block.positions is None:
            return add_block(carry, block, None, None)
        pairs = band._replace(keys=block.positions)
        if not _tile(band):
            return add_block(carry, block, pairs, None)
        return lax.switch(
            view(pairs),
            (
                lambda carry, *_: carry,
                lambda carry, block, pairs: add_block(carry, block, pairs, None),
                lambda carry, block, pairs: add_block(carry, block, pairs, seen(pairs)),
            ),
            carry,
            block,
            pairs,
        )

    if blocks.keys_t.shape[0] == 1:
        return visit(carry, jax.tree.map(lambda a: a[0], blocks))
    return lax.scan(jax.checkpoint(lambda carry, block: (visit(carry, block), None)), carry, blocks)[0]


def _attend_tile(q: Array, blocks: _Block, band: Band | None, longest_key: Array, p: int) -> Attended:
    # |<q, k>| <= bound: where e^{-2 bound} is far from underflow the bound serves as the shift, and no pass over
    # the logits is spent on their maximum. The rest of the range (1e-11 in float32) is left to the weights.
    bound = lax.stop_gradient(jnp.sqrt(jnp.sum(q * q, axis=1)) * longest_key)
    is_safe = 2 * jnp.max(bound) < -0.7 * jnp.log(jnp.finfo(q.dtype).tiny)

    def add_block(carry: Any, block: _Block, band: Band | None, mask: Array | None) -> Any:
        old_shift, total, sums = carry
        logits = q @ block.keys_t
        fade = decay(band, logits.dtype)
        if fade is not None:
            logits = logits - fade
        if mask is not None:
            logits = jnp.where(mask, logits, -jnp.inf)

        def running(logits: Array) -> Array:
            return jnp.maximum(old_shift, jnp.max(logits, axis=1))

        fixed = lax.stop_gradient(logits)
        # with a slope the largest logit may be far below the bound
        shift = lax.cond(is_safe, lambda _: bound, running, fixed) if fade is None else running(fixed)
        block_total, block_sums = _sums(jnp.exp(logits - shift[:, None]), block, p)
        rescale = jnp.exp(old_shift - shift)
        return shift, total * rescale + block_total, sums * rescale[:, None] + block_sums

    rows = q.shape[0]
    nothing = (jnp.full(rows, lowest(q.dtype), q.dtype), jnp.zeros(rows, q.dtype), jnp.zeros((rows, p), q.dtype))
    return normalized(*_over_blocks(add_block, nothing, blocks, band))


def _sums(kernel: Array, block: _Block, p: int) -> tuple[Array, Array]:
    """sum_j K_ij w_j and sum_j K_ij w_j v_j over one block."""
    sums = kernel @ block.columns
    return sums[:, p] if p < block.columns.shape[1] else kernel @ block.weights, sums[:, :p]


def skips(band: Band | None) -> bool:
    """Whether there may be tiles that are not computed, because the band hides something."""
    return band is not None and not (band.nearest is None and band.farthest is None)


def _tile(band: Band | None) -> int | None:
    """The most rows and keys of a tile of a band that hides something; None if all is seen."""
    return BAND_TILE if skips(band) else None


def _even_share(total: int, most: int) -> int:
    """The length of the fewest equal parts of `total` that are at most `most` long: little is lost to padding."""
    return -(-total // -(-total // most))


def _pad(array: Array, multiple: int) -> Array:
    """`array` with its last row repeated until the length is a multiple of `multiple`."""
    missing = -array.shape[0] % multiple
    return jnp.concatenate([array, jnp.repeat(array[-1:], missing, axis=0)]) if missing else array


def _key_blocks(keys: Array, values: Array, weights: Array, band: Band | None) -> _Block:
    """The keys in b blocks of s, one more leading axis on everything in `_Block`.

    Narrow values carry the weights as one more column, so that the normalizer comes out of the same product.
    """
    n, d = keys.shape
    size = _even_share(n, _tile(band) or (KEY_BLOCK if d < WIDE else KEY_BLOCK // 2))
    count = -(-n // size)
    # padded keys repeat the last one, which leaves every maximum alone, and weigh nothing
    keys, values = _pad(keys, size), _pad(values, size)
    weights = jnp.concatenate([weights, jnp.zeros(keys.shape[0] - n, weights.dtype)])
    columns = values * weights[:, None]
    if values.shape[1] <= NARROW:
        columns = jnp.concatenate([columns, weights[:, None]], axis=1)
    return _Block(
        keys.reshape(count, size, d).transpose(0, 2, 1),
        columns.reshape(count, size, -1),
        weights.reshape(count, size),
        None if band is None else _pad(band.keys, size).reshape(count, size),
    )
