"""The command `show`: the summary of a run, from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokenfield._runtime.json import to_json
from tokenfield.cli.shared import Json, console
from tokenfield.errors import ConfigError
from tokenfield.study.store import RunFolder

if TYPE_CHECKING:
    from rich.console import Console


def show(run: Annotated[Path, typer.Argument(help="A run folder.")], as_json: Json = False) -> None:
    """Print the summary of a run from its folder."""
    print_run(RunFolder.open(run), as_json=as_json)


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
