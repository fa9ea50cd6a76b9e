"""The sums of `gpu` in up to 128 dimensions: tiles of queries and keys, both products on the tensor cores.

In float32 each number is three bfloat16 numbers, and partial sums are put away as in `narrow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

from tokenfield.sums.dense import Attended
from tokenfield.sums.gpu.shares import LOG2E, NOTHING_YET, exp2, joined, put_away, shares, thirds, turns
from tokenfield.sums.rounding import Precision

PROGRAMS: dict[Precision, int] = {"float32": 2**10, "tf32": 2**9, "bf16": 2**9}  # so many that every processor has some


class Cut(NamedTuple):
    """How the work is cut: queries and keys of a tile, warps, stages of the pipeline that loads keys."""

    rows: int
    keys: int
    warps: int
    stages: int


# measured on an H200, by the most dimensions
CUTS: dict[Precision, dict[int, Cut]] = {
    "float32": {32: Cut(128, 64, 4, 3), 64: Cut(64, 32, 4, 3), 128: Cut(128, 64, 8, 1)},
    "tf32": {64: Cut(128, 64, 4, 2), 128: Cut(128, 64, 8, 3)},
    "bf16": {64: Cut(128, 64, 4, 3), 128: Cut(128, 32, 4, 4)},
}


def attend(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    log_top: Array,
    *,
    precision: Precision,
    is_bounded: bool,
    interpret: bool,
) -> Attended:
    """The sums for `queries` times log2(e) and `weights` divided by the largest, the logarithm of which is `log_top`.

    `is_bounded`: no power of two of a logit overflows.
    """
    (m, d), (n, p) = queries.shape, values.shape
    # measured: up to 64 dimensions and without a maximum Triton's is the faster one
    if precision == "bf16" and (max(d, p) > 64 or not is_bounded) and not interpret and _is_hopper():
        return _on_hopper(queries, keys, values, weights, log_top, is_bounded)
    d_padded, p_padded = (max(16, 1 << (x - 1).bit_length()) for x in (d, p))
    cut = next(cut for most, cut in CUTS[precision].items() if max(d, p) <= most)
    tiles = -(-m // cut.rows)
    splits, share = shares(n, tiles, PROGRAMS[precision], cut.keys)
    # in other precisions the rounding of long sums is the smaller one
    trips, repeat = turns(share, cut.keys) if precision == "float32" else (1, share // cut.keys)
    m_padded, n_padded = tiles * cut.rows, splits * trips * repeat * cut.keys

    def parts(x: Array, length: int, width: int) -> list[Array]:
        x = jnp.pad(x, ((0, length - x.shape[0]), (0, width - x.shape[1])))
        return thirds(x) if precision == "float32" else [x.astype(jnp.bfloat16) if precision == "bf16" else x]

    columns = parts(values * weights[:, None] if is_bounded else values, n_padded, p_padded)
    if precision == "tf32":
        columns = [x.T for x in columns]  # the tensor cores take this operand of tf32 in this order only
    row = weights if is_bounded else jnp.log2(weights)
    row = jnp.pad(row, (0, n_padded - n), constant_values=0 if is_bounded else -jnp.inf)
    by_dot = precision == "bf16" and is_bounded
    if by_dot:  # the total is one more product: fewer instructions than to multiply and add
        row = jnp.pad(row[:, None], ((0, 0), (0, 15))).astype(jnp.bfloat16)
    sums, total, shift = pl.pallas_call(
        partial(
            _kernel,
            precision=precision,
            cut=cut,
            trips=trips,
            repeat=repeat,
            is_bounded=is_bounded,
            by_dot=by_dot,
            interpret=interpret,
        ),
        grid=(tiles, splits),
        out_shape=[
            jax.ShapeDtypeStruct((splits, *shape), jnp.float32)
            for shape in ((min(2, trips), m_padded, p_padded), (min(2, trips), m_padded), (m_padded,))
        ],
        compiler_params=triton.CompilerParams(num_warps=cut.warps, num_stages=cut.stages),
        interpret=interpret,
    )(*parts(queries, m_padded, d_padded), *parts(keys, n_padded, d_padded), *columns, row)
    total, sums = (jnp.sum(x.astype(float), axis=1) for x in (total[:, :, :m], sums[:, :, :m, :p]))
    return joined(shift[:, :m], total, sums, log_top, is_bounded)


@cache
def _is_hopper() -> bool:
    device = jax.devices()[0]
    return device.platform == "gpu" and getattr(device, "compute_capability", "") == "9.0"


def _on_hopper(
    queries: Array, keys: Array, values: Array, weights: Array, log_top: Array, is_bounded: bool
) -> Attended:
    from tokenfield.sums.gpu import hopper  # a backend that other devices need not have

    (m, d), p = queries.shape, values.shape[1]
    width = 64 if max(d, p) <= 64 else 128
    m_padded, n_padded = -(-m // 128) * 128, max(256, -(-keys.shape[0] // 128) * 128)

    def padded(x: Array, length: int) -> Array:
        return jnp.pad(x, ((0, length - x.shape[0]), (0, width - x.shape[1]))).astype(jnp.bfloat16)

    row = weights if is_bounded else jnp.log2(weights)
    row = jnp.pad(row, (0, n_padded - row.shape[0]), constant_values=0 if is_bounded else -jnp.inf)
    columns = values * weights[:, None] if is_bounded else values
    log2_sums, means = hopper.attend(
        padded(queries, m_padded), padded(keys, n_padded), padded(columns, n_padded), row, is_bounded=is_bounded
    )
    means = means[:m, :p].astype(log_top.dtype)
    log_sums = log2_sums[:m] / LOG2E + log_top
    is_empty = jnp.max(weights) <= 0  # 0 / 0 in the kernel
    return Attended(jnp.where(is_empty, -jnp.inf, log_sums), jnp.where(is_empty, 0, means))


def _kernel(
    *refs: Any,
    precision: Precision,
    cut: Cut,
    trips: int,
    repeat: int,
    is_bounded: bool,
    by_dot: bool,
    interpret: bool,
) -> None:
    *inputs, weight_ref, sum_ref, total_ref, shift_ref = refs
    count = len(inputs) // 3
    query_refs, key_refs, value_refs = (inputs[i * count : (i + 1) * count] for i in range(3))
    split, here = pl.program_id(1), pl.ds(pl.program_id(0) * cut.rows, cut.rows)
    q = [ref[here, :] for ref in query_refs]
    algorithm = None
    if not interpret:
        presets = lax.DotAlgorithmPreset
        algorithm = presets.TF32_TF32_F32 if precision == "tf32" else presets.BF16_BF16_F32
    dot, power = partial(_dot, algorithm=algorithm), partial(exp2, interpret=interpret)
    is_transposed = precision == "tf32"

    def tile(u: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        largest, total, sums = carry
        at = pl.ds((split * trips * repeat + u) * cut.keys, cut.keys)
        logits = dot(q, [ref[at, :] for ref in key_refs], contract=1)
        if is_bounded:
            e = power(logits)
        else:
            logits = logits + weight_ref[at][None, :]
            old, largest = largest, jnp.maximum(largest, jnp.max(logits, axis=1))
            rescale, e = power(old - largest), power(logits - largest[:, None])
            total, sums = total * rescale, sums * rescale[:, None]
        factors = thirds(e) if precision == "float32" else [e.astype(jnp.bfloat16) if precision == "bf16" else e]
        if by_dot:
            total = total + dot(factors, [weight_ref[at, :]], contract=0)
        else:
            total = total + jnp.sum(e * weight_ref[at][None, :] if is_bounded else e, axis=1)
        columns = [ref[:, at] if is_transposed else ref[at, :] for ref in value_refs]
        return largest, total, sums + dot(factors, columns, contract=1 if is_transposed else 0)

    no_sums, no_total = (jnp.zeros((cut.rows, *width), jnp.float32) for width in (sum_ref.shape[3:], ()))
    nothing = (jnp.zeros((cut.rows, 16), jnp.float32) if by_dot else no_total, no_sums)

    def some_keys(t: Array, largest: Array) -> Array:
        new, total, sums = lax.fori_loop(t * repeat, (t + 1) * repeat, tile, (largest, *nothing))
        total = jnp.sum(total, axis=1) if by_dot else total
        if trips == 1:
            total_ref[split, 0, here], sum_ref[split, 0, here, :] = total, sums
            return new
        rescale = None if is_bounded else power(largest - new)
        put_away(total_ref, split, (here,), total, rescale)
        put_away(sum_ref, split, (here, slice(None)), sums, None if rescale is None else rescale[:, None])
        return new

    if trips > 1:
        sum_ref[split, 0, here, :] = sum_ref[split, 1, here, :] = no_sums
        total_ref[split, 0, here] = total_ref[split, 1, here] = no_total
    largest = jnp.full((cut.rows,), 0 if is_bounded else NOTHING_YET, jnp.float32)
    shift_ref[split, here] = lax.fori_loop(jnp.int32(0), jnp.int32(trips), some_keys, largest)


def _dot(a: Sequence[Array], b: Sequence[Array], *, contract: int, algorithm: Any) -> Array:
    """The product of two sums of parts, small parts first; parts below 2^-24 of the whole are left out."""
    pairs = [(i, j) for i in range(len(a)) for j in range(len(b)) if i + j < len(a)]
    products = [
        lax.dot_general(
            a[i], b[j], (((1,), (contract,)), ((), ())), precision=algorithm, preferred_element_type=jnp.float32
        )
        for i, j in sorted(pairs, key=sum, reverse=True)
    ]
    return sum(products[1:], products[0])
