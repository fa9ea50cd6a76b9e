"""Every default written out, and every key checked to have an effect: from a `Config` to a resolved one.

A key without effect is an error: it shows a misunderstanding. Plain data in, plain data out: objects are made by
`study.builders`, which is asked only what parameters an initial law has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.solver.options import Adaptive
from tokenfield.study import catalog, toml
from tokenfield.study.builders.start import law_parameters
from tokenfield.study.catalog import Kind
from tokenfield.study.config import Config
from tokenfield.study.given import check_kind, first
from tokenfield.study.kinds import DENSITY, END_OF_RUN, GAUSSIAN, TOKENS
from tokenfield.study.resolve_block import default_beta, resolve_block
from tokenfield.study.sections import (
    BIASES,
    DEFAULT_ATTENTION,
    DEFAULT_LAW,
    DEFAULT_N,
    DEFAULT_SEED,
    DEFAULT_STEP,
    MATRICES,
    AttentionSection,
    HeadSection,
    InitialSection,
    LayerSection,
    NoiseSection,
    PerceptronSection,
    PositionSection,
    PotentialSection,
    ScheduleSection,
    SolveSection,
    StateSection,
)

_OF_A_KIND = tuple(name for name in toml.keys_of(HeadSection) if name not in ("kind", *MATRICES, *BIASES))
_OF_RESAMPLED = tuple(name for name in toml.keys_of(ScheduleSection) if name not in ("kind", "layers"))
NODES_IN_THE_PLANE = 48  # along an axis: 2304 nodes, whose pairs take some 50 ms
_OF_A_LAW = tuple(name for name in toml.keys_of(InitialSection) if name not in ("kind", "positions", "kernel"))

Section = TypeVar("Section")


def resolve(config: Config) -> Config:
    """`config` with every default that depends on other keys written out.

    Raises `ConfigError` for keys without effect, kinds that miss a parameter, and what only configs cannot combine.
    """
    config = dataclasses.replace(config, state=_resolve_state(config))
    config = dataclasses.replace(config, initial=_resolve_initial(config))
    seed = DEFAULT_SEED if config.initial.seed is None else config.initial.seed
    config = _resolve_model(config, seed=seed)
    return dataclasses.replace(config, solve=_resolve_solve(config))


# --- state, start and solver --------------------------------------------------------------------------------------

# for which ambient dimensions each grid is; the first that fits is the default
_GRIDS: dict[str, tuple[Callable[[int], bool], str]] = {
    "fourier": (lambda d: d == 2, "the circle, geometry.dim = 2"),
    "cells": (lambda d: d == 2, "the circle, geometry.dim = 2"),
    "harmonics": (lambda d: d == 3, "S^2, geometry.dim = 3"),
    "zonal": (lambda d: d >= 3, "spheres with geometry.dim >= 3"),
}


def _resolve_state(config: Config) -> StateSection:
    state, d = config.state, config.geometry.dim
    if state.kind != DENSITY:
        for name in ("grid", "nodes", *(["positions"] if state.kind == TOKENS else [])):
            if getattr(state, name) is not None:
                raise ConfigError(f"state.{name} has no effect: only a density has a grid, not {state.kind}")
    if state.positions is not None and (config.position is None or not config.position.causal):
        raise ConfigError(
            f"state.positions has no effect: a {state.kind} for each position needs position.causal = true"
        )
    if state.kind != DENSITY:
        return state
    if config.geometry.kind != "sphere":
        return _resolve_moving(state, d)
    if state.grid == "moving":
        raise ConfigError(_why("grid:moving", "geometry:sphere"))
    fitting = [name for name, (fits, _) in _GRIDS.items() if fits(d)]
    if not fitting:
        raise ConfigError(f"a density on the sphere needs geometry.dim >= 2, got {d}")
    grid = state.grid or fitting[0]
    if grid not in fitting:
        raise ConfigError(
            f"the grid '{grid}' is for {_GRIDS[grid][1]}, got geometry.dim = {d}: use {' or '.join(fitting)}"
        )
    return dataclasses.replace(state, grid=grid, nodes=first(state.nodes, catalog.find("grid", grid).default("nodes")))


def _resolve_moving(state: StateSection, d: int) -> StateSection:
    """The grid of a density in R^d."""
    if state.grid not in (None, "moving"):
        raise ConfigError(_why(f"grid:{state.grid}", "geometry:euclidean"))
    if d not in (1, 2):
        raise ConfigError(
            f"densities move in R^1 and R^2, got geometry.dim = {d}: use state.kind = 'gaussian' or tokens"
        )
    nodes = catalog.find("grid", "moving").default("nodes") if d == 1 else NODES_IN_THE_PLANE
    return dataclasses.replace(state, grid="moving", nodes=first(state.nodes, nodes))


def _resolve_initial(config: Config) -> InitialSection:
    law, state = config.initial, config.state.kind
    if law.kind is None:
        is_gaussian = state == GAUSSIAN or config.state.grid == "moving"
        law = dataclasses.replace(law, kind=GAUSSIAN if is_gaussian else DEFAULT_LAW)
    if law.kernel is not None and (state != DENSITY or config.state.grid == "moving"):
        where = "a density in R^d" if state == DENSITY else state
        raise ConfigError(
            f"initial.kernel has no effect: it spreads tokens into a density on a sphere, not into {where}"
        )
    is_required = law_parameters(dataclasses.replace(config, initial=law))
    if law.n is None and is_required.get("n"):
        law = dataclasses.replace(law, n=DEFAULT_N)
    if law.seed is None and is_required.get("seed"):
        law = dataclasses.replace(law, seed=DEFAULT_SEED)
    _check_law(law, is_required, state)
    if config.position is None and law.positions is not None:
        raise ConfigError("initial.positions has no effect: positions only matter with a [position]")
    if config.state.positions is not None and law.positions is not None:
        raise ConfigError("initial.positions has no effect: state.positions cells of [0, 1] have their middles")
    # the end of a run knows the positions of its tokens, and a density for each position needs no others
    if config.position is None or law.kind == END_OF_RUN or config.state.positions is not None:
        return law
    return dataclasses.replace(law, positions=law.positions or "index")


def _check_law(law: InitialSection, is_required: dict[str, bool], state: str) -> None:
    """Raises `ConfigError` for parameters that are given but that the law does not have, and for those it needs."""
    given = [name for name in _OF_A_LAW if getattr(law, name) is not None]
    for name in given:
        if name in is_required or name == "seed":  # a seed is harmless where nothing is random
            continue
        if name == "n" and state != TOKENS:
            hint = "; initial.kernel spreads n tokens into a density" if state == DENSITY else ""
            raise ConfigError(f"initial.n has no effect: a {state} holds infinitely many tokens{hint}")
        hint = did_you_mean(name, is_required)
        raise ConfigError(f"the initial law '{law.kind}' has no parameter '{name}'{hint}")
    missing = [f"initial.{name}" for name, needed in is_required.items() if needed and name not in given]
    if missing:
        raise ConfigError(f"the initial law '{law.kind}' needs {', '.join(missing)}")


def _check_devices(config: Config) -> None:
    devices = config.solve.devices
    if devices is None:
        return
    if devices != "all" and (isinstance(devices, str) or devices < 1):
        raise ConfigError(f"solve.devices must be 'all' or a number of devices, at least 1, got {devices!r}")
    if config.state.kind != TOKENS:
        raise ConfigError(f"solve.devices has no effect: tokens are spread over devices, a {config.state.kind} is not")


def _resolve_solve(config: Config) -> SolveSection:
    solve, has_path = config.solve, config.state.kind == TOKENS and config.noise is not None
    tolerances = Adaptive(rtol=solve.rtol, atol=solve.atol)
    rtol, atol = tolerances.rtol_for(solve.dtype), tolerances.atol_for(solve.dtype)
    method, step = solve.method, solve.step
    if method is None and solve.layers is None:
        method = "heun" if has_path else "ssprk3" if config.state.grid == "cells" else "tsit5"
    if has_path and method == "heun" and step is None:
        step = DEFAULT_STEP
    _check_devices(config)
    norm = solve.norm or ("max" if solve.merge else "rms")
    return dataclasses.replace(solve, method=method, step=step, rtol=rtol, atol=atol, norm=norm)


# --- the model ----------------------------------------------------------------------------------------------------


def _resolve_model(config: Config, *, seed: int) -> Config:
    """`config` with the defaults of the model written out; `seed` is for what is random and has no seed of its own."""
    _check_schedule(config.schedule)
    _check_parts(config)
    _check_shared_keys(config)
    config = dataclasses.replace(config, block=resolve_block(config, seed=seed))
    attention, heads, weights = config.attention, config.heads, config.schedule
    if weights.kind == "resampled" and weights.seed is None:
        weights = dataclasses.replace(weights, seed=seed)
    if attention.kind == "none":
        pass
    elif heads:
        heads = tuple(_inherit(head, attention, "heads") for head in heads)
        attention = _without_kind(attention)
    elif weights.kind == "per-layer":
        layers = tuple(_inherit_layer(config, layer) for layer in weights.layers)
        weights, attention = dataclasses.replace(weights, layers=layers), _without_kind(attention)
    else:
        attention = _inherit(attention, attention, "attention", beta=default_beta(config, attention))
    return dataclasses.replace(
        config,
        attention=attention,
        heads=heads,
        schedule=weights,
        position=_resolve_position(config),
        normalization=_resolve_kind(config.normalization, "normalization"),
        perceptron=_resolve_perceptron(config.perceptron, seed),
        potential=_resolve_potential(config),
        noise=_resolve_noise(config, seed),
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
    for name in (*_OF_A_KIND, *MATRICES, *BIASES, "average"):
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
    for name in (*MATRICES, *BIASES):
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
    nothing: dict[str, Any] = dict.fromkeys(_OF_A_KIND) | {"parameters": ()}
    return dataclasses.replace(shared, kind=None, **nothing)


def _inherit_layer(config: Config, layer: LayerSection) -> LayerSection:
    shared = config.attention
    if not layer.heads:
        return _inherit(layer, shared, "schedule.layers", beta=default_beta(config, layer))
    return dataclasses.replace(
        layer, heads=tuple(_inherit(head, shared, "schedule.layers.heads") for head in layer.heads)
    )


def _inherit(head: Any, shared: HeadSection, where: str, *, beta: float | None = None) -> Any:
    """The head with its kind and the parameters of that kind taken from `shared`, or else the defaults.

    A `beta` that is given here is the default instead of that of the kind.
    """
    kind = _attention_kind(head, shared)
    check_kind(head, kind, _OF_A_KIND, where)
    given = lambda name: first(toml.value_of(head, name), toml.value_of(shared, name))  # noqa: E731
    defaults = {p.name: p.default for p in kind.parameters}
    if beta is not None and kind.has("beta"):
        defaults["beta"] = beta
    own = {name: first(given(name), default) for name, default in defaults.items()}
    return toml.with_values(head, {"kind": kind.name, **own})


def _resolve_kind(section: Section | None, category: str) -> Section | None:
    """A section whose `kind` is one of the catalog's, with the parameters of that kind."""
    if section is None:
        return None
    kind = catalog.find(category, section.kind)  # type: ignore[attr-defined]
    keys = [name for name in toml.keys_of(type(section)) if name != "kind"]
    check_kind(section, kind, keys, category)
    own = {p.name: first(getattr(section, p.name), p.default) for p in kind.parameters}
    return dataclasses.replace(section, **own)  # type: ignore[type-var]


def _resolve_position(config: Config) -> PositionSection | None:
    section, state = config.position, config.state.kind
    if section is None:
        return None
    if section.strict is not None and not section.causal:
        raise ConfigError("position.strict has no effect: it needs position.causal = true")
    for name in ("frequencies", "pairing", "dims"):
        if getattr(section, name) is not None and not section.rope:
            raise ConfigError(f"position.{name} has no effect: it needs position.rope = true")
    for name in ("sinusoidal", "learned"):
        if getattr(section, name) is not None and state != TOKENS:
            raise ConfigError(_why(f"state:{state}", f"embedding:{name}"))
    needs_base = section.sinusoidal is not None or (section.rope and section.frequencies is None)
    if section.base is not None and not needs_base:
        needed = "it needs position.rope = true or position.sinusoidal"
        raise ConfigError(f"position.base has no effect: {'the frequencies are given' if section.rope else needed}")
    return dataclasses.replace(
        section,
        strict=bool(section.strict) if section.causal else None,
        base=first(section.base, catalog.find("position", "rope").default("base")) if needs_base else None,
        pairing=first(section.pairing, "adjacent") if section.rope else None,
    )


def _resolve_potential(config: Config) -> PotentialSection | None:
    section, d = _resolve_kind(config.potential, "potential"), config.geometry.dim
    if section is None:
        return None
    name = "strength" if section.kind == "quadratic" else "direction"
    given = getattr(section, name)
    if isinstance(given, tuple) and len(given) != d:
        raise ConfigError(f"potential.{name} must have {d} entries, one per coordinate, got {len(given)}")
    scheme = config.normalization
    has_length = scheme is not None and catalog.find("normalization", scheme.kind).has("radius")
    if not isinstance(given, tuple) and config.geometry.kind == "sphere" and not has_length:
        raise ConfigError("potential.strength has no effect: |x|^2 is constant on the sphere; give one per coordinate")
    return section


def _resolve_perceptron(section: PerceptronSection | None, seed: int) -> PerceptronSection | None:
    if section is None:
        return None
    if section.gate is False:
        section = dataclasses.replace(section, gate=None)
    if section.width is None:
        for name in ("seed", "scale"):
            if getattr(section, name) is not None:
                raise ConfigError(f"perceptron.{name} is for random weights: it needs perceptron.width")
        if section.gate is True:
            raise ConfigError("perceptron.gate = true is for random weights: give perceptron.width, or a matrix")
        return section
    for name in ("W", "A", "b", "c", "gate", "gate_bias"):
        if getattr(section, name) not in (None, True):
            raise ConfigError(f"perceptron.{name} and perceptron.width exclude each other: given or random weights")
    if section.width < 1:
        raise ConfigError(f"perceptron.width must be at least 1, got {section.width}")
    scale = first(section.scale, catalog.find("perceptron", section.activation).default("scale"))
    return dataclasses.replace(section, seed=first(section.seed, seed), scale=scale)


def _resolve_noise(config: Config, seed: int) -> NoiseSection | None:
    section, state = config.noise, config.state.kind
    if section is None:
        return None
    if state != TOKENS and section.seed is not None:
        raise ConfigError(f"noise.seed has no effect: a {state} feels the noise on average, not along one path")
    if section.kappa is None:
        raise ConfigError("noise needs noise.kappa: it adds sqrt(2/kappa) dW")
    return dataclasses.replace(section, seed=first(section.seed, seed) if state == TOKENS else None)
