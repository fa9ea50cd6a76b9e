"""Claims of arXiv 2410.06833."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import escape_times, metastability

BY_ID = {claim.id: claim for claim in (*metastability.CLAIMS, *escape_times.CLAIMS)}


@pytest.mark.parametrize("claim", claims_of("metastability", "escape_times"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_staircase_at_a_small_beta_fails(monkeypatch):
    climb = metastability._climb
    monkeypatch.setattr(metastability, "_climb", lambda beta, t1: climb(beta / 100, t1))
    assert_fails(BY_ID["gkpr24-staircase"])


@pytest.mark.slow
def test_plateaus_that_ignore_masses_fail(monkeypatch):
    monkeypatch.setattr(theory, "plateau", lambda masses: 1 / len(masses))
    assert_fails(BY_ID["gkpr24-plateaus"])


@pytest.mark.slow
def test_escape_slope_with_the_wrong_sign_fails(monkeypatch):
    monkeypatch.setattr(theory, "escape_slope", lambda cosine: 1 + cosine)
    assert_fails(BY_ID["gkpr24-escape-time"])


@pytest.mark.slow
def test_caps_of_a_quarter_of_beta_fail(monkeypatch):
    flows = escape_times._flows
    monkeypatch.setattr(escape_times, "_flows", lambda beta, *rest: flows(beta / 4, *rest))
    assert_fails(BY_ID["gkpr24-caps"])
