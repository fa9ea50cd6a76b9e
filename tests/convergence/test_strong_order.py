"""Strong orders: the distance at the end of runs along one Brownian path, against a run of much finer steps.

The error is the root mean square over tokens, averaged over independent paths, at steps that halve. Expected are the
orders 1/2 on the sphere, where the noise of different directions does not commute (the Levy areas are not resolved),
and 1 in R^d, where the noise is additive.
"""

from __future__ import annotations

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.tokens import TokenFlow
from tokenfield.solver.steppers import METHODS, OnManifold

T1, N, KAPPA, PATHS = 1.0, 4, 4.0, 64
COUNTS, FINEST = (16, 32, 64), 1024
GEOMETRIES = {"sphere": tkf.Sphere(3), "space": tkf.Euclidean(2)}


def make_flow(geometry, key, *, common=False) -> TokenFlow:
    x = geometry.to_manifold(jax.random.normal(jax.random.key(1), (N, geometry.d)))
    noise = tkf.Noise(KAPPA, seed=key, common=common)
    # in R^d the values turn: the drift is then as large as on the sphere, and tokens stay near
    V = None if isinstance(geometry, tkf.Sphere) else jnp.asarray([[-1.0, 2.0], [-2.0, -1.0]])
    model = tkf.Transformer(geometry, tkf.Softmax(2.0), V=V, noise=noise)
    mu = tkf.Measure(x, geometry=geometry)
    return TokenFlow(model, mu, noise.path(0.0, T1, N, geometry.d, x.dtype))


@eqx.filter_jit
def ends(method: str, geometry, keys, steps, common=False):
    """The tokens at the end, (paths, n, d); the step is data, so that one compilation serves all steps."""
    chosen = METHODS[method]

    def end(key, step):
        flow = make_flow(geometry, key, common=common)
        solution = diffrax.diffeqsolve(
            chosen.term(), OnManifold(chosen.stepper), 0.0, T1, step, flow.tokens.points, flow,
            stepsize_controller=diffrax.ConstantStepSize(), max_steps=None, saveat=diffrax.SaveAt(t1=True),
        )  # fmt: skip
        return solution.ys[0]

    return jax.vmap(end, in_axes=(0, None))(keys, steps)


def distances(method: str, name: str, *, is_same_path=True, common=False) -> np.ndarray:
    """The mean distance to the finest run, for each of COUNTS."""
    keys = jax.random.split(jax.random.key(2), PATHS)
    other = keys if is_same_path else jax.random.split(jax.random.key(3), PATHS)
    run = lambda keys, count: np.asarray(ends(method, GEOMETRIES[name], keys, jnp.asarray(T1 / count), common))  # noqa: E731
    finest = run(other, FINEST)
    errors = [np.sqrt(np.mean(np.sum((run(keys, c) - finest) ** 2, axis=2), axis=1)) for c in COUNTS]
    return np.mean(errors, axis=1)


def slope(errors: np.ndarray) -> float:
    return -float(np.polyfit(np.log(COUNTS), np.log(errors), 1)[0])


# Over 64 paths the slope has a standard error of 0.03 to 0.06 (bootstrap over paths). The finest run, 16 times finer
# than the last, is itself off by a quarter of that error at order 1/2, which shifts the slope by a few hundredths.
TOLERANCE = 0.2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["heun", "layers"])
def test_order_on_the_sphere_is_one_half(method):
    errors = distances(method, "sphere")
    assert slope(errors) == pytest.approx(0.5, abs=TOLERANCE)
    assert errors[0] < 0.3  # small against the distance of independent runs, about 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["heun"])
def test_order_in_space_is_one(method):
    assert slope(distances(method, "space")) == pytest.approx(1.0, abs=TOLERANCE)


@pytest.mark.slow
def test_common_noise_has_this_order_too():
    assert slope(distances("heun", "sphere", common=True)) == pytest.approx(0.5, abs=TOLERANCE)


def test_runs_along_other_paths_do_not_converge():
    errors = distances("heun", "space", is_same_path=False)
    assert abs(slope(errors)) < 0.1 and errors[-1] > 0.3


@pytest.mark.slow
def test_solve_takes_the_steps_that_were_measured():
    key = jax.random.split(jax.random.key(2), PATHS)[0]
    flow = make_flow(GEOMETRIES["space"], key)
    found = tkf.solve(flow.model, flow.tokens, t1=T1, step=T1 / 16, save="end").final.points
    expected = ends("heun", GEOMETRIES["space"], jax.random.split(jax.random.key(2), PATHS), jnp.asarray(T1 / 16))[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
