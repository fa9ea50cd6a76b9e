"""For workers of Dask: `dask worker ... --preload tokenfield.study.sweep.worker` prepares them. No JAX up here."""

from __future__ import annotations

from typing import Any

from tokenfield._runtime.workers import prepare_worker


def dask_setup(worker: Any) -> None:
    """What Dask calls when a worker starts: the number at the end of its name says which cores or GPU it gets."""
    digits = str(worker.name).rpartition("-")[2]
    prepare_worker(int(digits) if digits.isdigit() else None)
