"""Claims of arXiv 2305.05465 with V = I or -I; with something wrong in their experiments they fail."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import emergence_of_clusters as module

CLAIMS = {claim.id: claim for claim in module.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("emergence_of_clusters"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_the_polytope_fails_with_another_value_matrix(monkeypatch):
    right = module.rescaled_run
    monkeypatch.setattr(module, "rescaled_run", lambda V, **options: right(0.8 * np.asarray(V), **options))
    assert_fails(CLAIMS["glpr23-polytope"])


@pytest.mark.slow
def test_the_polytope_fails_with_another_limit_set(monkeypatch):
    def nearest_vertex(z):
        return float(np.max(np.abs(np.linalg.norm(z, axis=1) - np.max(z @ z.T, axis=1))))

    monkeypatch.setattr(module, "distance_to_limit_set", nearest_vertex)
    assert_fails(CLAIMS["glpr23-polytope"])


@pytest.mark.slow
def test_boolean_attention_fails_when_rows_and_columns_are_swapped(monkeypatch):
    right = module.attention_along
    monkeypatch.setattr(module, "attention_along", lambda run: right(run).transpose(0, 2, 1))
    assert_fails(CLAIMS["glpr23-boolean-attention"])


@pytest.mark.slow
def test_distances_fail_when_softmax_attends_to_the_most_distant(monkeypatch):
    right = module.tkf.Softmax
    monkeypatch.setattr(module.tkf, "Softmax", lambda beta: right(-beta))
    assert_fails(CLAIMS["glpr23-distances-grow"])
