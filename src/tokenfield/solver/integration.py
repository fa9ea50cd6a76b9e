"""One integration of one flow, as compiled code sees it: from a state, to a time, saving and watching for events.

The only time loop of flows: `solve` calls `advance` once inside a trace, or again and again from the host, and
`tokenfield.ensemble` calls it for a block of systems; the arithmetic is always this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput, TokenfieldError
from tokenfield.flows.endings import Ending
from tokenfield.flows.flow import Flow
from tokenfield.solver.events import Event
from tokenfield.solver.lean_loop import make_lean
from tokenfield.solver.result import Outcome
from tokenfield.solver.save import Observable
from tokenfield.solver.steppers import CROSSING, Method, OnManifold, Resumable
from tokenfield.sums import shard

make_lean(getattr(diffrax, "_integrate", None))
CHECKPOINTS = 64  # states that reverse mode keeps at most


class Kept(NamedTuple):
    """What is saved at one time: the state by names such as points (n, d), if it is kept, and observables."""

    states: dict[str, Array] | None
    observables: dict[str, Array]


class Integration(eqx.Module):
    """What the compiled code sees; everything static is hashable."""

    flow: Flow
    controller: Resumable
    events: tuple[Event, ...]
    method: Method = eqx.field(static=True)
    keeps_states: bool = eqx.field(static=True)
    observables: tuple[tuple[str, Observable], ...] = eqx.field(static=True)
    keeps_steps: bool = eqx.field(static=True, default=False)

    @property
    def event_names(self) -> tuple[str, ...]:
        return tuple(event.name for event in self.events)

    @property
    def dtype(self) -> Any:
        return self.flow.start.dtype

    @property
    def bytes_per_time(self) -> int:
        kept = jax.eval_shape(lambda: self.kept(self.flow.start))
        return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(kept))

    def kept(self, y: Array) -> Kept:
        """What is saved of the state `y`."""
        y = self.flow.retract(y)
        mu = self.flow.law(y)
        observables = {name: _called(f"observable {name!r}", "of one measure", f, mu) for name, f in self.observables}
        return Kept(self.flow.saved(y) if self.keeps_states else None, self.flow.diagnostics(y) | observables)


def _called(who: str, what: str, function: Callable[..., Any], *arguments: Any) -> Array:
    """What a function of the user returns, as an array; if it cannot be called like this, the error says who it was."""
    try:
        return jnp.asarray(function(*arguments))
    except TokenfieldError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        why = str(error).strip().partition("\n")[0]
        raise InvalidInput(f"the {who} must be a function {what} that JAX can trace: {why}") from error


class State(eqx.Module):
    """What the next step needs."""

    t: Array
    y: Array
    dt: Array
    solver_state: Any
    controller_state: Any
    made_jump: Array


class Steps(NamedTuple):
    """All accepted steps: their times (s,), states and velocities (s, n, d), inf where there were fewer."""

    ts: Array
    ys: Array
    velocities: Array


class Chunk(eqx.Module):
    """The outcome of one integration: the new state, what was saved (at inf where not reached), how it ended."""

    state: State
    ts: Array
    saved: Any
    code: Array
    accepted: Array
    rejected: Array
    steps: Steps | None = None


def begin(integration: Integration, t0: Array, t1: Array) -> State:
    """The state before the first step, with its length."""
    flow, method = integration.flow, integration.method
    solver, term = OnManifold(method.stepper), method.term()
    y = shard(flow.start)
    controller = integration.controller.wrap(1)
    first, controller_state = controller.init(term, t0, t1, y, None, flow, solver.func, solver.error_order(term))
    solver_state = solver.init(term, t0, first, y, flow)
    state = State(t0, y, first - t0, solver_state, controller_state, jnp.asarray(False))
    # arrays all, and split as they come out of a chunk: else the second chunk would be another compilation
    return jax.tree.map(lambda leaf: shard(leaf) if jnp.shape(leaf) == y.shape else jnp.asarray(leaf), state)


def advance(
    integration: Integration,
    state: State,
    ts: Array,
    t_end: Array,
    max_steps: int | None,
    *,
    is_differentiable: bool = True,
    saves_end_only: bool = False,
) -> Chunk:
    """Integrates from `state` to `t_end`, or for `max_steps` if that is not `None`, or to an event, saving at `ts`.

    A loop that nobody differentiates backwards is traced in two thirds of the time; its numbers are the same. One that
    saves only its end, where `ts` is [t_end], looks for no times on its way: a sixth less to trace and to compile.
    """
    on_the_way = [] if saves_end_only else [diffrax.SubSaveAt(ts=ts, fn=lambda t, y, flow: integration.kept(y))]
    solver = OnManifold(integration.method.stepper)
    solution = diffrax.diffeqsolve(
        integration.method.term(),
        solver if is_differentiable else solver.forwards(),
        t0=state.t,
        t1=t_end,
        dt0=state.dt,
        y0=state.y,
        args=integration.flow,
        stepsize_controller=integration.controller,
        saveat=diffrax.SaveAt(
            subs=[
                *on_the_way,
                # a function of this call: diffrax keeps what it traced, and what sums are chosen may have changed since
                diffrax.SubSaveAt(t1=True, fn=lambda t, y, flow: y),
                *([diffrax.SubSaveAt(steps=True, fn=_step)] if integration.keeps_steps else []),
            ],
            solver_state=True,
            controller_state=True,
            made_jump=True,
        ),
        event=_stopping(integration),
        solver_state=state.solver_state,
        controller_state=state.controller_state,
        made_jump=state.made_jump,
        max_steps=max_steps,
        adjoint=_adjoint(max_steps) if is_differentiable else diffrax.ForwardMode(),
        throw=False,
    )
    (final_t, *step_ts), (final_y, *step_ys) = solution.ts[len(on_the_way) :], solution.ys[len(on_the_way) :]
    final = State(
        final_t[0],
        integration.flow.retract(final_y[0]),
        solution.controller_state[1],
        solution.solver_state,
        solution.controller_state,
        jnp.asarray(solution.made_jump),
    )
    stats = solution.stats
    # fixed steps do not notice an overflow by themselves: whatever diffrax says, a state that is not finite is the end
    is_finite = jnp.all(jnp.isfinite(final.y))
    code = jnp.where(is_finite, _result_code(integration, solution), Outcome.BLEW_UP.value)
    steps = Steps(step_ts[0], *step_ys[0]) if integration.keeps_steps else None
    if saves_end_only:
        saved_ts, saved = _saved_at_end(integration, final.t, final_y[0], ts)
    else:
        saved_ts, saved = solution.ts[0], solution.ys[0]
    return Chunk(final, saved_ts, saved, code, stats["num_accepted_steps"], stats["num_rejected_steps"], steps)


def _saved_at_end(integration: Integration, t: Array, y: Array, ts: Array) -> tuple[Array, Kept]:
    """What is saved of an integration that ended at `t`, if that is the one time of `ts`.

    Else nothing is computed: it may cost far more than a step.
    """
    is_there = t >= ts[0]

    def nothing() -> Kept:
        return jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), jax.eval_shape(integration.kept, y))

    kept = jax.lax.cond(is_there, lambda: integration.kept(y), nothing)
    return jnp.where(is_there, ts, jnp.inf), jax.tree.map(lambda a: a[None], kept)


def _adjoint(max_steps: int | None) -> diffrax.RecursiveCheckpointAdjoint:
    """Reverse mode that keeps few states and computes the others again: memory is flat in depth.

    It keeps sqrt(2 steps) states, but never more than `CHECKPOINTS`. Up to 2145 steps no state is computed more often
    for that, up to 47905 steps once more (binomials of 66 over 2 and 67 over 3).
    """
    is_short = max_steps is not None and max_steps <= CHECKPOINTS**2 // 2
    return diffrax.RecursiveCheckpointAdjoint(checkpoints=None if is_short else CHECKPOINTS)


def held(integration: Integration, chunk: Chunk) -> Kept:
    """What `chunk` saved, and at the times that it did not reach, where it ended: inside a trace shapes are fixed."""
    is_reached = chunk.ts <= chunk.state.t

    def hold(values: Array, at_end: Array) -> Array:
        return jnp.where(is_reached.reshape((-1,) + (1,) * at_end.ndim), values, at_end)

    return jax.tree.map(hold, chunk.saved, integration.kept(chunk.state.y))


def _step(t: Array, y: Array, flow: Flow) -> tuple[Array, Array]:
    return y, flow.velocity(t, y)


def _stopping(integration: Integration) -> diffrax.Event | None:
    flow = integration.flow
    if not (integration.events or flow.endings):
        return None

    def raw(event: Event) -> Callable[..., Array]:
        who, what = f"event {event.name!r}", "of (t, measure, model)"
        return lambda t, y, args, **_: _called(who, what, event, args.time(t), args.law(args.retract(y)), args.model)

    def last(ending: Ending) -> Callable[..., Array]:
        return lambda t, y, args, **_: ending(args.law(args.retract(y)))

    conditions = [*map(raw, integration.events), *map(last, flow.endings)]
    start = jax.eval_shape(lambda: flow.start)
    values = [jax.eval_shape(c, jnp.zeros((), integration.dtype), start, flow) for c in conditions]
    for event, value in zip(integration.events, values, strict=False):
        if value.shape != ():
            raise InvalidInput(f"the event {event.name!r} must return one boolean or number, got shape {value.shape}")
    if all(value.dtype == bool for value in values):
        return diffrax.Event(conditions)
    if integration.dtype != jnp.float64:
        conditions = [_as_number(condition) for condition in conditions]
    return diffrax.Event(conditions, CROSSING)


def _as_number(condition: Callable[..., Array]) -> Callable[..., Array]:
    """`condition` as a float64 number, which is what diffrax mixes it with when it locates events in float32 flows."""

    def value(t: Array, y: Array, args: Any, **_: Any) -> Array:
        found = condition(t, y, args)
        return jnp.where(found, -1.0, 1.0) if found.dtype == bool else found.astype(jnp.float64)

    return value


def _result_code(integration: Integration, solution: diffrax.Solution) -> Array:
    """The result code of the `Trajectory`, from diffrax's result and event mask."""
    # Steps that vanish mean a finite-time singularity where there can be one; otherwise the field is too steep, as
    # when logits have grown so large that attention jumps from one token to another within the rounding of t.
    failed = Outcome.BLEW_UP.value if integration.flow.can_blow_up else Outcome.STUCK.value
    code = jnp.where(solution.result == diffrax.RESULTS.successful, Outcome.FINISHED.value, failed)
    code = jnp.where(solution.result == diffrax.RESULTS.max_steps_reached, Outcome.OUT_OF_STEPS.value, code)
    codes = [Outcome.EVENT.value + i for i in range(len(integration.events))]
    codes += [Outcome.named(ending.name).value for ending in integration.flow.endings]
    for found, mask in zip(codes, solution.event_mask or (), strict=False):
        code = jnp.where(mask, found, code)
    return code
