"""The sums of `gpu` in bfloat16 on Hopper GPUs, whose tensor cores Triton does not keep busy.

Two groups of threads take turns at the tensor cores and at the exponentials while a third one loads keys, as in
FlashAttention-3 (arXiv 2407.08608), after the kernel of `jax.experimental.pallas.ops.gpu.attention_mgpu`; new are
weights, and no maximum where none is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as mosaic

from tokenfield.sums.gpu.shares import LOG2E, NOTHING_YET

ROWS = 64  # queries of each of the two groups
KEYS = 128  # of a block
STAGES = 2  # blocks in shared memory


class _Kind(NamedTuple):
    is_bounded: bool
    is_weighted: bool
    blocks: int
    width: int


def attend(queries: Array, keys: Array, values: Array, weights: Array, *, is_bounded: bool) -> tuple[Array, Array]:
    """Log2-sums (m,) and means (m, d) for bfloat16 `queries`, `keys` and, if bounded weighted, `values`.

    m and n are multiples of 128, n is at least 256. All have d = 64 or 128 columns.
    `weights` (n,) are relative, or their log2 if not bounded.
    """
    blocks = keys.shape[0] // KEYS

    def run(is_weighted: bool, *arrays: Array) -> tuple[Array, Array]:
        return _launch(_Kind(is_bounded, is_weighted, blocks, keys.shape[1]), arrays[0].shape[0])(*arrays)

    # tokens mostly weigh the same, and one multiplication of each pair is a few percent
    is_uniform = jnp.all(weights == (1 if is_bounded else 0))
    return lax.cond(is_uniform, partial(run, False), partial(run, True), queries, keys, values, weights)


def _launch(kind: _Kind, m: int) -> Callable[..., Any]:
    def entry(*refs: Any) -> None:
        half = {"dtype": jnp.bfloat16, "transforms": (mosaic.TilingTransform((8, 64)), mosaic.SwizzleTransform(128))}
        pl.run_scoped(
            partial(_kernel, kind, *refs),
            mosaic.SMEM((2, ROWS, kind.width), **half),
            mosaic.SMEM((STAGES, KEYS, kind.width), **half),
            mosaic.SMEM((STAGES, KEYS, kind.width), **half),
            mosaic.SMEM((STAGES, KEYS), jnp.float32),
            mosaic.SMEM((2, ROWS), jnp.float32),
            mosaic.Barrier(num_barriers=2),
            mosaic.Barrier(num_arrivals=2 if kind.is_weighted else 1, num_barriers=STAGES),
            mosaic.Barrier(num_barriers=STAGES),
            mosaic.Barrier(num_arrivals=2, num_barriers=STAGES),
            mosaic.Barrier(num_arrivals=2, num_barriers=STAGES),
            mosaic.Barrier(num_arrivals=2),
            collective_axes="group",
        )

    return mosaic.kernel(
        entry,
        out_type=[jax.ShapeDtypeStruct((m,), jnp.float32), jax.ShapeDtypeStruct((m, kind.width), jnp.bfloat16)],
        grid=(m // (2 * ROWS),),
        grid_names=("tile",),
        num_threads=3,
        thread_name="group",
        compiler_params=mosaic.CompilerParams(approx_math=True),
    )


def _kernel(
    kind: _Kind,
    query_ref: Any,
    key_ref: Any,
    value_ref: Any,
    weight_ref: Any,
    log_ref: Any,
    mean_ref: Any,
    query_tile: Any,
    key_tile: Any,
    value_tile: Any,
    weight_tile: Any,
    log_tile: Any,
    query_ready: Any,
    key_ready: Any,
    value_ready: Any,
    key_free: Any,
    value_free: Any,
    turn: Any,
) -> None:
    group = lax.axis_index("group")
    tiles = (key_tile, value_tile, weight_tile)
    barriers = (key_ready, value_ready, key_free, value_free)

    @pl.when(group < 2)
    def _compute() -> None:
        mosaic.set_max_registers(232, action="increase")
        here = pl.ds(lax.axis_index("tile") * (2 * ROWS) + group * ROWS, ROWS)
        q, logs = query_tile.at[group], log_tile.at[group]
        mosaic.copy_gmem_to_smem(query_ref.at[here], q, query_ready.at[group])
        mosaic.barrier_wait(query_ready.at[group])
        mosaic.barrier_wait(key_ready.at[0])
        body = partial(_add_block, kind, q, tiles, (*barriers, turn))
        pl.when(group == 1)(partial(_pass_on, turn))
        largest, total, sums = lax.fori_loop(jnp.int32(0), jnp.int32(kind.blocks), body, _nothing(kind))
        pl.when(group == 0)(partial(_pass_on, turn))
        q[...] = (sums / lax.broadcast_in_dim(total, sums.shape, [0])).astype(jnp.bfloat16)
        logs[...] = largest + jnp.log(total) * LOG2E
        mosaic.commit_smem()
        mosaic.copy_smem_to_gmem(q, mean_ref.at[here])
        mosaic.copy_smem_to_gmem(logs, log_ref.at[here])
        mosaic.wait_smem_to_gmem(0)

    @pl.when(group == 2)
    def _load() -> None:
        _load_blocks(kind, (key_ref, value_ref, weight_ref), tiles, barriers)


def _load_blocks(kind: _Kind, refs: tuple[Any, ...], tiles: tuple[Any, ...], barriers: tuple[Any, ...]) -> None:
    key_ref, value_ref, weight_ref = refs
    key_tile, value_tile, weight_tile = tiles
    key_ready, value_ready, key_free, value_free = barriers
    mosaic.set_max_registers(40, action="decrease")

    def keys(block: Array, slot: Array) -> None:
        at = pl.ds(block * KEYS, KEYS)
        mosaic.copy_gmem_to_smem(key_ref.at[at], key_tile.at[slot], key_ready.at[slot])
        if kind.is_weighted:
            mosaic.copy_gmem_to_smem(weight_ref.at[at], weight_tile.at[slot], key_ready.at[slot])

    def values(block: Array, slot: Array) -> None:
        at = pl.ds(block * KEYS, KEYS)
        mosaic.copy_gmem_to_smem(value_ref.at[at], value_tile.at[slot], value_ready.at[slot])

    def refill(block: Array, _: None) -> None:
        slot = lax.rem(block, jnp.int32(STAGES))
        mosaic.barrier_wait(key_free.at[slot])
        keys(block + jnp.int32(STAGES), slot)
        mosaic.barrier_wait(value_free.at[slot])
        values(block + jnp.int32(STAGES), slot)

    for slot in range(STAGES):
        keys(jnp.int32(slot), jnp.int32(slot))
        values(jnp.int32(slot), jnp.int32(slot))
    lax.fori_loop(jnp.int32(0), jnp.int32(kind.blocks - STAGES), refill, None)


def _pass_on(turn: Any) -> None:
    mosaic.barrier_arrive(turn)
    mosaic.barrier_wait(turn)


def _nothing(kind: _Kind) -> tuple[Array, Array, Array]:
    """The largest logit, the total and the sums before the first block."""
    by_row = mosaic.Layout.WGMMA.reduce(1)
    start = 0 if kind.is_bounded else NOTHING_YET
    largest, total = (mosaic.layout_cast(jnp.full((ROWS,), x, jnp.float32), by_row) for x in (start, 0))
    return largest, total, mosaic.layout_cast(jnp.full((ROWS, kind.width), 0, jnp.float32), mosaic.Layout.WGMMA)


def _add_block(
    kind: _Kind,
    q: Any,
    tiles: tuple[Any, ...],
    barriers: tuple[Any, ...],
    block: Array,
    carry: tuple[Array, Array, Array],
) -> tuple[Array, Array, Array]:
    key_tile, value_tile, weight_tile = tiles
    key_ready, value_ready, key_free, value_free, turn = barriers
    largest, total, sums = carry
    slot = lax.rem(block, jnp.int32(STAGES))

    def products(accumulator: Any) -> Array:
        mosaic.wgmma(accumulator, q, mosaic.transpose_ref(key_tile.at[slot], (1, 0)))
        _pass_on(turn)
        return accumulator[...]

    logits = pl.run_scoped(products, mosaic.ACC((ROWS, KEYS), jnp.float32))
    weights = None
    if kind.is_weighted:
        weights = mosaic.load(weight_tile.at[slot], (), layout=mosaic.Layout.WGMMA.reduce(0))
        weights = lax.broadcast_in_dim(weights, logits.shape, [1])
    mosaic.barrier_arrive(key_free.at[slot])
    if kind.is_bounded:
        e = jnp.exp2(logits)
        weighted = e if weights is None else e * weights
    else:
        logits = logits if weights is None else logits + weights
        old, largest = largest, jnp.maximum(largest, logits.max(axis=1))
        e = weighted = jnp.exp2(logits - lax.broadcast_in_dim(largest, logits.shape, [0]))
        rescale = jnp.exp2(old - largest)
        total, sums = total * rescale, sums * lax.broadcast_in_dim(rescale, sums.shape, [0])
    total, factors = total + weighted.sum(axis=1), e.astype(jnp.bfloat16)
    sums, total, largest, factors = lax.optimization_barrier((sums, total, largest, factors))
    mosaic.barrier_arrive(turn)
    mosaic.barrier_wait(value_ready.at[slot])
    mosaic.barrier_wait(turn)

    def add(accumulator: Any) -> None:
        mosaic.wgmma(accumulator, factors, value_tile.at[slot])
        following = block + jnp.int32(1)

        @pl.when(following < kind.blocks)
        def _() -> None:
            mosaic.barrier_wait(key_ready.at[lax.rem(following, jnp.int32(STAGES))])

    sums = pl.run_state(add)(mosaic.ACC.init(sums))
    mosaic.barrier_arrive(value_free.at[slot])
    return largest, total, sums
