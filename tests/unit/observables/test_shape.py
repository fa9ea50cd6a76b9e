"""Order parameter, ranks, hull, distances and hitting times against literal computations and known shapes."""

from __future__ import annotations

import itertools

import equinox as eqx
import jax
import numpy as np
import pytest
from scipy.special import expit

from tokenfield import Euclidean, Head, InvalidInput, Measure, Softmax, Sphere, Transformer, solve
from tokenfield.observables import (
    attention_matrix,
    attention_rank,
    effective_rank,
    hitting_time,
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


def literal_attention(x, w, beta, Q, K):
    P = np.array([[w[j] * np.exp(beta * (Q @ x[i]) @ (K @ x[j])) for j in range(len(x))] for i in range(len(x))])
    return P / P.sum(axis=1, keepdims=True)


def test_attention_matrix_of_the_chosen_head():
    x, w = cloud(8, 3, seed=2)
    Q, K = cloud(2, 3, seed=3)[0], cloud(2, 3, seed=4)[0]
    model = Transformer(Euclidean(3), [Head(Softmax(1.0)), Head(Softmax(0.5), Q=Q, K=K)])
    mu = Measure(x, w)
    np.testing.assert_allclose(attention_matrix(mu, model), literal_attention(x, w, 1.0, np.eye(3), np.eye(3)), 1e-12)
    np.testing.assert_allclose(attention_matrix(mu, model, head=1), literal_attention(x, w, 0.5, Q, K), 1e-12)
    with pytest.raises(InvalidInput, match="heads 0 to 1"):
        attention_matrix(mu, model, head=2)


def test_attention_matrix_in_the_rescaled_frame_is_that_of_the_original_tokens():
    z, w = cloud(6, 2, seed=5)
    model = Transformer(Euclidean(2), Softmax(1.0), rescaled=True)
    expected = literal_attention(np.exp(0.3) * z, w, 1.0, np.eye(2), np.eye(2))
    np.testing.assert_allclose(attention_matrix(Measure(z, w), model, 0.3), expected, 1e-12)


def test_attention_matrix_refuses_more_than_4096_tokens():
    mu = Measure(np.tile([[1.0, 0.0]], (4097, 1)))
    with pytest.raises(InvalidInput, match="at most 4096"):
        attention_matrix(mu, Transformer(Sphere(2), Softmax(1.0)))


def test_attention_rank_counts_singular_values_above_the_tolerance():
    x = np.repeat(np.eye(4), 3, axis=0)
    mu = Measure(x)
    # three copies of each of four tokens: a 4 x 4 matrix with eigenvalues 1 and (e^b - 1)/(e^b + 3), three times
    assert attention_rank(mu, Transformer(Sphere(4), Softmax(2.0))) == 4
    assert attention_rank(mu, Transformer(Sphere(4), Softmax(0.0))) == 1
    small = (np.exp(0.01) - 1) / (np.exp(0.01) + 3)
    model = Transformer(Sphere(4), Softmax(0.01))
    assert attention_rank(mu, model, tolerance=0.9 * small) == 4
    assert attention_rank(mu, model, tolerance=1.1 * small) == 1


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


def test_hitting_time_interpolates_monotonely():
    ts = np.linspace(0, 10, 101)
    # a logistic curve reaches 0.999 at 5 + log(999)/2; monotone cubics with spacing h are accurate to O(h^3) here
    exact = 5 + np.log(0.999 / 0.001) / 2
    assert hitting_time(ts, expit(2 * (ts - 5)), 0.999) == pytest.approx(exact, abs=1e-3)
    assert hitting_time(ts, -expit(2 * (ts - 5)), -0.5) == pytest.approx(5.0, abs=1e-12)


def test_hitting_time_is_the_first_and_may_not_exist():
    ts = [0.0, 1.0, 2.0, 3.0]
    # flat at the extremum t = 1 and a parabola before it: 1 - (1 - t)^2 = 1/2
    assert hitting_time(ts, [0.0, 2.0, 0.0, 2.0], 1.0) == pytest.approx(1 - np.sqrt(0.5), abs=1e-12)
    assert hitting_time(ts, [0.0, 1.0, 3.0, 0.0], 1.0) == 1.0
    assert hitting_time(ts, [5.0, 1.0, 3.0, 0.0], 5.0) == 0.0
    assert np.isnan(hitting_time(ts, [0.0, 0.5, 0.9, 0.99], 1.0))
    # a crossing by less than rounding still counts
    assert 0 <= hitting_time([0.0, 1.0], [-1e-200, 1e-200], 0.0) <= 1


@pytest.mark.parametrize(
    ("ts", "values", "message"),
    [
        ([0.0, 1.0], [0.0], "one length"),
        ([], [], "one length"),
        ([0.0, 0.0], [0.0, 1.0], "increasing"),
        ([0.0, 1.0], [0.0, np.nan], "finite"),
    ],
)
def test_hitting_time_refuses(ts, values, message):
    with pytest.raises(InvalidInput, match=message):
        hitting_time(ts, values, 0.5)
