"""The claim on what H heads can represent."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import head_fits


@pytest.mark.parametrize("claim", claims_of("head_fits"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_target_of_five_heads_is_not_met_by_four(monkeypatch):
    """The target has a head more than it says."""
    normal, misfit = head_fits.TRUE_HEADS, head_fits._misfit

    def one_more(weights, x, y):
        extra = weights if weights.shape[1] != normal or y.any() else weights[:, [0, 1, 2, 3, 3]].at[0, 4].multiply(-1)
        return misfit(extra, x, y)

    monkeypatch.setattr(head_fits, "_misfit", one_more)
    assert_fails(head_fits.CLAIMS[0])
