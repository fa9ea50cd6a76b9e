"""The README and the demo do what they say: every Python block and every tokenfield command is executed."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tokenfield.cli import app
from tokenfield.study import Config, catalog

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of `language` in the README, in order."""
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.slow
def test_python_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in blocks("python"):
        # fewer tokens, or this would take a minute
        exec(compile(block.replace("n=2000", "n=300"), "README.md", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("finished at t = 30 ")
    assert abs(float(lines[1].split()[0]) - 1) < 1e-12 and lines[1].split()[1].startswith("18.596")
    assert lines[2].startswith("blew up at t = 0.24002")
    assert lines[3].startswith("stopped by steady")
    # the plan has a line for each topic, then the choice of a sum for a million tokens has one
    assert [line.split()[0] for line in lines[4:10]] == ["state", "method", "sum", "cost", "saved", "memory"]
    assert lines[10].startswith("fourier: ")
    assert "(1, " in lines[11]  # the last plateau is one cluster
    assert (tmp_path / "tokens.mp4").stat().st_size > 10_000


@pytest.mark.slow
def test_shell_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("tokenfield ")]
    assert len(commands) >= 3
    for command in commands:
        for many, few in (("--n 2000", "--n 300"), ("--n 400", "--n 60"), ("--systems 64", "--systems 4")):
            command = command.replace(many, few)
        # in this process, which has compiled much of it already
        done = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, f"{command}: {done.output}"
    assert (tmp_path / "runs" / "sphere" / "figures" / "sphere.mp4").exists()


def test_configs_are_valid():
    (text,) = blocks("toml")
    model, tokens = Config.from_dict(tomllib.loads(text)).build()
    assert len(model.position) == 2 and model.has_radius and tokens.n == 1000


def test_the_table_names_every_kind():
    table = README[README.index("## Models") : README.index("## Solving")]
    names = {kind.class_name for kind in catalog.kinds()} - {"", "Constant"}
    # the schemes of one paper share a row, by their names in it
    shown = {"PostLN": "Post-LN", "MixLN": "Mix-LN", "PeriLN": "Peri-LN", "NGPT": "nGPT", "DepthScaled": "√depth"}
    assert all(shown.get(name, f"{name}(") in table or f"schedule.{name}" in table for name in names)
    sources = set(re.findall(r"abs/(\d{4}\.\d{5})", table))
    # the papers that invented window, ALiBi and RoPE are in the catalog; the table has those of their dynamics
    assert {kind.sources[-1] for kind in catalog.kinds() if kind.sources} - {"2004.05150"} <= sources


def test_the_example_is_as_long_as_it_was_promised_to_be():
    # the first example is an advertisement: five statements, not more
    statements = [line for line in blocks("python")[0].splitlines() if line and not line.startswith("import")]
    assert len(statements) == 5


@pytest.mark.slow
def test_demo_writes_figures_movies_and_a_summary(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "metastable.py"), "--out", str(tmp_path), "--n", "200"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Where to look" in done.stdout
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert set(summary) == {"sphere", "circle"}
    for name, movie in (("sphere", "sphere.mp4"), ("circle", "circle.mp4")):
        assert (tmp_path / name / "figures" / movie).stat().st_size > 10_000
        # the energy ascends along the flow (arXiv 2312.10794)
        assert summary[name]["energy"]["last"] > summary[name]["energy"]["first"]
        assert 1 < summary[name]["clusters"]["count"] < 10
    assert (tmp_path / "sphere" / "figures" / "metastable.png").exists()
