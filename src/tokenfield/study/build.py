"""From a `Config` to the objects of the library: model, tokens, events, what to save. No disk except initial files.

Names become objects here and nowhere else. A key that would have no effect is an error: it shows a misunderstanding.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield import events, initial, observables, schedule
from tokenfield.attention import Softmax, Unnormalized
from tokenfield.errors import ConfigError, Unsupported, did_you_mean
from tokenfield.flow import tolerances
from tokenfield.geometry import Euclidean, Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.model import Transformer
from tokenfield.parts import Head
from tokenfield.save import Observable, Save
from tokenfield.study import toml
from tokenfield.study.config import Config, HeadSection, InitialSection, ScheduleSection

DEFAULT_ATTENTION, DEFAULT_BETA, DEFAULT_N, DEFAULT_SEED = "softmax", 9.0, 1000, 0
STEADY_SPEED = 1e-6

_MATRIX_LAWS: dict[str, schedule.MatrixLaw | None] = {
    "identity": None,
    "ginibre": schedule.ginibre,
    "ginibre-product": schedule.ginibre_product,
    "wigner": schedule.wigner,
    "gram": schedule.gram,
}
_RESAMPLED_KEYS = ("period", "seed", "logits", "values", "tied", "count")
_MEASURE_OBSERVABLES: dict[str, Observable] = {
    "order-parameter": observables.order_parameter,
    "smallest-cosine": observables.smallest_cosine,
    "mean-cosine": observables.mean_cosine,
    "effective-rank": observables.effective_rank,
}
_MODEL_OBSERVABLES: dict[str, Callable[..., Array]] = {
    "energy": observables.energy,
    "normalized-energy": partial(observables.energy, normalized=True),
    "dissipation": observables.dissipation,
}


def resolve(config: Config) -> Config:
    """`config` with every default that depends on other keys written out."""
    solve, attention, weights = config.solve, config.attention, config.schedule
    rtol, atol = tolerances(solve.rtol, solve.atol, solve.dtype)
    solve = dataclasses.replace(
        solve,
        method="tsit5" if solve.method is None and solve.layers is None else solve.method,
        rtol=rtol,
        atol=atol,
    )
    law = config.initial
    accepted = _parameters(law.kind)
    if law.n is None and _is_required(accepted.get("n")):
        law = dataclasses.replace(law, n=DEFAULT_N)
    if law.seed is None and _is_required(accepted.get("seed")):
        law = dataclasses.replace(law, seed=DEFAULT_SEED)
    if weights.kind == "resampled" and weights.seed is None:
        weights = dataclasses.replace(weights, seed=DEFAULT_SEED if law.seed is None else law.seed)
    if not config.heads and weights.kind != "per-layer":
        attention = _inherit(attention, attention)
    return dataclasses.replace(config, solve=solve, attention=attention, schedule=weights, initial=law)


# --- the model ----------------------------------------------------------------------------------------------------


def build_model(config: Config) -> Transformer:
    """The model of `config`."""
    geometry = (Sphere if config.geometry.kind == "sphere" else Euclidean)(config.geometry.dim)
    shared = config.attention
    return Transformer(geometry, _schedule(config), average=shared.average, rescaled=shared.rescaled)


def _schedule(config: Config) -> schedule.Schedule:
    section, shared = config.schedule, config.attention
    _check_used_keys(section)
    _check_shared_keys(config)
    if section.kind == "resampled":
        if section.period is None:
            raise ConfigError("a resampled schedule needs schedule.period, the time between two draws")
        return schedule.Resampled(
            _head(_inherit(HeadSection(), shared)).attention,
            config.geometry.dim,
            period=section.period,
            key=DEFAULT_SEED if section.seed is None else section.seed,
            logits=_MATRIX_LAWS[section.logits or "ginibre-product"],
            values=_MATRIX_LAWS[section.values or "identity"],
            tied=section.tied or 0,
            count=1 if section.count is None else section.count,
        )
    if section.kind == "per-layer":
        if not section.layers:
            raise ConfigError("a per-layer schedule needs its layers, each written as [[schedule.layers]]")
        layers = [[_head(_inherit(head, shared)) for head in layer.heads or (layer,)] for layer in section.layers]
        return schedule.PerLayer(layers, t1=config.solve.t1)
    return schedule.Constant([_head(_inherit(head, shared)) for head in config.heads or (shared,)])


def _check_used_keys(section: ScheduleSection) -> None:
    used: dict[str, tuple[str, ...]] = {"per-layer": ("layers",), "resampled": _RESAMPLED_KEYS}
    for kind, keys in used.items():
        for name in keys:
            if section.kind != kind and getattr(section, name) not in (None, ()):
                raise ConfigError(f"schedule.{name} needs schedule.kind = '{kind}', got '{section.kind}'")
    for layer in section.layers:
        if layer.heads and any(getattr(layer, name) is not None for name in toml.keys_of(HeadSection)):
            raise ConfigError("a layer in [[schedule.layers]] is one head or has 'heads', not both")


def _check_shared_keys(config: Config) -> None:
    section, shared = config.schedule, config.attention
    if config.heads and section.kind != "constant":
        raise ConfigError(f"[[heads]] have no effect with schedule.kind = '{section.kind}'")
    if section.kind == "constant" and not config.heads:
        return
    for name in ("Q", "K", "V"):
        if getattr(shared, name) is not None:
            raise ConfigError(f"attention.{name} has no effect: here the matrices come from the heads or the schedule")
    heads = config.heads or tuple(head for layer in section.layers for head in layer.heads or (layer,))
    for name in ("kind", "beta"):
        if heads and getattr(shared, name) is not None and all(getattr(head, name) is not None for head in heads):
            raise ConfigError(f"attention.{name} has no effect: every head has its own")


def _inherit(head: Any, shared: HeadSection) -> Any:
    """The head with `kind` and `beta` taken from `shared`, or else the defaults, where it has none."""
    kind = head.kind or shared.kind or DEFAULT_ATTENTION
    beta = next(value for value in (head.beta, shared.beta, DEFAULT_BETA) if value is not None)
    return dataclasses.replace(head, kind=kind, beta=beta)


def _head(section: HeadSection) -> Head:
    attention = (Softmax if section.kind == "softmax" else Unnormalized)(section.beta)  # type: ignore[arg-type]
    Q, K, V = (None if matrix is None else np.array(matrix) for matrix in (section.Q, section.K, section.V))
    return Head(attention, Q=Q, K=K, V=V)


# --- the tokens ---------------------------------------------------------------------------------------------------


def build_tokens(config: Config, geometry: Geometry) -> Measure:
    """The initial tokens of `config`, in its dtype."""
    section = config.initial
    law, accepted = _find_law(section.kind), _parameters(section.kind)
    given = {name: value for name in toml.keys_of(InitialSection)[1:] if (value := getattr(section, name)) is not None}
    if "seed" not in accepted:
        given.pop("seed", None)  # harmless: the law is deterministic
    for name in given:
        if name not in accepted:
            hint = did_you_mean(name, [p for p in accepted if p != "geometry"])
            raise ConfigError(f"the initial law '{section.kind}' has no parameter '{name}'{hint}")
    missing = [p for p in accepted if _is_required(accepted[p]) and p not in given and p != "geometry"]
    if missing:
        needed = ", ".join(f"initial.{name}" for name in missing)
        raise ConfigError(f"the initial law '{section.kind}' needs {needed}")
    arguments = {name: np.array(value) if isinstance(value, tuple) else value for name, value in given.items()}
    mu = law(geometry=geometry, **arguments)
    dtype = jnp.dtype(config.solve.dtype)
    return Measure(mu.points.astype(dtype), mu.weights.astype(dtype), geometry=geometry)


def _find_law(kind: str) -> Callable[..., Measure]:
    laws = {name.replace("_", "-"): law for name, law in initial.LAWS.items()} | {"file": initial.from_file}
    name = kind.replace("_", "-")
    if name not in laws:
        raise ConfigError(f"unknown initial law '{kind}'{did_you_mean(name, laws)}")
    return laws[name]


def _parameters(kind: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(_find_law(kind)).parameters)


def _is_required(parameter: inspect.Parameter | None) -> bool:
    return parameter is not None and parameter.default is inspect.Parameter.empty


# --- events and what is saved -------------------------------------------------------------------------------------


def build_events(config: Config, model: Transformer) -> tuple[events.Event, ...]:
    """The events of `solve.events`, each written as `name` or `name:number`."""
    return tuple(_event(spec, model) for spec in config.solve.events)


def _event(spec: str, model: Transformer) -> events.Event:
    name, _, rest = spec.partition(":")
    value = None
    if rest:
        try:
            value = float(rest)
        except ValueError:
            raise ConfigError(f"an event is written as 'name' or 'name:number', got '{spec}'") from None
    if name == "consensus":
        delta = observables.cluster_scale(model) if value is None else value
        if delta is None:
            raise ConfigError("in R^d consensus needs a distance, for example events = ['consensus:0.01']")
        return events.Consensus(delta)
    if name == "steady":
        return events.Steady(STEADY_SPEED if value is None else value)
    if value is None:
        raise ConfigError("the event cosine-level needs its level, for example 'cosine-level:0.999'")
    return events.CosineLevel(value)


def build_save(config: Config, model: Transformer) -> Save:
    """What the run of `config` keeps."""
    solve = config.solve
    kept = {name: _observable(name, model) for name in solve.observables}
    return Save(times=solve.save, tokens=solve.save_tokens, observables=kept)


def _observable(name: str, model: Transformer) -> Observable:
    if name in _MEASURE_OBSERVABLES:
        return _MEASURE_OBSERVABLES[name]
    if model.rescaled or not isinstance(model.schedule, schedule.Constant):
        raise Unsupported(f"'{name}' depends on time here: save the tokens and use Trajectory.energy instead")
    function = _MODEL_OBSERVABLES[name]
    return lambda mu: function(mu, model)
