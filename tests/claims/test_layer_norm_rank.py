"""The claim on LayerNorm and the rank of tokens."""

from __future__ import annotations

import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import layer_norm_rank


@pytest.mark.parametrize("claim", claims_of("layer_norm_rank"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_norm_that_does_not_center_fails(monkeypatch):
    monkeypatch.setattr(tkf, "LayerNorm", tkf.RMSNorm)
    assert_fails(layer_norm_rank.CLAIMS[0])
