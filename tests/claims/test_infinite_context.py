"""The claim on finite and infinite contexts."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import infinite_context


@pytest.mark.parametrize("claim", claims_of("infinite_context"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_the_constant_of_another_dimension_or_beta_fails(monkeypatch):
    right = theory.context_fluctuation
    monkeypatch.setattr(theory, "context_fluctuation", lambda beta, d: right(beta, d + 1))
    assert_fails(infinite_context.CLAIMS[0])
    monkeypatch.setattr(theory, "context_fluctuation", lambda beta, d: right(beta / 2, d))
    assert_fails(infinite_context.CLAIMS[0])
