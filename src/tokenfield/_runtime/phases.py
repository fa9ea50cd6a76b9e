"""Seconds that this process has spent in the phases of a command: what `tokenfield bench end_to_end` reports.

A function that is a phase wears `@phase(name)`. Phases inside phases are counted once, for the inner one.
"""

from __future__ import annotations

import time
from contextlib import ContextDecorator

_spent: dict[str, float] = {}
_open: list[str] = []  # outermost first
_since = 0.0  # when the innermost phase began, or went on


class phase(ContextDecorator):  # noqa: N801, a decorator
    """A context, or the decorator of a function, whose seconds are counted under `name`.

    >>> with phase("waiting"):
    ...     time.sleep(0.01)
    >>> spent()["waiting"] >= 0.01
    True
    """

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> None:
        _charge()
        _open.append(self.name)

    def __exit__(self, *_: object) -> None:
        _charge()
        _open.pop()


def spent() -> dict[str, float]:
    """Seconds by the names of the phases that have ended so far, in the order in which they ended first."""
    return dict(_spent)


def _charge() -> None:
    """Counts the time since the last change for the innermost phase."""
    global _since
    now = time.perf_counter()
    if _open:
        _spent[_open[-1]] = _spent.get(_open[-1], 0.0) + now - _since
    _since = now
