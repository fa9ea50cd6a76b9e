"""Worker processes that others start, prepared so that they do not fight over cores and GPUs."""

from __future__ import annotations

import glob
import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.cores import cores
from tokenfield._runtime.progress import be_silent

WORKERS = "TOKENFIELD_WORKERS"  # how many workers share this machine
# how many threads NumPy's and SciPy's linear algebra, OpenMP and XLA make, each when it is imported
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NPROC")
UNGUARDED = 'in a script, put the call under: if __name__ == "__main__":'


def prepare_worker(number: int | None = None, workers: int | None = None) -> None:
    """Prepares a process that computes pieces of a `sweep` for another one; to be called before JAX is imported.

    It prints nothing of its own, and keeps compiled code where all find it, so that a program is compiled once for each
    kind of machine. With a `number` it also gets cores of its own, or a GPU.

    Args:
        number: Which of the workers on this machine this one is, from 0; by default all share the cores.
        workers: How many there are; by default what the environment variable TOKENFIELD_WORKERS says, or 1.

    >>> from concurrent.futures import ProcessPoolExecutor
    >>> from multiprocessing import get_context
    >>> context = get_context("spawn")
    >>> pool = ProcessPoolExecutor(2, mp_context=context, initializer=prepare_worker)
    >>> pool.shutdown()
    """
    be_silent()
    workers = workers or int(os.environ.get(WORKERS) or 1)
    if number is not None and workers > 1:
        devices = visible_gpus()
        if devices and "jax" not in sys.modules:
            os.environ["CUDA_VISIBLE_DEVICES"] = devices[number % len(devices)]
            if workers > len(devices):  # they share a device: none may take all of its memory
                os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        elif hasattr(os, "sched_setaffinity"):
            # libraries and XLA make as many threads as a process may use cores
            cores = sorted(os.sched_getaffinity(0))
            own = cores[number % len(cores) :: workers] if workers <= len(cores) else [cores[number % len(cores)]]
            with suppress(OSError):
                os.sched_setaffinity(0, own)
    keep_compiled_code()


@contextmanager
def cores_for_each(workers: int) -> Iterator[None]:
    """Processes that are started in here make as many threads as each of so many `workers` has cores.

    Workers that all take all cores wait for one another, in small products of matrices above all. What the user has
    set stays.
    """
    threads = str(max(1, cores() // workers))
    mine = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(mine, threads))
    try:
        yield
    finally:
        for name in mine:
            os.environ.pop(name, None)


def leave_if_starting() -> None:
    """Ends a worker that runs the script of its parent while it starts, before it starts workers of its own.

    Processes that start by spawn import the script that asked for them; without `if __name__ == "__main__":` that
    script asks for processes again. The parent sees that its workers end, and says `UNGUARDED`.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)


def visible_gpus() -> list[str]:
    """The GPUs of NVIDIA that this process may use, by number."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given is not None:
        return [name for name in given.split(",") if name.strip() and name.strip() != "-1"]
    return [str(k) for k in range(len(glob.glob("/dev/nvidia[0-9]*")))]
