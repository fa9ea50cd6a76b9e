"""Folders: the names of what is in them, their kinds, and how one is made, told from others and replaced.

A folder is made under a hidden name beside its place and renamed when it is complete, so that a killed process, a
full disk or an error leaves nothing that looks finished, and an older folder is only replaced by a complete one. Only
a folder whose manifest says that it is of the same kind is ever replaced, and what others put there is kept. A lock
keeps others from the place meanwhile. The manifest has a checksum of every file of data, by which damage is known.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import math
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.files import disk_errors, is_written, only_writer
from tokenfield._runtime.json import to_json
from tokenfield._runtime.phases import phase
from tokenfield.errors import FileError

if TYPE_CHECKING:
    import xarray

    from tokenfield.study.config import Config
    from tokenfield.study.store.arrays import Labelled

CONFIG = "config.toml"  # everything that decides a run
MANIFEST = "manifest.json"  # the kind of the folder, versions, device, seeds, wall time, date
SUMMARY = "summary.json"  # the numbers that are printed
TRAJECTORY = "trajectory.zarr"
PIECES = "pieces"  # of a sweep, each a file
PIECES_LIST = "pieces.txt"  # their checksums, and what they hold
SWEEP_DATASET = "sweep.zarr"
SWEEP_NUMBERS = "sweep.json"
SWEEP_PAGE = "report.html"
CHECKPOINT = "checkpoint"  # what an unfinished run goes on from
STATE = "state.npz"  # of a checkpoint; it is written last
FIGURES = "figures"
INITIAL = "initial"  # the initial tokens, if they came from a file or a run; with the ending of that file
MODEL = "model.json"  # the model of a run that was made in Python
DIAGRAM_FIGURE = "phase-diagram"  # with the ending of its format
COMPARISON_FIGURE = "comparison"  # with the ending of its format
STEERING_FIGURE = "steering"  # with the ending of its format
PROBLEM = "config.toml"  # of a steering: the model, the prompts, how they are steered
WEIGHTS = "weights.json"
LOSSES_FILE = "losses.json"
LAYERS_NUMBERS = "layers.json"
LAYERS_TABLE = "layers.zarr"
PAGE = "index.html"
LAYERS_FIGURES = ("cosines", "numbers", "tokens", "similarity", "attention", "flow")
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
    files=(CONFIG, MANIFEST, SUMMARY, TRAJECTORY, FIGURES, CHECKPOINT, MODEL),
    stems=(INITIAL, *(f"{FIGURES}/{name}" for name in DRAWN)),
)
COMPARISON = FolderKind(
    name="comparison",
    words="comparison",
    files=(CONFIG, MANIFEST, SUMMARY, FIGURES),
    stems=(INITIAL, f"{FIGURES}/{COMPARISON_FIGURE}"),
)
STEERING = FolderKind(
    name="steering",
    words="steering",
    files=(PROBLEM, MANIFEST, SUMMARY, WEIGHTS, LOSSES_FILE, FIGURES, CHECKPOINT),
    stems=(f"{FIGURES}/{STEERING_FIGURE}",),
)
LAYERS = FolderKind(
    name="layers",
    words="folder of measured layers",
    files=(MANIFEST, LAYERS_NUMBERS, LAYERS_TABLE, PAGE, FIGURES),
    stems=tuple(f"{FIGURES}/{name}" for name in LAYERS_FIGURES),
)
SWEEP = FolderKind(
    name="sweep",
    words="sweep",
    files=(SWEEP_NUMBERS, SWEEP_DATASET, PIECES_LIST, PIECES, FIGURES, SWEEP_PAGE, MANIFEST),
)


class Draft:
    """A folder in the making, hidden beside its place. `finish` renames it; leaving without that removes it.

    With `force` it takes the place of an older folder of its own `kind`; with `numbered` it is `path-1`, `path-2`, ...
    whichever is free, so that several runs can be started at once. With `resume` it goes on with what a killed process
    has left, and takes the place of what is there. Raises `FileError` if somebody else is writing the same folder.
    """

    def __init__(
        self, path: str | Path, kind: FolderKind, *, force: bool = False, numbered: bool = False, resume: bool = False
    ):
        self._base, self._shown, self._kind = Path(path), Path(path), kind
        if not self._target.name:
            raise FileError(f"{path} cannot be a {kind.words}: add the name of a new one to --out")
        self._force, self._numbered, self._resume = force or resume, numbered, resume
        self._held = ExitStack()
        self.left_by_others: list[Path] = []  # numbered places where a killed process left something to go on from

    @property
    def _target(self) -> Path:
        # a symbolic link is followed, so that the folder it points to is replaced and not the link
        return followed(self._shown)

    @property
    def place(self) -> Path:
        """Where the folder will be."""
        return self._shown

    @property
    def path(self) -> Path:
        """Where the folder is made."""
        return unfinished(self._target)

    def __enter__(self) -> Draft:
        self._claim()
        try:
            with self._disk_errors():
                self._put_back()
            self._check_target()
            with self._disk_errors():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # nobody writes here now: the process that left something is gone
                if not self._resume:
                    self._check_left()
                if not (self._resume and can_go_on(self._target)):
                    shutil.rmtree(self.path, ignore_errors=True)
                    self.path.mkdir()
                    if self._resume:
                        self._copy_checkpoint()
        except BaseException:
            self._held.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # after `finish` there is nothing left under this name; what a run can go on from is kept
        if not can_go_on(self._target):
            shutil.rmtree(self.path, ignore_errors=True)
        self._held.close()

    @property
    def _old(self) -> Path:
        """Where the older folder is while it is replaced."""
        return self._target.with_name(f".{self._target.name}.old")

    def _put_back(self) -> None:
        """Undoes, or ends, what a process began that was killed while it replaced the older folder."""
        if not self._old.exists():
            return
        if self._target.exists():
            self._replace_old()
        else:
            os.rename(self._old, self._target)

    def _replace_old(self) -> None:
        """Removes the older folder, after what others put there has moved into the new one."""
        _keep_what_is_not_ours(self._old, self._target, self._kind)
        gone = self._target.with_name(f".{self._target.name}.gone")  # so that what is called old is always whole
        shutil.rmtree(gone, ignore_errors=True)
        os.rename(self._old, gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _claim(self) -> None:
        """Takes the lock of the place, or of the first numbered place that is free."""
        if not self._numbered:
            self._held.enter_context(only_writer(self._target))
            return
        number = 0
        while True:
            number += 1
            self._shown = self._base.with_name(f"{self._base.name}-{number}")
            if can_go_on(self._target) and not is_written(self._target):
                self.left_by_others.append(self._shown)
            if self._target.exists() or can_go_on(self._target):
                continue
            with suppress(FileError):  # somebody else is at it: the next number
                self._held.enter_context(only_writer(self._target))
                return

    def _check_left(self) -> None:
        if can_go_on(self._target) and not self._force:
            raise FileError(
                f"an earlier run of {self._shown} was killed and can go on: add --resume, or begin anew with --force"
            )

    def _copy_checkpoint(self) -> None:
        """Takes what an interrupted run needs to go on from its folder, which stays as it is until this one is done."""
        for source in self._target.iterdir():
            if source.name == CHECKPOINT:
                shutil.copytree(source, self.path / CHECKPOINT)
            elif source.name in (CONFIG, MANIFEST) or source.stem == INITIAL:
                shutil.copyfile(source, self.path / source.name)

    @property
    def figures(self) -> Path:
        """The folder for figures, made on first use."""
        folder = self.path / FIGURES
        with self._disk_errors():
            folder.mkdir(exist_ok=True)
        return folder

    def begin(self, config: Config, manifest: Mapping[str, Any]) -> Config:
        """Writes what an unfinished folder needs to go on; returns the config, with initial tokens of its own."""
        with self._disk_errors():
            config = _with_own_start(config, self.path)
            (self.path / CONFIG).write_text(config.to_toml(), encoding="utf-8")
            self._write_json(MANIFEST, {"kind": self._kind.name, **manifest})
        return config if config.initial.path is None else _at(config, self.path / config.initial.path)

    @phase("files")
    def write(
        self,
        config: Config | None = None,
        *,
        manifest: Mapping[str, Any],
        summary: Mapping[str, Any] | None = None,
        trajectory: tuple[Labelled, Mapping[str, Any]] | None = None,
        datasets: Mapping[str, xarray.Dataset] | None = None,
        others: Mapping[str, Any] | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """Writes everything but the figures; raises `FileError` if the disk does not take it.

        `trajectory` is what `Trajectory.labelled` returns, `datasets` are further arrays by the names of their folders,
        `others` further files of JSON, `texts` of plain text. The manifest comes last.
        """
        # plain writes are enough: the folder as a whole is complete or not there
        with self._disk_errors():
            if config is not None:
                config = _with_own_start(config, self.path)
                (self.path / CONFIG).write_text(config.to_toml(), encoding="utf-8")
            if trajectory is not None:
                from tokenfield.study.store import arrays  # NumPy, which a catalog does without

                arrays.write_arrays(self.path / TRAJECTORY, *trajectory)
            for name, dataset in (datasets or {}).items():
                dataset.to_zarr(self.path / name, mode="w", consolidated=False)
            for name, value in {**({} if summary is None else {SUMMARY: summary}), **(others or {})}.items():
                self._write_json(name, value)
            for name, content in (texts or {}).items():
                (self.path / name).write_text(content, encoding="utf-8")
            known = {"kind": self._kind.name, **manifest}
            self._write_json(MANIFEST, {**known, "files": checksums(self.path)})

    def _write_json(self, name: str, value: Any) -> None:
        (self.path / name).write_text(to_json(value, indent=2) + "\n", encoding="utf-8")

    def finish(self) -> Path:
        """Puts the folder in its place, and returns that."""
        hidden = self.path
        while self._numbered:
            with self._disk_errors():
                try:
                    os.rename(hidden, self._target)
                    return self._shown
                except OSError as error:
                    if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):  # somebody made a folder here meanwhile
                        raise
            self._shown = fresh_path(self._base)
        self._check_target()
        old = self._old
        with self._disk_errors():
            self._put_back()
            if self._target.exists():
                os.rename(self._target, old)
            try:
                os.rename(hidden, self._target)
            except OSError:
                with suppress(OSError):
                    os.rename(old, self._target)
                raise
            if old.exists():
                self._replace_old()
        return self._shown

    def _disk_errors(self) -> AbstractContextManager[None]:
        is_kept = can_go_on(self._target)
        return disk_errors(self._shown, outcome="; --resume goes on later" if is_kept else "; nothing was kept")

    def _check_target(self) -> None:
        if not self._target.exists():
            return
        is_dir = self._target.is_dir()
        if not is_dir or not (is_empty(self._target) or manifest_of(self._target, self._kind) is not None):
            why = "--force only replaces folders of its own kind" if self._force else "choose another --out"
            raise FileError(f"{self._shown} exists and is not a {self._kind.words}: {why}")
        if not self._force:
            raise FileError(f"{self._shown} exists: choose another --out, or replace it with --force")


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


def read_dataset(folder: Path, name: str) -> xarray.Dataset:
    """The dataset `name` of a folder, in memory; raises `FileError` if it is damaged."""
    import xarray

    check_files(folder, read_json(folder / MANIFEST), under=name)  # lost chunks are no error to zarr: it fills them in
    try:
        with xarray.open_zarr(folder / name, consolidated=False) as dataset:
            return dataset.load()
    except Exception as error:  # zarr, its codecs and xarray each raise their own errors for damaged data
        first = str(error).strip().partition("\n")[0] or type(error).__name__
        raise FileError(f"{folder / name} cannot be read, it is damaged: {first}") from error


def checksums(folder: Path) -> dict[str, str]:
    """A checksum of each file of data in the folder, by its name; pictures can be redrawn and have none."""
    return {name: checksum(folder / name) for name in _files_of_data(folder)}


def check_files(folder: Path, manifest: Mapping[str, Any], *, under: str = "", largest: float = math.inf) -> None:
    """Raises `FileError` if a file of data is gone or is not what was written.

    Only those whose names begin with `under` are looked at, and beyond `largest` bytes in all only their presence.
    """
    known = {name: value for name, value in (manifest.get("files") or {}).items() if name.startswith(under)}
    sizes = {name: (folder / name).stat().st_size for name in known if (folder / name).is_file()}
    gone = [name for name in known if name not in sizes]
    is_read = sum(sizes.values()) <= largest
    changed = [name for name, value in known.items() if is_read and name in sizes and checksum(folder / name) != value]
    for names, what in ((gone, "is gone"), (changed, "does not hold what was written")):
        if names:
            more = f", and {len(names) - 1} more" if len(names) > 1 else ""
            raise FileError(f"{folder} is damaged: {names[0]} {what}{more}")


def _files_of_data(folder: Path) -> Iterable[str]:
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and place.parts[0] not in (MANIFEST, FIGURES, CHECKPOINT):
            yield place.as_posix()


def checksum(path: Path) -> str:
    """The checksum of a file."""
    found = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def followed(path: Path) -> Path:
    """Where `path` leads, symbolic links followed; raises `FileError` for links that lead in a circle."""
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise FileError(f"{path} is a symbolic link that leads to itself: choose another --out")
    return found


def unfinished(target: Path) -> Path:
    """Where the folder `target` is made until it is complete."""
    return target.with_name(f".{target.name}.partial")


def can_go_on(target: Path) -> bool:
    """Whether a killed process has left something of the folder `target` that a run can go on from."""
    return (unfinished(target) / CHECKPOINT / STATE).exists()


def _keep_what_is_not_ours(old: Path, new: Path, kind: FolderKind) -> None:
    """Moves from `old` to `new` whatever the command did not write and would not write again."""
    figures = old / FIGURES
    found = [*old.iterdir(), *(figures.iterdir() if figures.is_dir() else ())]
    for path in [path for path in found if not kind.owns(path, old)]:
        place = new / path.relative_to(old)
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            os.rename(path, place)


def _with_own_start(config: Config, folder: Path) -> Config:
    """The config with the file that the run starts from copied into `folder`, so that the folder needs nothing else."""
    if config.initial.path is None:
        return config
    source = Path(config.initial.path)
    if source.is_dir():  # a run: its last state is all that is needed
        from tokenfield.study.store.run import RunFolder

        RunFolder.open(source).write_final(folder / f"{INITIAL}.npz")
        return _at(config, f"{INITIAL}.npz")
    name = f"{INITIAL}{source.suffix}"
    if source.resolve() != (folder / name).resolve():
        shutil.copyfile(source, folder / name)
    return _at(config, name)


def _at(config: Config, path: str | Path) -> Config:
    return dataclasses.replace(config, initial=dataclasses.replace(config.initial, path=str(path)))
