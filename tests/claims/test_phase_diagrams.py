"""Claims of arXiv 2312.10794 from its phase diagrams."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import phase_diagrams


@pytest.mark.parametrize("claim", claims_of("phase_diagrams"))
def test_claim(claim):
    assert_holds(claim)


def named(id):
    return next(claim for claim in phase_diagrams.CLAIMS if claim.id == id)


# --- mutations: with something wrong in the experiment, the claim fails ------------------------------------------


@pytest.mark.slow
def test_late_steps_fail_for_steps_half_as_long(monkeypatch):
    monkeypatch.setattr(phase_diagrams, "STEP", phase_diagrams.STEP / 2)
    assert_fails(named("glpr25-published-steps-late"))


@pytest.mark.slow
def test_pairs_fail_where_they_include_the_diagonal(monkeypatch):
    def with_diagonal(x):
        return (np.einsum("...id,...jd->...ij", x, x) > phase_diagrams.LEVEL).mean(axis=(-2, -1))

    monkeypatch.setattr(phase_diagrams, "_pair_fractions", with_diagonal)
    assert_fails(named("glpr25-pairs-without-diagonal"))


@pytest.mark.slow
def test_circle_fails_for_twice_the_beta(monkeypatch):
    right = phase_diagrams._circle_tokens

    def sharper(seed, n, betas, systems, times):
        return right(seed, n, [2 * beta for beta in betas], systems, times)

    monkeypatch.setattr(phase_diagrams, "_circle_tokens", sharper)
    assert_fails(named("glpr25-circle-clusters"))
