"""`tokenfield steer`: folders, numbers, one-line errors, Ctrl-C that keeps the best; and examples/steer.py."""

from __future__ import annotations

import json
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import error_of, tokenfield
from tokenfield.study.steer import read_problem

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "examples" / "steer").glob("*.toml"))


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """The folder of examples/steer.py, with fewer steps."""
    folder = tmp_path_factory.mktemp("example")
    program = runpy.run_path(str(ROOT / "examples" / "steer.py"))
    assert program["main"](["--out", str(folder), "--steps", "30"]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_configs_make_folders(config, example, tmp_path):
    # the example has done two of them; what it wrote is a config of the same problem, which gives the same weights
    done_before = example / config.stem
    given = (done_before / "config.toml",) if done_before.exists() else (config, "--steps", "30")
    done = tokenfield("steer", *given, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["loss"]["last"] < summary["loss"]["first"] and summary["steps"] == 30
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"config.toml", "figures", "losses.json", "manifest.json", "summary.json", "weights.json"}
    if config.stem in ("moons", "spirals"):  # drawn anew from its files: the same picture
        figure = tmp_path / "out" / "figures" / "steering.png"
        first = figure.read_bytes()
        assert tokenfield("plot", tmp_path / "out").exit_code == 0
        assert figure.read_bytes() == first
    written = tmp_path / "out" / "config.toml"
    assert read_problem(written).to_toml() == written.read_text() == read_problem(config, {"steps": 30}).to_toml()
    if config.stem in ("moons", "prompts"):
        before = json.loads((done_before / "summary.json").read_text())
        assert before["loss"]["last"] == pytest.approx(summary["loss"]["last"], rel=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[steer]\nlos = 'w2'", "unknown key 'los'"),
        ("[steer]\nloss = 'w3'", "steer.loss"),
        ("[noise]\nkappa = 2.0", "[noise] has no effect on steering"),
        ("[steer]\nproblem = 'given'", "[[prompts]] go with steer.problem"),
        ("[steer]\nproblem = 'moons'", "two moons are in the plane"),
        ("[steer]\nsteps = 0", "steps must be at least 1"),
        ("[geometry]\ndim = 3", "there is no [steer], which says what is trained"),
        ("steer = 3", "[steer] must be a table"),
        ("[steer]\nsteps = 1\n[output]\ncheckpoint = 'soon'", "output.checkpoint needs a time"),
    ],
)
def test_bad_configs_are_one_line(text, message, tmp_path):
    (tmp_path / "bad.toml").write_text(text)
    assert message in error_of("steer", tmp_path / "bad.toml", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a config with the section [steer]"),
        (("--resume",), "give --out, its folder, and nothing else"),
        (("--resume", "--out", "out", "--steps", "3"), "give --out, its folder, and nothing else"),
        (("--resume", "--out", "nothing"), "there is no folder nothing"),
        (("--resume", "--out", "."), ". is not a steering"),
    ],
)
def test_what_cannot_go_on_is_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in error_of("steer", *arguments)


SMALL = """
[geometry]
kind = "euclidean"
dim = 2
[attention]
kind = "none"
[perceptron]
activation = "tanh"
[output]
figures = false
checkpoint = "0s"
[steer]
problem = "given"
t1 = 1.0
pieces = 2
width = 2
steps = 3000
substeps = 1
hurry = 1e-3
[[prompts]]
source = [[0.1, 0.2], [0.3, -0.7]]
target = [[1.0, 0.0], [0.0, 1.0]]
"""
# a test run in the background ignores Ctrl-C, and its children inherit that
HEARS_CTRL_C = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("tokenfield", run_name="__main__")
"""
RESULTS = ("weights.json", "losses.json")


def _stopped(number: int, *arguments: str) -> tuple[int, str]:
    """The exit code and the errors of a training that is sent a signal when it has written three checkpoints more."""
    checkpoint = Path(".out.partial") / "checkpoint"
    last = max((int(path.stem.removeprefix("saved-")) for path in checkpoint.glob("saved-*.npz")), default=0)
    process = subprocess.Popen(
        [sys.executable, "-c", HEARS_CTRL_C, "steer", *arguments, "--out", "out"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while not (checkpoint / f"saved-{last + 3}.npz").exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.001)
        process.send_signal(number)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    return process.returncode, errors


@pytest.mark.slow
def test_a_training_that_is_killed_and_interrupted_ends_as_if_it_was_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)
    assert tokenfield("steer", "small.toml", "--out", "whole").exit_code == 0
    _stopped(signal.SIGKILL, "small.toml")
    assert not Path("out").exists()
    assert "out was killed and can go on: add --resume" in error_of("steer", "small.toml", "--out", "out")

    code, errors = _stopped(signal.SIGINT, "--resume")
    assert code == 130 and "Traceback" not in errors, errors
    summary = json.loads(Path("out/summary.json").read_text())
    assert not summary["is_complete"] and 120 <= summary["steps"] < 3000
    assert "tokenfield steer --resume --out out goes on" in tokenfield("show", "out").stdout

    done = tokenfield("steer", "--resume", "--out", "out", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["steps"] == 3000, done.stderr
    for name in RESULTS:
        assert Path("out", name).read_bytes() == Path("whole", name).read_bytes()
    assert {path.name for path in Path("out").iterdir()} == {path.name for path in Path("whole").iterdir()}
    assert not Path(".out.partial").exists()
    assert "out is finished" in error_of("steer", "--resume", "--out", "out")


@pytest.mark.slow
def test_example_is_thin_and_runs(example):
    assert {path.name for path in example.iterdir()} == {"prompts", "moons"}
