"""The command `plot`: the figures of a folder, drawn again from its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield.cli.shared import note
from tokenfield.errors import ConfigError, Unsupported, did_you_mean
from tokenfield.study.sections import FORMATS
from tokenfield.study.store import BENCHMARK, LAYERS, REPORT, RUN, STEERING, SWEEP, ClaimsFolder, RunFolder, kind_of

MOVIE_FORMATS = ("mp4", "gif")


def plot(
    run: Annotated[Path, typer.Argument(help="A folder that tokenfield wrote.")],
    format: Annotated[str, typer.Option(help=" or ".join(FORMATS))] = "png",
    animate: Annotated[str | None, typer.Option(help=f"Also a movie: {' or '.join(MOVIE_FORMATS)}.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the figures; RUN/figures if left out.")] = None,
    x: Annotated[str | None, typer.Option("--x", help="Of a sweep: the axis to the right, such as beta.")] = None,
    y: Annotated[str | None, typer.Option("--y", help="Of a sweep: the measure that is drawn.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Of a sweep: the axis that colors tell apart.")] = None,
) -> None:
    """Redraw the figures of a run, a comparison, a steering, a sweep, a diagram, layers or a report from its folder.

    Of a sweep also one figure: tokenfield plot DIR --x beta --y clusters --by dim.
    """
    for value, known in ((format, FORMATS), (animate, (*MOVIE_FORMATS, None))):
        if value not in known:
            raise ConfigError(f"unknown format '{value}'{did_you_mean(str(value), [o for o in known if o])}")
    kind = kind_of(run)
    if kind == SWEEP.name and animate is None:
        _plot_sweep(run, format=format, out=out, x=x, y=y, by=by)
        return
    if (x, y, by) != (None, None, None):
        raise Unsupported(f"{run} is a {kind}: --x, --y and --by are for sweeps; leave them out")
    if kind != RUN.name:
        _plot_other(run, kind, format=format, animate=animate, out=out)
        return
    folder = RunFolder.open(run)
    keep_compiled_code()
    from tokenfield.study.figures import draw

    target = folder.figures if out is None else out
    for path in draw(folder.trajectory(), target, format=format, animate=animate, note=note):
        typer.echo(path)


def _plot_other(folder: Path, kind: str, *, format: str, animate: str | None, out: Path | None) -> None:
    if animate is not None:
        raise Unsupported(f"{folder} is a {kind}: only runs of tokens and densities have movies; leave out --animate")
    if kind == BENCHMARK:
        raise Unsupported(f"{folder} holds benchmarks, which draw while they measure: run tokenfield bench again")
    if kind == STEERING.name:
        keep_compiled_code()
        from tokenfield.study import steer

        typer.echo(steer.redraw(folder, out, format=format))
        return
    if kind == LAYERS.name:
        from tokenfield import report
        from tokenfield.study import measure

        for path in measure.redraw(folder, out, format=format):
            typer.echo(path)
        if out is None and format == "png":
            typer.echo(report.write_layers(folder, measure.read(folder)))
        return
    if kind == REPORT:
        if out is not None:
            raise Unsupported(f"{folder} is a report, whose page stands beside its figures: leave out --out")
        from tokenfield import report

        typer.echo(report.write(folder, ClaimsFolder(folder).read_all()))
        return
    from tokenfield.study import compare

    typer.echo(compare.redraw(folder, out, format=format))


def _plot_sweep(folder: Path, *, format: str, out: Path | None, x: str | None, y: str | None, by: str | None) -> None:
    keep_compiled_code()
    from tokenfield import report
    from tokenfield.study import phase_diagram
    from tokenfield.study.sweep import drawing
    from tokenfield.study.sweep.running import check_folder

    found, plan, _ = check_folder(folder)
    if (x, y, by) != (None, None, None):
        typer.echo(drawing.one(found, plan, x=x, y=y, by=by, out=out, format=format))
        return
    if phase_diagram.is_diagram(folder):
        typer.echo(phase_diagram.redraw(folder, out, format=format))
        return
    for path in drawing.draw(found, plan, format=format, out=out, note=note):
        typer.echo(path)
    if out is None and format == "png":
        typer.echo(report.write_sweep(folder))
