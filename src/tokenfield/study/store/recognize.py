"""Which command made a folder: recognized by what is in it."""

from __future__ import annotations

from pathlib import Path

from tokenfield.errors import FileError
from tokenfield.study.store.folder import COMPARISON, LAYERS, MANIFEST, RUN, STEERING, SWEEP, read_json
from tokenfield.study.store.records import BENCHMARKS, is_report

REPORT, BENCHMARK = "report", "benchmarks"


def kind_of(path: str | Path) -> str:
    """The kind of output in a folder: "run", "comparison", "steering", "sweep", "layers", "report" or "benchmarks".

    A folder that is none of them is taken for a run, which says what it misses. Raises `FileError` if there is none.
    """
    path = Path(path)
    if not path.exists():
        raise FileError(f"there is no folder {path}")
    if not path.is_dir():
        raise FileError(f"{path} is a file, not a folder that tokenfield wrote")
    try:
        kind = read_json(path / MANIFEST).get("kind")
    except FileError:
        kind = None
    if kind in (COMPARISON.name, LAYERS.name, STEERING.name, SWEEP.name):
        return str(kind)
    if is_report(path):
        return REPORT
    if kind is None and (path / BENCHMARKS).exists():
        return BENCHMARK
    return RUN.name
