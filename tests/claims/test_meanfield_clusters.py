"""Claims of arXiv 2410.23228: growth rates at the uniform law, cluster counts and angles, symmetry."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import meanfield_clusters, meanfield_growth

CLAIMS = {claim.id: claim for module in (meanfield_growth, meanfield_clusters) for claim in module.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("meanfield_growth", "meanfield_clusters"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_rates_of_the_notebook_do_not_pass(monkeypatch):
    rates = theory.growth_rates

    def printed(*args, **options):
        found = rates(*args, **options)
        return theory.Prediction(found.value / np.pi, found.statement, found.assumptions, found.source)

    monkeypatch.setattr(meanfield_growth.theory, "growth_rates", printed)
    assert_fails(CLAIMS["bpa25-growth-rates-circle"])


@pytest.mark.slow
def test_thresholds_of_another_beta_do_not_pass(monkeypatch):
    """Attention that is 0.1 % sharper than it says."""
    monkeypatch.setitem(meanfield_growth.KINDS, "softmax", lambda beta: tkf.Softmax(1.001 * beta))
    assert_fails(CLAIMS["bpa25-k-max-thresholds"])


@pytest.mark.slow
def test_a_field_without_symmetry_does_not_pass(monkeypatch):
    """The same tokens under attention that prefers one direction by 1e-6."""
    transformer = tkf.Transformer
    tilted = np.diag([1.0 + 1e-6, 1.0])
    monkeypatch.setattr(meanfield_clusters.tkf, "Transformer", lambda *parts, **options: transformer(*parts, V=tilted))
    assert_fails(CLAIMS["bpa25-symmetric-stays"])


@pytest.mark.slow
def test_the_polygon_of_half_the_beta_does_not_pass(monkeypatch):
    rate = meanfield_clusters._instability_rate
    monkeypatch.setattr(meanfield_clusters, "_instability_rate", lambda beta, k: rate(beta / 2, k))
    assert_fails(CLAIMS["bpa25-symmetric-unstable"])
