"""The direct sum in tiles that stay in cache: memory O(n), the same result as `dense` to rounding.

Queries go in row tiles, keys in blocks with a running maximum, so no more than `ROW_BYTES / itemsize` x `KEY_BLOCK`
logits exist at a time. Tile shapes were measured on two CPU cores (see `benchmarks/direct_sum.py`).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums.dense import NARROW, Attended

ROW_BYTES = 4096  # bytes of one column of a row tile: at most 1024 rows in float32, 512 in float64
KEY_BLOCK = 2048  # most keys in a block
WIDE = 128  # from this dimension on, blocks are half as long: the keys themselves fill the cache


def attend(queries: Array, keys: Array, values: Array, weights: Array) -> Attended:
    """As `dense.attend`, in tiles."""
    m = queries.shape[0]
    rows = _even_share(m, ROW_BYTES // queries.dtype.itemsize)
    tiles = _pad(queries, rows).reshape(-1, rows, queries.shape[1])
    longest_key = jnp.sqrt(jnp.max(jnp.sum(keys * keys, axis=1)))
    blocks = _key_blocks(keys, values, weights)

    # Without checkpoints here and below, reverse-mode differentiation would keep every kernel: n x n after all.
    @jax.checkpoint
    def tile(q: Array) -> Attended:
        return _attend_tile(q, blocks, longest_key, values.shape[1])

    log_sum, mean = lax.map(tile, tiles)
    return Attended(log_sum.reshape(-1)[:m], mean.reshape(-1, values.shape[1])[:m])


def _even_share(total: int, most: int) -> int:
    """The length of the fewest equal parts of `total` that are at most `most` long: little is lost to padding."""
    return -(-total // -(-total // most))


def _pad(array: Array, multiple: int) -> Array:
    """`array` with its last row repeated until the length is a multiple of `multiple`."""
    missing = -array.shape[0] % multiple
    return jnp.concatenate([array, jnp.repeat(array[-1:], missing, axis=0)]) if missing else array


def _key_blocks(keys: Array, values: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Keys, transposed (b, d, s), weighted values (b, s, p or p + 1) and weights (b, s), in b blocks of s keys.

    Narrow values carry the weights as one more column, so that the normalizer comes out of the same product.
    """
    n, d = keys.shape
    size = _even_share(n, KEY_BLOCK if d < WIDE else KEY_BLOCK // 2)
    count = -(-n // size)
    # padded keys repeat the last one, which leaves every maximum alone, and weigh nothing
    keys, values = _pad(keys, size), _pad(values, size)
    weights = jnp.concatenate([weights, jnp.zeros(keys.shape[0] - n, weights.dtype)])
    columns = values * weights[:, None]
    if values.shape[1] <= NARROW:
        columns = jnp.concatenate([columns, weights[:, None]], axis=1)
    return (
        keys.reshape(count, size, d).transpose(0, 2, 1),
        columns.reshape(count, size, -1),
        weights.reshape(count, size),
    )


def _attend_tile(q: Array, blocks: tuple[Array, Array, Array], longest_key: Array, p: int) -> Attended:
    # |<q, k>| <= bound: where e^{-2 bound} is far from underflow the bound serves as the shift, and no pass over
    # the logits is spent on their maximum. The rest of the range (1e-11 in float32) is left to the weights.
    bound = lax.stop_gradient(jnp.sqrt(jnp.sum(q * q, axis=1)) * longest_key)
    is_safe = 2 * jnp.max(bound) < -0.7 * jnp.log(jnp.finfo(q.dtype).tiny)

    def one_block(shift: Array, block: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        keys_t, columns, weights = block
        logits = q @ keys_t
        shift = lax.cond(
            is_safe,
            lambda _: bound,
            lambda logits: jnp.maximum(shift, jnp.max(logits, axis=1)),
            lax.stop_gradient(logits),
        )
        kernel = jnp.exp(logits - shift[:, None])
        sums = kernel @ columns
        return shift, sums[:, p] if p < columns.shape[1] else kernel @ weights, sums[:, :p]

    @jax.checkpoint
    def add_block(carry: tuple[Array, Array, Array], block: tuple[Array, Array, Array]):
        old_shift, total, sums = carry
        shift, block_total, block_sums = one_block(old_shift, block)
        rescale = jnp.exp(old_shift - shift)
        return (shift, total * rescale + block_total, sums * rescale[:, None] + block_sums), None

    rows = q.shape[0]
    nothing = (jnp.full(rows, -jnp.inf, q.dtype), jnp.zeros(rows, q.dtype), jnp.zeros((rows, p), q.dtype))
    if blocks[0].shape[0] == 1:
        shift, total, sums = one_block(nothing[0], jax.tree.map(lambda a: a[0], blocks))
    else:
        (shift, total, sums), _ = lax.scan(add_block, nothing, blocks)
    return Attended(jnp.log(total) + shift, sums / total[:, None])
