"""One integration of one flow, as compiled code sees it: from a state, to a time, saving and watching for events.

`flow.solve` calls `advance` once inside a trace, or again and again from the host; either way the arithmetic is this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield import trajectory as end
from tokenfield.errors import InvalidInput
from tokenfield.events import Event
from tokenfield.integrators import CROSSING, Method, OnManifold, Resumable
from tokenfield.measure import Measure
from tokenfield.model import Transformer
from tokenfield.noise import Path
from tokenfield.save import Observable


class TokenFlow(eqx.Module):
    """Tokens moving in the measure that they form themselves, along one path of the noise if there is any.

    The state is their points (n, d); where radii change, these are one more column.
    """

    model: Transformer
    tokens: Measure
    path: Path | None = None

    def state(self, mu: Measure) -> Array:
        """The state that stands for the measure `mu`."""
        if not self.model.has_radius:
            return mu.points
        radii = jnp.ones_like(mu.points[:, 0]) if mu.radii is None else mu.radii
        return jnp.concatenate([mu.points, radii[:, None]], axis=1)

    def measure(self, y: Array) -> Measure:
        """The measure that the state `y` stands for."""
        if self.model.has_radius:
            return self.tokens.moved(y[:, :-1], y[:, -1])
        return self.tokens.moved(y, self.tokens.radii)

    def retract(self, y: Array) -> Array:
        """The state brought back to the geometry."""
        if not self.model.has_radius:
            return self.model.geometry.to_manifold(y)
        return jnp.concatenate([self.model.geometry.to_manifold(y[:, :-1]), y[:, -1:]], axis=1)

    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side, read at the retracted state."""
        mu = self.measure(self.retract(y))
        if not self.model.has_radius:
            return self.model.velocity(t, mu.points, mu)
        turn, growth = self.model.motion(t, mu.points, mu)
        return jnp.concatenate([turn, growth[:, None]], axis=1)

    def field(self, t: Array, y: Array) -> Array:
        """The right-hand side before the projection to the tangent space."""
        mu = self.measure(self.retract(y))
        return self.model.field(t, mu.points, mu)

    def kick(self, t0: Array, t1: Array, y: Array) -> Array:
        """What the noise adds between two times to the state `y`, projected there."""
        if self.path is None:
            return jnp.zeros_like(y)
        x = self.retract(y)
        return self.model.geometry.project(x, jnp.broadcast_to(self.path.increment(t0, t1), x.shape))

    def exp(self, y: Array, v: Array) -> Array:
        """The state `y` moved along the geodesics that start with the tangent vectors `v`; radii move straight."""
        geometry = self.model.geometry
        if not self.model.has_radius:
            return geometry.exp(y, v)
        return jnp.concatenate([geometry.exp(y[:, :-1], v[:, :-1]), y[:, -1:] + v[:, -1:]], axis=1)

    def layer(self, t0: Array, t1: Array, y: Array) -> Array:
        """The state after one discrete layer of length t1 - t0."""
        kick = None if self.path is None else self.path.increment(t0, t1)
        return self.state(self.model.layer(t0, self.measure(self.retract(y)), step=t1 - t0, kick=kick))

    def frozen(self, t: Array) -> TokenFlow:
        """The flow with the model of the piece between two jumps that contains `t`."""
        return TokenFlow(self.model.frozen(t), self.tokens, self.path)

    def halves(self) -> tuple[TokenFlow, TokenFlow]:
        """The flow of the heads alone, and that of the perceptrons and potentials alone."""
        heads, rest = (self.model.only(heads=heads) for heads in (True, False))
        return TokenFlow(heads, self.tokens, self.path), TokenFlow(rest, self.tokens)


class Kept(NamedTuple):
    """What is saved at one time: points (n, d), radii (n,) where they change, observables."""

    points: Array | None
    radii: Array | None
    observables: dict[str, Array]


class Integration(eqx.Module):
    """What the compiled code sees; everything static is hashable."""

    flow: TokenFlow
    controller: Resumable
    events: tuple[Event, ...]
    user_events: tuple[str, ...] = eqx.field(static=True)
    method: Method = eqx.field(static=True)
    keeps_tokens: bool = eqx.field(static=True)
    observables: tuple[tuple[str, Observable], ...] = eqx.field(static=True)

    @property
    def dtype(self) -> Any:
        return self.flow.tokens.points.dtype

    @property
    def bytes_per_time(self) -> int:
        kept = jax.eval_shape(lambda: self.kept(self.flow.state(self.flow.tokens)))
        return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(kept))

    def kept(self, y: Array) -> Kept:
        """What is saved of the state `y`."""
        mu = self.flow.measure(self.flow.retract(y))
        observables = {name: jnp.asarray(observable(mu)) for name, observable in self.observables}
        keeps_radii = self.keeps_tokens and self.flow.model.has_radius
        return Kept(mu.points if self.keeps_tokens else None, mu.radii if keeps_radii else None, observables)


class State(eqx.Module):
    """What the next step needs."""

    t: Array
    y: Array
    dt: Array
    solver_state: Any
    controller_state: Any
    made_jump: Array


class Chunk(eqx.Module):
    """The outcome of one integration: the new state, what was saved (inf where not reached), how it ended."""

    state: State
    ts: Array
    saved: Any
    code: Array
    accepted: Array
    rejected: Array


def start(integration: Integration, t0: Array, t1: Array) -> State:
    flow, method = integration.flow, integration.method
    solver, term = OnManifold(method.stepper), method.term()
    y = flow.state(flow.tokens)
    controller = integration.controller.wrap(1)
    first, controller_state = controller.init(term, t0, t1, y, None, flow, solver.func, solver.error_order(term))
    solver_state = solver.init(term, t0, first, y, flow)
    return State(t0, y, first - t0, solver_state, controller_state, jnp.asarray(False))


def advance(integration: Integration, state: State, ts: Array, t_end: Array, max_steps: int) -> Chunk:
    """Integrates from `state` to `t_end`, or for `max_steps`, or to an event, saving at `ts`."""
    solution = diffrax.diffeqsolve(
        integration.method.term(),
        OnManifold(integration.method.stepper),
        t0=state.t,
        t1=t_end,
        dt0=state.dt,
        y0=state.y,
        args=integration.flow,
        stepsize_controller=integration.controller,
        saveat=diffrax.SaveAt(
            subs=[
                diffrax.SubSaveAt(ts=ts, fn=lambda t, y, flow: integration.kept(y)),
                diffrax.SubSaveAt(t1=True),
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
        throw=False,
    )
    (saved_ts, final_t), (saved, final_y) = solution.ts, solution.ys
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
    code = jnp.where(is_finite, _result_code(integration, solution), end.BLEW_UP)
    return Chunk(final, saved_ts, saved, code, stats["num_accepted_steps"], stats["num_rejected_steps"])


def _stopping(integration: Integration) -> diffrax.Event | None:
    if not integration.events:
        return None

    def raw(event: Event) -> Callable[..., Array]:
        return lambda t, y, args, **_: event(t, args.measure(args.retract(y)), args.model)

    flow = integration.flow
    conditions = [raw(event) for event in integration.events]
    start = jax.eval_shape(lambda: flow.state(flow.tokens))
    values = [jax.eval_shape(c, jnp.zeros((), integration.dtype), start, flow) for c in conditions]
    for event, value in zip(integration.events, values, strict=True):
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
    failed = end.BLEW_UP if integration.flow.model.can_blow_up else end.STUCK
    code = jnp.where(solution.result == diffrax.RESULTS.successful, end.FINISHED, failed)
    code = jnp.where(solution.result == diffrax.RESULTS.max_steps_reached, end.OUT_OF_STEPS, code)
    for i, mask in enumerate(solution.event_mask or ()):
        is_user = i < len(integration.user_events)
        code = jnp.where(mask, end.FIRST_EVENT + i if is_user else end.BLEW_UP, code)
    return code
