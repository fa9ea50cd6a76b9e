"""Claims on attention without residual connections."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import layer_norm_equilibria, rank_collapse

BY_ID = {claim.id: claim for claim in (*rank_collapse.CLAIMS, *layer_norm_equilibria.CLAIMS)}


@pytest.mark.parametrize("claim", claims_of("rank_collapse", "layer_norm_equilibria"))
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


@pytest.mark.slow
def test_a_slightly_other_beta_rests_elsewhere(monkeypatch):
    places = layer_norm_equilibria._own_directions
    monkeypatch.setattr(layer_norm_equilibria, "_own_directions", lambda values, beta: places(values, 1.001 * beta))
    assert_fails(BY_ID["wawjj24-any-rank"])


@pytest.mark.slow
def test_a_start_outside_of_the_class_is_not_kept(monkeypatch):
    starts = layer_norm_equilibria._starts_of_rank
    monkeypatch.setattr(layer_norm_equilibria, "_starts_of_rank", lambda *given: starts(*given) + 1e-12)
    assert_fails(BY_ID["wawjj24-any-rank"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["_needed", "_factor"])
def test_the_shear_for_another_eigenvalue_fails(monkeypatch, name):
    right = getattr(layer_norm_equilibria, name)
    monkeypatch.setattr(layer_norm_equilibria, name, lambda u, mu, beta: right(u, mu + 0.02, beta))
    assert_fails(BY_ID["wawjj24-open-set"])
