"""Predictions against published or independently computed numbers, and against plain quadrature or simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special

import oracles
from tokenfield import InvalidInput, theory
from tokenfield.theory import bessel, equiangular, growth


@pytest.mark.parametrize(("nu", "x"), [(0.0, 1.0), (0.5, 3.3), (2.0, 40.0), (15.0, 57.0), (31.5, 200.0)])
def test_bessel_ratios_and_logarithms(nu, x):
    ratios = bessel.bessel_ratios(nu, 4, x)
    expected = [special.ive(nu + j + 1, x) / special.ive(nu + j, x) for j in range(4)]
    np.testing.assert_allclose(ratios, expected, rtol=1e-12)  # SciPy's own accuracy at these orders
    assert bessel.log_bessel(nu, x) == pytest.approx(np.log(special.ive(nu, x)) + x, rel=1e-12)


def test_bessel_functions_do_not_underflow():
    """I_511(1) is about e^{-3000}: its leading series term (1/2)^nu / Gamma(nu+1) is exact to 1e-3 relative in I."""
    leading = 511 * np.log(0.5) - special.gammaln(512)
    assert bessel.log_bessel(511.0, 1.0) == pytest.approx(leading + 0.25 / 512, abs=1e-6)
    assert np.all(np.isfinite(growth.log_growth_rates(1e4, 1024, count=50, attention="unnormalized")))


@pytest.mark.parametrize("d", [2, 3, 4, 8])
def test_kernel_mean_by_quadrature(d):
    weight = special.gamma(d / 2) / (np.sqrt(np.pi) * special.gamma((d - 1) / 2))
    value, _ = integrate.quad(lambda a: weight * np.exp(3 * np.cos(a)) * np.sin(a) ** (d - 2), 0, np.pi)
    assert bessel.log_kernel_mean(3.0, d) == pytest.approx(np.log(value), rel=1e-10)
    assert bessel.log_kernel_mean(0.0, d) == 0


def test_growth_rates_on_the_circle():
    """Reference rates, and the trap: the published k^2 I_k / (pi beta) is smaller by pi."""
    rates = theory.growth_rates(5.0, 2, attention="unnormalized").value
    np.testing.assert_allclose(rates[:6], [4.867, 14.004, 18.596, 16.346, 10.790, 5.704], atol=5e-4)
    k = np.arange(1, 7)
    np.testing.assert_allclose(rates[:6], k**2 * special.iv(k, 5.0) / 5, rtol=1e-13)
    assert np.abs(rates[2] - 9 * special.iv(3, 5.0) / (5 * np.pi)) > 10
    softmax = theory.growth_rates(5.0, 2).value
    np.testing.assert_allclose(softmax[:6], [0.1787, 0.5141, 0.6827, 0.6001, 0.3961, 0.2094], atol=5e-5)


def test_growth_rates_on_the_sphere_by_quadrature():
    """d = 3, beta = 4: gamma_k = k(k+1)/beta int e^{beta s} P_k(s) ds/2, from the Funk-Hecke formula."""
    rates = theory.growth_rates(4.0, 3, count=4, attention="unnormalized").value
    np.testing.assert_allclose(rates, [2.5607, 4.4721, 4.1841, 2.7035], atol=5e-5)
    for k in range(1, 5):
        value, _ = integrate.quad(lambda s, k=k: np.exp(4 * s) * special.eval_legendre(k, s) / 2, -1, 1)
        assert rates[k - 1] == pytest.approx(k * (k + 1) / 4 * value, rel=1e-11)


def test_growth_rates_at_beta_zero_are_the_limit():
    np.testing.assert_allclose(theory.growth_rates(0.0, 5, count=3).value, [4 / 5, 0, 0])
    np.testing.assert_allclose(theory.growth_rates(1e-7, 5, count=3).value, [4 / 5, 0, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("d", "expected"),
    [
        (2, [1.0445, 3.1654, 6.2113, 10.2285, 15.2363, 21.2405]),
        (3, [1.8162, 4.4253, 7.9624, 12.4774, 17.9849, 24.4891]),
        (4, [2.5285, 5.6558, 9.6988, 14.7176]),
        (8, [5.2511, 10.5003, 16.595, 23.6427]),
        (32, [21.281, 39.332, 57.773]),
    ],
)
def test_thresholds_and_k_max(d, expected):
    found = theory.thresholds(d, count=len(expected)).value
    np.testing.assert_allclose(found, expected, atol=6e-4 if d == 32 else 6e-5)
    for k, beta in enumerate(found, start=1):
        assert theory.k_max(beta * 0.999, d).value == k
        assert theory.k_max(beta * 1.001, d).value == k + 1


def test_k_max_for_large_beta():
    """k_max ~ sqrt(2 beta)."""
    assert theory.k_max(1e4, 2).value == pytest.approx(np.sqrt(2e4), rel=0.01)


def test_cluster_angles_of_a_seeded_mode():
    rng = np.random.default_rng(0)
    theta = rng.uniform(0, 2 * np.pi, 200_000)
    # density 1 + cos(3 (theta - 0.4)): maxima at 0.4 + 2 pi j / 3
    theta = theta[rng.uniform(0, 2, len(theta)) < 1 + np.cos(3 * (theta - 0.4))]
    expected = np.sort((0.4 + 2 * np.pi * np.arange(3) / 3) % (2 * np.pi))
    np.testing.assert_allclose(
        theory.cluster_angles(theta, 3).value, expected, atol=0.01
    )  # sampling error 1/(3 sqrt n)


TABLE = {
    ("softmax", 32): {0: 5.186, 0.1: 5.192, 1: 5.270, 2: 5.458, 3: 5.898, 4: 6.954, 5: 9.544, 6: 15.995, 9: 178.73},
    ("softmax", 128): {0: 5.879, 1: 5.909, 4: 6.570, 6: 10.353, 8: 35.468, 9: 82.593},
    ("unnormalized", 32): {1: 2.897, 2: 1.880, 4: 1.131, 9: 0.686},
}


@pytest.mark.parametrize("key", TABLE, ids=str)
def test_equiangular_hitting_times(key):
    scheme, n = key
    for beta, expected in TABLE[key].items():
        assert float(theory.equiangular_time(beta, n, scheme=scheme)) == pytest.approx(expected, abs=1.1e-3)


def test_phase_curve():
    assert float(theory.phase_curve([30.0], 32).value[0]) == pytest.approx(6.906, abs=1e-3)
    assert float(theory.phase_curve([30.0], 128).value[0]) == pytest.approx(7.785, abs=1e-3)
    assert np.isnan(theory.phase_curve([1.0], 32).value[0])


@pytest.mark.parametrize("scheme", equiangular.SCHEMES)
def test_equiangular_curves_reach_the_level_at_the_hitting_time(scheme):
    ts = [0.0, 0.5, 0.5, 2.0, 5.27]
    curve = theory.equiangular_curve(ts, 1.0, 32, scheme=scheme, tau=1.0).value
    assert curve[0] == 0 and curve[1] == curve[2] and np.all(np.diff(curve) >= 0)
    rhs = {
        "softmax": oracles.sa_equiangular,
        "post-ln": oracles.sa_equiangular,
        "unnormalized": oracles.usa_equiangular,
    }
    if scheme in rhs:
        np.testing.assert_allclose(
            curve[[0, 1, 3, 4]], oracles.equiangular_path(rhs[scheme], 1.0, 32, [0, 0.5, 2, 5.27]), atol=1e-9
        )
    else:
        other = theory.equiangular_curve(ts, 1.0, 32).value
        assert np.abs(curve - other).max() > 1e-3


def test_initial_equiangular_speeds():
    """8a: n = 32, beta = 1: .059315 for Post and Pre, .322795 for Peri and nGPT."""
    speeds = {scheme: float(equiangular.speed(0.0, 1.0, 32, scheme=scheme)[0]) for scheme in equiangular.SCHEMES}
    for scheme in ("post-ln", "pre-ln", "mix-ln", "depth-scaled"):
        assert speeds[scheme] == pytest.approx(0.059315, abs=1e-6)
    for scheme in ("peri-ln", "ngpt"):
        assert speeds[scheme] == pytest.approx(0.322795, abs=1e-6)


def test_wendel():
    for d, expected in {8: 0.00166, 12: 0.0748, 16: 0.5, 20: 0.9252, 24: 0.9983}.items():
        assert float(theory.common_hemisphere(32, d)) == pytest.approx(expected, abs=5e-5)
    assert float(theory.common_hemisphere(5, 7)) == 1


def test_noise_thresholds_and_critical_beta():
    np.testing.assert_allclose(theory.noise_thresholds(1.0, 2, count=3).value, [1.769, 7.367, 45.1], rtol=1e-3)
    np.testing.assert_allclose(
        theory.noise_thresholds(4.0, 2, count=4).value, [0.4099, 0.6228, 1.1986, 2.824], rtol=2e-4
    )
    assert theory.noise_thresholds(1e-9, 7, count=1).value[0] == pytest.approx(7)
    for d, expected in {2: 2.44692, 3: 1.81615, 4: 1.57526, 8: 1.26655, 16: 1.12897}.items():
        assert float(theory.critical_beta(d)) == pytest.approx(expected, abs=6e-6)


def test_growth_under_noise_and_the_threshold_of_the_global_transition():
    """K_# = beta^{d/2}/(2^{d/2} Gamma(d/2) I_{d/2}) at beta_*: .51014, 1.09396, 1.63465 for d = 2, 3, 4."""
    for d, expected in {2: 0.51014, 3: 1.09396, 4: 1.63465}.items():
        beta = float(theory.critical_beta(d))
        literal = beta ** (d / 2) / (2 ** (d / 2) * special.gamma(d / 2) * special.iv(d / 2, beta))
        assert float(theory.continuous_threshold(beta, d)) == pytest.approx(literal, rel=1e-12)
        assert literal == pytest.approx(expected, abs=6e-6)
    k = np.arange(1, 5)
    literal = k**2 * (special.iv(k, 4.0) / 4 - 1 / 0.7)
    np.testing.assert_allclose(theory.noisy_growth_rates(4.0, 2, 0.7, count=4).value, literal, rtol=1e-12)


def test_random_weights():
    for d, expected in {4: 0.6585, 5: 0.8814, 8: 1.2389, 16: 1.6655, 64: 2.4101, 512: 3.4638}.items():
        assert float(theory.antipodal_threshold(d)) == pytest.approx(expected, abs=6e-5)
    table = {
        (1, 3): 0.2224,
        (2, 3): 0.3364,
        (4, 3): 0.4068,
        (2, 5): 0.1893,
        (4, 5): 0.3308,
        (2, 8): 0.0929,
        (4, 8): 0.2758,
    }
    for (beta, d), expected in table.items():
        assert float(theory.antipodal_probability(beta, d)) == pytest.approx(expected, abs=6e-5)
    assert float(theory.antipodal_probability(0.8, 5)) == float(theory.antipodal_probability(0.0, 3)) == 0
    assert float(theory.antipodal_probability(0.0, 2)) == pytest.approx(0.5)  # there R and -R are alike


def test_long_context():
    for n, expected in ((1e4, [0.9999, 0.9918, 0.8, 0.5475, 0.5050]), (1e6, [1, 0.9991, 0.8, 0.5156, 0.5005])):
        found = [float(theory.context_cosine(0.5, g, n)) for g in (1, 1.5, 2, 2.5, 3)]
        np.testing.assert_allclose(found, expected, atol=6e-5)
    assert float(theory.context_cosine(0.5, 2, 1e200)) == pytest.approx(0.8)
    assert float(theory.context_cosine(0.5, 2, 1e12, residual=True)) == pytest.approx(16 * 0.5 / (9 + 3.5), abs=1e-6)
    assert float(theory.nearest_key_constant(2)) == pytest.approx(0.4502, abs=5e-5)
    assert float(theory.nearest_key_constant(3)) == pytest.approx(0.5)
    assert float(theory.critical_gain(0.5)) == 2
    assert float(theory.critical_context_beta(2e4, 3)) == pytest.approx(1e4)
    assert float(theory.critical_context_beta(1e3, 2)) == pytest.approx((1e3 * 0.45016) ** 2, rel=1e-4)


def test_largest_attention_weight():
    """Against one integral on S^2, a sample of Poisson arrivals on S^1, and the values .180, .561, .877 (sampled)."""
    for ratio, expected in ((0.2, 0.180), (1.0, 0.561), (5.0, 0.877)):
        # E e^{-uS} = exp(-Ein(u)/ratio), Ein(u) = E_1(u) + log u + gamma
        value = lambda u, ratio=ratio: np.exp(-u - (special.exp1(u) + np.log(u) + np.euler_gamma) / ratio)  # noqa: E731
        literal = integrate.quad(value, 0, 1)[0] + integrate.quad(value, 1, 60)[0]
        assert float(theory.largest_weight(ratio, 3)) == pytest.approx(literal, rel=1e-9)
        assert literal == pytest.approx(expected, abs=2.5e-3)  # the sampling error of the published digits
    arrivals = np.cumsum(np.random.default_rng(0).exponential(size=(20_000, 60)), axis=1)
    for d, ratio in ((2, 1.0), (5, 2.0)):
        weights = np.exp(-ratio * arrivals ** (2 / (d - 1)))
        sample = weights[:, 0] / weights.sum(axis=1)
        error = sample.std() / np.sqrt(len(sample))
        assert float(theory.largest_weight(ratio, d)) == pytest.approx(sample.mean(), abs=4 * error)


def test_renyi_counts():
    assert float(theory.strong_renyi_count(0.5, 2)) == pytest.approx(np.pi / 0.5)
    assert float(theory.strong_renyi_count(0.5, 3)) == pytest.approx(1 / np.sin(0.25) ** 2)
    assert float(theory.strong_renyi_count(2.5, 3)) == pytest.approx(1 / np.sin(1.25) ** 2)


def test_lost_in_the_middle():
    s = np.array([0.01, 0.5, 0.99])
    found = theory.memory_profile(s, beta=1.0, lam=1.0, t=2.0, M=10.0).value
    np.testing.assert_allclose(found, [10.01, 3.450, 3.580], atol=6e-3)
    grid = np.linspace(0.02, 0.98, 9601)
    profile = theory.memory_profile(grid, beta=1.0, lam=1.0, t=2.0, M=10.0).value
    assert grid[profile.argmin()] == pytest.approx(0.617, abs=1e-3)
    assert profile.min() == pytest.approx(3.4257, abs=1e-4)
    for beta, expected in ((1.0, 2.457489), (2.0, 0.600716), (3.0, 0.174018)):
        assert float(theory.critical_time(beta=beta, lam=1.0, M=8.0)) == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.growth_rates(-1.0, 2), "beta must be a finite number >= 0"),
        (lambda: theory.k_max(np.inf, 2), "beta must be a finite number >= 0"),
        (lambda: theory.k_max("five", 2), "k_max: beta must be a number, got 'five'"),
        (lambda: theory.thresholds(1), "whole number >= 2"),
        (lambda: theory.thresholds(2.5), "whole number"),
        (lambda: theory.growth_rates(1.0, 2, attention="softmaxx"), "did you mean 'softmax'"),
        (lambda: theory.equiangular_time(1.0, 1), "number of tokens"),
        (lambda: theory.equiangular_time(1.0, 8, level=1.0), "between 0 and 1"),
        (lambda: theory.merge_time(1.0, cosine=1.0), "between -1 and 1"),
        (lambda: theory.noisy_growth_rates(1.0, 2, 0.0), "kappa must be a finite number > 0"),
        (lambda: theory.equiangular_time(1.0, 8, scheme="pre-ln", radius=0.0), "radius > 0"),
        (lambda: theory.tail([0.0]), "times of a tail must be positive"),
        (lambda: theory.merge_time(1.0, attention="soft"), "did you mean 'softmax'"),
        (lambda: theory.merge_time_asymptotic(0.0), "needs beta > 0"),
        (lambda: theory.alignment_rate(np.eye(2), np.eye(2), np.eye(2)), "nothing to align to"),
        (lambda: theory.alignment_rate(np.eye(2), np.eye(3), np.eye(2)), "alike"),
        (lambda: theory.largest_weight(0.0, 3), "must be positive"),
        (lambda: theory.largest_weight(1.0, 64), "d up to 12"),
        (lambda: theory.critical_gain(1.0), r"in \[0, 1\)"),
        (lambda: theory.ring_rate(1.0, 1), "whole number >= 2"),
        (lambda: theory.center_time(1.0, 0, c=2.0, eps=0.1), "position 1, 2"),
        (lambda: theory.support_radius(-1.0, 1.0), "t >= 0"),
        (lambda: theory.consensus_rate(np.nan), "beta must be a finite number >= 0"),
        (lambda: theory.heat_rates(0.0, 2), "needs beta > 0"),
        (lambda: theory.equiangular_curve([2.0, 1.0], 1.0, 4), "increasing"),
        (lambda: theory.memory_profile(1.0, beta=1.0, lam=1.0, t=1.0, M=1.0), "strictly between"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_a_prediction_says_what_it_stands_on():
    found = theory.k_max(5.0, 2)
    assert int(found.value) == 3
    plain = found.to_dict()
    assert plain["value"] == 3 and plain["assumptions"] and "2410.23228" in plain["source"]
