"""The command line. Thin: each command reads its options, calls the library once and prints.

    root                              the command itself, its list of commands, and how errors end
    simulate plot show models ...     one file per command
    flags                             flags made of the keys of a config
    shared                            panels, notes and printing

JAX is imported inside the commands only, and the commands by `main`: from its first line on, signals are answered.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line; see `tokenfield.cli.root`."""
    from tokenfield._runtime.encoding import print_anything
    from tokenfield._runtime.interrupt import exit_code, is_interrupted, listen, stop_listening

    listen()
    try:
        # nobody else's arrays live in this process: float32 is an option of a run, not of the environment
        os.environ["JAX_ENABLE_X64"] = "1"
        gc.set_threshold(200_000, 20, 100)  # tracing makes many small objects that live: seldom look for garbage
        for stream in (sys.stdout, sys.stderr):
            print_anything(stream)
        from tokenfield.cli.root import app

        app()
    except SystemExit as end:
        if is_interrupted() and not end.code:  # somebody swallowed the exception; the note about it is still there
            sys.exit(exit_code())
        raise
    except KeyboardInterrupt:  # before or after the command itself
        sys.stderr.write("tokenfield: error: interrupted\n")
        sys.exit(exit_code())
    finally:
        stop_listening()
        gc.freeze()  # the process ends: its last look for garbage, over millions of objects, would take half a second
        # `python -m` ends by SIGINT once an interrupt has left code that was made of text, as that of dataclasses, even
        # if it was dealt with; running any such code again makes Python forget
        exec("")


def __getattr__(name: str) -> Any:
    if name == "app":
        from tokenfield.cli.root import app

        return app
    raise AttributeError(f"module 'tokenfield.cli' has no attribute {name!r}")
