"""The sums of `gpu` in few dimensions: a thread holds some queries and meets every key.

Products, the exponential and the sums stay in registers, in the precision of the numbers. Partial sums are short and
put away by compensated summation, so that rounding does not grow with the number of keys, even where all are alike.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

from tokenfield.sums.dense import Attended
from tokenfield.sums.gpu.shares import NOTHING_YET, exp2, fma, joined, put_away, shares
from tokenfield.sums.rounding import has_float64

REGISTERS = 112  # of a thread, for queries and their sums, and as many for keys
PROGRAMS = 2**14  # so many that the last ones to finish leave no gap


class Cut(NamedTuple):
    """How the work is cut: queries of a thread, warps, keys at a time, how often before sums are put away."""

    per_thread: int
    warps: int
    unroll: int
    repeat: int

    @property
    def rows(self) -> int:
        return 32 * self.warps * self.per_thread

    def fitted(self, columns: int, itemsize: int) -> Cut:
        """This cut where a key has `columns` numbers in all, so that what a thread holds fits its registers."""
        most = max(1, REGISTERS * 4 // (itemsize * columns))
        most = 1 << (most.bit_length() - 1)
        unroll = min(self.unroll, most)
        return Cut(min(self.per_thread, most), self.warps, unroll, self.repeat * self.unroll // unroll)


# measured on an H200: without a shift and with a running maximum, by bytes of a number
CUTS = {4: (Cut(16, 2, 8, 16), Cut(4, 4, 16, 8)), 8: (Cut(4, 4, 2, 64), Cut(2, 4, 4, 32))}


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
    (m, d), (n, p), dtype = queries.shape, values.shape, queries.dtype
    cut = CUTS[dtype.itemsize][0 if is_bounded else 1].fitted(d + p + 1, dtype.itemsize)
    tiles = -(-m // cut.rows)
    splits, share = shares(n, tiles, PROGRAMS, cut.unroll * cut.repeat)
    # one row for each key: the key, weighted values and the weight, or with a running maximum values and log2 of it
    columns = [values * weights[:, None], weights[:, None]] if is_bounded else [values, jnp.log2(weights)[:, None]]
    rows = jnp.concatenate([keys, *columns], axis=1)
    missing = jnp.zeros((splits * share - n, rows.shape[1]), dtype).at[:, -1].set(0 if is_bounded else -jnp.inf)
    rows = jnp.concatenate([rows, missing])
    # two numbers in one load: loads are what the exponentials wait for
    if dtype == jnp.float32 and has_float64():
        rows = jnp.pad(rows, ((0, 0), (0, rows.shape[1] % 2))).reshape(rows.shape[0], -1, 2)
        rows = lax.bitcast_convert_type(rows, jnp.int64)
    kernel = partial(_kernel, d=d, p=p, cut=cut, share=share, is_bounded=is_bounded, interpret=interpret)
    sums, shift = pl.pallas_call(
        kernel,
        grid=(tiles, splits),
        out_shape=[
            jax.ShapeDtypeStruct((splits, 2, p + 1, tiles * cut.rows), dtype),
            jax.ShapeDtypeStruct((splits, tiles * cut.rows), dtype),
        ],
        compiler_params=triton.CompilerParams(num_warps=cut.warps, num_stages=1),
        interpret=interpret,
    )(jnp.pad(queries.T, ((0, 0), (0, tiles * cut.rows - m))), rows)
    sums = jnp.sum(sums[..., :m].astype(float), axis=1)
    return joined(shift[:, :m], sums[:, p], sums[:, :p].transpose(0, 2, 1), log_top, is_bounded)


def _kernel(
    query_ref: Any,
    row_ref: Any,
    sum_ref: Any,
    shift_ref: Any,
    *,
    d: int,
    p: int,
    cut: Cut,
    share: int,
    is_bounded: bool,
    interpret: bool,
) -> None:
    split = pl.program_id(1)
    here = pl.ds(pl.program_id(0) * cut.rows, cut.rows)
    q = [query_ref[a, here] for a in range(d)]
    zero = jnp.zeros((cut.rows,), query_ref.dtype)

    def some_keys(t: Array, largest: Array) -> Array:
        def body(u: Array, carry: tuple[Array, ...]) -> tuple[Array, ...]:
            start = split * share + (t * cut.repeat + u) * cut.unroll
            rows = [_row(row_ref, start + t, d + p + 1) for t in range(cut.unroll)]
            return _add(q, rows, carry[0], carry[1:], is_bounded, interpret)

        new, *sums = lax.fori_loop(jnp.int32(0), jnp.int32(cut.repeat), body, (largest, *[zero] * (p + 1)))
        rescale = None if is_bounded else exp2(largest - new, interpret)
        for c in range(p + 1):
            put_away(sum_ref, split, (c, here), sums[c], rescale)
        return new

    for c in range(p + 1):
        sum_ref[split, 0, c, here] = sum_ref[split, 1, c, here] = zero
    largest = zero if is_bounded else jnp.full((cut.rows,), NOTHING_YET, zero.dtype)
    trips = jnp.int32(share // (cut.unroll * cut.repeat))
    shift_ref[split, here] = lax.fori_loop(jnp.int32(0), trips, some_keys, largest)


def _add(
    q: list[Array],
    rows: list[list[Array]],
    largest: Array,
    sums: tuple[Array, ...],
    is_bounded: bool,
    interpret: bool,
) -> tuple[Array, ...]:
    """The largest logit so far and the sums with some more keys in them."""
    d, p, all_logits = len(q), len(sums) - 1, []
    for row in rows:
        logits = q[0] * row[0] if is_bounded else fma(q[0], row[0], row[-1], interpret)
        for a in range(1, d):
            logits = fma(q[a], row[a], logits, interpret)
        all_logits.append(logits)
    if not is_bounded:
        old = largest
        for logits in all_logits:
            largest = jnp.maximum(largest, logits)
        rescale = exp2(old - largest, interpret)
        sums = tuple(s * rescale for s in sums)
        all_logits = [logits - largest for logits in all_logits]
    for row, logits in zip(rows, all_logits, strict=True):
        e = exp2(logits, interpret)
        added = [fma(e, row[d + c], sums[c], interpret) for c in range(p)]
        sums = (*added, fma(e, row[d + p], sums[p], interpret) if is_bounded else sums[p] + e)
    return largest, *sums


def _row(row_ref: Any, j: Array, width: int) -> list[Array]:
    """The numbers of row j, which every thread needs; two are unpacked from each 64 bits if rows are packed."""
    row = [row_ref[j, a] for a in range(row_ref.shape[1])]
    if row_ref.dtype == jnp.int64:
        halves = [half for pair in row for half in (pair.astype(jnp.int32), (pair >> 32).astype(jnp.int32))]
        row = [lax.bitcast_convert_type(half, jnp.float32) for half in halves]
    return row[:width]
