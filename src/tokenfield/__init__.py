"""tokenfield: the mean-field dynamics of transformers.

Tokens are interacting particles on the sphere or in R^d, a prompt is a probability measure, self-attention is the
velocity field, depth is time.

Importing tokenfield switches JAX to float64; arrays of float32 tokens still run in float32. Names are loaded on first
use, so that `import tokenfield` and `tokenfield --help` do not wait for JAX.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if "jax" in sys.modules:
    sys.modules["jax"].config.update("jax_enable_x64", True)
else:
    os.environ["JAX_ENABLE_X64"] = "1"

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tokenfield import events, initial, observables, plot, schedule, sums
    from tokenfield.attention import Attention, Head, Softmax, Unnormalized
    from tokenfield.errors import ConfigError, FileError, InvalidInput, TokenfieldError, Unsupported
    from tokenfield.flow import solve
    from tokenfield.geometry import Euclidean, Geometry, Sphere
    from tokenfield.measure import Measure
    from tokenfield.model import Transformer
    from tokenfield.save import Save
    from tokenfield.trajectory import Result, Trajectory

_HOME = {
    "attention": ("Attention", "Head", "Softmax", "Unnormalized"),
    "errors": ("ConfigError", "FileError", "InvalidInput", "TokenfieldError", "Unsupported"),
    "flow": ("solve",),
    "geometry": ("Euclidean", "Geometry", "Sphere"),
    "measure": ("Measure",),
    "model": ("Transformer",),
    "save": ("Save",),
    "trajectory": ("Result", "Trajectory"),
}
_MODULES = ("events", "initial", "observables", "plot", "schedule", "sums")
_LAZY = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Attention",
    "ConfigError",
    "Euclidean",
    "FileError",
    "Geometry",
    "Head",
    "InvalidInput",
    "Measure",
    "Result",
    "Save",
    "Softmax",
    "Sphere",
    "TokenfieldError",
    "Trajectory",
    "Transformer",
    "Unnormalized",
    "Unsupported",
    "events",
    "initial",
    "observables",
    "plot",
    "schedule",
    "solve",
    "sums",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tokenfield.{name}")
    if name in _LAZY:
        value = getattr(importlib.import_module(f"tokenfield.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'tokenfield' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
