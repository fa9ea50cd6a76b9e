"""Order parameter, effective rank, hull and distances against literal computations and known shapes."""

from __future__ import annotations

import itertools

import equinox as eqx
import jax
import numpy as np
import pytest

from tokenfield import Euclidean, InvalidInput, Measure, Softmax, Sphere, Transformer, solve
from tokenfield.observables import (
    effective_rank,
    hull_faces,
    hull_volume,
    order_parameter,
    smallest_distance_growth,
)


def cloud(n, d, seed):
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.2, 1.0, size=n)
    return rng.normal(size=(n, d)), w / w.sum()


def test_order_parameter_is_the_length_of_the_mean():
    x, w = cloud(9, 4, seed=0)
    assert float(order_parameter(Measure(x, w))) == pytest.approx(np.linalg.norm(w @ x), rel=1e-14)
    gradient = jax.grad(lambda y: order_parameter(Measure(y)))(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize(("n", "d"), [(9, 4), (4, 9)])
def test_effective_rank_is_the_entropy_of_the_spectrum(n, d):
    x, w = cloud(n, d, seed=1)
    spectrum = np.linalg.svd(x * np.sqrt(w)[:, None], compute_uv=False) ** 2
    p = spectrum / spectrum.sum()
    # squaring singular values loses no more than a few digits of the small ones, which hardly count
    assert float(effective_rank(Measure(x, w))) == pytest.approx(np.exp(-np.sum(p * np.log(p))), rel=1e-12)


def test_effective_rank_of_known_clouds():
    assert float(effective_rank(Measure(np.eye(5)))) == pytest.approx(5.0)
    assert float(effective_rank(Measure(np.tile(np.eye(5)[:1], (7, 1))))) == pytest.approx(1.0)
    assert float(effective_rank(Measure(np.zeros((3, 2))))) == 0.0


def test_hull_of_known_shapes():
    square = np.array([[0.0, 0], [2, 0], [2, 3], [0, 3], [1, 1]])
    cube = np.array([[i, j, k] for i in (0, 1) for j in (0, 2) for k in (0, 3)], float)
    assert hull_volume(Measure(square)) == pytest.approx(6.0)
    assert hull_volume(Measure(cube)) == pytest.approx(6.0)
    assert hull_volume(Measure([[1.0], [4.0], [2.0]])) == pytest.approx(3.0)
    # collapsed and shifted clouds keep their relative accuracy up to the rounding of the shift
    assert hull_volume(Measure(1e-7 * square + 1.0)) == pytest.approx(6e-14, rel=1e-7)


@pytest.mark.parametrize(
    "points",
    [
        [[0.3, 0.1]],
        [[0.0, 0.0], [1.0, 1.0]],
        [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]],
        [[1.0, 2.0, 3.0]] * 6,
        [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.5, 0.2, 1.0]],
        [[0.1, 0.1 / 3], [0.2, 0.2 / 3], [0.7, 0.7 / 3]],
    ],
)
def test_hull_of_flat_clouds_is_zero(points):
    assert hull_volume(Measure(points)) == 0.0
    assert hull_faces(Measure(points)) == []


def test_faces_of_the_hull_enclose_it():
    (polygon,) = hull_faces(Measure([[0.0, 0], [2, 0], [2, 3], [0, 3], [1, 1]]))
    x, y = polygon.T
    assert len(polygon) == 4
    # the area by the shoelace formula, positive since the corners go around counterclockwise
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) == pytest.approx(6.0)
    cube = 1e-7 * np.array([[i, j, k] for i in (0, 1) for j in (0, 2) for k in (0, 3)], float)
    faces = hull_faces(Measure(cube))
    area = sum(np.linalg.norm(np.cross(face[1] - face[0], face[2] - face[0])) / 2 for face in faces)
    assert area == pytest.approx(22e-14)
    with pytest.raises(InvalidInput, match="d = 2 and d = 3"):
        hull_faces(Measure(np.eye(4)))


def test_hull_is_for_low_dimension():
    with pytest.raises(InvalidInput, match="d <= 3"):
        hull_volume(Measure(np.eye(4)))


def literal_growth(points, distance):
    n = points.shape[1]
    return min(
        distance(after[i], after[j]) - distance(before[i], before[j])
        for before, after in itertools.pairwise(points)
        for i in range(n)
        for j in range(i)
    )


@pytest.mark.slow
def test_smallest_distance_growth():
    x, w = cloud(12, 2, seed=6)
    grows = solve(Transformer(Euclidean(2), Softmax(1.0)), Measure(x, w), t1=1.0, save=5)
    expected = literal_growth(np.asarray(grows.points), lambda a, b: np.linalg.norm(a - b))
    assert smallest_distance_growth(grows) == pytest.approx(expected, rel=1e-12)
    # distances do not decrease for Q = K = V = I (arXiv 2305.05465); the negative control below must
    assert smallest_distance_growth(grows) > 0
    sphere = solve(Transformer(Sphere(2), Softmax(1.0)), x / np.linalg.norm(x, axis=1, keepdims=True), t1=1.0, save=5)
    expected = literal_growth(np.asarray(sphere.points), lambda a, b: np.arccos(np.clip(a @ b, -1, 1)))
    # arccos near 1 loses half the digits in the literal form
    assert smallest_distance_growth(sphere) == pytest.approx(expected, abs=1e-7)
    assert smallest_distance_growth(sphere) < -0.01


def test_smallest_distance_growth_over_several_tiles_and_its_errors():
    x, _ = cloud(300, 2, seed=7)
    model = Transformer(Euclidean(2), Softmax(0.1))
    run = solve(model, x, t1=0.1, method="euler", step=0.1, save=2)
    before, after = (np.linalg.norm(p[:, None] - p, axis=2) for p in np.asarray(run.points))
    off = ~np.eye(300, dtype=bool)
    assert smallest_distance_growth(run) == pytest.approx(np.min((after - before)[off]), abs=1e-14)
    with pytest.raises(InvalidInput, match="two saved times"):
        smallest_distance_growth(eqx.tree_at(lambda r: r.points, run, run.points[:1]))
    with pytest.raises(InvalidInput, match="kept no tokens"):
        smallest_distance_growth(eqx.tree_at(lambda r: r.states, run, None))
