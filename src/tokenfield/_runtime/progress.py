"""A progress bar for long work: shown in terminals and notebooks, silent in pipes and for work under a second."""

from __future__ import annotations

import sys
import time
from typing import Any

DELAY_S = 1.0
_is_silent = False


class Progress:
    """A bar from 0 to 1 on standard error. Use as a context manager and call `update(fraction)`."""

    def __init__(self, label: str, *, shown: bool | None = None):
        self._label = label
        self._shown = is_interactive() if shown is None else shown
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def update(self, fraction: float, note: str = "") -> None:
        """Moves the bar to `fraction` of the work and shows `note` beside it."""
        if not self._shown:
            return
        if self._bar is None:
            if time.monotonic() - self._start < DELAY_S or fraction >= 1:
                return
            self._open()
        self._bar.update(self._task, completed=fraction, note=note)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

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
        self._task = self._bar.add_task(self._label, total=1.0, note="")

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def is_interactive() -> bool:
    """Whether somebody is watching: standard error is a terminal, or this is a notebook."""
    return not _is_silent and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def be_silent() -> None:
    """No bars from this process from now on: its parent shows one for all."""
    global _is_silent
    _is_silent = True
