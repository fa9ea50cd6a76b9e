"""One line about long work: shown in terminals and notebooks, silent in pipes and for work under a second."""

from __future__ import annotations

import html
import sys
import time
from typing import Any, Protocol

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
        self._bar: _Bar | None = None
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
            self._bar.show(label, fraction, note)

    def _open(self) -> None:
        global _shown
        self._bar = _NotebookBar() if _is_notebook() else _TerminalBar()
        self._bar.show(self._label, None if self._at_once else 0.0, "")
        _shown = self

    def __exit__(self, *_: object) -> None:
        global _shown
        if _shown is self:
            _shown = None
        if self._bar is not None:
            self._bar.close()


class _Bar(Protocol):
    """What is on the screen: a label, a fraction (`None` if nobody knows) and a note, until it is closed."""

    def show(self, label: str, fraction: float | None, note: str) -> None: ...

    def close(self) -> None: ...


class _TerminalBar:
    """A line at the bottom of a terminal, gone once it is closed."""

    def __init__(self) -> None:
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
        self._lines = Progress(*columns, console=Console(stderr=True), transient=True)
        self._lines.start()
        self._task = self._lines.add_task("", total=None, note="")

    def show(self, label: str, fraction: float | None, note: str) -> None:
        self._lines.tasks[0].total = None if fraction is None else 1.0  # `update` cannot make it unknown again
        self._lines.update(self._task, description=label, completed=fraction or 0.0, note=note)

    def close(self) -> None:
        self._lines.stop()


NOTEBOOK_EVERY_S = 0.2  # each change is a message to the page


class _NotebookBar:
    """A bar below the cell of a notebook; HTML of its own, because that of rich needs another package to move."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._began, self._last = time.monotonic(), 0.0
        self._html = HTML
        self._handle: Any = display(HTML(""), display_id=True)

    def show(self, label: str, fraction: float | None, note: str) -> None:
        now = time.monotonic()
        if now - self._last < NOTEBOOK_EVERY_S:
            return
        self._last, spent = now, now - self._began
        value = "" if fraction is None else f' value="{fraction:.4f}"'
        left = f", {spent / fraction - spent:.0f} s left" if fraction else ""
        words = f"{html.escape(label)} <progress{value}></progress> {spent:.0f} s{left} {html.escape(note)}"
        self._handle.update(self._html(words))

    def close(self) -> None:
        self._handle.update(self._html(""))


def _is_notebook() -> bool:
    if "ipykernel" not in sys.modules:  # nor is this the kernel of a notebook just because something imported it
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


def is_interactive() -> bool:
    """Whether somebody is watching: standard error is a terminal, or this is a notebook."""
    return not _is_silent and (sys.stderr.isatty() or _is_notebook())


def be_silent() -> None:
    """No bars from this process from now on: its parent shows one for all."""
    global _is_silent
    _is_silent = True
