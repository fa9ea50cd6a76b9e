"""`tokenfield sweep` as a user meets it: the folder, the page, continuing, extending, damage, other executors."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
import xarray

import tokenfield as tkf
from command_line import error_of, tokenfield
from tokenfield._runtime.cores import cores
from tokenfield.errors import ConfigError, FileError, InvalidInput
from tokenfield.study.store import SweepFolder
from tokenfield.study.sweep import computing, drawing, engines, running
from tokenfield.study.sweep.plan import Piece

# six pieces: systems that move together at three betas, in two dimensions
SMALL = ("--n", "4", "--t1", "1", "--method", "rk4", "--step", "0.1")
AXES = ("--over", "beta=1,2,4", "--over", "dim=2,3")
COMMAND = ("sweep", *SMALL, *AXES, "--seeds", "0:3", "--measure", "order,clusters")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "run"
    result = tokenfield(*COMMAND, "--out", path, "--json")
    assert result.exit_code == 0, result.output
    return path, json.loads(result.stdout)


def values(path: Path, name: str = "order") -> np.ndarray:
    with xarray.open_zarr(path / "sweep.zarr", consolidated=False) as found:
        return found[name].values


@pytest.fixture
def computed(monkeypatch):
    """The pieces that are computed, as they are."""
    found: list[Piece] = []

    def counted(piece):
        found.append(piece)
        return computing.compute(piece)

    monkeypatch.setattr(engines, "compute", counted)
    return found


def test_folder_numbers_and_page(folder):
    path, found = folder
    assert found["is_complete"] and found["runs"] == 18 and found["outcomes"] == {"finished": 18}
    names = {entry.name for entry in path.iterdir()}
    assert names == {"manifest.json", "pieces", "pieces.txt", "sweep.json", "sweep.zarr", "figures", "report.html"}
    assert {entry.name for entry in (path / "figures").iterdir()} == {
        *("order.png", "order-map.png", "clusters.png", "clusters-map.png"),
    }
    with xarray.open_zarr(path / "sweep.zarr", consolidated=False) as data:
        assert data["order"].dims == ("beta", "dim", "seed") and data["order"].shape == (3, 2, 3)
        assert data["beta"].attrs["key"] == "attention.beta" and "[attention]" in data.attrs["config"]
        np.testing.assert_allclose(data["order"].mean("seed").values, found["means"]["order"])
        assert int((data["outcome"] == 0).sum()) == 18 and data["order"].attrs["long_name"]
    page = (path / "report.html").read_text()
    assert page.count("<img ") == 4 and "attention.beta" in page and "18 of 18" in page


def test_show_and_plot_know_it(folder, tmp_path):
    path, found = folder
    assert json.loads(tokenfield("show", path, "--json").stdout)["means"] == found["means"]
    assert "order, clusters over beta (3) x dim (2), 3 seeds: 18 runs" in tokenfield("show", path).stdout
    drawn = tokenfield("plot", path, "--x", "dim", "--y", "order", "--by", "beta", "--out", tmp_path / "f")
    assert drawn.exit_code == 0 and (tmp_path / "f/order-over-dim-by-beta.png").stat().st_size > 5000, drawn.output
    assert "nothing called 'oder' was measured; did you mean 'order'" in error_of("plot", path, "--y", "oder")
    assert "x cannot be 'gamma'" in error_of("plot", path, "--x", "gamma")


def test_a_dry_look_and_the_costs(tmp_path):
    over = ("--over", "attention.kind=softmax,hardmax", "--over", "beta=1,2")
    cells = json.loads(tokenfield("sweep", *SMALL, *over, "--dry", "--json").stdout)
    assert [cell["how"] for cell in cells] == ["together", "together", None, None]
    assert (
        "hardmax has no beta" in cells[2]["bad"]
        and "2 of them cannot be" in tokenfield("sweep", *SMALL, *over, "--dry").stdout
    )
    costs = json.loads(tokenfield(*COMMAND, "--explain", "--json", "--out", tmp_path / "new").stdout)
    assert costs["pieces"] == costs["pieces_together"] == 6 and costs["runs_left"] == 18
    assert 0 < costs["total_s"] < 60 and costs["disk_bytes"] > 0 and costs["workers"] == cores()
    assert not (tmp_path / "new").exists()


def test_how_many_pieces_are_computed_at_a_time(monkeypatch):
    monkeypatch.setenv("SLURM_NTASKS", "5")
    assert engines.abreast("local") == engines.abreast("slurm:local") == cores()
    assert engines.abreast("local", is_together=False) == 1
    assert (engines.abreast("slurm"), engines.abreast("slurm", 3)) == (5, 3)
    pytest.importorskip("distributed")
    assert engines.abreast("dask", 3) == 3


@pytest.mark.parametrize(("on", "why"), [("local", "this process uses its cores"), ("tcp://127.0.0.1:1", "a running")])
def test_a_number_of_workers_without_effect_is_refused(on, why, tmp_path):
    words = f"{why}.*: leave out the number of workers, which goes with --on dask and slurm"
    assert re.search(words, error_of(*COMMAND, "--on", on, "--workers", "2", "--out", tmp_path / "s"))
    assert not (tmp_path / "s").exists()


def test_bad_cells_can_be_left_out(tmp_path):
    over = ("--over", "attention.kind=softmax,hardmax", "--over", "beta=1,2")
    command = ("sweep", *SMALL, *over, "--skip-bad", "--measure", "order", "--out", tmp_path / "s", "--json")
    found = json.loads(tokenfield(*command).stdout)
    assert found["is_complete"] and found["bad_cells"] == 2
    assert np.isnan(values(tmp_path / "s")[1]).all() and np.isfinite(values(tmp_path / "s")[0]).all()


@pytest.mark.slow
def test_the_same_command_continues(folder, tmp_path, monkeypatch, computed):
    """After an interruption only what is missing is computed, and the numbers are those of one run, bit for bit."""
    local, path = engines._local, tmp_path / "s"

    def interrupted(pieces):
        for k, done in enumerate(local(pieces)):
            yield done
            if k == 1:
                return

    with monkeypatch.context() as few:
        few.setattr(engines, "_local", interrupted)
        first = tokenfield(*COMMAND, "--out", path)
    assert first.exit_code == 130 and "12 runs left: run the same command again" in first.stdout
    before = len(computed)
    monkeypatch.setattr(drawing, "draw", lambda *_, **__: None)  # the figures of `folder` once more
    assert tokenfield(*COMMAND, "--out", path).exit_code == 0
    assert len(computed) - before == 4
    np.testing.assert_array_equal(values(path), values(folder[0]))
    assert tokenfield(*COMMAND, "--out", path).exit_code == 0 and len(computed) - before == 4


def test_more_seeds_and_values_compute_only_what_is_new(folder, tmp_path, computed):
    path = shutil.copytree(folder[0], tmp_path / "s")
    more = ("sweep", *SMALL, "--over", "beta=1,2,3,4", "--over", "dim=2,3", "--measure", "order,clusters")
    assert tokenfield(*more, "--seeds", "0:4", "--out", path).exit_code == 0
    assert sum(piece.runs for piece in computed) == 4 * 2 * 4 - 18
    assert values(path).shape == (4, 2, 4)
    np.testing.assert_array_equal(values(path)[[0, 1, 3], :, :3], values(folder[0]))
    assert "it measures order, clusters there, order here" in error_of(*COMMAND[:-1], "order", "--out", path)


@pytest.mark.parametrize(
    ("name", "damage", "runs", "notes"),
    [
        ("piece", lambda path: path.write_bytes(path.read_bytes()[:-20]), 3, 1),
        ("piece", lambda path: path.unlink(), 3, 1),
        ("pieces.txt", lambda path: path.write_text(path.read_text()[:-30]), 0, 0),
        ("pieces.txt", lambda path: path.unlink(), 0, 0),
        ("manifest.json", lambda path: path.unlink(), 0, 0),
        ("manifest.json", lambda path: path.write_text("{"), 0, 0),
        ("sweep.zarr/order/zarr.json", lambda path: path.write_text("{"), 0, 0),
    ],
)
def test_damage_costs_what_is_damaged_only(folder, tmp_path, computed, name, damage, runs, notes):
    path, said = shutil.copytree(folder[0], tmp_path / "s"), []
    damage(next((path / "pieces").glob("*/*.npz")) if name == "piece" else path / name)
    plan = running.check_folder(folder[0])[1]
    assert running.run(plan, path, draws=False, note=said.append)["is_complete"]
    assert sum(piece.runs for piece in computed) == runs and len(said) == notes
    np.testing.assert_array_equal(values(path), values(folder[0]))


def test_a_full_disk_costs_what_was_under_way(folder, tmp_path, monkeypatch):
    plan, written = running.check_folder(folder[0])[1], []
    write = SweepFolder.write

    def full(self, *piece):
        if len(written) == 2:
            raise FileError("cannot write: No space left on device")
        written.append(piece)
        write(self, *piece)

    with monkeypatch.context() as disk, pytest.raises(FileError, match="No space left"):
        disk.setattr(SweepFolder, "write", full)
        running.run(plan, tmp_path / "s", draws=False)
    written.clear()
    monkeypatch.setattr(SweepFolder, "write", lambda self, *piece: (written.append(piece), write(self, *piece)))
    assert running.run(plan, tmp_path / "s", draws=False)["is_complete"] and len(written) == 4
    np.testing.assert_array_equal(values(tmp_path / "s"), values(folder[0]))


# --- other executors ----------------------------------------------------------------------------------------------


def test_any_executor_will_do(folder):
    """Also one whose workers lag: pieces come back in another order."""
    with ThreadPoolExecutor(2) as pool:
        config = {"initial": {"n": 4}, "solve": {"t1": 1.0, "method": "rk4", "step": 0.1}}
        over = {"beta": [1.0, 2.0, 4.0], "dim": [2, 3]}
        found = tkf.sweep(config, over=over, seeds=3, measure=["order", "clusters"], on=pool)
    np.testing.assert_array_equal(found["order"].values, values(folder[0]))


class Dying:
    """An executor whose workers die over every piece so many times."""

    def __init__(self, times: int) -> None:
        self.times, self.died = times, {}

    def submit(self, function, piece):
        from concurrent.futures import Future

        future: Future = Future()
        count = self.died[piece.name] = self.died.get(piece.name, 0) + 1
        if count <= self.times:
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            future.set_result(function(piece))
        return future


UNGUARDED = """\
import tokenfield as tkf
config = {"initial": {"n": 4}, "geometry": {"dim": 2}, "solve": {"t1": 1.0, "method": "rk4", "step": 0.1}}
tkf.sweep(config, over={"attention.beta": [1.0]}, measure="order", on="dask")
"""


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_what_to_do(tmp_path):
    """Workers import the script that asks for them; what they would do then is to ask for workers."""
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, timeout=300)
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith('in a script, put the call under: if __name__ == "__main__":') and done.returncode == 1
    assert "ConfigError: the workers of Dask did not start" in last
    # one traceback, ours; neither those of workers nor what multiprocessing says about freezing programs
    assert done.stderr.count("Traceback") == 1 and "freeze_support" not in done.stderr


def test_runs_over_devices_are_no_cells():
    words = "a sweep hands out whole runs: leave out solve.devices"
    with pytest.raises(ConfigError, match=words):
        tkf.sweep({"initial": {"n": 4}, "solve": {"devices": 2}}, over={"beta": [1.0]}, measure="order")
    assert words in error_of("sweep", "--n", "4", "--over", "solve.devices=1,2", "--measure", "order")


def test_pieces_of_workers_that_die_are_handed_out_again(folder):
    plan = running.check_folder(folder[0])[1]
    pieces = [piece for group in plan.groups() for piece in plan.pieces(group, {})]
    lost = {"is_lost": lambda error: isinstance(error, ConnectionError)}
    done = list(engines.submitted(pieces, Dying(3), 2, **lost))
    assert sorted(piece.name for piece, _ in done) == sorted(piece.name for piece in pieces)
    with pytest.raises(tkf.Unfinished, match="ConnectionError: the worker is gone"):
        list(engines.submitted(pieces, Dying(99), 2, **lost))
    with pytest.raises(tkf.Unfinished, match="the same command goes on"):
        list(engines.submitted(pieces, Dying(1), 2))


def test_a_worker_with_another_version_is_refused(folder):
    plan = running.check_folder(folder[0])[1]
    group = next(iter(plan.groups()))
    old = (("tokenfield", "0.0.1"), *computing.versions()[1:])
    piece = next(plan.pieces(group, {}, old))
    with pytest.raises(InvalidInput, match=r"this worker has tokenfield .* instead of 0.0.1: install the versions"):
        computing.compute(piece)


@pytest.mark.slow
def test_processes_of_their_own_give_the_same_bits():
    context = get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context, initializer=tkf.prepare_worker) as pool:
        config = {"initial": {"n": 4}, "solve": {"t1": 1.0}}
        given = {"over": {"beta": [1.0, 2.0]}, "seeds": 2, "measure": ["order", "energy"]}
        there, here = tkf.sweep(config, **given, on=pool), tkf.sweep(config, **given)
    np.testing.assert_array_equal(there["energy"].values, here["energy"].values)


@pytest.mark.slow
def test_kill_9_costs_what_was_under_way(tmp_path, monkeypatch):
    """A sweep of single runs, killed as soon as it has a few pieces, goes on from them and has the same numbers."""
    command = ["sweep", "--n", "6", "--t1", "1", "--over", "beta=1:3:30", "--seeds", "0:6", "--measure", "energy"]
    line = [sys.executable, "-m", "tokenfield", *command, "--out", str(tmp_path / "s")]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pieces = tmp_path / "s" / "pieces"
    end = time.monotonic() + 120
    while len(list(pieces.glob("*/[!.]*.npz"))) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = {path.name: path.stat().st_mtime_ns for path in pieces.glob("*/[!.]*.npz")}
    assert len(before) >= 3 and not (tmp_path / "s" / "sweep.zarr").exists()
    monkeypatch.setattr(drawing, "draw", lambda *_, **__: None)  # tested above
    assert tokenfield(*command, "--out", tmp_path / "s").exit_code == 0
    after = {path.name: path.stat().st_mtime_ns for path in pieces.glob("*/*.npz")}
    assert before.items() <= after.items() and len(after) > len(before)  # nothing twice, nothing lost
    assert tokenfield(*command, "--out", tmp_path / "whole").exit_code == 0
    np.testing.assert_array_equal(values(tmp_path / "s", "energy"), values(tmp_path / "whole", "energy"))
