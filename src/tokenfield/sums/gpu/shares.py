"""What the kernels of `gpu` share: two instructions, the cutting of numbers and of keys, sums kept and joined."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums.dense import Attended, normalized

LOG2E = math.log2(math.e)  # kernels work with powers of two, as the hardware does
NOTHING_YET = -1e30  # the largest logit before the first key: finite, because -inf - (-inf) is NaN
SHORTEST = 2**10  # keys that are worth a program
LONGEST = 2**12  # keys whose sums stay in registers


def exp2(x: Array, interpret: bool) -> Array:
    """2^x; in float32 the one instruction of the hardware, to 2 units in the last place and 0 below 2^-126."""
    if interpret or x.dtype != jnp.float32:
        return jnp.exp2(x)
    return _instruction("ex2.approx.ftz.f32", x)


def fma(a: Array, b: Array, c: Array, interpret: bool) -> Array:
    """a b + c in one instruction: the compiler would not join the two."""
    if interpret:
        return a * b + c
    shape = jnp.broadcast_shapes(a.shape, b.shape, c.shape)
    name = "fma.rn.ftz.f32" if a.dtype == jnp.float32 else "fma.rn.f64"
    return _instruction(name, *(jnp.broadcast_to(x, shape) for x in (a, b, c)))


def _instruction(name: str, *args: Array) -> Array:
    from jax.experimental.pallas import triton  # here, because without a GPU nobody should wait for it

    letter = "f" if args[0].dtype == jnp.float32 else "d"
    operands = ", ".join(f"${i}" for i in range(len(args) + 1))
    (out,) = triton.elementwise_inline_asm(
        f"{name} {operands};",
        args=args,
        constraints=",".join([f"={letter}", *[letter] * len(args)]),
        pack=1,
        result_shape_dtypes=[jax.ShapeDtypeStruct(args[0].shape, args[0].dtype)],
    )
    return out


def thirds(x: Array) -> list[Array]:
    """Three bfloat16 numbers of sum x, by its bits: a compiler may undo a conversion there and back."""

    def leading(x: Array) -> Array:
        bits = (lax.bitcast_convert_type(x, jnp.int32) + jnp.int32(0x8000)) & jnp.int32(-0x10000)
        return lax.bitcast_convert_type(bits, jnp.float32)

    first = leading(x)
    second = leading(x - first)
    return [part.astype(jnp.bfloat16) for part in (first, second, x - first - second)]


def put_away(ref: Any, split: Array, at: tuple[Any, ...], sums: Array, rescale: Array | None) -> None:
    """Adds `sums` to ref[split, 0, *at], which only this program sees; ref[split, 1, *at] has what was lost so far."""
    old, lost = ref[(split, 0, *at)], ref[(split, 1, *at)]
    if rescale is not None:
        old, lost = old * rescale, lost * rescale
    term = sums + lost
    ref[(split, 0, *at)] = now = old + term
    ref[(split, 1, *at)] = term - (now - old)


def shares(n: int, tiles: int, programs: int, multiple: int) -> tuple[int, int]:
    """Into how many shares the keys go so that there are enough programs, and how long one is."""
    splits = max(1, min(-(-programs // tiles), n // SHORTEST))
    share = -(-n // (splits * multiple)) * multiple
    return -(-n // share), share


def turns(share: int, keys: int) -> tuple[int, int]:
    """How often sums over a share of the keys are put away, and how many tiles of `keys` each of them is over."""
    count = -(-share // max(keys, LONGEST))
    return count, -(-share // (keys * count))


def joined(shift: Array, total: Array, sums: Array, log_top: Array, is_bounded: bool) -> Attended:
    """What is asked for, from shifts (s, m), totals (s, m) and sums (s, m, p) of s shares of the keys.

    Shifts are in powers of two, `log_top` is the logarithm of what weights were divided by.
    """
    dtype = log_top.dtype
    if shift.shape[0] == 1:
        best, total, sums = shift[0], total[0], sums[0]
    else:
        shift, total, sums = (x.astype(float) for x in (shift, total, sums))
        best = jnp.max(shift, axis=0)
        if not is_bounded:
            scale = jnp.exp2(shift - best)
            total, sums = total * scale, sums * scale[:, :, None]
        total, sums = jnp.sum(total, axis=0), jnp.sum(sums, axis=0)
    out = normalized(best / LOG2E + log_top, total, sums)
    return Attended(*(x.astype(dtype) for x in out))
