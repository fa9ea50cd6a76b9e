"""From a `Config` to the objects of the library: model, tokens, events, what to save. No disk except initial files.

Names become objects here and nowhere else. A key that would have no effect is an error: it shows a misunderstanding.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial

import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield import events, initial, observables, schedule
from tokenfield.errors import ConfigError, Unsupported, did_you_mean
from tokenfield.flow import tolerances
from tokenfield.geometry import Geometry
from tokenfield.measure import Measure
from tokenfield.model import Transformer
from tokenfield.normalization import DepthScaled, MixLN
from tokenfield.observables.energy import has_energy
from tokenfield.save import Observable, Save
from tokenfield.study import toml
from tokenfield.study.config import Config
from tokenfield.study.model import DEFAULT_SEED, build_model, resolve_model
from tokenfield.study.sections import InitialSection, SolveSection

__all__ = ["build_events", "build_model", "build_save", "build_tokens", "resolve"]

DEFAULT_N = 1000
DEFAULT_STEP = 0.01  # with noise, where no tolerance can choose one
STEADY_SPEED = 1e-6

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
    law = config.initial
    accepted = _parameters(law.kind)
    if law.n is None and _is_required(accepted.get("n")):
        law = dataclasses.replace(law, n=DEFAULT_N)
    if law.seed is None and _is_required(accepted.get("seed")):
        law = dataclasses.replace(law, seed=DEFAULT_SEED)
    if config.position is not None:
        law = dataclasses.replace(law, positions=law.positions or "index")
    elif law.positions is not None:
        raise ConfigError("initial.positions has no effect: positions only matter with a [position]")
    config = resolve_model(config, seed=DEFAULT_SEED if law.seed is None else law.seed)
    return dataclasses.replace(config, initial=law, solve=_resolve_solve(config.solve, config.noise is not None))


def _resolve_solve(solve: SolveSection, has_noise: bool) -> SolveSection:
    rtol, atol = tolerances(solve.rtol, solve.atol, solve.dtype)
    method, step = solve.method, solve.step
    if method is None and solve.layers is None:
        method = "heun" if has_noise else "tsit5"
    if has_noise and method == "heun" and step is None:
        step = DEFAULT_STEP
    return dataclasses.replace(solve, method=method, step=step, rtol=rtol, atol=atol)


# --- the tokens ---------------------------------------------------------------------------------------------------


def build_tokens(config: Config, geometry: Geometry) -> Measure:
    """The initial tokens of `config`, in its dtype."""
    section = config.initial
    law, accepted = _find_law(section.kind), _parameters(section.kind)
    keys = [name for name in toml.keys_of(InitialSection) if name not in ("kind", "positions")]
    given = {name: value for name in keys if (value := getattr(section, name)) is not None}
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
    return Measure(
        mu.points.astype(dtype),
        mu.weights.astype(dtype),
        positions=np.arange(1, mu.n + 1) / mu.n if section.positions == "even" else None,
        radii=_radii(config, mu.n),
        geometry=geometry,
    )


def _radii(config: Config, n: int) -> np.ndarray | None:
    scheme = config.normalization
    return None if scheme is None or scheme.radius is None else np.full(n, scheme.radius)


def points(points: np.ndarray, geometry: Geometry, *, weights: np.ndarray | None = None) -> Measure:
    """The tokens that are written out in the config."""
    return Measure(points, weights, geometry=geometry)


def _find_law(kind: str) -> Callable[..., Measure]:
    laws = {name.replace("_", "-"): law for name, law in initial.LAWS.items()}
    laws |= {"file": initial.from_file, "points": points}
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
    if not has_energy(model):
        raise Unsupported(f"'{name}' needs attention that an energy drives: this model has none; leave it out")
    is_scheme_timed = name == "dissipation" and isinstance(model.normalization, (MixLN, DepthScaled))
    if model.rescaled or not isinstance(model.schedule, schedule.Constant) or is_scheme_timed:
        raise Unsupported(f"'{name}' depends on time here: save the tokens and use Trajectory.energy instead")
    function = _MODEL_OBSERVABLES[name]
    return lambda mu: function(mu, model)
