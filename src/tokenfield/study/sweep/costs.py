"""What a sweep would cost: how many pieces, how long, how much disk, before anything runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield.study.store import SweepFolder
from tokenfield.study.sweep.axes import SEED
from tokenfield.study.sweep.computing import compute
from tokenfield.study.sweep.engines import abreast
from tokenfield.study.sweep.plan import SAMPLE, Piece, Sweep, config_of, digest, expected_s
from tokenfield.study.sweep.running import disk_bytes, look, missing

PIECE_BYTES = 2**13  # of a piece besides its numbers: the file, its folder, its line in the list
PAGE_BYTES = 250_000  # of a measure: its figures, and again on the page


def explain(
    plan: Sweep,
    *,
    out: Path | None = None,
    on: Any = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """How many pieces there are, what they cost, how long all takes `on` an engine and how much disk.

    Nothing is written.

    The time of a piece is measured: the cheapest and the dearest of each kind are computed, twice, so that compilation
    does not count; others lie between by their size. What compiling them took counts once for each different program.
    """
    at_a_time = {kind: abreast(on, workers, is_together=kind) for kind in (True, False)}
    found = look(plan, progress=progress)
    folder = None
    if out is not None and out.exists():
        folder = SweepFolder.open(out)[0]
        folder.look()
    weights: dict[bool, list[float]] = {}  # of pieces of systems that move together, and of single runs
    samples = dict[tuple[bool, float], Piece]()
    programs, left = set[str](), 0
    for piece in missing(plan, found, folder):
        programs |= _programs(piece)
        weights.setdefault(piece.is_together, []).append(weight := _weight(piece))
        samples.setdefault((piece.is_together, weight), piece)
        left += piece.runs
    timed = {kind: {w: _trial(samples[kind, w]) for w in sorted({min(ws), max(ws)})} for kind, ws in weights.items()}
    seconds = {kind: [_between(weight, timed[kind]) for weight in ws] for kind, ws in weights.items()}
    each = [taken for kind in seconds for taken in seconds[kind]]
    trials = [trial for kind in timed for trial in timed[kind].values()]
    return {
        "cells": plan.cells,
        "bad_cells": len(found.bad),
        "runs": plan.runs,
        "runs_left": left,
        "pieces": len(each),
        "pieces_together": len(weights.get(True, [])),
        "pieces_alone": len(weights.get(False, [])),
        "programs": len(programs),
        "measured": len(trials),
        "piece_s": {"least": min(each, default=0.0), "most": max(each, default=0.0)},
        "compile_s": len(programs) * sum(extra for _, extra in trials) / max(len(trials), 1),
        "total_s": sum(sum(taken) / at_a_time[kind] for kind, taken in seconds.items()),
        "workers": max((at_a_time[kind] for kind in weights), default=1),
        "disk_bytes": disk_bytes(plan) + PIECE_BYTES * len(each) + PAGE_BYTES * len(plan.quantities),
    }


def _programs(piece: Piece) -> set[str]:
    """The programs that a piece needs compiled, by name: cells that differ in numbers alone share one."""
    columns = piece.columns[:1] if piece.is_together else piece.columns
    tables = (config_of(piece.tables, {**column, SEED: SAMPLE}).to_dict() for column in columns)
    return {digest([_without_numbers(found), piece.is_together, piece.size]) for found in tables}


def _without_numbers(value: Any) -> Any:
    """Tables without what may vary in a compiled program: floats, and seeds."""
    if isinstance(value, Mapping):
        return {k: _without_numbers(v) for k, v in value.items() if not isinstance(v, float) and k != "seed"}
    return [_without_numbers(v) for v in value] if isinstance(value, (list, tuple)) else value


def _weight(piece: Piece) -> float:
    """The cost of a piece in units that only ratios of have a meaning."""
    config = config_of(piece.tables, {**piece.columns[0], SEED: SAMPLE})
    n = int(config.initial.n or 256)
    if piece.is_together:
        return piece.size * len(piece.columns) * n * n * (min(config.geometry.dim, n) + 4) * 1e-9
    return piece.runs * expected_s(config)


def _trial(piece: Piece) -> tuple[float, float]:
    """The seconds of a piece, and those that compiling takes once. Long ones are measured on one run."""
    few = Piece(
        piece.tables,
        piece.columns if piece.is_together else piece.columns[:1],
        piece.seeds if piece.is_together else piece.seeds[:1],
        piece.quantities,
        piece.is_together,
        piece.size,
        piece.cells,
    )
    taken = []
    for _ in range(2):
        began = time.perf_counter()
        compute(few)
        taken.append(time.perf_counter() - began)
    return taken[1] * piece.runs / few.runs, max(taken[0] - taken[1], 0.0)


def _between(weight: float, timed: Mapping[float, tuple[float, float]]) -> float:
    weights, seconds = list(timed), [value[0] for value in timed.values()]
    if len(weights) == 1 or seconds[0] <= 0:
        return seconds[0] * weight / weights[0]
    return float(np.exp(np.interp(np.log(weight), np.log(weights), np.log(seconds))))
