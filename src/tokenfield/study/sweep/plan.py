"""`Sweep`: which runs there are, what is measured in them, and how the work is cut into pieces. Plain data.

A cell is one point of all axes, a run is a cell with a seed: that run is what `tokenfield simulate` would do with these
keys and `initial.seed`. Cells that differ only in beta, kappa or the step, of models that ensembles know, form a group
and are computed together; others run by themselves. A piece is a few cells and a few seeds, a pure function of them:
how it is cut depends on the sweep alone, so that a continued sweep has the pieces of one that was never interrupted.
Nothing is read but the checksums of files of tokens, which are part of what a cell is.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.json import to_json
from tokenfield.errors import ConfigError, TokenfieldError
from tokenfield.study import catalog
from tokenfield.study.config import Config
from tokenfield.study.kinds import TOKENS
from tokenfield.study.options import read_config
from tokenfield.study.store.folder import MANIFEST, checksum
from tokenfield.study.sweep.axes import SEED, Axis
from tokenfield.study.sweep.quantities import FUNCTION, STATISTIC, Quantity

if TYPE_CHECKING:
    from tokenfield.ensemble import Ensemble

COLUMNS = ("attention.beta", "noise.kappa", "solve.step")  # that may differ within a group
TIMES = ("solve.t1", "solve.t0", "solve.save")
MOST_TOGETHER = 1024  # tokens: larger systems have faster sums of their own
PIECE_S = 2.0  # of runs by themselves that make one piece
MOST_RUNS = 64  # of one piece
MOST_COLUMNS = 1024  # of one group: their configs are held together
SAMPLE = 987_654_321  # a seed that stands for any
ENSEMBLE_METHODS = ("euler-normalise", "rk4", "heun", "tsit5")


@dataclass(frozen=True)
class Piece:
    """Cells and seeds that are computed in one go, and everything that decides the result. It can be sent elsewhere.

    `tables` is the config but for the seed, `columns` the further keys of each cell. `size` systems are computed
    together where `is_together`, the last of them for nothing.
    """

    tables: dict[str, Any]
    columns: tuple[dict[str, Any], ...]
    seeds: tuple[int, ...]
    quantities: tuple[Quantity, ...]
    is_together: bool
    size: int
    cells: tuple[str, ...]  # the identities of the cells
    versions: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()  # of tokens, each with the checksum that it must have

    @property
    def name(self) -> str:
        """The name of the piece, made of what it holds."""
        return digest([self.cells, self.seeds, self.size, self.is_together], size=16)

    @property
    def runs(self) -> int:
        """How many runs it holds."""
        return len(self.columns) * len(self.seeds)


@dataclass(frozen=True)
class Group:
    """Cells that are computed together, or one after the other: `tables` with the further keys in `columns`.

    `numbers` are those of the cells, `cells` their identities: what decides their numbers, apart from the seed.
    """

    tables: dict[str, Any]
    config: Config  # of the first cell
    columns: tuple[dict[str, Any], ...]
    numbers: tuple[int, ...]
    cells: tuple[str, ...]
    is_together: bool
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Sweep:
    """Every run of the `axes` and `seeds` over the config in `tables`, and the `quantities` measured in each."""

    tables: Mapping[str, Any]
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    quantities: tuple[Quantity, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of points of each axis."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return self.cells * len(self.seeds)

    def describe(self) -> dict[str, Any]:
        """The sweep as plain data, for files."""
        axes = [{"name": a.name, "keys": list(a.keys), "points": a.points, "values": a.values} for a in self.axes]
        quantities = [{"name": q.name, "kind": q.kind, "of": q.of, "detail": q.detail} for q in self.quantities]
        plain = {"config": self.tables, "axes": axes, "seeds": list(self.seeds), "quantities": quantities}
        return json.loads(to_json(plain))

    @staticmethod
    def read(found: Mapping[str, Any]) -> Sweep:
        """The sweep of what `describe` returned."""
        axes = tuple(
            Axis(a["name"], tuple(a["keys"]), tuple(map(tuple, a["points"])), tuple(a["values"])) for a in found["axes"]
        )
        return Sweep(found["config"], axes, tuple(found["seeds"]), tuple(Quantity(**q) for q in found["quantities"]))

    # --- cells --------------------------------------------------------------------------------------------------

    def given(self, cell: int) -> dict[str, Any]:
        """The keys that are varied, at a cell."""
        place = _unravel(cell, self.shape)
        return {key: value for axis, k in zip(self.axes, place, strict=True) for key, value in axis.given(k).items()}

    def words(self, cell: int) -> str:
        """A cell in words."""
        place = _unravel(cell, self.shape)
        return ", ".join(f"{axis.name} = {_short(axis.values[k])}" for axis, k in zip(self.axes, place, strict=True))

    def config(self, cell: int, seed: int = SAMPLE) -> Config:
        """The config of a cell, resolved; raises a `TokenfieldError` if it is none."""
        return _config(self.tables, {**self.given(cell), SEED: seed})[1]

    @cached_property
    def times(self) -> tuple[float, ...] | None:
        """The times at which quantities are taken, the same in all cells; `None` if that is the end of each run."""
        from tokenfield.solver.save import Save

        solve: dict[str, Any] = dict(self.tables.get("solve", {}))
        varied = [key for axis in self.axes for key in axis.keys if key in TIMES]
        if solve.get("save", "end") == "end" and "solve.save" not in varied:
            return None
        if varied:
            raise ConfigError(f"{varied[0]} changes the times: measure at the end, with --save end, or do not vary it")
        config = Config.from_dict({**self.tables}).solve
        times = Save(times=config.save).resolve(config.t0, config.t1, bytes_per_time=8)
        return tuple(float(t) for t in times)

    def groups(self) -> Iterator[Group | tuple[int, str]]:
        """The groups of all cells, one after the other; for a cell that cannot be, its number and the reason."""
        inner = [k for k, axis in enumerate(self.axes) if set(axis.keys) <= set(COLUMNS)]
        outer = [k for k in range(len(self.axes)) if k not in inner]
        waiting: list[tuple[int, Config]] = []  # cells by themselves, until they are enough for a piece
        for fixed in itertools.product(*(range(len(self.axes[k])) for k in outer)):
            columns = itertools.product(*(range(len(self.axes[k])) for k in inner))
            while moving := list(itertools.islice(columns, MOST_COLUMNS)):
                good: list[tuple[int, dict[str, Any], Config]] = []
                for point in moving:
                    place = dict(zip((*outer, *inner), (*fixed, *point), strict=True))
                    number = _ravel([place[k] for k in range(len(self.axes))], self.shape)
                    try:
                        good.append((number, *_config(self.tables, {**self.given(number), SEED: SAMPLE})))
                    except TokenfieldError as error:
                        yield number, str(error)
                if good and all(is_together(config, self) for _, _, config in good):
                    yield self._together(good)
                    continue
                for number, _, config in good:
                    cost = sum(expected_s(c) for _, c in [*waiting, (number, config)]) * len(self.seeds)
                    if waiting and cost > PIECE_S:
                        yield self._alone(waiting)
                        waiting = []
                    waiting.append((number, config))
        if waiting:
            yield self._alone(waiting)

    def _together(self, cells: Sequence[tuple[int, dict[str, Any], Config]]) -> Group:
        columns = tuple({k: v for k, v in self.given(number).items() if k in COLUMNS} for number, _, _ in cells)
        plain = self._identity(cells[0][2])
        for key in columns[0]:
            section, name = key.split(".")
            plain.get(section, {}).pop(name, None)
        shared = digest([plain, "together"])
        names = tuple(digest([shared, sorted(column.items())]) for column in columns)
        return Group(cells[0][1], cells[0][2], columns, tuple(number for number, _, _ in cells), names, True)

    def _alone(self, cells: Sequence[tuple[int, Config]]) -> Group:
        names = tuple(digest(self._identity(config)) for _, config in cells)
        numbers = tuple(number for number, _ in cells)
        columns = tuple(self.given(number) for number in numbers)
        files = _files([config for _, config in cells])
        return Group(dict(self.tables), cells[0][1], columns, numbers, names, False, files)

    def _identity(self, config: Config) -> dict[str, Any]:
        """What decides the numbers of a cell."""
        plain = config.to_dict()
        plain.pop("output", None)
        files = {"files": files} if (files := _files([config])) else {}
        return plain | files | {"quantities": [quantity.identity for quantity in self.quantities]}

    # --- pieces -------------------------------------------------------------------------------------------------

    def pieces(
        self, group: Group, known: Mapping[str, frozenset[int]], versions: tuple[tuple[str, str], ...] = ()
    ) -> Iterator[Piece]:
        """The pieces of a group that are not among the `known` seeds of each cell."""
        cells = group.cells
        for columns, seeds, size in self._cuts(group):
            # cells that miss the same seeds stay together
            wanted: dict[tuple[int, ...], list[int]] = {}
            for column in columns:
                missing = tuple(seed for seed in seeds if seed not in known.get(cells[column], ()))
                if missing:
                    wanted.setdefault(missing, []).append(column)
            for missing, members in wanted.items():
                yield Piece(
                    group.tables,
                    tuple(group.columns[column] for column in members),
                    missing,
                    self.quantities,
                    group.is_together,
                    size,
                    tuple(cells[column] for column in members),
                    versions,
                    group.files,
                )

    def _cuts(self, group: Group) -> Iterator[tuple[Sequence[int], tuple[int, ...], int]]:
        """Which columns and seeds make a piece, and how many systems of one column move in it."""
        if not group.is_together:
            size = max(1, min(MOST_RUNS, int(PIECE_S / (len(group.columns) * expected_s(group.config)))))
            for first in range(0, len(self.seeds), size):
                yield range(len(group.columns)), self.seeds[first : first + size], size
            return
        for piece in ensemble_of(self, group.config, group.columns, self.seeds).pieces():
            systems = range(piece.systems.start, min(piece.systems.stop, len(self.seeds)))
            yield piece.columns, tuple(self.seeds[s] for s in systems), len(piece.systems)


def is_together(config: Config, sweep: Sweep) -> bool:
    """Whether ensembles can compute cells like this one: attention alone, on the sphere, from uniform tokens."""
    shared, solve, law = config.attention, config.solve, config.initial
    parts = (config.position, config.normalization, config.perceptron, config.potential)
    is_bare = not config.heads and config.schedule.kind == "constant" and not any(part is not None for part in parts)
    is_noise_own = config.noise is None or (config.noise.seed == SAMPLE and not config.noise.common)
    is_plain_solve = (
        solve.layers is None
        and not solve.merge
        and not solve.events
        and (solve.clock, solve.dtype, solve.t0) == ("time", "float64", 0.0)
        and solve.method in ENSEMBLE_METHODS
        and (solve.rtol is None or solve.atol is None or math.isclose(solve.atol, solve.rtol / 100))
    )
    return (
        all(quantity.kind == STATISTIC for quantity in sweep.quantities)
        and len({quantity.of for quantity in sweep.quantities}) == len(sweep.quantities)
        and (config.state.kind, config.geometry.kind, law.kind) == (TOKENS, "sphere", "uniform")
        and 2 <= (law.n or 0) <= MOST_TOGETHER
        and config.geometry.dim >= 2
        and is_bare
        and is_noise_own
        and is_plain_solve
        and not (shared.average or shared.relative or shared.rescaled)
        and shared.kind not in (None, "none")
        and catalog.find("attention", str(shared.kind)).has("beta")
    )


def ensemble_of(sweep: Any, config: Config, columns: Sequence[Mapping[str, Any]], seeds: Sequence[int]) -> Ensemble:
    """The ensemble of a group: what `sweep` (or a piece of it) measures, at its `columns`."""
    from tokenfield.ensemble import Ensemble
    from tokenfield.study.sweep.computing import family_of

    def at(key: str, otherwise: Any) -> list[Any]:
        return [column.get(key, otherwise) for column in columns]

    is_noisy = config.noise is not None
    has_steps = config.solve.step is not None
    end = (config.solve.t1,)
    return Ensemble(
        n=int(config.initial.n or 0),
        d=config.geometry.dim,
        betas=[float(beta) for beta in at("attention.beta", config.attention.beta)],
        kappas=[float(k) for k in at("noise.kappa", config.noise and config.noise.kappa)] if is_noisy else None,
        systems=len(seeds),
        times=times_of(config) or end,
        seed=tuple(seeds),
        model=family_of(config),
        statistics={quantity.of: quantity.detail for quantity in sweep.quantities},
        method=str(config.solve.method),
        step=[float(step) for step in at("solve.step", config.solve.step)] if has_steps else None,
        rtol=float(config.solve.rtol or 0.5),
    )


def times_of(config: Config) -> tuple[float, ...] | None:
    """The times that are kept, or `None` for the end alone."""
    from tokenfield.solver.save import Save

    if config.solve.save in (None, "end"):
        return None
    times = Save(times=config.solve.save).resolve(config.solve.t0, config.solve.t1, bytes_per_time=8)
    return tuple(float(t) for t in times)


def expected_s(config: Config) -> float:
    """About how long one run takes, from its size alone; only the size of pieces depends on it."""
    n = 256 if config.state.kind != TOKENS else int(config.initial.n or 1000)
    return 0.05 + 1e-6 * n * n * (config.geometry.dim + 8)


def needs_tokens(quantities: Sequence[Quantity]) -> bool:
    """Whether states have to be kept along the way: functions of the user may look at them."""
    return any(quantity.kind == FUNCTION for quantity in quantities)


def digest(value: Any, *, size: int = 8) -> str:
    """A checksum of plain data, in hexadecimal."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


def config_of(tables: Mapping[str, Any], given: Mapping[str, Any]) -> Config:
    """The config of some tables with further keys, resolved; raises a `TokenfieldError` if it is none."""
    return _config(tables, given)[1]


def _config(tables: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[dict[str, Any], Config]:
    """The tables of a cell without its seed, and its config, resolved."""
    keys = {key: value for key, value in given.items() if key != SEED}
    found = read_config(None, keys, tables=copy.deepcopy(dict(tables)), otherwise={"solve.save": "end"})
    if found.solve.devices is not None:
        raise ConfigError("a sweep hands out whole runs: leave out solve.devices")
    plain = found.to_dict()
    seeded = read_config(None, {SEED: given[SEED]}, tables=copy.deepcopy(plain)) if SEED in given else found
    return plain, seeded.resolved()


def _files(configs: Sequence[Config]) -> tuple[tuple[str, str], ...]:
    """The files of tokens that configs start from, each with what tells it from others of its name."""
    paths = sorted({config.initial.path for config in configs if config.initial.path is not None})
    return tuple((path, fingerprint(path)) for path in paths)


def fingerprint(path: str) -> str:
    """The checksum of a file of tokens, or of the manifest of a run; empty where there is none."""
    place = Path(path) / MANIFEST if Path(path).is_dir() else Path(path)
    try:
        state = place.stat()
        return _checksum(place, state.st_mtime_ns, state.st_size)
    except OSError:
        return ""


@functools.lru_cache(maxsize=256)
def _checksum(path: Path, changed: int, size: int) -> str:
    """Each file is read once for all cells, unless it changes."""
    return checksum(path)


def _unravel(number: int, shape: Sequence[int]) -> list[int]:
    place = []
    for length in reversed(shape):
        number, k = divmod(number, length)
        place.append(k)
    return place[::-1]


def _ravel(place: Sequence[int], shape: Sequence[int]) -> int:
    number = 0
    for k, length in zip(place, shape, strict=True):
        number = number * length + k
    return number


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else f"{text[:21]}..."
