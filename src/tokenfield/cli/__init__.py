"""The command line. Thin: each command reads its options, calls the library once and prints.

JAX is imported inside the commands only.
"""

from tokenfield.cli.commands import app, main

__all__ = ["app", "main"]
