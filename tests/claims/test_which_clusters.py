"""The claim on which clusters form on S^2."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import which_clusters


@pytest.mark.parametrize("claim", claims_of("which_clusters"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_the_field_of_another_start_does_not_pass(monkeypatch):
    """Maxima of a right field, but not of this very start."""
    right = theory.first_clusters
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def of_the_start_before(points, beta, *, weights):
        seen.append((points, weights))
        other, masses = seen[-2] if len(seen) > 1 else seen[-1]
        return right(other, beta, weights=masses)

    monkeypatch.setattr(theory, "first_clusters", of_the_start_before)
    assert_fails(which_clusters.CLAIMS[0])
