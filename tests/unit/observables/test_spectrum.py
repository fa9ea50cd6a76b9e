"""Harmonic spectra and modes of densities against literal sums, closed forms and known mixtures."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import eval_gegenbauer, eval_legendre, ive

import tokenfield as tkf
from tokenfield import InvalidInput, Measure
from tokenfield.observables import density_modes, fourier_coefficients, harmonic_spectrum, kde_modes

CIRCLE, BALL = tkf.Sphere(2), tkf.Sphere(3)
EXACT = 1e-13  # rounding of sums of weights of total 1, and of recurrences over 64 degrees
N = 207  # four blocks at degree 64, the last one filled up; also the size of a quadrature of 9 x 23 nodes
assert_close = functools.partial(np.testing.assert_allclose, rtol=0, atol=EXACT)


def cloud(d: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) + 0.3
    w = rng.uniform(0.2, 1.0, n)
    return x / np.linalg.norm(x, axis=1, keepdims=True), w / w.sum()


def on_circle(theta: np.ndarray, weights: np.ndarray | None = None) -> Measure:
    return Measure(np.stack([np.cos(theta), np.sin(theta)], axis=1), weights, geometry=CIRCLE)


# --- spectra ----------------------------------------------------------------------------------------------------------


def test_fourier_coefficients_are_literal_sums():
    """Over three blocks, the last one filled up, for degrees of both signs and out of order."""
    rng = np.random.default_rng(0)
    theta, w = rng.vonmises(1.0, 0.5, 20_000), rng.uniform(0.2, 1, 20_000)
    w /= w.sum()
    degrees = [3, -2, 0, 64, 1]
    expected = [np.sum(w * np.exp(-1j * k * theta)) for k in degrees]
    mu = on_circle(theta, w)
    assert_close(fourier_coefficients(mu, degrees), expected)
    found = harmonic_spectrum(mu, [3, 0, 64])
    assert_close(found, np.abs(np.array(expected)[[0, 2, 3]]) ** 2)


def test_spectrum_on_the_sphere_is_the_double_sum_of_legendre_polynomials():
    """Three tokens are at or near the poles."""
    x, w = cloud(3, N)
    x[:3] = [[0, 0, 1], [0, 0, -1], [1e-9, 0, 1]]
    degrees = [0, 1, 2, 17, 64, 5]
    expected = [w @ eval_legendre(k, np.clip(x @ x.T, -1, 1)) @ w for k in degrees]
    assert_close(harmonic_spectrum(Measure(x, w), degrees), expected)


def test_spectrum_in_five_dimensions_is_the_double_sum_of_gegenbauer_polynomials():
    x, w = cloud(5, 30)
    expected = [w @ eval_gegenbauer(k, 1.5, x @ x.T) @ w / eval_gegenbauer(k, 1.5, 1.0) for k in (1, 2, 6)]
    assert_close(harmonic_spectrum(Measure(x, w), [1, 2, 6]), expected)


@pytest.mark.parametrize("d", [2, 3])
def test_a_dirac_has_power_one_in_every_degree_and_rotations_keep_the_power(d):
    degrees = range(65)
    x, w = cloud(d, N, seed=1)
    turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(d, d)))
    dirac = harmonic_spectrum(Measure(np.repeat(x[:1], N, axis=0)), degrees)
    assert_close(dirac, 1.0)
    before, after = (harmonic_spectrum(Measure(z, w), degrees) for z in (x, x @ turn.T))
    assert_close(before, after)
    assert np.all(before[1:] < 0.9)  # not all ones


def test_the_uniform_law_has_no_power():
    """As a quadrature that is exact for products of harmonics: powers are squares of rounding, not its first order."""
    circle = harmonic_spectrum(on_circle(2 * np.pi * np.arange(N) / N), range(1, 65))
    z, weights = np.polynomial.legendre.leggauss(9)
    phi = 2 * np.pi * np.arange(23) / 23
    r = np.sqrt(1 - z**2)
    x = np.stack([np.outer(r, np.cos(phi)), np.outer(r, np.sin(phi)), np.outer(z, np.ones(23))], axis=-1)
    sphere = harmonic_spectrum(Measure(x.reshape(-1, 3), np.repeat(weights, 23)), range(65))
    assert np.max(circle) < 1e-28
    assert np.max(sphere[1:18]) < 1e-28
    assert float(sphere[0]) == pytest.approx(1.0)
    assert np.max(sphere[18:]) > 1e-3  # beyond what 9 x 23 nodes integrate


@pytest.mark.slow
def test_spectra_inside_a_run():
    x, w = cloud(3, 6)
    save = tkf.Save(times=2, observables={"power": lambda mu: harmonic_spectrum(mu, [1, 2])})
    run = tkf.solve(tkf.Transformer(BALL, tkf.Softmax(beta=1.0)), Measure(x, w), t1=0.1, save=save)
    powers = np.asarray(run.observables["power"])
    assert powers.shape == (2, 2)
    assert_close(powers[0], harmonic_spectrum(Measure(x, w), [1, 2]))
    assert powers[1, 0] > powers[0, 0]  # tokens attract each other


# --- modes ------------------------------------------------------------------------------------------------------------

GRID = 2 * np.pi * np.arange(256) / 256
MIXTURE = [(0.5, 0.1, 30.0), (0.3, 2.0, 20.0), (0.2, 4.5, 10.0)]  # masses, angles, concentrations


def mixture(theta: np.ndarray, derivative: int = 0) -> np.ndarray:
    """A mixture of von Mises laws, relative to the uniform law, or its derivative."""
    total = np.zeros_like(theta)
    for mass, angle, beta in MIXTURE:
        bump = mass * np.exp(beta * (np.cos(theta - angle) - 1)) / ive(0, beta)
        total += bump * (-beta * np.sin(theta - angle) if derivative else 1.0)
    return total


@pytest.mark.parametrize("turn", [0, 5, 200])
def test_modes_of_a_mixture(turn):
    """Angles are zeros of the derivative to rounding; masses those of the components, which hardly overlap."""
    modes = density_modes(np.roll(mixture(GRID), turn))
    exact = [brentq(lambda t: mixture(np.array([t]), 1)[0], angle - 0.1, angle + 0.1) for _, angle, _ in MIXTURE]
    shifted = np.mod(np.array(exact) + 2 * np.pi * turn / 256, 2 * np.pi)
    order = np.argsort(shifted)
    assert modes.count == 3
    np.testing.assert_allclose(modes.angles, shifted[order], atol=1e-10)
    np.testing.assert_allclose(modes.heights, mixture(np.array(exact))[order], rtol=1e-10)
    # the tail of the widest component beyond its valley is below 1 %
    np.testing.assert_allclose(modes.masses, np.array([0.5, 0.3, 0.2])[order], atol=0.01)
    assert np.sum(modes.masses) == pytest.approx(1.0, abs=1e-14)


def test_masses_between_valleys():
    """Two equal overlapping halves, by symmetry 1/2 each; and a cut in the middle of a node counts half of it."""
    modes = density_modes(2.0 + np.cos(2 * GRID))
    np.testing.assert_allclose(modes.masses, [0.5, 0.5], atol=1e-14)
    np.testing.assert_allclose(density_modes([3.0, 1.0, 2.0, 1.0]).masses, [4 / 7, 3 / 7], atol=1e-14)


def test_prominence():
    ripple = 1 + 0.004 * np.cos(5 * GRID)
    assert density_modes(ripple).count == 0
    assert density_modes(ripple, prominence=0.005).count == 5
    assert density_modes(np.ones(64)).count == 0
    noise = 1 + 1e-13 * np.random.default_rng(0).normal(size=64)
    assert density_modes(noise, prominence=0.0).count == 0  # rounding is no mode, whatever the threshold
    # a shoulder bump on a slope counts by its own descent of 0.02 (of 1.0), not by its height
    bumps = np.interp(np.arange(64), [0, 10, 20, 24, 40, 63], [0.1, 1.0, 0.5, 0.52, 0.2, 0.1])
    assert [density_modes(bumps, prominence=q).count for q in (0.01, 0.03)] == [2, 1]
    # twin summits of exactly one height, parted by rounding only, are one mode; parted by more, two
    twins = lambda dip: np.array([0.0, 0.5, 1.0, 1.0 - dip, 1.0, 0.5])  # noqa: E731
    assert [density_modes(twins(dip)).count for dip in (1e-15, 0.005, 0.5)] == [1, 1, 2]
    # all mass in one cell
    spike = density_modes(np.where(np.arange(64) == 63, 64.0, 0.0))
    assert (spike.count, spike.masses.tolist()) == (1, [1.0])
    assert spike.angles[0] == pytest.approx(2 * np.pi * 63 / 64)


@pytest.mark.parametrize("beta", [2.0, 400.0])
def test_two_tokens_part_at_the_known_angle(beta):
    """At +-delta there is one mode iff the second derivative at 0 is negative: beta sin^2 delta <= cos delta."""
    critical = brentq(lambda delta: beta * np.sin(delta) ** 2 - np.cos(delta), 1e-6, np.pi / 2)
    counts = [kde_modes(on_circle(np.array([-q, q]) * critical), CIRCLE, beta).count for q in (0.98, 1.02)]
    assert counts == [1, 2]


def test_kde_modes_of_many_tokens():
    """Against signs of the differences of the literal sum on a fine grid."""
    rng = np.random.default_rng(0)
    beta, theta, w = 60.0, rng.uniform(0, 2 * np.pi, 40), rng.uniform(0.5, 1, 40)
    fine = 2 * np.pi * np.arange(20_000) / 20_000
    w /= w.sum()
    f = sum(w_j * np.exp(beta * (np.cos(fine - t) - 1)) for w_j, t in zip(w, theta, strict=True)) / ive(0, beta)
    tops = np.flatnonzero((f > np.roll(f, 1)) & (f > np.roll(f, -1)))
    lows = np.flatnonzero((f < np.roll(f, 1)) & (f < np.roll(f, -1)))
    modes = kde_modes(on_circle(theta, w), CIRCLE, beta)
    assert modes.count == len(tops) > 5
    np.testing.assert_allclose(modes.angles, fine[tops], atol=2e-4)  # the step of the fine grid is 3e-4
    np.testing.assert_allclose(modes.heights, f[tops], rtol=1e-6)
    ends = np.concatenate([lows[lows > tops[0]], lows[lows < tops[0]]])
    bounds = zip(np.roll(ends, 1), ends, strict=True)
    masses = [np.sum(f[np.arange(a, a + (b - a) % 20_000) % 20_000]) for a, b in bounds]
    # valleys are looked for on a grid of step 0.004; a valley is some 0.2 high against a mean of 1
    np.testing.assert_allclose(modes.masses, np.array(masses) / np.sum(f), atol=2e-3)
    assert kde_modes(on_circle(theta, w), CIRCLE, beta, prominence=0.5).count < modes.count


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: harmonic_spectrum(Measure(np.eye(3)), [2, -1]), "must be >= 0"),
        (lambda: harmonic_spectrum(Measure([[1.0]]), [1]), "d >= 2"),
        (lambda: fourier_coefficients(Measure(np.eye(3)), [1]), "d = 3"),
        (lambda: density_modes([1.0, 2.0, 1.0]), "at least 4"),
        (lambda: density_modes([1.0, 2.0, np.nan, 1.0]), "finite"),
        (lambda: density_modes(np.ones(8), prominence=1.5), "between 0 and 1"),
        (lambda: kde_modes(Measure(np.eye(3)), BALL, 1.0), r"Sphere\(2\)"),
        (lambda: kde_modes(Measure(np.eye(2)), CIRCLE, 0.0), "beta must be positive"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
