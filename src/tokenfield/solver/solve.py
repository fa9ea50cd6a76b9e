"""`solve`: from a model and a measure to a `Trajectory`. No plotting, no disk.

Called with plain arrays, the flow advances in short compiled chunks, so that progress shows and Ctrl-C returns what
is done. Called inside `jax.jit`, `vmap` or `grad`, the same integration is one traced call. What is done is decided in
`tokenfield.solver.plan`; the only time loop is `tokenfield.solver.integration`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.arrays import as_array
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.errors import InvalidInput, Unfinished, Unsupported
from tokenfield.laws.masked import AnyDensity
from tokenfield.laws.masked_gaussian import AnyGaussian
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.solver.checkpoint import SoFar
from tokenfield.solver.events import Event
from tokenfield.solver.integration import Chunk, Integration, State, advance, begin, held
from tokenfield.solver.merging.watch import MERGE_STEPS, MERGE_WINDOW, STEPS_BYTES
from tokenfield.solver.options import MAX_STEPS, Clock, Merge, Stepping
from tokenfield.solver.plan import Plan, explain
from tokenfield.solver.result import Outcome, Result
from tokenfield.solver.save import Save
from tokenfield.solver.trajectory import Stats, Trajectory
from tokenfield.sums.devices import of_all_hosts

MAX_STEPS_TRACED = 16_384  # traced loops keep checkpoints for reverse-mode differentiation: at most 64 of them
CHUNK_PAIRS = 1e9  # pair interactions per compiled chunk: about a second of work between two looks at Ctrl-C
CHUNK_STEPS = 512
WINDOW_BYTES = 2**26  # saved states held on the device at a time


@checked
def solve(
    model: Transformer | tuple[Transformer, Transformer],
    start: Measure | ArrayLike | AnyDensity | AnyGaussian | Trajectory | tuple[Any, Any],
    *,
    t1: float,
    t0: float | None = None,
    method: str | Stepping | Any = None,
    step: float | None = None,
    layers: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    save: Save | int | str | Sequence[float] | None = None,
    events: Event | Callable[..., Any] | Sequence[Event | Callable[..., Any]] = (),
    merge: bool | float | Merge | None = None,
    clock: str | Clock = "time",
    max_steps: int | None = None,
    progress: bool | None = None,
    throw: bool = False,
) -> Trajectory:
    """The trajectory under `model` from `start` at `t0` to `t1`.

    One unit of time is one unit of depth: a residual network of L layers with step h reaches t = L h. Works under
    `jax.jit`, `jax.vmap` and `jax.grad`. `explain` takes the same arguments and says what `solve` would do.

    Args:
        model: What moves the tokens. A pair (encoder, decoder) moves a pair of measures: first the encoder its own,
            with the same options; then the decoder, whose cross-attention looks at where they ended.
        start: A `Measure` or points (n, d), which move as tokens; a `Density`, which moves by the continuity equation
            of infinitely many tokens; or a `Gaussian`, of which mean and covariance move. A run, the `Trajectory` of
            an earlier `solve`, goes on from where it ended: the result has the times from there on, and is that of one
            longer solve within the tolerances (with noise, in law: what comes next is independent of what was).
        t1: The final time.
        t0: The time at the start, by default 0, or where the run ended.
        method: The name of a method: "tsit5" (adaptive, order 5, the default), "dopri8" (adaptive, order 8), with a
            `step` "rk4", "euler", "heun" (the default with noise), "lie-trotter" or "euler-normalise" (the scheme of
            the published figures), "ssprk3" for densities on cells, "kvaerno5" (implicit) for other densities and
            Gaussians. Or an `Adaptive`, `FixedStep` or `Layers` with all its options, or any solver of diffrax.
        step: The length of fixed steps, in units of time; only for methods of fixed steps.
        layers: Runs the model as a residual network of so many layers with step (t1 - t0)/layers, each normalized
            where its scheme normalizes.
        rtol: Bound on the relative local error of a step, by default 1e-7 (1e-5 for float32 tokens).
        atol: Bound on the absolute local error of a step, by default rtol/100.
        save: What is kept: a count of times, a list of times, "end", "log:COUNT", or a `Save`; by default 101 times.
        events: When to stop early: events of `tokenfield.events`, or functions of (t, measure, model).
        merge: True joins the tokens of a collapsed cluster into one weighted token, so that times like e^{beta} take a
            few hundred steps; a number is the distance at which they join. The run then knows its `mergers`.
        clock: "distance" makes the time the distance that all tokens travel together, so that slow motion takes no
            longer; it needs `merge`. A `Clock` also sets the speed.
        max_steps: After so many steps a run ends as "out-of-steps", by default a million (16,384 inside `jax.jit`).
        progress: Whether a progress bar is shown, by default if the run takes long and somebody watches.
        throw: Whether a run that does not finish raises `Unfinished` instead of returning.

    Returns:
        The `Trajectory`; its `result` says how the run ended, and `notes` what was reduced and summed fast. Of a pair
        it is that of the decoder, and `run.model.memory` is where the encoder ended.

    Raises:
        InvalidInput: If an argument makes no sense, such as NaN tokens, t1 before t0, or an unknown method.
        Unsupported: If model, start and options do not go together; the message says why.
        TooLarge: If there is not enough memory; the message says how much it takes.
        Unfinished: With `throw`, if the run neither reached `t1` nor one of the `events`.

    >>> from tokenfield import Softmax, Sphere, initial
    >>> model = Transformer(Sphere(3), Softmax(beta=1.0))
    >>> run = solve(model, initial.uniform(Sphere(3), n=8, seed=0), t1=1.0, save="end")
    >>> str(run.result)
    'finished at t = 1'
    >>> solve(model, run, t1=3.0, save=3).ts.tolist()
    [1.0, 2.0, 3.0]
    """
    if isinstance(model, tuple):
        model, start = _decoder(
            model, start, t1=t1, t0=t0, method=method, step=step, layers=layers, rtol=rtol, atol=atol
        )
    plan = explain(
        model,
        start,  # type: ignore[arg-type]
        t1=t1,
        t0=t0,
        method=method,
        step=step,
        layers=layers,
        rtol=rtol,
        atol=atol,
        save=save,
        events=events,
        merge=merge,
        clock=clock,
        max_steps=max_steps,
    )
    if plan.is_traced:
        if throw:
            raise Unsupported("throw=True looks at the result: call solve outside jax.jit, vmap and grad")
        return _solve_traced(plan)
    run = solve_plan(plan, progress=progress)
    if throw and not run.result.is_complete:
        raise Unfinished(f"the run did not finish: {run.result}", run)
    return run


def _decoder(models: tuple[Transformer, ...], starts: Any, **options: Any) -> tuple[Transformer, Any]:
    """The decoder of a pair with the tokens of its encoder as memory, and where it starts."""
    if len(models) != 2 or not (isinstance(starts, tuple | list) and len(starts) == 2):
        raise InvalidInput(
            "an encoder and a decoder need a pair of starts: solve((encoder, decoder), (source, target))"
        )
    encoder, decoder = models
    encoded = solve(encoder, starts[0], save="end", progress=False, **options)
    if not isinstance(encoded.final, Measure):
        raise Unsupported("cross-attention looks at tokens: the encoder must start from a Measure")
    return decoder.with_memory(encoded.final), starts[1]


def _solve_traced(plan: Plan) -> Trajectory:
    integration = plan.integration
    t0, t1, times = (jnp.asarray(t, integration.dtype) for t in (plan.t0, plan.t1, plan.times))
    steps, end_only = plan.max_steps or MAX_STEPS_TRACED, plan.times.tolist() == [plan.t1]
    chunk = advance(integration, begin(integration, t0, t1), times, t1, steps, saves_end_only=end_only)
    # after an early end the last state is held, never inf
    kept, ts = held(integration, chunk), jnp.where(chunk.ts <= chunk.state.t, times, chunk.state.t)
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
        model=plan.model,
        notes=plan.notes,
    )


begin_compiled = eqx.filter_jit(begin)
_advance_compiled = eqx.filter_jit(partial(advance, is_differentiable=False))


def solve_plan(
    plan: Plan,
    *,
    progress: bool | None = None,
    keep: Callable[[SoFar, bool], None] = lambda so_far, is_interrupted: None,
    restore: Callable[[SoFar], None] = lambda so_far: None,
) -> Trajectory:
    """The trajectory of a plan, solved in chunks; Ctrl-C returns what is done.

    `keep` is called after each chunk but the last with what there is of the run, and once more with true if it is
    interrupted.
    `restore` may put a run that has just begun where an earlier one was: it then goes on as that one would have.
    """
    started, max_steps = time.perf_counter(), plan.max_steps or MAX_STEPS
    offset = float(plan.integration.flow.offset)
    t0, t1 = (as_array(t - offset, plan.integration.dtype) for t in (plan.t0, plan.t1))
    run = SoFar.begin(plan, begin_compiled(plan.integration, t0, t1))
    check_start(run.state, plan)
    restore(run)
    earlier, window = run.seconds, _window(plan)
    code, t = Outcome.OUT_OF_STEPS.value, run.t
    try:
        with Interrupts(holds=jax.process_count() > 1) as interrupts, Progress("solving", shown=progress) as bar:
            bar.stage("compiling")
            while code == Outcome.OUT_OF_STEPS.value and run.accepted + run.rejected < max_steps:
                # hosts stop together: one that went away alone would leave the others waiting for its tokens
                if of_all_hosts(np.array(interrupts.requested)).any():
                    raise KeyboardInterrupt
                chunks = _next_chunks(run, plan, window, max_steps - run.accepted - run.rejected)
                interrupts.hold()
                with interrupts.shielded():
                    code, t = _take(run, chunks)
                run.seconds = earlier + time.perf_counter() - started
                bar.update(_fraction(plan, t), f"t = {t:.4g}")
                if code == Outcome.OUT_OF_STEPS.value:
                    keep(run, False)
    except KeyboardInterrupt:
        code, t = Outcome.INTERRUPTED.value, run.t
        keep(run, True)
    return _trajectory(plan, run, code, t)


def _next_chunks(run: SoFar, plan: Plan, window: int, most: int) -> list[tuple[np.ndarray, Chunk]]:
    """The next chunk of `run`, of at most so many steps, with the times that it was to save.

    Where more times fall into it than the window holds, the same steps are taken again for the next of them.
    """
    integration, state, pending = run.integration, run.state, run.pending
    steps, offset = min(_chunk_steps(integration), most), float(integration.flow.offset)
    chunks: list[tuple[np.ndarray, Chunk]] = []
    while True:
        chunk = run_chunk(integration, state, pending - offset, plan.t1 - offset, window, steps)
        chunks.append((pending, chunk))
        is_full = run.recorder.count(pending, chunk) == window and len(pending) > window
        if not (is_full and pending[window] <= offset + float(chunks[0][1].state.t)):
            return chunks
        pending = pending[window:]


def _take(run: SoFar, chunks: list[tuple[np.ndarray, Chunk]]) -> tuple[int, float]:
    """Moves `run` to the end of its next chunk; returns the code with which that ended, and its time."""
    chunk, t = chunks[0][1], float(run.integration.flow.offset) + float(chunks[0][1].state.t)
    for pending, part in chunks:
        run.pending = pending[run.recorder.take(pending, part) :]
    code = int(chunk.code)
    run.accepted += int(chunk.accepted)
    run.rejected += int(chunk.rejected)
    if code != Outcome.BLEW_UP.value or bool(jnp.all(jnp.isfinite(chunk.state.y))):  # others are finite
        run.state = chunk.state
        if run.merging is not None:
            run.integration, run.state, code = run.merging.after(run.integration, chunk, run.state)
    return code, t


def _trajectory(plan: Plan, run: SoFar, code: int, t: float) -> Trajectory:
    """The trajectory of a run that ended with a `code` at `t`."""
    integration, recorder, last = run.integration, run.recorder, run.t
    if code != Outcome.FINISHED.value and (not recorder.ts or last > recorder.ts[-1]):
        # a flow that ends early also keeps the state where it ended
        recorder.add(np.array([last]), jax.tree.map(lambda a: a[None], integration.kept(run.state.y)))
    kept = recorder.stacked()
    ts = as_array(recorder.ts, integration.dtype)
    return Trajectory(
        ts=ts,
        states=kept.states,
        observables=kept.observables,
        final=integration.flow.law(run.state.y),
        result=Result(
            as_array(code),
            as_array(t, integration.dtype),
            integration.event_names,
            _unresolved_from(integration, ts, kept.observables),
        ),
        stats=Stats(*map(as_array, (run.accepted, run.rejected, run.seconds))),
        model=plan.model,
        mergers=None if run.merging is None else run.merging.mergers(integration.flow, run.state.y, last),
        notes=plan.notes,
    )


def _unresolved_from(integration: Integration, ts: Array, observables: dict[str, Array]) -> Array | float:
    """The first saved time at which a density that goes on was too rough for its grid."""
    if "roughness" not in observables or any(ending.name == "under-resolved" for ending in integration.flow.endings):
        return np.inf
    return jnp.min(jnp.where(observables["roughness"] > 1, ts, jnp.inf))


def _window(plan: Plan) -> int:
    """How many saved states one chunk can hold: a power of two, so that few shapes are compiled."""
    largest = max(WINDOW_BYTES // max(plan.bytes_per_time, 1), 1)
    if plan.merging is not None:
        largest = min(largest, MERGE_WINDOW)
    return min(2 ** int(np.ceil(np.log2(len(plan.times)))), 2 ** int(np.log2(largest)))


def _chunk_steps(integration: Integration) -> int:
    """How many steps one chunk may take."""
    steps = np.clip(CHUNK_PAIRS / integration.flow.work, 4, CHUNK_STEPS)
    if integration.keeps_steps:
        steps = min(steps, np.clip(STEPS_BYTES / integration.flow.start.nbytes, 4, MERGE_STEPS))
    return int(steps)


def run_chunk(integration: Integration, state: State, pending: np.ndarray, t1: float, window: int, steps: int) -> Chunk:
    """At most `steps` steps from `state`, saving at the first `window` of the `pending` times."""
    padded = np.append(pending[:window], np.full(max(window - len(pending), 0), t1))
    # a save time exactly at a jump of the weights may lie some ulps behind the state that steps over it
    ts = as_array(np.maximum(padded.astype(integration.dtype), np.asarray(state.t)))
    end = as_array(t1, integration.dtype)
    end_only = window == 1 and np.array_equal(ts, [end])
    chunk = _advance_compiled(integration, state, ts, end, steps, saves_end_only=end_only)
    return jax.block_until_ready(chunk)


def _fraction(plan: Plan, t: float) -> float:
    """How much of the run is done: by saved times, which follow the user's idea of progress also on a log scale."""
    times = np.concatenate([[plan.t0], plan.times, [plan.t1]])
    return float(np.interp(t, times, np.linspace(0, 1, len(times))))


def check_start(state: State, plan: Plan) -> None:
    """Refuses a flow whose first velocity is not finite: no step size could save it."""
    if not np.isfinite(float(state.dt)):
        largest = float(jnp.max(jnp.abs(plan.flow.start)))
        if largest > 0.01 * float(np.sqrt(jnp.finfo(plan.integration.dtype).max)):
            raise InvalidInput(
                f"the velocity at t0 is not finite: products of tokens as large as {largest:.3g} overflow; scale them"
            )
        raise InvalidInput(
            "the velocity at t0 is not finite: exp(beta <Qx, Ky>) overflows; use Softmax, a smaller beta, "
            "or rescaled=True in R^d"
        )
