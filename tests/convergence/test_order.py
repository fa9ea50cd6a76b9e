"""Measured orders in the step: log-log slopes of the error at the end of a run against the nominal order.

Tokens on the sphere turn by about one radian at beta = 4, so that a method which loses its order at the retraction,
in its stages or in its last stage reused as the first shows a lower slope. Controls with such defects must fail.
"""

from __future__ import annotations

from functools import cache

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.tokens import TokenFlow
from tokenfield.solver.steppers import METHODS, RK4, OnManifold

T1 = 1.0
GEOMETRIES = {"sphere": tkf.Sphere(3), "space": tkf.Euclidean(2)}
# Where rounding (1e-15) and the reference (1e-13) are far below the error, and the error is already asymptotic:
# tsit5 has very small constants in front of h^5, so in R^d the next power hides it until h = 1/32.
STEPS = {1: (128, 256, 512), 2: (16, 32, 64), 4: (16, 32, 64)}
STEPS_TSIT5 = {"sphere": (8, 16, 32), "space": (32, 64, 128)}


def make_flow(name: str) -> TokenFlow:
    geometry = GEOMETRIES[name]
    x = geometry.to_manifold(jax.random.normal(jax.random.key(1), (6, geometry.d)))
    if name == "sphere":
        beta, V = 4.0, [[2.0, 0.8, 0.0], [-0.8, 2.0, 0.6], [0.0, 0.4, 1.6]]
    else:
        beta, V = 0.5, [[0.0, 3.0], [-3.0, 0.0]]
    model = tkf.Transformer(geometry, tkf.Softmax(beta), V=jnp.asarray(V))
    return TokenFlow(model, tkf.Measure(x, geometry=geometry))


@cache
def reference(name: str) -> np.ndarray:
    flow = make_flow(name)
    run = tkf.solve(flow.model, flow.tokens, t1=T1, method="dopri8", rtol=1e-13, atol=1e-14, save="end")
    start = np.asarray(flow.tokens.points)
    # the amplitude: some token moves by nearly a radian, or its own size
    assert np.linalg.norm(np.asarray(run.final.points) - start, axis=1).max() > 0.8
    return np.asarray(run.final.points)


@eqx.filter_jit
def integrate(solver, term, flow, step):
    """The end of a run of fixed steps, with the step as data: one compilation serves all steps."""
    solution = diffrax.diffeqsolve(
        term, solver, 0.0, T1, step, flow.tokens.points, flow,
        stepsize_controller=diffrax.ConstantStepSize(), max_steps=None, saveat=diffrax.SaveAt(t1=True),
    )  # fmt: skip
    return solution.ys[0]


def slope(counts, ends, expected) -> float:
    """The log-log slope of the error over the counts of steps, negated."""
    errors = [np.linalg.norm(np.asarray(end) - expected) for end in ends]
    assert min(errors) > 1e-12, "below this, rounding and the reference hide the order"
    return -float(np.polyfit(np.log(counts), np.log(errors), 1)[0])


def measured_order(solver, method, name: str, counts) -> float:
    flow = make_flow(name)
    ends = [integrate(solver, method.term(), flow, jnp.asarray(T1 / count)) for count in counts]
    return slope(counts, ends, reference(name))


ORDERS = [("euler", 1), ("rk4", 4), ("tsit5", 5)]


@pytest.mark.slow
@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize(("method", "order"), ORDERS, ids=[m for m, _ in ORDERS])
def test_order_of_the_steppers(method, order, name):
    chosen = METHODS[method]
    counts = STEPS_TSIT5[name] if method == "tsit5" else STEPS[order]
    assert measured_order(OnManifold(chosen.stepper), chosen, name, counts) == pytest.approx(order, abs=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("name", GEOMETRIES)
def test_layers_converge_to_the_flow_with_order_one(name):
    """A residual network of L layers, through `solve`; on the sphere this is also the scheme "euler-normalise"."""
    flow, counts = make_flow(name), (64, 256)
    ends = [tkf.solve(flow.model, flow.tokens, t1=T1, layers=L, save="end").final.points for L in counts]
    assert slope(counts, ends, reference(name)) == pytest.approx(1, abs=0.2)


@pytest.mark.slow
def test_euler_normalise_has_order_one_and_equals_layers():
    flow, counts = make_flow("sphere"), (64, 256)
    runs = [
        tkf.solve(flow.model, flow.tokens, t1=T1, method="euler-normalise", step=T1 / count, save="end")
        for count in counts
    ]
    assert slope(counts, [run.final.points for run in runs], reference("sphere")) == pytest.approx(1, abs=0.2)
    layers = tkf.solve(flow.model, flow.tokens, t1=T1, layers=64, save="end")
    # the same operations, compiled in another order
    np.testing.assert_allclose(layers.final.points, runs[0].final.points, rtol=0, atol=1e-14)


def test_rk4_through_solve_takes_the_steps_that_were_measured():
    flow, chosen = make_flow("sphere"), METHODS["rk4"]
    run = tkf.solve(flow.model, flow.tokens, t1=T1, method="rk4", step=T1 / 16, save="end")
    expected = integrate(OnManifold(chosen.stepper), chosen.term(), flow, jnp.asarray(T1 / 16))
    assert int(run.stats.accepted) == 16
    np.testing.assert_allclose(run.final.points, expected, rtol=0, atol=1e-13)


@pytest.mark.slow
def test_adaptive_error_is_of_the_size_of_the_tolerance():
    flow, rtol = make_flow("sphere"), 1e-8
    run = tkf.solve(flow.model, flow.tokens, t1=T1, rtol=rtol, atol=rtol, save="end")
    error = np.abs(np.asarray(run.final.points) - reference("sphere")).max()
    # local errors below rtol and fewer than 100 steps; and no wasted work: a run 1000 times better is not asked for
    assert rtol / 1000 < error < 100 * rtol


# --- controls: defects that the slopes must show ------------------------------------------------------------------


class FrozenFlow(eqx.Module):
    """The flow with the measure of the beginning of the step, as in a published code (arXiv 2305.05465)."""

    flow: TokenFlow
    y0: jax.Array

    def velocity(self, t, y):
        return self.flow.model.velocity(t, self.flow.retract(y), self.flow.law(self.y0))


class Defective(OnManifold):
    """RK4 with a defect: "frozen" reads the measure once per step; "exponential" ends with exp of the tangent part."""

    defect: str

    def step(self, terms, t0, t1, y0, args, solver_state, made_jump):
        flow = FrozenFlow(args, y0) if self.defect == "frozen" else args
        y1, *rest = self.solver.step(terms, t0, t1, y0, flow, solver_state, made_jump)
        geometry = args.model.geometry
        if self.defect == "exponential":
            # the tangent part of a chord of angle a has length sin(a), not a: a local error of order 3
            return geometry.exp(y0, geometry.project(y0, y1 - y0)), *rest
        return geometry.to_manifold(y1), *rest


@pytest.mark.parametrize(("defect", "order"), [("frozen", 1), ("exponential", 2)])
def test_a_defective_step_fails_the_slope_test(defect, order):
    found = measured_order(Defective(RK4(), defect), METHODS["rk4"], "sphere", STEPS[order])
    assert found == pytest.approx(order, abs=0.2)
    assert found != pytest.approx(4, abs=0.2)
