"""From the model's sections of a resolved config to a `Transformer`, by way of the catalog of kinds.

Which class a kind stands for is in `study.kinds`; here it gets its parameters, which have the names of the keys.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.memory import require_numbers
from tokenfield.model import schedule
from tokenfield.model.noise import Noise
from tokenfield.model.normalization import Normalization
from tokenfield.model.parts import Head, Perceptron, Potential, TokenWise
from tokenfield.model.position import ALiBi, Causal, Position, RoPE, Window
from tokenfield.model.sublayer import Part
from tokenfield.model.transformer import Transformer
from tokenfield.study import catalog, toml
from tokenfield.study.catalog import Kind
from tokenfield.study.sections import (
    MATRICES,
    HeadSection,
    NoiseSection,
    NormalizationSection,
    PerceptronSection,
    PositionSection,
    PotentialSection,
    ScheduleSection,
)

if TYPE_CHECKING:
    from tokenfield.study.config import Config

_MATRIX_LAWS: dict[str, schedule.MatrixLaw | None] = {
    "identity": None,
    "ginibre": schedule.ginibre,
    "ginibre-product": schedule.ginibre_product,
    "wigner": schedule.wigner,
    "gram": schedule.gram,
}


def build_model(config: Config) -> Transformer:
    """The model of `config`; raises a `TokenfieldError` where it makes no sense."""
    return _assemble(config, _noise(config.noise))


def build_family(config: Config) -> Callable[[Array, Noise | None], Transformer]:
    """The function (beta, noise) -> model that an `Ensemble` asks for: `config` with these instead of its own."""

    def model(beta: Array, noise: Noise | None) -> Transformer:
        # beta is traced, so no number: this one section is never written to a file
        attention = dataclasses.replace(config.attention, beta=beta)  # type: ignore[arg-type]
        return _assemble(dataclasses.replace(config, attention=attention), noise)

    return model


def _assemble(config: Config, noise: Noise | None) -> Transformer:
    shared = config.attention
    return Transformer(
        catalog.load(catalog.find("geometry", config.geometry.kind))(config.geometry.dim),
        _schedule(config),
        position=_positions(config.position),
        normalization=_normalization(config.normalization),
        noise=noise,
        average=shared.average,
        relative=shared.relative,
        rescaled=shared.rescaled,
    )


def _schedule(config: Config) -> schedule.Schedule:
    section, shared, parts = config.schedule, config.attention, _token_wise(config)
    if section.kind == "resampled":
        return _resampled(section, shared, config.geometry.dim)
    if section.kind == "per-layer":
        layers: list[list[Part]] = [
            [*(_head(head) for head in layer.heads or (layer,)), *parts] for layer in section.layers
        ]
        return schedule.PerLayer(layers, t1=config.solve.t1)
    heads = [] if shared.kind == "none" else [_head(head) for head in config.heads or (shared,)]
    return schedule.Constant([*heads, *parts])


def _resampled(section: ScheduleSection, shared: HeadSection, d: int) -> schedule.Resampled:
    kind = catalog.find("schedule", section.kind)
    given = {p.name: p.default if (value := getattr(section, p.name)) is None else value for p in kind.parameters}
    given |= {name: _MATRIX_LAWS[given[name]] for name in ("logits", "values")}
    return schedule.Resampled(_head(shared).attention, d, seed=given.pop("seed"), **given)


def _arguments(section: Any, kind: Kind, *, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """The parameters of the kind that the section has, as its class takes them."""
    given = {p.name: toml.value_of(section, p.name) for p in kind.parameters if p.name not in leave_out}
    return {name: _as_array(value) for name, value in given.items() if value is not None}


def _known(value: Any) -> Any:
    """A value that the user gave or `resolve` wrote out."""
    assert value is not None, "only resolved configs are built"
    return value


def _as_array(value: Any) -> Any:
    return np.array(value) if isinstance(value, tuple) else value


def _head(section: HeadSection) -> Head:
    kind = catalog.find("attention", _known(section.kind))
    attention = catalog.load(kind)(**_arguments(section, kind))
    return Head(attention, **{name: _as_array(getattr(section, name)) for name in MATRICES})


def _positions(section: PositionSection | None) -> list[Position]:
    if section is None:
        return []
    kinds: list[Position] = [Causal(strict=bool(section.strict))] if section.causal else []
    if section.window is not None:
        kinds.append(Window(section.window))
    if section.alibi is not None:
        kinds.append(ALiBi(_as_array(section.alibi)))
    if section.rope:
        given = section.frequencies
        kinds.append(RoPE(base=_known(section.base)) if given is None else RoPE(_as_array(given)))
    return kinds


def _normalization(section: NormalizationSection | None) -> Normalization | None:
    if section is None:
        return None
    kind = catalog.find("normalization", section.kind)
    return catalog.load(kind)(**_arguments(section, kind, leave_out=("radius",)))


def _noise(section: NoiseSection | None) -> Noise | None:
    if section is None:
        return None
    # a density or a Gaussian feels noise on average: without a path there is no seed
    return Noise(_known(section.kappa), seed=0 if section.seed is None else section.seed, common=section.common)


def _token_wise(config: Config) -> list[TokenWise]:
    parts: list[TokenWise] = []
    if config.perceptron is not None:
        parts.append(_perceptron(config.perceptron, config.geometry.dim))
    if config.potential is not None:
        parts.append(_potential(config.potential))
    return parts


def _perceptron(section: PerceptronSection, d: int) -> Perceptron:
    W, A, b = (_as_array(matrix) for matrix in (section.W, section.A, section.b))
    if section.width is not None:
        m = section.width
        require_numbers(2 * m * d, f"perceptrons of {m} neurons in R^{d}", advice="take a smaller width")
        keys = jax.random.split(jax.random.key(_known(section.seed)), 3)
        A, b = (jax.random.normal(key, shape) / np.sqrt(d) for key, shape in zip(keys[:2], ((m, d), (m,)), strict=True))
        W = _known(section.scale) * jax.random.normal(keys[2], (d, m)) / np.sqrt(m)
    return Perceptron(W, A, b, activation=section.activation)


@dataclass(frozen=True)
class _Quadratic:
    """sum_k c_k x_k^2 / 2, compared and hashed by its numbers so that equal potentials share compiled code."""

    strength: float | tuple[float, ...]

    def __call__(self, x: Array) -> Array:
        return jnp.sum(jnp.asarray(self.strength, x.dtype) * x * x) / 2


@dataclass(frozen=True)
class _Linear:
    """<a, x>."""

    direction: tuple[float, ...]

    def __call__(self, x: Array) -> Array:
        return jnp.asarray(self.direction, x.dtype) @ x


def _potential(section: PotentialSection) -> Potential:
    if section.kind == "linear":
        return Potential(_Linear(_known(section.direction)))
    return Potential(_Quadratic(_known(section.strength)))
