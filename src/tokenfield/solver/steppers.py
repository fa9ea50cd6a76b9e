"""Time steppers: diffrax's Runge-Kutta methods kept on the geometry, and step controllers that can be resumed.

A flow is any pytree with `velocity(t, y)`, `field(t, y)` (not projected), `retract(y)`, `frozen(t)`, and for some
methods `layer(t0, t1, y)`, `halves()`, `kick(t0, t1, y)` (what noise adds) and `exp(y, v)`. Fields are
read at retracted points, so they do not depend on the radius: retraction after each step then keeps the order of
the method and the last stage remains valid for the next step.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optimistix as optx
from diffrax import RESULTS, ODETerm
from jax import Array

from tokenfield._runtime.arguments import shown
from tokenfield._runtime.arrays import as_array
from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.flows.flow import Flow
from tokenfield.flows.norms import Norm
from tokenfield.solver.options import Adaptive, Layers, Stepping

SHORT = 1e-6  # of the span: a first step where none can be guessed


class RK4(diffrax.AbstractERK):
    """The classical Runge-Kutta method of order 4, with cubic Hermite interpolation."""

    tableau: ClassVar[diffrax.ButcherTableau] = diffrax.ButcherTableau(
        a_lower=(np.array([0.5]), np.array([0.0, 0.5]), np.array([0.0, 0.0, 1.0])),
        b_sol=np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6]),
        b_error=np.zeros(4),  # fixed steps only
        c=np.array([0.5, 0.5, 1.0]),
    )
    interpolation_cls: ClassVar[Any] = diffrax.ThirdOrderHermitePolynomialInterpolation.from_k

    def order(self, terms: Any) -> int:
        return 4


class SSPRK3(diffrax.AbstractERK):
    """The strong-stability-preserving Runge-Kutta method of order 3: convex combinations of Euler steps.

    What an Euler step keeps, such as positivity, it keeps too.
    """

    tableau: ClassVar[diffrax.ButcherTableau] = diffrax.ButcherTableau(
        a_lower=(np.array([1.0]), np.array([0.25, 0.25])),
        b_sol=np.array([1 / 6, 1 / 6, 2 / 3]),
        b_error=np.array([-1 / 3, -1 / 3, 2 / 3]),  # against Heun's method, which has the same first stages
        c=np.array([1.0, 0.5]),
    )
    interpolation_cls: ClassVar[Any] = diffrax.ThirdOrderHermitePolynomialInterpolation.from_k

    def order(self, terms: Any) -> int:
        return 3


class _OneStep(diffrax.AbstractSolver):
    """A method of fixed steps that needs the flow itself: linear interpolation, no error estimate, no state."""

    term_structure: ClassVar[Any] = ODETerm
    interpolation_cls: ClassVar[Any] = diffrax.LocalLinearInterpolation

    def order(self, terms):
        return 1

    def init(self, terms, t0, t1, y0, args):
        return None

    def func(self, terms, t0, y0, args):
        return terms.vf(t0, y0, args)

    @abstractmethod
    def end(self, t0, t1, y0, flow):
        """The state at t1."""

    def step(self, terms, t0, t1, y0, args, solver_state, made_jump):
        y1 = self.end(t0, t1, y0, args)
        return y1, None, {"y0": y0, "y1": args.retract(y1)}, None, RESULTS.successful


class Layered(_OneStep):
    """One step is one discrete layer of the model."""

    def end(self, t0, t1, y0, flow):
        return flow.layer(t0, t1, y0)


class Heun(_OneStep):
    """Heun's method, which with noise converges to the solution in the sense of Stratonovich.

    Strong order 1/2 on the sphere, where the noise of different directions does not commute, and 1 in R^d; without
    noise, order 2.
    """

    def order(self, terms):
        return 2

    def strong_order(self, terms):
        return 0.5

    def end(self, t0, t1, y0, flow):
        # Along geodesics the noise has its exact law on the circle, up to (d - 2)/6 (2h/kappa) on S^{d-1}. The average
        # of its projections at both ends of the step would lose the part 1.5 (2h/kappa) and more of the diffusion.
        kick, first = flow.kick(t0, t1, y0), (t1 - t0) * flow.velocity(t0, y0)
        second = (t1 - t0) * flow.velocity(t1, flow.exp(y0, kick + first))
        return flow.exp(y0, kick + first / 2) + second / 2


class LieTrotter(_OneStep):
    """Attention for the whole step, then perceptrons and potentials for the whole step, each by RK4."""

    def end(self, t0, t1, y0, flow):
        rk4, term, y = RK4(), ODETerm(_velocity), y0
        for half in flow.halves():
            state = rk4.init(term, t0, t1, y, half)
            y, *_ = rk4.step(term, t0, t1, y, half, state, made_jump=False)
            y = half.retract(y)
        return y


class OnManifold(diffrax.AbstractWrappedSolver):
    """`solver`, with the end of each step retracted and the weights of one step taken from inside that step."""

    solver: diffrax.AbstractSolver

    @property
    def term_structure(self):
        return self.solver.term_structure

    @property
    def interpolation_cls(self):
        return self.solver.interpolation_cls

    @property
    def root_finder(self):
        """That of an implicit method, which diffrax asks for."""
        return self.solver.root_finder  # type: ignore[attr-defined]

    @property
    def scan_kind(self):
        """How the stages of a Runge-Kutta method are looped over, which diffrax asks for."""
        return getattr(self.solver, "scan_kind", None)

    def forwards(self) -> OnManifold:
        """The same with a plain loop over the stages: traced faster, and never to be differentiated backwards."""
        if not hasattr(self.solver, "scan_kind"):
            return self
        return OnManifold(
            eqx.tree_at(lambda solver: solver.scan_kind, self.solver, "lax", is_leaf=lambda leaf: leaf is None)
        )

    def order(self, terms):
        return self.solver.order(terms)

    def strong_order(self, terms):
        return self.solver.strong_order(terms)

    def error_order(self, terms):
        return self.solver.error_order(terms)

    def init(self, terms, t0, t1, y0, args):
        return self.solver.init(terms, t0, t1, y0, args)

    def step(self, terms, t0, t1, y0, args, solver_state, made_jump):
        # Steps never cross a jump of the schedule, so its middle says which piece applies: no doubt at the ends.
        flow = args.frozen((t0 + t1) / 2)
        y1, *rest = self.solver.step(terms, t0, t1, y0, flow, solver_state, made_jump)
        return flow.retract(y1), *rest

    def func(self, terms, t0, y0, args):
        return self.solver.func(terms, t0, y0, args)


class Resumable(diffrax.AbstractStepSizeController):
    """`controller`, with a state that remembers the length of the next step, and a stop when steps vanish."""

    controller: diffrax.AbstractStepSizeController

    @property
    def unknown(self) -> tuple[bool, bool] | None:
        """Whether jumps and the result of a step are only known when it runs; `None` where that is to be found out.

        The result never is, as steps may vanish. Where all steps are taken, none makes a jump.
        """
        inner: Any = self.controller
        while hasattr(inner, "controller"):  # that of `Valid`, or of one that stops at jumps
            inner = inner.controller
        known: dict[Any, tuple[bool, bool]] = {
            diffrax.PIDController: (True, True),
            EqualSteps: (False, True),
            diffrax.StepTo: (False, True),
        }
        return known.get(type(inner))

    def wrap(self, direction):
        return Resumable(self.controller.wrap(direction))

    def init(self, terms, t0, t1, y0, dt0, args, func, error_order):
        first, state = self.controller.init(terms, t0, t1, y0, dt0, args, func, error_order)
        if dt0 is None and not isinstance(self.controller, (EqualSteps, diffrax.StepTo)):  # which do not guess
            # near rest the guess looks so far ahead that e^{tV} is not finite there: then a short step is tried
            def short() -> Array:
                velocity = jax.tree.leaves(func(terms, t0, y0, args))
                starts = jnp.all(jnp.stack([jnp.all(jnp.isfinite(v)) for v in velocity]))
                return jnp.where(starts, t0 + SHORT * (t1 - t0), first)

            # only then is the velocity evaluated once more
            guess = jnp.asarray(first)
            first = jax.lax.cond(jnp.isfinite(guess), lambda: guess, lambda: short().astype(guess.dtype))
        return first, (state, jnp.asarray(first - t0))

    def adapt_step_size(self, t0, t1, y0, y1_candidate, args, y_error, error_order, controller_state):
        keep, start, end, made_jump, state, result = self.controller.adapt_step_size(
            t0, t1, y0, y1_candidate, args, y_error, error_order, controller_state[0]
        )
        # A rejected step below the spacing of floating-point times can only be rejected again, for ever.
        tiny = 8 * jnp.finfo(jnp.result_type(t0)).eps * jnp.abs(start)
        is_stuck = jnp.logical_not(keep) & ~(end - start > tiny)
        result = RESULTS.where(is_stuck, RESULTS.dt_min_reached, result)
        return keep, start, end, made_jump, (state, end - start), result


class Valid(diffrax.AbstractStepSizeController):
    """The steps of `controller`, but none longer than the flow says keeps its state valid."""

    controller: diffrax.AbstractStepSizeController

    def wrap(self, direction):
        return Valid(self.controller.wrap(direction))

    def init(self, terms, t0, t1, y0, dt0, args, func, error_order):
        first, state = self.controller.init(terms, t0, t1, y0, dt0, args, func, error_order)
        return jnp.minimum(first, t0 + args.largest_step(t0, y0)), state

    def adapt_step_size(self, t0, t1, y0, y1_candidate, args, y_error, error_order, controller_state):
        keep, start, end, made_jump, state, result = self.controller.adapt_step_size(
            t0, t1, y0, y1_candidate, args, y_error, error_order, controller_state
        )
        longest = args.largest_step(start, jnp.where(keep, y1_candidate, y0))
        return keep, start, jnp.minimum(end, start + longest), made_jump, state, result


class EqualSteps(diffrax.AbstractStepSizeController):
    """Steps that end at the multiples of `step`, and the last one, which may be shorter, at `t_end`; from t = 0 on.

    Unlike a list of times, neither needs to be known when the steps are compiled.
    """

    step: Array
    t_end: Array

    def wrap(self, direction):
        return self

    def init(self, terms, t0, t1, y0, dt0, args, func, error_order):
        return self._multiple(1), jnp.asarray(1)

    def adapt_step_size(self, t0, t1, y0, y1_candidate, args, y_error, error_order, controller_state):
        k = controller_state + 1
        return True, t1, self._multiple(k), False, k, RESULTS.successful

    def _multiple(self, k):
        t = k * self.step  # no sum of steps: that would drift by rounding
        return jnp.where(t > self.t_end * (1 - 1e-12), self.t_end, t)


class Crossing(optx.AbstractRootFinder):
    """Bisection for the time of an event inside a step.

    Unlike optimistix's own, it takes several functions at once (all but the triggered ones are zero, so their sum
    serves) and does not fail when rounding leaves no root in the interval: it then answers with the step's end.
    """

    rtol: float
    atol: float
    norm: ClassVar[Any] = jnp.abs

    def init(self, fn, y, args, options, f_struct, aux_struct, tags):
        lower, upper = options["lower"], options["upper"]
        return lower, upper, jnp.sign(self._total(fn, upper, args)), jnp.asarray(0)

    def step(self, fn, y, args, options, state, tags):
        lower, upper, sign, count = state
        middle = lower + 0.5 * (upper - lower)
        is_past = self._total(fn, middle, args) * sign > 0
        lower, upper = jnp.where(is_past, lower, middle), jnp.where(is_past, middle, upper)
        return upper, (lower, upper, sign, count + 1), fn(upper, args)[1]

    def terminate(self, fn, y, args, options, state, tags):
        return state[3] >= 60, optx.RESULTS.successful  # 2^-60 of a step is below rounding

    def postprocess(self, fn, y, aux, args, options, state, tags, result):
        return y, aux, {}

    def _total(self, fn, y, args):
        return sum(jax.tree.leaves(fn(y, args)[0]))


CROSSING = Crossing(rtol=0.0, atol=0.0)


@dataclass(frozen=True)
class Method:
    """A named way to step: `stepper`, whether steps adapt, and whether the field is projected before it is added.

    `needs` is what it asks of a flow beyond the velocity, as `Flow.abilities` has it. `keeps_valid`: no step is longer
    than keeps the state valid.
    """

    name: str
    stepper: diffrax.AbstractSolver
    is_adaptive: bool
    needs: frozenset[str] = frozenset()
    is_projected: bool = True
    keeps_valid: bool = False
    about: str = ""

    def term(self) -> ODETerm:
        """The right-hand side of the flow as a diffrax term; the flow itself travels as `args`."""
        return ODETerm(_velocity if self.is_projected else _field)

    @property
    def stages(self) -> int:
        """How often a step evaluates the velocity."""
        if (tableau := getattr(self.stepper, "tableau", None)) is not None:
            return int(tableau.num_stages) - int(getattr(tableau, "fsal", False))
        return {"heun": 2, "lie-trotter": 8}.get(self.name, 1)

    @property
    def takes_noise(self) -> bool:
        """Whether the method adds the noise of tokens."""
        return "noise" in self.needs

    def suits(self, flow: Flow) -> bool:
        """Whether the method can step `flow`."""
        return self.needs <= flow.abilities


def _velocity(t, y, flow):
    return flow.velocity(t, y)


def _field(t, y, flow):
    return flow.field(t, y)


def _adaptive(name: str, stepper: diffrax.AbstractSolver, about: str, *needs: str, keeps_valid: bool = False) -> Method:
    return Method(name, stepper, True, frozenset(needs), keeps_valid=keeps_valid, about=about)


def _fixed(name: str, stepper: diffrax.AbstractSolver, about: str, *needs: str, is_projected: bool = True) -> Method:
    return Method(name, stepper, False, frozenset({"fixed-step", *needs}), is_projected=is_projected, about=about)


METHODS = {
    method.name: method
    for method in (
        _adaptive("tsit5", diffrax.Tsit5(), "adaptive Runge-Kutta of order 5 (the default)"),
        _adaptive("dopri8", diffrax.Dopri8(), "adaptive Runge-Kutta of order 8, for tight tolerances"),
        _adaptive(
            "kvaerno5",
            diffrax.Kvaerno5(root_finder=diffrax.VeryChord(rtol=1e-8, atol=1e-10)),
            "adaptive and implicit, order 5: densities and Gaussians with stiff noise, up to about 1000 numbers",
            "implicit",
        ),
        _adaptive(
            "ssprk3",
            SSPRK3(),
            "adaptive, order 3, steps short enough to keep a density on cells nonnegative",
            "largest-step",
            keeps_valid=True,
        ),
        _fixed("rk4", RK4(), "fixed steps, order 4"),
        _fixed("euler", diffrax.Euler(), "fixed steps, order 1: projected field, then retraction"),
        _fixed(
            "euler-normalise",
            diffrax.Euler(),
            "the published scheme: add the unprojected field, then normalize (order 1)",
            "field",
            is_projected=False,
        ),
        _fixed("heun", Heun(), "fixed steps, order 2; with noise, Stratonovich", "noise"),
        _fixed("lie-trotter", LieTrotter(), "fixed steps, order 1: attention, then perceptron", "halves"),
        _fixed("layers", Layered(), "discrete layers, as solve(layers=L) runs them", "layer", "noise"),
    )
}


def method_of(stepping: Stepping, flow: Flow) -> Method:
    """The method that `stepping` asks for, by name or as a solver of diffrax.

    Raises `InvalidInput` with the nearest name of those that suit `flow` if there is none.
    """
    if isinstance(stepping, Layers):
        return METHODS["layers"]
    asked = stepping.method
    if isinstance(asked, diffrax.AbstractSolver):
        needs = {"implicit"} if isinstance(asked, diffrax.AbstractImplicitSolver) else set()
        is_adaptive = isinstance(stepping, Adaptive) and isinstance(asked, diffrax.AbstractAdaptiveSolver)
        name = type(asked).__name__.lower()
        needs |= set() if is_adaptive else {"fixed-step"}
        return Method(name, asked, is_adaptive, frozenset(needs), about="a solver of diffrax")
    if not isinstance(asked, str) or asked not in METHODS:
        offered = [method.name for method in METHODS.values() if method.suits(flow)]
        raise InvalidInput(f"unknown method {shown(asked)}{did_you_mean(str(asked), offered)}")
    return METHODS[asked]


def adaptive_controller(
    rtol: float, atol: float, norm: Norm, jumps: np.ndarray, dtype: Any, *, valid: bool = False
) -> Resumable:
    """Steps whose local error, divided by atol + rtol |y| in each coordinate, has a `norm` below 1.

    With `valid`, none is longer than the flow says keeps its state valid.
    """
    # PI coefficients: fewer rejected steps than the plain integral controller once collapsed clusters make it stiff
    # tolerances as arrays, so that another value is not another compilation
    rtol_array, atol_array = (as_array(tolerance, dtype) for tolerance in (rtol, atol))
    controller: Any = diffrax.PIDController(rtol_array, atol_array, norm=norm, pcoeff=0.1, icoeff=0.6)
    if valid:
        controller = Valid(controller)
    if len(jumps):
        controller = diffrax.ClipStepSizeController(controller, jump_ts=jnp.asarray(jumps, dtype))
    return Resumable(controller)


def fixed_controller(times: np.ndarray, dtype: Any) -> Resumable:
    """Steps exactly between the given times."""
    return Resumable(diffrax.StepTo(jnp.asarray(times, dtype)))


def equal_steps_controller(step: Array, t_end: Array) -> Resumable:
    """Steps of one length from 0 to `t_end` (the last one may be shorter), both of which compiled code may compute."""
    return Resumable(EqualSteps(step, t_end))


def fixed_times(t0: float, t1: float, step: float, jumps: np.ndarray) -> np.ndarray:
    """Times from t0 to t1 by `step` (the last one may be shorter), and every jump besides."""
    steps = np.ceil((t1 - t0) / step * (1 - 1e-12))
    require_numbers(2 * steps, f"{steps:.3g} steps", advice="take longer ones, or let tolerances choose them")
    count = int(steps)
    times = t0 + step * np.arange(count)
    times = np.append(times, t1)
    if len(jumps):
        # a jump that is a step time up to rounding must not add a step of length 1e-16
        gaps = np.min(np.abs(times[:, None] - jumps[None, :]), axis=0)
        times = np.sort(np.concatenate([times, jumps[gaps > 1e-9 * step]]))
    return times
