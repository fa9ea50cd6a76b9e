"""Densities in R^1 and R^2 on nodes that move: closed laws of Gaussians, mass, samples, and what is refused."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.laws import Moving, MovingDensity

A = np.array([[1.0, 0.4], [-0.2, 0.5]])
S0 = np.array([[0.2, 0.05], [0.05, 0.1]])
PLANE = Moving(2, 32)
LINE = Moving(1, 64)


def test_labels_are_a_quadrature_of_high_order():
    u, w = LINE.labels[:, 0], np.asarray(LINE.weights)
    np.testing.assert_allclose(w @ np.exp(3 * u), (np.exp(3) - 1) / 3, rtol=1e-14)
    v = np.asarray(PLANE.weights)
    np.testing.assert_allclose(v @ np.prod(PLANE.labels**3, axis=1), 1 / 16, rtol=1e-14)


def test_stretch_is_the_determinant_of_the_map():
    u, v = PLANE.labels.T
    points = np.stack([u + 0.1 * v**2, np.sin(v) + 0.2 * u * v], axis=1)
    expected = 1 * (np.cos(v) + 0.2 * u) - 0.2 * v * 0.2 * v
    np.testing.assert_allclose(PLANE.stretch(jnp.asarray(points)), expected, rtol=1e-9)
    folded = jnp.asarray(points[:, ::-1])
    assert np.isinf(PLANE.roughness(folded, PLANE.weights))  # the control: an orientation that is turned is a fold


def test_values_are_those_of_the_normal_law():
    rho = MovingDensity.gaussian(PLANE, mean=[0.3, -0.1], covariance=S0)
    gap = np.asarray(rho.points) - [0.3, -0.1]
    expected = np.exp(-np.einsum("mi,ij,mj->m", gap, np.linalg.inv(S0), gap) / 2)
    expected /= 2 * np.pi * np.sqrt(np.linalg.det(S0))
    # the box has 1 - 1e-15 of the mass, and the quadrature of 32 nodes along an axis is right to 3e-7
    np.testing.assert_allclose(rho.values, expected, rtol=1e-6)
    np.testing.assert_allclose(rho.covariance, S0, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("attention", [tkf.Softmax(1.0), tkf.L2(1.0)], ids=["softmax", "l2"])
def test_gaussian_follows_the_closed_law_in_the_plane(attention):
    model = tkf.Transformer(tkf.Euclidean(2), attention, Q=A)
    gaussian = tkf.solve(model, tkf.Gaussian([0.1, -0.2], S0), t1=1.0, save="end", rtol=1e-9).final
    start = MovingDensity.gaussian(PLANE, mean=[0.1, -0.2], covariance=S0)
    run = tkf.solve(model, start, t1=1.0, save=[0.0, 1.0])
    # quadrature errors of 32 nodes along an axis, measured: 3e-7 for softmax, 5e-6 for L2, and 1e-4 with 24
    np.testing.assert_allclose(run.final.covariance, gaussian.covariance, rtol=2e-5)
    np.testing.assert_allclose(run.final.mean, gaussian.mean, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(run.final.masses, start.masses)
    assert np.isinf(run.result.unresolved_from)
    if attention.name == "softmax":
        closed = np.linalg.inv(np.linalg.inv(S0) - (A + A.T))
        np.testing.assert_allclose(run.final.covariance, closed, rtol=1e-5)
        wrong = np.linalg.inv(np.linalg.inv(S0) - 2 * (A + A.T))
        assert np.max(np.abs(np.asarray(run.final.covariance) / wrong - 1)) > 0.1


@pytest.mark.slow
def test_sinkhorn_on_the_line_follows_the_closed_law():
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Sinkhorn(1.0))
    gaussian = tkf.solve(model, tkf.Gaussian([0.0], [[0.5]]), t1=1.0, save="end", rtol=1e-9).final
    run = tkf.solve(model, MovingDensity.gaussian(LINE, covariance=[[0.5]]), t1=1.0, save="end")
    np.testing.assert_allclose(run.final.covariance, gaussian.covariance, rtol=1e-6)  # of the steps, 1e-7 each


def test_blow_up_is_where_the_inverse_of_the_variance_vanishes():
    s = 0.05
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0))
    run = tkf.solve(model, MovingDensity.gaussian(Moving(1, 128), covariance=[[s]]), t1=9.0, save=[0.0, 4.5, 9.0])
    inverse = [1 / float(run.state(i).covariance[0, 0]) for i in range(3)]
    slope, offset = np.polyfit(run.ts, inverse, 1)
    np.testing.assert_allclose(-offset / slope, 1 / (2 * s), rtol=1e-5)


@pytest.mark.slow
def test_density_of_tokens_is_pushed_forward_in_the_rescaled_frame():
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0), rescaled=True)
    start = MovingDensity.uniform(LINE, low=-1.0, high=1.0)
    run = tkf.solve(model, start, t1=1.0, save="end")
    tokens = tkf.solve(model, tkf.Measure(((np.arange(800) + 0.5) / 400 - 1)[:, None]), t1=1.0, save="end").final
    # 800 tokens at the middles of equal cells: the midpoint rule, off by 1/800^2 times second derivatives
    np.testing.assert_allclose(run.final.covariance[0, 0], np.var(tokens.points), rtol=1e-4)
    assert float(run.final.radius) < 1 and float(run.observables["smallest_density"][-1]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("attention", [tkf.Softmax(1.7), tkf.L2(0.8), tkf.Sinkhorn(1.3)], ids=["dot", "l2", "sinkhorn"])
def test_both_frames_have_the_same_density(attention):
    """x = e^{tV} z, so that the density in x is e^{-t v} times that in z."""
    v, start, ends = 0.6, MovingDensity.uniform(LINE, low=-0.7, high=1.5), []
    for rescaled in (False, True):
        model = tkf.Transformer(tkf.Euclidean(1), attention, Q=[[0.9]], K=[[1.2]], V=[[v]], rescaled=rescaled)
        ends.append(tkf.solve(model, start, t1=1.1, save="end", rtol=1e-9, atol=1e-11).final)
    x, z = ends
    np.testing.assert_allclose(x.points, np.exp(1.1 * v) * z.points, rtol=0, atol=1e-7)  # of the steps
    np.testing.assert_allclose(x.values, np.exp(-1.1 * v) * z.values, rtol=1e-6)


@pytest.mark.slow
def test_sample_and_refined_have_the_moments():
    rho = MovingDensity.gaussian_mixture(Moving(1, 128), means=[[-1.0], [2.0]], covariance=[[0.25]], masses=[1.0, 3.0])
    mean, variance = 1.25, 0.25 + 27 / 16
    np.testing.assert_allclose(rho.mean, [mean], rtol=1e-6)
    tokens = rho.sample(20_000, seed=0)
    assert abs(float(tokens.mean[0]) - mean) < 4 * np.sqrt(variance / 20_000)
    finer = rho.refined(4)
    np.testing.assert_allclose(finer.weights @ (finer.points[:, 0] - mean) ** 2, variance, rtol=1e-6)
    disk = MovingDensity.ball(PLANE, center=[1.0, 2.0], radius=2.0)
    np.testing.assert_allclose(disk.covariance, np.eye(2), rtol=0, atol=1e-6)
    np.testing.assert_allclose(disk.values, 1 / (4 * np.pi), rtol=1e-6)
    points = np.asarray(disk.sample(4000, seed=1).points) - [1.0, 2.0]
    assert (
        np.abs(np.mean(points**2, axis=0) - 1).max() < 4 / np.sqrt(4000) and np.linalg.norm(points, axis=1).max() < 2.01
    )


def test_what_is_parted_too_far_is_said_and_goes_on():
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(4.0), rescaled=True)
    run = tkf.solve(model, MovingDensity.uniform(Moving(1, 16)), t1=3.0, save=7)
    assert run.result.name == "finished" and 0 < float(run.result.unresolved_from) <= 3
    assert np.all(np.asarray(run.observables["smallest_density"]) > 0)
    np.testing.assert_allclose(run.observables["mass"], 1, rtol=1e-14)


REFUSED = {
    "three": (lambda: Moving(3, 16), "R\\^1 and R\\^2"),
    "odd": (lambda: Moving(1, 12), "no multiple"),
    "coarse": (lambda: MovingDensity.gaussian(Moving(1, 16)), "do not resolve"),
    "singular": (lambda: MovingDensity.gaussian(LINE, covariance=[[0.0]]), "singular"),
    "reach": (lambda: MovingDensity.gaussian(LINE, reach=50.0), "underflow"),
    "box": (lambda: MovingDensity.uniform(LINE, low=1.0, high=0.0), "low < high"),
    "shape": (lambda: MovingDensity(LINE, np.zeros((3, 1)), np.ones(3)), "64 nodes"),
    "negative": (lambda: MovingDensity(LINE, LINE.labels, -np.ones(64)), "negative"),
    "radius": (lambda: MovingDensity.ball(LINE, radius=0.0), "positive radius"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    make, words = REFUSED[name]
    with pytest.raises(tkf.TokenfieldError, match=words):
        make()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parts": tkf.Riesz(), "relative": True}, "softening"),
        ({"parts": tkf.Softmax(1.0), "noise": tkf.Noise(1.0, seed=0)}, "noise"),
        ({"parts": tkf.Softmax(1.0), "position": tkf.Causal()}, "positions"),
    ],
)
def test_models_that_a_moving_density_cannot_follow(options, words):
    model = tkf.Transformer(tkf.Euclidean(1), options.pop("parts"), **options)
    with pytest.raises(tkf.Unsupported, match=words):
        tkf.explain(model, MovingDensity.uniform(LINE), t1=1.0)
    flat = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0))
    with pytest.raises(tkf.Unsupported, match="lives in"):
        tkf.explain(flat, MovingDensity.uniform(LINE), t1=1.0)


@pytest.mark.slow
def test_tokens_approach_the_density_on_the_line():
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0))
    found = tkf.compare(model, MovingDensity.uniform(LINE), t1=0.5, sizes=[16, 256], seeds=8, progress=False)
    assert found.distance == "W_1 on the line"
    # eight draws of each size: the mean W_1 has a standard error of about 15%, so the slope one of 0.08
    assert abs(found.rate + 0.5) < 0.2
