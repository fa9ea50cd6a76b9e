"""What the files of the command line share: panels of the help, notes, and how code is compiled and kept."""

from __future__ import annotations

from typing import Annotated

import typer

INTERRUPTED = 130
MODEL, START, SOLVER, OUTPUT = "Model", "Initial tokens", "Solver", "Output"
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.", rich_help_panel=OUTPUT)]


def note(message: str) -> None:
    typer.echo(f"tokenfield: note: {message}", err=True)
