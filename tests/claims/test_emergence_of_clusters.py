"""Claims of arXiv 2305.05465."""

from __future__ import annotations

import pytest

from claim_checks import assert_holds, claims_of


@pytest.mark.parametrize("claim", claims_of("emergence_of_clusters"))
def test_claim(claim):
    assert_holds(claim)
