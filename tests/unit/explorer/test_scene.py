"""Configs that come from a page: what is refused and with which words, and that what is accepted can be reproduced."""

from __future__ import annotations

import tomllib

import pytest

from tokenfield.errors import ConfigError, TokenfieldError, TooLarge
from tokenfield.explorer.scene import LIMITS, Scene, limits
from tokenfield.study import Config

SMALL = {"geometry": {"dim": 2}, "attention": {"beta": 4}, "initial": {"n": 16}, "solve": {"t1": 3.0}}


def test_limits_are_told_with_reasons():
    found = limits()
    assert found["n"] == LIMITS["n"][0] and set(found["reasons"]) == set(LIMITS) and found["systems"] == 2


@pytest.mark.parametrize(
    "tables, words",
    [
        (
            {"initial": {"n": 10**9}},
            "initial.n = 1e+09 is too much for the explorer, which takes at most 20000: ",
        ),
        ({"geometry": {"dim": 10**6}}, "geometry.dim = 1e+06"),
        ({"solve": {"layers": 10**8}}, "solve.layers"),
        ({"heads": [{"beta": 1.0}] * 17}, "the number of heads = 17"),
        ({"perceptron": {"width": 10**6}}, "perceptron.width"),
        ({"noise": {"kappa": 1.0}, "solve": {"t1": 1e9}}, "solve.step"),
        ({"solve": {"step": 1e-12, "method": "rk4"}}, "solve.step"),
        ({"schedule": {"kind": "resampled", "period": 1e-9}}, "schedule.period"),
        ({"attention": {"kind": "sinkhorn", "max_sweeps": 10**9}}, "attention.max_sweeps"),
        ({"geometry": {"dim": 128}, "initial": {"n": 20_000}}, "the work of 20000 tokens in R^128"),
        ({"attention": {"kind": "sinkhorn", "sweeps": 5000}, "initial": {"n": 2000}}, "the work of 2000 tokens"),
        (
            {"attention": {"kind": "sinkhorn"}, "position": {"causal": True}, "initial": {"n": 2000}},
            "the work of 2000 prefixes",
        ),
        ({"state": {"kind": "density", "nodes": 100}}, "at most 64"),
        ({"state": {"kind": "density", "nodes": 10**8}}, "state.nodes"),
    ],
)
def test_what_is_too_large_is_refused_with_the_limit(tables, words):
    with pytest.raises(TooLarge) as caught:
        Scene.of(tables)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "tables",
    [
        {"attention": {"V": "secret.npy"}},
        {"attention": {"V": "/etc/passwd"}},
        {"attention": {"Q": "anything"}},
        {"heads": [{"K": "k.csv"}]},
        {"schedule": {"kind": "per-layer", "layers": [{"heads": [{"O": "o.txt"}]}]}},
        {"initial": {"path": "tokens.npy"}},
        {"initial": {"kind": "file", "path": "tokens.npy"}},
        {"initial": {"kind": "file"}},
        {"initial": {"kind": "end-of-run", "path": "runs/1"}},
        {"initial": {"kind": "end_of_run"}},
        {"initial": {"points": "tokens.csv"}},
        {"initial": {"weights": "w.npy"}},
        {"perceptron": {"W": "w.npy"}},
        {"normalization": {"gain": "g.txt"}},
        {"position": {"alibi": "a.npy"}},
        {"solve": {"save": "times.npy"}},
        {"potential": {"direction": "..\\secret.csv"}},
    ],
)
def test_no_key_reads_a_file(tables, monkeypatch, tmp_path):
    """Also where the file is there."""
    monkeypatch.chdir(tmp_path)
    for name in ("secret.npy", "anything", "k.csv", "o.txt", "tokens.npy", "tokens.csv", "w.npy", "g.txt", "a.npy"):
        (tmp_path / name).write_text("1.0")
    with pytest.raises(ConfigError, match="file"):
        Scene.of(tables)


@pytest.mark.parametrize(
    "tables",
    [
        None,
        [],
        "config",
        {"attention": 3},
        {"attention": {"beta": "hot"}},
        {"attention": {"beta": float("nan")}},
        {"attention": {"beta": 10**400}},
        {"attention": {"beta": [[[[[[[1]]]]]]]}},
        {"atention": {}},
        {"attention": {"kind": "x" * 1000}},
        {"initial": []},
        {"solve": None},
        {1: 2},
        {"initial": {"n": -3}},
        {"solve": {"t1": -1.0}},
        {"heads": {}},
    ],
)
def test_what_is_no_config_is_refused_in_one_line(tables):
    with pytest.raises(TokenfieldError) as caught:
        Scene.of(tables).config.build()
        from tokenfield.explorer.system import System

        System(Scene.of(tables))
    assert "\n" not in str(caught.value)


def test_scenes_are_reproduced_by_their_toml_and_python():
    scene = Scene.of(SMALL)
    assert scene.config.solve.dtype == "float32"
    assert Config.from_dict(tomllib.loads(scene.toml)).resolved() == scene.config
    made: dict = {}
    exec(scene.python.partition("run, start")[0], made)
    assert made["config"].resolved() == scene.config
    compile(scene.python, "scene.py", "exec")


def test_clocks_and_speeds():
    assert Scene.of(SMALL).clock == "linear"
    merged = Scene.of({**SMALL, "solve": {"t1": 1e30, "merge": True}})
    assert merged.clock == "log" and merged.config.solve.dtype == "float64"
    assert 0.01 * merged.speed**300 == pytest.approx(1e30, rel=1e-6)
    assert Scene.of({**SMALL, "solve": {"t1": 1.0, "merge": True, "clock": "distance"}}).clock == "linear"


@pytest.mark.parametrize(
    "change, is_fine",
    [
        ({"attention": {"beta": 9}}, True),
        ({"attention": {"kind": "l2", "beta": 9}}, True),
        ({"solve": {"t1": 9.0}}, True),
        ({"position": {"causal": True}}, True),
        ({"position": {"alibi": 0.1}}, True),
        ({"initial": {"n": 17}}, False),
        ({"geometry": {"dim": 3}}, False),
        ({"solve": {"t1": 3.0, "dtype": "float64"}}, False),
    ],
)
def test_what_can_change_while_it_runs(change, is_fine):
    scene, other = Scene.of(SMALL), Scene.of({**SMALL, **change})
    if is_fine:
        scene.goes_on_as(other)
    else:
        with pytest.raises(ConfigError, match="start"):
            scene.goes_on_as(other)
