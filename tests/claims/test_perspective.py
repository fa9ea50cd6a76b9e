"""Claims of arXiv 2312.10794: symmetries, energy, equiangular tokens, hemispheres, repulsion, random weights."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import perspective, perspective_geometry


@pytest.mark.parametrize("claim", claims_of("perspective", "perspective_geometry"))
def test_claim(claim):
    assert_holds(claim)


def named(module, id):
    return next(claim for claim in module.CLAIMS if claim.id == id)


# --- mutations: with something wrong in the experiment, the claim fails ------------------------------------------


@pytest.mark.slow
def test_curve_fails_with_half_the_beta(monkeypatch):
    halved = {
        kind: lambda beta, attention=attention: attention(beta / 2) for kind, attention in perspective.KINDS.items()
    }
    monkeypatch.setattr(perspective, "KINDS", halved)
    assert_fails(named(perspective, "glpr25-equiangular-curve"))


@pytest.mark.slow
def test_dissipation_fails_without_projection(monkeypatch):
    def unprojected(model, points):
        return jax.vmap(lambda x: jnp.sum(model.attended(0.0, x, tkf.Measure(x))[0].mean ** 2, axis=1))(points)

    monkeypatch.setattr(perspective, "_squared_speeds", unprojected)
    assert_fails(named(perspective, "glpr25-energy-dissipation"))


@pytest.mark.slow
def test_hitting_times_fail_with_the_equation_of_one_token_less(monkeypatch):
    right = perspective.theory.equiangular_time
    monkeypatch.setattr(
        perspective.theory, "equiangular_time", lambda beta, n, **options: right(beta, n - 1, **options)
    )
    assert_fails(named(perspective, "glpr25-hitting-times"))


@pytest.mark.slow
def test_wendel_fails_if_tokens_are_left_out(monkeypatch):
    right = perspective_geometry._is_in_hemisphere
    monkeypatch.setattr(perspective_geometry, "_is_in_hemisphere", lambda x: right(x[4:]))
    assert_fails(named(perspective_geometry, "glpr25-wendel"))


@pytest.mark.slow
def test_sharp_configurations_fail_in_another_dimension(monkeypatch):
    squashed = {name: (n, d - 1, cosines) for name, (n, d, cosines) in perspective_geometry.SHARP.items()}
    monkeypatch.setattr(perspective_geometry, "SHARP", squashed)
    assert_fails(named(perspective_geometry, "glpr25-sharp-configurations"))
