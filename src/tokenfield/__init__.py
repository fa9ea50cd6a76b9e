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

# float64, and float32 products that are float32 also on a GPU, where JAX would round their factors to 10 bits
if "jax" in sys.modules:
    sys.modules["jax"].config.update("jax_enable_x64", True)
    sys.modules["jax"].config.update("jax_default_matmul_precision", "highest")
else:
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tokenfield import (
        ensemble,
        events,
        initial,
        meanfield,
        normalization,
        observables,
        plot,
        position,
        schedule,
        sums,
        theory,
        transport,
    )
    from tokenfield.attention import L2, Attention, Hardmax, Krause, Linear, Sigmoid, Softmax, Unnormalized
    from tokenfield.errors import ConfigError, FileError, InvalidInput, TokenfieldError, Unsupported
    from tokenfield.explanation import explain
    from tokenfield.flow import solve
    from tokenfield.geometry import Euclidean, Geometry, Sphere
    from tokenfield.meanfield.compare import Comparison, compare
    from tokenfield.measure import Measure
    from tokenfield.model import Transformer
    from tokenfield.noise import Noise
    from tokenfield.normalization import NGPT, DepthScaled, MixLN, PeriLN, PostLN, PreLN
    from tokenfield.parts import Head, Perceptron, Potential
    from tokenfield.position import ALiBi, Causal, RoPE, Window
    from tokenfield.save import Save
    from tokenfield.sinkhorn import Sinkhorn
    from tokenfield.trajectory import Result, Trajectory

_HOME = {
    "attention": ("Attention", "Hardmax", "Krause", "L2", "Linear", "Sigmoid", "Softmax", "Unnormalized"),
    "errors": ("ConfigError", "FileError", "InvalidInput", "TokenfieldError", "Unsupported"),
    "explanation": ("explain",),
    "flow": ("solve",),
    "geometry": ("Euclidean", "Geometry", "Sphere"),
    "meanfield.compare": ("Comparison", "compare"),
    "measure": ("Measure",),
    "model": ("Transformer",),
    "noise": ("Noise",),
    "normalization": ("DepthScaled", "MixLN", "NGPT", "PeriLN", "PostLN", "PreLN"),
    "parts": ("Head", "Perceptron", "Potential"),
    "position": ("ALiBi", "Causal", "RoPE", "Window"),
    "save": ("Save",),
    "sinkhorn": ("Sinkhorn",),
    "trajectory": ("Result", "Trajectory"),
}
_MODULES = (
    "ensemble",
    "events",
    "initial",
    "meanfield",
    "normalization",
    "observables",
    "plot",
    "position",
    "schedule",
    "sums",
    "theory",
    "transport",
)
_LAZY = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "L2",
    "NGPT",
    "ALiBi",
    "Attention",
    "Causal",
    "Comparison",
    "ConfigError",
    "DepthScaled",
    "Euclidean",
    "FileError",
    "Geometry",
    "Hardmax",
    "Head",
    "InvalidInput",
    "Krause",
    "Linear",
    "Measure",
    "MixLN",
    "Noise",
    "Perceptron",
    "PeriLN",
    "PostLN",
    "Potential",
    "PreLN",
    "Result",
    "RoPE",
    "Save",
    "Sigmoid",
    "Sinkhorn",
    "Softmax",
    "Sphere",
    "TokenfieldError",
    "Trajectory",
    "Transformer",
    "Unnormalized",
    "Unsupported",
    "Window",
    "compare",
    "ensemble",
    "events",
    "explain",
    "initial",
    "meanfield",
    "normalization",
    "observables",
    "plot",
    "position",
    "schedule",
    "solve",
    "sums",
    "theory",
    "transport",
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
