"""What the files of the command line share: panels of the help, notes, and the cache of compiled code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

INTERRUPTED = 130
MODEL, START, SOLVER, OUTPUT = "Model", "Initial tokens", "Solver", "Output"
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.", rich_help_panel=OUTPUT)]


def note(message: str) -> None:
    typer.echo(f"tokenfield: note: {message}", err=True)


def keep_compiled_code() -> None:
    """Lets JAX keep compiled code between runs, in the user's cache folder if there is one."""
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tokenfield" / "jax"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return
    if not os.access(folder, os.W_OK):
        return
    import jax

    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
