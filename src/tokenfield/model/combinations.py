"""Which parts of a model go together: what is refused, and why. The catalog lists the same reasons for users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean, Geometry, Sphere
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.noise import Noise
from tokenfield.model.normalization import Normalization
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant, PerLayer
from tokenfield.model.sublayer import Part, Sublayer

if TYPE_CHECKING:
    from tokenfield.model.transformer import Transformer

COMMUTE = 1e-10  # of the product of their sizes: rounding
TINY = 1e-300


def check_combination(model: Transformer) -> None:
    """Raises `InvalidInput` or `Unsupported`, with the reason, unless the parts of `model` go together."""
    shapes, d = model.schedule.shapes(), model.geometry.d
    for part in shapes:
        part.check_dimension(d)
    heads = [part for part in shapes if isinstance(part, Head)]
    sublayers = [part for part in shapes if isinstance(part, Sublayer)]
    if sublayers:
        _check_sublayers(model, sublayers)
    if model.memory is not None:
        _check_memory(model, sublayers)
    own = [part for part in sublayers if not part.crosses]
    groups = [tuple(head.d_k or d for head in heads)] + [tuple(d_k or d for _, d_k in part.heads) for part in own]
    for kind in model.position:
        for d_ks in filter(None, groups):
            kind.check(len(d_ks), d_ks)
    if model.position and not any(groups):
        raise Unsupported("positions only matter to attention: this model has no head")
    if model.normalization is not None:
        _check_normalization(model.normalization, model.geometry)
    if model.noise is not None:
        _check_noise(model.noise, model.normalization)
    for head in heads:
        if model.relative and not head.attention.has_mass:
            name = head.attention.title
            raise Unsupported(f"relative=True needs weights with a total: {name} attention has weights of either sign")
    if model.rescaled:
        _check_rescaled(model, shapes)


def _check_sublayers(model: Transformer, sublayers: Sequence[Sublayer]) -> None:
    if model.normalization is not None:
        raise Unsupported("sublayers have norms of their own: give these instead of a normalization of the whole model")
    if model.rescaled or model.relative or model.average:
        raise Unsupported("rescaled, relative and average are for bare heads: a Sublayer has an `average` of its own")
    if isinstance(model.geometry, Sphere) and any(part.after is not None for part in sublayers):
        raise Unsupported("the sphere normalizes the sum by itself: a norm `after` a sublayer is for Euclidean(d)")


def _check_memory(model: Transformer, sublayers: Sequence[Sublayer]) -> None:
    if not isinstance(model.memory, Measure):
        raise InvalidInput(f"the memory must be a Measure, got {type(model.memory).__name__}")
    if not any(part.crosses for part in sublayers):
        raise Unsupported("nothing looks at the memory of this model: give a Sublayer(..., crosses=True)")
    if model.memory.d != model.geometry.d:
        raise InvalidInput(f"the memory must be a measure in R^{model.geometry.d}, got one in R^{model.memory.d}")


def _check_rescaled(model: Transformer, shapes: Sequence[Part]) -> None:
    if model.normalization is not None or not isinstance(model.geometry, Euclidean):
        raise Unsupported("the rescaled frame z = e^{-tV} x is for R^d: normalized tokens cannot grow like e^{tV}")
    if model.noise is not None:
        raise Unsupported("the rescaled frame z = e^{-tV} x has no noise: sqrt(2/kappa) dW in x decays in z")
    if model.relative:
        raise Unsupported("the rescaled frame already moves tokens by V (z_j - z_i): leave out relative=True")
    heads = [part for part in shapes if isinstance(part, Head)]
    if len(heads) < len(shapes) or not heads or not isinstance(model.schedule, (Constant, PerLayer)):
        raise Unsupported("the rescaled frame z = e^{-tV} x needs heads alone, whose V do not change with depth")
    if not all(head.attention.is_average for head in heads):
        raise Unsupported("the rescaled frame needs attention weights that sum to one: others grow like e^{tV} too")
    _check_one_growth(model)


def _check_one_growth(model: Transformer) -> None:
    """That e^{tV} is one matrix function: V the same in all layers, and the V of several heads commute."""
    d = model.geometry.d
    if isinstance(model.schedule, PerLayer):
        layers = [head.value_matrix for head in model.schedule.layers if isinstance(head, Head)]
        known = [np.asarray(V) for V in layers if V is not None and is_concrete(V)]
        if any(np.any(V[0] != V) for V in known):
            raise Unsupported("the rescaled frame z = e^{-tV} x needs heads alone, whose V do not change with depth")
    values: list[Any] = [head.value_matrix for head in model.heads(0.0)]
    values = [np.eye(d) if V is None else V for V in values]
    if len(values) > 1 and all(map(is_concrete, values)):
        total = sum(np.asarray(V) for V in values)
        for V in map(np.asarray, values):
            if np.abs(V @ total - total @ V).max() > COMMUTE * np.abs(V).max() * max(np.abs(total).max(), TINY):
                raise Unsupported("the rescaled frame of several heads needs matrices V that commute with their sum")


def _check_normalization(normalization: Normalization, geometry: Geometry) -> None:
    if not isinstance(normalization, Normalization):
        raise InvalidInput(f"a normalization must be PostLN(), PreLN() or another scheme, got {normalization!r}")
    if not isinstance(geometry, Sphere):
        name = type(normalization).__name__
        raise Unsupported(f"{name} moves directions: use it with Sphere(d); tokens in R^d have no normalization")
    normalization.check_dimension(geometry.d)


def _check_noise(noise: Noise, normalization: Normalization | None) -> None:
    if not isinstance(noise, Noise):
        raise InvalidInput(f"noise must be Noise(kappa, seed=...), got {noise!r}")
    if normalization is not None and normalization.has_radius:
        name = type(normalization).__name__
        raise Unsupported(f"noise moves directions at a fixed rate, but with {name} they slow down as radii grow")
