"""Run folders: what is written is read back bit for bit, and nothing unfinished ever looks finished."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import xarray

import tokenfield as tkf
from tokenfield.errors import FileError
from tokenfield.study import Config, RunFolder, store
from tokenfield.study.simulate import simulate, solve_config
from tokenfield.study.store.arrays import write_arrays
from tokenfield.study.store.folder import DRAWN, checksums
from tokenfield.study.summary import summarize

SMALL = Config.from_dict(
    {
        "attention": {"beta": 2.0},
        "initial": {"n": 6, "seed": 1},
        "solve": {"t1": 1.0, "save": 4, "observables": ["order-parameter"]},
        "output": {"figures": False},
    }
)


def with_solve(config: Config, **changes) -> Config:
    return dataclasses.replace(config, solve=dataclasses.replace(config.solve, **changes))


@pytest.fixture(scope="module")
def solved():
    run, tokens = solve_config(SMALL.resolved(), progress=False)
    return run, summarize(run, tokens)


@pytest.fixture
def folder(solved, tmp_path) -> Path:
    run, summary = solved
    RunFolder.write(tmp_path / "run", run, SMALL.resolved(), summary=summary, manifest={"seed": 1})
    return tmp_path / "run"


def assert_same_run(a, b):
    for left, right in ((a.ts, b.ts), (a.points, b.points), (a.final.points, b.final.points), (a.weights, b.weights)):
        assert np.asarray(left).dtype == np.asarray(right).dtype
        assert np.asarray(left).tobytes() == np.asarray(right).tobytes()
    assert a.observables.keys() == b.observables.keys()
    for name, values in a.observables.items():
        assert np.asarray(values).tobytes() == np.asarray(b.observables[name]).tobytes()
    assert str(a.result) == str(b.result) and int(a.result.code) == int(b.result.code)


@pytest.mark.slow
def test_reading_gives_back_the_same_run(solved, folder):
    run, summary = solved
    again, again_summary = RunFolder.read(folder)
    assert_same_run(run, again)
    assert int(again.stats.accepted) == int(run.stats.accepted) and float(again.stats.wall_s) == float(run.stats.wall_s)
    assert again_summary == {**summary, "out": str(folder)}
    np.testing.assert_array_equal(again.energy(), run.energy())


def test_parts_are_open_formats(folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.toml",
        "manifest.json",
        "summary.json",
        "trajectory.zarr",
    ]
    with xarray.open_zarr(folder / "trajectory.zarr", consolidated=False) as dataset:
        assert dataset["points"].shape == (4, 6, 3) and dataset["points"].dims == ("time", "token", "axis")
    assert json.loads((folder / "summary.json").read_text())["n"] == 6


@pytest.mark.slow
def test_float32_without_tokens_and_with_an_event_is_read_back(tmp_path):
    config = with_solve(SMALL, dtype="float32", save_tokens=False, events=("cosine-level:0.5",), t1=30.0)
    simulate(config, tmp_path / "run", progress=False)
    run, summary = RunFolder.read(tmp_path / "run")
    fresh, _ = solve_config(config.resolved(), progress=False)
    assert run.points is None and run.final.points.dtype == np.float32
    assert run.final.points.tobytes() == fresh.final.points.tobytes()
    assert run.result.name == "cosine-level" == summary["result"] and run.result.is_complete


def test_rerunning_the_written_config_gives_the_same_bits(tmp_path):
    first = simulate(SMALL, tmp_path / "a", progress=False)
    second = simulate(first.config, tmp_path / "b", progress=False)
    assert_same_run(first.trajectory(), second.trajectory())
    assert (tmp_path / "a/config.toml").read_text() == (tmp_path / "b/config.toml").read_text()


def test_manifest_says_with_what_the_run_was_made(tmp_path):
    manifest = simulate(SMALL, tmp_path / "run", progress=False).manifest
    assert {"python", "tokenfield", "jax", "diffrax"} <= manifest["versions"].keys()
    assert manifest["dtype"] == "float64" and manifest["seed"] == 1 and manifest["wall_s"] > 0
    assert manifest["created"].endswith("+00:00") and manifest["device"]["platform"]


@pytest.mark.slow
def test_folder_keeps_its_own_copy_of_initial_tokens(tmp_path):
    source = tmp_path / "mine.npz"
    np.savez(source, points=np.eye(3), weights=[3.0, 2.0, 1.0])
    config = dataclasses.replace(
        SMALL, initial=Config.from_dict({"initial": {"kind": "file", "path": str(source)}}).initial
    )
    first = simulate(config, tmp_path / "a", progress=False)
    source.unlink()
    shutil.move(first.path, tmp_path / "moved")
    moved = RunFolder.open(tmp_path / "moved")
    second = simulate(moved.config, tmp_path / "b", progress=False)
    assert_same_run(moved.trajectory(), second.trajectory())
    np.testing.assert_allclose(moved.trajectory().weights, [1 / 2, 1 / 3, 1 / 6], rtol=1e-15)


@pytest.mark.slow
def test_a_flow_that_blew_up_is_written_and_read(tmp_path):
    """One token grows like e^{20 t}, past any size that counts as a position."""
    tables = {
        "geometry": {"kind": "euclidean", "dim": 1},
        "attention": {"beta": 1.0, "V": [[20.0]]},
        "initial": {"kind": "box", "n": 1, "seed": 0},
        "solve": {"t1": 100.0},
        "output": {"figures": False},
    }
    folder = simulate(Config.from_dict(tables), tmp_path / "run", progress=False)
    assert folder.summary["result"] == "blew-up" and not folder.summary["is_complete"]
    assert folder.summary["energy"]["last"] is None  # infinite, and JSON has no infinities
    assert "Infinity" not in (folder.path / "summary.json").read_text()
    assert folder.trajectory().result.name == "blew-up"


# --- what is not finished does not look finished ------------------------------------------------------------------


def leftovers(parent: Path) -> list[str]:
    return sorted(path.name for path in parent.iterdir())


def test_existing_folder_is_kept_unless_forced(solved, folder):
    run, summary = solved
    before = (folder / "manifest.json").read_text()
    with pytest.raises(FileError, match=r"run exists: .*--force"):
        RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 2})
    assert (folder / "manifest.json").read_text() == before
    RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 2}, force=True)
    assert RunFolder.open(folder).manifest["seed"] == 2
    assert leftovers(folder.parent) == ["run"]


def test_force_never_deletes_what_is_not_a_run_folder(solved, tmp_path):
    run, summary = solved
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/chapter.tex").write_text("years of work")
    (tmp_path / "file").write_text("also work")
    for name in ("thesis", "file"):
        with pytest.raises(FileError, match="not a run folder"):
            RunFolder.write(tmp_path / name, run, SMALL, summary=summary, manifest={}, force=True)
    assert leftovers(tmp_path) == ["file", "thesis"] and (tmp_path / "thesis/chapter.tex").exists()


@pytest.mark.parametrize("manifest", ["{}", "[]", "not json", '{"kind": "phase-diagram"}', '{"kind": "comparison"}'])
def test_force_never_deletes_a_folder_that_merely_holds_a_manifest(solved, tmp_path, manifest):
    run, summary = solved
    place = tmp_path / "w"
    place.mkdir()
    (place / "manifest.json").write_text(manifest)
    (place / "thesis.tex").write_text("years of work")
    with pytest.raises(FileError, match="not a run folder"):
        RunFolder.write(place, run, SMALL, summary=summary, manifest={}, force=True)
    assert leftovers(place) == ["manifest.json", "thesis.tex"] and (place / "manifest.json").read_text() == manifest


def test_force_replaces_only_what_the_command_wrote(solved, folder):
    run, summary = solved
    (folder / "figures").mkdir(exist_ok=True)
    for name in ("notes.txt", "figures/energy.png", "figures/mine.png", "figures/energy.v2.png", "figures/data.csv"):
        (folder / name).write_text("before")
    (folder / "mine").mkdir()
    (folder / "mine/more.txt").write_text("before")
    RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 2}, force=True)
    assert RunFolder.open(folder).manifest["seed"] == 2
    assert (folder / "notes.txt").read_text() == (folder / "mine/more.txt").read_text() == "before"
    # a figure of the old run goes with it, one that somebody else put there stays
    assert leftovers(folder / "figures") == ["data.csv", "energy.v2.png", "mine.png"]
    assert leftovers(folder.parent) == ["run"]


@pytest.mark.parametrize("moment", ["between both renames", "before foreign files move", "before it is removed"])
def test_a_kill_while_a_folder_is_replaced_loses_nothing_of_it(solved, folder, monkeypatch, moment):
    run, summary = solved
    (folder / "thesis.tex").write_text("mine")
    rename, seen = os.rename, [0]
    last = {"between both renames": 1, "before foreign files move": 2, "before it is removed": 3}[moment]

    def killed(*places):
        if seen[0] == last:
            raise KeyboardInterrupt  # nothing is tidied up by this
        seen[0] += 1
        rename(*places)

    with monkeypatch.context() as killing, pytest.raises(KeyboardInterrupt):
        killing.setattr(os, "rename", killed)
        RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 2}, force=True)
    assert folder.exists() == (moment != "between both renames")
    with pytest.raises(FileError, match="run exists: choose another"):
        RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 3})
    assert (folder / "thesis.tex").read_text() == "mine"
    assert RunFolder.open(folder).manifest["seed"] == (1 if moment == "between both renames" else 2)
    RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 3}, force=True)
    assert RunFolder.open(folder).manifest["seed"] == 3 and (folder / "thesis.tex").read_text() == "mine"
    assert leftovers(folder.parent) == ["run"]


@pytest.mark.parametrize(("kind", "other"), [(store.RUN, store.COMPARISON), (store.COMPARISON, store.RUN)])
def test_every_kind_replaces_its_own_and_keeps_the_initial_tokens(tmp_path, kind, other):
    source = tmp_path / "mine.npy"
    np.save(source, np.eye(3))
    config = Config.from_dict({"initial": {"kind": "file", "path": str(source)}})
    for seed in (1, 2):
        with store.Draft(tmp_path / "out", kind, force=True) as draft:
            draft.write(config, summary={}, manifest={"seed": seed})
            assert draft.finish() == tmp_path / "out"
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert (manifest["kind"], manifest["seed"]) == (kind.name, 2)
    assert Config.from_toml(tmp_path / "out/config.toml").initial.path == str(tmp_path / "out/initial.npy")
    assert (tmp_path / "out/initial.npy").read_bytes() == source.read_bytes()
    with pytest.raises(FileError, match=f"is not a {other.words}"), store.Draft(tmp_path / "out", other, force=True):
        pass


def test_the_figures_that_may_be_replaced_are_those_that_are_drawn():
    from tokenfield import plot

    # the overview is one of the others, and the next words and sweeps are no part of a run
    others = {"overview", "next_words", "steering", "sweep_curves", "sweep_map"}
    assert set(DRAWN) == {name for name in plot.__all__ if name.islower()} - others


@pytest.mark.parametrize("part", ["trajectory", "summary", "manifest", "config"])
def test_full_disk_leaves_nothing_and_keeps_the_old_folder(solved, folder, monkeypatch, part):
    run, summary = solved
    before = (folder / "manifest.json").read_text()

    def fail(*args, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if part == "trajectory":
        monkeypatch.setattr(store.arrays, "write_arrays", fail)
    else:
        write_text = Path.write_text
        monkeypatch.setattr(
            Path, "write_text", lambda self, *a, **o: fail() if self.stem == part else write_text(self, *a, **o)
        )
    with pytest.raises(FileError, match=r"cannot write .*run: No space left on device"):
        RunFolder.write(folder, run, SMALL, summary=summary, manifest={"seed": 2}, force=True)
    assert leftovers(folder.parent) == ["run"]
    assert (folder / "manifest.json").read_text() == before


def test_arrays_of_any_kind_and_size_are_what_xarray_opens(tmp_path, monkeypatch):
    monkeypatch.setattr("tokenfield.study.store.arrays.CHUNK_BYTES", 200)
    rng = np.random.default_rng(0)
    arrays = {
        "time": (("time",), np.linspace(0.0, 1.0, 7)),
        "reals": (("time", "token", "axis"), rng.normal(size=(7, 11, 5))),  # cut along the first two axes
        "singles": (("time", "token"), rng.normal(size=(7, 11)).astype(np.float32)[:, ::-1]),
        "open": (("time",), np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-320, 1e308])),
        "whole": (("token",), np.arange(11, dtype=np.int32)),
        "true": (("time",), np.arange(7) % 2 == 0),
        "complex": (("token",), rng.normal(size=11) + 1j * np.arange(11)),
        "number": ((), np.asarray(3.5)),
        "none": (("nothing", "axis"), np.empty((0, 5))),
    }
    write_arrays(tmp_path / "store", arrays, {"t": 1.5, "events": ["a"], "steps": 3})
    with xarray.open_zarr(tmp_path / "store", consolidated=False) as dataset:
        assert set(dataset.variables) == set(arrays) and list(dataset.coords) == ["time"]
        assert dataset.attrs == {"t": 1.5, "events": ["a"], "steps": 3}
        for name, (dimensions, values) in arrays.items():
            read = dataset[name]
            assert read.dims == dimensions and read.dtype == values.dtype
            assert read.values.tobytes() == np.ascontiguousarray(values).tobytes(), name
    assert len(list((tmp_path / "store" / "reals" / "c").rglob("*"))) > 7


def test_really_full_disk(solved, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    try:
        run, summary = solved
        # noise does not compress: 64 kB cannot hold 480 kB of it
        points = np.random.default_rng(0).normal(size=(10_000, 6, 3))
        large = dataclasses.replace(run, ts=np.arange(10_000.0), states={"points": points}, observables={})
        with pytest.raises(FileError, match="No space left on device"):
            RunFolder.write(disk / "run", large, SMALL, summary=summary, manifest={})
        assert leftovers(disk) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_disk_that_fills_up_while_figures_are_drawn_costs_figures_only(tmp_path, monkeypatch):
    def fail(*args, **options):
        raise FileError("cannot write the figure: No space left on device")

    monkeypatch.setattr("tokenfield.plot.Picture.save", fail)
    notes: list[str] = []
    config = dataclasses.replace(SMALL, output=dataclasses.replace(SMALL.output, figures=True))
    folder = simulate(config, tmp_path / "run", progress=False, note=notes.append)
    assert folder.trajectory().result.name == "finished"
    assert any("No space left" in note for note in notes)


def test_draft_is_removed_after_any_error(tmp_path):
    with pytest.raises(ZeroDivisionError), store.Draft(tmp_path / "run", store.RUN) as draft:
        assert draft.path.name == ".run.partial" and draft.path.is_dir()
        raise ZeroDivisionError
    assert leftovers(tmp_path) == []


def test_place_that_cannot_be_written_is_known_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("tokenfield.study.simulate.solve_config", lambda *a, **o: pytest.fail("solved first"))
    with pytest.raises(FileError, match="cannot write"):
        simulate(SMALL, tmp_path / "file" / "run")


def test_numbered_folders_do_not_collide(solved, tmp_path):
    run, summary = solved
    drafts = [store.Draft(tmp_path / "x", store.RUN, numbered=True) for _ in range(2)]
    with drafts[0] as first, drafts[1] as second:
        for draft in (first, second):  # both were started when x-1 was free
            draft.write(SMALL, summary=summary, manifest={}, trajectory=run.labelled())
        assert [draft.finish().name for draft in (first, second)] == ["x-1", "x-2"]
    assert leftovers(tmp_path) == ["x-1", "x-2"]


# --- damaged folders ----------------------------------------------------------------------------------------------


def test_folders_that_are_none(folder, tmp_path):
    with pytest.raises(FileError, match=r"there is no run folder .*absent"):
        RunFolder.open(tmp_path / "absent")
    with pytest.raises(FileError, match="is a file"):
        RunFolder.open(folder / "config.toml")
    (folder / "manifest.json").unlink()
    with pytest.raises(FileError, match=r"unfinished or not a run folder: it has no manifest\.json"):
        RunFolder.open(folder)


def spoil(path: Path, how: str) -> None:
    if how == "gone":
        path.unlink()
    else:
        whole = path.read_bytes()
        path.write_bytes({"torn": whole[: len(whole) // 2], "one bit": bytes([whole[0] ^ 1]) + whole[1:]}[how])


CHUNK = "trajectory.zarr/points/c/0/0/0"


@pytest.mark.parametrize("how", ["gone", "torn", "one bit"])
@pytest.mark.parametrize("name", ["summary.json", "config.toml", CHUNK, "trajectory.zarr/points/zarr.json"])
def test_damage_is_told_in_one_line(folder, name, how):
    spoil(folder / name, how)
    what = "is gone" if how == "gone" else "does not hold what was written"
    for read in (RunFolder.open, RunFolder.read, tkf.load):
        with pytest.raises(FileError) as caught:
            read(folder)
        assert str(caught.value) == f"{folder} is damaged: {name} {what}"


@pytest.mark.parametrize("text", ['{"kind": ', "[]", "{}"])
def test_a_damaged_manifest(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(FileError, match=r"manifest\.json is damaged|unfinished or not a run folder"):
        RunFolder.read(folder)


def test_parts_that_do_not_fit_together(folder, monkeypatch):
    """Whoever writes checksums of their own finds out too."""
    data = json.loads((folder / "trajectory.zarr/zarr.json").read_text())
    del data["attributes"]["result"]
    (folder / "trajectory.zarr/zarr.json").write_text(json.dumps(data))
    RunFolder(folder).made("nothing", files=checksums(folder))
    with pytest.raises(FileError, match="do not fit together"):
        RunFolder.read(folder)
