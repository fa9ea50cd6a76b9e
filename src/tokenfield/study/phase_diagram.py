"""Phase diagrams on disk: an `Ensemble` worked off into a table that can be continued, numbers, and a figure.

    manifest.json        the settings, versions and device: the same command continues an unfinished folder
    table.zarr           the statistic of every system, with means, standard errors and medians (xarray opens it)
    summary.json         the numbers that are printed
    phase-diagram.png    the picture

A piece of work is written as soon as it is finished, so that Ctrl-C or a crash costs the pieces under way only.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import platform
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from tokenfield._runtime.json import jsonable
from tokenfield.ensemble import Ensemble, Piece, Table, work
from tokenfield.ensemble.ensemble import STEP
from tokenfield.ensemble.statistics import STATISTICS
from tokenfield.errors import ConfigError, FileError, InvalidInput, did_you_mean
from tokenfield.geometry import Sphere
from tokenfield.model.attention import L2, Attention, Softmax, Unnormalized
from tokenfield.model.transformer import Transformer
from tokenfield.plot.phase_diagram import phase_diagram as picture_of
from tokenfield.solver.save import Save

if TYPE_CHECKING:
    from rich.console import Console

ATTENTIONS: dict[str, Callable[[Any], Attention]] = {"softmax": Softmax, "unnormalized": Unnormalized, "l2": L2}
VARIED = ("beta", "gamma", "kappa")
MANIFEST, TABLE, SUMMARY, FIGURE = "manifest.json", "table.zarr", "summary.json", "phase-diagram.png"
T1 = {"softmax": 30.0, "unnormalized": 1.0, "l2": 30.0}
KIND = "phase-diagram"


@dataclass(frozen=True)
class Diagram:
    """The settings of a phase diagram; `None` stands for what the published figures used.

    `vary` says what the second axis is: "beta" or "gamma" (beta = gamma log n, arXiv 2510.05554) against time, or
    "kappa" (noise sqrt(2/kappa) dW) against beta at the last time. `betas`, `gammas` and `kappas` are the values.
    """

    dim: int
    n: int = 32
    systems: int = 256
    attention: str = "softmax"
    vary: str = "beta"
    betas: tuple[float, ...] = ()
    gammas: tuple[float, ...] = ()
    kappas: tuple[float, ...] = ()
    t1: float | None = None
    save: int | str | list[float] | None = None
    statistic: str | None = None
    delta: float | None = None
    method: str | None = None
    step: float | None = None
    seed: int = 0

    def resolved(self) -> Diagram:
        """The settings with everything chosen; raises `ConfigError` for names that do not exist."""
        for name, value, options in (
            ("attention", self.attention, ATTENTIONS),
            ("vary", self.vary, VARIED),
            ("statistic", self.statistic, STATISTICS),
        ):
            if value is not None and value not in options:
                raise ConfigError(f"unknown {name} '{value}'{did_you_mean(value, options)}")
        is_noisy = self.vary == "kappa"
        for name, values, is_used in (
            ("betas", self.betas, self.vary != "gamma"),
            ("gammas", self.gammas, self.vary == "gamma"),
            ("kappas", self.kappas, is_noisy),
        ):
            if bool(values) != is_used:
                verb = "needs" if is_used else "has no use for"
                raise ConfigError(f"--vary {self.vary} {verb} --{name}")
        method = self.method or ("heun" if is_noisy else "euler-normalise")
        step = STEP if self.step is None and method in ("euler-normalise", "rk4", "heun") else self.step
        return dataclasses.replace(
            self,
            t1=self.t1 if self.t1 is not None else 30.0 if is_noisy else T1[self.attention],
            save=self.save if self.save is not None else "end" if is_noisy else 200,
            statistic=self.statistic or ("order" if is_noisy else "pairs"),
            method=method,
            step=step,
        )

    @property
    def axes(self) -> dict[str, tuple[float, ...]]:
        """The names and values of the axes of the table before systems and times."""
        axes = {"beta": self.betas, "gamma": self.gammas, "kappa": self.kappas}
        names = ("kappa", "beta") if self.vary == "kappa" else (self.vary,)
        return {name: axes[name] for name in names}

    def ensemble(self) -> Ensemble:
        """What is to be computed; raises `InvalidInput` for values that make no sense."""
        if self.t1 is None or not (np.isfinite(self.t1) and self.t1 > 0):
            raise InvalidInput(f"the final time must be positive, got t1 = {self.t1}")
        if self.n < 2:
            raise InvalidInput(f"the number of tokens n must be a whole number >= 2, got {self.n}")
        geometry, attention = Sphere(self.dim), ATTENTIONS[self.attention]
        betas, kappas = np.asarray(self.betas, float), None
        if self.vary == "gamma":
            betas = np.asarray(self.gammas) * np.log(self.n)
        if self.vary == "kappa":
            grid = np.meshgrid(self.kappas, self.betas, indexing="ij")
            kappas, betas = grid[0].ravel().tolist(), grid[1].ravel()
        return Ensemble(
            n=self.n,
            d=self.dim,
            betas=betas.tolist(),
            kappas=kappas,
            systems=self.systems,
            times=Save(times=self.save).resolve(0.0, self.t1, bytes_per_time=8).tolist(),
            seed=self.seed,
            model=lambda beta, noise: Transformer(geometry, attention(beta), noise=noise),
            statistics={str(self.statistic): self.delta},
            method=str(self.method),
            step=self.step,
        )


def phase_diagram(
    settings: Diagram,
    out: str | Path,
    *,
    force: bool = False,
    figure: bool = True,
    progress: bool | None = None,
    note: Callable[[str], None] = lambda message: None,
) -> tuple[Path, dict[str, Any]]:
    """The folder of the diagram and its numbers. An unfinished folder of the same settings is continued.

    Raises `FileError` if the folder holds something else; with `force` it is then replaced. Ctrl-C keeps what is done.
    """
    began = time.perf_counter()
    settings = settings.resolved()
    ensemble = settings.ensemble()
    folder = Path(out)
    try:
        _prepare(folder, settings, ensemble, force)
        table = _work(folder, settings, ensemble, progress)
        summary = _summary(settings, table, time.perf_counter() - began)
        _finish(folder, settings, table, summary)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot write {folder}: {error.strerror or error}") from error
    if figure and not np.all(np.isnan(table.mean[str(settings.statistic)])):
        try:
            picture_of(settings, table).save(folder / FIGURE)
        except (FileError, OSError) as error:  # a disk that fills up now must not cost the numbers
            note(f"the figure was not drawn: {error}")
    return folder, {**summary, "out": str(folder)}


def _prepare(folder: Path, settings: Diagram, ensemble: Ensemble, force: bool) -> None:
    """Makes the folder with an empty table, unless it is one of the same settings."""
    wanted = json.loads(json.dumps(jsonable(dataclasses.asdict(settings))))
    if folder.exists():
        if not folder.is_dir():
            raise FileError(f"{folder} is a file: choose another --out")
        found = _settings_of(folder)
        if any(folder.iterdir()) and found is None:
            raise FileError(f"{folder} exists and is not a phase diagram: choose another --out")
        if found == wanted and (folder / TABLE).exists() and not force:
            return
        if found is not None and found != wanted and not force:
            pairs = [
                f"{k} {_shown(found.get(k))} there, {_shown(v)} here" for k, v in wanted.items() if found.get(k) != v
            ]
            raise FileError(f"{folder} has other settings ({'; '.join(pairs)}): choose another --out, or use --force")
        for name in (MANIFEST, SUMMARY, FIGURE):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / TABLE, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    _empty_table(folder / TABLE, settings, ensemble)
    _write_json(folder / MANIFEST, {"kind": KIND, "settings": wanted, **_circumstances()})


def _settings_of(folder: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_ours = isinstance(manifest, dict) and manifest.get("kind") == KIND
    return manifest.get("settings") if is_ours else None


def _shown(value: Any) -> str:
    if isinstance(value, list) and len(value) > 4:
        return f"{value[0]:g}...{value[-1]:g} ({len(value)})"
    return json.dumps(value)


def _empty_table(path: Path, settings: Diagram, ensemble: Ensemble) -> None:
    import xarray

    shape = [len(values) for values in settings.axes.values()]
    times = len(ensemble.times)
    # one chunk of the file for each piece of work on a CPU: nothing is written twice
    size = len(ensemble.pieces()[0].systems)
    name = str(settings.statistic)
    dims = (*settings.axes, "system", "t")
    values = np.full((*shape, ensemble.systems, times), np.nan)
    dataset = xarray.Dataset(
        {name: (dims, values)},
        coords={**{key: list(v) for key, v in settings.axes.items()}, "t": list(ensemble.times)},
    )
    encoding = {name: {"chunks": (*(1 for _ in shape), size, times)}}
    dataset.to_zarr(path, mode="w", consolidated=False, encoding=encoding)


def _work(folder: Path, settings: Diagram, ensemble: Ensemble, progress: bool | None) -> Table:
    """The table after all pieces that were missing, each written when it is finished."""
    import zarr

    name = str(settings.statistic)
    shape = (ensemble.columns, ensemble.systems, len(ensemble.times))
    try:
        stored: Any = zarr.open_group(folder / TABLE, mode="r+")[name]
        values = np.asarray(stored[...], float).reshape(shape)
    except Exception as error:  # zarr and its codecs each raise their own errors for damaged data
        raise FileError(f"{folder / TABLE} is damaged: remove {folder} and start again") from error
    missing = [piece for piece in ensemble.pieces() if np.isnan(values[_region(piece)]).any()]
    axes = tuple(len(axis) for axis in settings.axes.values())
    for piece, found in work(ensemble, missing, progress=progress):
        values[_region(piece)] = found[name]
        for column in piece.columns:
            place = np.unravel_index(column, axes)
            systems = slice(piece.systems.start, min(piece.systems.stop, ensemble.systems))
            stored[(*place, systems)] = values[column, systems]
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


def _finish(folder: Path, settings: Diagram, table: Table, summary: dict[str, Any]) -> None:
    import xarray

    name = str(settings.statistic)
    shape = (*(len(values) for values in settings.axes.values()), len(table.ensemble.times))
    dims = (*settings.axes, "t")
    reduced = {"mean": table.mean, "standard_error": table.error, "median": table.median}
    dataset = xarray.Dataset({f"{name}_{what}": (dims, v[name].reshape(shape)) for what, v in reduced.items()})
    dataset.to_zarr(folder / TABLE, mode="a", consolidated=False)
    _write_json(folder / SUMMARY, summary)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(jsonable(value), indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _circumstances() -> dict[str, Any]:
    device = jax.devices()[0]
    names = ("tokenfield", "jax", "jaxlib", "numpy", "xarray", "zarr")
    return {
        "versions": {"python": platform.python_version(), **{name: metadata.version(name) for name in names}},
        "device": {"platform": device.platform, "kind": device.device_kind},
        "dtype": "float64",
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


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
            console.print(f"{summary['vary']} = {values[k]:<6.4g} at t = {summary['t1']:g}: {ends[k]:.4g}{half}")
    if not summary["is_complete"]:
        console.print("interrupted: run the same command again to continue", style="bold yellow")
    console.print(f"where  {summary['out']}  ({summary['wall_s']:.1f} s)", style="dim")
