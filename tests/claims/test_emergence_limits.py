"""Claims of arXiv 2305.05465 with other V, and about discrete depth; with something wrong they fail."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import emergence_limits as module

CLAIMS = {claim.id: claim for claim in module.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("emergence_limits"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_hyperplanes_fail_with_the_transposed_matrix(monkeypatch):
    right = module.rescaled_run
    monkeypatch.setattr(module, "rescaled_run", lambda V, **options: right(np.asarray(V).T, **options))
    assert_fails(CLAIMS["glpr23-three-hyperplanes"])


@pytest.mark.slow
def test_the_conjecture_fails_with_attention_before_it_decides(monkeypatch):
    right = module.attention_along
    monkeypatch.setattr(module, "attention_along", lambda run: right(run)[:2])
    assert_fails(CLAIMS["glpr23-codimension-k"])


@pytest.mark.slow
def test_layers_fail_with_a_step_that_is_one_percent_too_long(monkeypatch):
    right = module._in_pieces
    monkeypatch.setattr(
        module, "_in_pieces", lambda model, x, t1, *rest, **how: right(model, x, 1.01 * t1, *rest, **how)
    )
    assert_fails(CLAIMS["glpr25-layers-to-ode"])


@pytest.mark.slow
def test_the_integrator_fails_when_it_is_not_of_order_four(monkeypatch):
    right = module._in_pieces
    monkeypatch.setattr(module, "_in_pieces", lambda *what, method, step: right(*what, method="euler", step=step))
    assert_fails(CLAIMS["glpr23-published-integrator"])
