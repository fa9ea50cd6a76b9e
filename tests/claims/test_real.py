"""Claims about real models: they hold, their controls fail; without the models they are not run."""

from __future__ import annotations

import numpy as np
import pytest

from claim_checks import assert_holds, claims_of
from real_models import real_folder
from tokenfield import claims
from tokenfield.claims.claim import NOT_RUN
from tokenfield.claims.real_models import sentences
from tokenfield.claims.repeated import CLUSTERS, CYCLE, DRIFT, ONE_POINT, WANDERING, Repeated
from tokenfield.claims.running import counts, execute
from tokenfield.study.store.records import ClaimsFolder


@pytest.mark.pretrained
@pytest.mark.parametrize("claim", claims_of("real_depth", "real_layers", "real_spectra"))
def test_the_claim_holds_and_its_control_fails(claim):
    for name in claim.needs:
        real_folder(name)
    assert_holds(claim)


def test_without_its_model_a_claim_is_not_run_and_counts_as_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENFIELD_CACHE", str(tmp_path / "empty"))
    ClaimsFolder(tmp_path / "out").make()
    record = execute("real-sink", "quick", 0, str(tmp_path / "out"))
    assert record["verdict"] == NOT_RUN and not record["error"]
    assert record["not_run"] == "it needs a real model: tokenfield pretrained fetch smollm2"
    assert counts([record]) == {"holds": 0, "fails": 0, "inconclusive": 0, "not run": 1}


def test_groups():
    real = {claim.id for claim in claims.find(group="real")}
    assert real and all(claim.needs for claim in claims.find(sorted(real)))
    assert not real & {claim.id for claim in claims.find(group="theory")}


def test_sentences_are_many_and_different():
    assert len(sentences()) == len(set(sentences())) >= 100


def made_up(angles: np.ndarray, exponent: float) -> Repeated:
    """What would be measured of two tokens on a circle, one of which rests and one has these angles."""
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    quarter = len(angles) // 4
    reference = unit[-quarter - 1]
    return Repeated(
        points=np.stack([unit[-1], [1.0, 0.0]]),
        durations=np.ones(len(angles) - 1),
        speeds=np.linalg.norm(np.diff(unit, axis=0), axis=1),
        cosines=np.cos(angles)[1:],
        stretch=np.zeros(len(angles) - 1),
        returns=np.linalg.norm(unit[-quarter:] - reference, axis=1),
        growth=np.full(len(angles) // 2, exponent),
    )


def test_fates():
    l = np.arange(200.0)  # noqa: E741
    slow = made_up(0.5 * np.exp(-0.05 * l), -0.05)
    assert slow.fate == ONE_POINT and slow.cluster_sizes == (2,) and slow.is_together
    apart = made_up(1.0 + 0.5 * np.exp(-0.05 * l), -0.05)
    assert apart.fate == CLUSTERS and apart.cluster_sizes == (1, 1) and not apart.is_together
    cycle = made_up(0.5 * np.cos(2 * np.pi * l / 7), -0.05)
    assert cycle.fate == CYCLE and cycle.period == 7
    # it has moved only a little since: that is not coming back
    turning = made_up(1e-4 * l, 0.0)
    assert turning.period == 0 and turning.fate == DRIFT
    # the golden angle never returns
    around = np.pi * (3 - np.sqrt(5)) * l
    assert made_up(around, 0.0).fate == DRIFT
    assert made_up(around, 0.1).fate == WANDERING
