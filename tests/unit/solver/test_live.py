"""A run that is watched is the run that `solve` makes, at whatever times frames are asked for, and after changes."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield import Euclidean, Measure, Noise, Softmax, Sphere, Transformer, Unnormalized, initial, solve
from tokenfield.solver import live as watched
from tokenfield.solver import solve as solving
from tokenfield.solver.live import Live
from tokenfield.solver.result import Outcome

CIRCLE = Sphere(2)
TOKENS = initial.uniform(CIRCLE, n=12, seed=3)
# frames are what `solve` saves: the same steps, up to rounding of the sums, which may be done in another order
SAME = 1e-12


def model(beta: float) -> Transformer:
    return Transformer(CIRCLE, Softmax(beta=beta))


def frames_at(live: Live, times) -> dict[float, np.ndarray]:
    """Tokens at all of the times."""
    found, left = {}, np.asarray(times, float)
    for _ in range(1000):
        for t, law in live.take(left):
            found[t] = np.asarray(law.points)
        left = left[left > live.t]
        if not len(left) or live.result is not None:
            return found
    raise AssertionError("no end")


def test_frames_are_what_solve_saves():
    times = np.linspace(0.0, 6.0, 41)[1:]
    found = frames_at(Live(model(4.0), TOKENS, t1=6.0), times)
    run = solve(model(4.0), TOKENS, t1=6.0, save=times)
    assert list(found) == times.tolist()
    np.testing.assert_allclose(np.stack(list(found.values())), run.points, atol=SAME)


def test_frames_that_come_closer_than_before_are_found_in_steps_that_were_taken():
    live = Live(model(4.0), TOKENS, t1=6.0)
    first = frames_at(live, [1.0])
    times = 1.0 + np.arange(1, 60) * 1e-3
    assert live._ahead.t > 1.02  # the solver is ahead of the last frame
    found = first | frames_at(live, times)
    run = solve(model(4.0), TOKENS, t1=6.0, save=[1.0, *times])
    np.testing.assert_allclose(np.stack(list(found.values())), run.points, atol=SAME)


def test_a_change_goes_on_as_solve_does_and_compiles_nothing():
    live = Live(model(4.0), TOKENS, t1=6.0)
    frames_at(live, [1.0, 2.0])
    before = _programs()
    other = Live(model(1.5), live.law, t1=6.0, at=live.t)
    found = frames_at(other, [3.0, 4.5])
    assert _programs() == before
    run = solve(model(1.5), live.law, t0=2.0, t1=8.0, save=[3.0, 4.5])
    np.testing.assert_allclose(np.stack(list(found.values())), run.points, atol=SAME)


def _programs() -> int:
    """How many programs the time loop has been compiled to."""
    return solving._advance_compiled._cached._cache_size() + solving.begin_compiled._cached._cache_size()


def test_tokens_that_have_become_equal_compile_nothing():
    live = Live(model(4.0), TOKENS, t1=6.0)
    frames_at(live, [1.0])
    points = np.array(live.law.points)
    points[1] = points[0]
    before = _programs()
    found = frames_at(Live(model(4.0), live.law.at(points), t1=6.0, at=1.0), [1.5])
    assert _programs() == before
    np.testing.assert_array_equal(found[1.5][0], found[1.5][1])


def test_the_run_ends_at_its_final_time():
    live = Live(model(4.0), TOKENS, t1=0.5)
    found = frames_at(live, [0.3, 0.9, 1.4])
    assert list(found) == [0.3, 0.5]
    assert live.result.outcome is Outcome.FINISHED and live.take(np.array([2.0])) == []


def test_fixed_steps_and_noise_are_those_of_solve():
    noisy = Transformer(CIRCLE, Softmax(beta=1.0), noise=Noise(4.0, seed=1))
    found = frames_at(Live(noisy, TOKENS, t1=1.0, step=0.05), [0.5, 1.0])
    run = solve(noisy, TOKENS, t1=1.0, step=0.05, save=[0.5, 1.0])
    np.testing.assert_allclose(np.stack(list(found.values())), run.points, atol=SAME)
    before = _programs()
    frames_at(Live(noisy, TOKENS, t1=1.0, at=0.35, step=0.05), [0.6])  # as many steps: the same program
    assert _programs() == before


@pytest.mark.slow
def test_merged_clusters_reach_long_times():
    """Two pairs on the circle at beta = 15: each joins at once, and both by t = 1e9."""
    angles = np.array([0.0, 0.02, 1.8, 1.83])
    start = Measure(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    times = np.geomspace(0.1, 1e12, 40)
    live = Live(model(15.0), start, t1=1e12, merge=True)
    found = frames_at(live, times)
    assert len(found) == 40 and live.result.outcome is Outcome.FINISHED
    run = solve(model(15.0), start, t1=1e12, merge=True, save=times)
    # steps differ, since clusters are looked at more often here: both are exact up to the tolerance, 1e-7
    np.testing.assert_allclose(np.stack(list(found.values())), run.points, atol=1e-4)
    assert np.ptp(found[times[5]], axis=0).max() > 1.0 and np.ptp(found[times[-1]], axis=0).max() < 1e-6


def test_a_change_after_clusters_have_merged_compiles_nothing():
    """Tokens that have merged are rows without mass: whatever is left, the shapes are those of the start."""
    angles = np.array([0.0, 0.02, 1.8, 1.83])
    start = Measure(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    live = Live(model(15.0), start, t1=1e12, merge=True)
    frames_at(live, [1.0])
    before = _programs()
    frames_at(live, [1e3])
    merged = live.law
    assert len(np.unique(np.asarray(merged.points), axis=0)) == 2
    other = Live(model(12.0), merged, t1=1e12, at=live.t, merge=True)
    found = frames_at(other, [2e3, 1e5, 1e7, 1e9])
    assert _programs() == before
    run = solve(model(12.0), merged, t0=1e3, t1=1e9, merge=True, save=[2e3, 1e5, 1e7, 1e9])
    # both are exact up to the tolerance of the steps, 1e-7, over a few hundred of them
    np.testing.assert_allclose(np.stack(list(found.values())), run.points, atol=1e-4)
    assert np.ptp(found[1e9], axis=0).max() < 1e-6 < np.ptp(found[2e3], axis=0).max()


def test_a_blow_up_ends_the_run():
    growing = Transformer(Euclidean(1), Unnormalized(beta=1.0))
    live = Live(growing, Measure([[1.0], [2.0]]), t1=10.0)
    found = frames_at(live, np.arange(1, 100) * 0.01)
    assert live.result is not None and live.result.outcome is Outcome.BLEW_UP
    assert all(np.all(np.isfinite(points)) for points in found.values())


@pytest.mark.parametrize("n, is_direct", [(12, True), (13, False)])
def test_sums_are_direct_up_to_a_number_of_tokens(monkeypatch, few_are_many, n, is_direct):
    monkeypatch.setattr(watched, "DIRECT", 12)
    live = Live(model(4.0), initial.uniform(CIRCLE, n=n, seed=0), t1=1.0)
    assert all(choice.expansion is None for choice in live.plan.choices) == is_direct
