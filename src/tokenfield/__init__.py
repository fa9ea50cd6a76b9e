"""tokenfield: the mean-field dynamics of transformers.

Tokens are interacting particles on the sphere or in R^d, a prompt is a probability measure, self-attention is the
velocity field, depth is time.

Importing tokenfield switches JAX to float64, unless the environment variable JAX_ENABLE_X64 says otherwise; tokens
given as float32 still run in float32. Names are loaded on first use, so that `import tokenfield` and `tokenfield
--help` do not wait for JAX.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

# JAX by itself computes in float32, and rounds the factors of float32 products on a GPU to 10 bits. The switches are
# global: docs/install.md says why, and how to leave them alone. Whoever has set one of them is not overruled.
if (_jax := sys.modules.get("jax")) is None:
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")
else:
    if "JAX_ENABLE_X64" not in os.environ:
        _jax.config.update("jax_enable_x64", True)
    if _jax.config.jax_default_matmul_precision is None:
        _jax.config.update("jax_default_matmul_precision", "highest")

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tokenfield import (
        control,
        ensemble,
        initial,
        laws,
        layers,
        observables,
        plot,
        pretrained,
        sums,
        theory,
        transport,
    )
    from tokenfield._runtime.workers import prepare_worker
    from tokenfield.ensemble.comparison import Comparison, compare
    from tokenfield.errors import (
        ConfigError,
        FileError,
        InvalidInput,
        TokenfieldError,
        TooLarge,
        Unfinished,
        Unsupported,
    )
    from tokenfield.geometry import Euclidean, Geometry, Sphere
    from tokenfield.laws.density import Density
    from tokenfield.laws.gaussian import Gaussian
    from tokenfield.measure import Measure
    from tokenfield.model import normalization, position, schedule
    from tokenfield.model.attention import Attention
    from tokenfield.model.exponential import L2, Softmax, Unnormalized
    from tokenfield.model.hardmax import Hardmax, Krause
    from tokenfield.model.multihead import MultiHead
    from tokenfield.model.noise import Noise
    from tokenfield.model.normalization import NGPT, DepthScaled, MixLN, PeriLN, PostLN, PreLN
    from tokenfield.model.norms import LayerNorm, RMSNorm
    from tokenfield.model.parts import Head, Perceptron, Potential
    from tokenfield.model.position import ALiBi, Causal, RoPE, Window
    from tokenfield.model.riesz import Riesz
    from tokenfield.model.sigmoid import Linear, Sigmoid
    from tokenfield.model.sinkhorn import Sinkhorn
    from tokenfield.model.sublayer import Sublayer
    from tokenfield.model.transformer import Transformer
    from tokenfield.pretrained.prompt import Prompt
    from tokenfield.solver import events
    from tokenfield.solver.options import Adaptive, Clock, FixedStep, Layers, Merge
    from tokenfield.solver.plan import Plan, explain
    from tokenfield.solver.result import Outcome, Result
    from tokenfield.solver.save import Save
    from tokenfield.solver.solve import solve
    from tokenfield.solver.trajectory import Trajectory
    from tokenfield.study.store.run import load
    from tokenfield.study.sweep.running import sweep
    from tokenfield.theory.predict import Predictions, predict

_HOME = {
    "_runtime.workers": ("prepare_worker",),
    "ensemble.comparison": ("Comparison", "compare"),
    "errors": ("ConfigError", "FileError", "InvalidInput", "TokenfieldError", "TooLarge", "Unfinished", "Unsupported"),
    "geometry": ("Euclidean", "Geometry", "Sphere"),
    "laws.density": ("Density",),
    "laws.gaussian": ("Gaussian",),
    "measure": ("Measure",),
    "model.attention": ("Attention",),
    "model.exponential": ("L2", "Softmax", "Unnormalized"),
    "model.hardmax": ("Hardmax", "Krause"),
    "model.sigmoid": ("Linear", "Sigmoid"),
    "model.multihead": ("MultiHead",),
    "model.noise": ("Noise",),
    "model.normalization": ("DepthScaled", "MixLN", "NGPT", "PeriLN", "PostLN", "PreLN"),
    "model.norms": ("LayerNorm", "RMSNorm"),
    "model.parts": ("Head", "Perceptron", "Potential"),
    "model.position": ("ALiBi", "Causal", "RoPE", "Window"),
    "model.riesz": ("Riesz",),
    "model.sinkhorn": ("Sinkhorn",),
    "model.sublayer": ("Sublayer",),
    "model.transformer": ("Transformer",),
    "pretrained.prompt": ("Prompt",),
    "solver.plan": ("Plan", "explain"),
    "solver.save": ("Save",),
    "solver.solve": ("solve",),
    "solver.options": ("Adaptive", "Clock", "FixedStep", "Layers", "Merge"),
    "solver.result": ("Outcome", "Result"),
    "solver.trajectory": ("Trajectory",),
    "study.store.run": ("load",),
    "study.sweep.running": ("sweep",),
    "theory.predict": ("Predictions", "predict"),
}
_MODULES = {
    "control": "control",
    "ensemble": "ensemble",
    "events": "solver.events",
    "initial": "initial",
    "laws": "laws",
    "layers": "layers",
    "normalization": "model.normalization",
    "observables": "observables",
    "plot": "plot",
    "position": "model.position",
    "pretrained": "pretrained",
    "schedule": "model.schedule",
    "sums": "sums",
    "theory": "theory",
    "transport": "transport",
}
_LAZY = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "L2",
    "NGPT",
    "ALiBi",
    "Adaptive",
    "Attention",
    "Causal",
    "Clock",
    "Comparison",
    "ConfigError",
    "Density",
    "DepthScaled",
    "Euclidean",
    "FileError",
    "FixedStep",
    "Gaussian",
    "Geometry",
    "Hardmax",
    "Head",
    "InvalidInput",
    "Krause",
    "LayerNorm",
    "Layers",
    "Linear",
    "Measure",
    "Merge",
    "MixLN",
    "MultiHead",
    "Noise",
    "Outcome",
    "Perceptron",
    "PeriLN",
    "Plan",
    "PostLN",
    "Potential",
    "PreLN",
    "Predictions",
    "Prompt",
    "RMSNorm",
    "Result",
    "Riesz",
    "RoPE",
    "Save",
    "Sigmoid",
    "Sinkhorn",
    "Softmax",
    "Sphere",
    "Sublayer",
    "TokenfieldError",
    "TooLarge",
    "Trajectory",
    "Transformer",
    "Unfinished",
    "Unnormalized",
    "Unsupported",
    "Window",
    "compare",
    "control",
    "ensemble",
    "events",
    "explain",
    "initial",
    "laws",
    "layers",
    "load",
    "normalization",
    "observables",
    "plot",
    "position",
    "predict",
    "prepare_worker",
    "pretrained",
    "schedule",
    "solve",
    "sums",
    "sweep",
    "theory",
    "transport",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tokenfield.{_MODULES[name]}")
    if name in _LAZY:
        value = getattr(importlib.import_module(f"tokenfield.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'tokenfield' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
