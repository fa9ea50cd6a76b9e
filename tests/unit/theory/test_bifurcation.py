"""Stationary states of the noisy flow: branches, folds, stability and transitions, against literal computations.

d_t mu = (1/kappa) Lap mu - div(mu grad(G * mu)), G(t) = e^{beta t}/beta, and G(t) = t at beta = 0.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, special

from tokenfield import InvalidInput, theory
from tokenfield.theory.harmonics import angles_and_log_weights, harmonics


def nearest(branch: theory.Branch, kappa: float, *, stable: bool = True) -> int:
    """The index of the point nearest to kappa among those (un)stable within the branch's class."""
    candidates = np.flatnonzero((branch.unstable_in_class == 0) == stable)
    candidates = candidates[candidates > 0]
    return int(candidates[np.argmin(np.abs(branch.kappa[candidates] - kappa))])


def circle_state(branch: theory.Branch, index: int, m: int) -> np.ndarray:
    """The density of a point of a branch on m equal angles, with respect to dtheta / 2 pi, mirrored from [0, pi].

    Rebuilt from its logarithm, which is a short cosine series: mu = e^{kappa G * mu}/Z.
    """
    theta, density = branch.density(index)
    k = np.arange(60)
    series = np.linalg.lstsq(np.cos(np.outer(theta, k)), np.log(density), rcond=None)[0]
    return np.exp(np.cos(np.outer(2 * np.pi * np.arange(m) / m, k)) @ series)


def literal_linearization(mu: np.ndarray, beta: float, kappa: float) -> np.ndarray:
    """The matrix of h -> (1/kappa) h'' - (h (G*mu)')' - (mu (G*h)')' on m equal angles, with Fourier derivatives."""
    m = len(mu)
    angles = 2 * np.pi * np.arange(m) / m
    wave = np.fft.fftfreq(m, 1 / m)
    wave[m // 2] = 0  # the sawtooth has no derivative on the grid
    D = np.real(np.fft.ifft(1j * wave[:, None] * np.fft.fft(np.eye(m), axis=0), axis=0))
    cosine = np.cos(angles[:, None] - angles[None, :])
    slope = -np.sin(angles[:, None] - angles[None, :]) * np.exp(beta * cosine) / m  # G'(cos) d cos / d theta
    return D @ D / kappa - D @ np.diag(slope @ mu) - D @ np.diag(mu) @ slope


@pytest.mark.parametrize("d", [2, 3, 8, 1024])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_harmonics_are_orthonormal_eigenfunctions(d, order):
    """int phi_k phi_l = delta and int <grad phi_k, grad phi_l> = k(k+d-2) delta, by the quadrature of the states."""
    if d == 2 and order > 1:
        pytest.skip("the circle has only even and odd functions")
    theta, log_weights = angles_and_log_weights(d, 16, 1e-2, everywhere=False)
    weights = np.exp(log_weights)
    phi, slope = harmonics(theta, d, 12, order)
    energy = (slope * weights) @ slope.T
    if order:
        energy += order * (order + d - 3) * (phi * (weights / np.sin(theta) ** 2)) @ phi.T
    k = order + np.arange(12)
    # (d - 2) log sin loses three digits at d = 1024
    np.testing.assert_allclose((phi * weights) @ phi.T, np.eye(12), atol=1e-11)
    eigenvalues = k * (k + d - 2)
    np.testing.assert_allclose(energy, np.diag(eigenvalues), atol=1e-11 * eigenvalues[-1])


@pytest.mark.parametrize("d", [2, 3, 7, 200])
def test_branch_at_beta_zero_solves_the_scalar_equation(d):
    """r = I_{d/2}(kappa r)/I_{d/2-1}(kappa r), by SciPy's Bessel functions; 11b has the values for d = 2."""
    branch = theory.stationary_branch(0.0, d).value
    r, x = branch.order_parameter[1:], branch.kappa[1:] * branch.order_parameter[1:]
    np.testing.assert_allclose(special.ive(d / 2, x) / special.ive(d / 2 - 1, x), r, rtol=1e-9)
    assert branch.kappa[0] == pytest.approx(d, rel=1e-13) and branch.kappa[-1] == pytest.approx(3 * d)
    assert np.all(np.diff(branch.kappa) > 0) and branch.folds == () and np.all(branch.unstable == 0)
    assert np.all(np.diff(branch.free_energy) < 0)


def test_order_parameters():
    for kappa, expected in {2.5: 0.58971, 3: 0.72416, 4: 0.83146, 8: 0.93015}.items():
        assert float(theory.stationary_order(kappa)) == pytest.approx(expected, abs=6e-6)
    assert float(theory.stationary_order(2.0)) == 0 and float(theory.stationary_order(2.99, d=3)) == 0
    # beta = 1e-9 goes through the general solver, beta = 0 through Bessel functions
    assert float(theory.stationary_order(4.0, 1e-9)) == pytest.approx(0.831462, abs=1e-6)


@pytest.mark.parametrize(("beta", "kappa"), [(1.0, 2.5), (5.0, 0.19), (5.0, 0.5)])
def test_order_parameter_by_iterating_the_density(beta, kappa):
    """mu <- e^{kappa G * mu}/Z on 256 angles, from a Dirac, with the kernel as a plain matrix."""
    angles = 2 * np.pi * np.arange(256) / 256
    G = np.exp(beta * np.cos(angles[:, None] - angles)) / beta
    mu = np.eye(256)[0]
    for _ in range(3000):
        logs = kappa * G @ mu
        mu = np.exp(logs - logs.max())
        mu /= mu.sum()
    assert float(theory.stationary_order(kappa, beta)) == pytest.approx(abs(mu @ np.exp(1j * angles)), abs=1e-10)


def test_order_parameter_where_the_state_is_narrow():
    """The Gaussian limit 1 - (d-1)/(2 kappa e^beta) takes over continuously, and nothing overflows."""
    for d in (2, 64):
        for beta in (3.0, 20.0):
            edge = (1 + beta) * (d - 1) / 1e-5 * np.exp(-beta)  # where the two meet
            inside, outside = (theory.stationary_order(edge * factor, beta, d) for factor in (0.99, 1.01))
            assert (inside.status, outside.status) == ("numerical", "asymptotic")
            widths = [(1 - float(p)) * factor for p, factor in ((inside, 0.99), (outside, 1.01))]
            assert widths[0] == pytest.approx(widths[1], rel=1e-4)  # the next order is 1e-5, with a factor
    assert float(theory.stationary_order(1.0, 1e4, 1024)) == 1.0


@pytest.mark.parametrize(("beta", "degree", "kappa"), [(1.0, 1, 3.0), (5.0, 1, 0.25), (5.0, 2, 0.4)])
def test_rates_and_counts_by_a_literal_linearization_on_the_circle(beta, degree, kappa):
    """The spectrum against all perturbations is that of the literal operator; positive eigenvalues are counted."""
    branch = theory.stationary_branch(beta, degree=degree).value
    index = nearest(branch, kappa)
    at = float(branch.kappa[index])
    matrix = literal_linearization(circle_state(branch, index, 96), beta, at)
    literal = np.sort(np.linalg.eigvals(matrix).real)[::-1]
    even, odd = (branch.growth_rates(index, order=order, count=48) for order in (0, 1))
    found = np.sort(np.concatenate([even, odd]))[::-1]
    # the literal operator has two more zeros: mass and the sawtooth
    literal = np.delete(literal, np.argsort(np.abs(literal))[:2])
    np.testing.assert_allclose(found[:6], literal[:6], rtol=1e-6, atol=1e-7 * np.abs(literal[5]))
    assert int(branch.unstable[index]) == np.sum(literal > 1e-6)
    assert np.abs(odd).min() < 1e-8 * np.abs(even).max()  # the rotation is neutral


def test_the_unstable_half_of_a_branch():
    """Between kappa_1 and the fold the branch has one growing mode, beyond the fold none; the rate vanishes there."""
    branch = theory.stationary_branch(5.0).value
    (fold,) = branch.folds
    turn = int(np.argmin(branch.kappa))
    assert np.all(branch.unstable[1 : turn - 1] == 1) and np.all(branch.unstable[turn + 1 :] == 0)
    assert np.all(branch.unstable_in_class == branch.unstable)
    index = nearest(branch, 0.195, stable=False)
    matrix = literal_linearization(circle_state(branch, index, 96), 5.0, float(branch.kappa[index]))
    assert branch.growth_rates(index)[0] == pytest.approx(np.max(np.linalg.eigvals(matrix).real), rel=1e-6)
    before, after = (branch.growth_rates(i, count=48)[0] for i in (turn - 2, turn + 2))
    assert before > 0 > after
    assert fold <= branch.kappa.min() and branch.kappa[turn] == pytest.approx(fold, rel=0.02)


def test_counts_at_the_uniform_law_are_multiplicities():
    """At kappa_k all harmonics of lower degrees grow: 3 + 5 on S^2 at kappa_3, 8 on S^7 at kappa_2."""
    assert theory.stationary_branch(3.0, 3, degree=3).value.unstable[0] == 8
    assert theory.stationary_branch(4.0, 8, degree=2).value.unstable[0] == 8
    assert theory.stationary_branch(5.0, degree=3).value.unstable[0] == 4


@pytest.mark.parametrize("d", [2, 3, 64])
def test_the_branch_turns_at_the_critical_beta(d):
    """kappa/kappa_1 - 1 ~ c r^2 with c changing sign at beta_*: 2.44692 on the circle; c also in closed form."""
    critical = float(theory.critical_beta(d))
    for factor, sign in ((0.95, 1), (1.05, -1)):
        branch = theory.stationary_branch(factor * critical, d).value
        slope = (branch.kappa[1] / branch.kappa[0] - 1) / branch.order_parameter[1] ** 2
        assert np.sign(slope) == sign
        # the next term is of relative order r^2 / |c|, and |c| is small near beta_*
        closed = float(theory.initial_curvature(factor * critical, d))
        assert slope == pytest.approx(closed, rel=0.05)
        assert bool(branch.folds) == (sign < 0)
    assert float(theory.initial_curvature(critical, d)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("beta", "has_loop"), [(1.0, False), (5.0, True)])
def test_hysteresis_only_beyond_the_critical_beta(beta, has_loop):
    """11c: following kappa down from a concentrated density and up from a nearly uniform one, by plain iteration."""
    low, high = theory.hysteresis_window(beta).value
    angles = 2 * np.pi * np.arange(96) / 96
    G = np.exp(beta * np.cos(angles[:, None] - angles)) / beta

    def follow(mu: np.ndarray, kappas: np.ndarray) -> np.ndarray:
        found = []
        for kappa in kappas:
            mu = mu * (1 + 1e-6 * np.cos(angles))  # enough to leave an unstable state
            for _ in range(4000):
                mu = np.exp(kappa * G @ (mu / mu.sum()))
            found.append(abs(mu @ np.exp(1j * angles)) / mu.sum())
        return np.array(found)

    kappas = np.array([0.98 * low, (low + high) / 2 if has_loop else 0.99 * low, 1.03 * high])
    up = follow(np.ones(96), kappas)
    down = follow(np.exp(20 * np.cos(angles)), kappas[::-1])[::-1]
    assert (low < high) == has_loop
    np.testing.assert_allclose(up[[0, 2]], down[[0, 2]], atol=1e-4)
    assert up[0] < 1e-4 and up[2] > 0.1
    assert (down[1] > 0.5) == has_loop and up[1] < 1e-3


def test_global_transition_by_the_free_energy():
    """kappa_c: F = (1/kappa) int mu log mu - (1/2) iint G mu mu of a converged density equals F of the uniform law."""
    beta, m = 5.0, 192
    angles = 2 * np.pi * np.arange(m) / m
    G = np.exp(beta * np.cos(angles[:, None] - angles)) / beta

    def excess(kappa: float) -> float:
        mu = np.eye(m)[0]
        for _ in range(600):
            logs = kappa * G @ mu
            mu = np.exp(logs - logs.max())
            mu /= mu.sum()
        return float(mu @ np.log(m * mu) / kappa - mu @ G @ mu / 2 + G.mean() / 2)

    expected = optimize.brentq(excess, 0.186, 0.192, xtol=1e-10)
    found = theory.global_transition(beta)
    assert float(found) == pytest.approx(expected, rel=1e-7)
    low, high = theory.hysteresis_window(beta).value
    assert low < float(found) < high
    continuous = theory.global_transition(1.0)
    assert continuous.status == "theorem" and float(continuous) == pytest.approx(1.0 / special.iv(1, 1.0), rel=1e-12)


def test_free_energy_falls_along_the_flow_and_matches_the_branch():
    """The free energy and energy of a point by direct quadrature on S^2 (d = 3), where the weight is ds/2."""
    beta = 3.0
    branch = theory.stationary_branch(beta, 3).value
    index = nearest(branch, 2.0)
    kappa = float(branch.kappa[index])
    theta, density = branch.density(index)
    series = np.polynomial.Legendre.fit(np.cos(theta), np.log(density), 24, domain=[-1, 1])
    s, w = np.polynomial.legendre.leggauss(60)
    mu = np.exp(series(s)) * w / 2
    assert mu.sum() == pytest.approx(1, abs=1e-10)
    ring = np.outer(np.sqrt(1 - s**2), np.sqrt(1 - s**2))
    G = np.exp(beta * np.outer(s, s)) * special.iv(0, beta * ring) / beta  # e^{beta<x,y>} averaged over the azimuth
    mean = np.sinh(beta) / beta**2
    energy = -(mu @ G @ mu - mean) / 2
    assert branch.energy[index] == pytest.approx(energy, rel=1e-9)
    assert branch.free_energy[index] == pytest.approx(mu @ series(s) / kappa + energy, rel=1e-8)
    assert branch.order_parameter[index] == pytest.approx(mu @ s, rel=1e-9)
    np.testing.assert_allclose(kappa * G @ mu - series(s), np.mean(kappa * G @ mu - series(s)), atol=1e-8)


def test_even_degrees_on_spheres_start_two_branches():
    """Degree 2 on S^2 is transcritical: backward to the poles (as in the Maier-Saupe model), forward to the equator."""
    poles, equator = (theory.stationary_branch(3.0, 3, degree=2, sign=sign).value for sign in (1, -1))
    assert poles.kappa[1] < poles.kappa[0] < equator.kappa[1]
    assert poles.order_parameter[-1] > 0.9 and -0.5 < equator.order_parameter[-1] < -0.4
    assert len(poles.folds) == 1 and not equator.folds
    # two antipodal bumps attract each other here: stable in their class, not against all perturbations
    assert poles.unstable_in_class[-1] == 0 and poles.unstable[-1] > 0


def test_a_state_of_a_branch_rests_under_the_flow():
    """One point of the unstable half, beta = 5, solved forward as a literal PDE: it stays, and leaves when pushed."""
    branch = theory.stationary_branch(5.0).value
    index = nearest(branch, 0.19, stable=False)
    kappa, m = float(branch.kappa[index]), 64
    mu = circle_state(branch, index, m)
    angles = 2 * np.pi * np.arange(m) / m
    wave = np.fft.fftfreq(m, 1 / m)
    slope = -np.sin(angles[:, None] - angles) * np.exp(5.0 * np.cos(angles[:, None] - angles)) / m

    def rhs(t: float, u: np.ndarray) -> np.ndarray:
        flux = np.fft.fft(u * (slope @ u))
        return np.real(np.fft.ifft(-(wave**2) * np.fft.fft(u) / kappa - 1j * wave * flux))

    rate = branch.growth_rates(index)[0]
    np.testing.assert_allclose(rhs(0, mu), 0, atol=1e-7)
    time = 1 / rate
    pushed = mu * (1 + 1e-4 * np.cos(angles))
    pushed /= pushed.mean()
    end = integrate.solve_ivp(rhs, (0, time), pushed, rtol=1e-8, atol=1e-10, method="LSODA").y[:, -1]
    assert np.abs(end - mu).max() > 1.5 * np.abs(pushed - mu).max()  # the one growing mode, e times larger by then


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.stationary_branch(-1.0), "beta must be a finite number >= 0"),
        (lambda: theory.stationary_branch(1e4), "beta up to 500"),
        (lambda: theory.stationary_branch(1.0, 1), "whole number >= 2"),
        (lambda: theory.stationary_branch(1.0, degree=0), "degree of a branch"),
        (lambda: theory.stationary_branch(0.0, degree=2), "only degree 1"),
        (lambda: theory.stationary_branch(1.0, sign=0), "sign must be 1 or -1"),
        (lambda: theory.stationary_branch(1.0, kappa_max=1.0), "must be finite and exceed kappa_k"),
        (lambda: theory.stationary_branch(1.0).value.growth_rates(1, order=2), "0 or 1 on the circle"),
        (lambda: theory.stationary_order(0.0), "kappa must be a finite number > 0"),
        (lambda: theory.stationary_order(np.nan, 1.0), "kappa must be a finite number > 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_a_branch_is_plain_data():
    plain = theory.stationary_branch(5.0).to_dict()
    branch = plain["value"]
    assert plain["status"] == "numerical" and branch["dim"] == 2 and len(branch["folds"]) == 1
    assert len(branch["kappa"]) == len(branch["unstable"]) == len(branch["free_energy"])
