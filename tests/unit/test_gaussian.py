"""The maps that keep Gaussians Gaussian: against particles, closed forms, and the defining equation of Sinkhorn."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.meanfield.gaussian import Gaussian, affine_velocity, check_closure, motion, sinkhorn_slope

RNG = np.random.default_rng(0)
S = RNG.normal(size=(3, 3))
S = 0.2 * (S @ S.T + 0.3 * np.eye(3))
M = np.array([0.3, -0.2, 0.1])
Q, K, V = (RNG.normal(size=(3, 3)) for _ in range(3))


def test_sinkhorn_slope_solves_its_equation_and_the_printed_order_does_not():
    """G = (S - G S G^T) A for A and S that do not commute; the poster's factor order fails (trap 2)."""
    A = RNG.normal(size=(3, 3))
    G = np.asarray(sinkhorn_slope(jnp.asarray(A), jnp.asarray(S)))
    assert np.abs(G - (S - G @ S @ G.T) @ A).max() < 1e-13
    values, vectors = np.linalg.eigh(S)
    half, inverse = (vectors * values**p @ vectors.T for p in (0.5, -0.5))
    inner = 4 * half @ A @ S @ A.T @ half + np.eye(3)
    values, vectors = np.linalg.eigh(inner)
    C = (half @ (vectors * np.sqrt(values) @ vectors.T) @ inverse - np.eye(3)) / 2
    right, printed = C @ np.linalg.inv(A).T @ np.linalg.inv(S), C @ np.linalg.inv(S) @ np.linalg.inv(A).T
    np.testing.assert_allclose(G, right, atol=1e-12)
    assert np.abs(printed - (S - printed @ S @ printed.T) @ A).max() > 1e-2


@pytest.mark.parametrize(("a", "g"), [(0.5, 0.41421356), (1.0, 0.61803399), (2.0, 0.78077641)])
def test_scalar_sinkhorn(a, g):
    assert float(sinkhorn_slope(jnp.array([[a]]), jnp.eye(1))[0, 0]) == pytest.approx(g, abs=1e-8)


def test_closed_forms():
    """The table of THEORY for general Q, K, V: softmax, L2 and linear, mean and covariance."""
    mu, A, beta = Gaussian(M, S), K.T @ Q, 0.4
    inverse = np.linalg.inv(S)

    def found(attention):
        model = tkf.Transformer(tkf.Euclidean(3), attention, Q=Q, K=K, V=V)
        return motion(model, 0.0, mu)

    def expected(G, c):
        return G @ M + c, G @ S + S @ G.T

    precision = np.linalg.inv(inverse + 2 * beta * K.T @ K)
    maps = (
        (tkf.Softmax(beta), beta * V @ S @ A, V @ M),
        (tkf.L2(beta), 2 * beta * V @ precision @ A, V @ precision @ inverse @ M),
        (tkf.Linear(beta), beta * V @ (S + np.outer(M, M)) @ A, np.zeros(3)),
    )
    for attention, G, c in maps:
        for one, other in zip(found(attention), expected(G, c), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "attention",
    [tkf.Softmax(0.3), tkf.L2(0.3), tkf.Linear(0.3), tkf.Sinkhorn(0.3, 15), tkf.Sinkhorn(0.3, 15, kernel="l2")],
    ids=["softmax", "l2", "linear", "sinkhorn", "sinkhorn-l2"],
)
def test_particles_move_by_the_affine_map(attention):
    """In a large sample the velocity is G x + c; the error is the sampling error, n^{-1/2}."""
    mu = Gaussian(M, S)
    x = mu.sample(6000, key=1)
    parts = [tkf.Head(attention, Q=Q, K=K, V=V), tkf.Perceptron(V, K, M, activation="identity")]
    model = tkf.Transformer(tkf.Euclidean(3), parts)
    G, c = affine_velocity(model, 0.0, mu)
    velocity = model.velocity(0.0, x[:50], tkf.Measure(x))
    error = np.abs(np.asarray(velocity - (x[:50] @ G.T + c))).mean()
    assert error < 0.05 * np.abs(np.asarray(velocity)).mean()
    # the control: another covariance is another map
    wrong, _ = affine_velocity(model, 0.0, Gaussian(M, 2 * S))
    assert np.abs(np.asarray(velocity - (x[:50] @ wrong.T + c))).mean() > 3 * error


def test_noise_spreads_and_relative_contracts():
    mu = Gaussian(M, S)
    model = tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(0.0), relative=True, noise=tkf.Noise(4.0, key=0))
    m, spread = motion(model, 0.0, mu)
    np.testing.assert_allclose(m, 0, atol=1e-14)
    np.testing.assert_allclose(spread, -2 * S + 0.5 * np.eye(3), atol=1e-14)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0)), "Gaussians live in R"),
        (lambda: tkf.Transformer(tkf.Euclidean(3), tkf.Unnormalized(1.0)), "does not keep Gaussians"),
        (lambda: tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(1.0), rescaled=True), "rescaled=False"),
        (lambda: tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(1.0), position=tkf.Causal()), "no positions"),
        (lambda: tkf.Transformer(tkf.Euclidean(3), tkf.Perceptron()), "affine perceptron"),
    ],
)
def test_refusals(model, message):
    with pytest.raises(tkf.Unsupported, match=message):
        check_closure(model())


@pytest.mark.parametrize(
    ("mean", "covariance", "message"),
    [
        ([0.0], np.eye(2), "a mean"),
        ([0.0, 0.0], [[1.0, 2.0], [0.0, 1.0]], "symmetric"),
        ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "negative eigenvalues"),
        ([np.nan, 0.0], np.eye(2), "finite"),
    ],
)
def test_bad_gaussians(mean, covariance, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        Gaussian(mean, covariance)
