"""The plan of a run: how `solve` will compute a flow, and why. One function makes it, `solve` runs it, users print it.

The plan holds everything that is decided before the first step: the flow after exact reductions, the method and its
steps, how the sums of each head are computed, what is saved when, and what to say about all that. What it chose is also
what everything after the solve uses: `Plan.model` is the caller's model with its sums chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.memory import available_memory, require_memory, size_in_words
from tokenfield.errors import InvalidInput
from tokenfield.flows.clusters import merging_flow
from tokenfield.flows.density import DensityFlow
from tokenfield.flows.flow import Flow
from tokenfield.flows.gaussian import GaussianFlow, MaskedGaussianFlow
from tokenfield.flows.masked import MaskedFlow
from tokenfield.flows.moving import MaskedMovingFlow, MovingFlow
from tokenfield.flows.reduced import ReducedFlow, reduce_exactly
from tokenfield.flows.tokens import TokenFlow
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian
from tokenfield.laws.masked import AnyDensity, MaskedDensity
from tokenfield.laws.masked_gaussian import AnyGaussian, MaskedGaussian
from tokenfield.laws.masked_moving import MaskedMovingDensity
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.summing import TOLERANCE, choose_sums
from tokenfield.model.transformer import Transformer
from tokenfield.solver.events import Event, as_events
from tokenfield.solver.integration import Integration
from tokenfield.solver.merging.watch import Merging
from tokenfield.solver.options import (
    Adaptive,
    Clock,
    FixedStep,
    Layers,
    Merge,
    Stepping,
    check_clock,
    check_max_steps,
)
from tokenfield.solver.save import Save
from tokenfield.solver.steppers import METHODS, Method, adaptive_controller, fixed_controller, fixed_times, method_of
from tokenfield.solver.trajectory import Trajectory
from tokenfield.sums import Choice, choose, device_count

STATES = 3  # that a step holds besides its stages: before, after, and their error
SMALLER = "take a smaller problem, or save fewer times"
ROUGH = 1e-5  # a relative error of a sum that is larger than that of float32: its precision was reduced on purpose


@dataclass(frozen=True)
class Plan:
    """A checked problem and how it will be solved; `str(plan)` says it in words, `solve` runs it. Made by `explain`.

    Attributes:
        model: The model as given, with its sums chosen: what everything after the solve uses.
        t0: The time at the start.
        t1: The final time.
        stepping: How steps are chosen: an `Adaptive`, `FixedStep` or `Layers`, complete with method and tolerances.
        integration: What the compiled code sees, among it the flow after exact reductions.
        times: The times at which something is saved.
        merging: How collapsed clusters are joined; `None` if they are not.
        max_steps: The most steps that the run may take; `None` for the default.
        bytes_per_time: The size of what is saved at one time.
        choices: The way in which each head sums.
        reductions: What was reduced exactly, in words.
        devices: Over how many devices tokens are spread.

    >>> from tokenfield import Softmax, Sphere, initial
    >>> model = Transformer(Sphere(3), Softmax(beta=1.0))
    >>> plan = explain(model, initial.uniform(model.geometry, n=8, seed=0), t1=1.0)
    >>> plan.explanation["state"]
    '8 tokens in R^3, float64'
    """

    model: Transformer
    t0: float
    t1: float
    stepping: Stepping
    integration: Integration
    times: np.ndarray
    merging: Merging | None
    max_steps: int | None
    bytes_per_time: int
    choices: tuple[Choice, ...] = ()
    reductions: tuple[str, ...] = ()
    devices: int = 1

    @property
    def flow(self) -> Flow:
        """What is integrated."""
        return self.integration.flow

    @property
    def is_traced(self) -> bool:
        """Whether some number of the problem is not known yet, as inside `jax.jit`, `vmap` and `grad`."""
        return not all(map(is_concrete, jax.tree.leaves(self.flow)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about the run: exact reductions, fast sums, and sums of reduced precision."""
        told = [choice for choice in self.choices if choice.expansion is not None or choice.error > ROUGH]
        return (*self.reductions, *map(str, told))

    @property
    def explanation(self) -> dict[str, str]:
        """The plan in words, by topic: state, merging, reductions, method, sums, cost, what is saved, memory."""
        said = {"state": self.flow.described}
        if self.merging is not None:
            said["merging"] = "tokens of a collapsed cluster become one: exponentially long times take few steps"
        said |= _numbered("reduction", self.reductions)
        said["method"] = self._steps_in_words
        said |= _numbered("sum of head", [str(choice) for choice in self.choices], alone="sum")
        if self.choices and self.merging is None:
            said["cost"] = self._cost_in_words
        if self.devices > 1:
            said["devices"] = self._devices_in_words
        said["saved"] = self._saved_in_words
        said["memory"] = self._memory_in_words
        return said

    @property
    def _steps_in_words(self) -> str:
        method, dtype = self.integration.method, str(self.integration.dtype)
        if isinstance(self.stepping, Adaptive):
            rtol, atol = self.stepping.rtol_for(dtype), self.stepping.atol_for(dtype)
            return f"{method.name}: {method.about}; local errors below {rtol:g} relative, {atol:g} absolute"
        if isinstance(self.stepping, Layers):
            return f"{self.stepping.count} layers of step {(self.t1 - self.t0) / self.stepping.count:g}"
        return f"{method.name}: {method.about}; {self._step_count} steps of {self.stepping.step:g}"

    @property
    def _step_count(self) -> int | None:
        """The number of steps, `None` where tolerances choose them."""
        if isinstance(self.stepping, Adaptive):
            return None
        if isinstance(self.stepping, Layers):
            return int(self.stepping.count)
        return int(np.ceil((self.t1 - self.t0) / self.stepping.step))

    @property
    def _cost_in_words(self) -> str:
        each = sum(choice.seconds for choice in self.choices)
        stages = self.integration.method.stages
        step = f"{stages} evaluation{'s' * (stages != 1)} of the velocity a step, about {_seconds(each * stages)}"
        count = self._step_count
        return step if count is None else f"{step}; {_seconds(each * stages * count)} for {count} steps"

    @property
    def _devices_in_words(self) -> str:
        rows, hosts = self.flow.start.shape[0], jax.process_count()
        where = f"{self.devices} ({jax.default_backend()}{f', on {hosts} hosts' if hosts > 1 else ''})"
        if rows % self.devices:
            return (
                f"{where}: {rows} tokens do not divide evenly, so each holds all of them and only sums are shared out"
            )
        return f"{where}: {rows // self.devices} of the {rows} tokens that move on each"

    @property
    def saved_bytes(self) -> int:
        """The size of what is saved, in memory; on disk it is compressed."""
        return self.bytes_per_time * len(self.times)

    @property
    def memory_bytes(self) -> int:
        """The least memory that the run takes: states and stages of a step, the parts of the model, what is saved."""
        state = self.flow.start
        parts = [part for part in jax.tree.leaves(self.model.schedule.shapes()) if hasattr(part, "dtype")]
        held = (self.integration.method.stages + STATES) * state.size * state.dtype.itemsize
        return held + sum(part.size * part.dtype.itemsize for part in parts) + self.saved_bytes

    @property
    def _memory_in_words(self) -> str:
        there = available_memory()
        of = "" if math.isinf(there) else f" of the {size_in_words(there)} that are available"
        return f"at least {size_in_words(self.memory_bytes)}{of}"

    @property
    def _saved_in_words(self) -> str:
        count, first, last = len(self.times), self.times[0], self.times[-1]
        at = f"at t = {last:g}" if count == 1 else f"at {count} times from t = {first:g} to {last:g}"
        return f"{at}, {size_in_words(self.saved_bytes)} in memory"

    def __str__(self) -> str:
        said = self.explanation
        width = max(map(len, said))
        return "\n".join(f"{topic:{width}}  {words}" for topic, words in said.items())

    __repr__ = __str__


@checked
def explain(
    model: Transformer,
    start: Measure | ArrayLike | AnyDensity | AnyGaussian | Trajectory,
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
) -> Plan:
    """The plan that `solve` would run with the same arguments; nothing is computed yet.

    Printed, it says in words how the state is held, what is reduced exactly, the method, for each head which way its
    sum is computed, why, about how long that takes and how exact it is, and what will be saved.

    Args:
        model: As for `solve`, and so are all others.
        start: The tokens, the density or the Gaussian to start from, or a run to go on with.
        t1: The final time.
        t0: The time at the start, by default 0, or where the run ended.
        method: A name, an `Adaptive`, `FixedStep` or `Layers`, or a solver of diffrax.
        step: The length of fixed steps.
        layers: The number of layers of a residual network.
        rtol: The relative tolerance, by default 1e-7.
        atol: The absolute tolerance, by default rtol/100.
        save: What is kept, see `Save`.
        events: When to stop early.
        merge: Whether tokens of collapsed clusters join.
        clock: "time", or "distance".
        max_steps: The most steps that a run may take, by default a million.

    Returns:
        The `Plan`. `plan.explanation` has its sentences by topic, `plan.choices` the sums.

    Raises:
        InvalidInput: If an argument makes no sense.
        Unsupported: If model, start and options do not go together; the message says why.
        TooLarge: If there is not enough memory; the message says how much it takes.

    >>> from tokenfield import Softmax, Sphere, initial
    >>> model = Transformer(Sphere(2), Softmax(beta=9.0))
    >>> plan = explain(model, initial.uniform(Sphere(2), n=100_000, seed=0), t1=1.0)
    >>> plan.explanation["sum"].split(":")[0]
    'fourier'
    """
    return make_plan(
        model,
        start,
        t1=t1,
        t0=t0,
        stepping=as_stepping(method, step=step, layers=layers, rtol=rtol, atol=atol),
        tolerance=rtol,
        save=save,
        events=events,
        merge=merge,
        clock=clock,
        max_steps=max_steps,
    )


def make_plan(
    model: Transformer,
    start: Any,
    *,
    t1: float,
    t0: float | None,
    stepping: Stepping,
    tolerance: float | None = None,
    save: Any = None,
    events: Any = (),
    merge: Any = None,
    clock: Any = "time",
    max_steps: int | None = None,
    is_reduced: bool = True,
) -> Plan:
    """The plan that `explain` returns; without exact reductions its shapes are those of the start, if asked for."""
    if not isinstance(model, Transformer):
        raise InvalidInput(f"solve moves tokens by a Transformer, got {type(model).__name__}")
    start, t0 = _where_it_starts(start, t0)
    t0, t1 = _check_times(t0, t1)
    check_max_steps(max_steps)
    joins, tick = Merge.parse(merge), Clock.parse(clock)
    check_clock(tick, joins)
    if joins is not None and isinstance(stepping, Layers):
        raise InvalidInput("tokens join in continuous depth: leave out merge, or layers")
    tolerance = _sum_tolerance(stepping, tolerance)
    choose = partial(choose_sums, t0=t0, t1=t1, tolerance=tolerance)
    flow, merging = as_flow(model, start, t0, t1), None
    reductions: tuple[str, ...] = ()
    if joins is None:
        flow, reductions = reduce_exactly(flow) if is_reduced else (flow, ())
        flow = flow.with_sums(choose)
    else:
        whole, reductions = merging_flow(flow, pace=tick.pace, is_reduced=is_reduced)
        merging, flow = Merging.begin(whole, t0, joins.distance_for(stepping))
    stepping = _with_method(stepping, flow)
    chosen = _check_method(flow, method_of(stepping, flow))
    stepping = _check_steps(stepping, chosen, default_norm="rms" if merging is None else "max")
    saved, user = Save.parse(save), as_events(events)
    integration = Integration(
        flow=flow,
        controller=_controller(flow, stepping, chosen, t0, t1),
        events=user,
        method=chosen,
        keeps_states=saved.tokens,
        observables=tuple(saved.observables.items()),
        keeps_steps=merging is not None,
    )
    size = integration.bytes_per_time
    plan = Plan(
        model=_with_sums(model, flow, choose, is_chosen=joins is None),
        t0=t0,
        t1=t1,
        stepping=stepping,
        integration=integration,
        times=saved.resolve(t0, t1, bytes_per_time=size),
        merging=merging,
        max_steps=max_steps,
        bytes_per_time=size,
        choices=_choices(flow, t0),
        reductions=tuple(reductions),
        devices=device_count(),
    )
    require_memory(plan.memory_bytes, f"runs of {flow.described}", advice=SMALLER)
    return plan


def _where_it_starts(start: Any, t0: float | None) -> tuple[Any, Any]:
    """The law to start from and its time; a run goes on where it ended."""
    if not isinstance(start, Trajectory):
        return start, 0.0 if t0 is None else t0
    if t0 is not None:
        raise InvalidInput("a run goes on where it ended: leave out t0, or start from run.at(t0)")
    return start.final, start.result.t


def as_flow(model: Transformer, start: Any, t0: float, t1: float) -> Flow:
    """The flow of `model` from `start`, in the way that `start` holds the measure."""
    if isinstance(start, Density):
        return DensityFlow.build(model, start)
    if isinstance(start, Gaussian):
        return GaussianFlow.build(model, start)
    if isinstance(start, MaskedGaussian):
        return MaskedGaussianFlow.build(model, start)
    if isinstance(start, MaskedDensity):
        return MaskedFlow.build(model, start)
    if isinstance(start, MaskedMovingDensity):
        return MaskedMovingFlow.build(model, start)
    if isinstance(start, MovingDensity):
        return MovingFlow.build(model, start)
    mu = as_measure(start, model)
    path = None if model.noise is None else model.noise.path(t0, t1, mu.n, mu.d, mu.points.dtype)
    return TokenFlow(model, mu, path)


def as_measure(tokens: Measure | ArrayLike, model: Transformer) -> Measure:
    """`tokens` as a checked measure on the geometry of `model`, with radii if the model moves them."""
    if not isinstance(tokens, Measure):
        tokens = Measure(tokens)
    radii = jnp.ones_like(tokens.weights) if tokens.radii is None and model.has_radius else tokens.radii
    return Measure(tokens.points, tokens.weights, positions=tokens.positions, radii=radii, geometry=model.geometry)


# --- steps ----------------------------------------------------------------------------------------------------------


def as_stepping(
    method: Any, *, step: float | None, layers: int | None, rtol: float | None, atol: float | None
) -> Stepping:
    """How to step, from what `solve` was given: an object, or a name and numbers."""
    if isinstance(method, (Adaptive, FixedStep, Layers)):
        given = {"step": step, "layers": layers, "rtol": rtol, "atol": atol}
        for name, value in given.items():
            if value is not None:
                raise InvalidInput(f"method={method!r} says all about the steps: leave out {name}")
        return method
    if layers is not None:
        if method is not None or step is not None:
            raise InvalidInput("layers=L fixes the method and the step: leave out method and step")
        return Layers(layers)
    if method is None and step is None:
        return Adaptive(rtol=rtol, atol=atol)
    if step is not None:
        FixedStep(method, step)  # its check, before anything is said about the method
    return Adaptive(method, rtol, atol) if step is None else FixedStep(method, step)


def _with_method(stepping: Stepping, flow: Flow) -> Stepping:
    """`stepping` with the method that suits the flow where none was given."""
    if isinstance(stepping, Layers):
        if "layer" not in flow.abilities:
            raise InvalidInput("layers=L moves tokens: densities and Gaussians follow the flow in continuous depth")
        return stepping
    return stepping if stepping.method is not None else replace(stepping, method=flow.default_method)


def _check_steps(stepping: Stepping, method: Method, *, default_norm: str) -> Stepping:
    """`stepping` with its norm, refused if it has a step and the method needs none, or the other way round."""
    if isinstance(stepping, FixedStep) and method.is_adaptive:
        raise InvalidInput(f"method {method.name!r} chooses its own steps: leave out step, or use 'rk4'")
    if not isinstance(stepping, Adaptive):
        return stepping
    if not method.is_adaptive:
        raise InvalidInput(f"method {method.name!r} needs a step, for example step=0.1")
    return replace(stepping, norm=stepping.norm or default_norm)


def _check_method(flow: Flow, method: Method) -> Method:
    if not method.suits(flow):
        offered = [known.name for known in METHODS.values() if known.suits(flow)]
        raise InvalidInput(f"method {method.name!r} does not suit a {flow.kind} flow: use one of {', '.join(offered)}")
    if "noise" in flow.abilities and flow.model.noise is not None and not method.takes_noise:
        raise InvalidInput(f"method {method.name!r} ignores noise: use 'heun' with a step, or layers=L")
    if not method.is_projected and flow.model.normalization is not None:
        raise InvalidInput("'euler-normalise' is the scheme without a normalization: use layers=L for its layers")
    return method


def _controller(flow: Flow, stepping: Stepping, method: Method, t0: float, t1: float) -> Any:
    dtype = flow.start.dtype
    jumps = flow.model.jumps(t0, t1)
    if isinstance(stepping, Adaptive):
        rtol, atol = stepping.rtol_for(str(dtype)), stepping.atol_for(str(dtype))
        valid = method.keeps_valid or flow.limits_steps
        return adaptive_controller(rtol, atol, flow.norm(stepping.norm or "rms"), jumps, dtype, valid=valid)
    if isinstance(stepping, Layers):
        # a layer is a layer, wherever the weights jump: it acts with those of its middle
        return fixed_controller(fixed_times(t0, t1, (t1 - t0) / stepping.count, jumps[:0]), dtype)
    return fixed_controller(fixed_times(t0, t1, float(stepping.step), jumps), dtype)


# --- sums -----------------------------------------------------------------------------------------------------------


def _sum_tolerance(stepping: Stepping, rtol: float | None) -> float:
    """Errors of sums far below those of the steps, but not below what rounding allows."""
    asked = stepping.rtol if isinstance(stepping, Adaptive) else rtol
    return TOLERANCE if asked is None else float(np.clip(asked / 1000, 1e-13, TOLERANCE))


def _with_sums(model: Transformer, flow: Flow, choose: Callable[..., Any], *, is_chosen: bool) -> Transformer:
    """`model` with the sums chosen that everything after the solve will use; as it is where it has no tokens."""
    if not isinstance(flow, (TokenFlow, ReducedFlow)):
        return model
    # a flow of all tokens has those that were chosen for it
    settled = flow.model.sums if is_chosen and isinstance(flow, TokenFlow) else None
    sums = choose(model, flow.tokens) if settled is None else settled
    # direct sums are what a model does by itself
    return model if all(choice.expansion is None for choice in sums) else model.with_sums(sums)


def _choices(flow: Flow, t0: float) -> tuple[Choice, ...]:
    """How the flow sums; a flow of few clusters sums over pairs by itself."""
    if not isinstance(flow, (TokenFlow, ReducedFlow)):
        return ()
    m, d = np.shape(flow.start)
    return flow.choices or tuple(choose(m, m, d) for _ in flow.model.heads(t0))


# --- small things ---------------------------------------------------------------------------------------------------


def _check_times(t0: float, t1: float) -> tuple[float, float]:
    """The times as floats, if they are finite and increase; raises `InvalidInput` if not."""
    try:
        t0, t1 = float(t0), float(t1)
    except (TypeError, ValueError, OverflowError, jax.errors.ConcretizationTypeError) as error:
        raise InvalidInput("t0 and t1 must be plain numbers, also inside jax.jit") from error
    if not (np.isfinite(t0) and np.isfinite(t1) and t1 > t0 and math.isfinite(t1 - t0)):
        raise InvalidInput(f"a flow needs finite times t0 < t1, got t0 = {t0:g}, t1 = {t1:g}")
    return t0, t1


def _numbered(topic: str, sentences: Sequence[str], *, alone: str | None = None) -> dict[str, str]:
    if len(sentences) == 1:
        return {alone or topic: sentences[0]}
    return {f"{topic} {i}": sentence for i, sentence in enumerate(sentences, 1)}


def _seconds(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{max(seconds * 1e6, 0.1):.2g} us"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"
