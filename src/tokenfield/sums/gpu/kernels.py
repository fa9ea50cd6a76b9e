"""Direct sums of exponentials on a CUDA GPU: one pass over the keys in a kernel, no matrix in memory.

In the fewest dimensions, and in float64 up to `NARROW`, a thread holds some queries and meets every key: products, one
exponential and the sums stay in its registers (`narrow`). From dimension `PACKED` on, float32 products go through the
tensor cores, each as one product of bfloat16 numbers (`packed`). Above the dimensions `FULL`, up to `WIDE`, products go
through the tensor cores in the precision that is asked for (`wide`, `rounding`). In full precision partial sums are
short, so that their rounding does not grow with n. All other sums are left to `tiled`. Kernels are written in Pallas,
for Triton and in one case for Mosaic; `interpret=True` runs those for Triton anywhere.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import rounding, tiled
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended
from tokenfield.sums.gpu.shares import LOG2E
from tokenfield.sums.rounding import Precision

NARROW = 8  # most dimensions of keys and of values that fit in the registers of a thread
PACKED = 4  # fewest dimensions in which tensor cores are as fast as registers in float32, measured on an H200
FULL: dict[Precision, int] = {"float32": 20, "tf32": 20, "bf16": 8}  # most in which float32 sums have all 24 bits
WIDE = 128  # most dimensions of which a tile fits in shared memory
LIMIT = {jnp.dtype("float32"): 60.0, jnp.dtype("float64"): 500.0}  # |logits| that need no shift, in powers of two


@cache
def is_available() -> bool:
    """Whether the default device is a CUDA GPU."""
    return jax.default_backend() == "gpu" and "cuda" in jax.devices()[0].client.platform_version.lower()


def attend(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    band: Band | None = None,
    *,
    interpret: bool = False,
) -> Attended:
    """As `dense.attend`, in kernels on the GPU.

    Above the dimensions `FULL`, numbers in float32 are multiplied in the `current_precision`. Where tensor cores
    multiply in float32, each number is three bfloat16 numbers, whose six largest products give 24 bits. Weights below
    1e-38 times the largest count as 0.
    Derivatives are those of `tiled.attend`. Sums with a band, above dimension `WIDE`, and in float64 above `NARROW`
    are done by `tiled`.
    """
    dtype = jnp.result_type(queries, keys, values, weights)
    width = max(keys.shape[1], values.shape[1])
    if band is not None or width > (WIDE if dtype == jnp.float32 else NARROW) or dtype not in LIMIT:
        return tiled.attend(queries, keys, values, weights, band)
    arrays = (array.astype(dtype) for array in (queries, keys, values, weights))
    return _attend(*arrays, rounding.current_precision(), interpret)


@partial(jax.custom_jvp, nondiff_argnums=(4, 5))
def _attend(
    queries: Array, keys: Array, values: Array, weights: Array, precision: Precision, interpret: bool
) -> Attended:
    from tokenfield.sums.gpu import narrow, packed, wide  # here, because without a GPU nobody should wait for Pallas

    # weights relative to the largest; |<q, k>| <= bound, in powers of two
    top = jnp.max(weights)
    top = jnp.where(top > 0, top, 1)
    queries, weights = queries * jnp.asarray(LOG2E, queries.dtype), weights / top
    bound = jnp.sqrt(jnp.max(_squares(queries)) * jnp.max(_squares(keys)))
    width = max(keys.shape[1], values.shape[1])
    if queries.dtype == jnp.float32 and PACKED <= width <= FULL[precision]:
        run = partial(packed.attend, interpret=interpret)
    elif width <= NARROW:
        run = partial(narrow.attend, interpret=interpret)
    else:
        run = partial(wide.attend, precision=precision, interpret=interpret)
    # a bound far from overflow spends nothing on the largest logit: no shift is needed at all
    return lax.cond(
        bound <= LIMIT[queries.dtype],
        partial(run, is_bounded=True),
        partial(run, is_bounded=False),
        queries,
        keys,
        values,
        weights,
        jnp.log(top),
    )


@_attend.defjvp
def _attend_jvp(precision: Precision, interpret: bool, primals: Any, tangents: Any) -> tuple[Attended, Attended]:
    with rounding.precision(precision):  # derivatives may be taken after the context of the sum has closed
        tangent = jax.jvp(tiled.attend, primals, tangents)[1]
    return _attend(*primals, precision, interpret), tangent


def _squares(x: Array) -> Array:
    return jnp.sum(x * x, axis=1)
