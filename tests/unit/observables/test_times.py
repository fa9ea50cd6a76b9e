"""Crossing times against closed forms, and what each refusal says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from tokenfield import InvalidInput
from tokenfield.observables import crossing_time


def test_crossing_time_interpolates_monotonely():
    ts = np.linspace(0, 10, 101)
    # a logistic curve reaches 0.999 at 5 + log(999)/2; monotone cubics with spacing h are accurate to O(h^3) here
    exact = 5 + np.log(0.999 / 0.001) / 2
    assert crossing_time(ts, expit(2 * (ts - 5)), 0.999) == pytest.approx(exact, abs=1e-3)
    assert crossing_time(ts, -expit(2 * (ts - 5)), -0.5) == pytest.approx(5.0, abs=1e-12)


def test_crossing_time_is_the_first_and_may_not_exist():
    ts = [0.0, 1.0, 2.0, 3.0]
    # flat at the extremum t = 1 and a parabola before it: 1 - (1 - t)^2 = 1/2
    assert crossing_time(ts, [0.0, 2.0, 0.0, 2.0], 1.0) == pytest.approx(1 - np.sqrt(0.5), abs=1e-12)
    assert crossing_time(ts, [0.0, 1.0, 3.0, 0.0], 1.0) == 1.0
    assert crossing_time(ts, [5.0, 1.0, 3.0, 0.0], 5.0) == 0.0
    assert np.isnan(crossing_time(ts, [0.0, 0.5, 0.9, 0.99], 1.0))
    # a crossing by less than rounding still counts
    assert 0 <= crossing_time([0.0, 1.0], [-1e-200, 1e-200], 0.0) <= 1


@pytest.mark.parametrize(
    ("ts", "values", "message"),
    [
        ([0.0, 1.0], [0.0], "one length"),
        ([], [], "one length"),
        ([0.0, 0.0], [0.0, 1.0], "increasing"),
        ([0.0, 1.0], [0.0, np.nan], "finite"),
    ],
)
def test_crossing_time_refuses(ts, values, message):
    with pytest.raises(InvalidInput, match=message):
        crossing_time(ts, values, 0.5)
