"""Laws over an all-pairs covering of the catalog: whatever the catalog does not exclude works, together with all else.

Every pair of kinds that is not excluded is in some combination here, so these also show that nothing else is refused.
"""

from __future__ import annotations

import numpy as np
import pytest

import combinations
import tokenfield as tkf
from tokenfield.solver import solve as flow

COVERING = list(enumerate(combinations.covering()))
# Sums of six terms of order one, and a normalization or two: a dozen roundings.
ROUNDING = 1e-12


def name(case) -> str:
    return f"{case[0]}-{combinations.name_of(case[1])}"


def permuted(mu: tkf.Measure, order: np.ndarray) -> tkf.Measure:
    radii = None if mu.radii is None else mu.radii[order]
    return tkf.Measure(mu.points[order], mu.weights[order], positions=mu.positions[order], radii=radii)


def assert_lawful_measure(mu: tkf.Measure, before: tkf.Measure, geometry: tkf.Geometry):
    assert np.all(np.isfinite(mu.points)) and mu.points.shape == before.points.shape
    # weights are normalized once more on the way into `solve`: one rounding
    np.testing.assert_allclose(mu.weights, before.weights, rtol=1e-15)
    np.testing.assert_array_equal(mu.positions, before.positions)
    if isinstance(geometry, tkf.Sphere):
        np.testing.assert_allclose(np.linalg.norm(mu.points, axis=1), 1, rtol=0, atol=ROUNDING)
    if mu.radii is not None:
        assert np.all(np.isfinite(mu.radii)) and np.all(mu.radii > 0)


def test_every_allowed_pair_is_covered():
    covered = {pair for _, chosen in COVERING for pair in combinations.pairs_of(chosen)}
    assert combinations.allowed_pairs() <= covered
    assert all(combinations.makes_sense(chosen) for _, chosen in COVERING)
    assert len(COVERING) < 150  # 9 attentions times 8 methods are 72; far more would not be a covering but a crowd


@pytest.mark.parametrize("case", COVERING, ids=name)
def test_combination_is_accepted(case, monkeypatch):
    number, chosen = case
    monkeypatch.setattr(flow, "solve_plan", lambda problem, **_: "accepted")
    assert combinations.solve(*combinations.build(chosen, variant=number)) == "accepted"


# a quarter always, the rest with the slow tests: operations run one by one, but each new shape is compiled
SAMPLED = [case if case[0] % 4 == 0 else pytest.param(case, marks=pytest.mark.slow) for case in COVERING]


@pytest.mark.parametrize("case", SAMPLED, ids=name)
def test_combination_is_lawful(case):
    number, chosen = case
    model, mu, _ = combinations.build(chosen, variant=number)
    t = 0.5 * combinations.STEP
    velocity = np.asarray(model.velocity(t, mu.points, mu))
    assert np.all(np.isfinite(velocity)) and np.abs(velocity).max() > 1e-3
    if isinstance(model.geometry, tkf.Sphere):
        np.testing.assert_allclose(np.sum(velocity * mu.points, axis=1), 0, rtol=0, atol=ROUNDING)
    layer = model.layer(t, mu, step=combinations.STEP)
    assert_lawful_measure(layer, mu, model.geometry)

    order = np.random.default_rng(1).permutation(combinations.N)
    after = model.layer(t, permuted(mu, order), step=combinations.STEP)
    moved = np.abs(layer.points - mu.points).max()
    assert moved > 1e-4
    np.testing.assert_allclose(after.points, np.asarray(layer.points)[order], rtol=0, atol=ROUNDING * max(1, moved))
    if layer.radii is not None:
        np.testing.assert_allclose(after.radii, np.asarray(layer.radii)[order], rtol=0, atol=ROUNDING * max(1, moved))


def test_positions_break_exchangeability():
    """The control: the comparison sees tokens that are permuted without their positions."""
    chosen = combinations.completed("position:causal", "attention:softmax")
    model, mu, _ = combinations.build(chosen)
    order = np.roll(np.arange(combinations.N), 1)
    other = tkf.Measure(mu.points[order], mu.weights[order])
    difference = model.layer(0.0, other, step=0.1).points - model.layer(0.0, mu, step=0.1).points[order]
    assert np.abs(difference).max() > 1e-3


def one_per_method() -> list[tuple[int, combinations.Combination]]:
    """For each method a combination, each with another attention."""
    methods, attentions = combinations.FACTORS["method"], combinations.FACTORS["attention"]
    wanted = zip(methods, attentions, strict=False)
    return [next(case for case in COVERING if (case[1]["method"], case[1]["attention"]) == pair) for pair in wanted]


@pytest.mark.slow
@pytest.mark.parametrize("case", one_per_method(), ids=name)
def test_combination_is_solved(case):
    number, chosen = case
    model, mu, config = combinations.build(chosen, variant=number)
    run = combinations.solve(model, mu, config)
    assert run.result.name == "finished"
    assert_lawful_measure(run.final, mu, model.geometry)
    assert np.abs(run.final.points - mu.points).max() > 1e-4
