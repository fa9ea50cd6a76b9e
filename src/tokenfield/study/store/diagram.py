"""Folders of phase diagrams, which are continued by the command that began them.

    manifest.json        the settings, versions and device: the same command continues an unfinished folder
    table.zarr           the statistic of every system, with means, standard errors and medians (xarray opens it)
    summary.json         the numbers that are printed
    phase-diagram.png    the picture

The manifest is written first: whatever happens next, the folder is known for what it is. The table appears whole and
empty, and each piece of work is written as soon as it is finished, so that Ctrl-C or a crash costs the pieces under
way only.
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
from tokenfield.study.store.folder import DIAGRAM_FIGURE, MANIFEST, PHASE_DIAGRAM, SUMMARY, TABLE, is_empty, manifest_of

if TYPE_CHECKING:
    import numpy as np

PARTIAL = f".{TABLE}.partial"  # a table that is being made


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
        if not folder._is_begun(wanted, force=force):
            with disk_errors(folder.path):
                folder.path.mkdir(parents=True, exist_ok=True)
                folder._remove_own()
                known = {"kind": PHASE_DIAGRAM.name, "settings": wanted, **manifest}
                write_text(folder.path / MANIFEST, to_json(known, indent=2) + "\n")
                folder._make_table()
        return folder

    @property
    def figure(self) -> Path:
        """Where the picture goes."""
        return self.path / DIAGRAM_FIGURE

    def read(self) -> np.ndarray:
        """The statistic of every system, in one row of axes, systems and times; NaN where nothing was computed."""
        import numpy as np

        shape = (-1, self.layout.systems, len(self.layout.times))
        try:
            return np.asarray(self._stored[...], float).reshape(shape)
        except Exception as error:  # zarr and its codecs each raise their own errors for damaged data
            raise FileError(f"{self.path / TABLE} is damaged: remove {self.path} and start again") from error

    def write(self, column: int, systems: slice, values: np.ndarray) -> None:
        """Writes the statistic of some systems of a column, of shape (systems, times)."""
        import numpy as np

        with disk_errors(self.path):
            self._stored[(*np.unravel_index(column, self.layout.columns), systems)] = values

    def finish(self, reduced: Mapping[str, np.ndarray], summary: Mapping[str, Any]) -> None:
        """Writes what was `reduced` over systems (means and so on, each a row of axes and times) and the summary."""
        import xarray

        shape, dims = (*self.layout.columns, len(self.layout.times)), (*self.layout.axes, "t")
        with disk_errors(self.path):
            dataset = xarray.Dataset(
                {f"{self.layout.statistic}_{what}": (dims, values.reshape(shape)) for what, values in reduced.items()}
            )
            dataset.to_zarr(self.path / TABLE, mode="a", consolidated=False)
            write_text(self.path / SUMMARY, to_json(summary, indent=2) + "\n")

    @cached_property
    def _stored(self) -> Any:
        import zarr

        return zarr.open_group(self.path / TABLE, mode="r+")[self.layout.statistic]

    def _is_begun(self, wanted: dict[str, Any], *, force: bool) -> bool:
        """Whether the folder is there, with these settings; raises `FileError` if it is not to be touched."""
        path = self.path
        if not path.exists():
            return False
        if not path.is_dir():
            raise FileError(f"{path} is a file: choose another --out")
        manifest = manifest_of(path, PHASE_DIAGRAM)
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

    def _make_table(self) -> None:
        import numpy as np
        import xarray

        layout = self.layout
        dims, times = (*layout.axes, "system", "t"), len(layout.times)
        values = np.full((*layout.columns, layout.systems, times), np.nan)
        dataset = xarray.Dataset(
            {layout.statistic: (dims, values)},
            coords={**{name: list(axis) for name, axis in layout.axes.items()}, "t": list(layout.times)},
        )
        encoding = {layout.statistic: {"chunks": (*(1 for _ in layout.columns), layout.chunk, times)}}
        dataset.to_zarr(self.path / PARTIAL, mode="w", consolidated=False, encoding=encoding)
        os.rename(self.path / PARTIAL, self.path / TABLE)


def _shown(value: Any) -> str:
    if isinstance(value, list) and len(value) > 4:
        return f"{value[0]:g}...{value[-1]:g} ({len(value)})"
    return json.dumps(value)
