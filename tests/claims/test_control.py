"""Claims about control; with something wrong in their constructions they fail."""

from __future__ import annotations

import dataclasses

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import control as module
from tokenfield.control import matching
from tokenfield.control.construction import Piece

CLAIMS = {claim.id: claim for claim in module.CLAIMS}


@pytest.mark.slow
@pytest.mark.parametrize("claim", claims_of("control", "interpolation"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_points_are_lost_if_restoring_does_not_flip_signs(monkeypatch):
    monkeypatch.setattr(Piece, "reversed", lambda self, what: dataclasses.replace(self, what=what))
    assert_fails(CLAIMS["grr24-six-switches"])


@pytest.mark.slow
def test_points_miss_their_targets_if_corridors_last_too_long(monkeypatch):
    exact = matching.quad
    monkeypatch.setattr(matching, "quad", lambda *a, **o: (1.01 * exact(*a, **o)[0], 0.0))
    assert_fails(CLAIMS["grr24-six-switches"])
