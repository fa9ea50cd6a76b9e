"""The claim on modes of kernel density estimates."""

from __future__ import annotations

import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import kernel_modes


@pytest.mark.parametrize("claim", claims_of("kernel_modes"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_kernel_of_another_width_fails(monkeypatch):
    modes = kernel_modes._line_modes
    monkeypatch.setattr(kernel_modes, "_line_modes", lambda samples, beta: modes(samples, 2 * beta))
    assert_fails(kernel_modes.CLAIMS[0])
