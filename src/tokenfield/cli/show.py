"""The command `show`: what a folder holds, whichever command wrote it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokenfield._runtime.json import to_json
from tokenfield.cli.reproduce import print_records
from tokenfield.cli.shared import Json, console
from tokenfield.errors import ConfigError, FileError
from tokenfield.study.store import (
    BENCHMARK,
    LAYERS,
    REPORT,
    RUN,
    STEERING,
    SWEEP,
    BenchmarksFolder,
    RunFolder,
    SweepFolder,
    kind_of,
)

if TYPE_CHECKING:
    from rich.console import Console


def show(run: Annotated[Path, typer.Argument(help="A folder that tokenfield wrote.")], as_json: Json = False) -> None:
    """Print the numbers of a run, a comparison, a steering, a sweep, a diagram, layers, a report or benchmarks."""
    kind = kind_of(run)
    if kind == RUN.name:
        print_run(RunFolder.open(run), as_json=as_json)
    elif kind == REPORT:
        print_records(run, as_json=as_json)
    elif kind == LAYERS.name:
        from tokenfield.study import measure

        found = measure.read(run)
        if as_json:
            typer.echo(to_json({**found.to_dict(), "out": str(run)}))
        else:
            measure.print_layers(found, console(), out=run)
    elif kind == BENCHMARK:
        results, page = BenchmarksFolder(run).read()
        typer.echo(to_json(results) if as_json else page)
    else:
        _print_numbers(run, kind, as_json=as_json)


def _print_numbers(folder: Path, kind: str, *, as_json: bool) -> None:
    from tokenfield.study import compare, phase_diagram, steer
    from tokenfield.study.sweep import listing

    show: Callable[[dict[str, Any], Console], None]
    if kind == STEERING.name:
        summary, show = steer.read_summary(folder), steer.print_steering
    elif kind != SWEEP.name:
        summary, show = compare.read_summary(folder), compare.print_comparison
    elif phase_diagram.is_diagram(folder):
        summary, show = phase_diagram.read_summary(folder), phase_diagram.print_diagram
    else:
        summary, show = {**SweepFolder.open(folder)[0].read_numbers(), "out": str(folder)}, listing.print_sweep
    if as_json:
        typer.echo(to_json(summary))
        return
    try:
        show(summary, console())
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(f"the summary of {folder} is damaged: {error!r}") from error


def print_run(folder: RunFolder, *, as_json: bool) -> None:
    """Prints the summary of a run, as JSON or to be read."""
    if as_json:
        typer.echo(to_json(folder.summary))
    else:
        _print_summary(folder, console())


def _print_summary(folder: RunFolder, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from tokenfield.study import listing

    summary = folder.summary
    try:
        rows = listing.summary_rows(summary)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"the summary of {folder.path} is damaged: {error!r}") from error
    style = "bold green" if summary.get("is_complete") else "bold yellow"
    console.print(Text(summary["message"], style=style))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(label, Text(text))
    table.add_row("where", Text(str(folder.path)))
    if folder.missing:
        missing = f"{' and '.join(folder.missing)}: tokenfield simulate --resume --out {folder.path} goes on"
        table.add_row("missing", Text(missing))
    if folder.figures.is_dir():
        names = sorted(path.name for path in folder.figures.iterdir())
        table.add_row("figures", Text(", ".join(names) or "none"))
    console.print(table)
