"""Claims about real models: they hold, their controls fail; without the models they are not run."""

from __future__ import annotations

import pytest

from claim_checks import assert_holds, claims_of
from real_models import real_folder
from tokenfield import claims
from tokenfield.claims.claim import NOT_RUN
from tokenfield.claims.real_models import sentences
from tokenfield.claims.running import counts, execute
from tokenfield.study.store.records import ClaimsFolder


@pytest.mark.pretrained
@pytest.mark.parametrize("claim", claims_of("real_depth", "real_layers"))
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
