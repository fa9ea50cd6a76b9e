"""Less work for who traces and compiles diffrax's loop; its numbers are the same.

Where it ends: a step that comes within 100 roundings of t1 is the last. diffrax goes to the number before t1 a hundred
times, each time with two dozen operations: a third of what a short solve takes to trace and to compile. Here these
are counted, and taken at once where the result is used.

What is known of it: diffrax traces a step only to see whether its jumps and its result are known before anything runs,
and once or twice more in case one of them depends on the other. A controller that has `unknown` says it without.

What is copied: equinox's loops turn all that they carry into arrays, which copies those that are arrays: one operation
in five of a short solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox.internal as eqxi
import jax.numpy as jnp
from jax import Array, lax

_STEP = "body_fun_aux"  # what diffrax calls the function of a step
_AS_ARRAY = "fixed_asarray"  # what equinox calls the function that copies


def make_lean(loop: Any) -> None:
    """Changes the module of diffrax's loop as said above; what versions that we do not know lack stays as it is."""
    internals, equinox = (getattr(loop, name, None) for name in ("eqxi", "eqx"))
    if hasattr(internals, "prevbefore") and not isinstance(internals, _Internals):
        loop.eqxi = _Internals(internals)
    if hasattr(equinox, "filter_eval_shape") and not isinstance(equinox, _Equinox):
        loop.eqx = _Equinox(equinox)
    loops = getattr(eqxi, "_loop", None)
    for module in (getattr(loops, name, None) for name in ("common", "checkpointed", "bounded")):
        if hasattr(module, _AS_ARRAY):
            setattr(module, _AS_ARRAY, _as_array)


def _as_array(x: Any) -> Array:
    return x if isinstance(x, Array) else jnp.array(x)


def before(x: Array, steps: int) -> Array:
    """The floating point number that lies `steps` before `x`; before 0 comes, as in equinox, the first normal one."""
    tiny = jnp.finfo(x.dtype).tiny
    is_zero = jnp.abs(x) < tiny  # as for processors that know no smaller numbers
    back = steps - is_zero.astype(f"int{8 * x.dtype.itemsize}")
    bits = lax.bitcast_convert_type(jnp.where(is_zero, -tiny, x), back.dtype)
    # positive numbers are ordered as their bits are, negative ones the other way round
    return lax.bitcast_convert_type(jnp.where(bits < 0, bits + back, bits - back), x.dtype)


@dataclass(frozen=True)
class Earlier:
    """The number that lies `steps` before `x`, computed where JAX asks for it."""

    x: Array
    steps: int

    def __jax_array__(self) -> Array:
        return before(self.x, self.steps)


class _Module:
    """A module as diffrax's loop sees it: its own but for what a subclass has."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _Internals(_Module):
    """`equinox.internal`."""

    @staticmethod
    def prevbefore(x: Array | Earlier) -> Earlier:
        return Earlier(x.x, x.steps + 1) if isinstance(x, Earlier) else Earlier(jnp.asarray(x), 1)


class _Equinox(_Module):
    """`equinox`."""

    def filter_eval_shape(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if getattr(function, "__name__", None) == _STEP and type(getattr(args[0], "made_jump", None)) is not bool:
            names, cells = function.__code__.co_freevars, function.__closure__ or ()
            controller = dict(zip(names, cells, strict=True)).get("stepsize_controller")
            unknown = None if controller is None else getattr(controller.cell_contents, "unknown", None)
            if unknown is not None:
                return None, *unknown
        return self._module.filter_eval_shape(function, *args, **kwargs)
