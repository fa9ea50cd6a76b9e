"""The command `export`: a run or a config as one page that plays without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.progress import Progress
from tokenfield.cli.shared import OUTPUT
from tokenfield.errors import FileError


def export(
    source: Annotated[Path, typer.Argument(metavar="RUN_OR_CONFIG", help="A run folder, or a TOML config to run.")],
    out: Annotated[Path, typer.Option(help="The page to write.", rich_help_panel=OUTPUT)] = Path("scene.html"),
    frames: Annotated[int, typer.Option(help="The most frames that it has.", min=2, max=2000)] = 300,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.", rich_help_panel=OUTPUT)] = False,
) -> None:
    """Write a run as one page that plays, turns and shows its plots, without a server and without a network."""
    if out.exists() and not force:
        raise FileError(f"{out} exists: --force replaces it")
    keep_compiled_code()
    with Progress("exporting", at_once=True):
        from tokenfield.explorer.export import export as write

        written = write(source, out, frames=frames)
    typer.echo(f"{written}: {written.stat().st_size / 1e6:.2f} MB")
