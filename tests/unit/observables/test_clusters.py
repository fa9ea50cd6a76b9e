"""Clusters against brute-force union-find on every route, their description and their cost."""

from __future__ import annotations

import itertools
import time
import tracemalloc

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from tokenfield import Euclidean, Head, InvalidInput, Measure, Save, Softmax, Sphere, Transformer, solve
from tokenfield.model.schedule import FunctionOfDepth
from tokenfield.observables import cluster_scale, clusters, components
from tokenfield.observables.clusters import CELLS_FROM, components_of
from tokenfield.solver import trajectory
from tokenfield.solver.result import Outcome, Result
from tokenfield.solver.trajectory import Stats, Trajectory


def union_find(x, near):
    """The partition of points by `near(a, b)`, over all pairs, as a set of frozen sets of indices."""
    parent = list(range(len(x)))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in itertools.combinations(range(len(x)), 2):
        if near(x[i], x[j]):
            parent[root(i)] = root(j)
    return partition([root(i) for i in range(len(x))])


def partition(labels):
    labels = np.asarray(labels)
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def random_cloud(d, rng):
    return unit(rng.normal(size=(400, d)))


def clustered_cloud(d, rng):
    centers = unit(rng.normal(size=(6, d)))
    return unit(centers[rng.integers(6, size=400)] + 0.05 / np.sqrt(d) * rng.normal(size=(400, d)))


def collapsed_cloud(d, rng):
    centers = unit(rng.normal(size=(3, d)))
    return unit(centers[rng.integers(3, size=400)] + 1e-9 * rng.normal(size=(400, d)))


def antipodal_cloud(d, rng):
    half = unit(np.eye(d)[0] + 0.05 * rng.normal(size=(150, d)))
    return np.concatenate([half, -half])


def chain_cloud(d, rng):
    """Points of a great circle with steps that are alternately just below and just above the scale."""
    steps = 0.1 * np.where(rng.random(50) < 0.7, 1 - 1e-9, 1 + 1e-9)
    angles = np.cumsum(steps)
    x = np.zeros((50, d))
    x[:, 0], x[:, 1] = np.cos(angles), np.sin(angles)
    # an isometry, so that no step is along an axis
    return rng.permutation(x @ np.linalg.qr(rng.normal(size=(d, d)))[0])


CLOUDS = [random_cloud, clustered_cloud, collapsed_cloud, antipodal_cloud, chain_cloud]


def angle(a, b):
    return 2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))


def routes(d):
    chord = 2 * np.sin(0.05)
    yield "tiles", lambda x: components.in_tiles(x, chord)
    if d <= 3:
        yield "cells", lambda x: components.in_cells(x, chord)
    if d == 2:
        yield "circle", lambda x: components.on_circle(np.arctan2(x[:, 1], x[:, 0]), 0.1)
    yield "chosen", lambda x: components_of(x, Sphere(d), 0.1)


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("d", [2, 3, 4, 20])
def test_every_route_gives_the_partition_of_union_find_on_the_sphere(cloud, d):
    x = cloud(d, np.random.default_rng(0))
    expected = union_find(x, lambda a, b: angle(a, b) <= 0.1)
    for name, route in routes(d):
        assert partition(route(x)) == expected, name


@pytest.mark.parametrize("d", [1, 2, 3, 4, 12])
@pytest.mark.parametrize("radius", [0.02, 0.3, 2.0])
def test_every_route_gives_the_partition_of_union_find_in_space(d, radius):
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(size=(150, d)), 5 + 0.01 * rng.normal(size=(150, d)), 7 * np.eye(d)])
    expected = union_find(x, lambda a, b: np.linalg.norm(a - b) <= radius)
    assert partition(components_of(x, Euclidean(d), radius)) == expected
    assert partition(components.in_tiles(x, radius)) == expected
    if d <= 3:
        assert partition(components.in_cells(x, radius)) == expected


@pytest.mark.parametrize("few_pairs", [0, 10**9])
@pytest.mark.parametrize(("gap", "count"), [(1 - 1e-9, 1), (1 + 1e-9, 2)])
def test_crowded_neighboring_cells_are_decided_by_their_nearest_points(monkeypatch, gap, count, few_pairs):
    # by trees (few_pairs = 0) and by direct comparison
    monkeypatch.setattr(components, "FEW_PAIRS", few_pairs)
    rng = np.random.default_rng(2)
    # two slabs more than 1 apart; one point in the first, one in the last place of their crowded cells bridge them
    slab = rng.uniform(size=(3000, 3)) * [0.5, 3.0, 0.5]
    other = rng.uniform(size=(3000, 3)) * [0.1, 3.0, 0.5] + [1.6, 0.0, 0.0]
    bridge = np.array([[0.55, 1.5, 0.25], [0.55 + gap, 1.5, 0.25]])
    x = np.concatenate([slab, bridge[:1], other, bridge[1:]])
    labels = components.in_cells(x, 1.0)
    assert len(np.unique(labels)) == count
    assert partition(labels) == partition(components.in_tiles(x, 1.0))


def test_tiles_decide_by_differences_where_the_matrix_product_has_no_digits():
    rng = np.random.default_rng(7)
    base = 1e3 * rng.normal(size=(100, 12))
    step = unit(rng.normal(size=(100, 12))) * 1e-7 * np.where(np.arange(100) % 2, 1 - 1e-3, 1 + 1e-3)[:, None]
    # |x|^2 = 1e7 with 16 digits says nothing about squared distances of 1e-14
    labels = components.in_tiles(np.concatenate([base, base + step]), 1e-7)
    assert (labels[:100] == labels[100:]).tolist() == [bool(i % 2) for i in range(100)]
    assert len(np.unique(labels)) == 150


def test_tiles_of_one_component_reach_the_next_one():
    rng = np.random.default_rng(8)
    # whole tiles lie in the first blob, so only the ball around them can find the second
    blobs = [1e-3 * rng.normal(size=(2 * components.TILE, 4)), 1e-3 * rng.normal(size=(300, 4)) + [0.9, 0, 0, 0]]
    assert len(np.unique(components.in_tiles(np.concatenate(blobs), 1.0))) == 1
    assert len(np.unique(components.in_tiles(np.concatenate(blobs), 0.8))) == 2


def test_tiles_hold_for_any_scale_and_leave_points_that_are_not_finite_alone():
    rng = np.random.default_rng(9)
    # dense and sparse places, over several tiles
    x = np.concatenate([rng.normal(size=(400, 5)), 0.1 * rng.normal(size=(500, 5))])
    expected = partition(components.in_tiles(x, 0.5))
    assert 10 < len(expected) < 700
    assert expected == partition(connected_components(cdist(x, x) <= 0.5)[1])
    for scale in (1e-30, 1e30):  # float32 ends at 1e38, and with squares at 1e19
        assert partition(components.in_tiles(scale * x, scale * 0.5)) == expected
    x = np.concatenate([x, [[np.nan] * 5, [np.inf] * 5]])
    assert partition(components.in_tiles(x, 0.5)) == expected | {frozenset([900]), frozenset([901])}


def test_large_clouds_agree_between_routes():
    rng = np.random.default_rng(3)
    # near the percolation threshold there are components of all sizes
    x = unit(rng.normal(size=(5000, 3)))
    by_cells, by_tiles = components.in_cells(x, 0.05), components.in_tiles(x, 0.05)
    assert partition(by_cells) == partition(by_tiles)
    assert 20 < len(np.unique(by_cells)) < 2500


def test_circle_closes_across_the_cut_of_the_angle():
    theta = np.pi + np.array([-0.05, 0.04, -2.0, 2.0])
    x = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    assert clusters(Measure(x), Sphere(2), delta=0.1).sizes.tolist() == [2, 1, 1]


def test_ties_count_as_near_on_every_route():
    n = 60
    theta = 2 * np.pi * np.arange(n) / n
    x = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    step = 2 * np.pi / n
    for points, d in ((x, 2), (np.pad(x, ((0, 0), (0, 1))), 3), (np.pad(x, ((0, 0), (0, 10))), 12)):
        assert clusters(Measure(points), Sphere(d), delta=step).count == 1
        assert clusters(Measure(points), Sphere(d), delta=step * (1 - 1e-9)).count == n


def test_clusters_are_described_by_decreasing_mass():
    x = unit(np.array([[1.0, 0.0], [0.0, 1.0], [0.02, 1.0], [-1.0, 0.01], [-1.0, -0.01]]))
    w = np.array([0.5, 0.1, 0.05, 0.2, 0.15])
    found = clusters(Measure(x, w), Sphere(2), delta=0.1)
    assert found.count == 3
    assert found.delta == 0.1
    assert found.labels.tolist() == [0, 2, 2, 1, 1]
    assert found.sizes.tolist() == [1, 2, 2]
    np.testing.assert_allclose(found.masses, [0.5, 0.35, 0.15])
    means = np.array([w[[0]] @ x[[0]], w[3:] @ x[3:], w[1:3] @ x[1:3]])
    np.testing.assert_allclose(found.centers, unit(means), atol=1e-15)


def test_equal_masses_are_ordered_by_the_first_token():
    found = clusters(Measure([[5.0], [0.0], [9.0], [5.0], [0.0], [9.0]]), Euclidean(1), delta=1.0)
    assert found.labels.tolist() == [0, 1, 2, 0, 1, 2]
    np.testing.assert_allclose(found.centers[:, 0], [5.0, 0.0, 9.0])


def test_a_ring_has_a_token_as_center_and_wide_scales_give_one_cluster():
    theta = 2 * np.pi * np.arange(8) / 8
    ring = Measure(np.stack([np.cos(theta), np.sin(theta)], axis=1), [1, 1, 1, 2, 1, 1, 1, 2])
    found = clusters(ring, Sphere(2), delta=1.0)
    np.testing.assert_allclose(found.centers, ring.points[3:4], atol=1e-15)
    assert clusters(Measure([[1.0, 0, 0], [-1.0, 0, 0]]), Sphere(3), delta=np.pi).count == 1
    assert clusters(Measure([[1.0, 0, 0], [-1.0, 0, 0]]), Sphere(3), delta=3.14).count == 2


def test_default_scales():
    assert cluster_scale(Transformer(Sphere(3), Softmax(9.0))) == pytest.approx(0.1)
    assert cluster_scale(Transformer(Sphere(3), Softmax(0.0))) == pytest.approx(0.3)
    assert cluster_scale(Transformer(Sphere(3), [Head(Softmax(1.0)), Head(Softmax(4.0))])) == pytest.approx(0.15)
    growing = Transformer(Sphere(3), FunctionOfDepth(lambda t: Head(Softmax(1.0 + t))))
    assert cluster_scale(growing, 3.0) == pytest.approx(0.15)
    assert cluster_scale(Transformer(Euclidean(3), Softmax(9.0))) is None
    # extent 10: the default is 0.1
    assert clusters(Measure([[0.0, 0.0], [0.09, 0.0], [10.0, 1.0], [10.0, 1.2]]), Euclidean(2)).count == 3
    assert clusters(Measure([[2.0, 1.0]] * 3), Euclidean(2)).count == 1
    with pytest.raises(InvalidInput, match="cluster_scale"):
        clusters(Measure(np.eye(3)), Sphere(3))
    for delta in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InvalidInput, match="positive"):
            clusters(Measure(np.eye(3)), Sphere(3), delta=delta)


def test_scales_below_rounding_still_find_equal_tokens():
    x = np.repeat(unit(np.random.default_rng(4).normal(size=(700, 3))), 3, axis=0)
    assert len(x) > CELLS_FROM
    assert clusters(Measure(x), Sphere(3), delta=1e-14).count == 700


@pytest.mark.parametrize("spread", [1e-2, 1e-6, 0.0])
def test_a_hundred_thousand_collapsed_tokens_take_seconds_and_little_memory(spread):
    rng = np.random.default_rng(5)
    centers = unit(np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0.1, 0.2, 1]]))
    x = unit(centers[rng.integers(5, size=100_000)] + spread * rng.normal(size=(100_000, 3)))
    mu = Measure(x)
    tracemalloc.start()
    start = time.perf_counter()
    found = clusters(mu, Sphere(3), delta=0.1)
    elapsed = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.count == 5
    # about 0.1 s alone; the tokens are 2.4 MB, the pairs would be 10^10
    assert elapsed < 5
    assert peak < 100e6


# --- along a run ---------------------------------------------------------------------------------------------------


def run_of(points, *, weights=None, model=None):
    """A trajectory made by hand from points (T, n, d) at times 0, 1, 2, ..."""
    points = jnp.asarray(points, float)
    ts = jnp.arange(float(len(points)))
    zero = jnp.zeros(())
    model = Transformer(Euclidean(points.shape[2]), Softmax(1.0)) if model is None else model
    return Trajectory(
        ts=ts,
        states={"points": points},
        observables={},
        final=Measure(points[-1], weights),
        result=Result(jnp.asarray(Outcome.FINISHED.value), ts[-1]),
        stats=Stats(zero, zero, zero),
        model=model,
    )


def test_clusters_of_a_run_use_the_scale_of_their_time():
    model = Transformer(Sphere(2), FunctionOfDepth(lambda t: Head(Softmax(1.0 + 8.0 * t))))
    pair = [[1.0, 0.0], [np.cos(0.2), np.sin(0.2)]]
    run = run_of([pair, pair], model=model)
    # scale 0.3 at t = 0 and 0.1 at t = 1
    assert run.cluster_counts().tolist() == [1, 2]
    assert run.cluster_counts(delta=0.15).tolist() == [2, 2]


def test_clusters_of_a_run_are_found_once(monkeypatch):
    run = run_of(np.random.default_rng(10).normal(size=(3, 20, 4)))
    asked = []

    def counted(*arguments, **options):
        asked.append(options["delta"])
        return clusters(*arguments, **options)

    monkeypatch.setattr(trajectory, "clusters", counted)
    first = run.clusters(delta=0.5)
    # summary, colors, counts and trees all ask for the same
    assert run.clusters(-1, delta=0.5) is first and run.clusters(2, delta=0.5) is first
    assert run.merge_tree(delta=0.5) is run.merge_tree(delta=0.5)
    run.cluster_counts(delta=0.5)
    assert asked == [0.5] * 3
    other = eqx.tree_at(lambda run: run.states["points"], run, jnp.zeros((3, 20, 4)))
    assert other.clusters(delta=0.5).count == 1 < first.count and run.clusters(delta=9.0).count == 1


def test_clusters_of_a_run_that_kept_no_tokens():
    model = Transformer(Sphere(2), Softmax(1.0))
    run = solve(model, np.eye(2), t1=1.0, method="euler", step=0.5, save=Save(3, tokens=False))
    assert run.clusters().count == 2
    with pytest.raises(InvalidInput, match="kept no tokens"):
        run.cluster_counts()


def test_along_traces_once_where_it_can():
    run = run_of(np.random.default_rng(11).normal(size=(4, 6, 3)))
    calls = []

    def size(t, mu):
        calls.append(t)
        return t + jnp.sum(mu.points**2)

    expected = np.asarray(run.ts) + np.sum(np.asarray(run.points) ** 2, axis=(1, 2))
    np.testing.assert_allclose(run.along(size), expected, rtol=1e-14)
    assert len(calls) == 1
    # NumPy needs concrete arrays, and mistakes are those of the function
    np.testing.assert_allclose(run.along(lambda t, mu: t + np.sum(np.asarray(mu.points) ** 2)), expected, rtol=1e-14)
    with pytest.raises(AttributeError, match="point"):
        run.along(lambda t, mu: mu.point)
