"""The claim on stationary states in Fourier modes."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import stationary_modes


@pytest.mark.parametrize("claim", claims_of("stationary_modes"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_equations_of_a_slightly_other_beta_fail(monkeypatch):
    right = stationary_modes._solved
    monkeypatch.setattr(stationary_modes, "_solved", lambda beta, *rest: right(1.01 * beta, *rest))
    assert_fails(stationary_modes.CLAIMS[0])
