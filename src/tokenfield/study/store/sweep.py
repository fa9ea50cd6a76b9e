"""Folders of sweeps, which are continued and extended by the command that began them.

    manifest.json    the sweep, versions and device: the same command continues an unfinished folder
    pieces/          what was computed, each piece a file (.npz) whose name is made of what it holds
    pieces.txt       a line for every piece that is whole: its checksum, its name, its cells and seeds
    sweep.zarr       everything as one dataset, which xarray opens
    sweep.json       the numbers that are printed
    figures/  report.html

The manifest is written first: whatever happens next, the folder is known for what it is. A piece is written under a
scratch name and renamed when it is whole, so that Ctrl-C, a crash or a full disk costs the pieces under way only, and
a piece that comes twice is there once. Damage costs what is damaged only: a piece that does not have its checksum is
computed again, and if the list of pieces is lost, it is made anew from the pieces, which know what they hold. The
dataset is made of the pieces at the end, a slab at a time.
"""

from __future__ import annotations

import functools
import io
import itertools
import json
import math
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.files import complete, disk_errors, write_text
from tokenfield._runtime.json import to_json
from tokenfield.errors import FileError
from tokenfield.study.store.folder import (
    FIGURES,
    MANIFEST,
    PIECES,
    PIECES_LIST,
    SWEEP,
    SWEEP_DATASET,
    SWEEP_NUMBERS,
    checksum,
    is_empty,
    manifest_of,
    read_json,
)
from tokenfield.study.store.places import Identities, Known, Places, check

if TYPE_CHECKING:
    import numpy as np
    import xarray

PARTIAL = f".{SWEEP_DATASET}.partial"  # a dataset that is being made
SLAB = 2**17  # numbers that are put together at a time, and one chunk of the file
OPEN = 256  # pieces that are held while a slab is put together
LONG = 200_000  # characters of numbers that are not spread over lines: that would take a hundred bytes for each
ABOUT = "about"  # what a piece holds, in its file


@dataclass
class SweepFolder:
    """A sweep on disk, finished or not. `prepare` makes it or continues it; `write` adds a piece."""

    path: Path
    damaged: int = 0
    places: Places = field(default_factory=Places)  # of the cells of all pieces that are whole

    @staticmethod
    def prepare(
        path: str | Path, sweep: Mapping[str, Any], *, manifest: Mapping[str, Any], force: bool = False
    ) -> SweepFolder:
        """The folder of this `sweep`, with the pieces that it has already.

        Raises `FileError` if the folder holds something else, or a sweep of another config or of other axes, which is
        replaced with `force`. Other values and seeds are no obstacle: what is known of them is used.
        """
        folder = SweepFolder(Path(path))
        is_begun = folder._is_begun(sweep, force=force)
        known = {"kind": SWEEP.name, "sweep": sweep, **manifest}
        with disk_errors(folder.path):
            folder.path.mkdir(parents=True, exist_ok=True)
            if not is_begun:
                folder._remove_own()
            write_text(folder.path / MANIFEST, to_json(known, indent=2) + "\n")
            (folder.path / PIECES).mkdir(exist_ok=True)
            if is_begun:
                folder.look()
        return folder

    @staticmethod
    def open(path: str | Path) -> tuple[SweepFolder, dict[str, Any]]:
        """The folder at `path` and its manifest; raises `FileError` if it is none."""
        manifest = manifest_of(Path(path), SWEEP)
        if manifest is None or "sweep" not in manifest:
            raise FileError(f"{path} is not a folder of a sweep")
        return SweepFolder(Path(path)), manifest

    @property
    def figures(self) -> Path:
        """Where the figures go."""
        return self.path / FIGURES

    def write(self, name: str, cells: Sequence[str], seeds: Sequence[int], arrays: Mapping[str, np.ndarray]) -> None:
        """Adds a piece: arrays (cells, seeds, ...) by name. One that is there already is left as it is."""
        import numpy as np

        about = {"cells": list(cells), "seeds": list(seeds)}
        held: dict[str, Any] = {ABOUT: np.array(json.dumps(about)), **arrays}
        path = self._piece(name)
        with disk_errors(self.path, outcome="; the same command goes on"):
            path.parent.mkdir(exist_ok=True)
            with complete(path) as part:
                np.savez_compressed(part, allow_pickle=False, **held)
            with (self.path / PIECES_LIST).open("a", encoding="utf-8") as file:
                # first the end of a line that a killed process left, if it did
                file.write(f"\n{checksum(path)} {name} {json.dumps(about, separators=(',', ':'))}\n")
        self.places.add(name, cells, seeds)

    def read_piece(self, name: str, *, only: str | None = None) -> dict[str, np.ndarray]:
        """The arrays of a piece, or `only` one of them; raises `FileError` if it is damaged."""
        import numpy as np

        try:
            with np.load(io.BytesIO(self._piece(name).read_bytes())) as found:
                return {key: found[key] for key in (found.files if only is None else [only])}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise FileError(f"{self.path} is damaged: the piece {name} cannot be read ({error})") from error

    def write_numbers(self, numbers: Mapping[str, Any]) -> None:
        """Writes the numbers that are printed, a line for each unless they are very many."""
        text = to_json(numbers)
        write_text(self.path / SWEEP_NUMBERS, (to_json(numbers, indent=2) if len(text) < LONG else text) + "\n")

    def read_numbers(self) -> dict[str, Any]:
        """The numbers that were printed; raises `FileError` if there are none yet."""
        if not (self.path / SWEEP_NUMBERS).exists():
            raise FileError(f"{self.path} is a sweep that is not finished: the command that began it continues it")
        return read_json(self.path / SWEEP_NUMBERS)

    def dataset(self) -> xarray.Dataset:
        """The dataset as it is on disk; raises `FileError` if there is none or it is damaged."""
        import xarray

        if not (self.path / SWEEP_DATASET).is_dir():
            raise FileError(f"{self.path} holds no numbers yet: the command that began it continues it")
        try:
            return xarray.open_zarr(self.path / SWEEP_DATASET, consolidated=False, chunks=None)
        except Exception as error:  # zarr and xarray raise errors of many kinds for damaged data
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise FileError(f"{self.path / SWEEP_DATASET} cannot be read, it is damaged: {first}") from error

    def assemble(self, frame: xarray.Dataset, cells: Identities, dims: Mapping[str, tuple[str, ...]]) -> None:
        """Makes the dataset: `frame` has the coordinates and attributes, `cells` the identity of each cell in order.

        `dims` says for each variable which dimensions follow the axes and the seeds.
        """
        import numpy as np
        import zarr

        axes = [str(name) for name in frame.attrs["axes"]]
        shape = [frame.sizes[name] for name in axes]
        seeds = {int(seed): k for k, seed in enumerate(frame["seed"].values)}
        known = self.places.known()
        with disk_errors(self.path, outcome="; the same command goes on"):
            shutil.rmtree(self.path / PARTIAL, ignore_errors=True)
            frame.to_zarr(self.path / PARTIAL, mode="w", consolidated=False)
            group = zarr.open_group(self.path / PARTIAL, mode="r+")
            for name, extra in dims.items():
                sizes = [frame.sizes[dim] for dim in extra]
                chunk = chunk_of(shape, len(seeds) * math.prod(sizes))
                code = name == "outcome"
                array = group.create_array(
                    name,
                    shape=(*shape, len(seeds), *sizes),
                    chunks=(*chunk, len(seeds), *sizes),
                    dtype="int16" if code else "float64",
                    fill_value=-1 if code else np.nan,
                    dimension_names=(*axes, "seed", *extra),
                    attributes=dict(frame.attrs["variables"].get(name, {})),
                )
                for corner in itertools.product(*map(range, [0] * len(shape), shape, chunk)):
                    block = tuple(slice(k, min(k + c, n)) for k, c, n in zip(corner, chunk, shape, strict=True))
                    lengths = [part.stop - part.start for part in block]
                    first = int(np.ravel_multi_index(corner, shape))
                    numbers = range(first, first + math.prod(lengths))
                    values = self._slab(name, known, cells, numbers, seeds, sizes, code)
                    array[block] = values.reshape((*lengths, len(seeds), *sizes))
            shutil.rmtree(self.path / SWEEP_DATASET, ignore_errors=True)
            os.rename(self.path / PARTIAL, self.path / SWEEP_DATASET)

    def _slab(
        self,
        name: str,
        known: Known,
        cells: Identities,
        numbers: range,
        seeds: Mapping[int, int],
        sizes: Sequence[int],
        is_code: bool,
    ) -> np.ndarray:
        """The values of one variable for some cells, NaN where nothing is known."""
        import numpy as np

        kind, empty = ("int16", -1) if is_code else ("float64", np.nan)
        values = np.full((len(numbers), len(seeds), *sizes), empty, kind)

        @functools.lru_cache(maxsize=OPEN)  # neighboring cells are often of one piece
        def read(piece: str) -> np.ndarray:
            return self.read_piece(piece, only=name)[name]

        for k, number in enumerate(numbers):
            cell = cells[number]
            for piece, row, there in () if cell is None else known.places(cell):
                columns = [(at, seeds[seed]) for at, seed in enumerate(there) if seed in seeds]
                if not columns:
                    continue
                source, target = (list(part) for part in zip(*columns, strict=True))
                found = read(piece)[row][source]
                room: tuple[Any, ...] = tuple(
                    map(slice, found.shape[1:])
                )  # other cells may have more numbers than this one
                values[(k, target, *room)] = found.reshape(found.shape + (1,) * (values.ndim - 1 - found.ndim))
        return values

    def _piece(self, name: str) -> Path:
        return self.path / PIECES / name[:2] / f"{name}.npz"

    def look(self) -> None:
        """Finds the pieces that are whole; others are forgotten, and counted as damaged."""
        damaged = set()
        for name, known, about in self._lines():  # of several lines about one piece one may be true
            path = self._piece(name)
            if path.is_file() and checksum(path) == known:
                self.places.add(name, about["cells"], about["seeds"])
                damaged.discard(name)
            else:
                damaged.add(name)
        for folder in sorted((self.path / PIECES).glob("[0-9a-f][0-9a-f]")):  # one at a time: there may be 10^5 pieces
            listed = self.places.names(folder.name) | damaged
            for path in sorted(folder.glob("*.npz")):
                # one that was written and not listed, or whose list is lost, says itself what it holds
                if path.stem in listed or path.name.startswith("."):
                    continue
                try:
                    about = json.loads(str(self.read_piece(path.stem, only=ABOUT)[ABOUT]))
                    self.places.add(path.stem, about["cells"], about["seeds"])
                except (FileError, KeyError, TypeError, ValueError):
                    damaged.add(path.stem)
                    continue
                with (self.path / PIECES_LIST).open("a", encoding="utf-8") as file:
                    file.write(f"\n{checksum(path)} {path.stem} {json.dumps(about, separators=(',', ':'))}\n")
        for name in damaged:
            self._piece(name).unlink(missing_ok=True)
        self.damaged = len(damaged)

    def _lines(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        try:
            with (self.path / PIECES_LIST).open(encoding="utf-8", errors="replace") as file:
                for line in file:
                    words = line.split(" ", 2)
                    try:
                        about = json.loads(words[2])
                        found = {"cells": about["cells"], "seeds": about["seeds"]}
                        check(words[1], found["cells"])
                    except (IndexError, ValueError, KeyError, TypeError):
                        continue  # a line that was under way when the process ended
                    yield words[1], words[0], found
        except OSError:
            return

    def _is_begun(self, sweep: Mapping[str, Any], *, force: bool) -> bool:
        """Whether the folder is there, with a sweep that this one continues; raises `FileError` if it is another's."""
        path = self.path
        if not path.exists():
            return False
        if not path.is_dir():
            raise FileError(f"{path} is a file: choose another --out")
        manifest = manifest_of(path, SWEEP)
        if manifest is None and (path / PIECES).is_dir() and not (path / MANIFEST).exists():
            return not force  # the manifest is lost; pieces know what they hold
        if manifest is None:
            if (path / PIECES).is_dir() and _is_torn(path / MANIFEST):
                return not force
            if not is_empty(path):
                raise FileError(f"{path} exists and is not a {SWEEP.words}: choose another --out")
            return False
        if force:
            return False
        differing = _differences(manifest.get("sweep") or {}, sweep)
        if differing:
            raise FileError(f"{path} has another sweep ({differing}): choose another --out, or use --force")
        return True

    def _remove_own(self) -> None:
        """Removes what the command wrote, the manifest last: until then the folder is known for what it is."""
        for name in (PARTIAL, *SWEEP.files):
            path = self.path / name
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif name != MANIFEST:
                path.unlink(missing_ok=True)


def chunk_of(shape: Sequence[int], each: int) -> list[int]:
    """How many points of each axis a chunk has, of cells with `each` so many numbers: a chunk has about `SLAB` of them.

    The cells of a chunk follow each other: all points of the last axes, some of one, and one point of those before.

    >>> chunk_of([30, 100, 500], 1000), chunk_of([3, 4], 1)
    ([1, 1, 131], [3, 4])
    """
    chunk, room = list[int](), max(1, SLAB // max(1, each))
    for length in reversed(shape):
        chunk.insert(0, min(length, room))
        room = max(1, room // length)
    return chunk


def _is_torn(path: Path) -> bool:
    try:
        read_json(path)
    except FileError:
        return True
    return False


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """In what two sweeps differ that cannot share a folder; empty if one continues or extends the other."""
    pairs = []
    a, b = (_flat(found.get("config", {})) for found in (there, here))
    pairs += [
        f"{key} {_shown(a.get(key))} there, {_shown(b.get(key))} here"
        for key in sorted({*a, *b})
        if a.get(key) != b.get(key)
    ]
    axes = [[axis["name"] for axis in found.get("axes", ())] for found in (there, here)]
    measures = [[(q["name"], q["of"], q["detail"]) for q in found.get("quantities", ())] for found in (there, here)]
    if axes[0] != axes[1]:
        pairs.append(f"it goes over {', '.join(axes[0])} there, over {', '.join(axes[1])} here")
    if measures[0] != measures[1]:
        names = [
            ", ".join(str(q[0]) if q[2] is None else f"{q[0]} ({str(q[2])[:20]})" for q in found) for found in measures
        ]
        pairs.append(f"it measures {names[0]} there, {names[1]} here")
    return "; ".join(pairs)


def _flat(tables: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{name}.{key}" if isinstance(table, Mapping) else name: value
        for name, table in tables.items()
        for key, value in (table.items() if isinstance(table, Mapping) else [("", table)])
    }


def _shown(value: Any) -> str:
    return "unset" if value is None else json.dumps(value)
