"""Causal attention with ALiBi on the circle, and how much the last token remembers of each (arXiv 2605.09213)."""

from __future__ import annotations

import equinox as eqx
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.optimize import minimize_scalar
from scipy.special import iv

import oracles_position as oracle
import tokenfield as tkf

BETA, LAM = 1.0, 1.0


def alibi_model(n: int, beta: float = BETA, *, sign: float = 1.0) -> tkf.Transformer:
    """th_j' = Z_j^{-1} sum_{k<j} e^{-lam(j-k)/N} w'(th_j - th_k), w = e^{beta cos}, as a transformer.

    On the circle P_x y turns x by sin(th_y - th_x), so V = beta I makes beta e^{beta cos} sin = -w' of the other sign
    of the argument; mu_j, the seen part divided by its mass, makes 1/Z_j.
    """
    position = [tkf.Causal(strict=True), tkf.ALiBi(LAM / n)]
    V = sign * beta * np.eye(2)
    return tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta), V=V, position=position)


def on_circle(theta: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(theta), np.sin(theta)], axis=-1)


def clusters_of_sixteen() -> np.ndarray:
    """The published start: 4 clusters of 16 consecutive tokens."""
    centers = np.repeat(np.linspace(0.1, 1.9, 4) * np.pi, 16)
    return centers + 0.075 * np.random.default_rng(17).normal(size=64)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_velocity_is_that_of_the_published_script(sign):
    theta = clusters_of_sixteen()
    mu = tkf.Measure(on_circle(theta))
    velocity = eqx.filter_jit(lambda model: model.velocity(0.0, mu.points, mu))
    got = np.asarray(velocity(alibi_model(64, 1.7, sign=sign)))
    expected = oracle.alibi_circle(theta, 1.7, LAM)[:, None] * np.stack([-np.sin(theta), np.cos(theta)], axis=1)
    is_equal = np.allclose(got, expected, atol=1e-13)  # rounding
    assert is_equal == (sign > 0)
    at_once = oracle.alibi_circle_at_once(theta, 1.7, oracle.alibi_weights(64, LAM))
    np.testing.assert_allclose(at_once, oracle.alibi_circle(theta, 1.7, LAM), atol=1e-14)  # rounding


@pytest.mark.slow
def test_flow_is_that_of_the_published_script():
    theta = clusters_of_sixteen()
    K = oracle.alibi_weights(64, LAM)
    expected = oracle.rk4(lambda y: oracle.alibi_circle_at_once(y, BETA, K), theta, 0.0025, 4000)
    run = tkf.solve(alibi_model(64), tkf.Measure(on_circle(theta)), t1=10.0, rtol=1e-11, save="end")
    # the script's steps are good to 0.0025^4 = 4e-11 times the growth of errors, the library's to 1e-11 each
    np.testing.assert_allclose(run.final.points, on_circle(expected), atol=1e-8)
    np.testing.assert_array_equal(np.asarray(run.final.points)[0], on_circle(theta)[0])  # it sees nothing
    assert np.max(np.abs(expected - theta)) > 1.0


def test_influence_solves_its_integral_equation():
    a, t, s0, h = 0.6, 1.5, 0.3, 1e-4
    s = 0.9
    change = (oracle.influence(a, t + h, LAM, s, s0) - oracle.influence(a, t - h, LAM, s, s0)) / (2 * h)
    inside = quad(lambda u: oracle.graphon(LAM, s, u) * oracle.influence(a, t, LAM, u, s0), s0, s)[0]
    # the difference quotient is good to h^2 times a third derivative of order one
    assert change == pytest.approx(a * (oracle.graphon(LAM, s, s0) + inside), abs=1e-7)


def test_finite_systems_tend_to_the_influence():
    # linearized, N particles have G' = a K (1 + G), so G = e^{atK} - 1; N G tends to g at rate 1/N
    t, a = 2.0, iv(1, BETA)
    errors = []
    for n in (100, 200, 400):
        G = n * expm(a * t * oracle.alibi_weights(n, LAM))[-1]
        errors.append(max(abs(G[int(s * n)] - oracle.influence(a, t, LAM, 1.0, s)) for s in (0.25, 0.5, 0.75)))
    slope = np.log2(errors[0] / errors[2]) / 2
    assert slope == pytest.approx(1.0, abs=0.1)
    assert errors[2] < 0.02


def test_reference_numbers_of_the_u_shape():
    S = lambda s: oracle.u_shape(s, 2.0, 1.0, 1.0, 10.0)  # noqa: E731
    # the digits that are printed
    assert S(0.01) == pytest.approx(10.01, abs=5e-3)
    assert S(0.5) == pytest.approx(3.450, abs=5e-4)
    assert S(0.99) == pytest.approx(3.580, abs=5e-4)
    lowest = minimize_scalar(S, bounds=(0.3, 0.9), method="bounded", options={"xatol": 1e-9})
    assert lowest.x == pytest.approx(0.617, abs=5e-4)
    assert lowest.fun == pytest.approx(3.4257, abs=5e-5)


@pytest.mark.parametrize(("beta", "printed"), [(1.0, 2.457489), (2.0, 0.600716), (3.0, 0.174018)])
def test_critical_times(beta, printed):
    t_crit = oracle.critical_time(beta, 1.0, 8.0)
    assert t_crit == pytest.approx(printed, abs=5e-7)  # the printed digits
    # what it means: before it S rises towards the end of the sequence, after it S falls
    before, after = (
        oracle.u_shape(1 - 1e-6, t, beta, 1.0, 8.0) - oracle.u_shape(1 - 2e-6, t, beta, 1.0, 8.0)
        for t in (0.999 * t_crit, 1.001 * t_crit)
    )
    assert before > 0 > after
    # later than the sufficient condition for a unique interior minimum
    largest = max(n**2 * iv(n, beta) for n in range(1, 21))
    assert t_crit * largest > min(3 - np.sqrt(3), 2 * (1 - np.exp(-1.0)))
