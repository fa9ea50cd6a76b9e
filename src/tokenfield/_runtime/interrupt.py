"""Ctrl-C as a request that a long loop can honor between two pieces of work.

A `KeyboardInterrupt` that Python raises wherever it happens to be can be lost: inside a callback of the garbage
collector it is printed and forgotten. So the first Ctrl-C only leaves a note, and the loop looks at it.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Interrupts:
    """While active, the first Ctrl-C sets `requested` and the second raises `KeyboardInterrupt`, as usual.

    Only in the main thread and only over Python's own handler; elsewhere `requested` stays false and nothing changes.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: Any = None

    def __enter__(self) -> Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            signal.default_int_handler(number, frame)
        self.requested = True
