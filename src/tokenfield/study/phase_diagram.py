"""From settings to a finished phase diagram: an `Ensemble` worked off into a table that can be continued, and drawn."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.files import make_folder, only_writer
from tokenfield._runtime.interrupt import Interrupted, Interrupts
from tokenfield._runtime.memory import require_disk
from tokenfield.ensemble import Ensemble, Piece, Table, work
from tokenfield.errors import FileError
from tokenfield.plot.phase_diagram import phase_diagram as picture_of
from tokenfield.study.diagram import Diagram
from tokenfield.study.figures import Note
from tokenfield.study.manifest import environment
from tokenfield.study.store import DiagramFolder, Layout
from tokenfield.study.store.folder import DIAGRAM_FIGURE, MANIFEST, SUMMARY, read_json

if TYPE_CHECKING:
    from rich.console import Console


def phase_diagram(
    settings: Diagram,
    out: str | Path,
    *,
    force: bool = False,
    figure: bool = True,
    progress: bool | None = None,
    note: Note = lambda message: None,
) -> tuple[Path, dict[str, Any]]:
    """The folder of the diagram and its numbers. An unfinished folder of the same settings is continued.

    Raises `FileError` if the folder holds something else, with `force` it is then replaced, or if another process is
    writing it. Ctrl-C keeps what is done.
    """
    settings = settings.resolved()
    ensemble = settings.ensemble()
    layout = _layout(settings, ensemble)
    what = f"tables of {ensemble.systems} systems"
    require_disk(layout.bytes, Path(out), what, advice="take fewer systems, values or times")
    try:
        with only_writer(Path(out)), Interrupts(holds=False):
            return _written(settings, ensemble, out, force=force, figure=figure, progress=progress, note=note)
    except KeyboardInterrupt as error:
        raise Interrupted("the same command continues") from error


def _written(
    settings: Diagram,
    ensemble: Ensemble,
    out: str | Path,
    *,
    force: bool,
    figure: bool,
    progress: bool | None,
    note: Note,
) -> tuple[Path, dict[str, Any]]:
    began = time.perf_counter()
    layout = _layout(settings, ensemble)
    manifest = {**environment(), "dtype": "float64"}
    folder = DiagramFolder.prepare(out, layout, settings=dataclasses.asdict(settings), manifest=manifest, force=force)
    if folder.damaged:
        note(f"{folder.damaged} damaged pieces of {folder.path} are computed again")
    table = _work(folder, ensemble, progress)
    summary = _summary(settings, table, time.perf_counter() - began)
    reduced = {"mean": table.mean, "standard_error": table.error, "median": table.median}
    folder.finish({what: values[layout.statistic] for what, values in reduced.items()}, summary)
    if figure and not np.all(np.isnan(table.mean[layout.statistic])):
        try:
            picture_of(settings, table).save(folder.figure)
        except (FileError, OSError) as error:  # a disk that fills up now must not cost the numbers
            note(f"the figure was not drawn: {error}")
    return folder.path, {**summary, "out": str(folder.path)}


def _layout(settings: Diagram, ensemble: Ensemble) -> Layout:
    # one chunk of the file for each piece of work on a CPU: nothing is written twice
    chunk = len(ensemble.pieces()[0].systems)
    return Layout(str(settings.statistic), settings.axes, ensemble.systems, ensemble.times, chunk)


def read_summary(folder: Path) -> dict[str, Any]:
    """The numbers of the phase diagram in `folder`; raises `FileError` if it has none yet. `out` is where it is now."""
    if not (folder / SUMMARY).exists():
        raise FileError(f"{folder} is a phase diagram that is not finished: the command that began it continues it")
    return {**read_json(folder / SUMMARY), "out": str(folder)}


def redraw(folder: Path, target: Path | None = None, *, format: str = "png") -> Path:
    """The figure of the phase diagram in `folder`, drawn again into `target`, by default where it was."""
    try:
        found = read_json(folder / MANIFEST)["settings"]
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in found.items()}
        settings = Diagram(**given)
        ensemble = settings.ensemble()
        layout = _layout(settings, ensemble)
        table = Table(ensemble, {layout.statistic: DiagramFolder(folder, layout).read()})
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{folder} is damaged: its parts do not fit together ({error!r})") from error
    if np.all(np.isnan(table.mean[layout.statistic])):
        raise FileError(f"{folder} holds nothing to draw yet: the command that began it continues it")
    target = folder if target is None else target
    make_folder(target)
    return picture_of(settings, table).save(target / Path(DIAGRAM_FIGURE).with_suffix(f".{format}"))


def _work(folder: DiagramFolder, ensemble: Ensemble, progress: bool | None) -> Table:
    """The table after all pieces that were missing, each written when it is finished."""
    name, values = folder.layout.statistic, folder.read()
    missing = [piece for piece in ensemble.pieces() if np.isnan(values[_region(piece)]).any()]
    for piece, found in work(ensemble, missing, progress=progress):
        values[_region(piece)] = found[name]
        systems = slice(piece.systems.start, min(piece.systems.stop, ensemble.systems))
        for column in piece.columns:
            folder.write(column, systems, values[column, systems])
    return Table(ensemble, {name: values})


def _region(piece: Piece) -> tuple[slice, slice]:
    return slice(piece.columns.start, piece.columns.stop), slice(piece.systems.start, piece.systems.stop)


def _summary(settings: Diagram, table: Table, wall_s: float) -> dict[str, Any]:
    name = str(settings.statistic)
    mean, error = table.mean[name], table.error[name]
    shape = [len(values) for values in settings.axes.values()]
    times = np.asarray(table.ensemble.times)
    summary = {
        **dataclasses.asdict(settings),
        "is_complete": table.is_complete,
        "wall_s": wall_s,
        "t": times.tolist(),
        "mean_end": mean[:, -1].reshape(shape).tolist(),
        "error_end": error[:, -1].reshape(shape).tolist(),
    }
    if name == "pairs" and settings.vary != "kappa":
        summary["half_times"] = [_first_above(row, times) for row in mean]
    return summary


def _first_above(row: np.ndarray, times: np.ndarray, level: float = 0.5) -> float | None:
    """The time at which a mean that starts below `level` first reaches it, between saved times by a straight line."""
    above = np.flatnonzero(row >= level)
    if not len(above):
        return None
    k = int(above[0])
    if k == 0:
        return float(times[0])
    return float(np.interp(level, row[k - 1 : k + 1], times[k - 1 : k + 1]))


def print_diagram(summary: dict[str, Any], console: Console) -> None:
    """Prints the numbers of a phase diagram in a few lines."""
    name, d, n = summary["statistic"], summary["dim"], summary["n"]
    console.print(f"{name} over {summary['systems']} systems of {n} tokens on S^{d - 1}, {summary['attention']}")
    values, ends = summary[f"{summary['vary']}s"], summary["mean_end"]
    if summary["vary"] != "kappa":
        rows = range(0, len(values), max(1, (len(values) - 1) // 6))
        halves = summary.get("half_times", [None] * len(values))
        for k in rows:
            half = "" if halves[k] is None else f", half of the pairs together at t = {halves[k]:.4g}"
            end = "-" if ends[k] is None or ends[k] != ends[k] else f"{ends[k]:.4g}"
            console.print(f"{summary['vary']} = {values[k]:<6.4g} at t = {summary['t1']:g}: {end}{half}")
    if not summary["is_complete"]:
        console.print("interrupted: run the same command again to continue", style="bold yellow")
    console.print(f"where  {summary['out']}  ({summary['wall_s']:.1f} s)", style="dim")
