"""Clusters that live exponentially long (arXiv 2410.06833): escape times, plateaus of the energy, the staircase.

Softmax attention on the sphere. Clusters that have collapsed are weighted tokens where times are long: an explicit
solver would spend a step of order one on every unit of time that a collapsed cluster exists.
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import theory
from tokenfield.observables import energy, merge_tree

# --- 6a: escape times -------------------------------------------------------------------------------------------------

COSINES = np.array([[1.0, 0.3, -0.1], [0.3, 1.0, 0.0], [-0.1, 0.0, 1.0]])
CENTERS = np.linalg.cholesky(COSINES)
EPS = 0.01


def leaves_its_cap(t, mu, model):
    """The smallest cosine of a token with where it started, less 1 - 2 eps: zero when one leaves its cap."""
    return jnp.min(jnp.sum(mu.points * CENTERS, axis=1)) - (1 - 2 * EPS)


@pytest.mark.slow
def test_6a_escape_times_grow_like_the_exponential_of_the_gap():
    betas = np.array([12.0, 18.0, 24.0, 30.0])
    times = []
    for beta in betas:
        model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
        mu = tkf.Measure(CENTERS, [0.3, 0.4, 0.3])
        run = tkf.solve(model, mu, t1=1e12, save="end", events=leaves_its_cap, max_steps=20_000)
        assert run.result.name == "leaves_its_cap"
        times.append(float(run.result.t))
    slope = np.polyfit(betas, np.log(times), 1)[0]
    # alpha is the largest cosine between the clusters; a factor 1/beta in the time takes 1/21 = 0.05 off the slope
    predicted = float(theory.escape_slope(0.3))
    assert slope == pytest.approx(predicted, abs=0.1)
    # the control: the other pairs of clusters do not set the time
    assert abs(slope - float(theory.escape_slope(0.0))) > 0.2
    # a finding: with alpha the largest cosine between points of the 2 eps-caps, as in the theorem, 1 - alpha is a lower
    # bound but no slope: it is 0.35 here
    angle = np.arccos(0.3) - 2 * np.arccos(1 - 2 * EPS)
    assert slope > 1 - np.cos(angle) + 0.1
    assert np.all(np.array(times) >= EPS / 3 * np.exp((1 - np.cos(angle)) * betas))  # T_2 of the theorem


# --- 6b, 6d: the staircase of the energy ------------------------------------------------------------------------------

BETA, T1, SAVED = 10.0, 1e4, 200
GRAM = np.array([[1.0, 0.3, 0.04, -0.15], [0.3, 1.0, 0.04, -0.15], [0.04, 0.04, 1.0, -0.1], [-0.15, -0.15, -0.1, 1.0]])
SIZES = (4, 3, 2, 3)
MODEL = tkf.Transformer(tkf.Sphere(4), tkf.Softmax(BETA))


def height(mu: tkf.Measure):
    return energy(mu, MODEL, normalized=True)


@cache
def staircase() -> tkf.Trajectory:
    """12 tokens around four directions, up to a single cluster."""
    centers = np.repeat(np.linalg.cholesky(GRAM), SIZES, axis=0)
    x = centers + 0.05 * np.random.default_rng(0).normal(size=centers.shape)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    save = tkf.Save(f"log:{SAVED}", observables={"height": height})
    return tkf.solve(MODEL, x, t1=T1, rtol=1e-5, save=save)


def predicted_merges() -> list[tuple[set[int], set[int]]]:
    """Which clusters merge, in order: the closest pair first, along its geodesic, others frozen.

    Masses enter as a_j/a_i: of the angle between the two, i covers the share a_j^2 / (a_i^2 + a_j^2).
    """
    groups = [
        ({i}, center, float(size)) for i, (center, size) in enumerate(zip(np.linalg.cholesky(GRAM), SIZES, strict=True))
    ]
    merges = []
    while len(groups) > 1:
        cosines = {(i, j): groups[i][1] @ groups[j][1] for j in range(len(groups)) for i in range(j)}
        i, j = max(cosines, key=lambda pair: cosines[pair])
        (one, x, a), (other, y, b) = groups[i], groups[j]
        angle, share = np.arccos(cosines[i, j]), b**2 / (a**2 + b**2)
        meeting = (np.sin((1 - share) * angle) * x + np.sin(share * angle) * y) / np.sin(angle)
        merges.append((one, other))
        groups = [group for k, group in enumerate(groups) if k not in (i, j)] + [(one | other, meeting, a + b)]
    return merges


def plateaus() -> list[float]:
    """The predicted heights: sum of the squared masses before the first merge and after each."""
    groups = [{i} for i in range(4)]
    heights = [float(theory.plateau(SIZES))]
    for one, other in predicted_merges():
        groups = [group for group in groups if group not in (one, other)] + [one | other]
        heights.append(float(theory.plateau([sum(SIZES[i] for i in group) for group in groups])))
    return heights


def rests(values: np.ndarray) -> list[float]:
    """The heights at which `values`, on a log scale of time, stay within 1e-3 for a factor of 2 in time."""
    window = int(SAVED * np.log(2) / np.log(1e6))  # the times span six decades
    found: list[float] = []
    for k in range(len(values) - window):
        part = values[k : k + window]
        if np.ptp(part) < 1e-3 and (not found or abs(part[-1] - found[-1]) > 1e-2):
            found.append(float(part[window // 2]))
    return found


@pytest.mark.slow
def test_6b_plateaus_are_at_the_sums_of_squared_masses():
    run = staircase()
    heights, ts = np.asarray(run.observables["height"]), np.asarray(run.ts)
    found = rests(heights[ts > 2.0])  # before, the clusters themselves form
    # the clusters still see each other by e^{-beta (1 - 0.3)} a_i a_j = 2e-4, and the plateau's own slope is below 1e-3
    np.testing.assert_allclose(found, plateaus(), atol=1e-3)
    assert np.all(np.diff(heights) > -1e-6)  # the energy rises, up to the solver's tolerance


@pytest.mark.slow
def test_6d_one_jump_per_merge_in_the_order_of_the_closest_pair():
    run = staircase()
    heights, ts = np.asarray(run.observables["height"]), np.asarray(run.ts)
    assert len(rests(heights[ts > 2.0])) - 1 == len(SIZES) - 1
    owner = np.repeat(np.arange(4), SIZES)
    tree = merge_tree(run, delta=0.3)
    merges = [{frozenset(owner[part].tolist()) for part in merge.parts} for merge in tree.merges]
    expected = [{frozenset(one), frozenset(other)} for one, other in predicted_merges()]
    assert merges == expected
    # the control: the order by index, and by mass, are different
    assert expected[0] == {frozenset({0}), frozenset({1})} and expected[1] == {frozenset({0, 1}), frozenset({2})}
    # each merge is at the time that the two clusters alone would take, up to the others and to a longer way round
    times = [merge.t for merge in tree.merges]
    first = float(theory.merge_time(BETA, cosine=0.3, masses=(4.0, 3.0), level=np.cos(0.3)))
    assert times[0] == pytest.approx(first, rel=0.3)
    assert times[0] < times[1] / 3 < times[2] / 9


# --- 6c: the bounds of the theorem ------------------------------------------------------------------------------------

CAP_BETA, CAP_EPS, PER_CAP, STARTS = 8.0, 0.01, 3, 4
DIRECTIONS = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
N_CAP = 2 * PER_CAP
ALPHA = np.cos(np.pi - 2 * np.arccos(1 - 2 * CAP_EPS))  # the largest cosine between points of the two 2 eps-caps
GAMMA = 1 - ALPHA - 8 * CAP_EPS - np.log(2 * N_CAP**2 / CAP_EPS) / CAP_BETA
T_1 = 2 * N_CAP * np.exp(8 * CAP_EPS * CAP_BETA) + np.e * N_CAP * GAMMA * CAP_BETA**2 / (CAP_BETA - 1)
T_2 = CAP_EPS / N_CAP * np.exp((1 - ALPHA) * CAP_BETA)
CAP_TIMES = np.append(0.0, np.geomspace(0.01, T_2, 80))


@eqx.filter_jit
def cap_flows(signs, x):
    def one(sign, points):
        model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(CAP_BETA), V=sign * jnp.eye(3))
        return tkf.solve(model, tkf.Measure(points), t1=CAP_TIMES[-1], rtol=1e-6, save=CAP_TIMES).points

    return jax.vmap(one)(signs, x)


@cache
def caps() -> np.ndarray:
    """(STARTS + 1, T, 2, 3, 3): tokens from random places in two antipodal eps-caps; the last run has V = -I."""
    rng = np.random.default_rng(0)
    starts = []
    for _ in range(STARTS):
        angle, turn = np.arccos(1 - CAP_EPS * rng.uniform(size=N_CAP)), rng.uniform(0, 2 * np.pi, N_CAP)
        side = np.repeat([1.0, -1.0], PER_CAP)
        starts.append(np.stack([np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn), side * np.cos(angle)], 1))
    x = np.array([*starts, starts[0]])
    signs = jnp.array([1.0] * STARTS + [-1.0])
    return np.asarray(cap_flows(signs, jnp.asarray(x))).reshape(STARTS + 1, len(CAP_TIMES), 2, PER_CAP, 3)


@pytest.mark.slow
def test_6c_bounds_of_the_theorem_hold():
    """Tokens stay in their 2 eps-caps on [0, T_2], and within a cap |x_i - x_j|^2 <= 2 e^{-lambda beta} on [T_1, T_2].

    lambda = gamma(beta) is the largest that the hypotheses allow.
    """
    assert GAMMA > 0 and CAP_EPS < 1 / 16
    assert T_1 < T_2 / 10
    x = caps()
    in_cap = np.einsum("btqid,qd->btqi", x, DIRECTIONS).min(axis=(2, 3)) >= 1 - 2 * CAP_EPS
    spread = np.max(np.sum((x[:, :, :, :, None] - x[:, :, :, None]) ** 2, axis=-1), axis=(2, 3, 4))
    late = CAP_TIMES >= T_1
    assert np.sum(late) > 10
    assert np.all(in_cap[:STARTS])
    assert np.all(spread[:STARTS, late] <= 2 * np.exp(-GAMMA * CAP_BETA))
    assert np.all(spread[:STARTS, 0] > 2 * np.exp(-GAMMA * CAP_BETA))  # not from the start
    # the control: repulsive tokens leave their caps and do not meet
    assert not np.all(in_cap[STARTS])
    assert np.any(spread[STARTS, late] > 2 * np.exp(-GAMMA * CAP_BETA))
