"""One line about long work: shown in terminals and notebooks, silent in pipes and for work under a second."""

from __future__ import annotations

import sys
import time
from typing import Any

DELAY_S = 1.0
_is_silent = False
_shown: Progress | None = None  # the line that is on the screen


class Progress:
    """A bar from 0 to 1 on standard error. Use as a context manager and call `update(fraction)`.

    Inside another one it writes to that one's line: a command shows one line from its start to its end. With `at_once`
    the line is there immediately, and moves although nothing is known about the fraction.
    """

    def __init__(self, label: str, *, shown: bool | None = None, at_once: bool = False):
        self._label, self._at_once = label, at_once
        self._shown = is_interactive() if shown is None else shown
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._outer: Progress | None = None

    def __enter__(self) -> Progress:
        self._outer = _shown if self._shown else None
        if self._at_once and self._shown and self._outer is None:
            self._open()
        return self

    def update(self, fraction: float, note: str = "") -> None:
        """Moves the bar to `fraction` of the work and shows `note` beside it."""
        if not self._shown:
            return
        if self._outer is not None:
            self._outer._write(self._label, fraction, note)
            return
        if self._bar is None:
            if time.monotonic() - self._start < DELAY_S or fraction >= 1:
                return
            self._open()
        self._write(self._label, fraction, note)

    def stage(self, label: str) -> None:
        """Says what is being done now, of which nobody knows how long it takes."""
        line = self if self._outer is None else self._outer
        if self._shown and line._bar is not None:
            line._write(label, None, "")

    def _write(self, label: str, fraction: float | None, note: str) -> None:
        if self._bar is not None:
            self._bar.tasks[0].total = None if fraction is None else 1.0  # `update` cannot make it unknown again
            self._bar.update(self._task, description=label, completed=fraction or 0.0, note=note)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        global _shown
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            Remaining(),
            TextColumn("{task.fields[note]}", style="dim"),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self._label, total=None if self._at_once else 1.0, note="")
        _shown = self

    def __exit__(self, *_: object) -> None:
        global _shown
        if _shown is self:
            _shown = None
        if self._bar is not None:
            self._bar.stop()


def is_interactive() -> bool:
    """Whether somebody is watching: standard error is a terminal, or this is a notebook."""
    return not _is_silent and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def be_silent() -> None:
    """No bars from this process from now on: its parent shows one for all."""
    global _is_silent
    _is_silent = True
