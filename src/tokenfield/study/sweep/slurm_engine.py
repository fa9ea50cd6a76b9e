"""Pieces of a sweep as steps of a Slurm job, by executorlib: no daemon, and nothing to set up.

Inside `salloc` or `sbatch` each worker is started with `srun`. Needs the extra `tokenfield[cluster]`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from typing import Any

from tokenfield._runtime.cores import cores
from tokenfield._runtime.workers import prepare_worker
from tokenfield.errors import ConfigError
from tokenfield.study.sweep.computing import compute
from tokenfield.study.sweep.engines import Done, Work, submitted


def slurm(*, workers: int | None = None, is_local: bool = False, function: Callable[[Any], Any] = compute) -> Work:
    """The function that works off pieces in the Slurm job that this process is in; `is_local` tries it without one.

    Raises `ConfigError` where there is no Slurm, or executorlib is not installed.
    """
    if not is_local and shutil.which("srun") is None:
        raise ConfigError("there is no srun here: use --on slurm inside salloc or sbatch, or --on dask")
    try:
        import executorlib
    except ImportError:
        raise ConfigError("executorlib is not installed: pip install 'tokenfield[cluster]'") from None
    count = workers or tasks(is_local=is_local)
    kind: Any = executorlib.SingleNodeExecutor if is_local else executorlib.SlurmJobExecutor

    def work(pieces: Iterable[Any]) -> Done:
        with kind(max_workers=count, init_function=_prepared, block_allocation=True) as executor:
            yield from submitted(pieces, executor, count, function=function)

    return work


def tasks(*, is_local: bool = False) -> int:
    """How many workers there are: the tasks of the Slurm job that this process is in, or the cores that it may use."""
    return cores() if is_local else int(os.environ.get("SLURM_NTASKS") or 1)


def _prepared() -> dict[str, Any]:
    """What executorlib calls in each worker when it starts."""
    prepare_worker()
    return {}
