"""Geometries: tangency, retraction, and maps that keep their digits at angles near 0 and pi."""

import math
from decimal import Decimal, getcontext

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Euclidean, InvalidInput, Sphere

EPS = np.finfo(float).eps


def random_pairs(d, count=50, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True), rng.normal(size=(count, d))


@pytest.mark.parametrize("d", [2, 3, 50])
def test_projection_is_tangent_idempotent_and_orthogonal(d):
    sphere = Sphere(d)
    x, v = random_pairs(d)
    p = np.asarray(sphere.project(x, v))
    size = np.linalg.norm(v, axis=1)
    assert np.all(np.abs(np.sum(x * p, axis=1)) <= 4 * EPS * size)  # two dot products of rounding
    np.testing.assert_allclose(sphere.project(x, p), p, atol=8 * EPS * size.max())
    # what was taken away is normal: the rest is a multiple of x
    np.testing.assert_allclose(v - p, np.sum(x * v, axis=1, keepdims=True) * x, atol=8 * EPS * size.max())


@pytest.mark.parametrize("d", [2, 3, 50])
def test_retraction_is_on_the_sphere_and_of_first_order(d):
    sphere = Sphere(d)
    x, v = random_pairs(d)
    v = np.asarray(sphere.project(x, v))
    np.testing.assert_allclose(np.linalg.norm(sphere.retract(x, v), axis=1), 1.0, atol=2 * EPS)
    np.testing.assert_array_equal(sphere.retract(x, v), sphere.to_manifold(x + v))
    # against the exponential map a retraction by normalization errs as angle^3 / 3 (arctan against identity)
    for h in (1e-2, 1e-3):
        gap = np.asarray(sphere.distance(sphere.retract(x, h * v), sphere.exp(x, h * v)))
        expected = (h * np.linalg.norm(v, axis=1)) ** 3 / 3
        np.testing.assert_allclose(gap, expected, rtol=0.1, atol=1e-15)


def sine_and_cosine(text):
    """sin and cos of a decimal number by Taylor's series in 60 digits."""
    getcontext().prec = 60
    a, term = Decimal(text), Decimal(1)
    sums = [Decimal(0), Decimal(0)]  # even (cos), odd (sin)
    for k in range(80):
        sums[k % 2] += term * (-1) ** (k // 2)
        term = term * a / (k + 1)
    return float(sums[1]), float(sums[0])


@pytest.mark.parametrize("angle", ["1e-300", "1e-17", "1e-12", "1e-8", "1e-4", "0.5", "1.5707", "3.14159265", "6.2"])
def test_exp_keeps_its_digits_at_every_angle(angle):
    x, direction = jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])
    end = np.asarray(Sphere(2).exp(x, float(angle) * direction))
    # the double nearest to the angle is what the map sees: its exact decimal expansion goes into the series
    sine, cosine = sine_and_cosine(str(Decimal(float(angle))))
    assert end[1] == pytest.approx(sine, rel=4 * EPS, abs=4 * EPS if float(angle) > 1 else 0.0)
    assert end[0] == pytest.approx(cosine, abs=4 * EPS)


def test_exp_at_zero_and_at_pi():
    sphere = Sphere(3)
    x, v = random_pairs(3)
    v = np.asarray(sphere.project(x, v))
    v = v / np.linalg.norm(v, axis=1, keepdims=True)
    np.testing.assert_allclose(sphere.exp(x, 0 * v), x, atol=2 * EPS)
    np.testing.assert_allclose(sphere.exp(x, math.pi * v), -x, atol=8 * EPS)
    np.testing.assert_allclose(sphere.exp(x, 2 * math.pi * v), x, atol=16 * EPS)
    np.testing.assert_allclose(np.linalg.norm(sphere.exp(x, 2.0 * v), axis=1), 1.0, atol=2 * EPS)
    np.testing.assert_allclose(sphere.distance(x, sphere.exp(x, 2.0 * v)), 2.0, atol=8 * EPS)


def test_exp_has_a_gradient_at_zero():
    sphere = Sphere(3)
    x = jnp.array([0.6, 0.0, 0.8])
    jacobian = jax.jacobian(lambda v: sphere.exp(x, v))(jnp.zeros(3))
    # the differential of exp at 0 is the identity on the tangent space
    np.testing.assert_allclose(sphere.project(x, jacobian.T), np.eye(3) - np.outer(x, x), atol=4 * EPS)


@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-12, 1e-8, 1e-3, 1.0, 3.0])
def test_distance_near_zero(angle):
    # the points are right to rounding in each coordinate, so the small angle is in the second one to full accuracy
    x, y = jnp.array([1.0, 0.0]), jnp.array([math.cos(angle), math.sin(angle)])
    expected = angle if angle > 1e-150 else 0.0  # the square of the chord underflows: zero, never NaN
    assert float(Sphere(2).distance(x, y)) == pytest.approx(expected, rel=8 * EPS, abs=1e-150)


@pytest.mark.parametrize("gap", [1e-12, 1e-8, 1e-3])
def test_distance_near_pi(gap):
    x, y = jnp.array([1.0, 0.0]), jnp.array([-math.cos(gap), math.sin(gap)])
    # arccos of the cosine would answer pi for any gap below 1e-8
    assert math.pi - float(Sphere(2).distance(x, y)) == pytest.approx(gap, abs=4 * EPS)


def test_distance_is_exact_at_the_ends_and_agrees_with_arccos():
    sphere = Sphere(3)
    x, y = random_pairs(3)
    y = np.asarray(sphere.to_manifold(y))
    np.testing.assert_array_equal(sphere.distance(x, x), 0.0)
    np.testing.assert_array_equal(sphere.distance(x, -x), math.pi)
    np.testing.assert_allclose(sphere.distance(x, y), np.arccos(np.sum(x * y, axis=1)), atol=1e-13)
    assert sphere.distance(x[:, None], y[None, :4]).shape == (50, 4)


def test_distance_has_a_finite_gradient_between_equal_points():
    x = jnp.array([0.6, 0.8])
    for geometry in (Sphere(2), Euclidean(2)):
        assert np.all(np.isfinite(jax.grad(lambda y, g=geometry: g.distance(x, y))(x)))


@pytest.mark.parametrize("d", [2, 3, 10])
def test_uniform_law_moments(d):
    n = 20_000
    x = np.asarray(Sphere(d).uniform_points(n, seed=0))
    assert x.shape == (n, d)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, atol=2 * EPS)
    # E x = 0 and E x x^T = I/d; 4.5 standard errors, of the largest variances 1/d and 3/(d(d+2)) - 1/d^2
    assert np.abs(x.mean(axis=0)).max() < 4.5 * math.sqrt(1 / d / n)
    second = x.T @ x / n
    assert np.abs(np.diag(second) - 1 / d).max() < 4.5 * math.sqrt((3 / (d * (d + 2)) - 1 / d**2) / n)
    off = second - np.diag(np.diag(second))
    assert np.abs(off).max() < 4.5 * math.sqrt(1 / (d * (d + 2)) / n)


def test_euclidean():
    space = Euclidean(2)
    x, v = jnp.array([[3.0, 0.0]]), jnp.array([[0.0, 4.0]])
    np.testing.assert_array_equal(space.project(x, v), v)
    np.testing.assert_array_equal(space.exp(x, v), x + v)
    np.testing.assert_array_equal(space.retract(x, v), x + v)
    np.testing.assert_array_equal(space.distance(x, v), [5.0])
    with pytest.raises(InvalidInput, match=r"no uniform law: use initial\.box or initial\.gaussian"):
        space.uniform_points(3, seed=0)


def test_repr_is_what_one_types():
    assert repr(Sphere(3)) == "Sphere(3)"
    assert eval(repr(Euclidean(2))) == Euclidean(2)


def test_uniform_points_take_seeds_and_keys():
    np.testing.assert_array_equal(
        Sphere(3).uniform_points(4, seed=7), Sphere(3).uniform_points(4, seed=jax.random.key(7))
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Sphere(1), r"Sphere\(d\) needs d >= 2, got d = 1"),
        (lambda: Sphere(0), "needs d >= 2"),
        (lambda: Euclidean(0), r"Euclidean\(d\) needs d >= 1, got d = 0"),
        (lambda: Sphere(2.5), "needs an integer dimension, got 2.5"),
        (lambda: Sphere(3.0), "needs an integer dimension"),
        (lambda: Sphere("3"), "needs an integer dimension, got '3'"),
        (lambda: Euclidean(True), "needs an integer dimension, got True"),
    ],
)
def test_wrong_dimension(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()


def test_float32_stays_float32():
    x = jnp.array([[0.6, 0.8]], jnp.float32)
    sphere = Sphere(2)
    for result in (sphere.project(x, x), sphere.exp(x, x), sphere.distance(x, x), sphere.retract(x, x)):
        assert result.dtype == jnp.float32
