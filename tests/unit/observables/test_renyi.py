"""Renyi centers against their definition in two loops, and their numbers against arXiv 2411.04990."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.observables import renyi, renyi_centers, renyi_scale


def literal_centers(x: np.ndarray, p: np.ndarray, delta: float, *, strong: bool, on_sphere: bool) -> list[int]:
    """The definition: tokens in order of position, more than delta from all earlier tokens, or centers."""
    order = sorted(range(len(x)), key=lambda i: (p[i], i))
    centers: list[int] = []
    for place, i in enumerate(order):
        others = order[:place] if strong else centers
        distances = [
            np.arccos(np.clip(np.dot(x[i], x[j]), -1, 1)) if on_sphere else np.linalg.norm(x[i] - x[j]) for j in others
        ]
        if all(distance > delta for distance in distances):
            centers.append(i)
    return centers


def uniform(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.normal(size=(n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("geometry", [tkf.Sphere(2), tkf.Sphere(5), tkf.Euclidean(1), tkf.Euclidean(3)])
def test_centers_equal_the_definition(geometry, strong, monkeypatch):
    # blocks of a few pairs, so that the blocks are also tested with few tokens
    monkeypatch.setattr(renyi, "PAIRS_AT_A_TIME", 200)
    rng = np.random.default_rng(0)
    on_sphere = isinstance(geometry, tkf.Sphere)
    for delta in (0.1, 0.7, 2.0):
        x = uniform(rng, 60, geometry.d) if on_sphere else rng.normal(size=(60, geometry.d))
        p = rng.integers(0, 40, 60).astype(float)  # not sorted, and some are equal
        got = renyi_centers(tkf.Measure(x, positions=p), geometry, delta=delta, strong=strong)
        assert got.indices.tolist() == literal_centers(x, p, delta, strong=strong, on_sphere=on_sphere)
        assert got.count == len(got.indices)


def test_blocks_do_not_matter(monkeypatch):
    x = uniform(np.random.default_rng(1), 500, 3)
    mu, geometry = tkf.Measure(x), tkf.Sphere(3)
    results = []
    for pairs in (1, 1000, 10**9):
        monkeypatch.setattr(renyi, "PAIRS_AT_A_TIME", pairs)
        found = [renyi_centers(mu, geometry, delta=0.3, strong=strong) for strong in (False, True)]
        results.append([(centers.indices.tolist(), centers.labels.tolist()) for centers in found])
    assert results[0] == results[1] == results[2]


def test_order_is_that_of_positions():
    line, geometry = np.array([[0.0], [0.8], [1.6]]), tkf.Euclidean(1)
    assert renyi_centers(tkf.Measure(line), geometry, delta=1.0).indices.tolist() == [0, 2]
    middle_first = tkf.Measure(line, positions=[5.0, -1.0, 7.0])
    assert renyi_centers(middle_first, geometry, delta=1.0).indices.tolist() == [1]


def test_strong_centers_are_centers_but_not_all_of_them():
    x = uniform(np.random.default_rng(2), 300, 2)
    mu, geometry = tkf.Measure(x), tkf.Sphere(2)
    ordinary, strong = (renyi_centers(mu, geometry, delta=0.3, strong=s) for s in (False, True))
    assert set(strong.indices) < set(ordinary.indices)
    assert ordinary.strong is False and strong.strong is True


def test_labels_are_the_nearest_centers_within_delta():
    x = uniform(np.random.default_rng(3), 200, 3)
    mu, geometry = tkf.Measure(x), tkf.Sphere(3)
    ordinary, strong = (renyi_centers(mu, geometry, delta=0.4, strong=s) for s in (False, True))
    # every token that is no center has one within delta, else it would be one
    assert np.all(ordinary.labels >= 0)
    assert np.any(strong.labels < 0)
    for found in (ordinary, strong):
        angles = np.arccos(np.clip(x @ x[found.indices].T, -1, 1))
        nearest = np.where(angles.min(axis=1) <= 0.4, angles.argmin(axis=1), -1)
        assert found.labels.tolist() == nearest.tolist()
        assert found.labels[found.indices].tolist() == list(range(found.count))


def test_labels_at_another_time_follow_the_tokens():
    geometry = tkf.Euclidean(1)
    start = tkf.Measure([[0.0], [3.0], [0.9], [2.5]])
    centers = renyi_centers(start, geometry, delta=1.0)
    assert centers.labels.tolist() == [0, 1, 0, 1]
    # the third token has moved away from both centers, and the fourth to the first
    assert centers.labels_at(tkf.Measure([[0.0], [3.0], [1.5], [0.2]])).tolist() == [0, 1, -1, 0]
    with pytest.raises(InvalidInput, match="those of 4 tokens"):
        centers.labels_at(tkf.Measure([[0.0]]))


def test_ties_count_as_near_and_pi_is_everything():
    assert renyi_centers(tkf.Measure([[0.0], [0.3], [0.6]]), tkf.Euclidean(1), delta=0.3).indices.tolist() == [0, 2]
    antipodes = tkf.Measure([[1.0, 0.0], [-1.0, 0.0]])
    assert renyi_centers(antipodes, tkf.Sphere(2), delta=3.0).count == 2
    assert renyi_centers(antipodes, tkf.Sphere(2), delta=np.pi).count == 1
    assert renyi_centers(antipodes, tkf.Sphere(2), delta=4.0, strong=True).count == 1


def test_scale_comes_from_the_model():
    assert renyi_scale(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(64.0))) == 0.5
    heads = [tkf.Head(tkf.Softmax(4.0)), tkf.Head(tkf.Softmax(16.0))]
    assert renyi_scale(tkf.Transformer(tkf.Sphere(3), heads)) == 1.0
    with pytest.raises(Unsupported, match=r"R\^d"):
        renyi_scale(tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0)))
    with pytest.raises(Unsupported, match="positive beta"):
        renyi_scale(tkf.Transformer(tkf.Sphere(2), tkf.Linear()))


def test_errors():
    mu = tkf.Measure([[1.0, 0.0]])
    for delta in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InvalidInput, match="positive finite delta"):
            renyi_centers(mu, tkf.Sphere(2), delta=delta)
    with pytest.raises(InvalidInput, match="dimension 2"):
        renyi_centers(mu, tkf.Sphere(3), delta=1.0)


class Counts:
    """Monte Carlo means and standard errors of the numbers of (strong, ordinary) centers of uniform tokens."""

    def __init__(self, d: int, delta: float, n: int, runs: int):
        rng, geometry = np.random.default_rng(2411), tkf.Sphere(d)
        counts = np.array(
            [
                [renyi_centers(mu, geometry, delta=delta, strong=strong).count for strong in (True, False)]
                for mu in (tkf.Measure(uniform(rng, n, d)) for _ in range(runs))
            ]
        )
        self.mean, self.error = counts.mean(axis=0), counts.std(axis=0, ddof=1) / np.sqrt(runs)

    def agree(self, strong: float, ordinary: float, *, digits: float) -> bool:
        """Within 3 standard errors, and the last printed digit of a reference that is itself a Monte Carlo mean."""
        return bool(np.all(np.abs(self.mean - [strong, ordinary]) < 3 * self.error + digits))


# number of tokens and runs: the third row's reference count of ordinary centers belongs to n = 2000 (27.1 at n = 200)
REFERENCES = [
    (2, 0.5, 200, 500, 6.29, 9.15, 0.01),
    (2, 0.2, 2000, 60, 15.7, 23.3, 0.1),
    (3, 0.5, 2000, 100, 16.3, 32.8, 0.1),
]


@pytest.mark.parametrize(("d", "delta", "n", "runs", "strong", "ordinary", "digits"), REFERENCES)
def test_monte_carlo_counts(d, delta, n, runs, strong, ordinary, digits):
    counts = Counts(d, delta, n, runs)
    assert counts.agree(strong, ordinary, digits=digits)
    # Lemma C.1 of arXiv 2411.04990 for n tokens: the i-th is a strong center with probability (1 - share)^i
    share = delta / np.pi if d == 2 else np.sin(delta / 2) ** 2
    exact = (1 - (1 - share) ** n) / share
    assert abs(counts.mean[0] - exact) < 3 * counts.error[0]
    assert exact == pytest.approx(np.pi / delta if d == 2 else 1 / np.sin(delta / 2) ** 2, rel=1e-9)
    if d == 3:
        # a circulating formula is three times too small
        assert abs(counts.mean[0] - exact / 3) > 20 * counts.error[0]
    else:
        # the parking constant is a limit n -> infinity: from below, and 3% are missing at n = 200
        parked = 0.7476 * 2 * np.pi / delta
        assert 0.96 * parked < counts.mean[1] < parked + 3 * counts.error[1]
