"""How the uniform law becomes unstable (arXiv 2410.23228): growth rates, cluster angles and symmetry, from particles.

Unnormalized attention on the circle: mode k of the density grows at the rate k^2 I_k(beta)/beta. (The notebook of the
paper has k^2 I_k(beta)/(pi beta), which its own particles do not obey: THEORY trap 1.)
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import iv

import tokenfield as tkf
from tokenfield import theory

BETA = 5.0
CIRCLE = tkf.Sphere(2)
K_MAX = 3  # at beta = 5


def rate(k: int) -> float:
    return float(k**2 * iv(k, BETA) / BETA)


def rate_of_the_notebook(k: int) -> float:
    return rate(k) / np.pi


def on_circle(theta: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(theta), np.sin(theta)], axis=-1)


def angles_of(x: np.ndarray) -> np.ndarray:
    return np.arctan2(x[..., 1], x[..., 0])


def slope(t: np.ndarray, log: np.ndarray) -> float:
    return float(np.polyfit(t, log, 1)[0])


# --- seeded modes and symmetry: few equispaced tokens -----------------------------------------------------------------

N, TIMES = 48, np.linspace(0.0, 0.6, 13)
MODES = range(1, 7)
SEED, BROKEN = 1e-8, 1e-6


@eqx.filter_jit
def small_flows(x):
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(BETA))

    def one(points):
        return tkf.solve(model, tkf.Measure(points), t1=0.6, method="rk4", step=0.0025, save=TIMES).points

    return jax.vmap(one)(x)


@cache
def small_runs() -> np.ndarray:
    """Angles (8, T, N): tokens with a seeded mode k = 1, ..., 6, then 3-fold symmetric ones, intact and broken."""
    even = 2 * np.pi * np.arange(N) / N
    seeded = [even - SEED / k * np.sin(k * even) for k in MODES]  # density 1 + SEED cos(k theta)
    # nearly equispaced, where asymmetry would grow fastest
    third = even[: N // K_MAX] + 0.02 * np.random.default_rng(0).normal(size=N // K_MAX)
    symmetric = np.concatenate([third + 2 * np.pi * j / K_MAX for j in range(K_MAX)])
    broken = symmetric + BROKEN * (np.arange(N) == 0)
    return angles_of(np.asarray(small_flows(jnp.asarray(on_circle(np.array([*seeded, symmetric, broken]))))))


@pytest.mark.parametrize("k", MODES)
def test_3a_2_seeded_mode_grows_at_its_rate(k):
    """Sums over 48 equispaced tokens are integrals: the next alias, I_42(5), is of size 1e-34."""
    even, early = 2 * np.pi * np.arange(N) / N, (TIMES <= 0.3) & (TIMES > 0)
    moved = np.angle(np.exp(1j * (small_runs()[k - 1] - even)))
    found = slope(TIMES[early], np.log(np.abs(moved @ np.exp(-1j * k * even))[early]))
    # rounding of 1e-16 against displacements of 1e-9, over an interval of 0.25
    assert found == pytest.approx(rate(k), abs=1e-5)
    assert found == pytest.approx(theory.growth_rates(BETA, 2, attention="unnormalized").value[k - 1], abs=1e-5)
    assert found != pytest.approx(rate_of_the_notebook(k), rel=0.5)  # trap 1


def asymmetry(theta: np.ndarray) -> np.ndarray:
    """The largest deviation from 3-fold symmetry at each time."""
    parts = np.exp(1j * theta.reshape(len(TIMES), K_MAX, N // K_MAX))
    turned = parts * np.exp(-2j * np.pi * np.arange(K_MAX) / K_MAX)[:, None]
    return np.abs(turned - turned[:, :1]).max(axis=(1, 2))


def test_3a_6_symmetric_start_stays_symmetric():
    intact, broken = (asymmetry(theta) for theta in small_runs()[-2:])
    # rounding of 1e-16 grows like any perturbation, at most by e^{19 * 0.6} = 1e5
    assert np.all(intact < 1e-11)
    # the tokens have moved all the way to 3 clusters, and asymmetry does grow where there is any
    assert np.abs(np.exp(3j * small_runs()[-2][-1]).mean()) > 0.99
    assert broken.max() > 10 * BROKEN


# --- independent tokens -------------------------------------------------------------------------------------------

BINS, SEEDS = 128, 40
MANY, FEW = 1e12, 20_000
SHOWN = [0.3, 0.5, 0.95]  # the published histogram; 0.2 after the exit times log(sqrt N)/gamma_3 = 0.27 and 0.74


@eqx.filter_jit
def weighted_flows(weights):
    model, x = tkf.Transformer(CIRCLE, tkf.Unnormalized(BETA)), on_circle(2 * np.pi * np.arange(BINS) / BINS)

    def one(w):
        return tkf.solve(model, tkf.Measure(x, w), t1=SHOWN[-1], method="rk4", step=0.0125, save=SHOWN).points

    return jax.vmap(one)(weights)


@cache
def histogram_runs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights (2, SEEDS, BINS), angles (2, SEEDS, 3, BINS), predicted angles (2, SEEDS, 3) for N = FEW and MANY.

    N independent uniform tokens, seen as a histogram: weighted tokens at 128 angles, counts from the multinomial law.
    Direct sums over 2e4 tokens would take 100 times longer; rounding angles to 0.05 changes the modes k < 10, all that
    grow, by less than 1%. For N = 1e12 the counts are normal.
    """
    rng = np.random.default_rng(1)
    few = rng.multinomial(FEW, np.full(BINS, 1 / BINS), size=SEEDS) / FEW
    many = (1 + rng.normal(size=(SEEDS, BINS)) * np.sqrt(BINS / MANY)) / BINS
    w = np.array([few, many])
    x = np.asarray(weighted_flows(jnp.asarray(w.reshape(-1, BINS))))
    start = 2 * np.pi * np.arange(BINS) / BINS
    predicted = np.array([[theory.cluster_angles(start, K_MAX, weights=row).value for row in rows] for rows in w])
    return w, angles_of(x).reshape(2, SEEDS, len(SHOWN), BINS), predicted


def gap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(np.angle(np.exp(1j * (a - b))))


def cluster_errors(which: int, shown: int) -> np.ndarray:
    """(SEEDS,): how far the worst of the three clusters is from where the first modes say."""
    w, theta, predicted = histogram_runs()
    worst = []
    for weights, angles, places in zip(w[which], theta[which, :, shown], predicted[which], strict=True):
        nearest = np.argmin(gap(angles[:, None], places), axis=1)
        centers = np.array([np.angle(np.sum((weights * np.exp(1j * angles))[nearest == j])) for j in range(K_MAX)])
        worst.append(gap(centers, places).max())
    return np.array(worst)


def pattern_errors(which: int, shown: int) -> np.ndarray:
    """(SEEDS,): how far the 3-fold pattern as a whole, arg(muhat_3)/3, has turned from its prediction."""
    w, theta, predicted = histogram_runs()
    modes = np.sum(w[which] * np.exp(3j * theta[which, :, shown]), axis=1)
    return gap(3 * predicted[which][:, 0], np.angle(modes)) / 3


@pytest.mark.slow
def test_3a_4_cluster_angles_of_very_many_tokens():
    """Each cluster within 0.1 of its predicted angle in 80% of the seeds, at N = 1e12 (measured: 95% of 40 seeds)."""
    assert np.mean(cluster_errors(1, 2) < 0.1) >= 0.8
    # the control: a pattern turned by half its period
    w, theta, predicted = histogram_runs()
    modes = np.sum(w[1] * np.exp(3j * theta[1, :, 2]), axis=1)
    assert np.all(gap(3 * (predicted[1][:, 0] + np.pi / 3), np.angle(modes)) > 1)


@pytest.mark.slow
def test_3a_4_at_2e4_tokens_the_pattern_is_predicted_and_single_clusters_are_not():
    """A finding: at the published N = 2e4 the prediction holds for the pattern (arg muhat_3), not for each cluster.

    Modes 2 and 4 grow at 14.0 and 16.3 against 18.6 of mode 3. When mode 3 reaches order one after log(sqrt N)/18.6
    = 0.27, it has gained a factor of 1.9 on mode 4, and clusters are displaced by about 0.1. This improves like
    N^{-0.06} only, so that single clusters need N of order 1e12. Measured: 87% of 40 seeds for the pattern at the time
    of the published histogram, 15% for all three clusters.
    """
    assert np.mean(pattern_errors(0, 0) < 0.1) >= 0.8
    assert np.mean(cluster_errors(0, 1) < 0.1) < 0.5
    assert np.median(cluster_errors(0, 1)) > 3 * np.median(cluster_errors(1, 2))


# --- the sphere S^2 ------------------------------------------------------------------------------------------------

SPHERE_BETA, POINTS, AMPLITUDE = 4.0, 700, 0.02
SPHERE_RATES = [2.5607, 4.4721, 4.1841, 2.7035]
SPHERE_TIMES = np.linspace(0.0, 0.3, 7)


@eqx.filter_jit
def sphere_flows(x):
    model = tkf.Transformer(tkf.Sphere(3), tkf.Unnormalized(SPHERE_BETA))

    def one(points):
        run = tkf.solve(model, tkf.Measure(points), t1=0.3, method="rk4", step=0.05, save=SPHERE_TIMES)
        cosines = jnp.einsum("tid,tjd->tij", run.points, run.points)
        # Legendre polynomials P_1, ..., P_4, averaged over pairs
        c2 = cosines**2
        legendre = cosines, (3 * c2 - 1) / 2, (5 * c2 - 3) * cosines / 2, (35 * c2**2 - 30 * c2 + 3) / 8
        return jnp.stack([jnp.mean(P, axis=(1, 2)) for P in legendre])

    return jax.lax.map(one, x)


@pytest.mark.slow
def test_3a_5_growth_of_each_degree_on_the_sphere():
    """Half the slope of log P_k, from a lattice of 700 points with one seeded harmonic (turned at random), to 2%.

    The lattice alone has P_k < 1e-9; seeds of 0.02 have P_k > 5e-6 and stay small enough for quadratic terms of 1%.
    """
    starts = [
        tkf.initial.perturbed_uniform(tkf.Sphere(3), POINTS, degree=k, amplitude=AMPLITUDE, seed=k).points
        for k in (1, 2, 3, 4)
    ]
    P = np.asarray(sphere_flows(jnp.stack(starts)))
    expected = theory.growth_rates(SPHERE_BETA, 3, count=4, attention="unnormalized").value
    np.testing.assert_allclose(expected, SPHERE_RATES, atol=5e-5)  # the table has four decimals
    found = np.array([slope(SPHERE_TIMES, np.log(P[k, k])) / 2 for k in range(4)])
    np.testing.assert_allclose(found, expected, rtol=0.02)
    assert np.all(np.abs(found - np.roll(expected, 1)) > 0.05 * expected)  # the control: the rate of another degree
