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
    assert json.loads((path / "summary.json").read_text()) == {k: v for k, v in found.items() if k != "out"}
    assert json.loads((path / "manifest.json").read_text())["settings"]["seed"] == 0
    assert (path / "phase-diagram.png").stat().st_size > 10_000
    with xarray.open_zarr(path / "table.zarr", consolidated=False) as table:
        assert table["pairs"].dims == ("beta", "system", "t") and table["pairs"].shape == (3, 3, 5)
        np.testing.assert_allclose(table["pairs"].mean("system"), table["pairs_mean"])
        np.testing.assert_allclose(table["pairs_mean"].isel(t=-1), found["mean_end"])
        assert table["beta"].values.tolist() == [1.0, 3.0, 5.0]


def test_show_and_plot_know_it(folder, tmp_path):
    path, found = folder
    shown = tokenfield("show", path, "--json")
    assert json.loads(shown.stdout) == found
    assert "pairs over 3 systems" in tokenfield("show", path).stdout
    before = (path / "phase-diagram.png").read_bytes()
    assert tokenfield("plot", path, "--out", tmp_path / "drawn").exit_code == 0
    assert (tmp_path / "drawn" / "phase-diagram.png").read_bytes() == before
    begun = tmp_path / "begun"
    shutil.copytree(path, begun)
    (begun / "summary.json").unlink()
    assert "is a phase diagram that is not finished" in error_of("show", begun)


def test_the_same_command_continues(folder, tmp_path, monkeypatch):
    """After an interruption only what is missing is computed, and the table is that of one run."""
    path, found = folder
    work, computed = diagrams.work, []

    def interrupted(ensemble, pieces, *, progress=None):
        for piece, values in work(ensemble, pieces, progress=progress):
            computed.append(piece)
            yield piece, values
            if limit and len(computed) == limit:
                return

    monkeypatch.setattr(diagrams, "work", interrupted)
    limit = 1
    first = run(*SMALL, "--out", tmp_path / "run")
    assert first.exit_code == 130 and "run the same command again" in first.stdout
    assert not json.loads((tmp_path / "run" / "summary.json").read_text())["is_complete"]
    limit = 0
    second = run(*SMALL, "--out", tmp_path / "run", "--json")
    assert second.exit_code == 0 and len(computed) == len(set(computed)) == 3
    again = json.loads(second.stdout)
    assert again["mean_end"] == found["mean_end"] and again["is_complete"]
    third = run(*SMALL, "--out", tmp_path / "run")
    assert third.exit_code == 0 and len(computed) == 3 and "beta = 1" in third.stdout
    both = [xarray.open_zarr(p / "table.zarr", consolidated=False)["pairs"].values for p in (path, tmp_path / "run")]
    np.testing.assert_array_equal(*both)


def test_an_existing_folder_is_kept(folder, tmp_path):
    path, _ = folder
    error = run(*SMALL, "--seed", 1, "--n", 5, "--out", path).exception
    assert isinstance(error, FileError)
    assert "n 4 there, 5 here" in str(error) and "seed 0 there, 1 here" in str(error) and "--force" in str(error)
    (tmp_path / "notes.txt").write_text("mine")
    error = run(*SMALL, "--force", "--out", tmp_path).exception
    assert isinstance(error, FileError) and "not a phase diagram" in str(error)


@pytest.mark.parametrize("error", [RuntimeError("killed"), OSError(28, "No space left on device")])
def test_a_crash_while_the_table_is_made_is_no_obstacle(folder, tmp_path, monkeypatch, error):
    """The manifest is there first, so that the same command knows the folder and begins anew."""
    settings = Diagram(5, n=4, systems=3, betas=(1.0, 3.0, 5.0), t1=2.0, save=5)

    def crash(dataset, path, **options):
        path.mkdir()
        (path / "half").write_text("a table")
        raise error

    with monkeypatch.context() as broken, pytest.raises((RuntimeError, FileError)) as caught:
        broken.setattr(xarray.Dataset, "to_zarr", crash)
        diagrams.phase_diagram(settings, tmp_path / "run")
    if isinstance(error, OSError):
        assert str(caught.value) == f"cannot write {tmp_path / 'run'}: No space left on device"
    assert not (tmp_path / "run" / "table.zarr").exists()
    path, found = diagrams.phase_diagram(settings, tmp_path / "run", figure=False)
    assert found["mean_end"] == folder[1]["mean_end"]
    assert sorted(entry.name for entry in path.iterdir()) == [
        "checksums.txt",
        "manifest.json",
        "summary.json",
        "table.zarr",
    ]


def test_force_begins_anew_and_keeps_what_others_put_there(folder, tmp_path):
    first = Diagram(5, n=4, systems=1, betas=(1.0,), t1=1.0, save=3)
    path, _ = diagrams.phase_diagram(first, tmp_path / "run")
    (path / "notes.txt").write_text("mine")
    diagrams.phase_diagram(dataclasses.replace(first, seed=1), path, force=True, figure=False)
    assert json.loads((path / "manifest.json").read_text())["settings"]["seed"] == 1
    # the old picture would belong to other numbers
    assert sorted(entry.name for entry in path.iterdir()) == [
        "checksums.txt",
        "manifest.json",
        "notes.txt",
        "summary.json",
        "table.zarr",
    ]


def torn(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def changed(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))


@pytest.mark.parametrize(
    ("name", "damage", "pieces"),
    [
        ("table.zarr/pairs/c/1/0/0", torn, 1),
        ("table.zarr/pairs/c/1/0/0", changed, 1),
        ("table.zarr/pairs/c/1/0/0", lambda path: path.unlink(), 1),
        ("table.zarr/pairs/zarr.json", torn, 0),
        ("table.zarr/zarr.json", torn, 0),
        ("manifest.json", torn, 0),
        ("manifest.json", lambda path: path.unlink(), 0),
        ("checksums.txt", torn, 2),  # one whole line of three
        ("checksums.txt", lambda path: path.unlink(), 3),
    ],
)
def test_damage_costs_what_is_damaged_only(folder, tmp_path, monkeypatch, name, damage, pieces):
    source, found = folder
    path = shutil.copytree(source, tmp_path / "run")
    damage(path / name)
    work, computed, notes = diagrams.work, [], []

    def counted(ensemble, pieces, *, progress=None):
        computed.extend(pieces)
        return work(ensemble, pieces, progress=progress)

    monkeypatch.setattr(diagrams, "work", counted)
    settings = Diagram(5, n=4, systems=3, betas=(1.0, 3.0, 5.0), t1=2.0, save=5)
    _, again = diagrams.phase_diagram(settings, path, figure=False, note=notes.append)
    assert again["mean_end"] == found["mean_end"] and len(computed) == pieces
    if name.startswith("table.zarr/pairs/c"):
        assert notes == [f"1 damaged pieces of {path} are computed again"]
    # and it is whole again
    computed.clear()
    diagrams.phase_diagram(settings, path, figure=False)
    assert not computed and json.loads((path / "manifest.json").read_text())["settings"]["n"] == 4


@pytest.mark.slow
def test_long_context_and_noise(tmp_path):
    few = ("--dim", 2, "--n", 4, "--systems", 2, "--t1", 0.3)
    result = run(*few, "--vary", "gamma", "--gammas", "0.5,1", "--save", 3, "--out", tmp_path / "gamma", "--json")
    assert result.exit_code == 0, result.output
    assert Diagram(2, n=4, vary="gamma", gammas=(0.5, 1.0)).resolved().ensemble().betas == pytest.approx(
        [0.5 * np.log(4), np.log(4)]
    )
    options = ("--vary", "kappa", "--betas", "0,1", "--kappas", "1,2,3", "--attention", "unnormalized")
    result = run(*few, *options, "--out", tmp_path / "kappa", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert np.shape(found["mean_end"]) == (3, 2) and found["statistic"] == "order" and found["method"] == "heun"
    assert (tmp_path / "kappa" / "phase-diagram.png").exists()


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
        (("--method", "rk5"), InvalidInput, "did you mean 'rk4'"),
        (("--t1", -1), InvalidInput, "must be positive"),
        (("--delta", 5), InvalidInput, "threshold"),
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
