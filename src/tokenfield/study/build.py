"""From a `Config` to the objects of the library: model, start, events, what to save. No disk except initial files.

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
from jax.typing import ArrayLike

from tokenfield import initial, observables
from tokenfield.errors import ConfigError, Unsupported, did_you_mean
from tokenfield.geometry import Geometry, Sphere
from tokenfield.laws import Density, Gaussian, Grid
from tokenfield.measure import Measure
from tokenfield.model import schedule
from tokenfield.model.normalization import DepthScaled, MixLN
from tokenfield.model.transformer import Transformer
from tokenfield.observables.energy import has_energy
from tokenfield.solver import events
from tokenfield.solver.options import Adaptive
from tokenfield.solver.save import Observable, Save
from tokenfield.study import catalog, toml
from tokenfield.study.config import Config
from tokenfield.study.model import DEFAULT_SEED, build_model, resolve_model
from tokenfield.study.sections import InitialSection, SolveSection, StateSection

__all__ = ["build_events", "build_grid", "build_model", "build_save", "build_start", "build_tokens", "resolve"]

DEFAULT_N = 1000
DEFAULT_STEP = 0.01  # with noise, where no tolerance can choose one
STEADY_SPEED = 1e-6
LARGEST_DEGREE = 16  # of the saved spectrum

Law = Measure | Density | Gaussian


def resolve(config: Config) -> Config:
    """`config` with every default that depends on other keys written out."""
    config = dataclasses.replace(config, state=_resolve_state(config))
    law, kind = config.initial, config.state.kind
    if law.kind is None:
        law = dataclasses.replace(law, kind="gaussian" if kind == "gaussian" else "uniform")
    accepted = _parameters(dataclasses.replace(config, initial=law))
    if law.n is None and _is_required(accepted.get("n")):
        law = dataclasses.replace(law, n=DEFAULT_N)
    if law.seed is None and _is_required(accepted.get("seed")):
        law = dataclasses.replace(law, seed=DEFAULT_SEED)
    if config.position is not None:
        law = dataclasses.replace(law, positions=law.positions or "index")
    elif law.positions is not None:
        raise ConfigError("initial.positions has no effect: positions only matter with a [position]")
    if kind != "tokens" and config.noise is not None and config.noise.seed is not None:
        raise ConfigError(f"noise.seed has no effect: a {kind} feels the noise on average, not along one path")
    config = resolve_model(config, seed=DEFAULT_SEED if law.seed is None else law.seed)
    if kind != "tokens" and config.noise is not None:
        config = dataclasses.replace(config, noise=dataclasses.replace(config.noise, seed=None))
    return dataclasses.replace(config, initial=law, solve=_resolve_solve(config))


def _resolve_solve(config: Config) -> SolveSection:
    solve, has_path = config.solve, config.state.kind == "tokens" and config.noise is not None
    tolerances = Adaptive(rtol=solve.rtol, atol=solve.atol)
    rtol, atol = tolerances.rtol_for(solve.dtype), tolerances.atol_for(solve.dtype)
    method, step = solve.method, solve.step
    if method is None and solve.layers is None:
        method = "heun" if has_path else "ssprk3" if config.state.grid == "cells" else "tsit5"
    if has_path and method == "heun" and step is None:
        step = DEFAULT_STEP
    norm = solve.norm or ("max" if solve.merge else "rms")
    return dataclasses.replace(solve, method=method, step=step, rtol=rtol, atol=atol, norm=norm)


# --- the state ----------------------------------------------------------------------------------------------------

# for which ambient dimensions each grid is; the first that fits is the default
_GRIDS: dict[str, tuple[Callable[[int], bool], str]] = {
    "fourier": (lambda d: d == 2, "the circle, geometry.dim = 2"),
    "cells": (lambda d: d == 2, "the circle, geometry.dim = 2"),
    "harmonics": (lambda d: d == 3, "S^2, geometry.dim = 3"),
    "zonal": (lambda d: d >= 3, "spheres with geometry.dim >= 3"),
}


def _resolve_state(config: Config) -> StateSection:
    state, d = config.state, config.geometry.dim
    if state.kind != "density":
        for name in ("grid", "nodes"):
            if getattr(state, name) is not None:
                raise ConfigError(f"state.{name} has no effect: only a density has a grid, not {state.kind}")
        return state
    if config.geometry.kind != "sphere":
        raise ConfigError("densities live on spheres: use geometry.kind = 'sphere', or state.kind = 'gaussian' in R^d")
    fitting = [name for name, (fits, _) in _GRIDS.items() if fits(d)]
    if not fitting:
        raise ConfigError(f"a density on the sphere needs geometry.dim >= 2, got {d}")
    grid = state.grid or fitting[0]
    if grid not in fitting:
        raise ConfigError(
            f"the grid '{grid}' is for {_GRIDS[grid][1]}, got geometry.dim = {d}: use {' or '.join(fitting)}"
        )
    (nodes,) = (p.default for p in catalog.find("grid", grid).parameters if p.name == "nodes")
    return dataclasses.replace(state, grid=grid, nodes=nodes if state.nodes is None else state.nodes)


def build_grid(config: Config) -> Grid:
    """The grid of the density of `config`."""
    state = _resolve_state(config)
    if state.grid is None:
        raise ConfigError(f"only a density has a grid: state.kind is '{state.kind}'")
    cls = catalog.load(catalog.find("grid", state.grid))
    return cls(config.geometry.dim, state.nodes) if state.grid == "zonal" else cls(state.nodes)


# --- the start ----------------------------------------------------------------------------------------------------


def build_start(config: Config, geometry: Geometry) -> Law:
    """The law that `config` starts from, in its dtype: tokens, a density or a Gaussian."""
    kind, dtype = config.state.kind, jnp.dtype(config.solve.dtype)
    if kind == "tokens":
        return build_tokens(config, geometry)
    if kind == "gaussian":
        mu = _gaussian(geometry, **_arguments(config))
        return Gaussian(mu.mean.astype(dtype), mu.covariance.astype(dtype))
    grid, kernel = build_grid(config), config.initial.kernel
    if kernel is None:
        rho = _find_law(config)(grid, **_arguments(config))
    else:
        rho = Density.smoothed(grid, _find_law(config)(geometry=geometry, **_arguments(config)), concentration=kernel)
    return rho.at(rho.values.astype(dtype))


def build_tokens(config: Config, geometry: Geometry) -> Measure:
    """The initial tokens of `config`, in its dtype."""
    mu = _find_law(config)(geometry=geometry, **_arguments(config))
    dtype = jnp.dtype(config.solve.dtype)
    return Measure(
        mu.points.astype(dtype),
        mu.weights.astype(dtype),
        positions=np.arange(1, mu.n + 1) / mu.n if config.initial.positions == "even" else None,
        radii=_radii(config, mu.n),
        geometry=geometry,
    )


def _arguments(config: Config) -> dict[str, Any]:
    """The parameters of the initial law that are given; raises `ConfigError` for those that it does not have."""
    section, accepted = config.initial, _parameters(config)
    keys = [name for name in toml.keys_of(InitialSection) if name not in ("kind", "positions", "kernel")]
    given = {name: value for name in keys if (value := getattr(section, name)) is not None}
    if "seed" not in accepted:
        given.pop("seed", None)  # harmless: the law is deterministic
    for name in given:
        if name == "n" and name not in accepted and config.state.kind != "tokens":
            hint = "; initial.kernel spreads n tokens into a density" if config.state.kind == "density" else ""
            raise ConfigError(f"initial.n has no effect: a {config.state.kind} holds infinitely many tokens{hint}")
        if name not in accepted:
            hint = did_you_mean(name, accepted)
            raise ConfigError(f"the initial law '{section.kind}' has no parameter '{name}'{hint}")
    missing = [name for name in accepted if _is_required(accepted[name]) and name not in given]
    if missing:
        needed = ", ".join(f"initial.{name}" for name in missing)
        raise ConfigError(f"the initial law '{section.kind}' needs {needed}")
    return {name: np.array(value) if isinstance(value, tuple) else value for name, value in given.items()}


def _radii(config: Config, n: int) -> np.ndarray | None:
    scheme = config.normalization
    return None if scheme is None or scheme.radius is None else np.full(n, scheme.radius)


def points(points: np.ndarray, geometry: Geometry, *, weights: np.ndarray | None = None) -> Measure:
    """The tokens that are written out in the config."""
    return Measure(points, weights, geometry=geometry)


def _von_mises_fisher(grid: Grid, *, mean: ArrayLike, concentration: float) -> Density:
    return Density.vmf_mixture(grid, means=np.asarray(mean)[None], concentrations=concentration)


def _gaussian(geometry: Geometry, *, mean: ArrayLike | None = None, covariance: ArrayLike | None = None) -> Gaussian:
    d = geometry.d
    return Gaussian(np.zeros(d) if mean is None else mean, np.eye(d) if covariance is None else covariance)


_TOKEN_LAWS: dict[str, Callable[..., Any]] = {
    **{name.replace("_", "-"): law for name, law in initial.LAWS.items()},
    "file": initial.from_file,
    "points": points,
}
_DENSITY_LAWS: dict[str, Callable[..., Any]] = {
    "uniform": Density.uniform,
    "perturbed-uniform": Density.perturbed_uniform,
    "noisy-uniform": Density.noisy_uniform,
    "von-mises-fisher": _von_mises_fisher,
    "vmf-mixture": Density.vmf_mixture,
}


def _find_law(config: Config) -> Callable[..., Any]:
    """The initial law of `config`: of tokens, also if they are to be spread; of a density; or of a Gaussian."""
    state, section = config.state.kind, config.initial
    kind = (section.kind or "uniform").replace("_", "-")
    if state != "density" and section.kernel is not None:
        raise ConfigError(f"initial.kernel has no effect: it spreads tokens into a density, not into {state}")
    if state == "gaussian":
        if kind != "gaussian":
            raise ConfigError(f"the state 'gaussian' starts from initial.kind = 'gaussian', got '{section.kind}'")
        return _gaussian
    is_exact = state == "density" and section.kernel is None
    laws, others = (_DENSITY_LAWS, _TOKEN_LAWS) if is_exact else (_TOKEN_LAWS, _DENSITY_LAWS)
    if kind in laws:
        return laws[kind]
    if kind not in others:
        raise ConfigError(f"unknown initial law '{section.kind}'{did_you_mean(kind, laws)}")
    if is_exact:
        raise ConfigError(f"'{section.kind}' is a law of tokens: initial.kernel = 50.0 spreads them into a density")
    raise ConfigError(f"'{section.kind}' is a law of densities: use state.kind = 'density', and no initial.kernel")


def _parameters(config: Config) -> dict[str, inspect.Parameter]:
    accepted = inspect.signature(_find_law(config)).parameters
    return {name: parameter for name, parameter in accepted.items() if name not in ("geometry", "grid")}


def _is_required(parameter: inspect.Parameter | None) -> bool:
    return parameter is not None and parameter.default is inspect.Parameter.empty


# --- events and what is saved -------------------------------------------------------------------------------------


def build_events(config: Config, model: Transformer) -> tuple[events.Event, ...]:
    """The events of `solve.events`, each written as `name` or `name:number`."""
    return tuple(_event(spec, model, config.state.kind) for spec in config.solve.events)


def _event(spec: str, model: Transformer, state: str) -> events.Event:
    name, _, rest = spec.partition(":")
    value = None
    if rest:
        try:
            value = float(rest)
        except ValueError:
            raise ConfigError(f"an event is written as 'name' or 'name:number', got '{spec}'") from None
    if name == "cosine-level" and state != "tokens":
        raise Unsupported(f"the event cosine-level is for tokens: a {state} has all cosines at all times")
    if name == "consensus" and state == "gaussian":
        raise Unsupported("the event consensus is not for Gaussians, which reach everywhere: use steady")
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
    kept = {name: _observable(name, model, config.state.kind) for name in solve.observables}
    return Save(times=solve.save, tokens=solve.save_tokens, observables=kept)


def _mean_square(mu: Density) -> Array:
    """The mean cosine of a pair: of a density, in which no pair is of one token with itself."""
    return observables.order_parameter(mu) ** 2  # type: ignore[arg-type]


def _spectrum(mu: Measure | Density) -> Array:
    """The power of the degrees 0 ... LARGEST_DEGREE, as `observables.harmonic_spectrum` defines it."""
    count = LARGEST_DEGREE + 1
    if isinstance(mu, Density) and mu.grid.is_orbit:
        return mu.grid.spectrum(mu.values)[:count] ** 2  # type: ignore[attr-defined]
    return observables.harmonic_spectrum(mu, range(count))  # type: ignore[arg-type]


_OBSERVABLES: dict[str, dict[str, Observable]] = {
    "tokens": {
        "order-parameter": observables.order_parameter,
        "smallest-cosine": observables.smallest_cosine,
        "mean-cosine": observables.mean_cosine,
        "effective-rank": observables.effective_rank,
        "spectrum": _spectrum,
    },
    "density": {
        "order-parameter": observables.order_parameter,
        "mean-cosine": _mean_square,  # type: ignore[dict-item]
        "effective-rank": observables.effective_rank,
        "spectrum": _spectrum,
    },
    "gaussian": {"order-parameter": observables.order_parameter},
}
_MODEL_OBSERVABLES: dict[str, Callable[..., Array]] = {
    "energy": observables.energy,
    "normalized-energy": partial(observables.energy, normalized=True),
    "dissipation": observables.dissipation,
}


def _observable(name: str, model: Transformer, state: str) -> Observable:
    if name == "spectrum" and not isinstance(model.geometry, Sphere):
        raise Unsupported("'spectrum' is of harmonics on the sphere: this model lives in R^d; leave it out")
    if name in _OBSERVABLES[state]:
        return _OBSERVABLES[state][name]
    if name not in _MODEL_OBSERVABLES or state == "gaussian":
        offered = [*_OBSERVABLES[state], *(() if state == "gaussian" else _MODEL_OBSERVABLES)]
        raise Unsupported(f"'{name}' is not defined for the state '{state}': use one of {', '.join(offered)}")
    if not has_energy(model):
        raise Unsupported(f"'{name}' needs attention that an energy drives: this model has none; leave it out")
    is_scheme_timed = name == "dissipation" and isinstance(model.normalization, (MixLN, DepthScaled))
    if model.rescaled or not isinstance(model.schedule, schedule.Constant) or is_scheme_timed:
        raise Unsupported(f"'{name}' depends on time here: save the tokens and use Trajectory.energy instead")
    function = _MODEL_OBSERVABLES[name]
    return lambda mu: function(mu, model)
