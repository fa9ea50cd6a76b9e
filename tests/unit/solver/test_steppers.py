"""Methods and the controllers of their steps: what suits which flow, stages, orders, times of fixed steps."""

from __future__ import annotations

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.tokens import TokenFlow
from tokenfield.laws import Cells, Density, Fourier, Gaussian
from tokenfield.solver.options import Adaptive, FixedStep, Layers
from tokenfield.solver.plan import as_flow
from tokenfield.solver.steppers import METHODS, RK4, SSPRK3, EqualSteps, OnManifold, fixed_times, method_of

MODEL = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0))
FLOWS = {
    "tokens": as_flow(MODEL, np.eye(2), 0.0, 1.0),
    "clusters that merge": tkf.explain(MODEL, np.eye(2), t1=1.0, merge=True).flow,
    "a density of modes": as_flow(MODEL, Density.uniform(Fourier(32)), 0.0, 1.0),
    "a density on cells": as_flow(MODEL, Density.uniform(Cells(32)), 0.0, 1.0),
    "a Gaussian": as_flow(
        tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0)), Gaussian([0.0, 0.0], np.eye(2)), 0.0, 1.0
    ),
}
TOKENS = FLOWS["tokens"]


# --- which methods ------------------------------------------------------------------------------------------------

SUITED = {
    "tokens": {"tsit5", "dopri8", "rk4", "euler", "euler-normalise", "heun", "lie-trotter", "layers"},
    "clusters that merge": {"tsit5", "dopri8"},
    "a density of modes": {"tsit5", "dopri8", "kvaerno5", "rk4", "euler"},
    "a density on cells": {"tsit5", "dopri8", "kvaerno5", "rk4", "euler", "ssprk3"},
    "a Gaussian": {"tsit5", "dopri8", "kvaerno5", "rk4", "euler"},
}


@pytest.mark.parametrize("name", FLOWS)
def test_methods_suit_what_they_can_step(name):
    assert {method.name for method in METHODS.values() if method.suits(FLOWS[name])} == SUITED[name]
    assert FLOWS[name].default_method in SUITED[name]


def test_noise_is_for_the_methods_that_add_it():
    assert {name for name, method in METHODS.items() if method.takes_noise} == {"heun", "layers"}


STAGES = {"rk4": 4, "euler": 1, "heun": 2, "tsit5": 6, "dopri8": 13, "lie-trotter": 8, "layers": 1, "ssprk3": 3}


@pytest.mark.parametrize("name", STAGES)
def test_stages_are_the_velocities_of_a_step(name):
    assert METHODS[name].stages == STAGES[name]


def test_stages_of_a_step_are_counted_in_the_flow():
    """The count above, for a method of fixed steps, is how often it really asks."""
    calls = []

    class Counted(TokenFlow):
        def velocity(self, t, y):
            calls.append(t)
            return super().velocity(t, y)

    flow = Counted(MODEL, tkf.Measure(np.eye(2)))
    heun = METHODS["heun"]
    heun.stepper.step(heun.term(), 0.0, 0.1, flow.start, flow, None, made_jump=False)
    assert len(calls) == heun.stages


@pytest.mark.parametrize("options, evaluations", [({"method": "euler", "step": 1.0}, 2), ({"method": "tsit5"}, None)])
def test_a_solve_asks_for_no_velocity_more_than_its_steps_need(options, evaluations, monkeypatch):
    calls = []
    attend = tkf.Softmax.attend

    def counted(*args):
        jax.debug.callback(lambda: calls.append(1))
        return attend(*args)

    monkeypatch.setattr(tkf.Softmax, "attend", counted)
    start = tkf.Sphere(2).uniform_points(37, seed=0)  # a shape of its own: what is compiled already does not count
    run = tkf.solve(MODEL, start, t1=2.0, save="end", **options)
    jax.block_until_ready(run.final.points)
    jax.effects_barrier()
    if evaluations is None:  # the first stage of a step is the last of that before; two more guess the first step
        evaluations = 6 * (int(run.stats.accepted) + int(run.stats.rejected)) + 1 + 2
    assert len(calls) == evaluations


def test_every_method_says_what_it_is():
    for name, method in METHODS.items():
        assert method.name == name and len(method.about) > 10


# --- from what is asked to a method -------------------------------------------------------------------------------


def test_methods_are_found_by_name():
    assert method_of(Adaptive("dopri8"), TOKENS) is METHODS["dopri8"]
    assert method_of(FixedStep("rk4", 0.1), TOKENS) is METHODS["rk4"]
    assert method_of(Layers(3), TOKENS) is METHODS["layers"]


def test_solvers_of_diffrax_are_methods():
    adaptive = method_of(Adaptive(diffrax.Dopri5()), TOKENS)
    assert adaptive.name == "dopri5" and adaptive.is_adaptive and adaptive.stages == 6
    assert adaptive.suits(TOKENS) and adaptive.suits(FLOWS["a Gaussian"])
    fixed = method_of(FixedStep(diffrax.Midpoint(), 0.1), TOKENS)
    assert fixed.name == "midpoint" and not fixed.is_adaptive and fixed.stages == 2
    assert fixed.suits(TOKENS) and not fixed.suits(FLOWS["clusters that merge"])
    assert not method_of(Adaptive(diffrax.Euler()), TOKENS).is_adaptive  # it has no error estimate
    implicit = method_of(Adaptive(diffrax.Kvaerno3()), TOKENS)
    assert not implicit.suits(TOKENS) and implicit.suits(FLOWS["a Gaussian"])


@pytest.mark.parametrize(("asked", "words"), [("tsit6", "did you mean 'tsit5'"), (3, "unknown method 3")])
def test_unknown_methods_are_refused(asked, words):
    with pytest.raises(tkf.InvalidInput, match=words):
        method_of(Adaptive(asked), TOKENS)


def test_only_suited_methods_are_offered():
    with pytest.raises(tkf.InvalidInput, match=r"choose from: dopri8, euler, kvaerno5, rk4, tsit5$"):
        method_of(Adaptive("???"), FLOWS["a Gaussian"])


# --- one step -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stepper", "order"), [(RK4(), 4), (SSPRK3(), 3)], ids=["rk4", "ssprk3"])
def test_order_of_our_tableaus(stepper, order):
    """One step of y' = y - t^2 y^2 from y(0) = 1, of which 1/y = e^{-t} + t^2 - 2t + 2 - 2 e^{-t}."""
    term = diffrax.ODETerm(lambda t, y, args: y - t**2 * y**2)
    errors = []
    for h in (0.02, 0.01):
        y, *_ = stepper.step(term, 0.0, h, jnp.asarray(1.0), None, stepper.init(term, 0.0, h, 1.0, None), False)
        errors.append(abs(float(y) - 1 / (h**2 - 2 * h + 2 - np.exp(-h))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order + 1, abs=0.1)
    assert stepper.order(term) == order


def test_steps_end_on_the_manifold():
    flow = as_flow(tkf.Transformer(tkf.Sphere(3), tkf.Softmax(2.0)), np.eye(3), 0.0, 1.0)
    method = METHODS["euler"]
    bare, kept = (
        solver.step(method.term(), 0.0, 2.0, flow.start, flow, None, made_jump=False)[0]
        for solver in (method.stepper, OnManifold(method.stepper))
    )
    assert np.abs(np.linalg.norm(bare, axis=1) - 1).max() > 1e-2
    np.testing.assert_allclose(kept, bare / np.linalg.norm(bare, axis=1, keepdims=True), rtol=0, atol=1e-15)


def test_a_step_takes_the_weights_of_its_middle():
    """At a jump, the end of one step is the start of the next: neither may see the weights of the other."""
    layers = tkf.schedule.PerLayer([tkf.Head(tkf.Softmax(0.0), V=v * np.eye(2)) for v in (1.0, -1.0)], t1=2.0)
    flow = as_flow(tkf.Transformer(tkf.Euclidean(2), layers), [[1.0, 0.0]], 0.0, 2.0)
    method = METHODS["rk4"]
    for t, expected in ((0.0, 1.0), (1.0, -1.0)):
        solver = OnManifold(method.stepper)
        state = solver.init(method.term(), t, t + 1.0, flow.start, flow)
        y, *_ = solver.step(method.term(), t, t + 1.0, flow.start, flow, state, made_jump=False)
        growth = sum(expected**k / f for k, f in enumerate((1, 1, 2, 6, 24)))  # RK4 of x' = expected x
        np.testing.assert_allclose(y, [[growth, 0.0]], rtol=1e-14)


# --- the times of fixed steps -------------------------------------------------------------------------------------


def test_fixed_times_end_exactly_and_stop_at_jumps():
    np.testing.assert_allclose(fixed_times(0.0, 1.0, 0.3, np.empty(0)), [0.0, 0.3, 0.6, 0.9, 1.0])
    assert fixed_times(0.0, 0.3, 0.1, np.empty(0))[-1] == 0.3 and len(fixed_times(0.0, 0.3, 0.1, np.empty(0))) == 4
    np.testing.assert_allclose(fixed_times(1.0, 2.0, 0.5, np.array([1.2])), [1.0, 1.2, 1.5, 2.0])
    # a jump that is a step time up to rounding adds no step
    assert len(fixed_times(0.0, 1.0, 0.1, np.array([0.1 + 0.2]))) == 11


@pytest.mark.parametrize(("step", "t_end"), [(0.1, 0.3), (0.1, 30.0), (0.3, 1.0), (2.0, 0.5), (0.1, 0.30000000001)])
def test_equal_steps_have_the_same_ends_as_a_list_of_times(step, t_end):
    """Their length is known only to compiled code, and they do not drift."""

    @jax.jit
    def ends(step, t_end):
        controller = EqualSteps(step, t_end)
        first, state = controller.init(None, 0.0, t_end, None, None, None, None, None)

        def body(carry, _):
            t, state = carry
            _, start, after, _, state, _ = controller.adapt_step_size(0.0, t, None, None, None, None, None, state)
            return (after, state), start

        return jax.lax.scan(body, (first, state), length=len(wanted) - 1)[1]

    wanted = fixed_times(0.0, t_end, step, np.empty(0))
    np.testing.assert_allclose(ends(jnp.asarray(step), jnp.asarray(t_end)), wanted[1:], rtol=1e-15, atol=0)
