"""Claims about flows of measures, and that wrong experiments fail."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import measures

CLAIMS = {claim.id: claim for claim in measures.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("measures"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_mutation_limit_that_does_not_move(monkeypatch):
    """Tokens against the density at the start instead of at t1: the distance does not tend to zero."""
    at = measures._limit_on_circle
    monkeypatch.setattr(measures, "_limit_on_circle", lambda t1: at(1e-3))
    assert_fails(CLAIMS["glpr25-propagation-of-chaos"])


@pytest.mark.slow
def test_mutation_wrong_lipschitz_constant(monkeypatch):
    """The largest value of g in place of that of g'."""
    u = np.linspace(0, np.pi, 1001)
    monkeypatch.setattr(measures, "_lipschitz", lambda beta: float((np.exp(beta * np.cos(u)) * np.sin(u)).max()))
    assert_fails(CLAIMS["glpr25-dobrushin"])


@pytest.mark.slow
def test_mutation_limit_of_another_law(monkeypatch):
    """Lattice positions in reverse: the limit of another joint law."""
    lattice = measures._lattice
    monkeypatch.setattr(measures, "_lattice", lambda n: (1 - lattice(n)[0], lattice(n)[1]))
    assert_fails(CLAIMS["cacp25-masked-mean-field"])
