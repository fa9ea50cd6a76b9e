"""Initial laws: exact moments, symmetry, reproducibility, and every message that a wrong input can cause."""

import inspect
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special, stats

from tokenfield import Euclidean, InvalidInput, Sphere, initial

SIGMAS = 4.5  # a deviation of 4.5 standard errors has probability 7e-6: a failure is a bug, not bad luck


def assert_mean(sample, expected):
    """The mean of a sample agrees with what theory says, in units of its own standard error."""
    sample = np.asarray(sample)
    error = sample.std(axis=0, ddof=1) / math.sqrt(len(sample))
    assert np.all(np.abs(sample.mean(axis=0) - expected) <= SIGMAS * error)


def legendre_power(points, degree):
    return special.eval_legendre(degree, np.clip(points @ points.T, -1, 1)).mean()


def circle_power(points, degree):
    return abs(np.mean((points[:, 0] - 1j * points[:, 1]) ** degree)) ** 2


RANDOM = {
    "uniform": (Sphere(3), {}),
    "von_mises_fisher": (Sphere(3), {"mean": [0, 0, 1], "concentration": 3.0}),
    "vmf_mixture": (Sphere(3), {"means": np.eye(3), "concentrations": 3.0}),
    "cap": (Sphere(3), {}),
    "gaussian": (Euclidean(3), {}),
    "box": (Euclidean(3), {}),
    "symmetric": (Sphere(3), {"folds": 3}),
    "perturbed_uniform": (Sphere(3), {"degree": 2, "amplitude": 0.1}),
}


def test_registry_holds_the_laws_under_their_names():
    assert set(RANDOM) | {"frame", "simplex", "quasi_uniform"} == set(initial.LAWS)
    for name, law in initial.LAWS.items():
        assert law is getattr(initial, name)
        assert next(iter(inspect.signature(law).parameters)) == "geometry"


@pytest.mark.slow
@pytest.mark.parametrize("name", RANDOM)
def test_same_seed_same_points_and_int_agrees_with_key(name):
    geometry, options = RANDOM[name]

    def points(seed):
        return np.asarray(initial.LAWS[name](geometry, 12, seed=seed, **options).points)

    first = points(7)
    np.testing.assert_array_equal(first, points(7))
    np.testing.assert_array_equal(first, points(np.int64(7)))
    np.testing.assert_array_equal(first, points(jax.random.key(7)))
    np.testing.assert_array_equal(first, points(jax.random.PRNGKey(7)))
    assert np.abs(first - points(8)).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", RANDOM)
def test_laws_work_under_vmap_over_seeds(name):
    geometry, options = RANDOM[name]
    law = initial.LAWS[name]
    batch = jax.vmap(lambda seed: law(geometry, 12, seed=seed, **options).points)(jnp.arange(3))
    for seed in range(3):
        np.testing.assert_allclose(batch[seed], law(geometry, 12, seed=seed, **options).points, atol=1e-14)


@pytest.mark.parametrize("name", [name for name in RANDOM if name != "perturbed_uniform"])
def test_seed_is_required(name):
    geometry, options = RANDOM[name]
    with pytest.raises(TypeError, match="seed"):
        initial.LAWS[name](geometry, 6, **options)


@pytest.mark.parametrize("seed", [1.5, True, "zero", None, jnp.arange(3), np.zeros(2), 2**70])
def test_wrong_seed(seed):
    with pytest.raises(InvalidInput, match="seed must"):
        initial.uniform(Sphere(3), 4, seed=seed)


@pytest.mark.parametrize(("n", "message"), [(0, "n must be at least 1, got 0"), (-3, "got -3"), (2.5, "whole number")])
@pytest.mark.parametrize("name", initial.LAWS)
def test_wrong_count(name, n, message):
    geometry, options = RANDOM.get(name, (Sphere(3), None))
    options = {} if options is None else {**options, "seed": 0}
    with pytest.raises(InvalidInput, match=message):
        initial.LAWS[name](geometry, n, **options)


# --- the sphere ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 8])
def test_uniform_moments(d):
    x = np.asarray(initial.uniform(Sphere(d), 20_000, seed=1).points)
    assert_mean(x, 0.0)
    assert_mean(x[:, 0] ** 2, 1 / d)
    assert_mean(x[:, 0] ** 4, 3 / (d * (d + 2)))


@pytest.mark.slow
@pytest.mark.parametrize("kappa", [0.0, 0.3, 5.0, 100.0, 1e4])
@pytest.mark.parametrize("d", [2, 3, 16])
def test_von_mises_fisher_moments(d, kappa):
    mean = np.arange(1.0, d + 1) * (-1) ** np.arange(d)
    unit = mean / np.linalg.norm(mean)
    x = np.asarray(initial.von_mises_fisher(Sphere(d), 10_000, mean=mean, concentration=kappa, seed=2).points)
    # E <m, x> = A_d(kappa) = I_{d/2}(kappa) / I_{d/2-1}(kappa); E <m, x>^2 = 1 - (d - 1) A_d / kappa
    ratio = special.ive(d / 2, kappa) / special.ive(d / 2 - 1, kappa) if kappa else 0.0
    square = 1 - (d - 1) * ratio / kappa if kappa else 1 / d
    cosines = x @ unit
    assert_mean(1 - cosines, 1 - ratio)
    assert_mean(1 - cosines**2, 1 - square)
    # the directions around the mean are uniform: each coordinate orthogonal to it has mean 0 and its share of the rest
    side = np.linalg.svd(unit[None])[2][1]
    assert_mean(x @ side, 0.0)
    assert_mean((x @ side) ** 2, (1 - square) / (d - 1))


@pytest.mark.slow
def test_von_mises_fisher_law_on_the_sphere_is_the_closed_form():
    kappa = 4.0
    x = np.asarray(initial.von_mises_fisher(Sphere(3), 10_000, mean=[0, 0, -1], concentration=kappa, seed=3).points)
    cdf = lambda w: np.expm1(kappa * (w + 1)) / np.expm1(2 * kappa)  # noqa: E731
    assert stats.kstest(-x[:, 2], cdf).pvalue > 1e-5


def test_von_mises_fisher_narrow_law_keeps_its_digits():
    # At concentration 1e12 angles are 1e-6: forming them from cosines near 1 would leave 4 digits. Compare with the
    # limit: kappa |x - m|^2 is chi-squared with d - 1 degrees of freedom, up to 1/kappa.
    x = np.asarray(initial.von_mises_fisher(Sphere(3), 10_000, mean=[1, 0, 0], concentration=1e12, seed=4).points)
    squares = 1e12 * np.sum(x[:, 1:] ** 2, axis=1)
    assert_mean(squares, 2.0)
    assert stats.kstest(squares, stats.chi2(2).cdf).pvalue > 1e-5
    assert len(np.unique(squares)) == len(squares)


def test_mixture_masses_and_concentrations_go_with_their_means():
    means = [[1, 0, 0], [0, 0, -2.0]]
    mu = initial.vmf_mixture(Sphere(3), 10_000, means=means, concentrations=[1e4, 50.0], masses=[1.0, 3.0], seed=5)
    x = np.asarray(mu.points)
    is_first = x[:, 0] > 0.9
    assert_mean(is_first, 0.25)
    for group, m, kappa in ((x[is_first], [1, 0, 0], 1e4), (x[~is_first], [0, 0, -1], 50.0)):
        assert_mean(group @ np.array(m), special.ive(1.5, kappa) / special.ive(0.5, kappa))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"means": [[0, 0, 0]], "concentrations": 1.0}, "zero vector"),
        ({"means": [[0, 1]], "concentrations": 1.0}, r"length 3, got an array of shape \(1, 2\)"),
        ({"means": np.zeros((0, 3)), "concentrations": 1.0}, "length 3"),
        ({"means": [[0, math.nan, 1]], "concentrations": 1.0}, "directions must be finite"),
        ({"means": [["a", "b", "c"]], "concentrations": 1.0}, "means must be an array of numbers"),
        ({"means": np.eye(3), "concentrations": -1.0}, "concentrations must be >= 0, got -1"),
        ({"means": np.eye(3), "concentrations": math.inf}, "concentrations must be finite"),
        ({"means": np.eye(3), "concentrations": [1, 2]}, r"concentrations must be one number or have shape \(3,\)"),
        ({"means": np.eye(3), "concentrations": 1.0, "masses": [1, 0, 1]}, "masses must be positive"),
        ({"means": np.eye(3), "concentrations": 1.0, "masses": [1, 1]}, "masses must be one number"),
    ],
)
def test_wrong_mixtures(options, message):
    with pytest.raises(InvalidInput, match=message):
        initial.vmf_mixture(Sphere(3), 4, seed=0, **options)


@pytest.mark.slow
@pytest.mark.parametrize("angle", [0.05, math.pi / 2, 2.5, math.pi])
@pytest.mark.parametrize("d", [2, 3, 6, 40])
def test_cap_is_uniform(d, angle):
    center = np.ones(d)
    x = np.asarray(initial.cap(Sphere(d), 5000, center=center, angle=angle, seed=6).points)
    angles = np.asarray(Sphere(d).distance(x, center / math.sqrt(d)))
    assert angles.max() <= angle + 1e-12
    # the uniform law has density sin^{d-2} in the angle; in y = sin^2(angle / 2) it is a Beta law
    half = (d - 1) / 2
    whole = special.betainc(half, half, math.sin(angle / 2) ** 2)
    result = stats.kstest(np.sin(angles / 2) ** 2, lambda y: special.betainc(half, half, y) / whole)
    assert result.pvalue > 1e-5
    side = np.linalg.svd(center[None])[2][1]
    assert_mean(x @ side, 0.0)


@pytest.mark.slow
def test_cap_of_underflowing_area():
    # sin(0.4)^1999 is about 1e-819. Close to the rim the law of the drop s = 1 - cos is that of the density
    # (s (2 - s))^{(d-3)/2} on [0, S], integrated here on a grid in log form.
    d, angle = 2000, 0.4
    x = np.asarray(initial.cap(Sphere(d), 4000, angle=angle, seed=7).points)
    drops = 1 - x[:, 0]
    largest = 1 - math.cos(angle)
    assert drops.max() <= largest + 1e-14
    grid = np.linspace(largest * 0.9, largest, 200_001)
    density = np.exp((d - 3) / 2 * np.log(grid * (2 - grid) / (largest * (2 - largest))))
    cumulative = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    result = stats.kstest(drops, lambda s: np.interp(s, grid, cumulative / cumulative[-1]))
    assert result.pvalue > 1e-5


def test_cap_defaults_to_the_hemisphere_of_the_first_axis():
    x = np.asarray(initial.cap(Sphere(4), 500, seed=8).points)
    assert 0 <= x[:, 0].min() < 0.01  # a smaller or larger cap has another edge


@pytest.mark.parametrize("angle", [0.0, -1.0, 3.2, math.nan])
def test_wrong_cap(angle):
    with pytest.raises(InvalidInput, match=r"angle of a cap must lie in \(0, pi\]"):
        initial.cap(Sphere(3), 4, angle=angle, seed=0)


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("folds", [1, 2, 3, 7])
def test_symmetric_is_symmetric_to_rounding(d, folds):
    x = np.asarray(initial.symmetric(Sphere(d), 6 * folds, folds=folds, seed=9).points)
    turn = 2 * np.pi / folds
    rotation = np.eye(d)
    rotation[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    gaps = np.linalg.norm((x @ rotation.T)[:, None] - x[None], axis=2).min(axis=1)
    assert gaps.max() < 1e-15 * 8  # a few roundings of numbers of size one
    assert len(np.unique(x.round(9), axis=0)) == 6 * folds
    # the base points are random, not a lattice that would have more symmetry
    half_turn = np.diag([1.0] * d)
    half_turn[:2, :2] = [[np.cos(turn / 2), -np.sin(turn / 2)], [np.sin(turn / 2), np.cos(turn / 2)]]
    assert np.linalg.norm((x @ half_turn.T)[:, None] - x[None], axis=2).min(axis=1).max() > 1e-3


def test_wrong_symmetric():
    with pytest.raises(InvalidInput, match="n must be a multiple of folds, got n = 10 and folds = 3"):
        initial.symmetric(Sphere(2), 10, folds=3, seed=0)
    with pytest.raises(InvalidInput, match="folds must be at least 1"):
        initial.symmetric(Sphere(2), 10, folds=0, seed=0)


# --- lattices -----------------------------------------------------------------------------------------------------


def test_frame():
    np.testing.assert_array_equal(initial.frame(Sphere(4)).points, np.eye(4))
    np.testing.assert_array_equal(initial.frame(Euclidean(4), 2).points, np.eye(4)[:2])
    with pytest.raises(InvalidInput, match="no orthonormal frame of 5 vectors: take n <= 4"):
        initial.frame(Sphere(4), 5)


@pytest.mark.parametrize(("d", "n"), [(2, None), (2, 2), (3, None), (3, 3), (10, None), (200, 150), (3, 1)])
def test_simplex(d, n):
    x = np.asarray(initial.simplex(Sphere(d), n).points)
    n = n or d + 1
    assert x.shape == (n, d)
    expected = np.full((n, n), -1 / max(n - 1, 1)) * (1 - np.eye(n)) + np.eye(n)
    np.testing.assert_allclose(x @ x.T, expected, atol=1e-14)


def test_simplex_too_large():
    with pytest.raises(InvalidInput, match="at most 4 vertices, got n = 5"):
        initial.simplex(Sphere(3), 5)


def test_quasi_uniform_circle_has_no_harmonics():
    x = np.asarray(initial.quasi_uniform(Sphere(2), 17).points)
    # rounding of a coordinate is multiplied by the degree
    assert max(circle_power(x, k) for k in range(1, 17)) < (17 * np.finfo(float).eps) ** 2
    assert circle_power(x, 17) == pytest.approx(1.0)


def test_quasi_uniform_sphere_is_more_even_than_random():
    x = np.asarray(initial.quasi_uniform(Sphere(3), 1000).points)
    # independent points have degree power 1/n = 1e-3; the lattice resolves low degrees far better
    assert max(legendre_power(x, k) for k in range(1, 9)) < 1e-7
    # a Fibonacci lattice of n points keeps its neighbors at about 3.09 / sqrt(n) or more: no two points collide
    np.testing.assert_array_less(x @ x.T - 2 * np.eye(1000), math.cos(2.5 / math.sqrt(1000)))


@pytest.mark.parametrize("degree", [1, 2, 5])
@pytest.mark.parametrize("seed", [None, 3])
def test_perturbed_circle(degree, seed):
    def powers(amplitude):
        mu = initial.perturbed_uniform(Sphere(2), 400, degree=degree, amplitude=amplitude, seed=seed)
        return [circle_power(np.asarray(mu.points), k) for k in range(1, 13)]

    for amplitude in (1e-4, 1e-2, 0.5):
        power = powers(amplitude)
        # the density 1 + a cos(k theta) has coefficient a/2 at k and, exactly, nothing elsewhere
        assert power.pop(degree - 1) == pytest.approx(amplitude**2 / 4, rel=1e-9)
        assert max(power) < 1e-25


def test_perturbed_circle_has_its_peak_at_angle_zero():
    x = np.asarray(initial.perturbed_uniform(Sphere(2), 400, degree=3, amplitude=0.2).points)
    coefficient = np.mean((x[:, 0] - 1j * x[:, 1]) ** 3)
    assert coefficient == pytest.approx(0.1, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("seed", [None, 3])
def test_perturbed_sphere(degree, seed):
    others = [k for k in range(1, 8) if k != degree]
    for amplitude in (0.05, -0.4):
        mu = initial.perturbed_uniform(Sphere(3), 2000, degree=degree, amplitude=amplitude, seed=seed)
        x = np.asarray(mu.points)
        # int P_k (1 + a P_k) = a / (2k + 1); the lattice itself has coefficients of about 1e-4 at these degrees
        expected = amplitude / (2 * degree + 1)
        assert math.sqrt(legendre_power(x, degree)) == pytest.approx(abs(expected), abs=1e-4)
        assert max(legendre_power(x, k) for k in others) < 1e-3 * expected**2
        if seed is None:
            assert special.eval_legendre(degree, x[:, 2]).mean() == pytest.approx(expected, abs=1e-4)


def test_wrong_perturbation():
    with pytest.raises(InvalidInput, match=r"\|amplitude\| <= 1, got 1.5"):
        initial.perturbed_uniform(Sphere(2), 10, degree=2, amplitude=1.5)
    with pytest.raises(InvalidInput, match="degree must be at least 1"):
        initial.perturbed_uniform(Sphere(2), 10, degree=0, amplitude=0.1)
    with pytest.raises(InvalidInput, match=r"circle \(d = 2\) and S\^2 \(d = 3\), got d = 4"):
        initial.perturbed_uniform(Sphere(4), 10, degree=1, amplitude=0.1)
    with pytest.raises(InvalidInput, match="got d = 4: use uniform"):
        initial.quasi_uniform(Sphere(4), 10)


# --- R^d ----------------------------------------------------------------------------------------------------------


def test_gaussian_moments():
    mean, covariance = np.array([1.0, -2.0]), np.array([[2.0, 1.2], [1.2, 1.0]])
    x = np.asarray(initial.gaussian(Euclidean(2), 20_000, mean=mean, covariance=covariance, seed=10).points)
    assert_mean(x, mean)
    centered = x - mean
    for i, j in ((0, 0), (0, 1), (1, 1)):
        assert_mean(centered[:, i] * centered[:, j], covariance[i, j])
    assert stats.kstest(centered[:, 0] / math.sqrt(2), stats.norm.cdf).pvalue > 1e-5


def test_gaussian_singular_and_scalar_covariance():
    x = np.asarray(initial.gaussian(Euclidean(2), 100, covariance=[[1, 1], [1, 1]], seed=0).points)
    np.testing.assert_allclose(x[:, 0], x[:, 1], atol=1e-7)  # square root of rounding in the zero eigenvalue
    assert_mean(np.asarray(initial.gaussian(Euclidean(1), 5000, covariance=9.0, seed=0).points) ** 2, 9.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance": [[1, 2], [2, 1]]}, "positive semi-definite, its smallest eigenvalue is -1"),
        ({"covariance": [[1, 0.5], [0, 1]]}, "covariance must be symmetric"),
        ({"covariance": np.eye(3)}, r"have shape \(2, 2\), got \(3, 3\)"),
        ({"covariance": -1.0}, "positive semi-definite"),
        ({"mean": [0, 0, 0]}, r"mean must be one number or have shape \(2,\), got \(3,\)"),
        ({"mean": [0, math.inf]}, "mean must be finite"),
    ],
)
def test_wrong_gaussian(options, message):
    with pytest.raises(InvalidInput, match=message):
        initial.gaussian(Euclidean(2), 4, seed=0, **options)


def test_box():
    x = np.asarray(initial.box(Euclidean(2), 10_000, low=[-5, 1], high=[5, 2], seed=11).points)
    assert stats.kstest(x[:, 0], stats.uniform(-5, 10).cdf).pvalue > 1e-5
    assert stats.kstest(x[:, 1], stats.uniform(1, 1).cdf).pvalue > 1e-5
    assert abs(np.corrcoef(x.T)[0, 1]) < SIGMAS / 100  # 1/sqrt(n) = 1/100
    with pytest.raises(InvalidInput, match="low < high in every coordinate"):
        initial.box(Euclidean(2), 4, low=[0, 1], high=1.0, seed=0)


def test_laws_refuse_the_wrong_geometry():
    for name, (_, options) in RANDOM.items():
        if name in ("gaussian", "box"):
            with pytest.raises(InvalidInput, match=rf"{name} is a law in R\^d, got Sphere.*: use uniform"):
                initial.LAWS[name](Sphere(3), 4, seed=0, **options)
        else:
            with pytest.raises(InvalidInput, match=r"initial.box|use gaussian or box in R\^d"):
                initial.LAWS[name](Euclidean(3), 6, seed=0, **options)
    with pytest.raises(InvalidInput, match="quasi_uniform is a law on the sphere"):
        initial.quasi_uniform(Euclidean(2), 4)
