"""`sweep`: from a config and its axes to a dataset, by way of a folder that can be continued."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.arguments import checked, shown
from tokenfield._runtime.files import only_writer, temporary_folder
from tokenfield._runtime.interrupt import Interrupted, Interrupts
from tokenfield._runtime.memory import require_disk
from tokenfield._runtime.progress import Progress
from tokenfield.errors import ConfigError, FileError, TokenfieldError
from tokenfield.solver.result import Outcome
from tokenfield.study.config import Config, read_tables
from tokenfield.study.manifest import environment
from tokenfield.study.store import SweepFolder
from tokenfield.study.store.places import Identities
from tokenfield.study.sweep import drawing
from tokenfield.study.sweep.axes import SEED, read_axes, read_seeds
from tokenfield.study.sweep.computing import Arrays, check_runs, compute, kinds_of, largest_shape, versions
from tokenfield.study.sweep.engines import engine
from tokenfield.study.sweep.plan import COLUMNS, Group, Piece, Sweep, ensemble_of
from tokenfield.study.sweep.quantities import FUNCTION, TIME, read_quantities

if TYPE_CHECKING:
    import xarray

Note = Callable[[str], None]
MOST_MEANS = 20_000  # of a measure that are listed: of more, the dataset has them, and nobody reads a list
SPANS = ("solve.t0", "solve.t1", "solve.step", "schedule.period")  # axes that are times
UNITS = {"t": "time, in units of depth", "outcome": "1", "t_end": "time, in units of depth"}


@checked
def sweep(
    config: Config | Mapping[str, Any] | str | Path,
    *,
    over: Mapping[Any, Any] | Sequence[str],
    seeds: int | str | Sequence[int] = 1,
    measure: Any = ("clusters",),
    on: Any = None,
    out: str | Path | None = None,
    skip_bad: bool = False,
    force: bool = False,
    progress: bool | None = None,
) -> xarray.Dataset:
    """Measures of every run of a config over axes of its keys and over seeds, as one dataset.

    The run of a cell with a seed is what `tokenfield simulate` does with the same keys and `initial.seed`. Many small
    systems of one shape are computed together, which is much faster; others run one by one. A run that blows up is
    data: its `outcome` says so, and what could not be measured is NaN. Measures are taken at the end of each run, or at
    the times of `solve.save` if the config has it.

    Args:
        config: A `Config`, its tables, or a TOML file.
        over: The axes: keys of the config and the values that each takes, as a list or as a text such as "0.1:9:30"
            (first, last, count), "log:1:1000:4" or "softmax,l2". A tuple of keys varies them together; "heads.0.beta"
            is a key of one head, "heads" the list of all.
        seeds: The seeds of each cell: a list, a text such as "0:64" (0 to 63), or a count; by default the seed 0.
        measure: What is measured, one or several: statistics ("pairs", "clusters", "span", "order", each with a
            threshold as in "pairs:0.01"), observables ("energy", "effective-rank", ...), times of events
            ("consensus", "steady:1e-6", "hitting_time"), functions of a run, or functions by name. Arrays that a
            function returns may have other lengths in other cells: NaN fills them up.
        on: Where: "local" (the default), "dask", `"tcp://HOST:PORT"` (a Dask scheduler), "slurm", or an executor, as of
            `concurrent.futures`.
        out: A folder to write, or to continue: what it has is not computed again. By default nothing is kept.
        skip_bad: Whether cells that the model refuses are left out, as NaN; by default they are an error.
        force: Whether a folder with another sweep is replaced.
        progress: Whether a progress bar is shown, by default if it takes long and somebody watches.

    Returns:
        An `xarray.Dataset` with one dimension for each axis, then "seed", and "t" where times were asked for. `outcome`
        is how each run ended (its attribute `flags` has the words), `t_end` when.

    Raises:
        ConfigError: If a key, a value or a measure does not exist, or a cell is refused, which is known before
            anything runs.
        FileError: If the folder holds something else.
        KeyboardInterrupt: If Ctrl-C ended it early; with `out`, the same call goes on.

    >>> config = {"initial": {"n": 4}, "solve": {"t1": 2.0}}
    >>> found = sweep(config, over={"attention.beta": [1.0, 4.0]}, seeds=3,
    ...               measure=["order"])
    >>> found["order"].dims, found["order"].shape
    (('beta', 'seed'), (2, 3))
    """
    with ExitStack() as stack:
        folder = Path(out) if out is not None else stack.enter_context(temporary_folder()) / "sweep"
        plan = make(config, over=over, seeds=seeds, measure=measure)
        numbers = run(plan, folder, on=on, skip_bad=skip_bad, force=force, progress=progress, draws=False)
        if not numbers["is_complete"]:
            raise Interrupted("the same call with the same out= goes on" if out is not None else "nothing was kept")
        with SweepFolder.open(folder)[0].dataset() as found:
            return found.load()


def make(config: Any, *, over: Any, seeds: Any = 1, measure: Any = ("clusters",)) -> Sweep:
    """The `Sweep` of what a user gives; raises `ConfigError` for what does not exist."""
    if isinstance(config, (str, Path)):
        config = read_tables(config)
    if not isinstance(config, (Config, Mapping)):
        raise ConfigError(f"a sweep needs a Config, its tables, or a TOML file, got {shown(config)}")
    tables = config.to_dict() if isinstance(config, Config) else dict(config)
    Config.from_dict(tables)  # mistakes of the file are said about the file
    return Sweep(tables, read_axes(over), read_seeds(seeds), read_quantities(measure))


@dataclass(frozen=True)
class Look:
    """What is known of a sweep before it runs: the identity of each cell, or why it cannot be."""

    cells: Identities
    bad: dict[int, str]
    together: int

    def check(self, plan: Sweep, *, skip_bad: bool) -> None:
        """Raises `ConfigError` if cells are bad, with the first reason; with `skip_bad` only if all are."""
        if not self.bad or (skip_bad and len(self.bad) < plan.cells):
            return
        number, reason = next(iter(self.bad.items()))
        advice = "--dry lists them, --skip-bad leaves them out"
        if len(self.bad) == plan.cells:
            raise ConfigError(f"no cell can be: {reason}")
        raise ConfigError(
            f"{len(self.bad)} of {plan.cells} cells cannot be, such as {plan.words(number)}: {reason}; {advice}"
        )


def look(plan: Sweep, *, progress: bool | None = None) -> Look:
    """Every cell, checked as `simulate` would check it: all configs, and the model and the start of each group."""
    _ = plan.times
    cells, reasons = Identities(plan.cells), dict[str, str]()  # each text once
    bad: dict[int, str] = {}
    together = done = 0
    with Progress("checking cells", shown=progress) as bar:
        for group in plan.groups():
            if not isinstance(group, Group):
                bad[group[0]] = reasons.setdefault(group[1], group[1])
                continue
            refused = _refused(plan, group)
            for number, name in zip(group.numbers, group.cells, strict=True):
                if number in refused:
                    bad[number] = reasons.setdefault(refused[number], refused[number])
                else:
                    cells[number] = name
            done += len(group.numbers)
            together += len(group.numbers) if group.is_together else 0
            bar.update(done / plan.cells, f"{done} of {plan.cells}")
    return Look(cells, dict(sorted(bad.items())), together)


def _refused(plan: Sweep, group: Group) -> dict[int, str]:
    """The cells of a group that are refused when they are built, each with the reason.

    Of cells that differ in beta, kappa or the step alone, the first and the last stand for all, unless one is refused.
    """
    ends = {0, len(group.numbers) - 1} if group.is_together else set(range(len(group.numbers)))
    refused: dict[int, str] = {}
    for k in sorted(ends):
        if (reason := _reason(plan, group.numbers[k], is_together=group.is_together)) is not None:
            refused[group.numbers[k]] = reason
    if refused and group.is_together:
        found = {number: _reason(plan, number, is_together=True) for number in group.numbers}
        refused = {number: reason for number, reason in found.items() if reason is not None}
    return refused


def _reason(plan: Sweep, number: int, *, is_together: bool) -> str | None:
    try:
        config = plan.config(number, plan.seeds[0])
        if is_together:
            given = plan.given(number)
            column = {key: value for key, value in given.items() if key in COLUMNS}
            _ = ensemble_of(plan, config, [column], plan.seeds).template
        else:
            check_runs(config, plan.quantities)
    except TokenfieldError as error:
        return str(error)
    return None


def run(
    plan: Sweep,
    out: Path,
    *,
    on: Any = None,
    workers: int | None = None,
    skip_bad: bool = False,
    force: bool = False,
    progress: bool | None = None,
    draws: bool = True,
    note: Note = lambda message: None,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The numbers of a sweep, after all that was missing is computed into the folder `out`.

    `extra` goes into the manifest and the numbers. Raises `FileError` if the folder holds something else, or if another
    process is writing it. Ctrl-C keeps what is done.
    """
    work = engine(on, workers=workers)
    found = look(plan, progress=progress)
    found.check(plan, skip_bad=skip_bad)
    require_disk(disk_bytes(plan), out, f"sweeps of {plan.runs} runs", advice="take fewer values, seeds or times")
    began = time.perf_counter()
    try:
        with only_writer(out), Interrupts(holds=False):
            known = {**environment(), **({} if extra is None else extra)}
            folder = SweepFolder.prepare(out, plan.describe(), manifest=known, force=force)
            if folder.damaged:
                note(f"{folder.damaged} damaged pieces of {out} are computed again")
            _say_versions(folder, note)
            _work_off(plan, found, folder, work, progress=progress)
            numbers = _finish(plan, found, folder, time.perf_counter() - began, extra=extra)
            if draws:
                drawing.draw(folder, plan, note=note)
            return numbers
    except KeyboardInterrupt as error:
        raise Interrupted("the same command continues") from error


def _say_versions(folder: SweepFolder, note: Note) -> None:
    """Says so if the pieces that are there are of other versions than those of this process."""
    now = dict(versions())
    try:
        before = folder.read_numbers().get("versions") or now
    except FileError:
        return
    if folder.places and before != now:
        words = ", ".join(f"{name} {before.get(name)}" for name in now if before.get(name) != now[name])
        note(f"the pieces that {folder.path} has are by {words}: what is new will not be")


def missing(plan: Sweep, found: Look, folder: SweepFolder | None) -> Iterator[Piece]:
    """The pieces that are not in the folder yet."""
    known: Mapping[str, frozenset[int]] = {} if folder is None else folder.places.known()
    for group in plan.groups():
        if isinstance(group, Group) and all(found.cells[number] is not None for number in group.numbers):
            yield from plan.pieces(group, known, versions())
        elif isinstance(group, Group) and (good := _without_bad(group, found)).numbers:
            yield from plan.pieces(good, known, versions())


def _without_bad(group: Group, found: Look) -> Group:
    kept = [k for k, number in enumerate(group.numbers) if found.cells[number] is not None]
    columns, cells = tuple(group.columns[k] for k in kept), tuple(group.cells[k] for k in kept)
    numbers = tuple(group.numbers[k] for k in kept)
    return dataclasses.replace(group, columns=columns, numbers=numbers, cells=cells)


def _work_off(plan: Sweep, found: Look, folder: SweepFolder, work: Any, *, progress: bool | None) -> None:
    """Computes and writes everything that is missing; Ctrl-C ends it early."""
    total = (plan.cells - len(found.bad)) * len(plan.seeds)
    known, seeds, none = folder.places.known(), set(plan.seeds), frozenset[int]()
    before = sum(len(known.get(cell, none) & seeds) for cell in found.cells if cell is not None) if known else 0
    left, done = max(total - before, 1), 0
    with Progress("sweep", shown=progress) as bar:
        for piece, arrays in work(missing(plan, found, folder)):
            folder.write(piece.name, piece.cells, piece.seeds, arrays)
            done += piece.runs
            bar.update(done / left, f"{before + done} of {total} runs")


def _finish(
    plan: Sweep, found: Look, folder: SweepFolder, wall_s: float, *, extra: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Makes the dataset of the pieces, and returns its numbers, which are written too."""
    shapes = _shapes(plan, folder)
    numbers: dict[str, Any] = {**({} if extra is None else extra), "cells": plan.cells, "bad_cells": len(found.bad)}
    numbers |= {
        "seeds": len(plan.seeds),
        "runs": plan.runs,
        "axes": {axis.name: list(axis.values) for axis in plan.axes},
    }
    numbers |= {"measures": [quantity.name for quantity in plan.quantities]}
    if shapes:
        frame, dims = frame_of(plan, shapes)
        folder.assemble(frame, found.cells, dims)
        with folder.dataset() as dataset:
            codes = dataset["outcome"].values
            numbers["outcomes"] = kinds_of({"outcome": codes})
            done = int(np.sum(codes >= 0))
            numbers["means"] = {q.name: _end_means(dataset[q.name]) for q in plan.quantities}
    else:
        done = 0
    numbers["is_complete"] = done == (plan.cells - len(found.bad)) * len(plan.seeds)
    numbers |= {"done": done, "bad": {plan.words(k): why for k, why in list(found.bad.items())[:100]}}
    numbers |= {"versions": dict(versions()), "wall_s": wall_s}
    folder.write_numbers(numbers)
    return {**numbers, "out": str(folder.path)}


def _end_means(values: xarray.DataArray) -> Any:
    """The means over seeds at the last time, as nested lists, for measures that are numbers and not too many."""
    values = values.isel(t=-1) if "t" in values.dims else values
    others = [dim for dim in values.dims if dim != "seed" and str(dim).startswith(f"{values.name}_")]
    if others or values.size > MOST_MEANS * values.sizes["seed"]:
        return None
    return values.mean("seed", skipna=True).values.tolist()


def _shapes(plan: Sweep, folder: SweepFolder) -> dict[str, tuple[int, ...]]:
    """What follows cells and seeds in the arrays of the pieces, by name; nothing if there is no piece."""
    piece = folder.places.first()
    arrays = {} if piece is None else folder.read_piece(piece)
    found = {name: values.shape[2:] for name, values in arrays.items() if values.ndim >= 2}
    for quantity in plan.quantities:
        if quantity.kind == FUNCTION:  # what a user returns may have another length in other cells
            pieces = (folder.read_piece(piece, only=quantity.name)[quantity.name] for piece in folder.places)
            found[quantity.name] = largest_shape(quantity.name, (values.shape[2:] for values in pieces))
    return found


def frame_of(plan: Sweep, shapes: Mapping[str, tuple[int, ...]]) -> tuple[xarray.Dataset, dict[str, tuple[str, ...]]]:
    """The dataset without its values, and the dimensions of each variable after the axes and the seeds."""
    import xarray

    dims: dict[str, tuple[str, ...]] = {}
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        quantity = next((q for q in plan.quantities if q.name == name), None)
        is_series = plan.times is not None and quantity is not None and quantity.kind not in (TIME, FUNCTION)
        extra = [f"{name}_{k}" for k in range(len(shape) - is_series)]
        dims[name] = ("t", *extra) if is_series else tuple(extra)
        sizes |= dict(zip(dims[name], shape, strict=True))
    coordinates: dict[str, Any] = {
        axis.name: (
            (axis.name,),
            _coordinates(axis.values),
            {"key": ", ".join(axis.keys)} | ({"units": UNITS["t"]} if axis.keys[0] in SPANS else {}),
        )
        for axis in plan.axes
    }
    coordinates["seed"] = (("seed",), list(plan.seeds), {"key": SEED})
    if plan.times is not None:
        coordinates["t"] = (("t",), list(plan.times), {"units": UNITS["t"]})
    coordinates |= {dim: ((dim,), np.arange(size)) for dim, size in sizes.items() if dim not in coordinates}
    variables: dict[str, Any] = {
        q.name: {"long_name": q.label, "units": UNITS["t"] if q.kind == TIME else "1"} for q in plan.quantities
    }
    variables["outcome"] = {"flags": ", ".join(f"{o.value} {o.label}" for o in Outcome) + ", -1 not computed"}
    variables["t_end"] = {"units": UNITS["t_end"], "long_name": "time at which the run ended"}
    attributes = {
        "config": Config.from_dict(dict(plan.tables)).to_toml(),
        "axes": [axis.name for axis in plan.axes],
        "variables": variables,
        "versions": dict(versions()),
    }
    return xarray.Dataset(coords=coordinates, attrs=attributes), dims


def _coordinates(values: Sequence[Any]) -> np.ndarray:
    """Numbers, or texts of any length, which is how all readers of Zarr know them."""
    array = np.array(list(values))
    return array.astype(np.dtypes.StringDType()) if array.dtype.kind == "U" else array


def disk_bytes(plan: Sweep) -> int:
    """About the size of all numbers before they are compressed, in pieces and in the dataset."""
    times = 1 if plan.times is None else len(plan.times)
    return 2 * 8 * plan.runs * (len(plan.quantities) * times + 2)


def arrays_of(plan: Sweep) -> Iterator[tuple[Piece, Arrays]]:
    """Every piece with its arrays, one after the other, in this thread: what all engines must equal."""
    found = look(plan, progress=False)
    pieces: Iterable[Piece] = missing(plan, found, None)
    for piece in pieces:
        yield piece, compute(piece)


def cells_of(plan: Sweep, found: Look) -> list[dict[str, Any]]:
    """Every cell in words, with the reason why it cannot be or how it is computed; for --dry."""
    how: dict[int, str] = {}
    for group in plan.groups():
        if isinstance(group, Group):
            how |= dict.fromkeys(group.numbers, "together" if group.is_together else "alone")
    return [
        {"cell": plan.words(k), "bad": found.bad.get(k), "how": None if k in found.bad else how.get(k)}
        for k in range(plan.cells)
    ]


def check_folder(path: Path) -> tuple[SweepFolder, Sweep, dict[str, Any]]:
    """The folder of a sweep, the sweep and its manifest; raises `FileError` if it is damaged."""
    folder, manifest = SweepFolder.open(path)
    try:
        return folder, Sweep.read(manifest["sweep"]), manifest
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path} is damaged: its parts do not fit together ({error!r})") from error
