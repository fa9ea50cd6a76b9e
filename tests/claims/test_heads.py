"""Claims on several heads."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import heads

BY_ID = {claim.id: claim for claim in heads.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("heads"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_second_head_that_attracts_fails(monkeypatch):
    right = heads._model
    monkeypatch.setattr(heads, "_model", lambda d, betas, repulsion: right(d, betas, -repulsion))
    assert_fails(BY_ID["glpr25-heads-antipodal-clusters"])


@pytest.mark.slow
def test_rates_of_half_the_beta_fail(monkeypatch):
    right = heads._predicted
    monkeypatch.setattr(heads, "_predicted", lambda betas, repulsion: right([b / 2 for b in betas], repulsion))
    assert_fails(BY_ID["glpr25-heads-antipodal-clusters"])
