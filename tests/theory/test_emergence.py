"""Softmax attention in R^d without normalization: polytopes, leaders, hyperplanes (arXiv 2305.05465).

Starts are uniform on [-5, 5]^d with 20 tokens, as in the published figures; tokens are z = e^{-tV} x where it says so.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import tokenfield as tkf

# the matrices printed in the authors' code
POSITIVE_MATRICES = {
    "2d": [[0.64709742, 0.81911926], [0.61210449, 0.63263484]],
    "3d, others < 0": [
        [0.2362413, 0.0599536, 0.40506019],
        [0.81321448, 0.49948705, 0.33754772],
        [0.2160645, 0.38505272, 0.14588075],
    ],
    "3d, others > 0": [
        [0.18608476, 0.34391026, 0.13905949],
        [0.35244288, 0.6694859, 0.39992145],
        [0.46685606, 0.17094454, 0.42092308],
    ],
}


@cache
def rescaled_plane(sign: float):
    """20 tokens in the plane, V = sign I, in the rescaled frame up to t = 10, every 0.1."""
    start = np.random.default_rng(0).uniform(-5, 5, size=(20, 2))
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=sign * np.eye(2), rescaled=True)
    return tkf.solve(model, start, t1=10.0, save=101, rtol=1e-9, atol=1e-11)


def area_growth(run):
    """The largest relative growth of the hull's area between consecutive saved times."""
    areas = np.array([ConvexHull(z).volume for z in np.asarray(run.points)])
    return np.max(np.diff(areas) / areas[:-1])


@pytest.mark.slow
def test_1a_the_hull_shrinks():
    assert area_growth(rescaled_plane(1.0)) <= 1e-8  # 10 times the solver's relative tolerance
    assert area_growth(rescaled_plane(-1.0)) > 1e-2  # the control: with V = -I the rescaled hull grows


def distance_to_limit_set(z):
    """max_i | |z_i|^2 - max_v <z_i, v> | over the vertices v of the hull: 0 on the set of possible limits."""
    vertices = z[ConvexHull(z).vertices]
    return np.max(np.abs(np.sum(z**2, axis=1) - np.max(z @ vertices.T, axis=1)))


def test_1b_tokens_reach_the_limit_set():
    z = np.asarray(rescaled_plane(1.0).points)
    at = [distance_to_limit_set(z[10 * t]) for t in (2, 4, 6, 8, 10)]
    assert np.all(np.diff(at) < 0)
    assert at[-1] < 5e-3
    # the approach is like e^{-t}, so that two units of time gain a factor e^2: the rate that z_i' = z_v - z_i gives
    assert at[-2] / at[-1] == pytest.approx(np.exp(2), rel=0.05)
    assert at[0] > 1  # the control: the start is far from the set
    assert distance_to_limit_set(np.asarray(rescaled_plane(-1.0).points)[-1]) > 5e-3


LEADERS_T1 = 14.0


def leaders(sign: float, seed: int):
    """8 tokens on a line and their attention matrices (T, 8, 8)."""
    start = np.random.default_rng(seed).uniform(-1, 1, size=(8, 1))
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0), V=[[sign]], rescaled=True)
    run = tkf.solve(model, start, t1=LEADERS_T1, save=141, rtol=1e-9, atol=1e-11)
    P = np.array([model.attention_matrices(t, run.measure(k))[0] for k, t in enumerate(np.asarray(run.ts))])
    return np.asarray(run.ts), P


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_1c_rows_become_one_hot_doubly_exponentially(seed):
    ts, P = leaders(1.0, seed)
    undecided = 1 - P[-1].max(axis=1) > 1e-6
    assert np.sum(undecided) <= 1
    assert np.linalg.matrix_rank(P[-1], tol=1e-6) <= 3
    # the row of the largest token: 1 - P_in as a sum of the others, which does not cancel
    leader = int(np.argmax(P[-1].sum(axis=0)))
    others = np.delete(P[:, leader], leader, axis=1).sum(axis=1)
    in_range = (others < 1e-3) & (others > 1e-290)
    assert np.sum(in_range) > 20
    # The gap to the next token tends to a constant while the leader grows like e^t, so the slope is 1. Close to
    # others = 1e-3 several tokens still count, which bends the line by less than 1%.
    fit, residual, *_ = np.polyfit(ts[in_range], np.log(-np.log(others[in_range])), 1, full=True)
    assert fit[0] == pytest.approx(1.0, abs=0.01)
    assert np.sqrt(residual[0] / np.sum(in_range)) < 0.01


def test_1c_fails_for_a_repulsive_value():
    _, P = leaders(-1.0, 0)
    assert np.sum(1 - P[-1].max(axis=1) > 1e-6) == 8


def first_coordinates(name: str, sign: float):
    """phi_1*(z_i(t)), shape (T, n): the coordinate along the leading eigenvector, |phi_1| = 1."""
    V = sign * np.array(POSITIVE_MATRICES[name])
    d = len(V)
    values, vectors = np.linalg.eig(V)
    leading = np.argmax(np.abs(values))
    dual = np.linalg.inv(vectors)[leading].real
    start = np.random.default_rng(0).uniform(-5, 5, size=(20, d))
    model = tkf.Transformer(tkf.Euclidean(d), tkf.Softmax(1.0), V=V, rescaled=True)
    run = tkf.solve(model, start, t1=10.0, save=101, rtol=1e-9, atol=1e-11)
    return np.asarray(run.points) @ dual


def distinct(values, tolerance=1e-2):
    """The number of groups of values whose neighbors differ by less than `tolerance`."""
    return 1 + int(np.sum(np.diff(np.sort(values)) > tolerance))


@pytest.mark.slow
@pytest.mark.parametrize("name", POSITIVE_MATRICES)
def test_1d_at_most_three_parallel_hyperplanes(name):
    c = first_coordinates(name, 1.0)
    assert distinct(c[0]) > 10
    assert distinct(c[-1]) <= 3
    groups = np.split(np.sort(c[-1]), np.flatnonzero(np.diff(np.sort(c[-1])) > 1e-2) + 1)
    assert max(np.ptp(group) for group in groups) < 1e-2  # groups are tight, not chains
    # the solver's tolerance on coordinates of size 10
    assert np.diff(c.min(axis=1)).min() >= -1e-8
    assert np.diff(c.max(axis=1)).max() <= 1e-8


def test_1d_fails_for_the_opposite_sign():
    c = first_coordinates("2d", -1.0)
    assert distinct(c[-1]) > 3


@cache
def unscaled_plane(sign: float):
    """20 tokens in the plane, V = sign I, as they are; log-spaced up to t = 1000 for V = -I, up to 5 for V = I."""
    start = np.random.default_rng(0).uniform(-5, 5, size=(20, 2))
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=sign * np.eye(2))
    times = np.concatenate([[0.0], np.geomspace(0.01, 5.0 if sign > 0 else 1000.0, 50)])
    return tkf.solve(model, start, t1=times[-1], save=times, rtol=1e-9, atol=1e-11)


@pytest.mark.slow
def test_1e_repulsive_values_shrink_to_the_origin():
    """x_i -> 0. Near the origin the covariance obeys S' = -2 S^2, so that 2 t S -> I: the decay is like t^{-1/2}."""
    run = unscaled_plane(-1.0)
    x, t1 = np.asarray(run.points), float(run.ts[-1])
    sizes = np.linalg.norm(x, axis=-1).max(axis=1)
    assert np.all(np.diff(sizes) < 0)
    assert sizes[-1] < 0.01 * sizes[0]
    # the next term is of relative size log(t)/t
    np.testing.assert_allclose(2 * t1 * np.cov(x[-1].T, bias=True), np.eye(2), rtol=0, atol=5e-3)
    growing = np.linalg.norm(np.asarray(unscaled_plane(1.0).points), axis=-1).max(axis=1)
    assert growing[-1] > growing[0]  # the control: V = I


def distance_change(run):
    """The smallest change of any pairwise distance between consecutive saved times, relative to the largest."""
    x = np.asarray(run.points)
    distances = np.linalg.norm(x[:, :, None] - x[:, None, :], axis=-1)
    return np.min(np.diff(distances, axis=0)) / distances.max()


def test_1f_distances_do_not_decrease():
    assert distance_change(unscaled_plane(1.0)) >= -1e-9  # the solver's tolerance
    assert distance_change(unscaled_plane(-1.0)) < -1e-3  # the control: V = -I


def test_rescaled_frame_is_the_unscaled_flow():
    """z = e^{-tV} x along a whole run, for a V that is neither symmetric nor diagonal."""
    from scipy.linalg import expm

    V = np.array(POSITIVE_MATRICES["2d"])
    start = np.random.default_rng(1).uniform(-1, 1, size=(20, 2))
    ends = []
    for rescaled, count in ((False, 51), (True, 101)):  # the counts of the runs above, which are compiled already
        model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=V, rescaled=rescaled)
        run = tkf.solve(model, start, t1=1.0, save=count, rtol=1e-9, atol=1e-11)
        ends.append(np.asarray(run.points)[[(count - 1) // 2, -1]])
    x, z = ends
    for k, t in enumerate((0.5, 1.0)):
        # some dozen steps at rtol = 1e-9
        np.testing.assert_allclose(z[k] @ expm(t * V).T, x[k], rtol=0, atol=1e-7)


def test_t_50_in_the_rescaled_frame_is_finite():
    """At t = 50 the unscaled logits would be e^{100}."""
    start = np.random.default_rng(0).uniform(-5, 5, size=(20, 2))
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=np.eye(2), rescaled=True)
    run = tkf.solve(model, start, t1=50.0, save=101, rtol=1e-9, atol=1e-11)
    assert run.result.name == "finished"
    assert np.all(np.isfinite(np.asarray(run.points)))
    assert distance_to_limit_set(np.asarray(run.final.points)) < 1e-6
