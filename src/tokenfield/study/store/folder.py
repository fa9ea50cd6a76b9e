"""Folders: the names of what is in them, their kinds, and how one is made, told from others and replaced.

A folder is made under a hidden name beside its place and renamed when it is complete, so that a killed process, a
full disk or an error leaves nothing that looks finished, and an older folder is only replaced by a complete one. Only
a folder whose manifest says that it is of the same kind is ever replaced, and what others put there is kept.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.files import disk_errors
from tokenfield._runtime.json import to_json
from tokenfield._runtime.phases import phase
from tokenfield.errors import FileError

if TYPE_CHECKING:
    import xarray

    from tokenfield.study.config import Config

CONFIG = "config.toml"  # everything that decides a run
MANIFEST = "manifest.json"  # the kind of the folder, versions, device, seeds, wall time, date
SUMMARY = "summary.json"  # the numbers that are printed
TRAJECTORY = "trajectory.zarr"
TABLE = "table.zarr"
FIGURES = "figures"
INITIAL = "initial"  # the initial tokens, if they came from a file; with the ending of that file
DIAGRAM_FIGURE = "phase-diagram.png"
COMPARISON_FIGURE = "comparison"  # with the ending of its format
# the figures of runs, by name; a test holds this list against `tokenfield.plot`
DRAWN = (
    "circle",
    "cluster_count",
    "covariance_cone",
    "density",
    "energy",
    "gaussian",
    "histogram",
    "merge_tree",
    "radii",
    "space",
    "spectrum",
    "sphere",
)


@dataclass(frozen=True)
class FolderKind:
    """A kind of folder: its `name` in the manifest, `words` for it in messages, and what its command writes into it.

    `files` are names; `stems` are names of files that may have any ending, relative to the folder.
    """

    name: str
    words: str
    files: tuple[str, ...]
    stems: tuple[str, ...] = ()

    def owns(self, path: Path, folder: Path) -> bool:
        """Whether the command writes what is at `path` in `folder`."""
        place = path.relative_to(folder)
        return place.as_posix() in self.files or (path.is_file() and place.with_suffix("").as_posix() in self.stems)


RUN = FolderKind(
    name="run",
    words="run folder",
    files=(CONFIG, MANIFEST, SUMMARY, TRAJECTORY, FIGURES),
    stems=(INITIAL, *(f"{FIGURES}/{name}" for name in DRAWN)),
)
COMPARISON = FolderKind(
    name="comparison",
    words="comparison",
    files=(CONFIG, MANIFEST, SUMMARY, FIGURES),
    stems=(INITIAL, f"{FIGURES}/{COMPARISON_FIGURE}"),
)
PHASE_DIAGRAM = FolderKind(
    name="phase-diagram", words="phase diagram", files=(MANIFEST, SUMMARY, TABLE, DIAGRAM_FIGURE)
)


class Draft:
    """A folder in the making, hidden beside its place. `finish` renames it; leaving without that removes it.

    With `force` it takes the place of an older folder of its own `kind`; with `numbered` it is `path-1`, `path-2`, ...
    whichever is free at the end, so that several runs can be started at once.
    """

    def __init__(self, path: str | Path, kind: FolderKind, *, force: bool = False, numbered: bool = False):
        self._base, self._kind, self._force, self._numbered = Path(path), kind, force, numbered
        self._shown = fresh_path(self._base) if numbered else self._base
        # the process number alone may be taken by a process of another container
        self._suffix = f"{os.getpid()}-{secrets.token_hex(3)}"
        self.path = self._target.with_name(f".{self._target.name}.partial-{self._suffix}")

    @property
    def _target(self) -> Path:
        # a symbolic link is followed, so that the folder it points to is replaced and not the link
        return self._shown.resolve()

    def __enter__(self) -> Draft:
        self._check_target()
        with self._disk_errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)  # after `finish` there is nothing left under this name

    @property
    def figures(self) -> Path:
        """The folder for figures, made on first use."""
        folder = self.path / FIGURES
        with self._disk_errors():
            folder.mkdir(exist_ok=True)
        return folder

    @phase("files")
    def write(
        self,
        config: Config,
        *,
        summary: Mapping[str, Any],
        manifest: Mapping[str, Any],
        trajectory: xarray.Dataset | None = None,
    ) -> None:
        """Writes everything but the figures; raises `FileError` if the disk does not take it."""
        # plain writes are enough: the folder as a whole is complete or not there
        with self._disk_errors():
            config = _with_own_tokens(config, self.path)
            (self.path / CONFIG).write_text(config.to_toml(), encoding="utf-8")
            known = {"kind": self._kind.name, **manifest}
            if trajectory is not None:
                trajectory.to_zarr(self.path / TRAJECTORY, mode="w", consolidated=False)
                known["checksums"] = checksums(trajectory)
            for name, value in ((SUMMARY, summary), (MANIFEST, known)):
                (self.path / name).write_text(to_json(value, indent=2) + "\n", encoding="utf-8")

    def finish(self) -> Path:
        """Puts the folder in its place, and returns that."""
        while self._numbered:
            self._shown = fresh_path(self._base)
            with self._disk_errors():
                try:
                    os.rename(self.path, self._target)
                    return self._shown
                except OSError as error:
                    if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):  # somebody else was faster: the next number
                        raise
        self._check_target()
        old = self._target.with_name(f".{self._target.name}.old-{self._suffix}")
        with self._disk_errors():
            if self._target.exists():
                os.rename(self._target, old)
            try:
                os.rename(self.path, self._target)
            except OSError:
                with suppress(OSError):
                    os.rename(old, self._target)
                raise
            if old.exists():
                _keep_what_is_not_ours(old, self._target, self._kind)
        shutil.rmtree(old, ignore_errors=True)
        return self._shown

    def _disk_errors(self) -> AbstractContextManager[None]:
        return disk_errors(self._shown, outcome="; nothing was kept")

    def _check_target(self) -> None:
        if not self._target.exists():
            return
        if not self._force:
            raise FileError(f"{self._shown} exists: choose another --out, or replace it with --force")
        if self._target.is_dir() and (is_empty(self._target) or manifest_of(self._target, self._kind) is not None):
            return
        raise FileError(
            f"{self._shown} exists and is not a {self._kind.words}: --force only replaces folders of its own kind"
        )


def fresh_path(path: str | Path) -> Path:
    """`path-1`, or with the next number that is free.

    >>> fresh_path("no-such-folder/circle").name
    'circle-1'
    """
    path, number = Path(path), 1
    while (numbered := path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return numbered


def is_empty(folder: Path) -> bool:
    """Whether nothing is in the folder."""
    return not any(folder.iterdir())


def manifest_of(folder: Path, kind: FolderKind) -> dict[str, Any] | None:
    """The manifest of a folder of this kind; `None` if it is of another, or if no command of tokenfield made it."""
    try:
        manifest = read_json(folder / MANIFEST)
    except FileError:
        return None
    return manifest if manifest.get("kind") == kind.name else None


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; raises `FileError` if there is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise FileError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict):
        raise FileError(f"{path} is damaged: it must hold one JSON object")
    return value


def checksums(dataset: Any) -> dict[str, str]:
    """A checksum of the bytes of each variable of a dataset, by which lost and damaged data is known."""
    import numpy as np

    return {
        str(name): hashlib.blake2b(np.ascontiguousarray(values.values).tobytes(), digest_size=16).hexdigest()
        for name, values in dataset.variables.items()
    }


def _keep_what_is_not_ours(old: Path, new: Path, kind: FolderKind) -> None:
    """Moves from `old` to `new` whatever the command did not write and would not write again."""
    figures = old / FIGURES
    found = [*old.iterdir(), *(figures.iterdir() if figures.is_dir() else ())]
    for path in [path for path in found if not kind.owns(path, old)]:
        place = new / path.relative_to(old)
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            os.rename(path, place)


def _with_own_tokens(config: Config, folder: Path) -> Config:
    """The config with the file of the initial tokens copied into `folder`, so that the folder needs nothing else."""
    if config.initial.path is None:
        return config
    source = Path(config.initial.path)
    name = f"{INITIAL}{source.suffix}"
    shutil.copyfile(source, folder / name)
    return dataclasses.replace(config, initial=dataclasses.replace(config.initial, path=name))
