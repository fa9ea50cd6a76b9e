"""What the commands share: panels of the help, flags of their output, notes, and how results are printed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokenfield._runtime.interrupt import exit_code
from tokenfield._runtime.json import to_json

if TYPE_CHECKING:
    from rich.console import Console

MODEL, START, SOLVER, OUTPUT = "Model", "Initial tokens", "Solver", "Output"
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.", rich_help_panel=OUTPUT)]


def note(message: str) -> None:
    with suppress(OSError):  # a terminal that was closed must not stop the work
        typer.echo(f"tokenfield: note: {message}", err=True)


def console() -> Console:
    """Standard output, for tables and styles."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False)


def print_summary(summary: dict[str, Any], show: Callable[[dict[str, Any], Console], None], *, as_json: bool) -> None:
    """Prints a summary as JSON or as `show` does; exits with 130 or the like where the work was interrupted."""
    if as_json:
        typer.echo(to_json(summary))
    else:
        show(summary, console())
    if not summary["is_complete"]:
        raise typer.Exit(exit_code())
