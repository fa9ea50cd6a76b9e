"""Claims on attention without residual connections."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import rank_collapse

BY_ID = {claim.id: claim for claim in rank_collapse.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("rank_collapse"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_another_constant_fails(monkeypatch):
    layers = rank_collapse._layers
    monkeypatch.setattr(rank_collapse, "_layers", lambda beta, *rest: layers(1.2 * beta, *rest))
    assert_fails(BY_ID["dcl21-cubic-collapse"])


@pytest.mark.slow
def test_a_residual_connection_does_not_collapse(monkeypatch):
    layers = rank_collapse._layers

    def residual(beta, points, mask, count):
        rows = [points]
        for _ in range(count):
            rows.append((rows[-1] + layers(beta, rows[-1], mask, 1)[1]) / 2)
        return jnp.stack(rows)

    monkeypatch.setattr(rank_collapse, "_layers", residual)
    assert_fails(BY_ID["dcl21-cubic-collapse"])


@pytest.mark.slow
def test_another_mask_fails(monkeypatch):
    averaging = rank_collapse._averaging
    monkeypatch.setattr(rank_collapse, "_averaging", lambda mask, n: averaging(mask, n + 1))
    assert_fails(BY_ID["wawjj24-masks"])
