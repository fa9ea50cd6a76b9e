"""The merge tree of runs made by hand and of a real one, and its branches against a literal construction."""

from __future__ import annotations

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Euclidean, Measure, Softmax, Sphere, Transformer, solve
from tokenfield.observables import Branches, MergeTree, merge_tree, tree
from tokenfield.solver.result import Outcome, Result
from tokenfield.solver.trajectory import Stats, Trajectory


def partition(labels):
    labels = np.asarray(labels)
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


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


def on_line(*rows):
    return np.array(rows, float)[:, :, None]


def test_merge_tree_of_a_blob_that_splits_and_then_merges():
    # at time 0 one chain; then {0,1} {2} {3,4}; then {0,1,2} {3,4}; then all
    points = on_line([0, 1, 2, 3, 4], [0, 0.5, 5, 10, 10.5], [0, 0.5, 1, 10, 10.5], [5, 5, 5, 5, 5])
    run = run_of(points, weights=[0.1, 0.1, 0.2, 0.4, 0.2])
    assert run.cluster_counts(delta=1.1).tolist() == [1, 3, 2, 1]
    found = merge_tree(run, delta=1.1)
    assert found.counts.tolist() == [3, 3, 2, 1]
    assert [partition(row) for row in found.labels] == [
        {frozenset({0, 1}), frozenset({2}), frozenset({3, 4})},
        {frozenset({0, 1}), frozenset({2}), frozenset({3, 4})},
        {frozenset({0, 1, 2}), frozenset({3, 4})},
        {frozenset({0, 1, 2, 3, 4})},
    ]
    first, second = found.merges
    assert first.t == 2.0
    assert [part.tolist() for part in first.parts] == [[0, 1], [2]]
    assert first.mass == pytest.approx(0.4)
    assert second.t == 3.0
    assert [part.tolist() for part in second.parts] == [[3, 4], [0, 1, 2]]
    assert second.masses == pytest.approx((0.6, 0.4))
    assert second.mass == pytest.approx(1.0)


def test_merge_tree_forgets_encounters_that_do_not_last():
    # tokens 0 and 1 meet at time 1, part at time 2 and meet for good at time 3; token 2 stays away
    run = run_of(on_line([0, 5, 99], [0, 0, 99], [0, 5, 99], [0, 0, 99], [0, 1, 99]))
    found = run.merge_tree(delta=1.0)
    assert found.counts.tolist() == [3, 3, 3, 2, 2]
    assert [(merge.t, len(merge.parts)) for merge in found.merges] == [(3.0, 2)]


def test_merge_tree_of_several_merges_at_once():
    run = run_of(on_line([0, 10, 20, 30, 40], [0, 0, 0, 30, 30]))
    found = run.merge_tree(delta=1.0)
    assert [[part.tolist() for part in merge.parts] for merge in found.merges] == [[[0], [1], [2]], [[3], [4]]]
    assert found.labels.tolist() == [[0, 1, 2, 3, 4], [0, 0, 0, 1, 1]]


@pytest.mark.slow
def test_merge_tree_of_a_real_run_is_a_tree():
    model = Transformer(Sphere(2), Softmax(9.0))
    theta = np.sort(np.random.default_rng(6).uniform(0, 2 * np.pi, size=40))
    run = solve(model, np.stack([np.cos(theta), np.sin(theta)], axis=1), t1=20.0, save=21)
    found = run.merge_tree()
    for before, after in itertools.pairwise(found.labels):
        # every group of `before` lies in one group of `after`
        assert len(set(zip(before, after, strict=True))) == before.max() + 1
    last = run.clusters()
    assert partition(found.labels[-1]) == partition(last.labels)
    assert last.delta == pytest.approx(0.1)
    assert run.cluster_counts()[-1] == last.count == found.counts[-1] > 1
    assert sum(len(merge.parts) - 1 for merge in found.merges) == found.counts[0] - found.counts[-1]


# --- branches ------------------------------------------------------------------------------------------------------


def test_branches_of_a_known_tree():
    labels = np.array([[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 1], [0, 0, 0, 0]])
    found = Branches.of(labels, np.array([0.1, 0.2, 0.3, 0.4]))
    assert found.starts.tolist() == [0, 0, 0, 0, 1, 2, 3]
    lives = sorted(zip(found.masses.round(9).tolist(), found.starts.tolist(), found.ends.tolist(), strict=True))
    assert lives == [(0.1, 0, 1), (0.2, 0, 1), (0.3, 0, 2), (0.3, 1, 3), (0.4, 0, 2), (0.7, 2, 3), (1.0, 3, 4)]
    root = int(np.argmax(found.masses))
    assert found.parents[root] == -1
    assert found.heights[root] == pytest.approx(0.5)
    assert np.sum(found.parents == root) == 2
    assert found.large_merges(least=0.25).tolist() == [2, 3]
    assert found.large_merges(least=0.35).tolist() == []


def nested(n, times, seed):
    """Random partitions (times, n) that get coarser, from single tokens on; some times change nothing."""
    rng = np.random.default_rng(seed)
    rows = [np.arange(n)]
    for k in range(1, times):
        groups = rows[-1].max() + 1
        joined = rng.integers(0, max(groups // 2, 1), groups) if k % 3 else np.arange(groups)
        rows.append(np.unique(joined[rows[-1]], return_inverse=True)[1])
    return np.stack(rows)


def test_branches_are_the_groups_of_all_partitions():
    labels = nested(300, 9, seed=1)
    w = np.random.default_rng(2).uniform(size=300)
    w /= w.sum()
    found = Branches.of(labels, w)
    # literally: a group lives from the first partition that has it to the last
    lives = {}
    for k, row in enumerate(labels):
        for group in partition(row):
            first = lives.get(group, (k, k))[0]
            lives[group] = (first, k + 1)
    expected = sorted((start, end, round(float(w[list(group)].sum()), 12)) for group, (start, end) in lives.items())
    assert sorted(zip(found.starts, found.ends, found.masses.round(12).tolist(), strict=True)) == expected
    for i, parent in enumerate(found.parents):
        assert (parent < 0) == (found.ends[i] == len(labels))
        if parent >= 0:
            assert found.starts[parent] == found.ends[i]
            assert labels[found.starts[parent], found.tokens[i]] == labels[found.starts[parent], found.tokens[parent]]


def test_branches_of_many_tokens_take_one_search_for_each_time(monkeypatch):
    # a search for each group in a list of all the others took 25 s for these tokens
    searches = []

    def search(table, wanted):
        assert isinstance(table, np.ndarray)  # a list would be copied at each search
        searches.append(wanted)
        return real(table, wanted)

    real = np.searchsorted
    monkeypatch.setattr(tree.np, "searchsorted", search)
    labels = nested(40_000, 12, seed=3)
    found = Branches.of(labels, np.full(40_000, 1 / 40_000))
    assert len(searches) <= len(labels)
    # every branch but the last ones has a parent that starts where it ends
    inner = found.parents >= 0
    np.testing.assert_array_equal(found.starts[found.parents[inner]], found.ends[inner])
    assert np.sum(found.starts == 0) == 40_000 and np.sum(~inner) == labels[-1].max() + 1
    assert found.masses[~inner].sum() == pytest.approx(1.0, rel=1e-10)


def test_large_merges_are_those_of_several_tokens_each():
    # two pairs of tokens join at time 1, the two groups of four at time 2
    labels = np.array([[0, 0, 1, 1, 2, 2, 2, 2], [0, 0, 0, 0, 1, 1, 1, 1], [0] * 8])
    found = MergeTree(np.arange(3.0), labels, (), np.full(8, 1 / 8))
    assert found.large_merges().tolist() == [2]  # a pair has less than 2.5 tokens
    assert found.large_merges(least=0.6).tolist() == []
    heavy = np.array([1.0, 1, 1, 1, 12, 12, 12, 12]) / 52
    assert MergeTree(np.arange(3.0), labels, (), heavy).large_merges().tolist() == []
