"""Claims on what slides about arXiv 2305.05465 leave open."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import slide_theorems

BY_ID = {claim.id: claim for claim in slide_theorems.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("slide_theorems"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_leaders_of_another_form_do_not_count_the_vertices(monkeypatch):
    """Those of Q^T K = I where it is another matrix."""
    leaders = slide_theorems._leaders
    monkeypatch.setattr(slide_theorems, "_leaders", lambda x, A: leaders(x, np.eye(len(A))))
    assert_fails(BY_ID["glpr23-count-vertices"])
