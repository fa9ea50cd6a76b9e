"""`run` works off an ensemble: piece by piece, each one call of a program that is compiled once per shape."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.cores import cores
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.ensemble.block import BlockSpec, blocks_program
from tokenfield.ensemble.ensemble import Ensemble
from tokenfield.ensemble.pieces import Piece, block_size, holds_systems_last
from tokenfield.ensemble.program import Program
from tokenfield.ensemble.starts import starts
from tokenfield.ensemble.table import Table
from tokenfield.ensemble.vmapped import vmapped

PROGRAMS = 32  # that are kept for models that blocks do not know


def run(ensemble: Ensemble, *, progress: bool | None = None) -> Table:
    """The table of an ensemble. Ctrl-C returns what is finished; the rest is NaN.

    Args:
        ensemble: What to compute.
        progress: Whether a progress bar is shown, by default if it takes long and somebody watches.

    Returns:
        The `Table`.

    >>> table = run(Ensemble(n=4, d=3, betas=[1.0, 4.0], systems=8, times=[0.0, 20.0], seed=0))
    >>> table.mean["pairs"].shape, bool(table.mean["pairs"][0, 1] > 0.9)
    ((2, 2), True)
    """
    shape = (ensemble.columns, ensemble.systems, len(ensemble.times))
    table = Table(ensemble, {name: np.full(shape, np.nan) for name in ensemble.statistics})
    for piece, values in work(ensemble, ensemble.pieces(), progress=progress):
        for name, found in values.items():
            table.values[name][piece.columns.start : piece.columns.stop, piece.systems.start : piece.systems.stop] = (
                found
            )
    return table


def work(
    ensemble: Ensemble, pieces: Sequence[Piece], *, progress: bool | None = None
) -> Iterator[tuple[Piece, dict[str, np.ndarray]]]:
    """Each piece with its statistics, as they are finished; Ctrl-C ends early.

    On a CPU every core has a piece of its own: blocks of small systems leave nothing to share within a piece.

    Args:
        ensemble: What to compute.
        pieces: Which pieces of it, for instance those that an interrupted run has left.
        progress: Whether a progress bar is shown, by default if it takes long and somebody watches.

    Returns:
        An iterator over pieces and their statistics by name, arrays (columns, systems, times).

    >>> ensemble = Ensemble(n=4, d=3, betas=[1.0], systems=8, times=[0.0, 20.0], seed=0)
    >>> [values["pairs"].shape for _, values in work(ensemble, ensemble.pieces())]
    [(1, 8, 2)]
    """
    compute = _program(ensemble)
    # drawn in this thread only: two batches of QR at once can wait for each other's threads for ever
    draw = partial(_drawn, ensemble)
    threads = cores() if jax.default_backend() == "cpu" else 1
    waiting, finished = list(pieces), 0
    running: dict[Future[dict[str, np.ndarray]], Piece] = {}
    with Interrupts() as interrupts, Progress("systems", shown=progress) as bar, ThreadPoolExecutor(threads) as pool:
        while running or (waiting and not interrupts.requested):
            while waiting and len(running) < threads and not interrupts.requested:
                piece = waiting.pop(0)
                running[pool.submit(compute, piece, *draw(piece.systems))] = piece
            done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in done:
                finished += 1
                yield running.pop(future), future.result()
            bar.update(finished / len(pieces), f"{finished} of {len(pieces)} pieces")


def compute(ensemble: Ensemble, piece: Piece) -> dict[str, np.ndarray]:
    """The statistics of one piece by name, arrays (columns, systems, times). For any thread.

    Args:
        ensemble: What to compute.
        piece: Which columns and systems of it; beyond the last system it is filled up, so that sizes can agree.

    Returns:
        The statistics.

    >>> ensemble = Ensemble(n=4, d=3, betas=[1.0], systems=8, times=[0.0, 20.0], seed=0)
    >>> compute(ensemble, Piece(range(1), range(8)))["pairs"].shape
    (1, 8, 2)
    """
    with _DRAWING:  # as in `work`: never two at a time
        x, keys = _drawn(ensemble, piece.systems)
    return _program(ensemble)(piece, x, keys)


_DRAWING = threading.Lock()


def _drawn(ensemble: Ensemble, systems: range) -> tuple[Array, Array]:
    seed = ensemble.seed if isinstance(ensemble.seed, (int, np.integer)) else tuple(ensemble.seed)
    return starts(ensemble.n, ensemble.d, seed, ensemble.reduced_d < ensemble.d, systems)


def _program(ensemble: Ensemble) -> Callable[[Piece, Array, Array], dict[str, np.ndarray]]:
    """The function that computes a piece, compiled once for all of the same shape."""
    times = jnp.asarray(ensemble.times, float)
    spec = _block_spec(ensemble)
    program = _vmapped_program(ensemble) if spec is None else blocks_program(spec, block_size(ensemble))

    def compute(piece: Piece, x: Array, keys: Array) -> dict[str, np.ndarray]:
        betas = jnp.asarray([float(ensemble.betas[c]) for c in piece.columns])
        kappas = jnp.asarray([_kappa(ensemble, c) for c in piece.columns])
        step = jnp.asarray(ensemble.step_at(piece.columns[0]), x.dtype)
        found = program(x, keys, betas, kappas, step, times)
        real = min(piece.systems.stop, ensemble.systems) - piece.systems.start
        return {name: np.asarray(values)[:, :real] for name, values in found.items()}

    return compute


_vmapped_programs: dict[Hashable, Program] = {}


def _vmapped_program(ensemble: Ensemble) -> Program:
    """`vmapped`, compiled; kept for ensembles that differ in their columns and systems only."""
    steps = ensemble.step_at(0) if isinstance(ensemble.step, Sequence) else ensemble.step
    shape = (ensemble.n, ensemble.d, ensemble.thresholds, tuple(ensemble.times), ensemble.kappas is None)
    key = (*shape, ensemble.model, ensemble.method, steps, ensemble.rtol)
    if key not in _vmapped_programs:
        if len(_vmapped_programs) >= PROGRAMS:
            _vmapped_programs.clear()
        _vmapped_programs[key] = Program(vmapped(ensemble))
    return _vmapped_programs[key]


def _block_spec(ensemble: Ensemble) -> BlockSpec | None:
    """How blocks compute the ensemble; `None` for models that they do not know."""
    attention = ensemble.plain_attention
    if attention is None:
        return None
    return BlockSpec(
        attention=attention,
        method=ensemble.method,
        systems_last=holds_systems_last(ensemble),
        is_noisy=ensemble.kappas is not None,
        rtol=ensemble.rtol,
        statistics=ensemble.thresholds,
    )


def _kappa(ensemble: Ensemble, column: int) -> float:
    return float("inf") if ensemble.kappas is None else float(ensemble.kappas[column])
