"""Less work for who traces and compiles diffrax's loop: its 100 roundings at once; its numbers are the same.

diffrax ends at t1 when a step ends within 100 roundings of it. It finds that place by going to the number before it 100
times, each time with two dozen operations: a third of what a short solve takes to trace and to compile. Here these
steps are counted, and taken together where the result is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array, lax


def round_at_once() -> None:
    """Lets diffrax's loop count how many numbers it goes back; does nothing with versions that we do not know."""
    try:
        from diffrax import _integrate
    except ImportError:
        return
    internals = getattr(_integrate, "eqxi", None)
    if hasattr(internals, "prevbefore") and not isinstance(internals, _Internals):
        _integrate.eqxi = _Internals(internals)


def before(x: Array, steps: int) -> Array:
    """The floating point number `steps` before `x`; as in equinox, the last negative normal one is before 0."""
    tiny = jnp.finfo(x.dtype).tiny
    is_zero = jnp.abs(x) < tiny  # as for processors that know no smaller numbers
    steps = steps - is_zero.astype(f"int{8 * x.dtype.itemsize}")
    bits = lax.bitcast_convert_type(jnp.where(is_zero, -tiny, x), steps.dtype)
    # positive numbers are ordered as their bits are, negative ones the other way round
    return lax.bitcast_convert_type(jnp.where(bits < 0, bits + steps, bits - steps), x.dtype)


@dataclass(frozen=True)
class Earlier:
    """The number that lies `steps` before `x`, computed where JAX asks for it."""

    x: Array
    steps: int

    def __jax_array__(self) -> Array:
        return before(self.x, self.steps)


class _Internals:
    """`equinox.internal` as diffrax's loop sees it."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    @staticmethod
    def prevbefore(x: Array | Earlier) -> Earlier:
        return Earlier(x.x, x.steps + 1) if isinstance(x, Earlier) else Earlier(jnp.asarray(x), 1)
