"""The claim on the rate at which classes separate."""

from __future__ import annotations

import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import separation_law


@pytest.mark.parametrize("claim", claims_of("separation_law"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_softer_attention_mixes_classes(monkeypatch):
    softmax = tkf.Softmax
    monkeypatch.setattr(separation_law.tkf, "Softmax", lambda beta: softmax(beta / 8))
    assert_fails(separation_law.CLAIMS[0])
