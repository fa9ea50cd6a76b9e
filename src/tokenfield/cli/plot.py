"""The command `plot`: the figures of a run, drawn again from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield.cli.shared import note
from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.study.sections import FORMATS
from tokenfield.study.store import RunFolder

MOVIE_FORMATS = ("mp4", "gif")


def plot(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    format: Annotated[str, typer.Option(help=" or ".join(FORMATS))] = "png",
    animate: Annotated[str | None, typer.Option(help=f"Also a movie: {' or '.join(MOVIE_FORMATS)}.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the figures; RUN/figures if left out.")] = None,
) -> None:
    """Redraw the figures of a run from its folder."""
    for value, known in ((format, FORMATS), (animate, (*MOVIE_FORMATS, None))):
        if value not in known:
            raise ConfigError(f"unknown format '{value}'{did_you_mean(str(value), [o for o in known if o])}")
    folder = RunFolder.open(run)
    keep_compiled_code()
    from tokenfield.study.figures import draw

    target = folder.figures if out is None else out
    for path in draw(folder.trajectory(), target, format=format, animate=animate, note=note):
        typer.echo(path)
