"""`tokenfield simulate --explain` says how a run would be computed, and computes and writes nothing."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tokenfield.cli import app


def explained(*arguments: str) -> dict[str, str]:
    done = CliRunner().invoke(app, ["simulate", *arguments, "--explain", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "arguments, about, text",
    [
        (("--dim", "2", "--beta", "9", "--n", "20000"), "sum", "Fourier modes"),
        (("--dim", "3", "--beta", "1", "--n", "20000"), "sum", "spherical harmonics up to degree"),
        # one part in a thousand of the error of the steps
        (("--dim", "2", "--beta", "9", "--n", "20000", "--rtol", "1e-9"), "sum", "relative error 1e-12"),
        (("--dim", "5", "--beta", "9", "--n", "20000"), "sum", "not for d = 5"),
        (("--dim", "2", "--beta", "9", "--n", "20000", "--causal"), "sum", "summed over prefixes"),
        (("--dim", "128", "--n", "32"), "reduction", "R^32 instead of R^128"),
        (("--dim", "2", "--n", "400", "--merge", "--t1", "1e90"), "merging", "collapsed cluster"),
        (("--dim", "2", "--n", "5000", "--merge", "--t1", "1e90"), "sum", "Fourier modes"),
        (("--dim", "2", "--state", "density"), "state", "density"),
    ],
)
def test_it_says_which_way_and_why(arguments, about, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert text in explained(*arguments)[about]
    assert not list(tmp_path.iterdir())


def test_one_line_for_each_thing():
    done = CliRunner().invoke(app, ["simulate", "--dim", "2", "--n", "20000", "--explain"])
    topics = [line.split(":")[0] for line in done.stdout.splitlines()]
    assert topics == ["state", "method", "sum", "cost", "saved", "memory"]


def test_fixed_steps_pass_the_tolerance_on_to_the_sums():
    said = explained("--dim", "2", "--beta", "9", "--n", "20000", "--layers", "4", "--rtol", "1e-9")
    assert "relative error 1e-12" in said["sum"] and said["method"].startswith("4 layers")
