"""Claims on a single cluster from almost every start, and on random tokens in high dimension."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import almost_every_start

BY_ID = {claim.id: claim for claim in almost_every_start.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("almost_every_start"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_second_head_that_repels_keeps_several_clusters(monkeypatch):
    right = tkf.Transformer

    def two_heads(sphere, attention):
        repulsive = tkf.Head(tkf.Softmax(0.5), V=-0.5 * jnp.eye(sphere.d))
        return right(sphere, [tkf.Head(attention), repulsive])

    monkeypatch.setattr(tkf, "Transformer", two_heads)
    claim = BY_ID["glpr25-one-cluster"]
    found = claim.experiment(seed=0, **{**claim.quick.parameters, "cases": ((3, 4.0),), "t1": 300.0})
    assert found.checks[0].verdict == "fails"


@pytest.mark.slow
def test_clusters_at_another_beta_leave_at_another_rate(monkeypatch):
    flows = almost_every_start._flows
    monkeypatch.setattr(almost_every_start, "_flows", lambda beta, *rest: flows(1.01 * beta, *rest))
    assert_fails(BY_ID["glpr25-great-circle"])


@pytest.mark.slow
def test_the_spread_of_tokens_that_all_see_less_fails(monkeypatch):
    right = theory.cosine_spread
    monkeypatch.setattr(theory, "cosine_spread", lambda times, n, beta: right(times, n - 2, beta))
    assert_fails(BY_ID["glpr25-high-dimension"])
