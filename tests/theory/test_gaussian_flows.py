"""Gaussians under attention (arXiv 2501.18322) against closed solutions, particles and a discrete Sinkhorn."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import oracles
import tokenfield as tkf
from tokenfield import theory
from tokenfield.laws.gaussian import Gaussian, limit_rank, motion
from tokenfield.model.sinkhorn import sinkhorn_slope

SOFTMAX, L2, SINKHORN = tkf.Softmax(1.0), tkf.L2(1.0), tkf.Sinkhorn(1.0)


def transformer(attention, Q, K=None, V=None) -> tkf.Transformer:
    return tkf.Transformer(tkf.Euclidean(np.shape(Q)[1]), attention, Q=Q, K=K, V=V)


def random_covariance(rng, d) -> np.ndarray:
    G = rng.normal(size=(d, d))
    return G @ G.T / d


# --- 4a: particles --------------------------------------------------------------------------------------------------

SIZES, DRAWS = (200, 800, 3200), (48, 16, 8)


@pytest.mark.slow
@pytest.mark.parametrize("attention", [tkf.Softmax(0.5), tkf.L2(0.5), tkf.Linear(0.5)], ids=["softmax", "l2", "linear"])
def test_4a_particles_approach_the_gaussian_like_one_over_root_n(attention):
    """n tokens from N(m, S) have the mean and covariance of the Gaussian flow at t = 0.4, up to O(n^{-1/2})."""
    rng = np.random.default_rng(2)
    # logits of variance below 1: where they vary much more, a sum of e^logit is ruled by a few tokens out of any n
    S, m = 0.2 * random_covariance(rng, 2), np.array([0.3, -0.2])
    Q, K, V = (rng.normal(size=(2, 2)) for _ in range(3))
    model, mu = transformer(attention, Q, K, V), Gaussian(m, S)

    velocity = jax.jit(lambda x: model.velocity(0.0, x, tkf.Measure(x)))

    def follow(x):
        # two classical Runge-Kutta steps of 0.2: their error, 1e-4, is far below that of 3200 draws
        for _ in range(2):
            k1 = velocity(x)
            k2 = velocity(x + 0.1 * k1)
            k3 = velocity(x + 0.1 * k2)
            x = x + 0.2 / 6 * (k1 + 2 * k2 + 2 * k3 + velocity(x + 0.2 * k3))
        return np.concatenate([x.mean(axis=0, keepdims=True), np.cov(x.T, bias=True)])

    final = tkf.solve(model, mu, t1=0.4, save="end", progress=False).final
    expected = np.concatenate([final.mean[None], final.covariance])
    found = [
        np.stack([follow(mu.sample(n, seed=100 * i + k).points) for k in range(draws)])
        for i, (n, draws) in enumerate(zip(SIZES, DRAWS, strict=True))
    ]

    whiten = np.linalg.inv(np.linalg.cholesky(final.covariance))

    def slope(target):
        gaps = [whiten @ np.swapaxes(each - target, 1, 2) for each in found]  # columns: mean, rows of the covariance
        errors = [np.sqrt(np.mean(np.sum(gap[..., :1] ** 2, (1, 2)) + np.sum((gap[..., 1:] @ whiten.T) ** 2, (1, 2))))
                  for gap in gaps]  # fmt: skip
        return np.polyfit(np.log(SIZES), np.log(errors), 1)[0]

    # whitened, errors have five equal degrees of freedom: of 8 draws their size is known to 11%, the slope to 0.05
    assert slope(expected) == pytest.approx(-0.5, abs=0.2)
    # the control: without attention's effect on the law, at the start, tokens do not get nearer
    assert slope(np.concatenate([m[None], S])) > -0.2


# --- 4b: closed solution and blow-up --------------------------------------------------------------------------------


@pytest.mark.slow
def test_4b_closed_solution_and_blow_up_time():
    """V = I: (S0^-1 - t (A + A^T))^-1 along the run, to its blow-up; with a singular S0 too, in one program."""
    rng = np.random.default_rng(3)
    Q, K = rng.normal(size=(2, 3, 3))
    S0 = random_covariance(rng, 3)
    values, vectors = np.linalg.eigh(S0)
    flat = (vectors[:, 1:] * values[1:]) @ vectors[:, 1:].T
    A = K.T @ Q
    for start, rank in ((S0, 3), (flat, 2)):
        t_star = float(theory.gaussian_blow_up_time(start, A))
        assert np.isfinite(t_star)
        times = np.linspace(0, 0.95, 20) * t_star
        mu = Gaussian(np.zeros(3), start)
        run = tkf.solve(transformer(SOFTMAX, Q, K), mu, t1=3.0, save=times, progress=False)
        assert run.result.name == "blew-up"
        # the check asks for 1%; blow-up is noticed when steps reach the rounding of t
        assert float(run.result.t) == pytest.approx(t_star, rel=1e-6)
        expected = theory.gaussian_covariance(start, A, times).value
        found = np.asarray(run.states["covariance"])[: len(times)]
        # rtol 1e-7 per step, amplified by the growth of S, which at 0.95 t* is twentyfold
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        assert {run.state(i).rank(tolerance=1e-7) for i in range(len(times))} == {rank}  # arXiv 2606.07600
        with pytest.raises(tkf.InvalidInput, match="blows up"):
            theory.gaussian_covariance(start, A, 1.01 * t_star)


def test_4b_literal_and_without_blow_up():
    """The formula with inverses, as printed; attention that repels (A = -Q^T Q) has no blow-up at any time."""
    rng = np.random.default_rng(4)
    S0, A = random_covariance(rng, 3), rng.normal(size=(3, 3))
    t = 0.5 * float(theory.gaussian_blow_up_time(S0, A))
    literal = np.linalg.inv(np.linalg.inv(S0) - t * (A + A.T))
    np.testing.assert_allclose(theory.gaussian_covariance(S0, A, t).value, literal, rtol=1e-10)
    half = np.linalg.cholesky(S0)
    # another square root, the same eigenvalues
    assert float(theory.gaussian_blow_up_time(S0, A)) == pytest.approx(
        1 / np.linalg.eigvalsh(half.T @ (A + A.T) @ half).max(), rel=1e-10
    )
    Q = rng.normal(size=(1, 3))
    assert float(theory.gaussian_blow_up_time(S0, -Q.T @ Q)) == np.inf


# --- 4c, 4d: limits and ranks ---------------------------------------------------------------------------------------


def published_draws(d: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Q (count, 5, 5) and S0 (count, 5, 5): Q of floor(d/2) rows, S0 = G G^T, seeds 40 and 41, in the first d axes."""
    q, g = np.random.RandomState(40), np.random.RandomState(41)
    Q, S = np.zeros((2, count, 5, 5))
    Q[:, : d // 2, :d] = q.normal(size=(count, d // 2, d)) / d**0.25  # A = K^T Q / sqrt(d)
    G = g.normal(size=(count, d, d))
    S[:, :d, :d] = G @ G.transpose(0, 2, 1)
    return Q, S


@eqx.filter_jit
def run_to_limits(attention, Q, S0):
    def one(Q, S0):
        # a million times the scale of the flow: what vanishes like 1/t is then below 1e-6
        return tkf.solve(transformer(attention, Q, -Q), Gaussian(jnp.zeros(5), S0), t1=1e7, save=[0.0, 1e7])

    return jax.vmap(one)(Q, S0)


@pytest.mark.slow
def test_4c_4d_ranks_and_limits_of_l2_without_censoring():
    """L2, K = -Q, V = I: every draw tends to N (N^T S0^-1 N)^-1 N^T, of rank 2, 2, 3 for d = 3, 4, 5.

    The published histograms drop runs of rank above floor((d + 1)/2) (trap 4). All d run as laws on subspaces of R^5.
    """
    d = np.repeat([3, 4, 5], 6)
    Q, S0 = (np.concatenate(each) for each in zip(*(published_draws(k, 6) for k in (3, 4, 5)), strict=True))
    run = run_to_limits(L2, jnp.asarray(Q), jnp.asarray(S0))
    assert np.all(np.asarray(run.result.code) == 0)
    expected = np.stack([theory.gaussian_limit(s, q).value for s, q in zip(S0, Q, strict=True)])
    size = np.abs(S0).max(axis=(1, 2))
    errors = np.abs(np.asarray(run.final.covariance) - expected).max(axis=(1, 2)) / size
    # the check asks for 1e-2; rtol 1e-7 a step over some hundred steps
    assert errors.max() < 1e-4, errors
    predicted = [theory.gaussian_limit_rank(s, q).value for s, q in zip(S0, Q, strict=True)]
    assert predicted == list(np.select([d == 3, d == 4], [2, 2], 3))
    # limits have eigenvalues from 1e-5 of the largest on, what vanishes is below 1e-7: 1e-6 tells them apart
    assert list(limit_rank(run, tolerance=1e-6)) == predicted
    # the control: counted above 0.1 as published, small eigenvalues of true limits are lost
    assert (np.linalg.eigvalsh(np.asarray(run.final.covariance)) > 0.1).sum() < sum(predicted)


def test_4d_limit_is_the_large_time_closed_solution():
    """The closed solution tends to the limit like 1/t, for singular S0 too; the literal formula with N agrees."""
    rng = np.random.default_rng(5)
    S0, Q = random_covariance(rng, 4), rng.normal(size=(2, 4))
    N = np.linalg.svd(Q)[2][2:].T
    literal = N @ np.linalg.inv(N.T @ np.linalg.inv(S0) @ N) @ N.T
    np.testing.assert_allclose(theory.gaussian_limit(S0, Q).value, literal, atol=1e-12)
    half = rng.normal(size=(4, 3))
    flat = half @ half.T
    for start, rank in ((S0, 2), (flat, 1)):
        limit = theory.gaussian_limit(start, Q).value
        assert theory.gaussian_limit_rank(start, Q).value == rank
        gaps = [np.abs(theory.gaussian_covariance(start, -Q.T @ Q, t).value - limit).max() for t in (1e3, 1e4)]
        assert gaps[0] / gaps[1] == pytest.approx(10, rel=0.1) and gaps[1] < 1e-2


@pytest.mark.parametrize("attention", [SOFTMAX, L2, SINKHORN], ids=["softmax", "l2", "sinkhorn"])
def test_4d_what_the_limit_conserves(attention):
    """K = -Q, V = I: S^-1 N does not move, N a basis of ker Q, so L2 and Sinkhorn have the limit of softmax."""
    rng = np.random.default_rng(6)
    S, Q, V = random_covariance(rng, 3), rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    N, inverse = np.linalg.svd(Q)[2][2:].T, np.linalg.inv(S)

    def rate(V):
        spread = np.asarray(motion(transformer(attention, Q, -Q, V), 0.0, Gaussian(np.zeros(3), S))[1])
        return np.abs(inverse @ spread @ inverse @ N).max() / np.abs(inverse @ spread @ inverse).max()

    assert rate(np.eye(3)) < 1e-12 and rate(V) > 1e-3  # another V does not conserve it


# --- 4e: Sinkhorn ---------------------------------------------------------------------------------------------------


def test_4e_sinkhorn_equation_and_poster():
    """Residual of G = (S - G S G^T) A below 1e-10 for A and S that do not commute, small and large; the poster's not.

    For e^{-|Qx-Ky|^2} the equation has 2A (trap 2a); V C S^-1 A^-T S, as printed, has the factors in wrong order (2b).
    """
    rng = np.random.default_rng(7)
    for scale in (0.1, 1.0, 10.0):
        S, A = random_covariance(rng, 3), scale * rng.normal(size=(3, 3))
        G = np.asarray(sinkhorn_slope(jnp.asarray(A), jnp.asarray(S)))
        assert np.abs(G - (S - G @ S @ G.T) @ A).max() < 1e-10
        assert np.abs(G - (S - G @ S @ G.T) @ (2 * A)).max() > 1e-3
        values, vectors = np.linalg.eigh(S)
        half, inverse = ((vectors * values**p) @ vectors.T for p in (0.5, -0.5))
        values, vectors = np.linalg.eigh(4 * half @ A @ S @ A.T @ half + np.eye(3))
        C = (half @ (vectors * np.sqrt(values)) @ vectors.T @ inverse - np.eye(3)) / 2
        right = C @ np.linalg.inv(A).T @ np.linalg.inv(S)
        printed = C @ np.linalg.inv(S) @ np.linalg.inv(A).T
        np.testing.assert_allclose(G, right, atol=1e-8)
        assert np.abs(printed - (S - printed @ S @ printed.T) @ A).max() > 1e-3


def test_4e_agrees_with_a_discrete_sinkhorn():
    """A literal Sinkhorn loop on a Gauss-Hermite grid of N(m, S), A and S not commuting: E[y|x] has slope G."""
    rng = np.random.default_rng(8)
    S, A, m = 0.2 * random_covariance(rng, 2), rng.normal(size=(2, 2)), np.array([0.2, -0.4])
    z, w = np.polynomial.hermite_e.hermegauss(20)
    z, w = np.stack(np.meshgrid(z, z), axis=-1).reshape(-1, 2), np.outer(w, w).ravel() / w.sum() ** 2
    x = m + z @ np.linalg.cholesky(S).T
    kept = w > 1e-18  # points that no sum sees
    x, w = x[kept], w[kept] / w[kept].sum()
    log_kernel = oracles.log_kernel(x @ A.T, x, 1.0, "dot")
    f, g, _ = oracles.sinkhorn_potentials(log_kernel, w)
    plan = np.exp(log_kernel + f[:, None] + g[None, :]) * w
    slope = np.linalg.solve((x - m).T @ (w[:, None] * (x - m)), (x - m).T @ (w[:, None] * (plan @ x))).T
    # 20 nodes resolve these potentials to 1e-8 and better
    np.testing.assert_allclose(sinkhorn_slope(jnp.asarray(A), jnp.asarray(S)), slope, atol=1e-7)
    assert np.abs(slope - np.asarray(sinkhorn_slope(jnp.asarray(A.T), jnp.asarray(S)))).max() > 1e-2


# --- 4f, 4g, one dimension ------------------------------------------------------------------------------------------


def test_4g_softmax_is_linear_at_mean_zero():
    rng = np.random.default_rng(10)
    S = random_covariance(rng, 3)
    Q, K, V = rng.normal(size=(3, 3, 3))
    for mean, is_equal in ((np.zeros(3), True), (np.ones(3), False)):
        one, other = (
            motion(transformer(kind(0.7), Q, K, V), 0.0, Gaussian(mean, S))[1] for kind in (tkf.Softmax, tkf.Linear)
        )
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12) == is_equal


@pytest.mark.parametrize("kind", ["softmax", "linear", "l2", "sinkhorn"])
def test_scalar_flows(kind):
    """s(t) in R^1 against a literal ODE of THEORY 4, for attraction and repulsion, and against `motion`."""
    attention = {"softmax": SOFTMAX, "linear": tkf.Linear(1.0), "l2": L2, "sinkhorn": SINKHORN}[kind]
    s0, k = 1.3, 0.8

    def speed(s, a, v):
        if kind == "l2":
            return 4 * v * a * s**2 / (1 + 2 * k**2 * s)
        if kind == "sinkhorn":
            return 2 * v * (np.sqrt(1 + 4 * (a * s) ** 2) - 1) / (2 * a * s) * s
        return 2 * v * a * s**2

    ts = np.linspace(0, 1, 5)
    for a, v in ((0.3, 1.0), (-0.7, 1.0), (0.5, -2.0)):
        ode = solve_ivp(lambda t, s: speed(s, a, v), (0, 1), [s0], t_eval=ts, rtol=1e-11, atol=1e-12)  # noqa: B023
        found = theory.gaussian_variance(ts, s0=s0, a=a, v=v, k=k, attention=kind).value
        np.testing.assert_allclose(found, ode.y[0], rtol=1e-9)
    model = transformer(attention, [[a / k]], [[k]], [[v]])
    spread = motion(model, 0.0, Gaussian([0.0], [[s0]]))[1]
    assert float(spread[0, 0]) == pytest.approx(speed(s0, a, v), rel=1e-12)
    # the kernel e^{axy} of N(0, 1): the table of the reference sheet
    for a, g in ((0.5, 0.41421356), (1.0, 0.61803399)):
        assert float(theory.sinkhorn_coefficient(a)) == pytest.approx(g, abs=1e-8)


def test_feed_forward_balances_at_w_over_a():
    a, w, s0 = 0.7, 0.4, 1.3
    ode = solve_ivp(lambda t, s: -2 * a * s**2 + 2 * w * s, (0, 2), [s0], rtol=1e-11, atol=1e-12)
    assert float(theory.feed_forward_variance(2.0, s0=s0, a=a, w=w)) == pytest.approx(ode.y[0, -1], rel=1e-9)
    fixed = float(theory.feed_forward_fixed_point(a=a, w=w))
    assert fixed == w / a == pytest.approx(float(theory.feed_forward_variance(1e3, s0=s0, a=a, w=w)))
    parts = [tkf.Head(SOFTMAX, Q=[[a]], K=[[-1.0]]), tkf.Perceptron([[w]], activation="identity")]
    model = tkf.Transformer(tkf.Euclidean(1), parts)
    for s, sign in ((fixed, 0), (0.9 * fixed, 1), (1.1 * fixed, -1)):
        spread = float(motion(model, 0.0, Gaussian([0.0], [[s]]))[1][0, 0])
        assert abs(spread) < 1e-15 if sign == 0 else np.sign(spread) == sign


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.gaussian_covariance(np.eye(2), np.eye(3), 0.1), "A must be"),
        (lambda: theory.gaussian_blow_up_time([[1.0, 2.0], [2.0, 1.0]], np.eye(2)), "negative eigenvalues"),
        (lambda: theory.gaussian_limit(np.eye(2), np.ones((1, 3))), "Q must be"),
        (lambda: theory.gaussian_variance(1.0, s0=1.0, a=1.0, attention="softmx"), "softmax"),
        (lambda: theory.gaussian_variance(1.0, s0=1.0, a=1.0), "blows up at t = 0.5"),
        (lambda: theory.gaussian_variance(1.0, s0=-1.0, a=1.0), "s0 > 0"),
        (lambda: theory.feed_forward_fixed_point(a=-1.0, w=1.0), "positive"),
        (lambda: theory.l2_growth_bound(np.eye(2)[:1], np.eye(2)[:1], np.eye(2)), "injective"),
    ],
)
def test_bad_questions(call, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        call()
