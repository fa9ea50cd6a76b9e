"""The maps that keep Gaussians Gaussian: against particles, closed forms, and the defining equation of Sinkhorn."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.laws.gaussian import Gaussian, check_closure, motion, plot_coordinates
from tokenfield.model.sinkhorn import sinkhorn_slope

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


def quadrature(m, S, nodes=24):
    """Gauss-Hermite points (nodes^2, 2) and weights of N(m, S) in R^2: infinitely many tokens, but for rounding."""
    z, w = np.polynomial.hermite_e.hermegauss(nodes)
    z = np.stack(np.meshgrid(z, z), axis=-1).reshape(-1, 2)
    w = np.outer(w, w).ravel() / w.sum() ** 2
    values, vectors = np.linalg.eigh(S)
    return m + z @ (vectors * np.sqrt(values)).T, w


def moments_of_tokens(model, t, m, S):
    """(m', S') as weighted sums over tokens that move by the model's own velocity."""
    x, w = quadrature(m, S)
    v = np.asarray(model.velocity(t, jnp.asarray(x), tkf.Measure(x, w)))
    spread = (w[:, None] * v).T @ (x - m)
    return w @ v, spread + spread.T


S2, M2 = S[:2, :2], M[:2]
Q2, K2, V2 = Q[:2, :2], K[:2, :2], V[:2, :2]


@pytest.mark.parametrize(
    "attention",
    [tkf.Softmax(0.3), tkf.L2(0.3), tkf.Linear(0.3), tkf.Sinkhorn(0.3), tkf.Sinkhorn(0.3, kernel="l2")],
    ids=["softmax", "l2", "linear", "sinkhorn", "sinkhorn-l2"],
)
def test_mean_and_covariance_move_as_those_of_tokens(attention):
    """Every kind against the tokens' own velocity, on a quadrature of N(m, S): no sampling error hides a wrong term."""
    assert np.abs(Q2.T @ K2 @ S2 - S2 @ Q2.T @ K2).max() > 0.1  # order matters only where these do not commute
    model = tkf.Transformer(tkf.Euclidean(2), attention, Q=Q2, K=K2, V=V2)
    found, expected = motion(model, 0.0, Gaussian(M2, S2)), moments_of_tokens(model, 0.0, M2, S2)
    for one, other in zip(found, expected, strict=True):
        # the quadrature's error for these logits (1e-10 with 24 nodes per axis), and Sinkhorn's tolerance 1e-10
        np.testing.assert_allclose(one, other, atol=1e-8)
    # the control: another covariance is another motion
    wrong = motion(model, 0.0, Gaussian(M2, 1.1 * S2))
    assert np.abs(np.asarray(wrong[1]) - expected[1]).max() > 1e-3


def test_a_model_with_everything_moves_as_its_tokens():
    """Several heads with O of low rank, averaged, relative, changing with depth, and an affine perceptron."""

    def parts(t):
        return [
            tkf.Head(tkf.Softmax(0.2), Q=Q2[:1], K=K2[:1], V=(1 + t) * V2[:1], O=Q2[:, :1]),
            tkf.Head(tkf.L2(0.3), Q=Q2, K=K2, V=jnp.cos(t) * V2),
            tkf.Perceptron(V2, K2, M2, activation="identity"),
        ]

    schedule = tkf.schedule.FunctionOfDepth(parts)
    model = tkf.Transformer(tkf.Euclidean(2), schedule, average=True, relative=True)
    for t in (0.0, 0.7):
        found, expected = motion(model, t, Gaussian(M2, S2)), moments_of_tokens(model, t, M2, S2)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-8)
    early, late = (motion(model, t, Gaussian(M2, S2))[1] for t in (0.0, 0.7))
    assert np.abs(np.asarray(early - late)).max() > 1e-2


def test_the_card_with_a_linear_term_is_wrong():
    """Trap 5: a circulating S' = V S + S V^T + S A S V^T + h.c. is not how the tokens move; V S A S + h.c. is."""
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(0.3), Q=Q2, K=K2, V=V2)
    A, expected = 0.3 * K2.T @ Q2, moments_of_tokens(model, 0.0, M2, S2)[1]
    half = V2 @ S2 @ A @ S2
    np.testing.assert_allclose(half + half.T, expected, atol=1e-8)
    card = V2 @ S2 + S2 @ A @ S2 @ V2.T
    assert np.abs(card + card.T - expected).max() > 0.1
    without = S2 @ A @ S2 @ V2.T  # the order alone
    assert np.abs(without + without.T - expected).max() > 1e-3


def test_published_l2_code_has_two_scales():
    """Trap 3: `rhs_L2` divides K^T Q by sqrt(d) but not K^T K: the kernel is e^{-|Qx/sqrt(d) - Ky|^2}."""
    A = K2.T @ Q2 / np.sqrt(2)
    half = 2 * V2 @ S2 @ np.linalg.inv(np.eye(2) + 2 * K2.T @ K2 @ S2) @ A @ S2
    published = half + half.T

    def found(beta, Q):
        return motion(tkf.Transformer(tkf.Euclidean(2), tkf.L2(beta), Q=Q, K=K2, V=V2), 0.0, Gaussian(M2, S2))[1]

    np.testing.assert_allclose(found(1.0, Q2 / np.sqrt(2)), published, atol=1e-12)
    assert np.abs(np.asarray(found(1 / np.sqrt(2), Q2)) - published).max() > 1e-2


def test_rank_and_plot_coordinates():
    u = np.array([0.6, 0.8])
    flat = Gaussian([0.0, 0.0], 7 * np.outer(u, u))
    assert (flat.rank(), Gaussian(M2, S2).rank(), Gaussian(M2, np.zeros((2, 2))).rank()) == (1, 2, 0)
    assert Gaussian(M2, np.diag([1.0, 1e-3])).rank(tolerance=0.1) == 1
    x, y, z = np.asarray(plot_coordinates(np.stack([flat.covariance, np.eye(2)]))).T
    np.testing.assert_allclose(np.hypot(x, y) - z, [0.0, -2.0], atol=1e-12)  # the cone's border is rank one
    assert np.arctan2(y[0], x[0]) / 2 == pytest.approx(np.arctan2(*u[::-1]))
    for call in (lambda: plot_coordinates(np.eye(3)), lambda: flat.rank(tolerance=1.0)):
        with pytest.raises(tkf.InvalidInput):
            call()


def test_noise_spreads_and_relative_contracts():
    mu = Gaussian(M, S)
    model = tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(0.0), relative=True, noise=tkf.Noise(4.0, seed=0))
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


@pytest.mark.slow
def test_the_implicit_method_gives_the_same():
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), K=-np.eye(2))
    law = Gaussian([0.3, 0.0], [[1.0, 0.2], [0.2, 0.5]])
    runs = [tkf.solve(model, law, t1=1.0, save="end", method=m, progress=False) for m in ("tsit5", "kvaerno5")]
    # both are asked for 1e-7 per step, and take about ten
    np.testing.assert_allclose(*(np.asarray(run.final.covariance) for run in runs), atol=1e-6)


def test_a_very_long_run_keeps_its_sign():
    # integrated as a covariance, rounding makes an eigenvalue negative near t = 1e6, which then runs away to infinity
    d, i = 4, 1
    Q, G, H = (np.random.RandomState(seed).normal(size=(12, rows, d))[i] for seed, rows in ((40, 2), (41, d), (26, d)))
    model = tkf.Transformer(tkf.Euclidean(d), tkf.Softmax(0.5), Q=Q, K=-Q, V=H.T @ H)
    run = tkf.solve(model, Gaussian(np.zeros(d), G @ G.T), t1=1e7, save="log:10", progress=False)
    assert run.result.name == "finished"
    values = np.linalg.eigvalsh(np.asarray(run.final.covariance))
    assert values[0] > -1e-15
    assert run.final.rank(tolerance=1e-6) == 2  # d - rank Q
