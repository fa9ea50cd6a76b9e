"""Everything that commands keep on disk. Open formats only: TOML, JSON and Zarr, never pickle.

Only this package and `tokenfield._runtime.files`, which writes single files, write to disk; a test holds this.
`Picture.save` fills a file that `_runtime.files` makes. What users hand over is read elsewhere: tokens in
`initial.files`, configs in `study.toml`.

    folder.py     what a folder is called, of which kind it is, how it is made and replaced
    run.py        runs: a config, a trajectory and numbers
    arrays.py     labelled arrays as a Zarr store
    dataset.py    from the dataset of a run back to its trajectory
    plain.py      models as plain data, for runs that were made in Python
    checkpoint.py what an unfinished run goes on from
    sweep.py      sweeps, phase diagrams too: pieces that come one by one, and the dataset that is made of them
    places.py     which piece has which cells, in a few bytes for each
    records.py    records of claims, tables of benchmarks
    recognize.py  which of these a folder is

Comparisons and measured layers are folders without more to them: `folder.Draft` writes them.
"""

from __future__ import annotations

from tokenfield.study.store.checkpoint import CheckpointFolder
from tokenfield.study.store.dataset import read_law
from tokenfield.study.store.folder import COMPARISON, LAYERS, RUN, STEERING, SWEEP, Draft, can_go_on
from tokenfield.study.store.recognize import BENCHMARK, REPORT, kind_of
from tokenfield.study.store.records import BenchmarksFolder, ClaimsFolder
from tokenfield.study.store.run import RunFolder, load, save
from tokenfield.study.store.sweep import SweepFolder

__all__ = [
    "BENCHMARK",
    "COMPARISON",
    "LAYERS",
    "REPORT",
    "RUN",
    "STEERING",
    "SWEEP",
    "BenchmarksFolder",
    "CheckpointFolder",
    "ClaimsFolder",
    "Draft",
    "RunFolder",
    "SweepFolder",
    "can_go_on",
    "kind_of",
    "load",
    "read_law",
    "save",
]
