"""Pieces of a sweep on Dask: a cluster made for it, a scheduler that is running, or a client of the user's.

Workers that die have their pieces computed by others; a scheduler that is stopped and started again gets what was under
way once more. Needs the extra `tokenfield[cluster]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import Any

from tokenfield._runtime.cores import cores
from tokenfield._runtime.workers import UNGUARDED, WORKERS, visible_gpus
from tokenfield.errors import ConfigError, Unfinished
from tokenfield.study.sweep.computing import compute
from tokenfield.study.sweep.engines import Done, submitted, wait_for

CONNECT_S = 10.0
RETURN_S = 300.0  # that a scheduler may be away
PRELOAD = "tokenfield.study.sweep.worker"


class DaskEngine:
    """Works off pieces on the scheduler at `address`, on a `client`, or else on a cluster of its own."""

    def __init__(
        self,
        address: str | None = None,
        *,
        client: Any = None,
        workers: int | None = None,
        function: Callable[[Any], Any] = compute,
    ) -> None:
        try:
            import distributed
        except ImportError:
            raise ConfigError("Dask is not installed: pip install 'tokenfield[cluster]'") from None
        self._distributed, self._address, self._client = distributed, address, client
        self._workers, self._is_own, self._function = workers, client is None, function
        if address is not None:
            self._client = self._connected(CONNECT_S)  # a wrong address is known before anything is computed

    def work(self, pieces: Iterable[Any]) -> Done:
        """Each piece with what became of it, as they are finished; Ctrl-C ends it early."""
        with ExitStack() as stack:
            if self._client is None:
                try:
                    cluster = stack.enter_context(self._cluster())
                except RuntimeError as error:
                    raise ConfigError(f"the workers of Dask did not start ({error}); {UNGUARDED}") from None
                self._client = stack.enter_context(self._distributed.Client(cluster))
            try:
                yield from submitted(
                    pieces,
                    self._client,
                    self._count,
                    function=self._function,
                    is_lost=self._is_lost,
                    is_alive=lambda: self._client.status == "running",
                    again=self._again if self._address is not None else None,
                    options={"pure": False, "retries": 0},
                )
            finally:
                if self._is_own and self._address is not None:
                    with suppress(Exception):
                        self._client.close(timeout=2)

    @property
    def size(self) -> int:
        """How many workers there are, or would be started: one for each GPU, else for each core."""
        return self._count() if self._client is not None else self._workers or len(visible_gpus()) or cores()

    def _cluster(self) -> Any:
        workers = self.size
        return self._distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,  # by spawn: a process that has used JAX is not to be forked
            dashboard_address=None,
            preload=[PRELOAD],
            env={WORKERS: str(workers)},
            silence_logs=50,
        )

    def _count(self) -> int:
        """How many pieces workers can compute at a time, now."""
        with suppress(Exception):
            return max(1, sum(self._client.nthreads().values()))
        return 1

    def _connected(self, seconds: float) -> Any:
        try:
            return self._distributed.Client(self._address, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            words = str(error).partition("\n")[0]
            raise ConfigError(f"there is no Dask scheduler at {self._address}: {words}") from error

    def _again(self) -> Any:
        """A new client, once the scheduler is back."""
        with suppress(Exception):
            self._client.close(timeout=2)

        def is_back() -> bool:
            with suppress(ConfigError):
                self._client = self._connected(CONNECT_S)
                return True
            return False

        if not wait_for(is_back, seconds=RETURN_S):
            raise Unfinished(f"the Dask scheduler at {self._address} is gone; the same command goes on", run=None)
        return self._client

    def _is_lost(self, error: BaseException) -> bool:
        from concurrent.futures import CancelledError as Cancelled

        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        return isinstance(error, (KilledWorker, FutureCancelledError, CommClosedError, Cancelled, OSError))
