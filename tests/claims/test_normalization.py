"""Claims of arXiv 2510.22026."""

from __future__ import annotations

import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import normalization

BY_ID = {claim.id: claim for claim in normalization.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("normalization"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_wrong_scheme_fails(monkeypatch):
    ngpt = normalization.SCHEMES["ngpt"]
    wrong = ngpt._replace(normalization=lambda: tkf.NGPT(1 / normalization.ALPHA))
    monkeypatch.setitem(normalization.SCHEMES, "ngpt", wrong)
    assert_fails(BY_ID["kgpr25-initial-speeds"])


@pytest.mark.slow
def test_attention_of_half_the_beta_fails(monkeypatch):
    right = normalization._attention_field
    monkeypatch.setattr(normalization, "_attention_field", lambda x, beta, *rest: right(x, beta / 2, *rest))
    assert_fails(BY_ID["kgpr25-post-ln-is-attention"])


@pytest.mark.slow
def test_half_the_alpha_fails(monkeypatch):
    right = tkf.NGPT
    monkeypatch.setattr(tkf, "NGPT", lambda alpha: right(alpha / 2))
    assert_fails(BY_ID["kgpr25-ngpt-rate"])
