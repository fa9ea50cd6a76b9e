"""Objects as a user would write them: one readable line for models and their parts."""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import numpy as np

from tokenfield.measure import is_concrete


def as_written(module: eqx.Module) -> str:
    """The constructor call that makes `module`, without arguments at their defaults and with shapes for arrays.

    >>> from tokenfield import Softmax
    >>> as_written(Softmax(9.0))
    'Softmax(beta=9)'
    """
    parts = []
    for field in dataclasses.fields(module):
        value = getattr(module, field.name, None)
        if not (value is None or _is_default(value, field.default)):
            parts.append(f"{field.name}={value_in_words(value)}")
    return f"{type(module).__name__}({', '.join(parts)})"


def value_in_words(value: Any) -> str:
    """A number as itself, an array as its shape, anything else as its repr."""
    if not hasattr(value, "shape"):
        return f"{value:g}" if isinstance(value, float) else getattr(value, "__name__", None) or repr(value)
    if value.shape != ():
        return "x".join(map(str, value.shape)) + (" matrix" if len(value.shape) == 2 else " array")
    if isinstance(value, jax.ShapeDtypeStruct):  # of one layer of many, which have numbers of their own
        return "..."
    return f"{float(value):g}" if is_concrete(value) else "traced"


def _is_default(value: Any, default: Any) -> bool:
    if default is dataclasses.MISSING or isinstance(value, (str, bool)) != isinstance(default, (str, bool)):
        return False
    try:
        return is_concrete(value) and np.ndim(value) == 0 and bool(value == default)
    except (TypeError, ValueError):
        return False
