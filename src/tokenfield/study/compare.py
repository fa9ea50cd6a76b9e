"""From a config to a finished comparison of particles with the mean field: solve, write, draw, print."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from tokenfield._runtime.files import make_folder
from tokenfield._runtime.interrupt import Interrupted, Interrupts
from tokenfield.ensemble.comparison import Comparison
from tokenfield.ensemble.comparison import compare as compare_laws
from tokenfield.errors import ConfigError, FileError
from tokenfield.laws import Density, Gaussian, MovingDensity
from tokenfield.plot.comparison import comparison as picture_of
from tokenfield.solver.result import Result
from tokenfield.solver.trajectory import Stats, Trajectory
from tokenfield.study.config import Config
from tokenfield.study.figures import Note
from tokenfield.study.kinds import TOKENS
from tokenfield.study.manifest import describe_run
from tokenfield.study.store import COMPARISON, Draft
from tokenfield.study.store.folder import COMPARISON_FIGURE, CONFIG, FIGURES, SUMMARY, read_json

if TYPE_CHECKING:
    from rich.console import Console


def compare(
    config: Config,
    out: str | Path,
    *,
    sizes: tuple[int, ...],
    seeds: int,
    p: int,
    force: bool = False,
    numbered: bool = False,
    progress: bool | None = None,
    note: Note = lambda message: None,
) -> tuple[Path, dict[str, Any]]:
    """The folder of the comparison (config, summary, manifest, a figure) and its numbers.

    The config must hold the law as a density or a Gaussian. Ctrl-C keeps what is done.
    """
    started = time.perf_counter()
    config = config.resolved()
    if config.state.kind == TOKENS:
        raise ConfigError("compare needs the law at n = infinity: add --state density, or --state gaussian in R^d")
    if config.state.positions is not None:
        raise ConfigError("compare has no density for each position: leave out state.positions and the mask")
    model, start = config.build()
    assert isinstance(start, (Density, MovingDensity, Gaussian))
    folder: Path | None = None
    try:
        with Draft(out, COMPARISON, force=force, numbered=numbered) as draft, Interrupts(holds=False):
            found = compare_laws(
                model,
                start,
                t1=config.solve.t1,
                t0=config.solve.t0,
                sizes=sizes,
                seeds=seeds,
                p=p,
                progress=progress,
            )
            summary = found.to_dict()
            draft.write(config, summary=summary, manifest=describe_run(config, time.perf_counter() - started))
            if config.output.figures:
                _draw(found, draft, config.output.format, note)
            folder = draft.finish()
    except KeyboardInterrupt as error:  # one that came after the work waited until it was written
        if folder is None:
            raise
        raise Interrupted(f"{folder} is written") from error
    return folder, {**summary, "out": str(folder)}


def read_summary(folder: Path) -> dict[str, Any]:
    """The numbers of the comparison in `folder`; `out` is where it is now."""
    return {**read_json(folder / SUMMARY), "out": str(folder)}


def redraw(folder: Path, target: Path | None = None, *, format: str = "png") -> Path:
    """The figure of the comparison in `folder`, drawn again into `target`, by default where it was."""
    config, summary = Config.from_toml(folder / CONFIG), read_summary(folder)
    model, start = config.build()
    try:
        start_distances, end_distances = (np.asarray(summary[name], float) for name in ("start", "end"))  # null is NaN
        # only its model and its grid are written above the figure
        field = Trajectory(
            ts=jnp.asarray([summary["t0"], summary["t1"]]),
            states=None,
            observables={},
            final=start,
            result=Result(jnp.asarray(0), jnp.asarray(summary["t1"]), ()),
            stats=Stats(jnp.asarray(0), jnp.asarray(0), jnp.asarray(0.0)),
            model=model,
        )
        found = Comparison(
            sizes=np.asarray(summary["sizes"]),
            start=start_distances,
            end=end_distances,
            p=summary["p"],
            distance=summary["distance"],
            t0=summary["t0"],
            t1=summary["t1"],
            field=field,
            is_complete=summary["is_complete"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{folder / SUMMARY} is damaged: {error!r}") from error
    target = folder / FIGURES if target is None else target
    make_folder(target)
    return picture_of(found).save(target / f"{COMPARISON_FIGURE}.{format}")


def _draw(found: Comparison, draft: Draft, format: str, note: Note) -> None:
    try:
        picture_of(found).save(draft.figures / f"{COMPARISON_FIGURE}.{format}")
    except (FileError, OSError) as error:  # a disk that fills up now must not cost the numbers, which are written
        note(f"the figure was not drawn: {error}")


def print_comparison(summary: dict[str, Any], console: Console) -> None:
    """Prints the numbers of a comparison as a table."""
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    for column in ("tokens", f"at t = {summary['t0']:g}", f"at t = {summary['t1']:g}", "ratio"):
        table.add_column(column, justify="right")
    rows = zip(summary["sizes"], summary["mean_start"], summary["mean_end"], summary["growth"], strict=True)
    for n, first, last, growth in rows:
        table.add_row(
            f"{n}", *("-" if value is None or value != value else f"{value:.4g}" for value in (first, last, growth))
        )
    console.print(f"{summary['distance']}, tokens against the mean field ({summary['seeds']} draws at most)")
    console.print(table)
    if all(summary[name] is not None and summary[name] == summary[name] for name in ("rate", "initial_rate")):
        console.print(f"distance ~ n^{summary['rate']:.3f} (sampling alone: n^{summary['initial_rate']:.3f})")
    if not summary["is_complete"]:
        console.print("interrupted: the rest was not solved", style="bold yellow")
    console.print(f"where  {summary['out']}", style="dim")
