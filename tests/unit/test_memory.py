"""Memory and disk are asked for before they are used."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenfield as tkf
from command_line import error_of, files, in_a_folder_of_its_own  # noqa: F401
from tokenfield._runtime import memory

CIRCLE = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0))


def test_the_plan_refuses_what_does_not_fit(monkeypatch):
    start = tkf.initial.uniform(tkf.Sphere(2), 2**20, seed=0)
    assert "of the" in tkf.explain(CIRCLE, start, t1=1.0, save="end").explanation["memory"]
    needed = tkf.explain(CIRCLE, start, t1=1.0, save="end").memory_bytes
    assert needed >= 8 * start.points.nbytes
    monkeypatch.setattr(memory, "_free_limits", lambda: iter([needed - 1.0]))
    with pytest.raises(tkf.TooLarge, match=r"need at least \d+ MB of memory, \d+ MB are available: take a smaller"):
        tkf.explain(CIRCLE, start, t1=1.0, save="end")
    monkeypatch.setattr(memory, "_free_limits", lambda: iter([]))  # a system that does not say
    tkf.explain(CIRCLE, start, t1=1.0, save="end")


def test_a_container_limits_the_memory(tmp_path, monkeypatch):
    """The files of control groups, as Linux writes them."""
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("700000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 200000\n")
    groups = tmp_path / "cgroup"
    groups.write_text("0::/\n")
    places = {"/proc/self/cgroup": groups, "/sys/fs/cgroup": tmp_path}
    monkeypatch.setattr(memory, "Path", lambda place: places.get(place, Path(place)))
    assert list(memory._free_in_groups()) == [500000.0]
    (tmp_path / "memory.max").write_text("max\n")
    assert list(memory._free_in_groups()) == []


@pytest.fixture
def almost_full_disk(monkeypatch):
    """1 MB of disk, and memory without end: memory is asked for first, and how much a machine has does not matter."""
    monkeypatch.setattr(memory, "_free_disk", lambda folder: 1e6)
    monkeypatch.setattr(memory, "_free_limits", lambda: iter([]))


@pytest.mark.usefixtures("almost_full_disk")
def test_a_full_disk_is_known_before():
    assert "need at least" in (found := error_of("phase-diagram", "--systems", "100000", "--betas", "1:2:20"))
    assert "on disk, 1 MB are available: take fewer values" in found
    assert not files()


@pytest.mark.usefixtures("almost_full_disk")
def test_a_run_whose_states_do_not_fit_on_disk_is_not_begun():
    command = ("simulate", "--dim", "2", "--n", "100000", "--save", "2000", "--out", "deep/run")
    assert "states at 2000 times need at least 320 MB on disk, 1 MB are available" in error_of(*command)
    assert not files()
