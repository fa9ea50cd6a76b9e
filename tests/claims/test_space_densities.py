"""The claims on densities in R^d, on Keller-Segel and on masked densities, with wrong experiments that must fail."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import keller_segel, masked_density, space_densities


@pytest.mark.parametrize("claim", claims_of("space_densities", "keller_segel", "masked_density"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_start_of_another_variance_fails(monkeypatch):
    gaussian = space_densities.MovingDensity.gaussian
    wrong = lambda grid, covariance: gaussian(grid, covariance=[[1.01 * v for v in row] for row in covariance])  # noqa: E731
    monkeypatch.setattr(space_densities.MovingDensity, "gaussian", staticmethod(wrong))
    assert_fails(space_densities.CLAIMS[0])


@pytest.mark.slow
def test_supports_that_grow_faster_fail(monkeypatch):
    radii = space_densities._radii
    monkeypatch.setattr(space_densities, "_radii", lambda *given: radii(*given) * np.exp(np.linspace(0, 2, 5)))
    assert_fails(space_densities.CLAIMS[1])


@pytest.mark.slow
def test_differences_under_a_slightly_other_temperature_fail(monkeypatch):
    right = space_densities.KINDS
    wrong = {name: lambda beta, kind=kind: kind(1.03 * beta) for name, kind in right.items()}
    monkeypatch.setattr(space_densities, "KINDS", wrong)
    claim = next(claim for claim in space_densities.CLAIMS if claim.id == "cacp25-stability")
    assert_fails(claim)


@pytest.mark.parametrize(
    "wrong", [pytest.param("tokens of another law", marks=pytest.mark.slow), "tokens on a lattice"]
)
def test_tokens_that_are_no_sample_of_the_law_fail(monkeypatch, wrong):
    """Squares of uniform numbers stay away from the density; equal distances approach it twice as fast."""
    right = space_densities._line_ends

    def ends(model, starts, weights, t1):
        x = np.asarray(starts)
        felt = np.asarray(weights) > 0.5
        if wrong == "tokens of another law":
            x = np.sign(x) * x**2
        else:
            x = np.where(felt[:, None], np.cumsum(felt)[:, None] * 2 / felt.sum() - 1 - 1 / felt.sum(), x)
        return right(model, x, weights, t1)

    monkeypatch.setattr(space_densities, "_line_ends", ends)
    claim = next(claim for claim in space_densities.CLAIMS if claim.id == "cacp25-line-sampling")
    assert_fails(claim)


@pytest.mark.slow
def test_another_power_of_the_distance_fails(monkeypatch):
    model = lambda softening=0.0: tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(1.5, softening), relative=True)  # noqa: E731
    monkeypatch.setattr(keller_segel, "_model", model)
    assert_fails(keller_segel.CLAIMS[0])


@pytest.mark.slow
def test_a_density_of_another_temperature_fails(monkeypatch):
    end = masked_density._end
    hot = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(0.0), position=tkf.Causal())
    monkeypatch.setattr(masked_density, "_end", lambda start: tkf.solve(hot, start, t1=3.0, save="end").final)
    assert_fails(masked_density.CLAIMS[0])
    assert end is not masked_density._end
