"""Claims of arXiv 2407.01602 and 2508.09628; with something wrong in their experiments they fail."""

from __future__ import annotations

import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import hardmax as module

CLAIMS = {claim.id: claim for claim in module.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("hardmax"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
@pytest.mark.parametrize("id", CLAIMS)
def test_claims_fail_without_the_division_by_one_plus_alpha(id, monkeypatch):
    monkeypatch.setattr(module, "_fraction", lambda alpha: alpha)
    assert_fails(CLAIMS[id])


@pytest.mark.slow
def test_leaders_fail_if_tokens_could_only_end_at_leaders(monkeypatch):
    monkeypatch.setattr(module, "_possible_limits", lambda leaders: leaders)
    assert_fails(CLAIMS["afz25-leaders"])


@pytest.mark.slow
def test_cells_fail_at_a_finite_temperature(monkeypatch):
    def softmax():
        return tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(20.0), relative=True)

    monkeypatch.setattr(module, "_model", softmax)
    assert_fails(CLAIMS["frank26-voronoi-cells"])
