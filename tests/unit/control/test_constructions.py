"""Weights that are written down: literal flows, counts of switches, exact landing, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tokenfield as tkf
from tokenfield import control


def _points(seed: int, *shape: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _literal(construction: control.Construction, x: np.ndarray) -> np.ndarray:
    """x' = P_x (V mean + W (Ux + b)_+) layer by layer, each token by scipy; knows nothing of `solve`."""
    (*heads, perceptron) = construction.model.schedule.layers
    for layer in range(construction.pieces):
        W, U, b = (np.asarray(getattr(perceptron, name))[layer] for name in ("W", "A", "b"))
        V = np.asarray(heads[0].V)[layer] if heads else np.zeros((x.shape[1],) * 2)

        def velocity(t, flat, W=W, U=U, b=b, V=V, shape=x.shape):
            y = flat.reshape(shape)
            field = y.mean(axis=0) @ V.T + np.maximum(y @ U.T + b, 0.0) @ W.T
            return (field - np.sum(y * field, axis=1)[:, None] * y).ravel()

        x = solve_ivp(velocity, (0, 1), x.ravel(), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1].reshape(x.shape)
    return x


@pytest.mark.parametrize("d", [3, 5])
def test_match_lands_exactly_with_six_switches_at_most(d):
    x, y = _points(0, 4, d), _points(1, 4, d)
    found = control.match(x, y)
    assert found.switches <= 6 * len(x)
    # the solver's tolerance 1e-12, times what restoring stretches: some hundreds
    np.testing.assert_allclose(np.asarray(found.run(x).final.points), y, atol=1e-10)
    np.testing.assert_allclose(_literal(found, x), y, atol=1e-9)
    perceptron = found.model.schedule.layers[0]
    assert perceptron.W.shape[-1] == 1 and perceptron.activation == "relu"  # rank one


def test_points_that_change_places_in_circles_take_six_switches_each():
    """Three pairs of opposite points that change places: with a detour for each pair it took 50."""
    x = np.concatenate([np.eye(3), -np.eye(3)])
    found = control.match(x, -x)
    assert found.steps[0] == "step aside" and found.switches <= 6 * len(x)
    np.testing.assert_allclose(_literal(found, x), -x, atol=1e-10)


def test_points_that_are_there_rest():
    found = control.match(np.eye(3), np.eye(3))
    assert found.steps == ("rest",) and found.switches == 0
    np.testing.assert_allclose(_literal(found, np.eye(3)), np.eye(3), atol=1e-14)


def test_points_near_each_other_land_as_exactly():
    """Planes are chosen by how much restoring stretches, not by their distance to points: that lost eight digits."""
    rng = np.random.default_rng(0)
    x, y = np.array([0.0, 0.0, 1.0]) + 0.03 * rng.normal(size=(10, 3)), _points(1, 10, 3)
    x /= np.linalg.norm(x, axis=1)[:, None]
    np.testing.assert_allclose(np.asarray(control.match(x, y).run(x).final.points), y, atol=1e-10)


def test_opposite_targets_are_reached():
    x = _points(3, 3, 3)
    np.testing.assert_allclose(np.asarray(control.match(x, -x).run(x).final.points), -x, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_prompts_are_disentangled_by_one_parameter(seed):
    prompts = list(_points(seed, 3, 6, 3))
    found = control.disentangle(prompts)
    assert found.switches == 0
    ends = [np.asarray(found.run(prompt).final.points) for prompt in prompts]
    centers = np.stack([end.mean(axis=0) for end in ends])
    radii = [np.linalg.norm(end - center, axis=1).max() for end, center in zip(ends, centers, strict=True)]
    apart = min(np.linalg.norm(centers[i] - centers[j]) for i in range(3) for j in range(i))
    assert max(radii) < 0.11 * apart
    np.testing.assert_allclose(_literal(found, prompts[0]), ends[0], atol=1e-8)


@pytest.mark.slow
def test_prompts_with_one_axis_need_a_perceptron_first():
    """Both are symmetric about an axis: attention sends them to the same point."""
    ring = np.stack([np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3)], axis=1)
    prompts = [np.column_stack([np.sin(a) * ring, np.full(6, np.cos(a))]) for a in (0.4, 0.9)]
    assert control.disentangle(prompts).steps[0] == "break a symmetry"


@pytest.mark.slow
def test_prompts_reach_measures_of_several_atoms():
    prompts, targets = list(_points(0, 2, 6, 3)), list(_points(7, 2, 2, 3))
    found = control.match_prompts(prompts, targets, within=1e-4)
    assert found.switches <= 7 * 4 + 1
    for prompt, target in zip(prompts, targets, strict=True):
        end = tkf.Measure(found.run(prompt).final.points)
        assert tkf.transport.wasserstein(end, tkf.Measure(target), tkf.Sphere(3), p=2) < 1e-4


@pytest.mark.slow
def test_a_prompt_that_is_there_twice_needs_one_target():
    """Tokens in another order, each of them twice: one measure; with two targets it is refused, below."""
    x, y = _points(0, 4, 3), [[0.0, 1.0, 0.0]]
    once, twice = control.match_prompts([x], [y]), control.match_prompts([x, np.repeat(x, 2, axis=0)[::-1]], [y, y])
    assert once.steps == twice.steps
    assert control.into_orthant([x, x]).switches == control.into_orthant([x]).switches


def test_time_of_clustering_is_log_of_the_radius():
    prompt = _points(0, 6, 3)
    times = [float(control.cluster([prompt], within=w).model.schedule.layers[0].V[0, 0, 0]) for w in (1e-3, 1e-6)]
    # times are multiples of a tenth
    assert (times[1] - times[0]) / np.log(1e3) == pytest.approx(1.0, abs=0.03)


@pytest.mark.slow
def test_sequences_with_common_tokens_are_interpolated_whatever_their_length():
    rng = np.random.default_rng(0)
    counts = []
    for n in (5, 50):
        X, Y = rng.normal(size=(2, n, 2)), rng.normal(size=(2, 2, 2))
        X[1, 1:] = X[0, 1:]  # all tokens but one in common
        for attention, bound in (("hardmax", 13), ("softmax", 14)):
            found = control.interpolate_sequences(X, Y, attention=attention)
            assert found.blocks <= found.bound == bound
            for x, y in zip(X, Y, strict=True):
                far = np.linalg.norm(found.run(x)[:, None] - y, axis=-1)
                # rounding of 1e-16 times a plateau's slope, spread over gap, and its lift: 1e3 each
                assert max(far.min(axis=1).max(), far.min(axis=0).max()) < 1e-8
            counts.append((found.blocks, found.parameters))
    assert counts[:2] == counts[2:]


@pytest.mark.slow
def test_neural_ode_interpolates():
    x, y = np.random.default_rng(0).normal(size=(2, 6, 2))
    found = control.interpolate_points(x, y)
    assert found.pieces == 12
    literal = x.copy()
    perceptron = found.model.schedule.layers[0]
    for W, U, b in zip(*(np.asarray(getattr(perceptron, name)) for name in ("W", "A", "b")), strict=True):
        assert abs(W[:, 0] @ U[0]) < 1e-12 * np.linalg.norm(W) + 1e-15  # a shear
        literal = literal + np.maximum(literal @ U.T + b, 0.0) @ W.T
    np.testing.assert_allclose(literal, y, atol=1e-10)
    np.testing.assert_allclose(np.asarray(found.run(x).final.points), y, atol=1e-8)


@pytest.mark.parametrize("rank", [2, 3])
def test_covariance_of_the_same_rank_is_reached(rank):
    F, G = np.random.default_rng(rank).normal(size=(2, 3, rank))
    run = control.reach_covariance(F @ F.T, G @ G.T).run()
    np.testing.assert_allclose(np.asarray(run.final.covariance), G @ G.T, atol=1e-8)


@pytest.mark.parametrize("rank", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_mean_and_covariance_are_reached_by_the_closed_law(rank):
    """m' = V (m + S A m), S' = V S A S + S A^T S V^T (arXiv 2501.18322), by scipy: it knows nothing of `solve`."""
    rng = np.random.default_rng(rank)
    F, G = rng.normal(size=(2, 3, rank))
    m0, m1 = rng.normal(size=(2, 3))
    found = control.reach_gaussian(tkf.Gaussian(m0, F @ F.T), tkf.Gaussian(m1, G @ G.T), t1=2.0)

    def velocity(t, flat):
        m, S = flat[:3], flat[3:].reshape(3, 3)
        head = found.model.heads(t)[0]
        A, V = np.asarray(head.K), np.asarray(head.V)
        half = V @ S @ A @ S
        return np.concatenate([V @ (m + S @ A @ m), (half + half.T).ravel()])

    start = np.concatenate([m0, (F @ F.T).ravel()])
    end = solve_ivp(velocity, (0, 2), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    run = found.run()
    # errors of S at rtol 1e-10 are multiplied on the way by its condition, about 1e2
    np.testing.assert_allclose(end, np.concatenate([m1, (G @ G.T).ravel()]), atol=1e-6)
    np.testing.assert_allclose(np.asarray(run.final.mean), m1, atol=1e-8)
    np.testing.assert_allclose(np.asarray(run.final.covariance), G @ G.T, atol=1e-8)


def test_means_that_point_the_opposite_way_go_around_zero():
    source, target = tkf.Gaussian([1.0, 0.0, 0.0], np.eye(3)), tkf.Gaussian([-2.0, 0.0, 0.0], np.eye(3))
    end = control.reach_gaussian(source, target, t1=2.0).run().final
    np.testing.assert_allclose(np.asarray(end.mean), [-2.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(np.asarray(end.covariance), np.eye(3), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: control.match(np.eye(2), -np.eye(2)), "points on a circle cannot pass each other"),
        (lambda: control.match(np.eye(3), np.eye(3)[[0, 0, 1]]), "targets 0 and 1 are the same point"),
        (lambda: control.match(2 * np.eye(3), np.eye(3)), "sources must be on the unit sphere"),
        (lambda: control.match(np.eye(3), np.eye(3)[:2]), "each source needs one target"),
        (
            lambda: control.match_prompts([np.eye(3), np.eye(3)[::-1]], [[1.0, 0, 0], [0, 1.0, 0]]),
            "prompts 0 and 1 are the same measure",
        ),
        (lambda: control.match_prompts([np.eye(2)], [[1.0, 0.0]]), "needs d >= 3"),
        (lambda: control.disentangle([np.eye(3), np.eye(3)]), "prompts 0 and 1 are the same measure"),
        (lambda: control.cluster([np.eye(3), np.eye(3)], within=0.1), "prompts 0 and 1 are the same measure"),
        (
            lambda: control.disentangle([tkf.Density(tkf.laws.Fourier(16), np.ones(16))]),
            "needs a hole in the supports",
        ),
        (lambda: control.match_prompts([np.eye(3)], [_points(0, 2, 3)]), "cannot be grouped into 2 atoms"),
        (lambda: control.cluster([np.eye(3)], within=0), "within must be between 0 and 1"),
        (lambda: control.reach_covariance(np.diag([1.0, 0.0]), np.eye(2)), "rank 1 cannot reach one of rank 2"),
        (
            lambda: control.reach_gaussian(tkf.Gaussian([0.0], [[1.0]]), tkf.Gaussian([1.0], [[1.0]])),
            "mean of the source is zero",
        ),
        (
            lambda: control.reach_gaussian(tkf.Gaussian([-1.0], [[1.0]]), tkf.Gaussian([1.0], [[1.0]])),
            "different signs on a line",
        ),
        (lambda: control.interpolate_points([[0.0], [1.0]], [[1.0], [0.0]]), "points on a line cannot pass"),
        (
            lambda: control.interpolate_sequences([np.eye(2), np.eye(2)[::-1]], [[[0.0, 1.0]], [[1.0, 0.0]]]),
            "inputs 0 and 1 are the same set of tokens",
        ),
        (lambda: control.interpolate_sequences([[[0.0, 1.0]]], [np.eye(2)]), "more points than input 0"),
    ],
)
def test_what_theorems_do_not_reach_is_refused(call, message):
    with pytest.raises(tkf.TokenfieldError, match=message):
        call()
