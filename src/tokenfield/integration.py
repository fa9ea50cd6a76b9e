"""One integration of one flow, as compiled code sees it: from a state, to a time, saving and watching for events.

`flow.solve` calls `advance` once inside a trace, or again and again from the host; either way the arithmetic is this.
A `Flow` is a model together with a way to hold the measure: here tokens, elsewhere densities and Gaussians.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield import trajectory as end
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.events import BlowUp, BuiltIn, Event
from tokenfield.geometry import Euclidean
from tokenfield.integrators import CROSSING, METHODS, Method, Norm, OnManifold, Resumable, find_norm
from tokenfield.measure import Measure
from tokenfield.model import Transformer
from tokenfield.noise import Path
from tokenfield.save import Observable
from tokenfield.sums import Choice, spread


class Flow(eqx.Module):
    """A model and a way to hold the measure that it moves. The state `y` is one array; `law` reads it.

    Only tokens have more than one way to step, so `field`, `layer`, `kick`, `exp` and `halves` are theirs alone.
    """

    model: Transformer

    @property
    @abstractmethod
    def start(self) -> Array:
        """The state at the start."""

    @abstractmethod
    def law(self, y: Array) -> Any:
        """The measure, density or Gaussian that the state `y` stands for."""

    @abstractmethod
    def saved(self, y: Array) -> dict[str, Array]:
        """What is kept of the state `y`, by name; `law(start).at(**saved)` gives the law back."""

    @abstractmethod
    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side."""

    @abstractmethod
    def with_model(self, model: Transformer) -> Flow:
        """The same flow of another model."""

    def retract(self, y: Array) -> Array:
        """The state brought back to where states live."""
        return y

    def frozen(self, t: Array) -> Flow:
        """The flow with the model of the piece between two jumps that contains `t`."""
        return self.with_model(self.model.frozen(t))

    @property
    def offset(self) -> Array | float:
        """What is added to the solver's times to give those of the model: not 0 where long runs restart their clock."""
        return 0.0

    def time(self, t: Array) -> Array:
        """The time of the model when the solver's is `t`."""
        return t

    def diagnostics(self, y: Array) -> dict[str, Array]:
        """Numbers about the quality of the state that are always saved."""
        return {}

    def largest_step(self, t: Array, y: Array) -> Array:
        """The longest step that keeps the state valid, for methods that ask."""
        raise Unsupported("method 'ssprk3' is for densities on cells of the circle")

    @property
    @abstractmethod
    def default_method(self) -> str:
        """The name of the method that suits this state."""

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """The names of the methods that this state can take."""

    @property
    @abstractmethod
    def pairs(self) -> float:
        """The work of one right-hand side, counted in pairs of tokens."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """How the sums over tokens are computed, for each head; empty if that is not settled."""
        return self.model.choices or ()

    def norm(self, name: str) -> Norm:
        """The norm of local errors called `name`, "rms" or "max"."""
        return find_norm(name)

    @property
    def stops(self) -> tuple[BuiltIn, ...]:
        """The events that end the flow because it cannot go on."""
        return ()

    @property
    def can_blow_up(self) -> bool:
        """Whether steps that vanish mean a singularity."""
        return False


class TokenFlow(Flow):
    """Tokens moving in the measure that they form themselves, along one path of the noise if there is any.

    The state is their points (n, d); where radii change, these are one more column.
    """

    tokens: Measure
    path: Path | None = None

    @property
    def start(self) -> Array:
        return self.state(self.tokens)

    def state(self, mu: Measure) -> Array:
        """The state that stands for the measure `mu`."""
        if not self.model.has_radius:
            return mu.points
        radii = jnp.ones_like(mu.points[:, 0]) if mu.radii is None else mu.radii
        return jnp.concatenate([mu.points, radii[:, None]], axis=1)

    def law(self, y: Array) -> Measure:
        if self.model.has_radius:
            return self.tokens.moved(y[:, :-1], y[:, -1])
        return self.tokens.moved(y, self.tokens.radii)

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        return {"points": mu.points} | ({} if mu.radii is None or not self.model.has_radius else {"radii": mu.radii})

    def retract(self, y: Array) -> Array:
        """The state brought back to the geometry."""
        if not self.model.has_radius:
            return self.model.geometry.to_manifold(y)
        return jnp.concatenate([self.model.geometry.to_manifold(y[:, :-1]), y[:, -1:]], axis=1)

    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side, read at the retracted state."""
        mu = self.law(self.retract(y))
        if not self.model.has_radius:
            return self.model.velocity(t, mu.points, mu)
        turn, growth = self.model.motion(t, mu.points, mu)
        return jnp.concatenate([turn, growth[:, None]], axis=1)

    def field(self, t: Array, y: Array) -> Array:
        """The right-hand side before the projection to the tangent space."""
        mu = self.law(self.retract(y))
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
        return self.state(self.model.layer(t0, self.law(self.retract(y)), step=t1 - t0, kick=kick))

    def with_model(self, model: Transformer) -> TokenFlow:
        return TokenFlow(model, self.tokens, self.path)

    @property
    def default_method(self) -> str:
        return "tsit5" if self.model.noise is None else "heun"

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(name for name, method in METHODS.items() if method.takes_tokens)

    @property
    def pairs(self) -> float:
        return float(self.tokens.n) ** 2

    @property
    def stops(self) -> tuple[BuiltIn, ...]:
        return (BlowUp(largest(self.tokens.points.dtype)),) if isinstance(self.model.geometry, Euclidean) else ()

    @property
    def can_blow_up(self) -> bool:
        return self.model.can_blow_up

    def halves(self) -> tuple[TokenFlow, TokenFlow]:
        """The flow of the heads alone, and that of the perceptrons and potentials alone."""
        heads, rest = (self.model.only(heads=heads) for heads in (True, False))
        return TokenFlow(heads, self.tokens, self.path), TokenFlow(rest, self.tokens)


def largest(dtype: Any) -> float:
    """The size at which a state counts as blown up: far from overflow even when squared."""
    return float(jnp.finfo(dtype).max) ** 0.4


class Kept(NamedTuple):
    """What is saved at one time: the state by names such as points (n, d), if it is kept, and observables."""

    states: dict[str, Array] | None
    observables: dict[str, Array]


class Integration(eqx.Module):
    """What the compiled code sees; everything static is hashable."""

    flow: Flow
    controller: Resumable
    events: tuple[Event, ...]
    user_events: tuple[str, ...] = eqx.field(static=True)
    method: Method = eqx.field(static=True)
    keeps_states: bool = eqx.field(static=True)
    observables: tuple[tuple[str, Observable], ...] = eqx.field(static=True)
    keeps_steps: bool = eqx.field(static=True, default=False)

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
        observables = {name: jnp.asarray(observable(mu)) for name, observable in self.observables}
        return Kept(self.flow.saved(y) if self.keeps_states else None, self.flow.diagnostics(y) | observables)


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
    """The outcome of one integration: the new state, what was saved (inf where not reached), how it ended."""

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
    y = spread(flow.start)
    controller = integration.controller.wrap(1)
    first, controller_state = controller.init(term, t0, t1, y, None, flow, solver.func, solver.error_order(term))
    solver_state = solver.init(term, t0, first, y, flow)
    state = State(t0, y, first - t0, solver_state, controller_state, jnp.asarray(False))
    # arrays all, and split as they come out of a chunk: else the second chunk would be another compilation
    return jax.tree.map(lambda leaf: spread(leaf) if jnp.shape(leaf) == y.shape else jnp.asarray(leaf), state)


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
        throw=False,
    )
    (saved_ts, final_t, *step_ts), (saved, final_y, *step_ys) = solution.ts, solution.ys
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
    steps = Steps(step_ts[0], *step_ys[0]) if integration.keeps_steps else None
    return Chunk(final, saved_ts, saved, code, stats["num_accepted_steps"], stats["num_rejected_steps"], steps)


def _step(t: Array, y: Array, flow: Flow) -> tuple[Array, Array]:
    return y, flow.velocity(t, y)


def _stopping(integration: Integration) -> diffrax.Event | None:
    if not integration.events:
        return None

    def raw(event: Event) -> Callable[..., Array]:
        return lambda t, y, args, **_: event(args.time(t), args.law(args.retract(y)), args.model)

    flow = integration.flow
    conditions = [raw(event) for event in integration.events]
    start = jax.eval_shape(lambda: flow.start)
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
    failed = end.BLEW_UP if integration.flow.can_blow_up else end.STUCK
    code = jnp.where(solution.result == diffrax.RESULTS.successful, end.FINISHED, failed)
    code = jnp.where(solution.result == diffrax.RESULTS.max_steps_reached, end.OUT_OF_STEPS, code)
    for i, (event, mask) in enumerate(zip(integration.events, solution.event_mask or (), strict=False)):
        code = jnp.where(mask, event.code if isinstance(event, BuiltIn) else end.FIRST_EVENT + i, code)
    return code
