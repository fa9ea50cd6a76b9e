"""From [state] and [initial] to the law that a run starts from: tokens, a density on a grid, or a Gaussian.

A law is a function, and the keys of [initial] are its parameters; `find_law` says which function a config means.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from tokenfield import initial
from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.geometry import Geometry
from tokenfield.laws import (
    Density,
    Gaussian,
    Grid,
    MaskedDensity,
    MaskedGaussian,
    MaskedMovingDensity,
    Moving,
    MovingDensity,
)
from tokenfield.laws.masked import AnyDensity
from tokenfield.laws.masked_gaussian import AnyGaussian
from tokenfield.measure import Measure
from tokenfield.study import catalog
from tokenfield.study.config import Config
from tokenfield.study.kinds import DENSITY, END_OF_RUN, GAUSSIAN, TOKENS
from tokenfield.study.sections import PositionSection

Law = Measure | AnyDensity | AnyGaussian


def build_start(config: Config, geometry: Geometry) -> Law:
    """The law that `config` starts from, in its dtype: tokens, a density or a Gaussian."""
    if config.initial.kind == END_OF_RUN:
        return _end_of_run(path=str(config.initial.path), config=config)
    if config.state.kind == TOKENS:
        return build_tokens(config, geometry)
    return _build_density(config, geometry) if config.state.kind == DENSITY else _build_gaussian(config, geometry)


def build_tokens(config: Config, geometry: Geometry) -> Measure:
    """The initial tokens of `config`, in its dtype."""
    mu = find_law(config)(geometry=geometry, **_arguments(config))
    dtype, scheme = jnp.dtype(config.solve.dtype), config.normalization
    tokens = Measure(
        mu.points.astype(dtype),
        mu.weights.astype(dtype),
        positions=np.arange(1, mu.n + 1) / mu.n if config.initial.positions == "even" else None,
        radii=None if scheme is None or scheme.radius is None else np.full(mu.n, scheme.radius),
        geometry=geometry,
    )
    return tokens if config.position is None else _add_positions(tokens, config.position, geometry)


def _add_positions(tokens: Measure, section: PositionSection, geometry: Geometry) -> Measure:
    """The tokens with absolute positions, if the config asks for them."""
    if section.learned is not None:
        tokens = initial.add_positions(geometry, tokens, table=np.array(section.learned))
    if section.sinusoidal is None:
        return tokens
    assert section.base is not None, "only resolved configs are built"
    return initial.add_positions(geometry, tokens, amplitude=section.sinusoidal, base=section.base)


def _build_density(config: Config, geometry: Geometry) -> Law:
    if config.state.positions is None:
        return _one_density(config, geometry, _arguments(config))
    found: list[Any] = [_one_density(config, geometry, arguments) for arguments in _arguments_by_position(config)]
    if isinstance(found[0], MovingDensity):
        return MaskedMovingDensity(found)
    return MaskedDensity(found[0].grid, jnp.stack([rho.values for rho in found]))


def _arguments_by_position(config: Config) -> list[dict[str, Any]]:
    """The parameters of the initial law at each position, with a mean that goes from the first to the last."""
    arguments, positions = _arguments(config), config.state.positions
    assert positions is not None
    if positions < 1:
        raise ConfigError(f"state.positions must be at least 1, got {positions}")
    last, middles = arguments.pop("last_mean", None), (np.arange(positions) + 0.5) / positions
    if last is None:
        return [arguments] * positions
    return [arguments | {"mean": (1 - s) * arguments["mean"] + s * last} for s in middles]


def _one_density(config: Config, geometry: Geometry, arguments: dict[str, Any]) -> Density | MovingDensity:
    grid, kernel, law = build_grid(config), config.initial.kernel, find_law(config)
    if isinstance(grid, Moving):
        moved, dtype = law(grid, **arguments), jnp.dtype(config.solve.dtype)
        return MovingDensity(grid, moved.points.astype(dtype), moved.masses.astype(dtype))
    if kernel is None:
        rho = law(grid, **arguments)
    else:
        rho = Density.smoothed(grid, law(geometry=geometry, **arguments), concentration=kernel)
    return rho.at(rho.values.astype(jnp.dtype(config.solve.dtype)))


def _build_gaussian(config: Config, geometry: Geometry) -> AnyGaussian:
    law, dtype = find_law(config), jnp.dtype(config.solve.dtype)
    each = [_arguments(config)] if config.state.positions is None else _arguments_by_position(config)
    found = [law(geometry, **arguments) for arguments in each]
    found = [Gaussian(mu.mean.astype(dtype), mu.covariance.astype(dtype)) for mu in found]
    return found[0] if config.state.positions is None else MaskedGaussian(found)


def _end_of_run(*, path: str, config: Config) -> Law:
    """Where the run of the folder at `path` ended, or what is in the file that a run folder made of that."""
    from tokenfield.study.store import RunFolder, read_law

    law = RunFolder.open(path).trajectory().final if Path(path).is_dir() else read_law(Path(path), config)
    kind = TOKENS if isinstance(law, Measure) else GAUSSIAN if isinstance(law, AnyGaussian) else DENSITY
    if kind != config.state.kind or law.d != config.geometry.dim:
        raise ConfigError(
            f"{path} ended as {kind} in R^{law.d}: it cannot go on as {config.state.kind} in R^{config.geometry.dim}"
        )
    return law


def build_grid(config: Config) -> Grid | Moving:
    """The grid of the density of `config`."""
    state = config.state
    if state.grid is None:
        raise ConfigError(f"only a density has a grid: state.kind is '{state.kind}'")
    cls = catalog.load(catalog.find("grid", state.grid))
    return cls(config.geometry.dim, state.nodes) if state.grid in ("zonal", "moving") else cls(state.nodes)


# --- laws by name -------------------------------------------------------------------------------------------------


def _points(points: np.ndarray, geometry: Geometry, *, weights: np.ndarray | None = None) -> Measure:
    """The tokens that are written out in the config."""
    return Measure(points, weights, geometry=geometry)


def _von_mises_fisher(grid: Grid, *, mean: ArrayLike, concentration: float) -> Density:
    return Density.vmf_mixture(grid, means=np.asarray(mean)[None], concentrations=concentration)


def _gaussian(geometry: Geometry, *, mean: ArrayLike | None = None, covariance: ArrayLike | None = None) -> Gaussian:
    d = geometry.d
    require_numbers(3 * d * d, f"covariances in R^{d}", advice="take a lower dimension")
    return Gaussian(np.zeros(d) if mean is None else mean, np.eye(d) if covariance is None else covariance)


_TOKEN_LAWS: dict[str, Callable[..., Any]] = {
    **{name.replace("_", "-"): law for name, law in initial.LAWS.items()},
    "file": initial.from_file,
    "points": _points,
}
_DENSITY_LAWS: dict[str, Callable[..., Any]] = {
    "uniform": Density.uniform,
    "perturbed-uniform": Density.perturbed_uniform,
    "noisy-uniform": Density.noisy_uniform,
    "von-mises-fisher": _von_mises_fisher,
    "vmf-mixture": Density.vmf_mixture,
}


def _ball(grid: Moving, *, center: ArrayLike = 0.0, radius: float = 1.0) -> MovingDensity:
    return MovingDensity.ball(grid, center=center, radius=radius)


_MOVING_LAWS: dict[str, Callable[..., Any]] = {
    "box": MovingDensity.uniform,
    "ball": _ball,
    "gaussian": MovingDensity.gaussian,
    "gaussian-mixture": MovingDensity.gaussian_mixture,
}


def find_law(config: Config) -> Callable[..., Any]:
    """The initial law of `config`: of tokens, also if they are to be spread; of a density; or of a Gaussian."""
    state, section = config.state.kind, config.initial
    kind = str(section.kind).replace("_", "-")
    if kind == END_OF_RUN:
        return partial(_end_of_run, config=config)
    if state == GAUSSIAN:
        if kind != GAUSSIAN:  # the law has the name of the state
            raise ConfigError(f"the state 'gaussian' starts from initial.kind = 'gaussian', got '{section.kind}'")
        return _gaussian
    if state == DENSITY and config.state.grid == "moving":
        if kind not in _MOVING_LAWS:
            raise ConfigError(f"a density in R^d starts from {', '.join(_MOVING_LAWS)}, got '{section.kind}'")
        return _MOVING_LAWS[kind]
    is_exact = state == DENSITY and section.kernel is None
    laws, others = (_DENSITY_LAWS, _TOKEN_LAWS) if is_exact else (_TOKEN_LAWS, _DENSITY_LAWS)
    if kind in laws:
        return laws[kind]
    if kind not in others:
        raise ConfigError(f"unknown initial law '{section.kind}'{did_you_mean(kind, laws)}")
    if is_exact:
        raise ConfigError(f"'{section.kind}' is a law of tokens: initial.kernel = 50.0 spreads them into a density")
    raise ConfigError(f"'{section.kind}' is a law of densities: use state.kind = 'density', and no initial.kernel")


def law_parameters(config: Config) -> dict[str, bool]:
    """The parameters of the initial law of `config`, and whether it cannot do without them."""
    accepted = inspect.signature(find_law(config)).parameters
    found = {
        name: parameter.default is inspect.Parameter.empty
        for name, parameter in accepted.items()
        if name not in ("geometry", "grid", "config")
    }
    if config.state.positions is not None and "mean" in found and config.initial.mean is not None:
        found["last_mean"] = False
    return found


def _arguments(config: Config) -> dict[str, Any]:
    """The parameters of the initial law that the config gives, as the law takes them."""
    given = {name: getattr(config.initial, name) for name in law_parameters(config)}
    return {
        name: np.array(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None
    }
