"""Claims on Gaussians (arXiv 2501.18322) and on formulas printed for them, and that wrong experiments fail."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of, quick_finding, same_runs_once
from tokenfield.claims import gaussian_errata, gaussians
from tokenfield.claims.running import save_figure
from tokenfield.study.store.records import ClaimsFolder

CLAIMS = {claim.id: claim for claim in (*gaussians.CLAIMS, *gaussian_errata.CLAIMS)}


@pytest.mark.parametrize("claim", claims_of("gaussians", "gaussian_errata"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_mutation_blow_up_time_without_the_start(monkeypatch):
    """1 / lambda_max(A + A^T), as if every start were the identity."""
    time = gaussians.theory.gaussian_blow_up_time
    monkeypatch.setattr(gaussians.theory, "gaussian_blow_up_time", lambda S, A: time(np.eye(2), A))
    assert_fails(CLAIMS["cacp25-blow-up-time"])


@pytest.mark.slow
def test_mutation_limit_without_the_inverse(monkeypatch):
    """P S0 P with P the projection onto ker Q, in place of N (N^T S0^-1 N)^-1 N^T."""

    def wrong(S0, Q):
        _, sizes, rows = np.linalg.svd(Q)
        kernel = rows[int(np.sum(sizes > 1e-9)) :]
        return tkf.theory.Prediction(kernel.T @ kernel @ S0 @ kernel.T @ kernel, "", (), "")

    monkeypatch.setattr(gaussians.theory, "gaussian_limit", wrong)
    assert_fails(CLAIMS["cacp25-limit-ranks"])


@pytest.mark.slow
def test_mutation_transposed_kernel(monkeypatch):
    """A^T in place of A in the formula for Sinkhorn attention."""
    right = gaussian_errata._sinkhorn_formula
    monkeypatch.setattr(gaussian_errata, "_sinkhorn_formula", lambda A, S, order: right(A.T, S, order))
    assert_fails(CLAIMS["cacp25-sinkhorn-formula"])


@pytest.mark.slow
def test_mutation_softmax_in_place_of_linear(monkeypatch):
    """Linear attention at half its strength."""
    linear = tkf.Linear
    monkeypatch.setattr(gaussian_errata.tkf, "Linear", lambda beta: linear(beta / 2))
    assert_fails(CLAIMS["cacp25-softmax-is-linear"])


@pytest.mark.slow
def test_four_formulas_have_one_figure(tmp_path):
    folder = ClaimsFolder(tmp_path / "report")
    folder.make()
    sharing = [claim for claim in gaussian_errata.CLAIMS if claim.figure]
    with same_runs_once():
        names = {save_figure(claim, quick_finding(claim), folder) for claim in sharing}
    assert len(sharing) == 4 and names == {"figures/cacp25-formulas.png"}
    assert [path.name for path in (tmp_path / "report" / "figures").iterdir()] == ["cacp25-formulas.png"]
