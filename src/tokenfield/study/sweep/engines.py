"""Where pieces of work are computed: in this process, or by anything that has `submit`. No disk, no scheduler.

What a piece is, is up to who asks: cells of a sweep by default, claims for `tokenfield reproduce`. It has a `name`, and
a `function` of it alone is what workers call.

    local            threads of this process for systems that move together, one run after the other else
    dask             a cluster of Dask on this machine, made for the sweep
    tcp://HOST:PORT  a Dask scheduler that is running
    slurm            jobs of Slurm, by executorlib; slurm:local tries the same on this machine
    an object        any `concurrent.futures.Executor`, a Dask client, anything with `submit`

Pieces may be computed twice, late or never: whoever dies, its pieces are handed out again. Only a few are under way at
a time, so that the memory of this process does not grow with the sweep.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from typing import Any, Protocol

import jax

from tokenfield._runtime.cores import cores
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.workers import UNGUARDED, leave_if_starting
from tokenfield.errors import ConfigError, TokenfieldError, Unfinished, did_you_mean
from tokenfield.study.sweep.computing import Arrays, compute
from tokenfield.study.sweep.plan import Piece

NAMES = ("local", "dask", "slurm")
LOOK_S = 0.5  # between two looks at Ctrl-C
AHEAD = 2  # pieces that are handed out for each worker: one is there when another is finished
MOST_DEATHS = 20  # of workers over the same piece, after which the piece is to blame

Done = Iterator[tuple[Any, Any]]  # pieces, each with what the function made of it
Work = Callable[[Iterable[Any]], Done]


class Executor(Protocol):
    """What has `submit`; its futures have `add_done_callback`, `result` and `cancel`."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """A future of the value of `function`."""


def engine(on: Any, *, workers: int | None = None, function: Callable[[Any], Any] = compute) -> Work:
    """The function that works off pieces on the engine `on`: each with what `function` makes of it, once it is there.

    Ctrl-C ends it early. Raises `ConfigError` for an engine that does not exist or is not installed.
    """
    if workers is not None and (on in (None, "local") or "://" in str(on)):
        where = "a running scheduler has the workers that it has" if "://" in str(on) else "this process uses its cores"
        raise ConfigError(f"{where}: leave out the number of workers, which goes with --on dask and slurm")
    if on in (None, "local"):
        return _local
    leave_if_starting()
    if isinstance(on, str):
        return _named(on, workers, function)
    if callable(on) and not hasattr(on, "submit"):  # somebody's own way to work off pieces
        return on
    if not callable(getattr(on, "submit", None)):
        raise ConfigError(f"on must be {', '.join(NAMES)}, tcp://HOST:PORT, or have submit(), got {type(on).__name__}")
    if hasattr(on, "scheduler_info"):
        from tokenfield.study.sweep.dask_engine import DaskEngine

        return DaskEngine(client=on, function=function).work
    count = workers or getattr(on, "_max_workers", None) or cores()
    return lambda pieces: submitted(pieces, on, count, function=function)


def abreast(on: Any, workers: int | None = None, *, is_together: bool = True) -> int:
    """About how many pieces the engine `on` computes at a time, those of systems that move together or of single runs.

    Raises `ConfigError` as `engine` does.
    """
    if on in (None, "local"):
        engine(on, workers=workers)
        return _threads() if is_together else 1
    if str(on).startswith("slurm"):
        from tokenfield.study.sweep.slurm_engine import tasks

        return workers or tasks(is_local=on == "slurm:local")
    if on == "dask" or "://" in str(on):
        from tokenfield.study.sweep.dask_engine import DaskEngine

        return DaskEngine(None if on == "dask" else on, workers=workers).size
    engine(on, workers=workers)
    return workers or cores()


def _threads() -> int:
    return cores() if jax.default_backend() == "cpu" else 1


def _named(on: str, workers: int | None, function: Callable[[Any], Any]) -> Work:
    if on == "dask" or "://" in on:
        from tokenfield.study.sweep.dask_engine import DaskEngine

        return DaskEngine(None if on == "dask" else on, workers=workers, function=function).work
    if on in ("slurm", "slurm:local"):
        from tokenfield.study.sweep.slurm_engine import slurm

        return slurm(workers=workers, is_local=on == "slurm:local", function=function)
    raise ConfigError(f"unknown engine '{on}'{did_you_mean(on, NAMES)}; a running Dask scheduler is tcp://HOST:PORT")


def _local(pieces: Iterable[Piece]) -> Done:
    """In this process: on a CPU every core has a block of systems; runs by themselves use all cores."""
    threads = _threads()
    waiting, running = iter(pieces), dict[Future[Arrays], Piece]()
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        pool = stack.enter_context(ThreadPoolExecutor(threads))
        following = next(waiting, None)
        while running or (following is not None and not interrupts.requested):
            while following is not None and following.is_together and len(running) < threads:
                if interrupts.requested:
                    break
                running[pool.submit(compute, following)] = following
                following = next(waiting, None)
            if running:
                done, _ = wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
            elif following is not None and not following.is_together:
                try:
                    found = compute(following)  # here, where `solve` sees Ctrl-C
                except KeyboardInterrupt:
                    return
                yield following, found
                following = next(waiting, None)


def submitted(
    pieces: Iterable[Any],
    executor: Executor,
    workers: int | Callable[[], int],
    *,
    function: Callable[[Any], Any] = compute,
    is_lost: Callable[[BaseException], bool] = lambda error: False,
    is_alive: Callable[[], bool] = lambda: True,
    again: Callable[[], Executor] | None = None,
    options: dict[str, Any] | None = None,
) -> Done:
    """On an executor, with a few pieces under way at a time.

    `workers` is how many there are, or a function that says so at each time. `is_lost` tells errors of the engine,
    after which a piece is handed out again, from those of the piece. When the engine is not alive any more, `again`
    makes a new one, and all that was under way is handed out again.
    """
    waiting, returned = iter(pieces), list[Any]()
    finished: queue.Queue[Any] = queue.Queue()
    running: dict[Any, Any] = {}
    deaths: dict[str, int] = {}

    def hand_out() -> bool:
        piece = returned.pop() if returned else next(waiting, None)
        if piece is None:
            return False
        future = executor.submit(function, piece, **(options or {}))
        running[future] = piece
        future.add_done_callback(finished.put)
        return True

    with Interrupts() as interrupts:
        try:
            while True:
                most = AHEAD * max(workers() if callable(workers) else workers, 1)
                while not interrupts.requested and len(running) < most and hand_out():
                    pass
                if not running or interrupts.requested:
                    return
                try:
                    future = finished.get(timeout=LOOK_S)
                except queue.Empty:
                    if not is_alive() and again is not None:
                        returned += running.values()
                        running, finished = {}, queue.Queue()
                        executor = again()
                    continue
                piece = running.pop(future, None)
                if piece is None:  # of an engine that is gone
                    continue
                try:
                    found = future.result()
                except TokenfieldError:
                    raise
                except BaseException as error:
                    deaths[piece.name] = deaths.get(piece.name, 0) + 1
                    if not is_lost(error) or deaths[piece.name] > MOST_DEATHS:
                        words = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
                        advice = "the same command goes on" + (
                            f"; {UNGUARDED}" if isinstance(error, BrokenExecutor) else ""
                        )
                        raise Unfinished(f"a worker could not compute a piece ({words}); {advice}", run=None) from error
                    returned.append(piece)
                    continue
                yield piece, found
        finally:
            for future in running:
                with suppress(Exception):
                    future.cancel()


def wait_for(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Whether the condition came true within so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(LOOK_S)
    return True
