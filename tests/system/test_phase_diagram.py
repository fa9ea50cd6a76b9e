"""`tokenfield phase-diagram` as a user meets it: the folder, the JSON, continuing, and errors of one line."""

from __future__ import annotations

import dataclasses
import json
import shutil

import numpy as np
import pytest
import typer
import xarray
from typer.testing import CliRunner

import tokenfield as tkf
from command_line import error_of, tokenfield
from tokenfield.cli.flags import default_text, flags_of
from tokenfield.cli.phase_diagram import phase_diagram
from tokenfield.ensemble.statistics import STATISTICS
from tokenfield.errors import ConfigError, FileError, InvalidInput, TokenfieldError
from tokenfield.study import diagram
from tokenfield.study import phase_diagram as diagrams
from tokenfield.study.diagram import Diagram
from tokenfield.study.parse import value_range

app = typer.Typer()
app.command(name="phase-diagram")(phase_diagram)
app.callback()(lambda: None)

SMALL = ("--dim", 5, "--n", 4, "--systems", 3, "--betas", "1:5:3", "--t1", 2, "--save", 5)


def run(*arguments: object):
    return CliRunner().invoke(app, ["phase-diagram", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("diagram") / "run"
    result = run(*SMALL, "--out", path, "--json")
    assert result.exit_code == 0, result.output
    return path, json.loads(result.stdout)


def test_folder_and_numbers(folder):
    path, found = folder
    assert found["is_complete"] and found["betas"] == [1.0, 3.0, 5.0] and found["t"] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert json.loads((path / "manifest.json").read_text())["diagram"]["seed"] == 0
    assert (path / "figures/phase-diagram.png").stat().st_size > 10_000
    with xarray.open_zarr(path / "sweep.zarr", consolidated=False) as table:
        assert table["pairs"].dims == ("beta", "seed", "t") and table["pairs"].shape == (3, 3, 5)
        np.testing.assert_allclose(table["pairs"].mean("seed").isel(t=-1), found["mean_end"])
        np.testing.assert_allclose(table["pairs"].std("seed", ddof=1).isel(t=-1) / np.sqrt(3), found["error_end"])
        assert table["beta"].values.tolist() == [1.0, 3.0, 5.0]


def test_show_and_plot_know_it(folder, tmp_path):
    path, found = folder
    shown = tokenfield("show", path, "--json")
    assert json.loads(shown.stdout) == found
    assert "pairs over 3 systems" in tokenfield("show", path).stdout
    before = (path / "figures/phase-diagram.png").read_bytes()
    assert tokenfield("plot", path, "--out", tmp_path / "drawn").exit_code == 0
    assert (tmp_path / "drawn" / "phase-diagram.png").read_bytes() == before
    begun = tmp_path / "begun"
    shutil.copytree(path, begun)
    (begun / "sweep.json").unlink()
    assert "is a sweep that is not finished" in error_of("show", begun)


def test_it_is_a_short_way_to_write_a_sweep(folder, tmp_path):
    """The same numbers as the sweep that it is short for, bit for bit; and more systems are only the new ones."""
    path, _ = folder
    over = {"attention.beta": [1.0, 3.0, 5.0]}
    solve = {"t1": 2.0, "save": 5, "method": "euler-normalise", "step": 0.1}
    config = {"geometry": {"dim": 5}, "initial": {"n": 4}, "attention": {"kind": "softmax"}, "solve": solve}
    long_way = tkf.sweep(config, over=over, seeds=3, measure="pairs")
    with xarray.open_zarr(path / "sweep.zarr", consolidated=False) as table:
        np.testing.assert_array_equal(table["pairs"].values, long_way["pairs"].values)
    more = shutil.copytree(path, tmp_path / "more")
    assert run(*SMALL, "--systems", 5, "--out", more).exit_code == 0
    lines = [line for line in (more / "pieces.txt").read_text().splitlines() if line]
    assert sorted(len(json.loads(line.split(" ", 2)[2])["seeds"]) for line in lines) == [2, 2, 2, 3, 3, 3]


def test_an_existing_folder_is_kept(folder, tmp_path):
    path, _ = folder
    error = run(*SMALL, "--n", 5, "--out", path).exception
    assert isinstance(error, FileError)
    assert "initial.n 4 there, 5 here" in str(error) and "--force" in str(error)
    (tmp_path / "notes.txt").write_text("mine")
    error = run(*SMALL, "--force", "--out", tmp_path).exception
    assert isinstance(error, FileError) and "not a sweep" in str(error)


def test_force_begins_anew_and_keeps_what_others_put_there(tmp_path):
    first = Diagram(5, n=4, systems=1, betas=(1.0,), t1=1.0, save=3)
    path, _ = diagrams.phase_diagram(first, tmp_path / "run")
    (path / "notes.txt").write_text("mine")
    diagrams.phase_diagram(dataclasses.replace(first, seed=1), path, force=True, figure=False)
    assert json.loads((path / "manifest.json").read_text())["sweep"]["seeds"] == [1]
    # the old picture would belong to other numbers
    names = sorted(entry.name for entry in path.iterdir())
    assert names == ["manifest.json", "notes.txt", "pieces", "pieces.txt", "sweep.json", "sweep.zarr"]


@pytest.mark.slow
def test_long_context_and_noise(tmp_path):
    few = ("--dim", 2, "--n", 4, "--systems", 2, "--t1", 0.3)
    result = run(*few, "--vary", "gamma", "--gammas", "0.5,1", "--save", 3, "--out", tmp_path / "gamma", "--json")
    assert result.exit_code == 0, result.output
    (axis,) = Diagram(2, n=4, vary="gamma", gammas=(0.5, 1.0)).resolved().sweep().axes
    assert axis.values == (0.5, 1.0) and axis.keys == ("attention.beta",)
    assert [row[0] for row in axis.points] == pytest.approx([0.5 * np.log(4), np.log(4)])
    options = ("--vary", "kappa", "--betas", "0,1", "--kappas", "1,2,3", "--attention", "unnormalized")
    result = run(*few, *options, "--out", tmp_path / "kappa", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert np.shape(found["mean_end"]) == (3, 2) and found["statistic"] == "order" and found["method"] == "heun"
    assert (tmp_path / "kappa" / "figures/phase-diagram.png").exists()


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("--betas", "1:2"), ConfigError, "FIRST:LAST:COUNT"),
        (("--betas", "5:1:3"), ConfigError, "must increase"),
        (("--n", 1), InvalidInput, "tokens n must be a whole number >= 2"),
        (("--systems", 0), InvalidInput, "systems must be a whole number >= 1"),
        (("--statistic", "piars"), ConfigError, "did you mean 'pairs'"),
        (("--attention", "softmx"), ConfigError, "did you mean 'softmax'"),
        (("--vary", "alpha"), ConfigError, "unknown vary 'alpha'"),
        (("--gammas", "1:2:3"), ConfigError, "--vary beta has no use for --gammas"),
        (("--method", "rk5"), ConfigError, "did you mean 'rk4'"),
        (("--t1", -1), InvalidInput, "must be positive"),
        (("--delta", 5), ConfigError, "threshold"),
    ],
)
def test_errors(arguments, kind, message, tmp_path):
    error = run(*SMALL, *arguments, "--out", tmp_path / "out").exception
    assert isinstance(error, kind) and isinstance(error, TokenfieldError)
    assert message in str(error) and "\n" not in str(error)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Diagram)])
def test_help_names_the_default(name):
    field = next(field for field in dataclasses.fields(Diagram) if field.name == name)
    default = getattr(Diagram(**({"vary": name[:-1]} if name in ("gammas", "kappas") else {})).resolved(), name)
    shown = field.metadata["unset"] if field.default in (None, ()) else default_text(field.default)
    if isinstance(default, tuple):
        assert value_range(shown, name) == default
    else:
        assert shown.startswith(default_text(default) if default is not None else "as published")
    assert flags_of(Diagram, {})[name].help.endswith(f"; by default {shown}.")


def test_names_of_statistics():
    assert tuple(STATISTICS) == diagram.STATISTICS  # listed there too, because the help does not import JAX


def test_ranges():
    assert value_range("0.1:9:90", "--betas")[0] == 0.1 and len(value_range("0.1:9:90", "--betas")) == 90
    assert value_range("1,2,4", "--betas") == (1.0, 2.0, 4.0)
