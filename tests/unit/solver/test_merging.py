"""`solve(merge=...)`: who is joined and who is not, speeds that keep their digits, the clock, the record of mergers."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.clusters import merging_flow
from tokenfield.laws import Density, Fourier
from tokenfield.model import position
from tokenfield.model.parts import Head
from tokenfield.solver.merging import watch as merge
from tokenfield.solver.merging.mergers import History
from tokenfield.solver.merging.watch import collapsed
from tokenfield.solver.plan import as_flow

CIRCLE, SPACE = tkf.Sphere(2), tkf.Euclidean(2)


def on_circle(angles) -> np.ndarray:
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


# 7 tokens: three clusters of 3, 2 and 2, the last two of which join at t = 16
ANGLES = np.array([0.0, 0.2, 0.35, 2.0, 2.2, 3.0, 3.1])
START = tkf.Measure(on_circle(ANGLES), [3.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0])
SOFTMAX = tkf.Transformer(CIRCLE, tkf.Softmax(9.0))


@cache
def merged() -> tkf.Trajectory:
    return tkf.solve(SOFTMAX, START, t1=1e300, save="log:40", merge=True)


# --- what it refuses ----------------------------------------------------------------------------------------------

REFUSED = {
    "positions": (tkf.Transformer(CIRCLE, tkf.Softmax(1.0), position=position.Causal()), {}, "no positions, no noise"),
    "noise": (tkf.Transformer(CIRCLE, tkf.Softmax(1.0), noise=tkf.Noise(1.0, seed=0)), {}, "no positions, no noise"),
    "radii": (
        tkf.Transformer(CIRCLE, tkf.Softmax(1.0), normalization=tkf.normalization.PreLN()),
        {},
        "no changing radii",
    ),
    "hardmax": (tkf.Transformer(CIRCLE, tkf.Hardmax()), {}, "softmax, unnormalized and L2 attention"),
    "layers": (SOFTMAX, {"layers": 3}, "tokens join in continuous depth"),
}


@pytest.mark.parametrize(("model", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(model, options, message):
    with pytest.raises((tkf.InvalidInput, tkf.Unsupported), match=re.escape(message)):
        tkf.solve(model, START, t1=1.0, **({"merge": True} | options))


def test_refused_starts():
    with pytest.raises(tkf.Unsupported, match="float64"):
        tkf.solve(SOFTMAX, np.asarray(START.points, np.float32), t1=1.0, merge=True)
    with pytest.raises(tkf.Unsupported, match=r"call solve outside jax\.jit"):
        jax.jit(lambda x: tkf.solve(SOFTMAX, x, t1=1.0, merge=True).points)(START.points)
    rho = Density.uniform(Fourier(32))
    with pytest.raises(tkf.Unsupported, match="a density or a Gaussian has none"):
        tkf.solve(SOFTMAX, rho, t1=1.0, merge=True)


# --- who is joined ------------------------------------------------------------------------------------------------


def found(x, v, w, share):
    return [group.tolist() for group in collapsed(x, v, w, lambda group: share, tolerance=1e-6)]


def test_who_has_collapsed():
    x = np.array([[0.0, 0.0], [5e-7, 0.0], [1.0, 0.0], [1.0, 3e-7], [1.0, 6e-7], [3.0, 0.0], [3.0, 2e-6], [0.0, 0.0]])
    w = np.array([1.0, 1, 1, 1, 1, 1, 1, 0])
    inwards = -x
    assert found(x, inwards, w, 0.9) == [[0, 1], [2, 3, 4]]  # neither those too far apart, nor rows of no weight
    assert found(x, inwards, w, 0.4) == []  # somebody else holds their attention
    assert found(x, -inwards, w, 0.9) == []  # they part
    assert found(x[[0, 0, 2]], np.zeros((3, 2)), w[:3], 0.9) == [[0, 1]]  # equal, so they will not part
    chain = np.stack([np.arange(40) * 9e-7, np.zeros(40)], axis=1)
    assert found(chain, -chain, np.ones(40), 0.9) == []  # long, so no point


def test_large_clusters_join_at_one_look():
    """A collapsed cluster of k tokens has k^2 close pairs, most of them below rounding; all are found, k at a time."""
    k = 5000
    x = np.random.default_rng(0).normal(size=(k, 2)) * np.repeat([1e-8, 1e-17], k // 2)[:, None]
    x[: k // 2] += 1.0
    x[: k // 4] = x[0]
    groups = collapsed(x, -x, np.ones(k), lambda group: len(group) / (k / 2 + 1), tolerance=1e-6)
    assert sorted(len(group) for group in groups) == [k // 2, k // 2]


BORDER = on_circle(np.array([0.0, 0.05, 1.5 - 1e-8, 1.5 + 1e-8, 2.95, 3.0]))


def test_a_close_pair_at_the_border_of_two_clusters_parts():
    """Two light tokens, 2e-8 apart, between two heavy clusters: unstable, so each goes its own way."""
    mu = tkf.Measure(BORDER, [1.0, 1.0, 1e-4, 1e-4, 1.0, 1.0])
    whole, _ = merging_flow(as_flow(SOFTMAX, mu, 0.0, 1.0), pace=None)
    x, w = np.asarray(whole.start), np.asarray(mu.weights)
    v = np.asarray(whole.velocity(jnp.asarray(0.0), whole.start))
    share = merge._Shares(whole.inner, 0.0, x, w)
    assert share(np.array([2, 3])) < 0.5 < share(np.array([0, 1]))
    assert collapsed(x, v, w, share, tolerance=3e-7) == []
    # they are kept apart twice: by parting, and by whom they attend to; the control is without either
    assert collapsed(x, -v, w, share, tolerance=3e-7) == []
    assert collapsed(x, v, w, lambda group: 1.0, tolerance=3e-7) == []
    assert [group.tolist() for group in collapsed(x, -v, w, lambda group: 1.0, tolerance=3e-7)] == [[2, 3]]
    run = tkf.solve(SOFTMAX, mu, t1=60.0, save=3, merge=True)
    end = np.asarray(run.final.points)
    assert run.clusters().count == 2
    assert np.linalg.norm(end[2] - end[0]) < 1e-3 and np.linalg.norm(end[3] - end[5]) < 1e-3


# --- speeds -------------------------------------------------------------------------------------------------------

V = np.array([[0.5, 0.2], [-0.1, 0.4]])
PAIRWISE = {
    "softmax": SOFTMAX,
    "heads": tkf.Transformer(CIRCLE, [Head(tkf.Softmax(2.0), Q=V), Head(tkf.L2(1.0), K=V, V=-np.eye(2))], average=True),
    "unnormalized": tkf.Transformer(CIRCLE, tkf.Unnormalized(2.0)),
    "relative": tkf.Transformer(SPACE, tkf.Softmax(2.0), V=V, relative=True),
    "rescaled": tkf.Transformer(SPACE, tkf.Softmax(2.0), V=V, rescaled=True),
}


@pytest.mark.parametrize("model", PAIRWISE.values(), ids=PAIRWISE)
def test_the_sum_of_differences_is_the_velocity(model):
    whole, notes = merging_flow(as_flow(model, START, 0.0, 1.0), pace=None)
    assert whole.inner.is_pairwise and notes == ()
    t = jnp.asarray(0.3)
    expected = model.velocity(t, START.points, START)
    np.testing.assert_allclose(whole.velocity(t, whole.start), expected, atol=1e-14 * np.abs(expected).max() + 1e-15)


def test_other_values_say_what_limits_them():
    model = tkf.Transformer(CIRCLE, tkf.Softmax(2.0), V=V)
    whole, notes = merging_flow(as_flow(model, START, 0.0, 1.0), pace=None)
    assert not whole.inner.is_pairwise and "rounding 1e-16" in notes[0]


@pytest.mark.parametrize("kind", [tkf.Softmax, tkf.Unnormalized])
def test_speeds_far_below_rounding_keep_their_digits(kind):
    """Two clusters 2 rad apart with beta = 100: a_12 = w_2 e^{beta cos 2} / (w_1 e^beta + w_2 e^{beta cos 2})."""
    beta, angle, w = 100.0, 2.0, np.array([0.75, 0.25])
    model = tkf.Transformer(CIRCLE, kind(beta))
    turned = 0.7  # so that nothing is exact by accident
    mu = tkf.Measure(on_circle(np.array([turned, turned + angle])), w)
    whole, _ = merging_flow(as_flow(model, mu, 0.0, 1.0), pace=None)
    pull = np.exp(beta * (np.cos(angle) - 1))  # 3e-62
    expected = w[1] * pull / (w[0] + w[1] * pull) * np.sin(angle)
    if kind is tkf.Unnormalized:
        expected = w[1] * np.exp(beta * np.cos(angle)) * np.sin(angle)
    velocity = np.asarray(whole.velocity(jnp.asarray(0.0), whole.start))
    along = np.array([-np.sin(turned), np.cos(turned)])
    assert velocity[0] @ along == pytest.approx(expected, rel=1e-11)  # beta cos(angle), 42, is rounded to 1e-14
    if kind is tkf.Softmax:  # the control: the ordinary sum sees rounding only
        assert np.linalg.norm(model.velocity(0.0, mu.points, mu)[0]) > 1e20 * expected


# --- runs ---------------------------------------------------------------------------------------------------------


def test_to_the_end_of_all_times():
    """One cluster in the end, up to t = 1e300, in a few steps once there is nothing left to join."""
    run = merged()
    assert run.result.name == "finished" and float(run.result.t) == 1e300
    assert len(run) == 41 and run.points.shape == (41, 7, 2)
    assert int(run.stats.accepted) < 1000
    x = np.asarray(run.final.points)
    np.testing.assert_array_equal(x, np.broadcast_to(x[0], x.shape))  # one point
    np.testing.assert_allclose(np.linalg.norm(run.points, axis=2), 1.0, atol=1e-14)
    np.testing.assert_array_equal(run.points[0], START.points)
    np.testing.assert_allclose(run.weights, START.weights)
    assert run.merge_tree().counts[-1] == 1  # from the saved states, as for any run


def test_the_record_is_a_tree_of_all_tokens():
    mergers = merged().mergers
    assert len(mergers) == 6 and np.all(np.diff(mergers.times) >= 0)
    assert mergers.parts.shape == mergers.masses.shape == (6, 2)
    # every group is made once and joins once, and only after it is made
    assert sorted(mergers.parts.ravel().tolist()) == list(range(12))
    assert all(np.all(parts < 7 + k) for k, parts in enumerate(mergers.parts))
    for merge_ in mergers.merges:
        assert merge_.mass == pytest.approx(float(START.weights[np.concatenate(merge_.parts)].sum()))
        assert merge_.masses[0] >= merge_.masses[1]
    assert mergers.merges[-1].mass == pytest.approx(1.0)
    np.testing.assert_array_equal(mergers.tokens(12), np.arange(7))
    assert mergers.count(-1.0) == 7 and mergers.count([0.0, 1e300]).tolist()[1] == 1


def test_plateaus_and_escape_times():
    """3 clusters of masses 5, 3, 2, then 2 of 5, 5, then 1: heights sum a_q^2 up to e^{-beta (1 - cos)} a_i a_j."""
    run = merged()
    assert [plateau.count for plateau in run.plateaus][-2:] == [2, 1]
    two, one = run.plateaus[-2:]
    np.testing.assert_allclose(two.masses, [0.5, 0.5])
    assert two.energy == pytest.approx(0.5, abs=1e-3) and one.energy == pytest.approx(1.0, abs=1e-12)
    assert one.end == 1e300 and one.start == two.end
    assert run.escape_times[-1] == two.end == run.mergers.times[-1]
    last = run.mergers.merges[-1]
    assert [part.tolist() for part in last.parts] in ([[0, 1, 2], [3, 4, 5, 6]], [[3, 4, 5, 6], [0, 1, 2]])
    with pytest.raises(tkf.InvalidInput, match="did not merge collapsed clusters: solve with merge=True"):
        _ = replace(run, mergers=None).plateaus


CLOUD = np.random.default_rng(0).uniform(-1, 1, size=(12, 2))
AGREEING = {
    "softmax on the circle": (SOFTMAX, START, 1e3),
    "unnormalized on S^2": (tkf.Transformer(tkf.Sphere(3), tkf.Unnormalized(4.0)), 12, 20.0),
    "rescaled": (tkf.Transformer(SPACE, tkf.Softmax(1.0), rescaled=True), CLOUD, 40.0),
    "a general V": (tkf.Transformer(CIRCLE, tkf.Softmax(4.0), V=[[1.0, 0.5], [-0.5, 1.2]]), START, 30.0),
}


@pytest.mark.slow
@pytest.mark.parametrize(("model", "start", "t1"), AGREEING.values(), ids=AGREEING)
def test_with_and_without_merging_agree(model, start, t1):
    """To 1e-6; the difference measured is 1e-8 and less, that of the solver's tolerance 1e-9."""
    if isinstance(start, int):
        start = tkf.initial.uniform(model.geometry, n=start, seed=1)
    options = {"t1": t1, "save": [0.0, t1 / 100, t1 / 10, t1 / 2, t1], "method": tkf.Adaptive(rtol=1e-9, norm="max")}
    one = tkf.solve(model, start, merge=True, **options)
    other = tkf.solve(model, start, **options)
    np.testing.assert_allclose(one.points, other.points, atol=1e-6)
    x = np.asarray(one.final.points)
    assert len(np.unique(x, axis=0)) < len(x)  # some have been joined
    np.testing.assert_allclose(one.weights, other.weights)


@pytest.mark.slow
def test_events_see_the_time_of_the_run_and_all_tokens():
    """The clock of the solver restarts, that of events does not."""

    def late(t, mu, model):
        assert mu.points.shape == (7, 2)
        return t - 1234.5

    run = tkf.solve(SOFTMAX, START, t0=10.0, t1=1e6, save=[10.0, 100.0], merge=True, events=late)
    assert run.result.name == "late" and float(run.result.t) == pytest.approx(1234.5, rel=1e-12)
    np.testing.assert_allclose(run.ts, [10.0, 100.0, 1234.5])


def test_few_steps_are_an_outcome():
    run = tkf.solve(SOFTMAX, START, t1=1e300, save="log:40", merge=True, max_steps=64)
    assert run.result.name == "out-of-steps" and 0 < float(run.result.t) < 1e300
    assert float(run.ts[-1]) == float(run.result.t)


# --- the clock of distance ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pytest.param(tkf.Softmax, marks=pytest.mark.slow), tkf.Unnormalized])
def test_the_clock_of_distance(kind):
    """Two equal clusters at the angle a move a/2 each: together sqrt(2) a/2, at `speed` per unit of time, for any beta.

    With e^{-beta (1 - cos a)} = 1e-700 all weights underflow, unless only their ratios are computed.
    """
    angle, speed = 1.2, 3.0
    mu = tkf.Measure(on_circle(np.array([0.0, angle])))
    model = tkf.Transformer(CIRCLE, kind(2500.0))
    run = tkf.solve(model, mu, t1=1.0, save=[0.0, 0.1, 1.0], merge=True, clock=tkf.Clock("distance", speed=speed))
    gap = 2 * np.arcsin(np.linalg.norm(run.points[:, 0] - run.points[:, 1], axis=1) / 2)
    np.testing.assert_allclose(gap, [angle, angle - 0.1 * speed * np.sqrt(2), 0.0], atol=1e-7)
    (met,) = run.mergers.times
    assert met == pytest.approx((angle - run.mergers.delta) / np.sqrt(2) / speed, rel=1e-6)
    assert int(run.stats.accepted) < 200


@pytest.mark.slow
def test_the_distance_counts_merged_tokens_each():
    """Three equal tokens at one place and one elsewhere: |dx|^2 = 3 |dx_1|^2 + |dx_2|^2 = speed^2 ds^2."""
    x = on_circle(np.array([0.0, 0.0, 0.0, 1.0]))
    model = tkf.Transformer(CIRCLE, tkf.Softmax(4.0))
    run = tkf.solve(model, x, t1=0.1, save=[0.0, 0.001], merge=True, clock="distance")
    moved = np.linalg.norm(run.points[1] - run.points[0])
    assert moved == pytest.approx(0.001, rel=1e-6)
    assert run.mergers.count(0.05) == 2  # equal tokens are together from the start


# --- the history --------------------------------------------------------------------------------------------------


def test_times_of_meeting_are_interpolated():
    """Rows 0 and 1 approach like e^{-t}; from steps of 0.4 the time at which they are delta apart."""
    gap0, delta = 0.5, 0.1
    history = History(
        labels=np.arange(3),
        masses=np.array([0.5, 0.25, 0.25]),
        t0=0.0,
        start=np.array([[0.0], [gap0], [9.0]]),
        delta=delta,
        is_sphere=False,
    )
    ts = 0.4 * np.arange(1, 12)
    gaps = gap0 * np.exp(-ts)
    x = np.stack([np.zeros_like(ts), gaps, np.full_like(ts, 9.0)], axis=1)[:, :, None]
    v = np.stack([np.zeros_like(ts), -gaps, np.zeros_like(ts)], axis=1)[:, :, None]
    history.add(0.0, ts[:4], x[:4], v[:4])
    history.add(ts[3], ts[4:] - ts[3], x[4:], v[4:])  # the next chunk, with a clock of its own
    history.join(np.array([0, 0, 1]), np.array([0.75, 0.25, 0.0]), float(ts[-1]))
    history.add(ts[-1], np.array([5.0]), x[-1:, [0, 2, 0]], v[-1:, [0, 2, 0]])
    mergers = history.finish(
        np.array([0, 1, -1]), 10.0, middle=np.mean, describe=lambda t, x, w: (float(w @ w), 1.0 if t > 5.0 else 0.2)
    )
    # the cubic is off by h^4/384 of the fourth derivative: 7e-6 of delta, over the slope 1/delta
    assert mergers.times[0] == pytest.approx(np.log(gap0 / delta), abs=3e-5)
    assert mergers.parts.tolist() == [[0, 1]] and mergers.masses.tolist() == [[0.5, 0.25]]
    (plateau,) = mergers.plateaus  # the three of the start see each other: no plateau
    assert plateau.count == 2 and plateau.masses == (0.75, 0.25) and plateau.energy == 0.625
