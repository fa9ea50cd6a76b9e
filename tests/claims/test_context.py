"""Claims about long contexts and the rate of clustering."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import context

CLAIMS = {claim.id: claim for claim in context.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("context"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_tokens_of_another_cosine_fail(monkeypatch):
    equiangular = context._equiangular
    monkeypatch.setattr(context, "_equiangular", lambda n, rho: equiangular(n, rho**2))
    assert_fails(CLAIMS["clpr26-critical-gain"])


@pytest.mark.slow
def test_a_logarithmic_scale_for_independent_keys_fails(monkeypatch):
    monkeypatch.setattr(theory, "critical_context_beta", lambda n, d: np.log(n))
    assert_fails(CLAIMS["scaling26-nearest-keys"])


@pytest.mark.slow
def test_the_rate_of_cosines_instead_of_distances_fails(monkeypatch):
    monkeypatch.setattr(theory, "wasserstein_rate", theory.consensus_rate)
    assert_fails(CLAIMS["clpr25-exponential-clustering"])
