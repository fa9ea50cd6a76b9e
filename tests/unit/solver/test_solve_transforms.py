"""`solve` under `jax.jit`, `vmap` and `grad`: equal to plain runs and to finite differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf

SPHERE = tkf.Sphere(3)
N, T1 = 5, 1.0
RNG = np.random.default_rng(0)
Q, K = np.eye(3) + 0.3 * RNG.normal(size=(2, 3, 3))
V = np.eye(3) + 0.3 * RNG.normal(size=(3, 3))
START = np.asarray(SPHERE.uniform_points(N, seed=1))
PROBE = RNG.normal(size=(N, 3))  # a fixed direction, so that the scalar has no symmetry that hides an error
POINT = {
    "beta": jnp.asarray(1.5),
    "Q": jnp.asarray(Q),
    "K": jnp.asarray(K),
    "V": jnp.asarray(V),
    "x": jnp.asarray(START),
}


def solved(p):
    model = tkf.Transformer(SPHERE, tkf.Softmax(p["beta"]), Q=p["Q"], K=p["K"], V=p["V"])
    # free variations leave the sphere: the start is their normalization
    x = SPHERE.to_manifold(p["x"])
    return tkf.solve(model, x, t1=T1, save=3, rtol=1e-9, atol=1e-11)


def scalar(p):
    return jnp.sum(PROBE * solved(p).final.points)


VALUE = jax.jit(scalar)


@pytest.mark.slow
def test_jit_equals_the_plain_run():
    plain, jitted = solved(POINT), jax.jit(solved)(POINT)
    np.testing.assert_allclose(jitted.points, plain.points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(jitted.ts, plain.ts, rtol=0, atol=0)
    assert jitted.result.name == "finished" and int(jitted.stats.accepted) == int(plain.stats.accepted)


@pytest.mark.slow
def test_vmap_over_seeds_and_beta_equals_loops():
    betas = jnp.asarray([0.0, 1.5, 6.0])
    starts = jnp.stack([SPHERE.uniform_points(N, seed=seed) for seed in range(3)])
    batch = jax.jit(jax.vmap(lambda beta, x: solved({**POINT, "beta": beta, "x": x})))(betas, starts)
    assert str(batch.result) == "3 flows, 3 finished"
    for i in range(3):
        one = solved({**POINT, "beta": betas[i], "x": starts[i]})
        # each flow of a batch takes its own steps: the same arithmetic, other rounding
        np.testing.assert_allclose(batch.points[i], one.points, rtol=0, atol=1e-11)
        assert int(batch.stats.accepted[i]) == int(one.stats.accepted)
    assert len({int(a) for a in batch.stats.accepted}) > 1  # the control: these flows do need different steps


@pytest.mark.slow
def test_gradients_equal_finite_differences():
    gradient = jax.jit(jax.grad(scalar))(POINT)
    rng = np.random.default_rng(2)
    h = 1e-4
    for name, value in POINT.items():
        direction = jnp.asarray(rng.normal(size=value.shape))
        # central differences of order 4: h^4 = 1e-16, and the runs' own error of 1e-9 is smooth in the parameters
        # except where the number of steps changes
        at = [float(VALUE({**POINT, name: value + s * h * direction})) for s in (-2, -1, 1, 2)]
        expected = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
        found = float(jnp.sum(gradient[name] * direction))
        assert abs(expected) > 1e-2, name
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-6), name


@pytest.mark.slow
def test_an_early_end_inside_a_trace_holds_the_last_state():
    """Shapes are fixed in a trace: after an event the end is repeated, never inf or NaN."""

    def stopped(x):
        model = tkf.Transformer(SPHERE, tkf.Softmax(1.0))
        return tkf.solve(model, x, t1=4.0, save=5, events=lambda t, mu, model: t - 1.5)

    run = jax.jit(stopped)(jnp.asarray(START))
    assert run.result.name == "<lambda>" and float(run.result.t) == pytest.approx(1.5, abs=1e-12)
    np.testing.assert_allclose(run.ts, [0.0, 1.0, 1.5, 1.5, 1.5], rtol=0, atol=1e-12)
    assert np.all(np.isfinite(run.points))
    np.testing.assert_allclose(run.points[2:], np.stack([run.final.points] * 3), rtol=0, atol=1e-15)


def test_times_must_be_plain_numbers_in_a_trace():
    with pytest.raises(tkf.InvalidInput, match="t0 and t1 must be plain numbers"):
        jax.jit(lambda t1: tkf.solve(tkf.Transformer(SPHERE, tkf.Softmax(1.0)), START, t1=t1).final)(1.0)
