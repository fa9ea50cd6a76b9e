"""Folders of phase diagrams, which are continued by the command that began them.

    manifest.json        the settings, versions and device: the same command continues an unfinished folder
    table.zarr           the statistic of every system, with means, standard errors and medians (xarray opens it)
    checksums.txt        a line for every chunk of the table that was written
    summary.json         the numbers that are printed
    phase-diagram.png    the picture

The manifest is written first: whatever happens next, the folder is known for what it is. The table appears whole and
empty, and each piece of work is written as soon as it is finished, so that Ctrl-C or a crash costs the pieces under
way only. Damage costs what is damaged only: a chunk that does not have its checksum is computed again, and so is what
an unreadable table described; the table also has the settings, should the manifest be lost.
"""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.files import disk_errors, write_text
from tokenfield._runtime.json import to_json
from tokenfield.errors import FileError
from tokenfield.study.store.folder import (
    CHECKSUMS,
    DIAGRAM_FIGURE,
    MANIFEST,
    PHASE_DIAGRAM,
    SUMMARY,
    TABLE,
    checksum,
    is_empty,
    manifest_of,
    read_json,
)

if TYPE_CHECKING:
    import numpy as np

PARTIAL = f".{TABLE}.partial"  # a table that is being made
SETTINGS = "settings"  # of the diagram, among the attributes of the table


@dataclass(frozen=True)
class Layout:
    """What the table holds: one `statistic` over the `axes` (values by name), then `systems`, then `times`.

    A column is one point of the axes. `chunk` systems of a column are one chunk of the file, which is not to be
    written twice.
    """

    statistic: str
    axes: Mapping[str, Sequence[float]]
    systems: int
    times: Sequence[float]
    chunk: int

    @property
    def columns(self) -> tuple[int, ...]:
        """The number of values of each axis."""
        return tuple(len(values) for values in self.axes.values())

    @property
    def bytes(self) -> int:
        """The size of the table before it is compressed."""
        return 8 * math.prod(self.columns) * self.systems * len(self.times)


@dataclass(frozen=True)
class DiagramFolder:
    """A phase diagram on disk, finished or not. `prepare` makes it or continues it; `write` adds to its table."""

    path: Path
    layout: Layout

    @staticmethod
    def prepare(
        path: str | Path, layout: Layout, *, settings: Mapping[str, Any], manifest: Mapping[str, Any], force: bool
    ) -> DiagramFolder:
        """The folder of these `settings`: as it is if it was begun before, else with an empty table.

        Raises `FileError` if the folder holds something else; a diagram of other settings is replaced with `force`.
        """
        folder, wanted = DiagramFolder(Path(path), layout), json.loads(to_json(settings))
        known = {"kind": PHASE_DIAGRAM.name, "settings": wanted, **manifest}
        is_begun = folder._is_begun(wanted, force=force)
        with disk_errors(folder.path):
            if not is_begun:
                folder.path.mkdir(parents=True, exist_ok=True)
                folder._remove_own()
            if manifest_of(folder.path, PHASE_DIAGRAM) is None or not is_begun:
                write_text(folder.path / MANIFEST, to_json(known, indent=2) + "\n")
            if is_begun:
                folder._repair(wanted)
            else:
                folder._make_table(wanted)
        return folder

    @property
    def figure(self) -> Path:
        """Where the picture goes."""
        return self.path / DIAGRAM_FIGURE

    @cached_property
    def damaged(self) -> int:
        """How many chunks of the table are not what was written, when it was first looked at."""
        known = self._checksums
        found = {name for name in known if (self.path / TABLE / name).is_file()}
        good = {name for name in found if checksum(self.path / TABLE / name) == known[name]}
        for name in found - good:
            (self.path / TABLE / name).unlink()
        # chunks without a line were under way when the process ended
        for path in self._chunks():
            if path.relative_to(self.path / TABLE).as_posix() not in known:
                path.unlink()
        return len(known) - len(good)

    def read(self) -> np.ndarray:
        """The statistic of every system, in one row of axes, systems and times; NaN where nothing was computed."""
        import numpy as np

        shape = (-1, self.layout.systems, len(self.layout.times))
        _ = self.damaged  # whose chunks are gone then
        return np.asarray(self._stored[...], float).reshape(shape)

    def write(self, column: int, systems: slice, values: np.ndarray) -> None:
        """Writes the statistic of some systems of a column, of shape (systems, times)."""
        import numpy as np

        place = tuple(int(k) for k in np.unravel_index(column, self.layout.columns))
        with disk_errors(self.path):
            self._stored[(*place, systems)] = values
            chunks = range(systems.start // self.layout.chunk, (systems.stop - 1) // self.layout.chunk + 1)
            names = [f"{self.layout.statistic}/c/{'/'.join(map(str, (*place, chunk, 0)))}" for chunk in chunks]
            with (self.path / CHECKSUMS).open("a", encoding="utf-8") as file:
                # the end of a line that a killed process left, if it did
                file.write("".join(f"\n{checksum(self.path / TABLE / name)} {name}\n" for name in names))

    def finish(self, reduced: Mapping[str, np.ndarray], summary: Mapping[str, Any]) -> None:
        """Writes what was `reduced` over systems (means and so on, each a row of axes and times) and the summary."""
        import xarray

        shape, dims = (*self.layout.columns, len(self.layout.times)), (*self.layout.axes, "t")
        with disk_errors(self.path):
            dataset = xarray.Dataset(
                {f"{self.layout.statistic}_{what}": (dims, values.reshape(shape)) for what, values in reduced.items()},
                attrs={SETTINGS: to_json(read_json(self.path / MANIFEST)["settings"])},
            )
            dataset.to_zarr(self.path / TABLE, mode="a", consolidated=False)
            write_text(self.path / SUMMARY, to_json(summary, indent=2) + "\n")

    @cached_property
    def _stored(self) -> Any:
        import zarr

        return zarr.open_group(self.path / TABLE, mode="r+")[self.layout.statistic]

    @property
    def _checksums(self) -> dict[str, str]:
        """The newest checksum of every chunk that was written."""
        try:
            text = (self.path / CHECKSUMS).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return {}
        found = (line.split(" ") for line in text.splitlines())
        return {words[1]: words[0] for words in found if len(words) == 2 and len(words[0]) == 32}

    def _chunks(self) -> list[Path]:
        """The chunks of the table that are there."""
        return [path for path in (self.path / TABLE / self.layout.statistic / "c").rglob("*") if path.is_file()]

    def _repair(self, wanted: dict[str, Any]) -> None:
        """Describes the table anew if its own description cannot be read; its chunks stay."""
        try:
            stored = self._stored
            is_whole = stored.shape == (*self.layout.columns, self.layout.systems, len(self.layout.times))
        except Exception:  # zarr raises errors of many kinds for damaged data
            is_whole = False
        if is_whole:
            return
        vars(self).pop("_stored", None)
        chunks = self.path / TABLE / self.layout.statistic / "c"
        aside = self.path / f"{PARTIAL}-chunks"
        if chunks.is_dir():
            os.rename(chunks, aside)
        shutil.rmtree(self.path / TABLE, ignore_errors=True)
        self._make_table(wanted)
        if aside.is_dir():
            shutil.rmtree(chunks, ignore_errors=True)
            os.rename(aside, chunks)

    def _is_begun(self, wanted: dict[str, Any], *, force: bool) -> bool:
        """Whether the folder is there, with these settings; raises `FileError` if it is not to be touched."""
        path = self.path
        if not path.exists():
            return False
        if not path.is_dir():
            raise FileError(f"{path} is a file: choose another --out")
        manifest = manifest_of(path, PHASE_DIAGRAM) or _manifest_of_table(path)
        if manifest is None and not is_empty(path):
            raise FileError(f"{path} exists and is not a {PHASE_DIAGRAM.words}: choose another --out")
        if manifest is None or force:
            return False
        found = manifest.get("settings") or {}
        if found != wanted:
            differing = {name: (found.get(name), value) for name, value in wanted.items() if found.get(name) != value}
            pairs = [f"{name} {_shown(a)} there, {_shown(b)} here" for name, (a, b) in differing.items()]
            raise FileError(f"{path} has other settings ({'; '.join(pairs)}): choose another --out, or use --force")
        return (path / TABLE).exists()

    def _remove_own(self) -> None:
        """Removes what the command wrote, the manifest last: until then the folder is known for what it is."""
        for name in (PARTIAL, *PHASE_DIAGRAM.files):
            path = self.path / name
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif name != MANIFEST:
                path.unlink(missing_ok=True)

    def _make_table(self, settings: dict[str, Any]) -> None:
        import numpy as np
        import xarray

        layout = self.layout
        dims, times = (*layout.axes, "system", "t"), len(layout.times)
        values = np.full((*layout.columns, layout.systems, times), np.nan)
        dataset = xarray.Dataset(
            {layout.statistic: (dims, values)},
            coords={**{name: list(axis) for name, axis in layout.axes.items()}, "t": list(layout.times)},
            attrs={SETTINGS: to_json(settings)},
        )
        encoding = {layout.statistic: {"chunks": (*(1 for _ in layout.columns), layout.chunk, times)}}
        dataset.to_zarr(self.path / PARTIAL, mode="w", consolidated=False, encoding=encoding)
        os.rename(self.path / PARTIAL, self.path / TABLE)


def _manifest_of_table(folder: Path) -> dict[str, Any] | None:
    """What is left of the manifest of a diagram if that is lost: the settings, which the table has too."""
    try:
        settings = json.loads(read_json(folder / TABLE / "zarr.json")["attributes"][SETTINGS])
    except (FileError, KeyError, TypeError, ValueError):
        return None
    return {"kind": PHASE_DIAGRAM.name, "settings": settings}


def _shown(value: Any) -> str:
    if isinstance(value, list) and len(value) > 4:
        return f"{value[0]:g}...{value[-1]:g} ({len(value)})"
    return json.dumps(value)
