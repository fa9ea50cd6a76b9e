"""Times and rates: equiangular tokens under every scheme, merging, metastability, alignment, heat, consensus."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import integrate, special

import oracles
from tokenfield import InvalidInput, theory
from tokenfield.theory import equiangular, equiangular_flow


def test_merge_times():
    """Ratios of the exact two-cluster time to its asymptotic form."""
    for cosine, expected in ((0.0, {10: 1.026, 20: 1.005, 40: 1.0013}), (0.5, {10: 1.515, 20: 1.094, 40: 1.038})):
        for beta, ratio in expected.items():
            exact, rough = (f(beta, cosine=cosine) for f in (theory.merge_time, theory.merge_time_asymptotic))
            assert float(exact) / float(rough) == pytest.approx(ratio, abs=6e-4)


def test_weighted_merge_time_by_simulation():
    """Two weighted tokens, from the equation of the cosine of two clusters, integrated as it stands."""
    a, b, beta = 0.25, 0.75, 5.0

    def rhs(t, y):
        e, u = np.exp(beta), np.exp(beta * y[0])
        return [(1 - y[0] ** 2) * (b * u / (a * e + b * u) + a * u / (b * e + a * u))]

    reached = lambda t, y: y[0] - 0.999  # noqa: E731
    reached.terminal = True
    found = integrate.solve_ivp(rhs, (0, 1e4), [0.0], events=reached, rtol=1e-11, atol=1e-12, method="DOP853")
    assert float(theory.merge_time(beta, masses=(1, 3))) == pytest.approx(found.t_events[0][0], rel=1e-8)
    assert float(theory.merge_time(beta)) != pytest.approx(found.t_events[0][0], rel=1e-2)


def test_scalar_collapse_bound_holds():
    for beta, u0, c in ((3.0, 0.3, 1.0), (10.0, 0.5, 0.5), (20.0, 0.2, 2.0)):
        # the exact time, by quadrature in s with u = 1 - e^{-s}
        slowness = lambda s, beta=beta: np.exp(beta * np.exp(-s)) / -np.expm1(-s)  # noqa: E731
        exact, _ = integrate.quad(slowness, -np.log1p(-u0), c * beta, limit=500, epsabs=0, epsrel=1e-10)
        assert 0 < exact <= float(theory.scalar_collapse(beta, u0, c))


def test_plateaus():
    assert float(theory.plateau([1, 1, 1])) == pytest.approx(1 / 3)
    assert float(theory.plateau([2, 1])) - float(theory.plateau([1, 1, 1])) == pytest.approx(2 / 9)


@pytest.mark.parametrize("scheme", equiangular.SCHEMES)
def test_hitting_times_of_all_schemes_are_where_the_curve_arrives(scheme):
    """The curve is integrated in time, the hitting time over the cosine: they share no code but the weights."""
    options = {"radius": 1.5, "alpha": 0.7, "tau": 2.0}
    time = theory.equiangular_time(3.0, 8, level=0.9, scheme=scheme, **options)
    curve = theory.equiangular_curve([0.5 * float(time), float(time)], 3.0, 8, scheme=scheme, **options).value
    assert curve[1] == pytest.approx(0.9, abs=1e-8) and curve[0] < 0.89
    assert time.log10 == pytest.approx(np.log10(float(time)), abs=1e-9)


@pytest.mark.parametrize("n", [2, 100, 10**4, 10**6, 10**8])
@pytest.mark.parametrize("beta", [0.0, 9.0, 30.0])
def test_equiangular_times_of_any_number_of_tokens(n, beta):
    """int dgamma / gamma' piece by piece in log gamma, where neither 1/n nor 1/beta is too near 0."""

    def slowness(v):
        gamma = np.exp(v)
        return gamma * (np.exp(beta * (1 - gamma)) + n - 1) / (2 * (1 - gamma) * (1 + (n - 1) * gamma))

    edges = np.linspace(-60.0, np.log(0.999), 60)
    exact = sum(integrate.quad(slowness, *piece, epsabs=0, epsrel=1e-12)[0] for piece in itertools.pairwise(edges))
    assert float(theory.equiangular_time(beta, n)) == pytest.approx(exact, rel=1e-11)  # both are good to 1e-12


@pytest.mark.parametrize("cosine", [-1 + 1e-9, -1 + 1e-6, -0.999, -0.5, 0.7])
@pytest.mark.parametrize("beta", [0.0, 9.0, 40.0])
def test_merge_times_of_almost_antipodal_clusters(cosine, beta):
    """int drho / rho' piece by piece, in log(1 + rho) up to a half and in log(1 - rho) from there."""

    def slowness(rise, fall):  # 1 + rho and 1 - rho
        heavier, lighter = (special.expit(-(beta * fall + odds)) for odds in (np.log(3), -np.log(3)))
        return 1 / (fall * rise * (heavier + lighter))

    def integral(function, *ends):
        pieces = itertools.pairwise(np.linspace(*ends, 100))
        return sum(integrate.quad(function, *piece, epsabs=0, epsrel=1e-12)[0] for piece in pieces)

    middle = max(cosine, 0.5)
    exact = integral(lambda v: np.exp(v) * slowness(np.exp(v), 2 - np.exp(v)), np.log1p(cosine), np.log1p(middle))
    exact += integral(lambda s: np.exp(-s) * slowness(2 - np.exp(-s), np.exp(-s)), -np.log1p(-middle), np.log(1e3))
    found = theory.merge_time(beta, cosine=cosine, level=0.999, masses=(1, 3))
    # both are good to 1e-12, and 1 + rho of 1e-9 is rounded to 1e-7 of it, of which a time knows the logarithm
    assert float(found) == pytest.approx(exact, rel=1e-11 if cosine > -1 + 1e-7 else 1e-8)


def test_times_too_long_for_a_double():
    """e^{beta}/(2 beta) for two tokens at beta = 1e4, on a log scale; at 60 one minus a weight would round to 0."""
    for time in (theory.equiangular_time(1e4, 2), theory.merge_time(1e4), theory.merge_time_asymptotic(1e4)):
        assert np.isinf(time.value)
        assert time.log10 == pytest.approx((1e4 - np.log(2e4)) / np.log(10), abs=1e-4)
    assert float(theory.equiangular_time(60.0, 2)) == pytest.approx(np.exp(60) / 120, rel=1e-3)
    curve = theory.equiangular_curve([1e-3, 1.0], 1e4, 32, scheme="unnormalized").value
    assert 0 < curve[0] < 2e-4 and curve[1] == 1
    for found in (
        theory.equiangular_time(1e4, 32, scheme="pre-ln"),
        theory.consensus_rate(1e4, attention="unnormalized"),
    ):
        assert np.isinf(found.value)


@pytest.mark.parametrize("scheme", equiangular_flow.HAS_RADIUS)
def test_exponents_of_times_with_a_radius_go_on_where_no_steps_reach(scheme, monkeypatch):
    arguments = (10, 0.9, scheme, 3.0, 2.0 if scheme == "mix-ln" else 0.0)
    by_quadrature = equiangular_flow.log_time_with_radius(24.0, *arguments)
    monkeypatch.setattr(equiangular_flow, "FAR", np.inf)
    # log(t / r), of order one, beside 4e8; the steps have errors of 7e-10
    assert by_quadrature == pytest.approx(equiangular_flow.log_time_with_radius(24.0, *arguments), rel=4e-9)
    monkeypatch.undo()
    # int e^{beta (1 - gamma)} / (2 (1 - gamma^2)) dgamma = e^beta / (2 beta) (1 + 2 / beta^2 + ...) of two tokens
    far = equiangular_flow.log_time_with_radius(700.0, 2, *arguments[1:])
    assert np.log(far) == pytest.approx(700 - np.log(1400), abs=1e-5)
    assert np.isinf(equiangular_flow.log_time_with_radius(1e4, *arguments))


def test_unnormalized_merge_time_by_simulation():
    """rho' = (1 - rho^2) e^{beta rho} whatever the masses."""
    reached = lambda t, y: y[0] - 0.999  # noqa: E731
    reached.terminal = True
    rhs = lambda t, y: [(1 - y[0] ** 2) * np.exp(3 * y[0])]  # noqa: E731
    found = integrate.solve_ivp(rhs, (0, 10), [-0.5], events=reached, rtol=1e-11, atol=1e-12).t_events[0][0]
    for masses in ((1, 1), (1, 5)):
        time = theory.merge_time(3.0, cosine=-0.5, masses=masses, attention="unnormalized")
        assert float(time) == pytest.approx(found, rel=1e-8)


def test_initial_speeds_and_tails():
    for scheme, expected in (("post-ln", 0.059315), ("peri-ln", 0.322795), ("mix-ln", 0.059315), ("pre-ln", 0.0296575)):
        radius = 2.0 if scheme == "pre-ln" else 1.0
        assert float(theory.initial_speed(1.0, 32, scheme=scheme, radius=radius)) == pytest.approx(expected, abs=1e-6)
    # 8b: the tail of the curve falls like the predicted shape, within 2 %
    for scheme, ts in (("post-ln", [6, 8]), ("pre-ln", [200, 400]), ("ngpt", [6, 8]), ("depth-scaled", [40, 60])):
        curve = theory.equiangular_curve(ts, 1.0, 32, scheme=scheme).value
        shape = theory.tail(ts, scheme=scheme).value
        assert np.diff(np.log(1 - curve))[0] == pytest.approx(np.diff(np.log(shape))[0], rel=0.02)


def test_metastability_bounds():
    """6c: T1 <= 2n e^{8 eps beta} + e n lam beta^2/(beta-1) <= T2 = (eps/n) e^{(1-alpha) beta}, and their errors."""
    beta, n, eps, alpha, lam = 40.0, 4, 0.01, 0.2, 0.5
    low, high = theory.metastability_bounds(beta, n, eps=eps, alpha=alpha, lam=lam).value
    assert low == pytest.approx(2 * n * np.exp(8 * eps * beta) + np.e * n * lam * beta**2 / (beta - 1))
    assert high == pytest.approx(eps / n * np.exp((1 - alpha) * beta))
    with pytest.raises(InvalidInput, match=r"needs beta > 11\.2"):
        theory.metastability_bounds(11.0, n, eps=eps, alpha=alpha, lam=lam)
    with pytest.raises(InvalidInput, match="lam must be between 0 and 1 - alpha"):
        theory.metastability_bounds(beta, n, eps=eps, alpha=alpha, lam=0.9)


def test_alignment_rate_by_integration():
    """x' = P_x[V A x/|A x|], A = K^T Q: the slope of the residual at late times; eigenvectors are not orthogonal."""
    A = np.array([[1.0, 0.5, 0.0], [0.0, 2.0, 0.3], [0.2, 0.0, 1.5]])
    S = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.5, 0.0, 1.0]])
    B = S @ np.diag([2.0, 0.5, -1.0]) @ np.linalg.inv(S)
    e = S[:, 0] / np.linalg.norm(S[:, 0])

    def rhs(t: float, x: np.ndarray) -> np.ndarray:
        field = B @ x / np.linalg.norm(A @ x)
        return field - (x @ field) * x

    rate = float(theory.alignment_rate(A, np.eye(3), B @ np.linalg.inv(A)))
    assert rate == pytest.approx(2 * 1.5 / np.linalg.norm(A @ e))
    ts = np.array([5.0, 7.0]) / rate * 2
    path = integrate.solve_ivp(rhs, (0, ts[1]), [0.6, 0.0, 0.8], t_eval=ts, rtol=1e-11, atol=1e-13).y
    residual = np.linalg.norm(path - np.outer(e, e @ path), axis=0) ** 2
    # the next terms are smaller by e^{-10/2} and e^{-10 (3/1.5 - 1)}
    assert np.log(residual[0] / residual[1]) / np.diff(ts)[0] == pytest.approx(rate, rel=0.01)


def test_heat_phase():
    """3b-2: k^2 I_k/(beta I_0) under V = -I is near k^2/beta at beta = 50; a bump collapses at beta sigma^2/2."""
    found, heat = theory.decay_rates(50.0, 2, count=2).value, theory.heat_rates(50.0, 2, count=2).value
    k = np.array([1, 2])
    np.testing.assert_allclose(found, k**2 * special.ive(k, 50) / (50 * special.ive(0, 50)), rtol=1e-12)
    np.testing.assert_allclose(found, heat, rtol=0.05)
    beta, sigma = 1e4, 0.2
    v = integrate.solve_ivp(lambda t, v: -2 * v / (1 + beta * v), (0, 0.9 * beta * sigma**2 / 2), [sigma**2], rtol=1e-9)
    assert v.y[0, -1] == pytest.approx(0.1 * sigma**2, rel=0.1)
    assert float(theory.heat_collapse_time(beta, sigma)) == pytest.approx(beta * sigma**2 / 2)


def test_bounds_on_how_solutions_part():
    """Dobrushin's constant bounds the velocity's change: tried on random tokens moved a little."""
    rng = np.random.default_rng(0)
    for beta in (0.0, 1.0, 2.0):
        for attention, field in (("softmax", oracles.sa_field), ("unnormalized", oracles.usa_field)):
            heads, w = [oracles.identity_head(beta, 3)], np.full(6, 1 / 6)
            x = rng.standard_normal((6, 3))
            x /= np.linalg.norm(x, axis=1, keepdims=True)
            project = lambda v, x=x: v - np.sum(v * x, axis=1, keepdims=True) * x  # noqa: E731
            v = project(rng.standard_normal((6, 3)))
            moved = x + 1e-6 * v
            moved /= np.linalg.norm(moved, axis=1, keepdims=True)
            change = project(field(moved, w, heads) - field(x, w, heads))
            mean = np.mean(np.linalg.norm(change, axis=1)) / np.mean(1e-6 * np.linalg.norm(v, axis=1))
            assert mean <= float(theory.stability_rate(beta, attention=attention))
    turn = lambda t: np.array([[0.0, -t], [t, 0.0]])  # noqa: E731
    assert float(theory.support_radius(2.0, turn, radius=3.0)) == pytest.approx(3 * np.exp(2.0), rel=1e-9)
    assert float(theory.support_radius(2.0, np.diag([1.0, -2.0]))) == pytest.approx(np.exp(4.0))
    assert float(theory.wasserstein_rate()) == 1 and float(theory.sampling_rate(5)) == 1 / 4
    assert float(theory.cone_collapse_rate(1.0, 4)) == pytest.approx(1 / (8 * np.exp(2)))


def test_order_of_tokens():
    """12.3: the aliased Bessel sums; Lemma 5.1; the memory profile where I_n(beta) overflows."""
    for beta, mode in ((1.0, 1), (4.0, 1), (4.0, 3)):
        wraps = 16 * np.arange(-20, 21)
        literal = 1 - special.iv(np.abs(mode + wraps), beta).sum() / special.iv(np.abs(wraps), beta).sum()
        assert float(theory.ring_rate(beta, 16, mode=mode)) == pytest.approx(literal, rel=1e-11)
    assert float(theory.ring_rate(1.0, 16)) == pytest.approx(0.55361, abs=5e-6)
    assert float(theory.ring_rate(4.0, 16)) == pytest.approx(0.13648, abs=5e-6)
    assert float(theory.center_time(64.0, 3, c=2.0, eps=0.1)) == pytest.approx(0.1 / 3 * np.exp(2 - 16 / (24 * 64)))
    assert np.all(np.isinf(theory.memory_profile([0.1, 0.9], beta=1e4, lam=1e3, t=1.0, M=5.0).value[:1]))
    assert theory.critical_time(beta=1e4, lam=1.0, M=5.0).log10 < -4000
