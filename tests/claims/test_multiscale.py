"""Claims of arXiv 2509.25040: alignment, heat, pairing, and the law of merge times."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import multiscale, multiscale_pairing

CLAIMS = {claim.id: claim for module in (multiscale, multiscale_pairing) for claim in module.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("multiscale", "multiscale_pairing"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_alignment_at_the_gap_of_moduli_does_not_pass(monkeypatch):
    """The gap of |eigenvalues| in place of real parts: |1 + 2i| - 0.2 for the plane."""
    wrong = theory.alignment_rate(np.eye(3), np.eye(3), np.diag([np.sqrt(5), np.sqrt(5), 0.2]))
    monkeypatch.setattr(multiscale.theory, "alignment_rate", lambda *matrices: wrong)
    assert_fails(CLAIMS["bpa25b-alignment"])


@pytest.mark.slow
def test_heat_of_unnormalized_attention_does_not_pass(monkeypatch):
    """It is a porous medium instead; scaled to the same rate at the uniform law."""
    mean = float(np.exp(theory.growth_rates(50.0, 2, attention="unnormalized").log10[0] * np.log(10)))
    scale = mean / float(theory.growth_rates(50.0, 2).value[0])
    transformer = tkf.Transformer

    def porous(geometry, attention, *, V):
        return transformer(geometry, tkf.Unnormalized(attention.beta), V=V / scale)

    monkeypatch.setattr(multiscale.tkf, "Transformer", porous)
    assert_fails(CLAIMS["bpa25b-forward-heat"])


@pytest.mark.slow
def test_merge_times_of_a_beta_off_by_a_percent_do_not_pass(monkeypatch):
    softmax = tkf.Softmax
    monkeypatch.setattr(multiscale_pairing.tkf, "Softmax", lambda beta: softmax(1.01 * beta))
    assert_fails(CLAIMS["bpa25b-merge-time"])


@pytest.mark.slow
def test_a_merge_law_of_twice_the_time_does_not_pass(monkeypatch):
    """Both clusters move: with one of them at rest the time would be twice as long."""
    law = theory.merge_time_asymptotic
    monkeypatch.setattr(multiscale_pairing.theory, "merge_time_asymptotic", lambda *a, **o: 2 * float(law(*a, **o)))
    assert_fails(CLAIMS["bpa25b-merge-time"])
