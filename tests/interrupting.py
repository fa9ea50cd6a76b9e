"""A real Ctrl-C in the middle of work in this process, at a place that does not depend on the machine."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tokenfield._runtime.progress import Progress


@contextmanager
def interrupted_after(share: float) -> Iterator[None]:
    """Work inside is sent one SIGINT when its progress says that more than this share of it is done."""
    sent = []

    def update(self: Progress, fraction: float, note: str = "") -> None:
        if fraction > share and not sent:
            sent.append(signal.raise_signal(signal.SIGINT))

    # a test run in the background ignores Ctrl-C
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with patch.object(Progress, "update", update):
            yield
    finally:
        signal.signal(signal.SIGINT, before)
