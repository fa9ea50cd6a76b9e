"""Claims of arXiv 2110.11773, and that wrong experiments fail."""

from __future__ import annotations

import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import sinkformers

CLAIMS = {claim.id: claim for claim in sinkformers.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("sinkformers"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_mutation_two_sweeps(monkeypatch):
    """Columns are normalized last and rows no longer sum to one."""
    sinkhorn = tkf.Sinkhorn
    monkeypatch.setattr(sinkformers.tkf, "Sinkhorn", lambda beta, sweeps=None: sinkhorn(beta, 2))
    assert_fails(CLAIMS["sabp22-doubly-stochastic"])


@pytest.mark.slow
def test_mutation_other_density(monkeypatch):
    """The score of another mixture than the tokens'."""
    right = sinkformers._mixture
    monkeypatch.setattr(sinkformers, "_mixture", lambda x, spread=0.0: (right(x)[0], right(x, 0.1)[1]))
    assert_fails(CLAIMS["sabp22-small-bandwidth"])


@pytest.mark.slow
def test_mutation_heat_at_double_bandwidth(monkeypatch):
    """Weights of twice the bandwidth that time is scaled by: everything spreads twice as fast."""
    l2 = tkf.L2
    monkeypatch.setattr(sinkformers.tkf, "L2", lambda beta: l2(beta / 2))
    assert_fails(CLAIMS["sabp22-heat"])
