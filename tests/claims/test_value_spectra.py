"""Claims on V of any spectrum."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import value_spectra


@pytest.mark.parametrize("claim", claims_of("value_spectra"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_plane_that_turns_one_percent_faster_does_not_pass(monkeypatch):
    matrix = value_spectra._matrix
    monkeypatch.setattr(value_spectra, "_matrix", lambda a, b, c: matrix(a, 1.02 * b, c))
    assert_fails(value_spectra.CLAIMS[0])


def test_the_polygon_mean_is_the_sum_over_tokens():
    angles = 2 * np.pi * np.arange(5) / 5
    weights = np.exp(1.7 * np.cos(angles))
    expected = np.sum(weights * np.cos(angles)) / np.sum(weights)
    assert value_spectra._polygon_mean(1.7, 5) == pytest.approx(expected, rel=1e-12)
