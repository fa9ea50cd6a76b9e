"""What a piece of a sweep computes: arrays from a config, cells and seeds. Pure, no disk; also in worker processes.

`compute` is what engines send out. A run that blows up is a result like any other: its outcome is kept, and what could
not be measured is NaN.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import tokenfield
from tokenfield._runtime.json import to_json
from tokenfield.ensemble import Piece as Block
from tokenfield.ensemble import compute as compute_block
from tokenfield.ensemble.statistics import STATISTICS, THRESHOLDS
from tokenfield.ensemble.vmapped import statistic_of
from tokenfield.errors import InvalidInput, TokenfieldError, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.observables import density_clusters, order_parameter
from tokenfield.solver.plan import explain
from tokenfield.solver.result import Outcome
from tokenfield.solver.save import Save
from tokenfield.solver.solve import solve
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study.builders import build_family, check_observable, measure_of
from tokenfield.study.builders.events import build_event
from tokenfield.study.config import Config
from tokenfield.study.kinds import DENSITY, TOKENS
from tokenfield.study.simulate import arguments_of
from tokenfield.study.sweep.axes import SEED
from tokenfield.study.sweep.plan import Piece, config_of, ensemble_of, fingerprint, needs_tokens, times_of
from tokenfield.study.sweep.quantities import FUNCTION, HITTING_TIME, OBSERVABLE, STATISTIC, TIME, Quantity

Arrays = dict[str, np.ndarray]


def versions() -> tuple[tuple[str, str], ...]:
    """The versions that decide a result."""
    import jax
    import jaxlib

    return (("tokenfield", tokenfield.__version__), ("jax", jax.__version__), ("jaxlib", jaxlib.__version__))


def compute(piece: Piece) -> Arrays:
    """The quantities of a piece by name, arrays (cells, seeds, ...), with `outcome` (codes) and `t_end` (times).

    Raises `InvalidInput` where other versions are installed than those that the piece is for, or files are others.
    """
    if piece.versions and piece.versions != versions():
        pairs = [f"{a[0]} {b[1]} instead of {a[1]}" for a, b in zip(piece.versions, versions(), strict=True) if a != b]
        raise InvalidInput(f"this worker has {', '.join(pairs)}: install the versions of the process that began it")
    for path, known in piece.files:
        if fingerprint(path) != known:
            raise InvalidInput(f"{path} is not what it was where the sweep began: who computes needs the same file")
    return _together(piece) if piece.is_together else _alone(piece)


def _together(piece: Piece) -> Arrays:
    config = config_of(piece.tables, {SEED: piece.seeds[0]})
    ensemble = ensemble_of(piece, config, piece.columns, piece.seeds)
    found = compute_block(ensemble, Block(range(len(piece.columns)), range(max(piece.size, len(piece.seeds)))))
    is_good = np.all([np.isfinite(values).all(axis=2) for values in found.values()], axis=0)
    # attention on the sphere goes on for ever: what does not finish has run out of steps
    codes = np.where(is_good, Outcome.FINISHED.value, Outcome.OUT_OF_STEPS.value).astype(np.int16)
    is_series = times_of(config) is not None
    values = {q.name: found[q.of] if is_series else found[q.of][..., -1] for q in piece.quantities}
    return {**values, "outcome": codes, "t_end": np.where(is_good, config.solve.t1, np.nan)}


@functools.lru_cache(maxsize=16)
def _family(text: str) -> Callable[..., Transformer]:
    return build_family(Config.from_dict(json.loads(text)))


def family_of(config: Config) -> Callable[..., Transformer]:
    """`build_family`, the same function for models of the same sections: programs are compiled once for each."""
    plain = {name: section for name, section in config.to_dict().items() if name in ("geometry", "attention")}
    plain["attention"] = {**plain["attention"], "beta": 1.0}
    return _family(to_json(plain))


def _alone(piece: Piece) -> Arrays:
    runs = [
        [measured(config_of(piece.tables, {**column, SEED: seed}), piece.quantities) for seed in piece.seeds]
        for column in piece.columns
    ]
    return {name: _stacked(name, [[run[name] for run in row] for row in runs]) for name in runs[0][0]}


def _stacked(name: str, rows: list[list[Any]]) -> np.ndarray:
    """The values of runs as one array: NaN where one has fewer numbers than another, all of it for a lone NaN."""
    shape = largest_shape(name, (np.shape(value) for row in rows for value in row))
    if all(np.shape(value) == shape for row in rows for value in row):
        return np.array(rows)
    found = np.full((len(rows), len(rows[0]), *shape), np.nan)
    for place in np.ndindex(*found.shape[:2]):
        value = np.asarray(rows[place[0]][place[1]])
        found[(*place, *map(slice, value.shape))] = value
    return found


def largest_shape(name: str, shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The least shape in which all `shapes` have room, single numbers apart; raises `InvalidInput` if there is none."""
    found = {shape for shape in shapes if shape}
    if len({len(shape) for shape in found}) > 1:
        words = " and ".join(map(str, sorted(found)[:2]))
        raise InvalidInput(
            f"the measure '{name}' has arrays of the shapes {words}: return as many dimensions in all runs"
        )
    return tuple(map(max, *found)) if len(found) > 1 else next(iter(found), ())


def measured(config: Config, quantities: tuple[Quantity, ...]) -> dict[str, Any]:
    """The quantities of the run of `config` by name, with its `outcome` and `t_end`."""
    model, start = config.build()
    found: dict[str, Any] = {}
    of_run = [quantity for quantity in quantities if quantity.kind != TIME]
    run = None
    if of_run:
        times = times_of(config)
        keeps = times is not None or needs_tokens(of_run)
        save = Save(times=config.solve.save, tokens=keeps)
        run = _solved(model, start, **{**arguments_of(config, model), "save": save})
        found |= {quantity.name: _value(quantity, run, config, times) for quantity in of_run}
    for quantity in quantities:
        if quantity.kind == TIME:
            event = build_event(event_of(quantity, config), model, config.state.kind)
            stopped = _solved(model, start, **{**arguments_of(config, model), "save": "end", "events": (event,)})
            is_hit = stopped.result.outcome is Outcome.EVENT
            found[quantity.name] = float(stopped.result.t) if is_hit else np.nan
            run = stopped if run is None else run
    assert run is not None
    code = min(int(run.result.code), Outcome.EVENT.value)
    return {**found, "outcome": np.int16(code), "t_end": float(run.result.t)}


def event_of(quantity: Quantity, config: Config) -> str:
    """The event whose time is taken, as a config writes it."""
    if quantity.of != HITTING_TIME:
        return quantity.of
    return config.solve.events[0] if config.solve.events else "consensus"


def _solved(model: Transformer, start: Any, **options: Any) -> Trajectory:
    run = solve(model, start, progress=False, **options)
    if run.result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return run


def _value(quantity: Quantity, run: Trajectory, config: Config, times: tuple[float, ...] | None) -> Any:
    """The value of a quantity at the end of a run, or at each of the times; NaN where the run did not get so far."""
    if quantity.kind == FUNCTION:
        return _called(quantity, run)
    function = _function(quantity, config, isinstance(run.model.geometry, Sphere))
    if times is None:
        is_good = run.result.is_complete
        values = np.asarray(function(run.final, run.model, run.result.t), float)
        return values if is_good else np.full(values.shape, np.nan)
    reached = np.asarray(run.ts)
    rows = [np.asarray(function(run.measure(k), run.model, run.ts[k]), float) for k in range(len(reached))]
    result = np.full((len(times), *np.shape(rows[0])), np.nan)
    for t, row in zip(reached, rows, strict=True):
        # an event ends a run between two times: that state belongs to none of them
        k = int(np.argmin(np.abs(np.asarray(times) - t)))
        if np.isclose(times[k], t, rtol=1e-9, atol=1e-12) and np.all(np.isfinite(np.asarray(row))):
            result[k] = row
    return result


def _called(quantity: Quantity, run: Trajectory) -> Any:
    try:
        return np.asarray(quantity.call(run), float)
    except Exception as error:
        if not run.result.is_complete:
            return np.nan  # that it cannot be measured says no more than its outcome
        if isinstance(error, TokenfieldError):
            raise
        raise InvalidInput(
            f"the measure '{quantity.name}' failed: {error!r}; it takes a run and returns numbers"
        ) from error


def _function(quantity: Quantity, config: Config, is_sphere: bool) -> Callable[[Any, Transformer, Any], Any]:
    state = config.state.kind
    if quantity.kind == OBSERVABLE:
        return measure_of(quantity.of, state)
    if state == TOKENS and is_sphere:
        threshold = THRESHOLDS[quantity.of] if quantity.detail is None else float(quantity.detail)
        return _statistic(quantity.of, threshold)
    if quantity.of == "order":
        return lambda mu, model, t: order_parameter(mu)
    if state == DENSITY:
        return lambda mu, model, t: density_clusters(mu)
    return lambda mu, model, t: _count(mu, model, t, quantity.detail)


def _count(mu: Measure, model: Transformer, t: Any, delta: float | None) -> float:
    """The number of clusters of tokens in R^d, which is no matter of cosines."""
    from tokenfield.observables import cluster_scale, clusters

    if not np.all(np.isfinite(np.asarray(mu.points))):
        return np.nan
    return float(clusters(mu, model.geometry, delta=cluster_scale(model, float(t)) if delta is None else delta).count)


@functools.cache
def _statistic(name: str, threshold: float) -> Callable[[Any, Transformer, Any], Any]:
    import equinox as eqx

    return eqx.filter_jit(lambda mu, model, t: statistic_of(mu, statistic=STATISTICS[name], threshold=threshold))


def check_runs(config: Config, quantities: tuple[Quantity, ...]) -> None:
    """Raises a `TokenfieldError` if the run of `config` would be refused, or a quantity is not defined for it."""
    model, start = config.build()
    state = config.state.kind
    explain(model, start, **arguments_of(config, model))
    for quantity in quantities:
        if quantity.kind == OBSERVABLE:
            check_observable(quantity.of, model, state)
        elif quantity.kind == TIME:
            build_event(event_of(quantity, config), model, state)
        elif quantity.kind == STATISTIC:
            _check_statistic(quantity, config, isinstance(model.geometry, Sphere))


def _check_statistic(quantity: Quantity, config: Config, is_sphere: bool) -> None:
    name, threshold = quantity.of, quantity.detail
    if threshold is not None and not 1e-12 <= threshold < 2:
        raise InvalidInput(f"the threshold of {name} must lie in [1e-12, 2), got {threshold:g}")
    is_tokens = config.state.kind == TOKENS
    allowed = tuple(STATISTICS) if is_tokens and is_sphere else ("clusters", "order")
    if name not in allowed or (config.state.kind == "gaussian" and name != "order"):
        where = f"tokens on the sphere, not a {config.state.kind}" if not is_tokens else "the sphere, not R^d"
        raise Unsupported(f"'{name}' is a statistic of {where}: use one of {', '.join(allowed)}")
    if config.solve.merge and name != "clusters":
        raise Unsupported(f"'{name}' counts tokens one by one: leave out solve.merge, or measure clusters")


def kinds_of(found: Mapping[str, np.ndarray]) -> dict[str, int]:
    """How many runs ended in which way, by the word for it; runs that are missing do not count."""
    codes = np.asarray(found["outcome"])
    labels = {outcome.value: outcome.label for outcome in Outcome}
    return {labels[int(code)]: int(np.sum(codes == code)) for code in np.unique(codes) if int(code) in labels}
