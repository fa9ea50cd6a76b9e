"""The claim on what H heads can represent."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import head_fits


@pytest.mark.parametrize("claim", claims_of("head_fits"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_target_of_five_heads_is_not_met_by_four(monkeypatch):
    """The target has a head more than it says."""
    target = head_fits._target
    monkeypatch.setattr(head_fits, "_target", lambda x, count, *rest: target(x, count + 1, *rest))
    assert_fails(head_fits.CLAIMS[0])


def test_slopes_of_the_projected_misfit():
    """Kaufman's slopes, times the misfit, are the exact gradient of its square: central differences."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6, 5, 2))
    fit, A, h = head_fits._Fit(x, y, 3), rng.normal(size=(3, 2, 2)), 1e-6
    gradient = (fit.slopes(A).T @ fit.misfit(A).ravel()).reshape(A.shape)
    for place in np.ndindex(A.shape):
        step = np.zeros(A.shape)
        step[place] = h
        rise = np.sum(fit.misfit(A + step) ** 2) - np.sum(fit.misfit(A - step) ** 2)
        assert rise / (4 * h) == pytest.approx(gradient[place], abs=1e-7)  # h^2, and rounding over h


def test_the_head_that_is_dropped_is_the_one_that_is_not_needed():
    rng = np.random.default_rng(1)
    x, A = rng.normal(size=(6, 5, 2)), rng.normal(size=(3, 2, 2))
    y = (head_fits._Fit(x, x, 3).columns(A[:2]) @ rng.normal(size=(4, 2))).reshape(x.shape)
    left = head_fits._Fit(x, y, 3).without_one(A[[0, 2, 1]])
    assert sorted(left[:, 0, 0]) == sorted(A[:2, 0, 0])
