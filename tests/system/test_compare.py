"""`tokenfield compare` as a user meets it: the folder, the JSON, the table, and errors of one line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tokenfield.cli import app
from tokenfield.study.config import Config

SMALL = ("--dim", 2, "--beta", 1, "--kernel", 5, "--n", 3, "--t1", 0.1, "--sizes", "10,40", "--seeds", 2)


def run(*arguments: object):
    return CliRunner().invoke(app, ["compare", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "run"
    result = run(*SMALL, "--set", "state.nodes=64", "--json", "--out", path)
    assert result.exit_code == 0, result.stderr
    return path, json.loads(result.stdout)


@pytest.mark.slow
def test_folder_and_numbers(folder):
    path, found = folder
    assert found["sizes"] == [10, 40] and found["seeds"] == 2 and found["is_complete"]
    assert len(found["mean_end"]) == 2 and found["rate"] < 0
    assert json.loads((path / "summary.json").read_text()) == {k: v for k, v in found.items() if k != "out"}
    assert (path / "figures" / "comparison.png").stat().st_size > 10_000
    config = Config.from_toml(path / "config.toml")
    assert config.state.kind == "density" and config.state.nodes == 64 and config.solve.t1 == 0.1


@pytest.mark.slow
def test_an_existing_folder_is_kept(folder):
    path, _ = folder
    result = run(*SMALL, "--out", path)
    assert result.exit_code == 2 and "exists" in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sizes", "10,x"), "--sizes are numbers of tokens"),
        (("--sizes", "1,10"), "sizes must be whole numbers"),
        (("--seeds", 0), "seeds must be"),
        (("--p", 7), "W_1 and W_2"),
        (("--state", "tokens"), "compare needs the law at n = infinity"),
        (("--state", "densty"), "density"),
    ],
)
def test_errors(arguments, message, tmp_path):
    result = run("--dim", 2, "--t1", 0.1, *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
