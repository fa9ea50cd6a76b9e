"""Claims on attention with a potential."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import perceptron_atoms, perceptron_clusters, perceptron_splitting

BY_ID = {claim.id: claim for claim in perceptron_clusters.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("perceptron_clusters", "perceptron_splitting", "perceptron_atoms"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_the_threshold_of_equal_masses_fails_for_others(monkeypatch):
    right = theory.holding_potential
    monkeypatch.setattr(theory, "holding_potential", lambda beta, share: right(beta))
    assert_fails(BY_ID["perceptrons26-holding-potential"])


@pytest.mark.slow
def test_a_slightly_other_beta_fails(monkeypatch):
    flows = perceptron_clusters._flows
    monkeypatch.setattr(perceptron_clusters, "_flows", lambda beta, *rest: flows(1.01 * beta, *rest))
    assert_fails(BY_ID["perceptrons26-holding-potential"])


@pytest.mark.slow
def test_composed_perceptrons_are_not_those_beside_attention(monkeypatch):
    spreads = perceptron_splitting._spreads
    monkeypatch.setattr(perceptron_splitting, "_spreads", lambda *given: spreads(*given[:-1], False))
    assert_fails({claim.id: claim for claim in perceptron_splitting.CLAIMS}["perceptrons26-splitting"])


@pytest.mark.slow
def test_another_strength_has_other_atoms(monkeypatch):
    strength = perceptron_atoms._splits_at
    monkeypatch.setattr(perceptron_atoms, "_splits_at", lambda beta: 1.3 * strength(beta))
    assert_fails(perceptron_atoms.CLAIMS[0])


@pytest.mark.slow
def test_atoms_of_a_slightly_stronger_potential_are_elsewhere(monkeypatch):
    force = perceptron_atoms._force
    monkeypatch.setattr(perceptron_atoms, "_force", lambda *given: force(*given[:-1], 1.001 * given[-1]))
    assert_fails(perceptron_atoms.CLAIMS[0])


def test_groups_of_angles_are_found_across_zero():
    angles, masses = perceptron_atoms._atoms(np.array([0.0, 1.0, -1e-7, 1.0 + 1e-7, 1.0, 2 * np.pi + 1e-7]))
    assert np.sort(angles) == pytest.approx([0.0, 1.0], abs=1e-6)
    assert masses == pytest.approx([0.5, 0.5])


def test_two_clusters_are_the_smallest_polygon():
    from tokenfield.theory.potential import _polygon

    assert float(_polygon(1.3, 2)) == pytest.approx(float(theory.holding_potential(1.3)), rel=1e-12)
    with pytest.raises(tkf.errors.InvalidInput, match="more of equal masses"):
        theory.holding_potential(1.0, share=0.3, clusters=3)
