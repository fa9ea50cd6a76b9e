"""Laws of noisy tokens: heat flow on the sphere and in R^d, pairs under common noise, the order parameter r(kappa).

The generator of sqrt(2/kappa) P o dW on S^{d-1} is Laplacian / kappa, so E<x(0), x(t)> = e^{-(d-1)t/kappa} (THEORY
sections 10 and 11, arXiv 2512.01868). A mistake between Ito and Stratonovich, or by a factor of two, misses these.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ive

import tokenfield as tkf

KAPPA, T1, N = 2.0, 1.0, 4000
WAYS = {"heun": {"step": T1 / 128}, "layers": {"layers": 128}}
TIMES = [0.25, 1.0]


def pure_noise(geometry, *, key=0, common=False, kappa=KAPPA):
    """Tokens that only diffuse: a constant potential."""
    noise = tkf.Noise(kappa, seed=key, common=common)
    return tkf.Transformer(geometry, tkf.Potential(lambda x: 0.0 * x[0]), noise=noise)


def pole(n: int, d: int) -> np.ndarray:
    return np.tile(np.eye(d)[0], (n, 1))


def standard_errors(samples: np.ndarray, expected: float) -> float:
    """How many standard errors the mean of the samples is off."""
    return abs(np.mean(samples) - expected) / (np.std(samples) / np.sqrt(samples.size))


@pytest.mark.slow
@pytest.mark.parametrize(("way", "d"), [("heun", 3), ("layers", 5)])
def test_private_noise_is_the_heat_flow_of_the_sphere(way, d):
    run = tkf.solve(pure_noise(tkf.Sphere(d)), pole(N, d), t1=T1, save=TIMES, **WAYS[way])
    for t, cosines in zip(TIMES, np.asarray(run.points)[:, :, 0], strict=True):
        # steps of 2h/kappa = 1/128 change the rate by 1.5% at most: less than one standard error, 0.008
        assert standard_errors(cosines, np.exp(-(d - 1) * t / KAPPA)) < 4


def test_wrong_noise_fails_at_this_resolution():
    """The controls: Ito's Euler without retraction, half the variance, and twice the variance, in NumPy."""
    rng, steps = np.random.default_rng(0), 128
    expected = np.exp(-2 / KAPPA * T1)
    for variance, is_retracted in ((2 / KAPPA, False), (1 / KAPPA, True), (4 / KAPPA, True)):
        x = pole(N, 3)
        for _ in range(steps):
            xi = np.sqrt(variance * T1 / steps) * rng.normal(size=x.shape)
            u = x / np.linalg.norm(x, axis=1, keepdims=True)
            x = x + xi - np.sum(u * xi, axis=1, keepdims=True) * u
            if is_retracted:
                x = x / np.linalg.norm(x, axis=1, keepdims=True)
        assert standard_errors(x[:, 0] / np.linalg.norm(x, axis=1), expected) > 20


@pytest.mark.slow
def test_noise_on_the_circle_has_its_law_at_any_step():
    run = tkf.solve(pure_noise(tkf.Sphere(2)), pole(N, 2), t1=T1, step=0.25, save="end")
    assert standard_errors(np.asarray(run.final.points)[:, 0], np.exp(-T1 / KAPPA)) < 4


@pytest.mark.slow
def test_private_noise_in_space_has_variance_2t_over_kappa():
    model = pure_noise(tkf.Euclidean(2), kappa=8.0)
    x = np.asarray(tkf.solve(model, np.ones((N, 2)), t1=T1, step=T1 / 4, save=TIMES).points) - 1
    for t, moved in zip(TIMES, x, strict=True):
        covariance = moved.T @ moved / N
        # relative standard error sqrt(2/n) of a variance
        np.testing.assert_allclose(covariance, 2 * t / 8.0 * np.eye(2), atol=4 * np.sqrt(2 / N) * 2 * t / 8.0)
        pairs = np.mean(moved[::2] * moved[1::2], axis=0)
        assert np.abs(pairs).max() < 4 * np.sqrt(2 / N) * 2 * t / 8.0


@pytest.mark.slow
def test_common_noise_gives_each_token_the_heat_flow_and_pairs_their_drift():
    """d E<x, y>/dt = (2/kappa)(R - 1)(R - (d - 2)) under common noise: P_x dW and P_y dW have covariance tr P_x P_y."""
    d, count, short = 4, 4000, 1 / 32
    start = np.eye(d)[:2]
    keys = jax.random.split(jax.random.key(1), count)
    times = [short, 0.5]
    step = 1 / 128

    def run(key):
        return tkf.solve(pure_noise(tkf.Sphere(d), key=key, common=True), start, t1=0.5, step=step, save=times).points

    points = np.asarray(jax.jit(jax.vmap(run))(keys))
    for i, t in enumerate(times):
        for token in range(2):
            assert standard_errors(points[:, i, token, token], np.exp(-(d - 1) * t / KAPPA)) < 4
    R = np.sum(points[:, 0, 0] * points[:, 0, 1], axis=1)
    # at R = 0 the drift is 2 for d = 4, kappa = 2, and 2 - 2t to the next order; private noise would give 0
    assert standard_errors(R / short, 2 - 2 * short) < 4
    assert standard_errors(R / short, 0.0) > 10


# --- order parameter ----------------------------------------------------------------------------------------------


def order_parameter(kappa: float) -> float:
    """The positive root of r = I_1(kappa r) / I_0(kappa r), for kappa > 2."""
    return brentq(lambda r: ive(1, kappa * r) / ive(0, kappa * r) - r, 1e-3, 1.0)


TABLE = {2.5: 0.58971, 3.0: 0.72416, 4.0: 0.83146, 8.0: 0.93015}


@pytest.mark.parametrize("kappa", TABLE)
def test_11_order_parameter_by_root_finding(kappa):
    assert order_parameter(kappa) == pytest.approx(TABLE[kappa], abs=5e-6)  # five digits are given


def measured_order_parameter(kappa: float, *, n: int, t1: float) -> float:
    """The root mean square of |mean of tokens| over time, from tokens in a half plane.

    The stationary law has n Var r = V / (1 - kappa V), V = 1 - 1/kappa - r^2, and forgets at the rate
    1 / (kappa^2 n Var r): the standard error follows. The bias of n tokens is below 1/n (from the Gibbs law).
    """
    sphere = tkf.Sphere(2)
    start = sphere.uniform_points(n, seed=5)
    start = sphere.to_manifold(start + jnp.asarray([1.0, 0.0])).astype(jnp.float32)
    model = tkf.Transformer(sphere, tkf.Unnormalized(0.0), noise=tkf.Noise(kappa, seed=0))
    save = tkf.Save(
        times=np.linspace(16.0, t1, 256), tokens=False, observables={"square": lambda mu: jnp.sum(mu.mean**2)}
    )
    run = tkf.solve(model, start, t1=t1, step=1 / 16, save=save, progress=False)
    return float(np.sqrt(np.mean(np.asarray(run.observables["square"]))))


@pytest.mark.slow
def test_below_the_threshold_kappa_2_there_is_no_order():
    n, kappa = 384, 1.5
    # fluctuations about the uniform law: n E|m|^2 = 1 / (1 - kappa/2), here 4; its time average is good to about 30%
    found = measured_order_parameter(kappa, n=n, t1=128.0)
    assert found == pytest.approx(np.sqrt(1 / (1 - kappa / 2) / n), rel=0.3)
