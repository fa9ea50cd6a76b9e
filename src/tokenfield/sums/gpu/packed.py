"""The sums of `gpu` in float32 in about 5 to 20 dimensions: both products on the tensor cores, in 24 bits.

Each number is the sum of three bfloat16 numbers, its parts. Parts stand side by side, so that the six products of parts
that matter in <q, k> are one product of longer vectors, and all nine in the sums over the keys are three. The weight is
one more value: its sum is the total. Tensor cores round toward zero, so their sums are short; these are added up in
registers and put away as in `narrow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

from tokenfield.sums.dense import Attended
from tokenfield.sums.gpu.shares import NOTHING_YET, exp2, joined, put_away, shares, thirds, turns

# measured on an H200: queries and keys of a tile, warps, stages of the pipeline that loads keys
ROWS, KEYS, WARPS, STAGES = 128, 64, 4, 3
PROGRAMS = 2**11  # so many that the last ones to finish leave no gap
NEVER = -(2.0**101)  # log2 of a weight of 0: finite, as 0 (-inf) is NaN, and far below `NOTHING_YET`
# of parts, small ones first: the others are below 2^-24 of the whole
PRODUCTS = ((2, 0), (1, 1), (0, 2), (1, 0), (0, 1), (0, 0))


def attend(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    log_top: Array,
    *,
    is_bounded: bool,
    interpret: bool,
) -> Attended:
    """The sums for `queries` times log2(e) and `weights` divided by the largest, the logarithm of which is `log_top`.

    `is_bounded`: no power of two of a logit overflows.
    """
    (m, n), p = (queries.shape[0], keys.shape[0]), values.shape[1]
    tiles = -(-m // ROWS)
    splits, share = shares(n, tiles, PROGRAMS, KEYS)
    trips, repeat = turns(share, KEYS)
    m_padded, n_padded = tiles * ROWS, splits * trips * repeat * KEYS
    queries = jnp.pad(queries, ((0, m_padded - m), (0, 0)))
    keys, values, column = (jnp.pad(x, ((0, n_padded - n), (0, 0))) for x in (keys, values, weights[:, None]))

    q, k = thirds(queries), thirds(keys)
    left, right = [q[i] for i, _ in PRODUCTS], [k[j] for _, j in PRODUCTS]
    if is_bounded:
        values = values * column
    else:  # weights belong to the logits, as three more columns of the keys
        left.append(jnp.ones((m_padded, 3), jnp.bfloat16))
        right.extend(thirds(jnp.maximum(jnp.log2(column), NEVER)))
        column = jnp.ones_like(column)
    columns = _side_by_side(thirds(jnp.concatenate([values, column], axis=1)))
    sums, shift = pl.pallas_call(
        partial(_kernel, trips=trips, repeat=repeat, is_bounded=is_bounded, interpret=interpret),
        grid=(tiles, splits),
        out_shape=[
            jax.ShapeDtypeStruct((splits, 2, m_padded, columns.shape[1]), jnp.float32),
            jax.ShapeDtypeStruct((splits, m_padded), jnp.float32),
        ],
        compiler_params=triton.CompilerParams(num_warps=WARPS, num_stages=STAGES),
        interpret=interpret,
    )(_side_by_side(left), _side_by_side(right), columns)
    sums = sums[:, :, :m, : 3 * (p + 1)].reshape(splits, 2, m, 3, p + 1)
    sums = jnp.sum(sums.astype(float), axis=(1, 3))
    return joined(shift[:, :m], sums[..., p], sums[..., :p], log_top, is_bounded)


def _side_by_side(parts: Sequence[Array]) -> Array:
    """The columns of all `parts`, and as many of zeros as the tensor cores want."""
    width = sum(part.shape[1] for part in parts)
    padded = max(16, 1 << (width - 1).bit_length())
    return jnp.pad(jnp.concatenate(parts, axis=1), ((0, 0), (0, padded - width)))


def _kernel(
    query_ref: Any,
    key_ref: Any,
    value_ref: Any,
    sum_ref: Any,
    shift_ref: Any,
    *,
    trips: int,
    repeat: int,
    is_bounded: bool,
    interpret: bool,
) -> None:
    split, here = pl.program_id(1), pl.ds(pl.program_id(0) * ROWS, ROWS)
    q, zero = query_ref[here, :], jnp.zeros((ROWS, sum_ref.shape[3]), jnp.float32)
    dot, power = partial(_dot, interpret=interpret), partial(exp2, interpret=interpret)

    def some_keys(t: Array, largest: Array) -> Array:
        def tile(u: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
            largest, sums = carry
            at = pl.ds(((split * trips + t) * repeat + u) * KEYS, KEYS)
            logits = dot(q, key_ref[at, :], contract=1)
            if not is_bounded:
                old, largest = largest, jnp.maximum(largest, jnp.max(logits, axis=1))
                sums, logits = sums * power(old - largest)[:, None], logits - largest[:, None]
            first, second, third = (dot(part, value_ref[at, :], contract=0) for part in cut_off(power(logits)))
            return largest, sums + (third + second + first)

        new, sums = lax.fori_loop(jnp.int32(0), jnp.int32(repeat), tile, (largest, zero))
        rescale = None if is_bounded else power(largest - new)[:, None]
        put_away(sum_ref, split, (here, slice(None)), sums, rescale)
        return new

    sum_ref[split, 0, here, :] = sum_ref[split, 1, here, :] = zero
    largest = jnp.full((ROWS,), 0 if is_bounded else NOTHING_YET, jnp.float32)
    shift_ref[split, here] = lax.fori_loop(jnp.int32(0), jnp.int32(trips), some_keys, largest)


def _dot(a: Array, b: Array, *, contract: int, interpret: bool) -> Array:
    algorithm = None if interpret else lax.DotAlgorithmPreset.BF16_BF16_F32
    numbers = (((1,), (contract,)), ((), ()))
    return lax.dot_general(a, b, numbers, precision=algorithm, preferred_element_type=jnp.float32)


def cut_off(x: Array) -> list[Array]:
    """Three bfloat16 numbers of sum x, as `thirds`, not rounded but cut off: exact too, with fewer instructions."""
    parts = []
    for _ in range(2):
        bits = lax.bitcast_convert_type(x, jnp.int32) & jnp.int32(-0x10000)
        part = lax.bitcast_convert_type(bits, jnp.float32)
        parts.append(part.astype(jnp.bfloat16))
        x = x - part
    return [*parts, x.astype(jnp.bfloat16)]
