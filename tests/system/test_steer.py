"""`tokenfield steer`: folders, numbers, one-line errors, Ctrl-C that keeps the best; and examples/steer.py."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import error_of

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "examples" / "steer").glob("*.toml"))


def _run(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tokenfield", "steer", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_configs_make_folders(config, tmp_path):
    done = _run(str(config), "--steps", "30", "--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["loss"]["last"] < summary["loss"]["first"] and summary["steps"] == 30
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"config.toml", "figures", "losses.json", "manifest.json", "summary.json", "weights.json"}
    if config.stem in ("moons", "spirals"):  # drawn anew from its files: the same picture
        figure = tmp_path / "out" / "figures" / "steering.png"
        first = figure.read_bytes()
        command = [sys.executable, "-m", "tokenfield", "plot", str(tmp_path / "out")]
        drawn = subprocess.run(command, capture_output=True, text=True)
        assert drawn.returncode == 0, drawn.stderr
        assert figure.read_bytes() == first
    again = _run(str(tmp_path / "out" / "config.toml"), "--out", str(tmp_path / "again"), "--json")
    assert json.loads(again.stdout)["loss"]["last"] == pytest.approx(summary["loss"]["last"], rel=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[steer]\nlos = 'w2'", "unknown key 'los'"),
        ("[steer]\nloss = 'w3'", "steer.loss"),
        ("[noise]\nkappa = 2.0", "[noise] has no effect on steering"),
        ("[steer]\nproblem = 'given'", "[[prompts]] go with steer.problem"),
        ("[steer]\nproblem = 'moons'", "two moons are in the plane"),
        ("[steer]\nsteps = 0", "steps must be at least 1"),
    ],
)
def test_bad_configs_are_one_line(text, message, tmp_path):
    (tmp_path / "bad.toml").write_text(text)
    assert message in error_of("steer", tmp_path / "bad.toml", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_interrupt_keeps_the_best_weights(tmp_path):
    arguments = [str(CONFIGS[-1]), "--steps", "1000000", "--out", str(tmp_path / "out")]
    process = subprocess.Popen(
        [sys.executable, "-m", "tokenfield", "steer", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # a test run in the background ignores Ctrl-C, and its children would inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        while not (tmp_path / ".out.partial").exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in errors, errors
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert not summary["is_complete"] and summary["steps"] >= 20


@pytest.mark.slow
def test_example_is_thin_and_runs(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "steer.py"), "--out", str(tmp_path), "--steps", "20"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"prompts", "moons"}
