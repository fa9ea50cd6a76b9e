"""Discrete layers, Lie-Trotter splitting and ResNets against their equations: measured slopes in the step.

References are SciPy's DOP853 on the literal twins. Steps are data of the compiled loops: one compilation serves all.
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import oracles
import oracles_normalization as twins
import tokenfield as tkf
from tokenfield.flows.tokens import TokenFlow
from tokenfield.solver.steppers import METHODS, OnManifold, fixed_times

T1, TAU = 1.0, 0.5  # layers start at tau for every even count of them
COUNTS = (32, 64, 128)
SETTINGS = twins.Settings(alpha=lambda t: 0.8, tau=TAU)
SCHEMES = {
    "post": tkf.PostLN(),
    "pre": tkf.PreLN(),
    "mix": tkf.MixLN(TAU),
    "peri": tkf.PeriLN(),
    "ngpt": tkf.NGPT(0.8),
    "depth": tkf.DepthScaled(),
}
RNG = np.random.default_rng(21)
X = twins.N(RNG.standard_normal((5, 3)))
R = np.array([0.6, 0.8, 1.0, 1.2, 1.5])
WEIGHTS = np.array([1.0, 2.0, 1.0, 0.5, 0.5]) / 5
HEAD = oracles.HeadMatrices(2.0, np.eye(3), np.eye(3), np.array([[2.0, 0.8, 0.0], [-0.8, 2.0, 0.6], [0.0, 0.4, 1.6]]))
W, A, B = RNG.standard_normal((3, 4)), RNG.standard_normal((4, 3)), RNG.standard_normal(4)
PARTS = (tkf.Head(tkf.Softmax(HEAD.beta), V=HEAD.V), tkf.Perceptron(W, A, B, activation="tanh"))


def attention(t, x):
    return oracles.sa_field(x, WEIGHTS, [HEAD])


def feed_forward(t, x):
    return twins.perceptron(x, W, A, B, "tanh")


@cache
def reference(name, tau=TAU, sublayers=(attention, feed_forward)):
    """Directions and radii at T1."""
    theta, r = twins.path(name, X, R, sublayers, T1, SETTINGS._replace(tau=tau))
    assert np.linalg.norm(theta - X, axis=1).max() > 0.8  # the amplitude: some token turns by nearly a radian
    return theta, r


def make_flow(scheme, parts=PARTS):
    model = tkf.Transformer(tkf.Sphere(3), list(parts), normalization=scheme)
    return TokenFlow(model, tkf.Measure(X, WEIGHTS, radii=R, geometry=model.geometry))


@eqx.filter_jit
def run_layers(flow, count):
    """The measure after `count` layers."""
    h = T1 / count
    start = flow.state(flow.tokens)
    return flow.law(jax.lax.fori_loop(0, count, lambda i, y: flow.layer(i * h, (i + 1) * h, y), start))


@eqx.filter_jit
def run_steps(method, flow, times):
    """The measure after steps between `times`; equal times are steps of length zero, which do nothing."""
    solver, term = OnManifold(method.stepper), method.term()

    def step(i, y):
        a, b = times[i], times[i + 1]
        return solver.step(term, a, b, y, flow, solver.init(term, a, b, y, flow), False)[0]

    return flow.law(jax.lax.fori_loop(0, len(times) - 1, step, flow.state(flow.tokens)))


def padded(times, length=140):
    return jnp.asarray(np.pad(times, (0, length - len(times)), mode="edge"))


def even(count):
    return padded(np.linspace(0, T1, count + 1))


def slope(counts, errors):
    assert min(errors) > 1e-12, "below this, rounding and the reference hide the order"
    return -float(np.polyfit(np.log(counts), np.log(errors), 1)[0])


def errors_of(ends, expected):
    return [float(np.linalg.norm(np.asarray(end) - expected)) for end in ends]


# --- 8d: layers against the equation --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMES)
def test_layers_converge_to_the_flow_at_first_order(name):
    flow = make_flow(SCHEMES[name])
    ends = [run_layers(flow, jnp.asarray(count)) for count in COUNTS]
    theta, r = reference(name)
    errors = errors_of([mu.points for mu in ends], theta)
    assert slope(COUNTS, errors) == pytest.approx(1, abs=0.2)
    if name in twins.HAS_RADIUS:
        assert slope(COUNTS, errors_of([mu.radii for mu in ends], r)) == pytest.approx(1, abs=0.2)
    else:
        np.testing.assert_array_equal(ends[-1].radii, R)
    # the control: these layers do not converge to the flow of any other scheme
    for other in SCHEMES:
        if other != name:
            wrong = errors_of([mu.points for mu in ends], reference(other)[0])
            assert min(wrong) > 3 * errors[-1] and abs(slope(COUNTS, wrong)) < 0.5, other


def test_layers_with_a_gain_converge():
    D = np.array([0.7, 1.0, 1.4])
    flow = make_flow(tkf.PostLN(gain=D))
    ends = [run_layers(flow, jnp.asarray(count)).points for count in COUNTS]

    def rhs(t, y):
        x = y.reshape(5, 3)
        return twins.ellipsoid_velocity(x, attention(t, x) + feed_forward(t, x), D).ravel()

    x = solve_ivp(rhs, (0, T1), (X * D).ravel(), method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1].reshape(5, 3)
    assert slope(COUNTS, errors_of(ends, x / D)) == pytest.approx(1, abs=0.2)


# --- the jump of Mix-LN ---------------------------------------------------------------------------------------------


def test_rk4_keeps_its_order_over_the_jump_of_mix():
    tau, counts = 0.4137, (16, 32, 64)  # tau is no multiple of these steps
    flow, expected = make_flow(tkf.MixLN(tau)), reference("mix", tau)
    jumps = flow.model.jumps(0.0, T1)
    assert jumps.tolist() == [tau]
    ends = [run_steps(METHODS["rk4"], flow, padded(fixed_times(0.0, T1, T1 / count, jumps))) for count in counts]
    assert slope(counts, errors_of([mu.points for mu in ends], expected[0])) == pytest.approx(4, abs=0.3)
    assert slope(counts, errors_of([mu.radii for mu in ends], expected[1])) == pytest.approx(4, abs=0.3)
    # the control: steps across tau lose the order
    blind = [run_steps(METHODS["rk4"], flow, even(count)) for count in counts]
    assert errors_of([mu.points for mu in blind], expected[0])[-1] > 1e-4


# --- Lie-Trotter ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["post", "peri"])
def test_splitting_error_is_of_first_order(name):
    flow, (theta, r) = make_flow(SCHEMES[name]), reference(name)
    ends = [run_steps(METHODS["lie-trotter"], flow, even(count)) for count in COUNTS]
    assert slope(COUNTS, errors_of([mu.points for mu in ends], theta)) == pytest.approx(1, abs=0.2)
    if name == "peri":
        assert slope(COUNTS, errors_of([mu.radii for mu in ends], r)) == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("part", [0, 1], ids=["attention", "perceptron"])
def test_nothing_to_split_is_rk4(part):
    flow = make_flow(None, [PARTS[part]])
    theta, _ = twins.path("post", X, R, [(attention, feed_forward)[part]], T1, SETTINGS)
    split, plain = (
        [run_steps(METHODS[method], flow, even(count)).points for count in (16, 32)]
        for method in ("lie-trotter", "rk4")
    )
    np.testing.assert_allclose(split[0], plain[0], atol=1e-14)
    assert slope((16, 32), errors_of(split, theta)) > 3.5


def test_parts_that_commute_split_without_error():
    # x' = mean + c x: the two linear maps commute, and x(t) = e^{ct} (x - m + e^t m) with m the first mean
    c = 0.6
    x = RNG.standard_normal((5, 3))
    parts = [tkf.Softmax(0.0), tkf.Perceptron(W=c * np.eye(3), activation="identity")]
    flow = TokenFlow(tkf.Transformer(tkf.Euclidean(3), parts), tkf.Measure(x))
    m = x.mean(axis=0)
    expected = np.exp(c * T1) * (x - m + np.exp(T1) * m)
    ends = [run_steps(METHODS["lie-trotter"], flow, even(count)).points for count in (16, 32)]
    assert slope((16, 32), errors_of(ends, expected)) == pytest.approx(4, abs=0.2)


@pytest.mark.slow
def test_solve_runs_the_splitting():
    flow = make_flow(tkf.PeriLN())
    run = tkf.solve(flow.model, flow.tokens, t1=T1, method="lie-trotter", step=T1 / 32, save="end")
    expected = run_steps(METHODS["lie-trotter"], flow, even(32))
    np.testing.assert_allclose(run.final.points, expected.points, atol=1e-13)
    np.testing.assert_allclose(run.final.radii, expected.radii, atol=1e-13)
    adaptive = tkf.solve(flow.model, flow.tokens, t1=T1, save="end", rtol=1e-10)
    np.testing.assert_allclose(adaptive.final.points, reference("peri")[0], atol=1e-8)  # 100 times rtol


# --- ResNet: no attention -------------------------------------------------------------------------------------------

PLANE = RNG.standard_normal((6, 2))
AMPLITUDES = RNG.standard_normal((3, 3, 2))


def weights_at(t, xp=np):
    """Smooth weights W (2, 3), A (3, 2), b (3,) of a perceptron, as functions of depth."""
    W = 2 * AMPLITUDES[0].T * xp.cos(2 * t)
    return W, AMPLITUDES[1] * (1 + t), AMPLITUDES[2][:, 0] * xp.sin(3 * t)


def perceptron_at(t, xp=np):
    return tkf.Perceptron(*weights_at(t, xp), activation="tanh")


@cache
def resnet_reference():
    def rhs(t, y):
        return twins.perceptron(y.reshape(-1, 2), *weights_at(t), "tanh").ravel()

    end = solve_ivp(rhs, (0, T1), PLANE.ravel(), method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1].reshape(-1, 2)
    assert np.linalg.norm(end - PLANE, axis=1).max() > 0.8
    return end


SMOOTH = tkf.Transformer(tkf.Euclidean(2), tkf.schedule.FunctionOfDepth(lambda t: perceptron_at(t, jnp)))


def test_resnet_converges_to_the_neural_ode():
    flow = TokenFlow(SMOOTH, tkf.Measure(PLANE))
    ends = [run_layers(flow, jnp.asarray(count)).points for count in COUNTS]
    assert slope(COUNTS, errors_of(ends, resnet_reference())) == pytest.approx(1, abs=0.2)
    # the flow itself, to the accuracy of its integrator
    end = run_steps(METHODS["rk4"], flow, even(128)).points
    assert errors_of([end], resnet_reference())[0] < 1e-6


def test_tokens_of_a_resnet_do_not_interact():
    def first(model, others):
        x = np.concatenate([PLANE[:1], others])
        return np.asarray(run_layers(TokenFlow(model, tkf.Measure(x)), jnp.asarray(16)).points[0])

    np.testing.assert_array_equal(first(SMOOTH, PLANE[1:]), first(SMOOTH, 5 * PLANE[:0:-1]))
    # the control: a head lets them feel each other
    with_head = tkf.Transformer(tkf.Euclidean(2), [tkf.Softmax(1.0), perceptron_at(0.0)])
    assert np.abs(first(with_head, PLANE[1:]) - first(with_head, 5 * PLANE[:0:-1])).max() > 0.1


@pytest.mark.slow
def test_networks_with_weights_of_their_own_in_each_layer_converge():
    counts, ends = (8, 16, 32), []
    for L in counts:
        schedule = tkf.schedule.PerLayer([perceptron_at(layer / L) for layer in range(L)], t1=T1)
        model = tkf.Transformer(tkf.Euclidean(2), schedule)
        run = tkf.solve(model, PLANE, t1=T1, layers=L, save="end")
        assert int(run.stats.accepted) == L
        x = PLANE
        for layer in range(L):  # the network, literally
            x = x + twins.perceptron(x, *weights_at(layer / L), "tanh") / L
        np.testing.assert_allclose(run.final.points, x, atol=1e-12)
        ends.append(run.final.points)
    assert slope(counts, errors_of(ends, resnet_reference())) == pytest.approx(1, abs=0.2)
