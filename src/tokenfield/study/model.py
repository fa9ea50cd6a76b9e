"""From the model's sections of a `Config` to a `Transformer`, by way of the catalog of kinds.

`resolve_model` checks that every key has an effect and writes out defaults; `build_model` makes the objects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import ConfigError
from tokenfield.model import schedule
from tokenfield.model.noise import Noise
from tokenfield.model.normalization import Normalization
from tokenfield.model.parts import Head, Part, Perceptron, Potential, TokenWise
from tokenfield.model.position import ALiBi, Causal, Position, RoPE, Window
from tokenfield.model.transformer import Transformer
from tokenfield.study import catalog, toml
from tokenfield.study.catalog import Kind
from tokenfield.study.sections import (
    AttentionSection,
    HeadSection,
    LayerSection,
    NoiseSection,
    NormalizationSection,
    PerceptronSection,
    PositionSection,
    PotentialSection,
    ScheduleSection,
)

if TYPE_CHECKING:
    from tokenfield.study.config import Config

DEFAULT_ATTENTION = "softmax"
DEFAULT_SEED = 0

_MATRIX_LAWS: dict[str, schedule.MatrixLaw | None] = {
    "identity": None,
    "ginibre": schedule.ginibre,
    "ginibre-product": schedule.ginibre_product,
    "wigner": schedule.wigner,
    "gram": schedule.gram,
}
_MATRICES = ("Q", "K", "V", "O")
_OF_A_KIND = tuple(name for name in toml.keys_of(HeadSection) if name != "kind" and name not in _MATRICES)
_OF_RESAMPLED = tuple(name for name in toml.keys_of(ScheduleSection) if name not in ("kind", "layers"))

Section = TypeVar("Section")


# --- defaults and what has no effect ------------------------------------------------------------------------------


def resolve_model(config: Config, *, seed: int = DEFAULT_SEED) -> Config:
    """`config` with the defaults of the model written out; `seed` is for what is random and has no seed of its own.

    Raises `ConfigError` for keys without effect, kinds that miss a parameter, and what only configs cannot combine.
    """
    _check_schedule(config.schedule)
    _check_parts(config)
    _check_shared_keys(config)
    attention, heads, weights = config.attention, config.heads, config.schedule
    if weights.kind == "resampled" and weights.seed is None:
        weights = dataclasses.replace(weights, seed=seed)
    if attention.kind == "none":
        pass
    elif heads:
        heads = tuple(_inherit(head, attention, "heads") for head in heads)
        attention = _without_kind(attention)
    elif weights.kind == "per-layer":
        layers = tuple(_inherit_layer(layer, attention) for layer in weights.layers)
        weights, attention = dataclasses.replace(weights, layers=layers), _without_kind(attention)
    else:
        attention = _inherit(attention, attention, "attention")
    return dataclasses.replace(
        config,
        attention=attention,
        heads=heads,
        schedule=weights,
        position=_resolve_position(config.position),
        normalization=_resolve_kind(config.normalization, "normalization"),
        perceptron=_resolve_perceptron(config.perceptron, seed),
        potential=_resolve_kind(config.potential, "potential"),
        noise=_resolve_noise(config.noise, seed),
    )


def _check_schedule(section: ScheduleSection) -> None:
    used: dict[str, tuple[str, ...]] = {"per-layer": ("layers",), "resampled": _OF_RESAMPLED}
    for kind, keys in used.items():
        for name in keys:
            if section.kind != kind and getattr(section, name) not in (None, ()):
                raise ConfigError(f"schedule.{name} needs schedule.kind = '{kind}', got '{section.kind}'")
    if section.kind == "resampled" and section.period is None:
        raise ConfigError("a resampled schedule needs schedule.period, the time between two draws")
    if section.kind == "per-layer" and not section.layers:
        raise ConfigError("a per-layer schedule needs its layers, each written as [[schedule.layers]]")
    for layer in section.layers:
        if layer.heads and any(getattr(layer, name) is not None for name in toml.keys_of(HeadSection)):
            raise ConfigError("a layer in [[schedule.layers]] is one head or has 'heads', not both")


def _check_parts(config: Config) -> None:
    """Refuses what makes no sense and what the library has no words for, because only a config can ask for it."""
    shared, kind = config.attention, f"schedule:{config.schedule.kind}"
    parts = [section for section in (config.perceptron, config.potential) if section is not None]
    if shared.kind != "none":
        if config.schedule.kind == "resampled" and parts:
            raise ConfigError(_why(kind, "perceptron:relu"))
        return
    if config.heads:
        raise ConfigError("[[heads]] have no effect with attention.kind = 'none'")
    if config.schedule.kind != "constant":
        raise ConfigError(_why("attention:none", kind))
    if shared.relative:
        raise ConfigError(_why("attention:none", "frame:relative"))
    if not parts:
        raise ConfigError("a model without attention needs a [perceptron] or a [potential]")
    for name in (*_OF_A_KIND, *_MATRICES, "average"):
        if getattr(shared, name) not in (None, False):
            raise ConfigError(f"attention.{name} has no effect: a model without attention has no {name}")


def _why(first: str, second: str) -> str:
    return catalog.reason(first, second) or f"{first} and {second} do not go together"


def _check_shared_keys(config: Config) -> None:
    section, shared = config.schedule, config.attention
    if config.heads and section.kind != "constant":
        raise ConfigError(f"[[heads]] have no effect with schedule.kind = '{section.kind}'")
    if section.kind == "constant" and not config.heads:
        return
    for name in _MATRICES:
        if getattr(shared, name) is not None:
            raise ConfigError(f"attention.{name} has no effect: here the matrices come from the heads or the schedule")
    heads = config.heads or tuple(head for layer in section.layers for head in layer.heads or (layer,))
    if not heads:
        return
    kinds = [_attention_kind(head, shared) for head in heads]
    for name in ("kind", *_OF_A_KIND):
        if getattr(shared, name) is None:
            continue
        takers = [head for head, kind in zip(heads, kinds, strict=True) if name == "kind" or kind.has(name)]
        if not takers:
            raise ConfigError(f"attention.{name} has no effect: no head is of a kind that has {name}")
        if all(getattr(head, name) is not None for head in takers):
            raise ConfigError(f"attention.{name} has no effect: every head has its own")


def _attention_kind(head: HeadSection, shared: HeadSection) -> Kind:
    return catalog.find("attention", head.kind or shared.kind or DEFAULT_ATTENTION)


def _without_kind(shared: AttentionSection) -> AttentionSection:
    nothing: dict[str, Any] = dict.fromkeys(_OF_A_KIND)
    return dataclasses.replace(shared, kind=None, **nothing)


def _inherit_layer(layer: LayerSection, shared: AttentionSection) -> LayerSection:
    if not layer.heads:
        return _inherit(layer, shared, "schedule.layers")
    return dataclasses.replace(
        layer, heads=tuple(_inherit(head, shared, "schedule.layers.heads") for head in layer.heads)
    )


def _inherit(head: Any, shared: HeadSection, where: str) -> Any:
    """The head with its kind and the parameters of that kind taken from `shared`, or else the defaults."""
    kind = _attention_kind(head, shared)
    _check_kind(head, kind, _OF_A_KIND, where)
    own = {p.name: _first(getattr(head, p.name), getattr(shared, p.name), p.default) for p in kind.parameters}
    return dataclasses.replace(head, kind=kind.name, **own)


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _check_kind(section: Any, kind: Kind, keys: Sequence[str], where: str) -> None:
    """Raises `ConfigError` for keys that are given but that the kind does not have, and for those that it needs."""
    for name in keys:
        if getattr(section, name) is not None and not kind.has(name):
            has = ", ".join(p.name for p in kind.parameters) or "no parameters"
            raise ConfigError(f"{where}.{name} has no effect: {kind.name} has no {name}; it has {has}")
    for p in kind.parameters:
        if p.is_required and getattr(section, p.name) is None:
            raise ConfigError(f"{kind.name} needs {where}.{p.name}: {p.meaning}")


def _resolve_kind(section: Section | None, category: str) -> Section | None:
    """A section whose `kind` is one of the catalog's, with the parameters of that kind."""
    if section is None:
        return None
    kind = catalog.find(category, section.kind)  # type: ignore[attr-defined]
    keys = [name for name in toml.keys_of(type(section)) if name != "kind"]
    _check_kind(section, kind, keys, category)
    own = {p.name: _first(getattr(section, p.name), p.default) for p in kind.parameters}
    return dataclasses.replace(section, **own)  # type: ignore[type-var]


def _resolve_position(section: PositionSection | None) -> PositionSection | None:
    if section is None:
        return None
    if section.strict is not None and not section.causal:
        raise ConfigError("position.strict has no effect: it needs position.causal = true")
    for name in ("base", "frequencies"):
        if getattr(section, name) is not None and not section.rope:
            raise ConfigError(f"position.{name} has no effect: it needs position.rope = true")
    if section.base is not None and section.frequencies is not None:
        raise ConfigError("position.base has no effect: the frequencies are given")
    strict = bool(section.strict) if section.causal else None
    needs_base = section.rope and section.frequencies is None
    return dataclasses.replace(section, strict=strict, base=_first(section.base, 10_000.0) if needs_base else None)


def _resolve_perceptron(section: PerceptronSection | None, seed: int) -> PerceptronSection | None:
    if section is None:
        return None
    if section.width is None:
        for name in ("seed", "scale"):
            if getattr(section, name) is not None:
                raise ConfigError(f"perceptron.{name} is for random weights: it needs perceptron.width")
        return section
    for name in ("W", "A", "b"):
        if getattr(section, name) is not None:
            raise ConfigError(f"perceptron.{name} and perceptron.width exclude each other: given or random weights")
    if section.width < 1:
        raise ConfigError(f"perceptron.width must be at least 1, got {section.width}")
    return dataclasses.replace(section, seed=_first(section.seed, seed), scale=_first(section.scale, 1.0))


def _resolve_noise(section: NoiseSection | None, seed: int) -> NoiseSection | None:
    if section is None:
        return None
    if section.kappa is None:
        raise ConfigError("noise needs noise.kappa: it adds sqrt(2/kappa) dW")
    return dataclasses.replace(section, seed=_first(section.seed, seed))


# --- objects ------------------------------------------------------------------------------------------------------


def build_model(config: Config) -> Transformer:
    """The model of `config`; raises a `TokenfieldError` where it makes no sense."""
    config = resolve_model(config)
    shared = config.attention
    return Transformer(
        catalog.load(catalog.find("geometry", config.geometry.kind))(config.geometry.dim),
        _schedule(config),
        position=_positions(config.position),
        normalization=_normalization(config.normalization),
        noise=_noise(config.noise),
        average=shared.average,
        relative=shared.relative,
        rescaled=shared.rescaled,
    )


def _schedule(config: Config) -> schedule.Schedule:
    section, shared, parts = config.schedule, config.attention, _token_wise(config)
    if section.kind == "resampled":
        return schedule.Resampled(
            _head(shared).attention,
            config.geometry.dim,
            period=float(section.period or 0.0),
            key=_first(section.seed, DEFAULT_SEED),
            logits=_MATRIX_LAWS[section.logits or "ginibre-product"],
            values=_MATRIX_LAWS[section.values or "identity"],
            tied=section.tied or 0,
            count=1 if section.count is None else section.count,
            white=bool(section.white),
        )
    if section.kind == "per-layer":
        layers: list[list[Part]] = [
            [*(_head(head) for head in layer.heads or (layer,)), *parts] for layer in section.layers
        ]
        return schedule.PerLayer(layers, t1=config.solve.t1)
    heads = [] if shared.kind == "none" else [_head(head) for head in config.heads or (shared,)]
    return schedule.Constant([*heads, *parts])


def _arguments(section: Any, kind: Kind, *, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """The parameters of the kind that the section has, as its class takes them."""
    given = {p.name: getattr(section, p.name) for p in kind.parameters if p.name not in leave_out}
    return {name: _as_array(value) for name, value in given.items() if value is not None}


def _as_array(value: Any) -> Any:
    return np.array(value) if isinstance(value, tuple) else value


def _head(section: HeadSection) -> Head:
    kind = catalog.find("attention", str(section.kind))
    attention = catalog.load(kind)(**_arguments(section, kind))
    return Head(attention, **{name: _as_array(getattr(section, name)) for name in _MATRICES})


def _positions(section: PositionSection | None) -> list[Position]:
    if section is None:
        return []
    kinds: list[Position] = [Causal(strict=bool(section.strict))] if section.causal else []
    if section.window is not None:
        kinds.append(Window(section.window))
    if section.alibi is not None:
        kinds.append(ALiBi(_as_array(section.alibi)))
    if section.rope:
        kinds.append(RoPE(_as_array(section.frequencies), base=_first(section.base, 10_000.0)))
    return kinds


def _normalization(section: NormalizationSection | None) -> Normalization | None:
    if section is None:
        return None
    kind = catalog.find("normalization", section.kind)
    return catalog.load(kind)(**_arguments(section, kind, leave_out=("radius",)))


def _noise(section: NoiseSection | None) -> Noise | None:
    if section is None:
        return None
    return Noise(_first(section.kappa), key=_first(section.seed, DEFAULT_SEED), common=section.common)


def _token_wise(config: Config) -> list[TokenWise]:
    parts: list[TokenWise] = []
    if config.perceptron is not None:
        parts.append(_perceptron(config.perceptron, config.geometry.dim))
    if config.potential is not None:
        parts.append(_potential(config.potential, config))
    return parts


def _perceptron(section: PerceptronSection, d: int) -> Perceptron:
    W, A, b = (_as_array(matrix) for matrix in (section.W, section.A, section.b))
    if section.width is not None:
        m, scale = section.width, _first(section.scale, 1.0)
        keys = jax.random.split(jax.random.key(_first(section.seed, DEFAULT_SEED)), 3)
        A, b = (jax.random.normal(key, shape) / np.sqrt(d) for key, shape in zip(keys[:2], ((m, d), (m,)), strict=True))
        W = scale * jax.random.normal(keys[2], (d, m)) / np.sqrt(m)
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


def _potential(section: PotentialSection, config: Config) -> Potential:
    d = config.geometry.dim
    given, name = (section.strength, "strength") if section.kind == "quadratic" else (section.direction, "direction")
    if isinstance(given, tuple) and len(given) != d:
        raise ConfigError(f"potential.{name} must have {d} entries, one per coordinate, got {len(given)}")
    if section.kind == "linear":
        return Potential(_Linear(section.direction or ()))
    plain = config.normalization is None or not catalog.find("normalization", config.normalization.kind).has("radius")
    if not isinstance(given, tuple) and config.geometry.kind == "sphere" and plain:
        raise ConfigError("potential.strength has no effect: |x|^2 is constant on the sphere; give one per coordinate")
    return Potential(_Quadratic(_first(section.strength, 1.0)))
