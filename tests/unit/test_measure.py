"""Measures: what is accepted, what it becomes, and what each refusal says."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Euclidean, InvalidInput, Measure, Sphere

TWO = [[1.0, 0.0], [0.0, 1.0]]


def test_weights_default_to_equal_and_are_normalized():
    mu = Measure(TWO)
    np.testing.assert_array_equal(mu.weights, [0.5, 0.5])
    assert (mu.n, mu.d) == (2, 2)
    np.testing.assert_allclose(Measure(TWO, [3, 9]).weights, [0.25, 0.75], rtol=1e-15)
    np.testing.assert_allclose(Measure(TWO, [3, 9]).mean, [0.25, 0.75], rtol=1e-15)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([1.0, 2.0], r"points must have shape \(n, d\), got \(2,\)"),
        (1.0, r"points must have shape \(n, d\), got \(\)"),
        (np.zeros((2, 3, 4)), r"points must have shape \(n, d\), got \(2, 3, 4\)"),
        (np.zeros((0, 2)), "at least one point, got n = 0"),
        ([[1.0, 2.0], [3.0]], "points must be an array of numbers"),
        ([["one", "two"]], "points must be an array of numbers"),
        (None, "points must be an array of numbers"),
        (
            [[1.0, math.nan], [math.inf, 0.0]],
            r"points must be finite: 2 NaN or infinite entries, the first at \(0, 1\)",
        ),
        ([[0.0, 0.0], [-math.inf, 0.0]], r"1 NaN or infinite entries, the first at \(1, 0\)"),
        ([[1j, 0.0]], "points must be real numbers, got complex128"),
        ([[True, False]], "points must be real numbers, got bool"),
    ],
)
def test_wrong_points(points, message):
    with pytest.raises(InvalidInput, match=message):
        Measure(points)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"weights must have shape \(2,\), one per point, got \(1,\)"),
        ([[1.0, 1.0]], r"weights must have shape \(2,\), one per point, got \(1, 2\)"),
        (1.0, r"weights must have shape \(2,\), one per point, got \(\)"),
        ([1.0, 0.0], "weights must be positive: drop the points of weight zero"),
        ([2.0, -1.0], "weights must be positive"),
        ([1.0, math.nan], r"weights must be finite: 1 NaN or infinite entries, the first at \(1,\)"),
        ([1.0, math.inf], "weights must be finite"),
        ([1.0, 1j], "weights must be real numbers"),
        (["one", "two"], "weights must be an array of numbers"),
    ],
)
def test_wrong_weights(weights, message):
    with pytest.raises(InvalidInput, match=message):
        Measure(TWO, weights)


def test_geometry_checks_the_dimension():
    with pytest.raises(InvalidInput, match="points have dimension 2, the geometry has d = 3"):
        Measure(TWO, geometry=Sphere(3))
    with pytest.raises(InvalidInput, match="points have dimension 2, the geometry has d = 3"):
        Measure(TWO, geometry=Euclidean(3))
    with pytest.raises(InvalidInput, match="d >= 2"):
        Measure([[1.0]], geometry=Sphere(1))


@pytest.mark.parametrize("off", [5e-7, -9e-7, 1e-12])
def test_points_near_the_sphere_are_renormalized(off):
    mu = Measure([[1.0, 0.0], [0.6 * (1 + off), 0.8 * (1 + off)]], geometry=Sphere(2))
    np.testing.assert_allclose(np.linalg.norm(mu.points, axis=1), 1.0, atol=2.3e-16)
    np.testing.assert_allclose(mu.points[1], [0.6, 0.8], atol=3e-16)


@pytest.mark.parametrize("norm", [1 + 2e-6, 1 - 2e-6, 2.0, 0.0])
def test_points_off_the_sphere_are_an_error(norm):
    with pytest.raises(InvalidInput, match=r"point 1 is off the sphere: .* \(at most 1e-06\); divide points by their"):
        Measure([[1.0, 0.0], [0.0, norm]], geometry=Sphere(2))


def test_points_are_left_alone_without_a_geometry_and_in_r_d():
    for geometry in (None, Euclidean(2)):
        np.testing.assert_array_equal(Measure([[3.0, 4.0]], geometry=geometry).points, [[3.0, 4.0]])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.int32, jnp.float64),
        (np.uint8, jnp.float64),
        (np.float16, jnp.float32),
        (jnp.bfloat16, jnp.float32),
        (np.float32, jnp.float32),
        (np.float64, jnp.float64),
    ],
)
def test_dtypes(given, kept):
    mu = Measure(np.array(TWO).astype(given), np.array([1.0, 3.0]), geometry=Sphere(2))
    assert mu.points.dtype == kept
    assert mu.weights.dtype == kept
    assert not mu.points.weak_type
    np.testing.assert_array_equal(mu.weights, [0.25, 0.75])


def test_float32_points_of_high_dimension_pass_the_sphere_check():
    x = np.random.default_rng(0).normal(size=(100, 1024)).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert Measure(x, geometry=Sphere(1024)).points.dtype == jnp.float32


def test_at_other_points_all_else_stays():
    mu = Measure(TWO, [1.0, 3.0], positions=[5.0, 2.0], radii=[1.0, 2.0])
    other = mu.at(jnp.ones((2, 2)))
    np.testing.assert_array_equal(other.points, np.ones((2, 2)))
    np.testing.assert_array_equal(mu.points, TWO)
    for name in ("weights", "positions", "radii"):
        np.testing.assert_array_equal(getattr(other, name), getattr(mu, name))
    np.testing.assert_array_equal(mu.at(mu.points, jnp.array([3.0, 4.0])).radii, [3.0, 4.0])
    assert Measure(TWO).at(jnp.ones((2, 2))).radii is None


@pytest.mark.parametrize(
    ("mu", "line"),
    [
        (Measure(TWO), "Measure(2 tokens in R^2, equal weights)"),
        (Measure(TWO, [1.0, 3.0]), "Measure(2 tokens in R^2, weights from 0.25 to 0.75)"),
        (Measure([[1.0]]), "Measure(1 token in R^1, equal weights)"),
        (Measure.polar(TWO), "Measure(2 tokens in R^2, equal weights, with radii)"),
        (Measure(np.array(TWO, np.float32)), "Measure(2 tokens in R^2, equal weights, float32)"),
        (jax.vmap(Measure)(jnp.zeros((4, 3, 2))), "Measure(batch of 4, each 3 tokens in R^2, equal weights)"),
        (jax.eval_shape(lambda: Measure(TWO)), "Measure(2 tokens in R^2, values unknown)"),
    ],
)
def test_repr_is_one_readable_line(mu, line):
    assert repr(mu) == line


def test_repr_survives_tracing_and_placeholders():
    seen = []

    def look(mu):
        seen.append((repr(mu), mu._repr_html_()))
        return mu.mean

    jax.jit(look)(Measure(TWO))
    jax.vmap(look)(jax.vmap(Measure)(jnp.ones((4, 3, 2))))
    jax.grad(lambda x: jnp.sum(look(Measure(x, [1.0, 2.0]))))(jnp.array(TWO))
    assert [line for line, _ in seen[:2]] == [f"Measure({n} tokens in R^2, values unknown)" for n in (2, 3)]
    assert all(line in html or "<table>" in html for line, html in seen)
    # JAX puts objects of its own where arrays belong
    assert repr(jax.tree.map(lambda _: None, Measure(TWO))).startswith("Measure(points=None")


def test_notebooks_show_numbers_and_a_picture():
    html = Measure(TWO, [1.0, 3.0], geometry=Sphere(2))._repr_html_()
    assert "weights from 0.25 to 0.75" in html and f"{math.sqrt(10) / 4:.4g}" in html
    assert html.count("<circle") == 3  # two tokens and the rim
    places = [float(part.split("'")[1]) for part in html.split("<circle")[2:] for part in part.split(" ")[1:3]]
    assert places == pytest.approx([110.0, 60.0, 60.0, 10.0])  # to the right, and up
    assert Measure([[0.0, 0.0], [3.0, 4.0]])._repr_html_().count("<circle") == 2  # not on the circle: no rim
    assert "<svg" not in Measure(np.eye(5))._repr_html_()
    assert Measure(np.random.default_rng(0).normal(size=(10_000, 3)))._repr_html_().count("<circle") == 500


def test_measures_are_frozen():
    with pytest.raises(AttributeError):
        Measure(TWO).points = jnp.zeros((2, 2))


def test_works_under_jit_vmap_and_grad():
    def mean(points, weights):
        return Measure(points, weights, geometry=Euclidean(2)).mean

    points, weights = jnp.array(TWO), jnp.array([1.0, 3.0])
    np.testing.assert_allclose(jax.jit(mean)(points, weights), [0.25, 0.75], rtol=1e-15)
    batch = jax.vmap(mean)(jnp.stack([points, 2 * points]), jnp.stack([weights, weights[::-1]]))
    np.testing.assert_allclose(batch, [[0.25, 0.75], [1.5, 0.5]], rtol=1e-15)
    gradient = jax.grad(lambda w: mean(points, w)[0])(weights)
    np.testing.assert_allclose(gradient, [3 / 16, -1 / 16], rtol=1e-14)  # d(w_0 / (w_0 + w_1)) at (1, 3)
    # a measure is itself a pytree that crosses jit and vmap
    mu = jax.jit(lambda mu: mu.at(2 * mu.points))(Measure(points, weights))
    np.testing.assert_array_equal(mu.points, 2 * points)
    stacked = jax.vmap(lambda key: Measure(jax.random.normal(key, (3, 2))))(jax.random.split(jax.random.key(0), 4))
    assert stacked.points.shape == (4, 3, 2)


def test_shapes_are_checked_also_under_jit():
    with pytest.raises(InvalidInput, match="points must have shape"):
        jax.jit(lambda x: Measure(x).points)(jnp.zeros(3))


def test_the_sphere_renormalizes_also_under_jit():
    x = jax.jit(lambda x: Measure(x, geometry=Sphere(2)).points)(jnp.array([[1 + 5e-7, 0.0]]))
    assert float(x[0, 0]) == pytest.approx(1.0, abs=2.3e-16)
