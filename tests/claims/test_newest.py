"""Claims on convex interactions, weights in depth, depth and heads, Sinkhorn's flow, noisy laws, random attention."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import (
    convex_interactions,
    depth_and_heads,
    fokker_planck,
    random_attention,
    random_depth,
    sinkhorn_flow,
    time_varying,
)

MODULES = (
    "convex_interactions",
    "time_varying",
    "depth_and_heads",
    "sinkhorn_flow",
    "fokker_planck",
    "random_attention",
    "random_depth",
)


@pytest.mark.parametrize("claim", claims_of(*MODULES))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_pentagon_without_the_second_derivative_fails(monkeypatch):
    right = convex_interactions._weight
    monkeypatch.setattr(convex_interactions, "_weight", lambda c, *shape: (right(c, *shape)[0], 0 * c))
    assert_fails(convex_interactions.CLAIMS[0])


@pytest.mark.slow
def test_a_triangular_system_with_slightly_other_rates_fails(monkeypatch):
    right = time_varying.expm
    monkeypatch.setattr(time_varying, "expm", lambda matrix: right(1.02 * matrix))
    assert_fails(time_varying.CLAIMS[0])


@pytest.mark.slow
def test_heads_of_another_number_fail(monkeypatch):
    right = depth_and_heads._drawn
    monkeypatch.setattr(depth_and_heads, "_drawn", lambda rng, draws, L, H, shared: right(rng, draws, L, 2 * H, shared))
    assert_fails(depth_and_heads.CLAIMS[0])


@pytest.mark.slow
def test_an_energy_without_its_half_fails(monkeypatch):
    claim = sinkhorn_flow.CLAIMS[0]
    right = claim.experiment
    monkeypatch.setitem(claim.__dict__, "experiment", lambda **given: right(**{**given, "half": 1.0}))
    assert_fails(claim)


@pytest.mark.slow
def test_twice_the_noise_fails(monkeypatch):
    right = fokker_planck._predicted
    monkeypatch.setattr(fokker_planck, "_predicted", lambda beta, rate: right(beta, 2 * rate))
    assert_fails(fokker_planck.CLAIMS[0])


def test_moments_follow_their_integrals():
    """The equations of the moments are those of int cos(k th) under the velocity field, by quadrature."""
    beta, m = 1.0, np.array([1.0, 0.3, 0.1, 0.02])
    nodes = 2 * np.pi * np.arange(64) / 64
    density = (m[0] + 2 * sum(m[k] * np.cos(k * nodes) for k in (1, 2, 3))) / 64
    apart = nodes[:, None] - nodes
    v = -(np.exp(beta * np.cos(apart)) * np.sin(apart)) @ density
    expected = [-k * np.sum(np.sin(k * nodes) * v * density) for k in range(4)]
    slopes = fokker_planck._slopes(beta, 0.0)(0.0, np.append(m, np.zeros(fokker_planck.CUT - 3)))
    np.testing.assert_allclose(slopes[:4], expected, atol=1e-14)


@pytest.mark.slow
def test_a_critical_scale_that_ignores_the_half_fails(monkeypatch):
    monkeypatch.setattr(random_attention, "_critical", lambda rho, law: float(np.sqrt(1 / (1 - rho))))
    assert_fails(random_attention.CLAIMS[0])


@pytest.mark.parametrize(("rho", "spread", "n"), [(0.2, 1.0, 16), (0.2, 4.0, 16), (0.8, 3.0, 64)])
def test_overlaps_of_attention_are_those_of_drawn_logits(rho, spread, n):
    """Plain sampling: 20,000 pairs of queries; weights lie in [0, 1], so errors are at most 0.5/sqrt(20000)."""
    rng = np.random.default_rng(0)
    g, own = rng.normal(size=(2, 20_000, n))
    logits = spread * np.stack([g, rho * g + np.sqrt(1 - rho**2) * own])
    a, b = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    drawn = [np.mean(np.sum(product, axis=1)) for product in (a * a, a * b)]
    np.testing.assert_allclose(random_depth.overlaps(rho, spread, n), drawn, atol=4 * 0.5 / np.sqrt(20_000))


@pytest.mark.slow
def test_random_layers_whose_queries_do_not_vary_with_the_token_fail(monkeypatch):
    """The same S, but all queries look at the same keys: T = S."""
    right = random_depth.overlaps
    monkeypatch.setattr(random_depth, "overlaps", lambda *given: (right(*given)[0],) * 2)
    assert_fails(random_depth.CLAIMS[0])
