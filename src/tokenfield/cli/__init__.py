"""The command line. Thin: each command reads its options, calls the library once and prints.

    root                              the command itself, its list of commands, and how errors end
    simulate plot show models ...     one file per command
    flags                             flags made of the keys of a config
    shared                            panels, notes and printing

JAX is imported inside the commands only.
"""

from tokenfield.cli.root import app, main

__all__ = ["app", "main"]
