"""Sweeps on workers: two processes against one, what handing out a piece costs, whom it feeds, and the memory it takes.

Pieces of a second that keep a core busy show what a cluster adds: two workers should take little more than half of the
time of the serial run. Empty pieces show what handing out one costs, from the call in this process to the file on disk,
and so how many workers one coordinator feeds: w workers with pieces of s seconds finish min(w/(s + o), r) pieces a
second, where o is what one worker waits for each piece, and r the rate of empty pieces. Pieces that only sleep measure
that with more workers than there are cores, three for each; all workers begin at once, so that with short pieces the
first of three rounds, in which they wait for each other, pulls the rate below the model. The last table plans, hands
out and writes many cells of nothing, each size in a process of its own. Other work on the machine spoils all of this.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tokenfield._runtime.files import temporary_folder
from tokenfield.benchmarks.report import Row, Table
from tokenfield.study.store import SweepFolder
from tokenfield.study.sweep import engines, running
from tokenfield.study.sweep.plan import Piece

if TYPE_CHECKING:
    from tokenfield.plot.picture import Picture

GOAL_EFFICIENCY, GOAL_MS = 0.85, 20.0
FED = (1.0, 10.0, 100.0)  # seconds of pieces for which workers are counted on paper
FEEDING = "Pieces that sleep: measured and modelled"


def run(
    *,
    pieces: int = 8,
    piece_s: float = 1.0,
    repeats: int = 2,
    empty: int = 300,
    workers: tuple[int, ...] = (1, 4, 16, 64),
    sleep_s: tuple[float, ...] = (0.1, 1.0),
    cells: tuple[int, ...] = (1000, 10_000, 100_000),
) -> Iterator[Table]:
    """A table of efficiency, one of empty pieces, one of whom the coordinator feeds, and one of memory."""
    yield _efficiency(pieces, piece_s, repeats)
    table, costs = _empty(empty, repeats, max(workers))
    yield table
    yield _feeding(workers, sleep_s, costs)
    yield _on_paper(costs)
    yield _memory(cells)


def nothing() -> dict[str, np.ndarray]:
    """What a piece of one run returns."""
    return {"order": np.zeros((1, 1)), "outcome": np.zeros((1, 1), np.int16), "t_end": np.zeros((1, 1))}


def busy(seconds: float) -> dict[str, np.ndarray]:
    """Keeps one core busy for so many seconds of its own time: a piece of which the cost is known."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return nothing()


def asleep(seconds: float) -> dict[str, np.ndarray]:
    """Takes its time and no core: a piece of a worker that is elsewhere."""
    time.sleep(seconds)
    return nothing()


class _Instead:
    """An executor that does something else than what it is given: `busy` or `asleep` in place of a piece."""

    def __init__(self, executor: Any, function: Any, seconds: float) -> None:
        self._executor, self._function, self._seconds = executor, function, seconds

    def submit(self, function: Any, piece: Piece) -> Any:
        return self._executor.submit(self._function, self._seconds, pure=False)


def _pieces(count: int) -> list[Piece]:
    return [Piece({}, ({},), (0,), (), False, 1, (f"{k:016x}",)) for k in range(count)]


def _written(done: Iterable[tuple[Piece, Any]]) -> float:
    """Seconds until all pieces are on disk."""
    with temporary_folder() as folder:
        store = SweepFolder.prepare(folder / "sweep", {}, manifest={})
        began = time.perf_counter()
        for piece, arrays in done:
            store.write(piece.name, piece.cells, piece.seeds, arrays)
        return time.perf_counter() - began


def _handed(client: Any, count: int, function: Any, seconds: float, workers: int) -> float:
    """Seconds until so many pieces are on disk that a client of Dask hands out."""
    return _written(engines.submitted(_pieces(count), _Instead(client, function, seconds), workers))


def _with_workers(workers: int) -> Any:
    from tokenfield.study.sweep.dask_engine import DaskEngine

    engine = DaskEngine(workers=workers)
    cluster = engine._cluster()
    client = engine._distributed.Client(cluster)
    client.gather([client.submit(busy, 0.01, pure=False) for _ in range(4 * workers)])  # workers are there
    return cluster, client


def _efficiency(count: int, seconds: float, repeats: int) -> Table:
    serial, taken = [], []
    cluster, client = _with_workers(2)
    with cluster, client:
        for _ in range(repeats):  # in turn, so that a machine that slows down slows down both
            serial.append(_written((piece, busy(seconds)) for piece in _pieces(count)))
            taken.append(_handed(client, count, busy, seconds, 2))
    best = (min(serial), min(taken))
    rows: list[Row] = [
        {"workers": "this process", "seconds": best[0]},
        {"workers": "2 of Dask", "seconds": best[1], "efficiency": best[0] / (2 * best[1]), "goal": GOAL_EFFICIENCY},
    ]
    title = f"{count} pieces of {seconds:g} s of CPU, on {os.cpu_count()} cores, the best of {repeats}"
    return Table(title, rows, ["efficiency: seconds of this process over twice those of two workers"])


def _empty(count: int, repeats: int, most: int) -> tuple[Table, _Costs]:
    here = min(_written((piece, nothing()) for piece in _pieces(count)) for _ in range(repeats)) / count
    cluster, client = _with_workers(1)
    with cluster, client:
        one = min(_handed(client, count, asleep, 0.0, 8) for _ in range(repeats)) / count
    with _threads(most) as client:
        many = min(_written(_slept(client, count, 0.0, most)) for _ in range(repeats)) / count
    rows: list[Row] = [
        {"where": where, "ms a piece": 1000 * taken, "goal ms": GOAL_MS, "pieces a second": 1 / taken}
        for where, taken in (
            ("written by this process", here),
            ("by one worker of Dask", one),
            (f"{most} at a time", many),
        )
    ]
    # threads that each wait for a piece of theirs collect results side by side, a sweep one after the other: what is
    # slower of the two counts
    return Table(f"{count} empty pieces, each with its file", rows), _Costs(one, 1 / max(one, many))


class _Costs(NamedTuple):
    """What handing out costs: seconds that a worker waits for each piece, and the most pieces a second for all."""

    wait_s: float
    rate: float

    def pieces_a_second(self, workers: Any, seconds: float) -> Any:
        return np.minimum(workers / (seconds + self.wait_s), self.rate)


@contextmanager
def _threads(count: int) -> Iterator[Any]:
    """A client of one worker of Dask with so many threads, which stand for workers that are elsewhere."""
    import distributed

    options = {"n_workers": 1, "threads_per_worker": count, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options, silence_logs=50) as cluster, distributed.Client(cluster) as client:
        client.gather([client.submit(asleep, 0.01, pure=False) for _ in range(2 * count)])
        yield client


def _slept(client: Any, count: int, seconds: float, workers: int) -> Iterator[tuple[Piece, Any]]:
    """Pieces that sleep, of which only so many run at a time."""
    with ThreadPoolExecutor(workers) as threads:
        yield from engines.submitted(_pieces(count), _Limited(client, threads, seconds), workers)


class _Limited(NamedTuple):
    """An executor that lets Dask sleep in place of a piece, and holds a thread meanwhile."""

    client: Any
    threads: ThreadPoolExecutor
    seconds: float

    def submit(self, function: Any, piece: Piece) -> Any:
        return self.threads.submit(lambda: self.client.submit(asleep, self.seconds, pure=False).result())


def _feeding(workers: Sequence[int], sleeps: Sequence[float], costs: _Costs) -> Table:
    rows: list[Row] = []
    with _threads(max(workers)) as client:
        for seconds in sleeps:
            for count in workers:
                pieces = max(3 * count, 12)
                taken = _written(_slept(client, pieces, seconds, count))
                row: Row = {"a piece takes s": seconds, "workers": count, "pieces a second": pieces / taken}
                rows.append(row | {"modelled": float(costs.pieces_a_second(count, seconds))})
    notes = ["modelled: min(w / (s + o), r), with o and r of the empty pieces", json.dumps(costs._asdict())]
    return Table(FEEDING, rows, notes)


def _on_paper(costs: _Costs) -> Table:
    fed: list[Row] = [{"a piece takes s": s, "workers that are fed": int((s + costs.wait_s) * costs.rate)} for s in FED]
    notes = ["r (s + o): beyond, workers wait for pieces"]
    return Table("On paper: how many workers one coordinator feeds", fed, notes)


def draw(tables: Sequence[Table]) -> Picture:
    """Pieces a second over the number of workers, measured with pieces that sleep, and the model in black dashes."""
    from tokenfield.plot import style
    from tokenfield.plot.picture import Picture

    table = next(table for table in tables if table.title == FEEDING)
    costs = _Costs(**json.loads(table.notes[1]))
    rate = costs.rate
    with style.styled():
        figure = style.new_figure(4.8, 3.2)
        axes = figure.subplots()
        counts = np.geomspace(1, 20_000, 200)
        measured = sorted({row["a piece takes s"] for row in table.rows})
        for k, seconds in enumerate(measured):
            rows = [row for row in table.rows if row["a piece takes s"] == seconds]
            x, y = ([row[key] for row in rows] for key in ("workers", "pieces a second"))
            axes.plot(
                x, y, "os"[k % 2], color=style.PALETTE[k], markersize=5, label=f"measured, pieces of {seconds:g} s"
            )
        for k, seconds in enumerate(sorted({*measured, *FED})):
            label = "model: min($w/(s + o)$, $r$)" if k == 0 else None
            axes.plot(counts, costs.pieces_a_second(counts, seconds), "k--", linewidth=0.9, label=label, zorder=1)
            axes.annotate(f"{seconds:g} s", (rate * seconds * 0.3, rate * 0.3), fontsize=7, ha="right", va="bottom")
        axes.annotate(
            f"$r$ = {rate:.0f} empty pieces a second", (20_000, rate * 1.1), fontsize=7, ha="right", va="bottom"
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(0.05, 8 * rate)
        axes.set_xlabel("workers")
        axes.set_ylabel("pieces a second")
        axes.legend(loc="lower right", fontsize=7)
        axes.set_title("What one coordinator hands out")
    return Picture(figure, None, "sweep")


# --- memory -------------------------------------------------------------------------------------------------------


def _memory(sizes: tuple[int, ...]) -> Table:
    rows = [_coordinated(cells) for cells in sizes]
    notes = ["each size in a process of its own: planned, checked, handed out, written and put together"]
    return Table("Many cells of which nothing is computed", rows, notes)


def _coordinated(cells: int) -> Row:
    program = f"from tokenfield.benchmarks.sweep import coordinate; coordinate({cells})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def coordinate(cells: int) -> None:
    """Runs a sweep of so many cells of which nothing is computed, and prints what that took."""
    beta = np.linspace(0.1, 9, min(cells, 100)).tolist()
    over = {"attention.beta": beta, "solve.t1": np.linspace(1, 2, max(cells // 100, 1)).tolist()}
    plan = running.make({"initial": {"n": 4}}, over=over, measure="order")
    planned, finished = [0.0], [0]

    def work(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Any]]:
        planned[0] = _peak()
        for piece in pieces:
            finished[0] += 1
            shape = (len(piece.columns), len(piece.seeds))
            yield piece, {name: np.zeros(shape, values.dtype) for name, values in nothing().items()}

    began = time.process_time()
    with temporary_folder() as folder:
        running.run(plan, folder / "sweep", on=work, draws=False, progress=False)
    row: Row = {"cells": cells, "pieces": finished[0], "CPU s": time.process_time() - began}
    print(json.dumps(row | {"MB when planned": planned[0], "MB at most": _peak()}))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
