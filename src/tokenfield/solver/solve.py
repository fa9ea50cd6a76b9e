"""`solve`: the only time loop. From a model and a measure to a `Trajectory`; no plotting, no disk.

Called with plain arrays, the flow advances in short compiled chunks, so that progress shows and Ctrl-C returns what
is done. Called inside `jax.jit`, `vmap` or `grad`, the same integration is one traced call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.errors import InvalidInput
from tokenfield.flows.clusters import merging_flow
from tokenfield.flows.density import DensityFlow
from tokenfield.flows.flow import Flow
from tokenfield.flows.gaussian import GaussianFlow
from tokenfield.flows.reduced import ReducedFlow, reduced
from tokenfield.flows.tokens import TokenFlow
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian
from tokenfield.measure import Measure
from tokenfield.model.summing import TOLERANCE
from tokenfield.model.transformer import Transformer
from tokenfield.solver import trajectory as end
from tokenfield.solver.events import Event, When
from tokenfield.solver.integration import Chunk, Integration, State, advance, begin
from tokenfield.solver.merging.watch import MERGE_STEPS, MERGE_WINDOW, STEPS_BYTES, Merging, joining_distance
from tokenfield.solver.save import Recorder, Save
from tokenfield.solver.steppers import (
    METHODS,
    Method,
    adaptive_controller,
    find_method,
    fixed_controller,
    fixed_times,
)
from tokenfield.solver.trajectory import Result, Stats, Trajectory

MAX_STEPS = 1_000_000
MAX_STEPS_TRACED = 16_384  # traced loops keep checkpoints for reverse-mode differentiation: memory ~ sqrt of this
CHUNK_PAIRS = 1e9  # pair interactions per compiled chunk: about a second of work between two looks at Ctrl-C
CHUNK_STEPS = 512
WINDOW_BYTES = 2**26  # saved states held on the device at a time


def solve(
    model: Transformer,
    start: Measure | ArrayLike | Density | Gaussian,
    *,
    t1: float,
    t0: float = 0.0,
    method: str | None = None,
    step: float | None = None,
    layers: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    norm: str | None = None,
    save: Save | int | str | Sequence[float] | None = None,
    events: Event | Callable[..., Any] | Sequence[Event | Callable[..., Any]] = (),
    merge: bool | float | None = None,
    clock: str = "time",
    speed: float | None = None,
    max_steps: int | None = None,
    progress: bool | None = None,
) -> Trajectory:
    """The trajectory under `model` from `start` at `t0` to `t1`.

    `start` is a `Measure` or points (n, d), which move as tokens; a `Density`, which moves by the continuity equation
    of infinitely many tokens; or a `Gaussian`, of which mean and covariance move (see `tokenfield.laws`).
    `method` is "tsit5" (adaptive, order 5, the default), "dopri8" (adaptive, order 8), or with a fixed `step` "rk4",
    "euler" or "euler-normalise" (unprojected Euler, then normalize: the scheme of the published figures), "heun" (the
    default with noise, in the sense of Stratonovich) or "lie-trotter" (attention, then perceptron). Densities on cells
    take "ssprk3"; other densities and Gaussians may also take "kvaerno5" (implicit).
    `layers=L` runs the model as a residual network of L layers with step (t1 - t0)/L, each normalized where its
    scheme normalizes.
    `save` says what is kept (see `Save`), `events` when to stop early (see `tokenfield.events`; a plain function of
    (t, measure, model) will do). `rtol` (default 1e-7; 1e-5 for float32 tokens) and `atol` (default rtol/100) bound the
    local error per step: in the root mean square over all coordinates, as SciPy does, or with `norm="max"` in every
    coordinate of every token, which also resolves one token that moves among many that rest.
    `merge=True` joins the tokens of a collapsed cluster into one weighted token, so that times like e^{beta} take a few
    hundred steps; a number is the distance at which tokens join (by default three times the local error, and
    norm="max"). The run then knows its `mergers`. With `clock="distance"` the time is the distance that all tokens
    travel together, (sum_i |dx_i|^2)^{1/2}, `speed` (by default 1) per unit of time: slow motion takes no longer.
    After `max_steps` a run ends as "out-of-steps". Works under `jax.vmap` and `jax.grad`.

    >>> from tokenfield import Softmax, Sphere, initial
    >>> model = Transformer(Sphere(3), Softmax(beta=1.0))
    >>> run = solve(model, initial.uniform(model.geometry, n=8, seed=0), t1=1.0, save="end")
    >>> str(run.result)
    'finished at t = 1'
    """
    t0, t1 = _check_times(t0, t1)
    notes: tuple[str, ...]
    flow = as_flow(model, start, t0, t1)
    tolerance = joining_distance(merge, sum(tolerances(rtol, atol, jnp.float64)), clock=clock, speed=speed)
    if tolerance is None:
        flow, notes = reduced(flow)
        flow = prepared(flow, t0, t1, rtol)
        notes += tuple(str(choice) for choice in flow.choices if choice.expansion is not None)
    else:
        flow, notes = merging_flow(flow, clock=clock, speed=1.0 if speed is None else speed)
    problem = _Problem.build(
        flow,
        t0,
        t1,
        method=method,
        step=step,
        layers=layers,
        rtol=rtol,
        atol=atol,
        norm=norm or ("rms" if tolerance is None else "max"),
        save=save,
        events=events,
        merge=tolerance,
    )
    problem = replace(problem, model=model, notes=notes)
    if max_steps is not None and max_steps < 1:
        raise InvalidInput(f"max_steps must be at least 1, got {max_steps}")
    if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(flow)):
        return _solve_traced(problem, max_steps or MAX_STEPS_TRACED)
    return _solve_in_chunks(problem, max_steps or MAX_STEPS, progress)


def as_measure(tokens: Measure | ArrayLike, model: Transformer) -> Measure:
    """`tokens` as a checked measure on the geometry of `model`, with radii if the model moves them."""
    if not isinstance(tokens, Measure):
        tokens = Measure(tokens)
    radii = jnp.ones_like(tokens.weights) if tokens.radii is None and model.has_radius else tokens.radii
    return Measure(tokens.points, tokens.weights, positions=tokens.positions, radii=radii, geometry=model.geometry)


@dataclass(frozen=True)
class _Problem:
    """A checked problem: what to integrate, from when to when, saved at which times."""

    integration: Integration
    t0: float
    t1: float
    times: np.ndarray
    merging: Merging | None
    model: Transformer  # as the caller gave it
    notes: tuple[str, ...] = ()

    @staticmethod
    def build(flow, t0, t1, *, method, step, layers, rtol, atol, norm, save, events, merge) -> _Problem:
        merging = None
        if merge is not None:
            merging, flow = Merging.begin(flow, t0, merge)
        chosen, step = _choose_method(flow, method, step, layers, t1 - t0)
        dtype = flow.start.dtype
        jumps = flow.model.jumps(t0, t1)
        if chosen.is_adaptive:
            bounds = tolerances(rtol, atol, dtype)
            # with a clock of distance, steps must end where tokens meet
            valid = chosen.keeps_valid or (merging is not None and flow.inner.pace is not None)
            controller = adaptive_controller(*bounds, flow.norm(norm), jumps, dtype, valid=valid)
        else:
            # a layer is a layer, wherever the weights jump: it acts with those of its middle
            cuts = jumps[:0] if chosen.name == "layers" else jumps
            controller = fixed_controller(fixed_times(t0, t1, step, cuts), dtype)
        saved = Save.parse(save)
        user = _as_events(events)
        integration = Integration(
            flow=flow,
            controller=controller,
            events=user,
            method=chosen,
            keeps_states=saved.tokens,
            observables=tuple(saved.observables.items()),
            keeps_steps=merging is not None,
        )
        times = saved.resolve(t0, t1, bytes_per_time=integration.bytes_per_time)
        return _Problem(integration, t0, t1, times, merging, flow.model)


def as_flow(model: Transformer, start: Any, t0: float, t1: float) -> Flow:
    """The flow of `model` from `start`, in the way that `start` holds the measure."""
    if isinstance(start, Density):
        return DensityFlow.build(model, start)
    if isinstance(start, Gaussian):
        return GaussianFlow.build(model, start)
    mu = as_measure(start, model)
    path = None if model.noise is None else model.noise.path(t0, t1, mu.n, mu.d, mu.points.dtype)
    return TokenFlow(model, mu, path)


def prepared(flow: Flow, t0: float, t1: float, rtol: float | None) -> Flow:
    """`flow` with the way to sum chosen, which needs numbers that are not known inside compiled code."""
    if isinstance(flow, ReducedFlow):
        return replace(flow, inner=prepared(flow.inner, t0, t1, rtol))
    if not isinstance(flow, TokenFlow):
        return flow
    # errors of sums far below those of the steps, but not below what rounding allows
    tolerance = TOLERANCE if rtol is None else float(np.clip(rtol / 1000, 1e-13, TOLERANCE))
    return flow.with_model(flow.model.prepared(flow.tokens, t0=t0, t1=t1, tolerance=tolerance))


def _check_times(t0: float, t1: float) -> tuple[float, float]:
    try:
        t0, t1 = float(t0), float(t1)
    except (TypeError, jax.errors.ConcretizationTypeError) as error:
        raise InvalidInput("t0 and t1 must be plain numbers, also inside jax.jit") from error
    if not (np.isfinite(t0) and np.isfinite(t1) and t1 > t0):
        raise InvalidInput(f"a flow needs finite times t0 < t1, got t0 = {t0:g}, t1 = {t1:g}")
    return t0, t1


def tolerances(rtol: float | None, atol: float | None, dtype: Any) -> tuple[float, float]:
    """The relative and absolute tolerances, with defaults for `None` that suit the precision of the tokens."""
    if rtol is None:
        rtol = 1e-7 if jnp.dtype(dtype) == jnp.float64 else 1e-5  # float32 rounding would reject every step at 1e-7
    if atol is None:
        atol = rtol / 100
    if not (0 < rtol < 1 and atol >= 0 and np.isfinite(atol)):
        raise InvalidInput(f"tolerances need 0 < rtol < 1 and atol >= 0, got rtol = {rtol}, atol = {atol}")
    return float(rtol), float(atol)


def _choose_method(
    flow: Flow, name: str | None, step: float | None, layers: int | None, span: float
) -> tuple[Method, float]:
    model = flow.model
    if layers is not None:
        if "layer" not in flow.abilities:
            raise InvalidInput("layers=L moves tokens: densities and Gaussians follow the flow in continuous depth")
        if name is not None or step is not None:
            raise InvalidInput("layers=L fixes the method and the step: leave out method and step")
        if isinstance(layers, bool) or int(layers) != layers or layers < 1:
            raise InvalidInput(f"layers must be a whole number >= 1, got {layers!r}")
        return find_method("layers"), span / int(layers)
    method = find_method(name or flow.default_method, flow)
    if not method.suits(flow):
        kind = type(flow).__name__.removesuffix("Flow").lower()
        offered = [method.name for method in METHODS.values() if method.suits(flow)]
        raise InvalidInput(f"method {method.name!r} is not for this {kind}: use one of {', '.join(offered)}")
    if isinstance(flow, (TokenFlow, ReducedFlow)) and model.noise is not None and not method.takes_noise:
        raise InvalidInput(f"method {method.name!r} ignores noise: use 'heun' with a step, or layers=L")
    if not method.is_projected and model.normalization is not None:
        raise InvalidInput("'euler-normalise' is the scheme without a normalization: use layers=L for its layers")
    if method.is_adaptive:
        if step is not None:
            raise InvalidInput(f"method {method.name!r} chooses its own steps: leave out step, or use 'rk4'")
        return method, 0.0
    if step is None:
        raise InvalidInput(f"method {method.name!r} needs a step, for example step=0.1")
    if not (np.isfinite(step) and step > 0):
        raise InvalidInput(f"step must be positive, got {step}")
    return method, float(step)


def _as_events(events: Any) -> tuple[Event, ...]:
    if isinstance(events, Event) or callable(events):
        events = (events,)
    for event in events:
        if not (isinstance(event, Event) or callable(event)):
            raise InvalidInput(f"an event must be callable with (t, measure, model), got {event!r}")
    return tuple(
        event if isinstance(event, Event) else When(event, name=getattr(event, "__name__", "event")) for event in events
    )


def _solve_traced(problem: _Problem, max_steps: int) -> Trajectory:
    integration = problem.integration
    t0, t1, times = (jnp.asarray(t, integration.dtype) for t in (problem.t0, problem.t1, problem.times))
    chunk = advance(integration, begin(integration, t0, t1), times, t1, max_steps)
    # Shapes are fixed inside a trace: after an early end the last state is held, never inf.
    is_reached = chunk.ts <= chunk.state.t

    def hold(values: Array, at_end: Array) -> Array:
        return jnp.where(is_reached.reshape((-1,) + (1,) * at_end.ndim), values, at_end)

    kept = jax.tree.map(hold, chunk.saved, integration.kept(chunk.state.y))
    ts = jnp.where(is_reached, times, chunk.state.t)
    return Trajectory(
        ts=ts,
        states=kept.states,
        observables=kept.observables,
        final=integration.flow.law(chunk.state.y),
        result=Result(
            chunk.code,
            chunk.state.t,
            integration.event_names,
            _unresolved_from(integration, ts, kept.observables),
        ),
        stats=Stats(chunk.accepted, chunk.rejected, jnp.zeros(())),
        model=problem.model,
        notes=problem.notes,
    )


_begin_compiled = eqx.filter_jit(begin)
_advance_compiled = eqx.filter_jit(advance)


def _solve_in_chunks(problem: _Problem, max_steps: int, progress: bool | None) -> Trajectory:
    started = time.perf_counter()
    integration, recorder, merging = problem.integration, Recorder(), problem.merging
    as_time = partial(jnp.asarray, dtype=integration.dtype)
    offset = float(integration.flow.offset)
    state = _begin_compiled(integration, as_time(problem.t0 - offset), as_time(problem.t1 - offset))
    _check_start(state)
    window = _window(problem)
    pending, accepted, rejected = problem.times, 0, 0
    code, t = end.OUT_OF_STEPS, problem.t0
    try:
        with Interrupts() as interrupts, Progress("solving", shown=progress) as bar:
            while code == end.OUT_OF_STEPS and accepted + rejected < max_steps:
                if interrupts.requested:
                    raise KeyboardInterrupt
                steps = min(_chunk_steps(integration), max_steps - accepted - rejected)
                offset = float(integration.flow.offset)
                chunk = _run_chunk(integration, state, pending - offset, problem.t1 - offset, window, steps)
                count, t = recorder.take(pending, chunk), offset + float(chunk.state.t)
                while count == window and len(pending) > window and pending[window] <= t:
                    # more save times in this chunk than the window holds: the same steps again, for the next of them
                    pending = pending[window:]
                    again = _run_chunk(integration, state, pending - offset, problem.t1 - offset, window, steps)
                    count = recorder.take(pending, again)
                pending = pending[count:]
                code = int(chunk.code)
                accepted += int(chunk.accepted)
                rejected += int(chunk.rejected)
                if bool(jnp.all(jnp.isfinite(chunk.state.y))):
                    state = chunk.state
                    if merging is not None:
                        integration, state, code = merging.after(integration, chunk, state)
                bar.update(_fraction(problem, t), f"t = {t:.4g}")
    except KeyboardInterrupt:
        code, t = end.INTERRUPTED, float(integration.flow.offset) + float(state.t)
    last = float(integration.flow.offset) + float(state.t)
    if code != end.FINISHED and (not recorder.ts or last > recorder.ts[-1]):
        # a flow that ends early also keeps the state where it ended
        recorder.add(np.array([last]), jax.tree.map(lambda a: a[None], integration.kept(state.y)))
    kept = recorder.stacked()
    ts = as_time(recorder.ts)
    return Trajectory(
        ts=ts,
        states=kept.states,
        observables=kept.observables,
        final=integration.flow.law(state.y),
        result=Result(
            jnp.asarray(code),
            as_time(t),
            integration.event_names,
            _unresolved_from(integration, ts, kept.observables),
        ),
        stats=Stats(jnp.asarray(accepted), jnp.asarray(rejected), jnp.asarray(time.perf_counter() - started)),
        model=problem.model,
        mergers=None if merging is None else merging.mergers(integration.flow, state.y, last),
        notes=problem.notes,
    )


def _unresolved_from(integration: Integration, ts: Array, observables: dict[str, Array]) -> Array | float:
    """The first saved time at which a density that goes on was too rough for its grid."""
    if "roughness" not in observables or integration.flow.endings:
        return np.inf
    return jnp.min(jnp.where(observables["roughness"] > 1, ts, jnp.inf))


def _window(problem: _Problem) -> int:
    """How many saved states one chunk can hold: a power of two, so that few shapes are compiled."""
    largest = max(WINDOW_BYTES // max(problem.integration.bytes_per_time, 1), 1)
    if problem.merging is not None:
        largest = min(largest, MERGE_WINDOW)
    return min(2 ** int(np.ceil(np.log2(len(problem.times)))), 2 ** int(np.log2(largest)))


def _chunk_steps(integration: Integration) -> int:
    """How many steps one chunk may take."""
    steps = np.clip(CHUNK_PAIRS / integration.flow.pairs, 4, CHUNK_STEPS)
    if integration.keeps_steps:
        steps = min(steps, np.clip(STEPS_BYTES / integration.flow.start.nbytes, 4, MERGE_STEPS))
    return int(steps)


def _run_chunk(
    integration: Integration, state: State, pending: np.ndarray, t1: float, window: int, steps: int
) -> Chunk:
    """At most `steps` steps from `state`, saving at the first `window` of the `pending` times."""
    padded = np.append(pending[:window], np.full(max(window - len(pending), 0), t1))
    # a save time exactly at a jump of the weights may lie some ulps behind the state that steps over it
    ts = jnp.maximum(jnp.asarray(padded, integration.dtype), state.t)
    chunk = _advance_compiled(integration, state, ts, jnp.asarray(t1, integration.dtype), steps)
    return jax.block_until_ready(chunk)


def _fraction(problem: _Problem, t: float) -> float:
    """How much of the run is done: by saved times, which follow the user's idea of progress also on a log scale."""
    times = np.concatenate([[problem.t0], problem.times, [problem.t1]])
    return float(np.interp(t, times, np.linspace(0, 1, len(times))))


def _check_start(state: State) -> None:
    """Refuses a flow whose first velocity is not finite: no step size could save it."""
    if not np.isfinite(float(state.dt)):
        raise InvalidInput(
            "the velocity at t0 is not finite: exp(beta <Qx, Ky>) overflows; use Softmax, a smaller beta, "
            "or rescaled=True in R^d"
        )
