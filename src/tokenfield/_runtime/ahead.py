"""Modules that are needed later, imported beside work that leaves Python free: compiling, running compiled code."""

from __future__ import annotations

import importlib
import threading
from contextlib import suppress


def import_ahead(*modules: str) -> None:
    """Begins to import `modules` in a thread of its own, and does not wait for it.

    Modules of other packages only: two threads that import parts of one package, which import each other, could meet
    half-made modules. An error waits for the import that needs the module.
    """
    threading.Thread(target=_import_all, args=(modules,), name="imports", daemon=True).start()


def _import_all(modules: tuple[str, ...]) -> None:
    for module in modules:
        with suppress(Exception):
            importlib.import_module(module)
