"""Claims about noise."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import noise

CLAIMS = {claim.id: claim for claim in noise.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("noise"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_half_the_noise_fails(monkeypatch):
    model = noise._model
    monkeypatch.setattr(noise, "_model", lambda beta, kappa, *rest: model(beta, 2 * kappa, *rest))
    assert_fails(CLAIMS["shalova24-noise-thresholds"])


@pytest.mark.slow
def test_a_wrong_critical_beta_fails(monkeypatch):
    monkeypatch.setattr(theory, "critical_beta", lambda d: 2.2)
    assert_fails(CLAIMS["noise26-critical-beta"])
