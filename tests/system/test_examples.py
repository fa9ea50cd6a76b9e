"""The example configs: each is valid, says what it follows, and runs."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from tokenfield.laws import motion
from tokenfield.study import catalog
from tokenfield.study.builders import build_events, build_save
from tokenfield.study.config import Config
from tokenfield.study.simulate import solve_config
from tokenfield.study.summary import summarize

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "configs").glob("*.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid_and_say_what_they_follow(path):
    config = Config.from_toml(path)
    assert re.search(r"^# .*", path.read_text()) and "arXiv" in path.read_text().split("[geometry]")[0]
    model, tokens = config.build()
    assert tokens.d == model.geometry.d
    build_events(config, model)
    build_save(config, model)


def shortened(config: Config, *, n: int, t1: float) -> Config:
    """A small version of a config: fewer tokens, less depth, the same step."""
    initial, solve = config.initial, config.solve
    if initial.n is not None:
        initial = dataclasses.replace(initial, n=n)
    if solve.t1 > t1:
        layers = None if solve.layers is None else max(1, round(solve.layers * t1 / solve.t1))
        solve = dataclasses.replace(solve, t1=t1, layers=layers)
    return dataclasses.replace(config, initial=initial, solve=solve)


def test_every_published_kind_has_an_example():
    tables = [Config.from_toml(path).resolved().to_dict() for path in EXAMPLES]
    heads = [head for table in tables for head in [table["attention"], *table.get("heads", [])]]
    assert {head["kind"] for head in heads if "kind" in head} == set(catalog.names_of("attention"))
    assert {t["normalization"]["kind"] for t in tables if "normalization" in t} == set(
        catalog.names_of("normalization")
    )
    assert {t["schedule"]["kind"] for t in tables} >= {"constant", "resampled"}
    assert {key for t in tables for key in t.get("position", {})} >= {"causal", "window", "alibi", "rope"}
    assert {t["noise"]["common"] for t in tables if "noise" in t} == {True, False}
    blocks = [t["block"] for t in tables if "block" in t]
    assert {block["norm"] for block in blocks} >= {kind.name for kind in catalog.kinds_of("norm") if kind.cls}
    assert {block["place"] for block in blocks} >= {"pre", "post"} and all("heads" in block for block in blocks)
    assert {"attention"} <= {t["perceptron"]["of"] for t in tables if "perceptron" in t}


# the panels of one paper differ by matrices only: one run for each kind of attention, and the field of all the others
SAME = {path for path in EXAMPLES if path.stem.startswith("gaussian-") and not path.stem.endswith(("neg-def", "gence"))}


@pytest.mark.parametrize("path", sorted(SAME), ids=lambda path: path.stem)
def test_gaussian_examples_move(path):
    model, law = Config.from_toml(path).build()
    speeds = [np.asarray(speed) for speed in motion(model, 0.0, law)]
    assert all(np.isfinite(speed).all() for speed in speeds) and np.abs(speeds[1]).max() > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in EXAMPLES if path not in SAME], ids=lambda path: path.stem)
def test_examples_run(path):
    config = Config.from_toml(path).resolved()
    if path.stem != "frame":
        config = shortened(config, n=12, t1=0.5)
    run, tokens = solve_config(config, progress=False)
    assert run.result.is_complete
    summary = summarize(run, tokens)
    if "positions" not in summary:  # a density for each position has clusters by position only, which are not counted
        assert summary["clusters"]["count"] >= 1
    if path.stem == "frame":
        # the reference number of the comment in the file, from the equiangular equation
        assert abs(float(run.result.t) - 5.270) < 1e-3
