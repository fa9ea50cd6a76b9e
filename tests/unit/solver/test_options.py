"""The objects that say how a flow is stepped: defaults, derived numbers, refusals, and that they need no JAX."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tokenfield.errors import InvalidInput
from tokenfield.solver.options import Adaptive, Clock, FixedStep, Layers, Merge, check_clock, check_max_steps


def test_tolerances_follow_the_precision_unless_given():
    assert [Adaptive().rtol_for(dtype) for dtype in ("float64", "float32")] == [1e-7, 1e-5]
    assert [Adaptive().atol_for(dtype) for dtype in ("float64", "float32")] == pytest.approx([1e-9, 1e-7])
    given = Adaptive(rtol=1e-3, atol=1e-4)
    assert [given.rtol_for("float32"), given.atol_for("float32")] == [1e-3, 1e-4]
    assert Adaptive(rtol=1e-3).atol_for("float64") == 1e-5
    assert Adaptive(atol=0.0).atol_for("float64") == 0.0


def test_merging_distance_follows_the_local_error_unless_given():
    assert Merge().distance_for(Adaptive(rtol=1e-4, atol=1e-5)) == pytest.approx(3 * 1.1e-4)
    assert Merge().distance_for(Layers(3)) == pytest.approx(3 * (1e-7 + 1e-9))
    assert Merge(1e-2).distance_for(Adaptive()) == 1e-2


def test_merge_takes_a_word_a_number_or_itself():
    assert Merge.parse(None) is None and Merge.parse(False) is None
    assert Merge.parse(True) == Merge()
    assert Merge.parse(0.25) == Merge(0.25)
    assert Merge.parse(Merge(0.25)) == Merge(0.25)


def test_clock_takes_a_name_or_itself():
    assert Clock.parse("time") == Clock() and Clock().pace is None
    assert Clock.parse("distance").pace == 1.0
    assert Clock.parse(Clock("distance", speed=3)).pace == 3.0


def test_a_clock_of_distance_needs_merging():
    check_clock(Clock("distance"), Merge())
    check_clock(Clock(), None)
    with pytest.raises(InvalidInput, match="add merge=True"):
        check_clock(Clock("distance"), None)


def test_at_least_one_step():
    check_max_steps(None)
    check_max_steps(1)
    for bad in (0, "ten"):
        with pytest.raises(InvalidInput, match="max_steps must be"):
            check_max_steps(bad)


REFUSED = {
    "rtol = 0": (lambda: Adaptive(rtol=0.0), "0 < rtol < 1 and atol >= 0, got rtol = 0.0"),
    "rtol = 1": (lambda: Adaptive(rtol=1.0), "0 < rtol < 1"),
    "a negative atol": (lambda: Adaptive(atol=-1.0), "atol >= 0"),
    "an infinite atol": (lambda: Adaptive(atol=float("inf")), "atol >= 0"),
    "rtol as a word": (lambda: Adaptive(rtol="small"), "rtol must be a number, got 'small'"),
    "atol as a list": (lambda: Adaptive(atol=[1.0]), r"atol must be a number, got \[1.0\]"),
    "an unknown norm": (lambda: Adaptive(norm="maxx"), "unknown norm 'maxx'; did you mean 'max'?"),
    "a step of zero": (lambda: FixedStep("rk4", 0.0), "step must be positive, got 0.0"),
    "an infinite step": (lambda: FixedStep("rk4", float("inf")), "step must be positive"),
    "a step that is True": (lambda: FixedStep("rk4", True), "step must be a number, got True"),
    "no layers": (lambda: Layers(0), "layers must be a whole number >= 1, got 0"),
    "half a layer": (lambda: Layers(2.5), "count must be a whole number, got 2.5"),
    "layers as a word": (lambda: Layers("12"), "count must be a whole number, got '12'"),
    "a distance of one": (lambda: Merge(1.0), "the distance below 1 at which tokens join, got 1.0"),
    "a negative distance": (lambda: Merge.parse(-0.1), "the distance below 1 at which tokens join, got -0.1"),
    "a distance as a word": (lambda: Merge.parse("yes"), "got 'yes'"),
    "an unknown clock": (lambda: Clock("distanze"), "unknown clock 'distanze'; did you mean 'distance'?"),
    "a speed of time": (lambda: Clock("time", speed=1.0), "speed is that of clock='distance': leave it out"),
    "a speed of zero": (lambda: Clock("distance", speed=0.0), "speed must be positive, got 0.0"),
    "a speed as a word": (lambda: Clock("distance", speed="fast"), "speed must be a number, got 'fast'"),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_options_are_values():
    """They can be compared, hashed and printed: configs and manifests rely on it."""
    assert FixedStep("rk4", 0.1) == FixedStep("rk4", 0.1) != FixedStep("rk4", 0.2)
    assert len({Layers(3), Layers(3), Layers(4)}) == 2
    assert repr(Adaptive(rtol=1e-3)) == "Adaptive(method=None, rtol=0.001, atol=None, norm=None)"
    with pytest.raises(AttributeError):
        Layers(3).count = 4  # type: ignore[misc]


def test_options_need_no_jax():
    code = "import sys, tokenfield.solver.options; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
