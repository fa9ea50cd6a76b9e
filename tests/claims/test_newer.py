"""Claims of newer papers: synchronization at negative beta, random weights in depth, lost in the middle, RoPE."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield import theory
from tokenfield.claims import lost_in_the_middle, random_weights, rope, synchronization

MODULES = (synchronization, random_weights, lost_in_the_middle, rope)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}


@pytest.mark.parametrize("claim", claims_of("synchronization", "random_weights", "lost_in_the_middle", "rope"))
def test_claim(claim):
    assert_holds(claim)


# --- mutations: functions around the compiled ones are replaced, which no cache hides -----------------------------


@pytest.mark.slow
def test_synchronization_at_half_of_beta_fails(monkeypatch):
    flows = synchronization._flows
    monkeypatch.setattr(synchronization, "_flows", lambda betas, *rest: flows(betas / 2, *rest))
    assert_fails(CLAIMS["pry25-three-clusters"])


@pytest.mark.slow
def test_another_synchronization_threshold_fails(monkeypatch):
    monkeypatch.setattr(theory, "synchronization_threshold", lambda: -0.63)
    assert_fails(CLAIMS["pry25-three-clusters"])


@pytest.mark.slow
def test_random_weights_at_half_of_beta_fail(monkeypatch):
    one_layer = random_weights._one_layer
    monkeypatch.setattr(random_weights, "_one_layer", lambda betas, *rest: one_layer(betas / 2, *rest))
    assert_fails(CLAIMS["homogenized26-two-token-drift"])
    assert_fails(CLAIMS["fedorov26-antipodal-threshold"])


@pytest.mark.slow
def test_probabilities_of_another_dimension_fail(monkeypatch):
    probability = theory.antipodal_probability
    monkeypatch.setattr(theory, "antipodal_probability", lambda beta, d: probability(beta, d + 2))
    assert_fails(CLAIMS["fedorov26-antipodal-probability"])


@pytest.mark.slow
def test_half_the_time_fails_for_the_memory_of_tokens(monkeypatch):
    responses = lost_in_the_middle._responses
    monkeypatch.setattr(lost_in_the_middle, "_responses", lambda beta, pace, *rest: responses(beta, pace / 2, *rest))
    assert_fails(CLAIMS["middle26-u-shape"])
    assert_fails(CLAIMS["middle26-critical-time"])


@pytest.mark.slow
def test_memory_without_decay_in_the_position_fails(monkeypatch):
    last = lost_in_the_middle._last_tokens
    # the sequence backwards: the last token is then the first, which sees nothing
    monkeypatch.setattr(lost_in_the_middle, "_last_tokens", lambda points, *rest: last(points[:, ::-1], *rest))
    assert_fails(CLAIMS["middle26-memory"])


@pytest.mark.slow
def test_rotations_twice_as_fast_fail(monkeypatch):
    model = rope._model
    monkeypatch.setattr(rope, "_model", lambda beta, n, turns, *rest: model(beta, n, 2 * turns, *rest))
    assert_fails(CLAIMS["rope26-ring-rates"])
    assert_fails(CLAIMS["rope26-twisted-states"])


@pytest.mark.slow
def test_tokens_of_the_whole_sphere_leave_hemispheres(monkeypatch):
    start = rope.tkf.initial.cap
    monkeypatch.setattr(rope.tkf.initial, "cap", lambda *args, angle, **rest: start(*args, angle=np.pi, **rest))
    assert_fails(CLAIMS["rope26-hemispheres"])
