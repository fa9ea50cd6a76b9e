"""Ctrl-C, SIGTERM and SIGHUP as requests that long work can honor between two pieces, and that nothing swallows.

A `KeyboardInterrupt` that Python raises wherever it happens to be can be lost: inside a callback of the garbage
collector it is printed and forgotten. So a signal always leaves a note. While nothing would be lost it also raises at
once; while an `Interrupts` holds it back, the work looks at the note by itself. A note that nobody looked at raises in
the end.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

# what asks a program to end: the keyboard, a scheduler or `kill`, a terminal that is closed
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@dataclass
class _Notes:
    """What is known about signals; there is one for the process, as there is one set of handlers."""

    first: int | None = None  # the first signal that came
    is_pending: bool = False  # whether one came that is not dealt with
    is_noticed: bool = False  # whether somebody has looked at it, and is dealing with it
    is_holding: bool = False
    is_shielded: bool = False
    is_listening: bool = False  # whether the process answers to all signals, as commands do
    active: int = 0


_notes = _Notes()


class Interrupted(KeyboardInterrupt):
    """Work that was interrupted; the message says what was kept and how to go on."""


class Interrupts:
    """While it holds, the first signal only sets `requested`, and a second one raises `KeyboardInterrupt`.

    It holds from the start, or with `holds=False` from `hold()` on, until the outermost of several is left. Only in
    the main thread, and only over Python's own handler; elsewhere `requested` stays false and nothing changes.
    """

    def __init__(self, *, holds: bool = True) -> None:
        self._holds, self._is_active, self._is_noticed = holds, False, False
        self._is_later = False  # work that begins after a request was noticed, to wind up, is not asked to stop
        self._previous: Any = None

    def __enter__(self) -> Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, _handle)
        self._is_active = is_main and (_notes.is_listening or _notes.active > 0 or self._previous is not None)
        if self._is_active:
            _notes.active += 1
            self._is_later = _notes.is_noticed
        if self._holds:
            self.hold()
        return self

    def hold(self) -> None:
        """From now on there is something to keep: the first signal waits until somebody looks."""
        if self._is_active:
            _notes.is_holding = True

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """For a moment that must be whole, such as taking over a result: no signal raises in it."""
        if self._is_active:
            _notes.is_shielded = True
        try:
            yield
        finally:
            if self._is_active:
                _notes.is_shielded = False

    @property
    def requested(self) -> bool:
        """Whether to stop. Whoever is told so has taken notice; ask only where there is work left to stop."""
        if self._is_active and _notes.is_pending and not self._is_later:
            self._is_noticed = _notes.is_noticed = True
        return self._is_noticed

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self._is_active:
            return
        _notes.active -= 1
        is_late = _notes.is_pending and not self._is_noticed and kind is None
        if self._is_noticed:
            _notes.is_pending = _notes.is_noticed = False
        if _notes.active:
            return
        _notes.is_holding = False
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            _notes.first, _notes.is_pending, _notes.is_noticed = None, False, False
        if is_late:  # it came after the last look
            raise KeyboardInterrupt


@contextmanager
def deferred() -> Iterator[None]:
    """For a short moment that an exception must not break into, as compiled modules that load: signals wait."""
    _notes.is_shielded = True
    try:
        yield
    finally:
        _notes.is_shielded = False
    if _notes.is_pending and not _notes.is_holding:
        raise KeyboardInterrupt


def listen() -> None:
    """Makes this process answer to every signal that asks it to end as to Ctrl-C; for commands, at their very start.

    What is ignored stays ignored, as under nohup and in the background of a shell.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in SIGNALS:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, _handle)
    _notes.is_listening = True
    sys.unraisablehook = _unraisable


def stop_listening() -> None:
    """Ignores further signals: the work is done, and the process ends by itself."""
    if _notes.is_listening:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def is_interrupted() -> bool:
    """Whether a signal asked this process to end."""
    return _notes.first is not None


def exit_code() -> int:
    """The exit code of an interrupted command: 128 and the number of the signal, 130 for Ctrl-C."""
    return 128 + (signal.SIGINT if _notes.first is None else _notes.first)


def _handle(number: int, frame: FrameType | None) -> None:
    if _notes.first is None:
        _notes.first = number
    was_pending, _notes.is_pending = _notes.is_pending, True
    if not _notes.is_shielded and (was_pending or not _notes.is_holding):
        raise KeyboardInterrupt


def _unraisable(unraisable: Any) -> None:
    """Says nothing about interrupts that got lost in a callback: the note about them stays."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
