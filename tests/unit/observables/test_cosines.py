"""Pair cosines and harmonic spectra against literal double loops and SciPy's polynomials."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.special import eval_gegenbauer, eval_legendre

from tokenfield import InvalidInput, Measure, Softmax, Sphere, Transformer, solve
from tokenfield.observables import (
    cosines,
    fourier_coefficients,
    harmonic_spectrum,
    histogram,
    mean_cosine,
    pair_cosine_histogram,
    pair_cosine_histograms,
    smallest_cosine,
)
from tokenfield.observables.cosines import COLUMNS
from tokenfield.observables.histogram import ROWS

DEGREES = [0, 1, 2, 3, 7, 20]
# sums of n^2 terms of size at most 1 with weights summing to 1; the recurrence loses less than a digit per decade of k
EXACT = 1e-13


def tokens(n, d, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    w = rng.uniform(0.2, 1.0, size=n)
    return x / np.linalg.norm(x, axis=1, keepdims=True), w / w.sum()


def literal_pairs(x, w):
    """Cosines and weights of all ordered pairs i != j."""
    pairs = [(x[i] @ x[j], w[i] * w[j]) for i in range(len(x)) for j in range(len(x)) if i != j]
    return np.array([c for c, _ in pairs]), np.array([m for _, m in pairs])


def test_histograms_of_a_run_are_those_of_its_times():
    x, w = tokens(12, 3, seed=9)
    run = solve(Transformer(Sphere(3), Softmax(1.0)), Measure(x, w), t1=1.0, method="euler", step=0.5, save=3)
    found = pair_cosine_histograms(run, bins=10)
    for k in range(3):
        alone = pair_cosine_histogram(run.measure(k), bins=10)
        np.testing.assert_allclose(found.density[k], alone.density, rtol=1e-12)
        np.testing.assert_array_equal(found.edges, alone.edges)
    assert found.pairs is None and not np.any(found.error)
    # random pairs stand for all, the same at all times
    few = pair_cosine_histograms(run, bins=10, pairs=50, seed=1)
    alone = pair_cosine_histogram(run.measure(-1), bins=10, pairs=50, seed=1)
    assert few.pairs == alone.pairs == 50
    np.testing.assert_array_equal(few.density[-1], alone.density)
    np.testing.assert_array_equal(few.error[-1], alone.error)
    other = pair_cosine_histograms(run, bins=10, pairs=50, seed=jax.random.key(2))
    assert not np.array_equal(other.density, few.density)


@pytest.mark.parametrize("weighted", [False, True])
def test_random_pairs_are_right_within_their_error(weighted):
    x, w = tokens(9, 3, seed=10)
    w = w**3 / np.sum(w**3) if weighted else np.full(9, 1 / 9)
    exact = pair_cosine_histogram(Measure(x, w), bins=5)
    found = pair_cosine_histogram(Measure(x, w), bins=5, pairs=300_000, seed=3)
    assert np.all(np.abs(found.density - exact.density) <= 4 * found.error)  # of 5 bins, one in 3000 seeds would fail
    assert 0 < np.max(found.error) < 3e-3  # sqrt(1 / 4 / 300000) over the width 0.4


def test_the_error_of_random_pairs_is_honest():
    """Over ten seeds, the share of bins within one and two standard errors is that of a normal law."""
    x, w = tokens(300, 3, seed=11)
    mu = Measure(x, w)
    exact = pair_cosine_histogram(mu).density

    def off(pairs):
        found = [pair_cosine_histogram(mu, pairs=pairs, seed=seed) for seed in range(10)]
        return np.stack([np.abs(one.density - exact) / one.error for one in found])

    # 2000 bins: the shares scatter by 0.010 and 0.005
    assert abs(np.mean(off(20_000) < 1) - 0.683) < 0.04 and abs(np.mean(off(20_000) < 2) - 0.954) < 0.02
    # less than one pair for each bin: an empty one does not claim to be exact
    assert np.mean(off(100) < 2) > 0.9


@pytest.mark.parametrize("weighted", [False, True])
def test_sorted_angles_count_what_all_pairs_do(weighted, monkeypatch):
    x, w = tokens(300, 2, seed=11)
    x[:40], x[40:50] = x[0], -x[0]  # a cluster, and its antipode
    mu = Measure(x, w if weighted else None)
    exact = pair_cosine_histogram(mu, bins=30)
    monkeypatch.setattr(histogram, "MOST_TOKENS", 100)
    found = pair_cosine_histogram(mu, bins=30)
    assert found.pairs is None
    # sums of 300 differences of partial sums of size 1, over a width of 1/15
    np.testing.assert_allclose(found.density, exact.density, atol=1e-12)
    # a token at the origin has no angle: then pairs are drawn; so they are in other dimensions
    assert pair_cosine_histogram(Measure(np.vstack([x, [[0.0, 0.0]]])), bins=3).pairs == histogram.PAIRS


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [7, ROWS + 30])
def test_histogram_of_distinct_pairs(n, weighted):
    x, w = tokens(n, 3, seed=0)
    w = w if weighted else np.full(n, 1 / n)
    cosines, masses = literal_pairs(x, w)
    expected, edges = np.histogram(cosines, bins=50, range=(-1, 1), weights=masses, density=True)
    result = pair_cosine_histogram(Measure(x, w), bins=50)
    np.testing.assert_allclose(result.edges, edges, atol=1e-15)
    np.testing.assert_allclose(result.density, expected, rtol=1e-11, atol=1e-12)


def test_histogram_puts_consensus_in_the_last_bin_and_needs_a_pair():
    result = pair_cosine_histogram(Measure(np.tile([[0.6, 0.8]], (5, 1))), bins=10)
    np.testing.assert_allclose(result.density, [0.0] * 9 + [5.0])
    with pytest.raises(InvalidInput, match="two tokens"):
        pair_cosine_histogram(Measure([[1.0, 0.0]]))
    with pytest.raises(InvalidInput, match="bin"):
        pair_cosine_histogram(Measure(np.eye(2)), bins=0)


@pytest.mark.parametrize("n", [2, 13, COLUMNS + 200])
def test_smallest_and_mean_cosine(n):
    x, w = tokens(n, 3, seed=1)
    gram = x @ x.T
    off = ~np.eye(n, dtype=bool)
    mu = Measure(x, w)
    assert float(smallest_cosine(mu)) == pytest.approx(gram[off].min(), abs=1e-15)
    expected = np.sum(np.outer(w, w)[off] * gram[off]) / np.sum(np.outer(w, w)[off])
    assert float(jax.jit(mean_cosine)(mu)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("spread", [1.0, 1e-2, 0.0])
def test_smallest_cosine_of_many_tokens(d, spread, monkeypatch):
    rng = np.random.default_rng(12)
    monkeypatch.setattr(cosines, "FEW_TOKENS", 100)
    centers = tokens(3, d, seed=13)[0] if spread < 1 else np.zeros((1, d))
    x = centers[rng.integers(len(centers), size=900)] + max(spread, 1e-15) * rng.normal(size=(900, d))
    u = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert float(smallest_cosine(Measure(u))) == pytest.approx(np.min(u @ u.T), abs=1.1e-14)  # as its docstring says
    u[::2] *= -1
    assert float(smallest_cosine(Measure(u))) == pytest.approx(np.min(u @ u.T), abs=1.1e-14)
    # all within a right angle, and one more token at the origin: 0 is the smallest
    u = np.abs(u)
    assert float(smallest_cosine(Measure(u))) == pytest.approx(np.min(u @ u.T), abs=1.1e-14)
    assert np.min(u @ u.T) > 0
    assert float(smallest_cosine(Measure(np.vstack([u, np.zeros(d)])))) == 0


def test_cosines_of_points_in_space_are_those_of_their_directions():
    mu = Measure([[2.0, 0.0], [0.0, 3.0], [-1.0, -1.0], [0.0, 0.0]])
    assert float(jax.jit(smallest_cosine)(mu)) == pytest.approx(-np.sqrt(0.5))
    # six pairs: 0, two of -1/sqrt 2, and three with the origin
    assert float(jax.jit(mean_cosine)(mu)) == pytest.approx(-2 * np.sqrt(0.5) / 6)


def test_a_single_token_agrees_with_itself():
    mu = Measure([[0.0, 1.0]])
    assert float(jax.jit(smallest_cosine)(mu)) == 1.0
    assert float(jax.jit(mean_cosine)(mu)) == 1.0


def test_circle_modes_and_power_on_the_circle():
    x, w = tokens(40, 2, seed=2)
    theta = np.arctan2(x[:, 1], x[:, 0])
    degrees = [-2, *DEGREES]
    expected = np.array([np.sum(w * np.exp(-1j * k * theta)) for k in degrees])
    both = jax.jit(lambda mu: (fourier_coefficients(mu, degrees), harmonic_spectrum(mu, DEGREES)))
    modes, power = both(Measure(x, w))
    np.testing.assert_allclose(modes, expected, atol=EXACT)
    np.testing.assert_allclose(power, np.abs(expected[1:]) ** 2, atol=EXACT)
    with pytest.raises(InvalidInput, match="d = 3"):
        fourier_coefficients(Measure(np.eye(3)), [1])


@pytest.mark.parametrize(
    ("d", "polynomial"),
    [
        (2, lambda k, c: np.cos(k * np.arccos(np.clip(c, -1, 1)))),
        (3, eval_legendre),
        (8, lambda k, c: eval_gegenbauer(k, 3.0, c) / eval_gegenbauer(k, 3.0, 1.0)),
    ],
)
def test_degree_power_is_the_double_integral_of_the_polynomial(d, polynomial):
    x, w = tokens(30, d, seed=3)
    gram = np.clip(x @ x.T, -1, 1)
    expected = [w @ polynomial(k, gram) @ w for k in DEGREES]
    # arccos near 1 loses half the digits in the literal form of d = 2; the powers themselves are O(0.1)
    tolerance = 1e-7 if d == 2 else EXACT
    np.testing.assert_allclose(harmonic_spectrum(Measure(x, w), DEGREES), expected, atol=tolerance)


def test_degree_power_over_many_tiles():
    x, w = tokens(COLUMNS + 300, 3, seed=4)
    gram = np.clip(x @ x.T, -1, 1)
    expected = [w @ eval_legendre(k, gram) @ w for k in (5, 1)]
    np.testing.assert_allclose(harmonic_spectrum(Measure(x, w), [5, 1]), expected, atol=EXACT)


@pytest.mark.parametrize("d", [2, 3, 5, 64])
def test_power_of_a_dirac_is_one_up_to_high_degree(d):
    x, _ = tokens(1, d, seed=5)
    # each step of the recurrence adds a rounding error of 1e-16
    np.testing.assert_allclose(harmonic_spectrum(Measure(x), range(201)), 1.0, atol=1e-11)


def test_degree_power_refuses_negative_degrees():
    with pytest.raises(InvalidInput, match=">= 0"):
        harmonic_spectrum(Measure(np.eye(3)), [2, -1])


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_smallest_cosine_in_the_plane_looks_at_all_pairs(n):
    """Sorted, not pair by pair: with equal tokens, opposite ones, a gap at the angle pi, and a zero vector."""
    found = jax.jit(lambda x: smallest_cosine(Measure(x)))
    x, _ = tokens(n, 2, seed=n)
    clouds = {"anywhere": x, "a cluster": x * 0.1 + np.array([-1.0, 0.0]), "equal": np.tile(x[:1], (n, 1))}
    clouds["opposite"] = np.concatenate([x[: n // 2], -x[: n - n // 2]])
    clouds["with zeros"] = np.where(np.arange(n)[:, None] % 3 == 1, 0.0, np.abs(x))
    for name, cloud in clouds.items():
        norms = np.linalg.norm(cloud, axis=1, keepdims=True)
        u = cloud / np.where(norms > 0, norms, 1.0)
        assert abs(float(found(cloud)) - np.min(u @ u.T)) < 1e-15, name
