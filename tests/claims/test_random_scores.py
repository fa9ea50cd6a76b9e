"""Claims on attention with random scores."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import random_scores

BY_ID = {claim.id: claim for claim in random_scores.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("random_scores"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_scores_of_another_size_fail(monkeypatch):
    measure = random_scores._entropies_and_squares
    monkeypatch.setattr(random_scores, "_entropies_and_squares", lambda betas, *rest: measure(0.95 * betas, *rest))
    assert_fails(BY_ID["scores26-entropy-law"])
    monkeypatch.setattr(random_scores, "_entropies_and_squares", lambda betas, *rest: measure(0.75 * betas, *rest))
    assert_fails(BY_ID["scores26-freezing"])
