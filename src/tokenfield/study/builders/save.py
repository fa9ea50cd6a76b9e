"""From `solve.save` and `solve.observables` to what a run keeps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
from jax import Array

from tokenfield import observables
from tokenfield.errors import Unsupported
from tokenfield.geometry import Sphere
from tokenfield.laws import Density
from tokenfield.measure import Measure
from tokenfield.model import schedule
from tokenfield.model.normalization import DepthScaled, MixLN
from tokenfield.model.transformer import Transformer
from tokenfield.observables.energy import has_energy
from tokenfield.solver.save import Observable, Save
from tokenfield.study.builders.block import build_norm
from tokenfield.study.config import Config
from tokenfield.study.kinds import DENSITY, GAUSSIAN, TOKENS

LARGEST_DEGREE = 16  # of the saved spectrum
FINAL_NORM = "after-final-norm"  # the tokens as a readout sees them


def build_save(config: Config, model: Transformer) -> Save:
    """What the run of `config` keeps."""
    solve = config.solve
    kept = {name: _observable(name, model, config.state.kind) for name in solve.observables}
    if config.block is not None and config.block.final:
        kept[FINAL_NORM] = _final_norm(config)
    return Save(times=solve.save, tokens=solve.save_tokens, observables=kept)


def _final_norm(config: Config) -> Observable:
    norm = build_norm(config.block, config.geometry.dim)  # type: ignore[arg-type]
    assert norm is not None, "only resolved configs are built"
    return lambda mu: norm(mu.points)


def _mean_square(mu: Density) -> Array:
    """The mean cosine of a pair: of a density, in which no pair is of one token with itself."""
    return observables.order_parameter(mu) ** 2


def _spectrum(mu: Measure | Density) -> Array:
    """The power of the degrees 0 ... LARGEST_DEGREE, as `observables.harmonic_spectrum` defines it."""
    count = LARGEST_DEGREE + 1
    if isinstance(mu, Density) and mu.grid.is_orbit:
        return mu.grid.spectrum(mu.values)[:count] ** 2  # type: ignore[attr-defined]
    return observables.harmonic_spectrum(mu.measure() if isinstance(mu, Density) else mu, range(count))


_OBSERVABLES: dict[str, dict[str, Observable]] = {
    TOKENS: {
        "order-parameter": observables.order_parameter,
        "smallest-cosine": observables.smallest_cosine,
        "mean-cosine": observables.mean_cosine,
        "effective-rank": observables.effective_rank,
        "spectrum": _spectrum,
    },
    DENSITY: {
        "order-parameter": observables.order_parameter,
        "mean-cosine": _mean_square,  # type: ignore[dict-item]
        "effective-rank": observables.effective_rank,
        "spectrum": _spectrum,
    },
    GAUSSIAN: {"order-parameter": observables.order_parameter},
}
_MODEL_OBSERVABLES: dict[str, Callable[..., Array]] = {
    "energy": observables.energy,
    "normalized-energy": partial(observables.energy, normalized=True),
    "dissipation": observables.dissipation,
}


@functools.cache
def measure_of(name: str, state: str) -> Callable[[Any, Transformer, Any], Array]:
    """The observable `name` of a state as a function (law, model, t), compiled once for each shape.

    Raises `Unsupported` where the state has none of this name; whether the model has it, `check_observable` says.
    """
    if name in _OBSERVABLES[state]:
        function = _OBSERVABLES[state][name]
        return eqx.filter_jit(lambda mu, model, t: function(mu))
    if name not in _MODEL_OBSERVABLES or state == GAUSSIAN:
        raise Unsupported(_not_defined(name, state))
    of_model = _MODEL_OBSERVABLES[name]
    return eqx.filter_jit(lambda mu, model, t: of_model(mu, model, t))


def check_observable(name: str, model: Transformer, state: str) -> None:
    """Raises `Unsupported` if the observable is not defined for this model and state."""
    if name == "spectrum" and not isinstance(model.geometry, Sphere):
        raise Unsupported("'spectrum' is of harmonics on the sphere: this model lives in R^d; leave it out")
    if name in _OBSERVABLES[state]:
        return
    if name not in _MODEL_OBSERVABLES or state == GAUSSIAN:
        raise Unsupported(_not_defined(name, state))
    if not has_energy(model):
        raise Unsupported(f"'{name}' needs attention that an energy drives: this model has none; leave it out")


def _not_defined(name: str, state: str) -> str:
    offered = [*_OBSERVABLES[state], *(() if state == GAUSSIAN else _MODEL_OBSERVABLES)]
    return f"'{name}' is not defined for the state '{state}': use one of {', '.join(offered)}"


def _observable(name: str, model: Transformer, state: str) -> Observable:
    check_observable(name, model, state)
    if name in _OBSERVABLES[state]:
        return _OBSERVABLES[state][name]
    is_scheme_timed = name == "dissipation" and isinstance(model.normalization, (MixLN, DepthScaled))
    if model.rescaled or not isinstance(model.schedule, schedule.Constant) or is_scheme_timed:
        raise Unsupported(f"'{name}' depends on time here: save the tokens and use Trajectory.energy instead")
    function = _MODEL_OBSERVABLES[name]
    return lambda mu: function(mu, model)
