"""Claims of arXiv 2411.04990."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import causal

BY_ID = {claim.id: claim for claim in causal.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("causal"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
@pytest.mark.parametrize("id", ["kpr24-first-token", "kpr24-prefix"])
def test_a_window_instead_of_a_mask_fails(id, monkeypatch):
    monkeypatch.setattr(causal, "_position", lambda is_causal: tkf.Window(3.0))
    assert_fails(BY_ID[id])


@pytest.mark.slow
def test_counts_of_the_wrong_caps_fail(monkeypatch):
    # the chord in place of the angle
    right = theory.strong_renyi_count
    monkeypatch.setattr(theory, "strong_renyi_count", lambda delta, d: right(2 * np.sin(delta), d))
    assert_fails(BY_ID["kpr24-renyi-counts"])


@pytest.mark.slow
def test_parking_that_is_finished_fails(monkeypatch):
    # at n = 200 the limit n -> infinity is still 3% off
    monkeypatch.setattr(causal, "_parked", lambda n, delta: float(theory.renyi_count_circle(delta)))
    assert_fails(BY_ID["kpr24-renyi-counts"])
