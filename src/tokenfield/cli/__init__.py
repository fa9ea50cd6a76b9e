"""The command line. Thin: each command reads its options, calls the library once and prints.

    root                              the command itself, its list of commands, and how errors end
    simulate plot show models ...     one file per command
    flags                             flags made of the keys of a config
    shared                            panels, notes and printing

JAX is imported inside the commands only, and the commands by `main`: from its first line on, signals are answered.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import Any

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line; see `tokenfield.cli.root`."""
    from tokenfield._runtime.encoding import print_anything
    from tokenfield._runtime.interrupt import exit_code, is_interrupted, listen, stop_listening

    listen()
    status: list[Any] = [1]  # of an error that nobody foresaw
    atexit.register(_end, status)  # whoever registers first is called last
    try:
        # nobody else's arrays live in this process: float32 is an option of a run, not of the environment
        os.environ["JAX_ENABLE_X64"] = "1"
        gc.set_threshold(200_000, 20, 100)  # tracing makes many small objects that live: seldom look for garbage
        for stream in (sys.stdout, sys.stderr):
            print_anything(stream)
        from tokenfield.cli.root import app

        app()
    except SystemExit as end:
        # an interrupt and no code: somebody swallowed the exception; the note about it is still there
        status[0] = exit_code() if is_interrupted() and not end.code else end.code
    except KeyboardInterrupt:  # before or after the command itself
        sys.stderr.write("tokenfield: error: interrupted\n")
        status[0] = exit_code()
    finally:
        stop_listening()
        gc.freeze()  # the process ends: its last look for garbage, over millions of objects, would take half a second
        # `python -m` ends by SIGINT once an interrupt has left code that was made of text, as that of dataclasses, even
        # if it was dealt with; running any such code again makes Python forget
        exec("")
    sys.exit(status[0])


def _end(status: list[Any]) -> None:
    """Ends the process at once, when all else is done.

    Threads that import or compile ahead may still be at it. Python would end them inside C++, which aborts.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(status[0] if isinstance(status[0], int) else int(status[0] is not None))


def __getattr__(name: str) -> Any:
    if name == "app":
        from tokenfield.cli.root import app

        return app
    raise AttributeError(f"module 'tokenfield.cli' has no attribute {name!r}")
