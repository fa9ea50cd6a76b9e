"""What a run keeps: at which times, tokens or only observables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arrays import as_array
from tokenfield._runtime.memory import size_in_words
from tokenfield.errors import InvalidInput, TooLarge
from tokenfield.measure import Measure
from tokenfield.solver.labels import RESERVED
from tokenfield.sums import on_host

if TYPE_CHECKING:
    from tokenfield.solver.integration import Chunk

Observable = Callable[[Measure], Array]

DEFAULT_COUNT = 101
DEFAULT_BYTES = 2**28  # without an explicit choice, a run keeps at most this much
LARGEST_BYTES = 2**33  # an explicit choice beyond this is taken for a mistake


@dataclass(frozen=True)
class Save:
    """What a run keeps: at which times, and whether tokens or only observables. The final state is always there.

    Args:
        times: A count of equidistant times, a sequence of times, "end", or "log:COUNT"; by default 101 times, or fewer
            if the tokens would not fit in 256 MiB.
        tokens: Whether states are kept along the way, which is the default.
        observables: JAX functions of a `Measure` by name; their values are kept at the same times. By default none.

    Raises:
        InvalidInput: If an observable is no function, or has a name that a run uses for its own arrays.

    >>> Save.parse("log:3").resolve(0.0, 100.0, bytes_per_time=8).tolist()
    [0.0, 0.01, 1.0, 100.0]
    """

    times: int | str | Sequence[float] | None = None
    tokens: bool = True
    observables: Mapping[str, Observable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.observables, Mapping):
            raise InvalidInput(f"observables are functions by name, such as {{'order': f}}, got {self.observables!r}")
        for name, function in self.observables.items():
            if not isinstance(name, str) or not name or "/" in name:
                raise InvalidInput(f"the name of an observable must be a word, got {name!r}")
            if name in RESERVED:
                raise InvalidInput(f"an observable cannot be called {name!r}, which a run uses itself: rename it")
            if not callable(function):
                raise InvalidInput(f"the observable {name!r} must be a function of one measure, got {function!r}")

    @staticmethod
    def parse(value: Save | int | str | Sequence[float] | None) -> Save:
        """A `Save`, from what `solve(save=...)` accepts.

        Args:
            value: A `Save`, or what its `times` may be.

        Returns:
            The `Save`.
        """
        return value if isinstance(value, Save) else Save(times=value)

    def resolve(self, t0: float, t1: float, *, bytes_per_time: int) -> np.ndarray:
        """The times in [t0, t1] at which something is kept.

        Args:
            t0: The time at the start of the run.
            t1: Its final time.
            bytes_per_time: The memory that one time takes.

        Returns:
            The times, increasing.

        Raises:
            InvalidInput: If the times make no sense, or lie outside of [t0, t1].
            TooLarge: If they would take more than 8 GiB.
        """
        times = self._times(t0, t1, bytes_per_time)
        _check_fits(len(times), bytes_per_time)
        return times

    def _times(self, t0: float, t1: float, bytes_per_time: int) -> np.ndarray:
        spec = self.times
        if isinstance(spec, str):
            spec = spec.strip()
            if spec == "end":
                return np.array([t1])
            if spec.startswith("log:"):
                count = _count(spec[4:])
                _check_fits(count, bytes_per_time)  # before the times themselves fill the memory
                return _log_times(t0, t1, count)
            spec = _count(spec)
        if spec is None:
            spec = int(np.clip(DEFAULT_BYTES // max(bytes_per_time, 1), 2, DEFAULT_COUNT))
        if isinstance(spec, (int, np.integer)) and not isinstance(spec, bool):
            _check_fits(_count(spec), bytes_per_time)
            return np.linspace(t0, t1, spec) if spec != 1 else np.array([t1])
        try:
            times = np.asarray(spec, dtype=float)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"save needs a count, times, 'end' or 'log:COUNT', got {spec!r}") from error
        if times.ndim != 1 or len(times) == 0 or not np.all(np.isfinite(times)):
            raise InvalidInput("save times must be a non-empty list of finite numbers")
        if np.any(np.diff(times) <= 0):
            raise InvalidInput("save times must increase")
        if times[0] < t0 or times[-1] > t1:
            raise InvalidInput(f"save times must lie in [{t0:g}, {t1:g}], got [{times[0]:g}, {times[-1]:g}]")
        return times


def _check_fits(count: int, bytes_per_time: int) -> None:
    if count * bytes_per_time > LARGEST_BYTES:
        raise TooLarge(
            f"saving {count} times would take {size_in_words(count * bytes_per_time)}, the most is "
            f"{size_in_words(LARGEST_BYTES)}: save fewer times, save='end', or Save(tokens=False, observables=...)"
        )


def _count(text: object) -> int:
    try:
        count = int(str(text))
    except ValueError:
        count = 0
    if count < 1:
        raise InvalidInput(f"save needs a count of times >= 1, explicit times, 'end' or 'log:COUNT', got {text!r}")
    return count


def _log_times(t0: float, t1: float, count: int) -> np.ndarray:
    """t0, then `count` times whose distances from t0 grow geometrically up to t1.

    They start at 1e-4 of the span, or at 0.01 for a long one: the first motion is at times of order one.
    """
    span = t1 - t0
    first = min(0.01, 1e-4 * span)
    later = t0 + np.geomspace(first, span, count) if count > 1 else np.array([t1])
    later[-1] = t1
    return np.concatenate([[t0], later])


def _is_finite(leaf: Any) -> np.ndarray:
    """For each saved time, whether everything is finite; of tokens on several hosts only that travels."""
    others = tuple(range(1, np.ndim(leaf)))
    if isinstance(leaf, jax.Array) and not leaf.is_fully_addressable:
        return on_host(jnp.all(jnp.isfinite(leaf), axis=others))
    return np.isfinite(np.asarray(leaf)).all(axis=others)


class Recorder:
    """Collects what the chunks save, on the host."""

    def __init__(self) -> None:
        self.ts: list[float] = []
        self._saved: list[Any] = []

    @property
    def is_begun(self) -> bool:
        """Whether a chunk was taken, though it may have saved nothing."""
        return bool(self._saved)

    def add(self, ts: np.ndarray, saved: Any) -> None:
        """Adds the states `saved` at `ts`; `saved` may be longer, padded by what was not reached."""
        self.ts.extend(ts.tolist())
        self._saved.append(jax.tree.map(lambda a: on_host(a)[: len(ts)], saved))

    @staticmethod
    def count(pending: np.ndarray, chunk: Chunk) -> int:
        """How many of the `pending` times `chunk` saved."""
        is_good = np.isfinite(np.asarray(chunk.ts)[: len(pending)])
        for leaf in jax.tree.leaves(chunk.saved):
            # a fixed step into a blow-up saves infinities: these are not kept
            is_good &= _is_finite(leaf)[: len(is_good)]
        return len(is_good) if is_good.all() else int(np.argmin(is_good))

    def take(self, pending: np.ndarray, chunk: Chunk) -> int:
        """Adds what `chunk` saved of the `pending` times; returns how many."""
        count = self.count(pending, chunk)
        self.add(pending[:count], chunk.saved)
        return count

    def since(self, count: int) -> Any:
        """What was added after the first `count` times, stacked along the first axis, on the host."""
        return jax.tree.map(lambda *parts: np.concatenate(parts)[count:], *self._saved)

    def stacked(self) -> Any:
        """All that was added, stacked along the first axis."""
        return jax.tree.map(as_array, self.since(0))
