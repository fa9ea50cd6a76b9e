"""`explain` makes the plan that `solve` runs: what is refused, what is chosen, what is said about it.

Objects and short words give the same run; any solver of diffrax is a method.
"""

from __future__ import annotations

import re

import diffrax
import equinox as eqx
import jax
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.tokens import TokenFlow
from tokenfield.laws import Density, Fourier, Gaussian
from tokenfield.solver import solve as running
from tokenfield.solver.plan import as_stepping

SPHERE, CIRCLE = tkf.Sphere(3), tkf.Sphere(2)
START = np.asarray(SPHERE.uniform_points(6, seed=0))
MODEL = tkf.Transformer(SPHERE, tkf.Softmax(2.0))
MANY = tkf.Measure(CIRCLE.uniform_points(2000, seed=0))
ON_CIRCLE = tkf.Transformer(CIRCLE, tkf.Softmax(9.0))


def plan(*, start=START, model=MODEL, t1=2.0, **options):
    return tkf.explain(model, start, t1=t1, **options)


# --- what it refuses ----------------------------------------------------------------------------------------------

REFUSED = {
    "unknown method, with the nearest": ({"method": "tsit6"}, "unknown method 'tsit6'; did you mean 'tsit5'?"),
    "unknown method, with the list": (
        {"method": "???"},
        "choose from: dopri8, euler, euler-normalise, heun, layers, lie-trotter, rk4, tsit5",
    ),
    "a fixed method without step": ({"method": "rk4"}, "method 'rk4' needs a step, for example step=0.1"),
    "a solver without error estimate": ({"method": diffrax.Euler()}, "method 'euler' needs a step"),
    "a step for an adaptive method": ({"step": 0.1}, "method 'tsit5' chooses its own steps: leave out step"),
    "a step of zero": ({"method": "rk4", "step": 0.0}, "step must be positive, got 0.0"),
    "a step that is not a number": ({"method": "euler", "step": np.nan}, "step must be positive"),
    "layers with a method": ({"layers": 4, "method": "rk4"}, "layers=L fixes the method and the step"),
    "layers with a step": ({"layers": 4, "step": 0.1}, "layers=L fixes the method and the step"),
    "no layers": ({"layers": 0}, "layers must be a whole number >= 1, got 0"),
    "an object and a tolerance": (
        {"method": tkf.Adaptive(rtol=1e-3), "rtol": 1e-4},
        "method=Adaptive(method=None, rtol=0.001, atol=None, norm=None) says all about the steps: leave out rtol",
    ),
    "an object and a step": ({"method": tkf.FixedStep("rk4", 0.1), "step": 0.1}, "leave out step"),
    "an object and layers": ({"method": tkf.Layers(3), "layers": 3}, "leave out layers"),
    "an object with an adaptive method": (
        {"method": tkf.FixedStep("tsit5", 0.1)},
        "method 'tsit5' chooses its own steps: leave out step, or use 'rk4'",
    ),
    "an object with a fixed method": ({"method": tkf.Adaptive("rk4")}, "method 'rk4' needs a step"),
    "an implicit solver for tokens": (
        {"method": diffrax.Kvaerno3()},
        "method 'kvaerno3' does not suit a token flow: use one of tsit5, dopri8, rk4",
    ),
    "cells for tokens": ({"method": "ssprk3"}, "method 'ssprk3' does not suit a token flow"),
    "fixed steps that merge": ({"method": "rk4", "step": 0.1, "merge": True}, "method 'rk4' does not suit a"),
    "a clock that stops": ({"clock": "distance"}, "add merge=True"),
    "an end before the start": ({"t1": -1.0}, "finite times t0 < t1, got t0 = 0, t1 = -1"),
    "an empty span": ({"t0": 2.0}, "finite times t0 < t1"),
    "an infinite end": ({"t1": np.inf}, "finite times t0 < t1"),
    "times that are arrays": ({"t1": np.ones(2)}, "t1 must be a number"),
    "rtol = 0": ({"rtol": 0.0}, "tolerances need 0 < rtol < 1"),
    "a negative atol": ({"atol": -1.0}, "tolerances need 0 < rtol < 1 and atol >= 0"),
    "rtol = nan": ({"rtol": np.nan}, "tolerances need"),
    "save times out of range": ({"save": [0.0, 3.0]}, "save times must lie in [0, 2], got [0, 3]"),
    "max_steps = 0": ({"max_steps": 0}, "max_steps must be at least 1, got 0"),
    "an event that is not callable": ({"events": ["consensus"]}, "an event must be callable with (t, measure, model)"),
    "points of the wrong dimension": ({"start": np.eye(2)}, "points have dimension 2, the geometry has d = 3"),
    "points off the sphere": ({"start": 2 * START}, "is off the sphere: its norm differs from 1 by 1 "),
    "points that are not finite": ({"start": np.full((6, 3), np.nan)}, "points must be finite"),
    "layers of a density": (
        {"start": Density.uniform(Fourier(32)), "model": ON_CIRCLE, "layers": 3},
        "layers=L moves tokens",
    ),
    "noise without a step": (
        {"model": tkf.Transformer(SPHERE, tkf.Softmax(2.0), noise=tkf.Noise(1.0, seed=0))},
        "method 'heun' needs a step",
    ),
    "a scheme without normalization": (
        {
            "model": tkf.Transformer(SPHERE, tkf.Softmax(2.0), normalization=tkf.PostLN()),
            "method": "euler-normalise",
            "step": 0.1,
        },
        "'euler-normalise' is the scheme without a normalization",
    ),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(options, message):
    with pytest.raises(tkf.InvalidInput, match=re.escape(message)):
        plan(**options)


# --- what solve runs ----------------------------------------------------------------------------------------------

RUNS = {
    "tokens": {},
    "fixed steps": {"method": "rk4", "step": 0.3, "save": "log:4"},
    "a span": {"t0": 0.5, "layers": 3},
    "merging": {"merge": True, "clock": "distance"},
    "a reduction": {"start": np.concatenate([START, START[:2]])},
    "fast sums": {"start": MANY, "model": ON_CIRCLE, "rtol": 1e-4},
    "a density": {"start": Density.uniform(Fourier(32)), "model": ON_CIRCLE},
}


@pytest.mark.parametrize("name", RUNS)
def test_explain_is_what_solve_runs(name, monkeypatch):
    ran = []
    monkeypatch.setattr(running, "solve_plan", lambda plan, **_: ran.append(plan))
    options = {"start": START, "model": MODEL, "t1": 2.0, **RUNS[name]}
    tkf.solve(**options)
    (done,), told = ran, tkf.explain(**options)
    assert eqx.tree_equal(done.integration.flow, told.flow) and type(done.flow) is type(told.flow)
    assert eqx.tree_equal(done.model, told.model) and eqx.tree_equal(done.integration, told.integration)
    assert done.integration.method == told.integration.method
    assert (done.choices, done.stepping, done.notes) == (told.choices, told.stepping, told.notes)
    np.testing.assert_array_equal(done.times, told.times)
    assert str(done) == str(told)


def test_fast_sums_go_on_after_the_solve():
    """The model of the plan, which every observable uses, has the sums that were chosen; direct ones need no word."""
    fast, few = plan(start=MANY, model=ON_CIRCLE), plan()
    assert fast.choices[0].expansion is not None
    assert fast.model.sums == fast.choices == fast.flow.choices
    assert any(str(choice) in fast.notes for choice in fast.choices)
    assert few.model.sums is None and few.notes == ()


def test_sums_are_far_more_exact_than_steps():
    def error(**options):
        return plan(start=MANY, model=ON_CIRCLE, **options).choices[0].error

    assert error() == 1e-10  # rtol = 1e-7
    assert error(rtol=1e-9) == 1e-12
    assert error(method=tkf.Adaptive(rtol=1e-9)) == 1e-12
    assert error(rtol=1e-2) == 1e-10  # never worse than that
    assert error(rtol=1e-14) == 1e-13  # nor better than rounding


def test_a_plan_inside_a_trace_says_so():
    seen = []

    def look(x):
        seen.append(plan(start=x).is_traced)
        return x

    jax.jit(look)(START)
    assert seen == [True] and not plan().is_traced


def test_defaults():
    told = plan()
    assert told.integration.method.name == "tsit5" and told.stepping.norm == "rms"
    assert len(told.times) == 101
    assert plan(merge=True).stepping.norm == "max"
    noisy = tkf.Transformer(SPHERE, tkf.Softmax(2.0), noise=tkf.Noise(1.0, seed=0))
    assert plan(model=noisy, step=0.1).integration.method.name == "heun"


# --- words --------------------------------------------------------------------------------------------------------


def test_the_explanation_has_its_topics():
    said = plan(save="end").explanation
    assert list(said) == ["state", "method", "sum", "cost", "saved", "memory"]
    assert said["state"] == "6 tokens in R^3, float64"
    assert said["method"].startswith("tsit5: ") and said["method"].endswith("below 1e-07 relative, 1e-09 absolute")
    assert said["sum"].startswith("dense: 6 x 6 pairs")
    assert said["cost"].startswith("6 evaluations of the velocity a step, about ")
    assert said["saved"] == "at t = 2, 144 B in memory"


def test_fixed_steps_are_counted():
    said = plan(method="rk4", step=0.3).explanation
    assert said["method"].endswith("; 7 steps of 0.3") and said["cost"].endswith(" for 7 steps")
    assert plan(layers=4).explanation["method"] == "4 layers of step 0.5"
    assert plan(layers=4).explanation["cost"].startswith("1 evaluation of the velocity a step")


def test_heads_and_reductions_are_numbered():
    two = tkf.Transformer(SPHERE, [tkf.Softmax(1.0), tkf.Softmax(2.0)])
    assert {"sum of head 1", "sum of head 2"} <= set(plan(model=two).explanation)
    merged = plan(merge=True).explanation
    assert "merging" in merged and "cost" not in merged
    twice = plan(start=np.concatenate([START, START[:2]]))
    assert not isinstance(twice.flow, TokenFlow)
    assert twice.explanation["reduction"] == twice.reductions[0] == twice.notes[0]


def test_a_plan_is_printed_as_a_table():
    told = plan()
    lines = str(told).splitlines()
    assert len(lines) == len(told.explanation)
    assert {line.split("  ")[0] for line in lines} == set(told.explanation)
    assert len({len(line) - len(line.split(" ", 1)[1].lstrip()) for line in lines}) == 1  # one column
    assert repr(told) == str(told)


# --- words and objects --------------------------------------------------------------------------------------------

SAME = {
    "tolerances": ({"rtol": 1e-5, "atol": 1e-6}, {"method": tkf.Adaptive(rtol=1e-5, atol=1e-6)}),
    "a name": ({"method": "dopri8"}, {"method": tkf.Adaptive("dopri8")}),
    "a step": ({"method": "rk4", "step": 0.25}, {"method": tkf.FixedStep("rk4", 0.25)}),
    "layers": ({"layers": 3}, {"method": tkf.Layers(3)}),
    "merging": ({"merge": True}, {"merge": tkf.Merge()}),
    "a distance": ({"merge": 1e-3}, {"merge": tkf.Merge(1e-3)}),
    "a clock": ({"merge": True, "clock": "distance"}, {"merge": True, "clock": tkf.Clock("distance")}),
    "nothing": ({}, {"method": tkf.Adaptive(), "merge": False, "clock": tkf.Clock()}),
}


@pytest.mark.parametrize(("words", "objects"), SAME.values(), ids=SAME)
def test_objects_and_words_make_one_plan(words, objects):
    one, other = plan(**words), plan(**objects)
    assert eqx.tree_equal(one.integration, other.integration)
    assert one.stepping == other.stepping and eqx.tree_equal(one.model, other.model)
    assert (one.merging is None) == (other.merging is None)


@pytest.mark.parametrize("name", ["tolerances", "a step", "layers", pytest.param("a clock", marks=pytest.mark.slow)])
def test_objects_and_words_give_one_run_bit_for_bit(name):
    one, other = (tkf.solve(MODEL, START, t1=2.0, save=5, **options) for options in SAME[name])
    assert np.array_equal(one.points, other.points) and np.array_equal(one.ts, other.ts)
    assert int(one.stats.accepted) == int(other.stats.accepted) > 0


def test_another_object_is_another_plan():
    """The control of the tests above."""
    assert not eqx.tree_equal(plan(rtol=1e-5).integration, plan(method=tkf.Adaptive(rtol=1e-4)).integration)
    assert not eqx.tree_equal(plan(layers=3).integration, plan(method=tkf.Layers(4)).integration)


def test_what_was_given_is_what_is_meant():
    def stepping(method=None, step=None, layers=None, rtol=None, atol=None):
        return as_stepping(method, step=step, layers=layers, rtol=rtol, atol=atol)

    assert stepping() == tkf.Adaptive()
    assert stepping("rk4", step=0.5) == tkf.FixedStep("rk4", 0.5)
    assert stepping(layers=4) == tkf.Layers(4)
    assert stepping("dopri8", rtol=1e-9, atol=1e-8) == tkf.Adaptive("dopri8", 1e-9, 1e-8)
    assert stepping(tkf.Layers(4)) == tkf.Layers(4)


# --- solvers of diffrax -------------------------------------------------------------------------------------------


def test_adaptive_solvers_of_diffrax():
    told = plan(method=diffrax.Dopri5())
    assert told.explanation["method"].startswith("dopri5: a solver of diffrax; local errors below 1e-07")
    run = tkf.solve(MODEL, START, t1=2.0, save=5, method=diffrax.Dopri5())
    np.testing.assert_allclose(run.points, tkf.solve(MODEL, START, t1=2.0, save=5).points, rtol=0, atol=1e-6)
    assert int(run.stats.accepted) > 3


def test_solvers_of_diffrax_with_a_step():
    """Midpoint has order two: a step of 0.1 errs by some 1e-3, and the run keeps the sphere."""
    run = tkf.solve(MODEL, START, t1=2.0, save=5, method=diffrax.Midpoint(), step=0.1)
    assert int(run.stats.accepted) == 20
    error = np.abs(np.asarray(run.points - tkf.solve(MODEL, START, t1=2.0, save=5).points)).max()
    assert 1e-6 < error < 1e-2
    assert np.abs(np.linalg.norm(run.points, axis=-1) - 1).max() < 1e-14


@pytest.mark.slow
def test_implicit_solvers_of_diffrax_are_for_small_states():
    space = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0))
    told = tkf.explain(space, Gaussian([0.0, 0.0], np.eye(2)), t1=1.0, method=diffrax.Kvaerno3())
    assert told.integration.method.name == "kvaerno3"
