"""From the model's sections of a resolved config to a `Transformer`, by way of the catalog of kinds.

Which class a kind stands for is in `study.kinds`; here it gets its parameters, which have the names of the keys.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.memory import require_numbers
from tokenfield.model import schedule
from tokenfield.model.attention import Attention
from tokenfield.model.gains import GainPerLayer
from tokenfield.model.noise import Noise
from tokenfield.model.normalization import Normalization
from tokenfield.model.parts import Head, Perceptron, Potential
from tokenfield.model.position import ALiBi, Causal, Position, RoPE, Window
from tokenfield.model.sublayer import Part, Sublayer
from tokenfield.model.transformer import Transformer
from tokenfield.study import catalog, toml
from tokenfield.study.builders.block import is_block, multi_head, random_weights, sublayers
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
        normalization=_normalization(config.normalization, t1=config.solve.t1),
        noise=noise,
        average=shared.average and not is_block(config),
        relative=shared.relative,
        rescaled=shared.rescaled,
    )


def _schedule(config: Config) -> schedule.Schedule:
    section, shared, block = config.schedule, config.attention, config.block
    if section.kind == "resampled":
        return _resampled(section, shared, config.geometry.dim)
    if section.kind == "per-layer":
        layers = [_parts(config, layer.heads or (layer,), row=i) for i, layer in enumerate(section.layers)]
        return schedule.PerLayer(layers, t1=config.solve.t1)
    heads = () if shared.kind == "none" else config.heads or (shared,)
    if block is not None and block.layers is not None:
        layers = [_parts(config, heads, row=i, draw=i) for i in range(block.layers)]
        return schedule.PerLayer(layers, t1=config.solve.t1)
    return schedule.Constant(_parts(config, heads))


def _parts(
    config: Config, heads: Sequence[HeadSection], *, row: int | None = None, draw: int | None = None
) -> list[Part]:
    """The parts of one layer: `row` is its row in tables of norms, `draw` tells its random weights from others."""
    perceptron = None if config.perceptron is None else _perceptron(config.perceptron, config.geometry.dim, draw)
    potential = [] if config.potential is None else [_potential(config.potential)]
    if not is_block(config):
        return [*map(_head, heads), *([] if perceptron is None else [perceptron]), *potential]
    if config.block is not None and config.block.heads is not None:
        attention: Any = [multi_head(_attention(head), head, config, draw) for head in heads]
    else:
        attention = [_head(head) for head in heads]
    return [*sublayers(config, attention, perceptron, row), *map(Sublayer, potential)]


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


def _attention(section: HeadSection) -> Attention:
    kind = catalog.find("attention", _known(section.kind))
    return catalog.load(kind)(**_arguments(section, kind))


def _head(section: HeadSection) -> Head:
    return Head(_attention(section), **{name: _as_array(getattr(section, name)) for name in MATRICES})


def _positions(section: PositionSection | None) -> list[Position]:
    if section is None:
        return []
    kinds: list[Position] = [Causal(strict=bool(section.strict))] if section.causal else []
    if section.window is not None:
        kinds.append(Window(section.window))
    if section.alibi is not None:
        kinds.append(ALiBi(_as_array(section.alibi)))
    if section.rope:
        given: dict[str, Any] = {"pairing": _known(section.pairing), "dims": section.dims}
        if section.frequencies is None:
            kinds.append(RoPE(base=_known(section.base), **given))
        else:
            kinds.append(RoPE(_as_array(section.frequencies), **given))
    return kinds


def _normalization(section: NormalizationSection | None, *, t1: float) -> Normalization | None:
    if section is None:
        return None
    kind = catalog.find("normalization", section.kind)
    given = _arguments(section, kind, leave_out=("radius",))
    if np.ndim(given.get("gain", 0.0)) == 2:
        given["gain"] = GainPerLayer(given["gain"], t1=t1)
    return catalog.load(kind)(**given)


def _noise(section: NoiseSection | None) -> Noise | None:
    if section is None:
        return None
    # a density or a Gaussian feels noise on average: without a path there is no seed
    return Noise(_known(section.kappa), seed=0 if section.seed is None else section.seed, common=section.common)


def _perceptron(section: PerceptronSection, d: int, draw: int | None = None) -> Perceptron:
    given = {name: _as_array(getattr(section, name)) for name in ("W", "A", "b", "c", "gate", "gate_bias")}
    if section.width is not None:
        m = section.width
        require_numbers(3 * m * d, f"perceptrons of {m} neurons in R^{d}", advice="take a smaller width")
        key = random_weights(_known(section.seed), draw)
        keys = jax.random.split(key, 3)
        normal = lambda key, *shape: jax.random.normal(key, shape)  # noqa: E731
        given |= {"A": normal(keys[0], m, d) / np.sqrt(d), "b": normal(keys[1], m) / np.sqrt(d)}
        given["W"] = _known(section.scale) * normal(keys[2], d, m) / np.sqrt(m)
        if section.gate:
            of_gate = jax.random.split(jax.random.fold_in(key, 3), 2)
            given |= {"gate": normal(of_gate[0], m, d) / np.sqrt(d), "gate_bias": normal(of_gate[1], m) / np.sqrt(d)}
    return Perceptron(**given, activation=section.activation)


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
