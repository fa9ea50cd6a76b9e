"""The claim about random weights at initialization holds; its control fails, and so does another activation."""

from __future__ import annotations

from functools import partial

import pytest

from claim_checks import assert_holds, claims_of, describe
from tokenfield.claims import propagation
from tokenfield.claims.claim import FAILS
from tokenfield.model.parts import Perceptron


@pytest.mark.parametrize("claim", claims_of("propagation"))
def test_the_claim_holds_and_its_control_fails(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_another_activation_fails(monkeypatch):
    monkeypatch.setattr(propagation, "Perceptron", partial(Perceptron, activation="tanh"))
    (claim,) = propagation.CLAIMS
    # another number of draws, so that nothing that was compiled before is used
    finding = claim.experiment(seed=0, **{**claim.quick.parameters, "draws": 16})
    assert finding.verdict == FAILS, describe(finding)
