"""The claim on residual networks of changing width."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import resnets


@pytest.mark.parametrize("claim", claims_of("resnets"))
def test_claim(claim):
    assert_holds(claim)


def test_networks_with_other_biases_tend_elsewhere(monkeypatch):
    network = resnets._network
    monkeypatch.setattr(resnets, "_network", lambda x, W, A, b, *rest, **how: network(x, W, A, 1.1 * b, *rest, **how))
    assert_fails(resnets.CLAIMS[0])
