"""`Save`: which times are kept, how much memory that may take, and the recorder that collects them."""

from __future__ import annotations

import re
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.solver.save import Recorder, Save

SPHERE = tkf.Sphere(3)
START = np.asarray(SPHERE.uniform_points(6, seed=0))


def run(save):
    return tkf.solve(tkf.Transformer(SPHERE, tkf.Softmax(2.0)), START, t1=2.0, save=save)


def times(spec, *, t0=0.0, t1=2.0, bytes_per_time=8):
    return Save.parse(spec).resolve(t0, t1, bytes_per_time=bytes_per_time)


# --- which times --------------------------------------------------------------------------------------------------


def test_counts_lists_and_words():
    np.testing.assert_allclose(times(5), [0.0, 0.5, 1.0, 1.5, 2.0])
    np.testing.assert_allclose(times("5"), times(5))
    np.testing.assert_allclose(times(np.int64(5), t0=1.0), [1.0, 1.25, 1.5, 1.75, 2.0])
    assert times(1).tolist() == times("end").tolist() == times(" end ").tolist() == [2.0]
    np.testing.assert_array_equal(times([0.0, 0.3, 2.0]), [0.0, 0.3, 2.0])
    np.testing.assert_array_equal(times(np.array([0.5])), [0.5])


def test_log_times_start_early_and_end_exactly():
    np.testing.assert_allclose(times("log:4"), [0.0, *np.geomspace(2e-4, 2.0, 4)])
    later = times("log:3", t0=10.0, t1=1010.0)
    np.testing.assert_allclose(later, [10.0, 10.01, 10 + np.sqrt(10.0), 1010.0])  # 0.01 is early enough
    assert times("log:3", t0=0.2, t1=0.9)[-1] == 0.9  # in floating point 0.2 + (0.9 - 0.2) is another number
    assert times("log:1").tolist() == [0.0, 2.0]


def test_default_saving_is_bounded():
    """Without a choice, 101 times, or as many as fit in 256 MiB; a large cloud never fills the memory by accident."""
    assert len(times(None, bytes_per_time=100)) == 101
    assert len(times(None, bytes_per_time=2**26)) == 4
    assert len(times(None, bytes_per_time=2**30)) == 2


REFUSED = {
    "a count of zero": (0, "a count of times >= 1"),
    "a word": ("often", "a count of times >= 1, explicit times, 'end' or 'log:COUNT', got 'often'"),
    "a log scale without count": ("log:", "a count of times >= 1"),
    "no times": ([], "non-empty list of finite numbers"),
    "times with nan": ([0.0, np.nan], "non-empty list of finite numbers"),
    "a table of times": (np.ones((2, 2)), "non-empty list of finite numbers"),
    "names of times": ([0.0, "one"], "save needs a count, times, 'end' or 'log:COUNT'"),
    "times that decrease": ([1.0, 0.5], "save times must increase"),
    "a time twice": ([0.5, 0.5], "save times must increase"),
    "times out of range": ([0.0, 3.0], "save times must lie in [0, 2], got [0, 3]"),
    "too many": (10**9, "saving 1000000000 times would take 8 GB, the most is 1.07 GB"),
    "too many on a log scale": ("log:10000000000", "GB: save fewer times, save='end'"),
}


@pytest.mark.parametrize(("spec", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, message, monkeypatch):
    monkeypatch.setattr("tokenfield.solver.save.LARGEST_BYTES", 2**30)
    with pytest.raises((tkf.InvalidInput, tkf.TooLarge), match=re.escape(message)):
        times(spec)


# --- what runs keep -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_save_times_do_not_change_the_trajectory():
    base = run(5)
    for save in ([0.0, 0.1, 0.2, 0.3, 2.0], "log:4"):
        other = run(save)
        assert np.array_equal(other.final.points, base.final.points)
    np.testing.assert_allclose(other.ts, [0.0, *np.geomspace(2e-4, 2.0, 4)])
    only_end = run("end")
    assert only_end.points.shape == (1, 6, 3) and float(only_end.ts[0]) == 2.0
    np.testing.assert_allclose(only_end.final.points, base.final.points, rtol=0, atol=1e-13)
    inside = run([0.0, 0.5, 1.0, 1.5, 1.9])
    assert inside.result.name == "finished" and float(inside.ts[-1]) == 1.9 and float(inside.result.t) == 2.0
    np.testing.assert_allclose(inside.final.points, base.final.points, rtol=0, atol=1e-13)
    assert np.array_equal(inside.points[:4], base.points[:4])


def mean_length(mu):
    return jnp.linalg.norm(mu.mean)


def test_observables_only():
    light = run(Save(5, tokens=False, observables={"length": mean_length, "center": lambda mu: mu.mean}))
    assert light.points is None
    assert light.observables["length"].shape == (5,) and light.observables["center"].shape == (5, 3)
    base = run(5)
    expected = [np.linalg.norm(np.mean(x, axis=0)) for x in np.asarray(base.points)]
    np.testing.assert_allclose(light.observables["length"], expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(light.final.points, base.final.points, rtol=0, atol=1e-13)


# --- the recorder -------------------------------------------------------------------------------------------------


def chunk(ts, values):
    return SimpleNamespace(ts=np.asarray(ts), saved={"y": np.asarray(values)})


def test_the_recorder_keeps_what_was_reached_and_is_finite():
    recorder = Recorder()
    # two of three pending times were reached; the second state is infinite, as after a fixed step into a blow-up
    assert recorder.take(np.array([0.0, 1.0, 2.0]), chunk([0.0, 1.0, np.inf], [[1.0], [2.0], [np.inf]])) == 2
    assert recorder.take(np.array([2.0, 3.0]), chunk([2.0, 3.0], [[3.0], [np.inf]])) == 1
    recorder.add(np.array([9.0]), {"y": np.array([[4.0], [99.0]])})  # padded by what was not reached
    assert recorder.ts == [0.0, 1.0, 2.0, 9.0]
    np.testing.assert_array_equal(recorder.stacked()["y"], [[1.0], [2.0], [3.0], [4.0]])
