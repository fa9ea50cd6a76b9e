"""Worker processes that end with the process that started them, however that one ends."""

from __future__ import annotations

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """Ends this worker when its parent is gone, also by `kill -9`; to be called first in the worker.

    The parent holds one end of a pipe, which the system closes with it: no signal has to arrive, and it works wherever
    multiprocessing does.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)  # whatever is under way: nobody waits for it

    threading.Thread(target=watch, daemon=True).start()
