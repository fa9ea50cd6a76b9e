"""Sweeps on workers: two processes against one, the cost of handing out a piece, and the memory of the coordinator.

Pieces of about a second, which compute nothing but the time, show what a cluster adds: two workers should take little
more than half of the time of the serial run. Empty pieces show what handing out one costs, from the function call in
this process to the file on disk, and so how many workers one coordinator feeds: pieces of s seconds keep as many
workers busy as it hands out in s seconds. The last table looks at many cells that are never computed: what the plan and
its check cost in memory.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield._runtime.files import temporary_folder
from tokenfield.benchmarks.report import Row, Table
from tokenfield.study.store import SweepFolder
from tokenfield.study.sweep import engines, running
from tokenfield.study.sweep.plan import Piece

GOAL_EFFICIENCY, GOAL_MS = 0.85, 20.0


def run(
    *, pieces: int = 12, piece_s: float = 1.0, empty: int = 300, cells: tuple[int, ...] = (1000, 10_000)
) -> Iterator[Table]:
    """A table of efficiency, one of empty pieces with what follows from them, and one of memory."""
    yield _efficiency(pieces, piece_s)
    yield from _empty(empty)
    yield _memory(cells)


def busy(seconds: float) -> dict[str, np.ndarray]:
    """Keeps one core busy for so many seconds of its own time: a piece of which the cost is known."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return {"order": np.zeros((1, 1)), "outcome": np.zeros((1, 1), np.int16), "t_end": np.zeros((1, 1))}


class _Instead:
    """An executor that does something else than what it is given: `busy` in place of a piece."""

    def __init__(self, executor: Any, seconds: float, **options: Any) -> None:
        self._executor, self._seconds, self._options = executor, seconds, options

    def submit(self, function: Any, piece: Piece) -> Any:
        return self._executor.submit(busy, self._seconds, **self._options)


def _pieces(count: int) -> list[Piece]:
    return [Piece({}, ({},), (0,), (), False, 1, (f"{k:016x}",)) for k in range(count)]


def _written(done: Iterable[tuple[Piece, Any]], folder: Path) -> float:
    """Seconds until all pieces are on disk."""
    store = SweepFolder.prepare(folder, {}, manifest={})
    began = time.perf_counter()
    for piece, arrays in done:
        store.write(piece.name, piece.cells, piece.seeds, arrays)
    return time.perf_counter() - began


def _with_workers(workers: int) -> Any:
    from tokenfield.study.sweep.dask_engine import DaskEngine

    engine = DaskEngine(workers=workers)
    cluster = engine._cluster()
    return cluster, engine._distributed.Client(cluster)


def _efficiency(count: int, seconds: float) -> Table:
    rows: list[Row] = []
    with temporary_folder() as folder:
        serial = _written(((piece, busy(seconds)) for piece in _pieces(count)), folder / "serial")
        rows.append({"workers": "this process", "seconds": serial})
        cluster, client = _with_workers(2)
        with cluster, client:
            client.gather([client.submit(busy, 0.01, pure=False) for _ in range(8)])  # workers are there
            taken = _written(
                engines.submitted(_pieces(count), _Instead(client, seconds, pure=False), 2), folder / "two"
            )
        rows.append(
            {"workers": "2 of Dask", "seconds": taken, "efficiency": serial / (2 * taken), "goal": GOAL_EFFICIENCY}
        )
    title = f"{count} pieces of {seconds:g} s of CPU, on {os.cpu_count()} cores"
    return Table(title, rows, ["efficiency: seconds of this process over twice those of two workers"])


def _empty(count: int) -> Iterator[Table]:
    with temporary_folder() as folder:
        here = _written(((piece, busy(0.0)) for piece in _pieces(count)), folder / "here") / count
        cluster, client = _with_workers(1)
        with cluster, client:
            client.gather([client.submit(busy, 0.0, pure=False) for _ in range(8)])
            handed = engines.submitted(_pieces(count), _Instead(client, 0.0, pure=False), 8)
            dask = _written(handed, folder / "dask") / count
    rows: list[Row] = [
        {
            "where": "written by this process",
            "ms a piece": 1000 * here,
            "goal ms": GOAL_MS,
            "pieces a second": 1 / here,
        },
        {"where": "by one worker of Dask", "ms a piece": 1000 * dask, "goal ms": GOAL_MS, "pieces a second": 1 / dask},
    ]
    yield Table(f"{count} empty pieces, each with its file", rows)
    fed: list[Row] = [{"a piece takes s": s, "workers that are fed": int(s / dask)} for s in (1, 10, 100)]
    yield Table("On paper: how many workers one coordinator feeds", fed, ["the rate of empty pieces times the seconds"])


def _memory(sizes: tuple[int, ...]) -> Table:
    rows: list[Row] = []
    for cells in sizes:
        over = {
            "attention.beta": np.linspace(0.1, 9, 100).tolist(),
            "solve.t1": np.linspace(1, 2, cells // 100).tolist(),
        }
        plan = running.make({"initial": {"n": 4}}, over=over, measure="order")
        before, began = _used(), time.perf_counter()
        found = running.look(plan, progress=False)
        count = sum(1 for _ in running.missing(plan, found, None))
        row: Row = {"cells": cells, "pieces": count, "seconds": time.perf_counter() - began}
        rows.append(row | {"MB more": (_used() - before) / 2**20, "MB at most": _peak()})
    return Table("Planning and checking many cells", rows, ["MB more: what the coordinator holds when all is planned"])


def _used() -> float:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0.0


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
