"""Claims on attention with a potential."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import perceptron_clusters

BY_ID = {claim.id: claim for claim in perceptron_clusters.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("perceptron_clusters"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_the_threshold_of_equal_masses_fails_for_others(monkeypatch):
    right = theory.holding_potential
    monkeypatch.setattr(theory, "holding_potential", lambda beta, share: right(beta))
    assert_fails(BY_ID["perceptrons26-holding-potential"])


@pytest.mark.slow
def test_a_slightly_other_beta_fails(monkeypatch):
    flows = perceptron_clusters._flows
    monkeypatch.setattr(perceptron_clusters, "_flows", lambda beta, *rest: flows(1.01 * beta, *rest))
    assert_fails(BY_ID["perceptrons26-holding-potential"])
