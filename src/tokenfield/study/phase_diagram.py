"""Phase diagrams: sweeps over beta, gamma or kappa that are written in a short way, with a picture of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.files import make_folder
from tokenfield.errors import FileError
from tokenfield.plot.phase_diagram import phase_diagram as picture_of
from tokenfield.study.diagram import Diagram
from tokenfield.study.store import SweepFolder
from tokenfield.study.store.folder import DIAGRAM_FIGURE, FIGURES
from tokenfield.study.sweep import running

if TYPE_CHECKING:
    from rich.console import Console

    from tokenfield.study.sweep.running import Note

DIAGRAM = "diagram"  # the settings, in the manifest and among the numbers


def phase_diagram(
    settings: Diagram,
    out: str | Path,
    *,
    on: Any = None,
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
    extra = {DIAGRAM: dataclasses.asdict(settings)}
    numbers = running.run(
        settings.sweep(), Path(out), on=on, force=force, progress=progress, draws=False, note=note, extra=extra
    )
    if figure:
        try:
            redraw(Path(out))
        except (FileError, OSError) as error:  # a disk that fills up now must not cost the numbers
            note(f"the figure was not drawn: {error}")
    return Path(out), _summary(settings, numbers)


def is_diagram(folder: Path) -> bool:
    """Whether the sweep in `folder` was written as a phase diagram."""
    return DIAGRAM in SweepFolder.open(folder)[1]


def _settings(folder: Path) -> Diagram:
    try:
        found = SweepFolder.open(folder)[1][DIAGRAM]
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in found.items()}
        return Diagram(**given)
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{folder} is damaged: its parts do not fit together ({error!r})") from error


def read_summary(folder: Path) -> dict[str, Any]:
    """The numbers of the phase diagram in `folder`; raises `FileError` if it has none yet. `out` is where it is now."""
    numbers = SweepFolder.open(folder)[0].read_numbers()
    return _summary(_settings(folder), {**numbers, "out": str(folder)})


def redraw(folder: Path, target: Path | None = None, *, format: str = "png") -> Path:
    """The figure of the phase diagram in `folder`, drawn again into `target`, by default where it was."""
    settings = _settings(folder)
    values = _reduced(settings, folder, np.nanmedian if settings.statistic == "clusters" else np.nanmean)
    if not np.isfinite(values).any():
        raise FileError(f"{folder} holds nothing to draw yet: the command that began it continues it")
    target = folder / FIGURES if target is None else target
    make_folder(target)
    return picture_of(settings, times_of(settings), values).save(target / f"{DIAGRAM_FIGURE}.{format}")


def times_of(settings: Diagram) -> np.ndarray:
    """The times at which the statistic was taken."""
    return np.asarray(settings.sweep().times or (settings.t1,), float)


def _reduced(settings: Diagram, folder: Path, reduce: Callable[..., Any]) -> np.ndarray:
    """The statistic, reduced over systems: (columns, times), NaN where nothing was computed."""
    import warnings

    with SweepFolder(folder).dataset() as found:
        values = found[str(settings.statistic)].values
    count = len(times_of(settings))
    rows = values.reshape(-1, settings.systems, count)
    with warnings.catch_warnings():  # columns of which nothing is computed yet give NaN, which is meant
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(reduce(rows, axis=1))


def _summary(settings: Diagram, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of the sweep as those of a diagram."""
    name, folder = str(settings.statistic), Path(numbers["out"])
    shape = [len(values) for values in settings.axes.values()]
    times = times_of(settings)
    summary = {
        **dataclasses.asdict(settings),
        **{key: numbers[key] for key in ("is_complete", "wall_s", "out")},
        "t": times.tolist(),
    }
    if not numbers.get("outcomes"):
        return summary | {"mean_end": np.full(shape, np.nan).tolist(), "error_end": np.full(shape, np.nan).tolist()}
    mean = _reduced(settings, folder, np.nanmean)
    error = _reduced(settings, folder, _standard_error)
    summary |= {"mean_end": mean[:, -1].reshape(shape).tolist(), "error_end": error[:, -1].reshape(shape).tolist()}
    if name == "pairs" and settings.vary != "kappa":
        summary["half_times"] = [_first_above(row, times) for row in mean]
    return summary


def _standard_error(values: np.ndarray, axis: int) -> np.ndarray:
    """The standard errors of the means; NaN for a single system."""
    count = np.isfinite(values).sum(axis=axis)
    return np.nanstd(values, axis=axis, ddof=1) / np.sqrt(np.maximum(count, 1))


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
