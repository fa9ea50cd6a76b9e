"""Run folders: the only disk I/O besides figures. Open formats only: TOML, JSON and Zarr, never pickle.

    config.toml      everything that decides the run: running it again gives the same run
    manifest.json    versions, device, dtype, seeds, wall time, date
    trajectory.zarr  times, tokens, weights, observables (xarray opens it)
    summary.json     the numbers that are printed
    figures/         pictures, which can be redrawn from the rest
    initial.*        the initial tokens, if they came from a file

A folder is made under a hidden name beside its place and renamed when it is complete, so that a killed process, a
full disk or an error leaves nothing that looks finished, and an older folder is only replaced by a complete one. Only
a folder whose manifest says that it is of the same kind is ever replaced, and what others put there is kept.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import math
import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.json import jsonable
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.study.config import Config

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

CONFIG, MANIFEST, SUMMARY, TRAJECTORY, FIGURES = (
    "config.toml",
    "manifest.json",
    "summary.json",
    "trajectory.zarr",
    "figures",
)
STATES = ("points", "radii", "density", "mean", "covariance")
RUN, COMPARISON = "run", "comparison"  # the kinds of folders, as the manifest has them
# the figures that commands draw, by name; a test holds this list against `tokenfield.plot`
DRAWN = (
    "circle",
    "cluster_count",
    "comparison",
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
class RunFolder:
    """A finished run on disk. `open` checks that it is one; the properties read its parts."""

    path: Path

    @staticmethod
    def open(path: str | Path) -> RunFolder:
        """The run folder at `path`; raises `FileError` if there is none or if it is not finished."""
        path = Path(path)
        if not path.exists():
            raise FileError(f"there is no run folder {path}")
        if not path.is_dir():
            raise FileError(f"{path} is a file, not a run folder")
        missing = [name for name in (MANIFEST, SUMMARY, CONFIG, TRAJECTORY) if not (path / name).exists()]
        if missing:
            why = "unfinished or not a run folder" if MANIFEST in missing else "damaged"
            raise FileError(f"{path} is {why}: it has no {' and no '.join(missing)}")
        return RunFolder(path)

    @staticmethod
    def read(path: str | Path) -> tuple[Trajectory, dict[str, Any]]:
        """The trajectory, with its model rebuilt from the config, and the summary of the run at `path`."""
        folder = RunFolder.open(path)
        return folder.trajectory(), folder.summary

    @staticmethod
    def write(
        path: str | Path,
        trajectory: Trajectory,
        config: Config,
        *,
        summary: Mapping[str, Any],
        manifest: Mapping[str, Any],
        force: bool = False,
    ) -> RunFolder:
        """The run folder of `trajectory` at `path`; with `force` it may take the place of an older one."""
        with Draft(path, force=force) as draft:
            draft.write(trajectory, config, summary=summary, manifest=manifest)
            return draft.finish()

    @property
    def config(self) -> Config:
        """The config of the run."""
        return Config.from_toml(self.path / CONFIG)

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run; `out` is where the folder is now."""
        return {**_read_json(self.path / SUMMARY), "out": str(self.path)}

    @property
    def manifest(self) -> dict[str, Any]:
        """Versions, device, dtype, seeds, wall time and date of the run."""
        return _read_json(self.path / MANIFEST)

    @property
    def figures(self) -> Path:
        """The folder of the figures, which may not exist yet."""
        return self.path / FIGURES

    def trajectory(self) -> Trajectory:
        """The trajectory as it was, bit for bit; the model is built anew from the config."""
        import xarray

        try:
            with xarray.open_zarr(self.path / TRAJECTORY, consolidated=False) as dataset:
                dataset.load()
        except Exception as error:  # zarr, its codecs and xarray each raise their own errors for damaged data
            raise FileError(f"{self.path / TRAJECTORY} cannot be read, it is damaged: {_first_line(error)}") from error
        # lost chunks are no error to zarr: it would fill them in
        if _checksums(dataset) != self.manifest.get("checksums"):
            raise FileError(f"{self.path / TRAJECTORY} is damaged: it does not hold the numbers that were written")
        try:
            return _trajectory(dataset, self.config, self.summary)
        except TokenfieldError:
            raise
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise FileError(f"{self.path} is damaged: its parts do not fit together ({error!r})") from error


class Draft:
    """A run folder in the making, hidden beside its place. `finish` renames it; leaving without that removes it.

    With `force` it takes the place of an older folder of its own `kind`; with `numbered` it is `path-1`, `path-2`, ...
    whichever is free at the end, so that several runs can be started at once.
    """

    def __init__(self, path: str | Path, *, kind: str = RUN, force: bool = False, numbered: bool = False):
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
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir()
        except OSError as error:
            raise self._cannot_write(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)  # after `finish` there is nothing left under this name

    @property
    def figures(self) -> Path:
        """The folder for figures, made on first use."""
        folder = self.path / FIGURES
        folder.mkdir(exist_ok=True)
        return folder

    def write(
        self, trajectory: Trajectory, config: Config, *, summary: Mapping[str, Any], manifest: Mapping[str, Any]
    ) -> None:
        """Writes everything but the figures; raises `FileError` if the disk does not take it."""
        try:
            config = _with_own_tokens(config, self.path)
            (self.path / CONFIG).write_text(config.to_toml(), encoding="utf-8")
            dataset = trajectory.to_xarray()
            dataset.to_zarr(self.path / TRAJECTORY, mode="w", consolidated=False)
            _write_json(self.path / SUMMARY, summary)
            _write_json(self.path / MANIFEST, {"kind": self._kind, **manifest, "checksums": _checksums(dataset)})
        except OSError as error:
            raise self._cannot_write(error) from error

    def finish(self) -> RunFolder:
        """The finished folder in its place."""
        while self._numbered:
            self._shown = fresh_path(self._base)
            try:
                os.rename(self.path, self._target)
                return RunFolder(self._shown)
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):  # somebody else was faster: the next number
                    raise self._cannot_write(error) from error
        self._check_target()
        old = self._target.with_name(f".{self._target.name}.old-{self._suffix}")
        try:
            if self._target.exists():
                os.rename(self._target, old)
            try:
                os.rename(self.path, self._target)
            except OSError:
                with suppress(OSError):
                    os.rename(old, self._target)
                raise
            if old.exists():
                _keep_what_is_not_ours(old, self._target)
        except OSError as error:
            raise self._cannot_write(error) from error
        shutil.rmtree(old, ignore_errors=True)
        return RunFolder(self._shown)

    def _cannot_write(self, error: OSError) -> FileError:
        return FileError(f"cannot write {self._shown}: {error.strerror or error}; nothing was kept")

    def _check_target(self) -> None:
        if not self._target.exists():
            return
        if not self._force:
            raise FileError(f"{self._shown} exists: choose another --out, or replace it with --force")
        if self._target.is_dir() and (not any(self._target.iterdir()) or kind_of(self._target) == self._kind):
            return
        name = {RUN: "run folder"}.get(self._kind, self._kind)
        raise FileError(f"{self._shown} exists and is not a {name}: --force only replaces folders of its own kind")


def kind_of(folder: Path) -> str | None:
    """What the manifest of `folder` says that it is; `None` if no command of tokenfield made it."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    kind = manifest.get("kind") if isinstance(manifest, dict) else None
    return kind if isinstance(kind, str) else None


def _keep_what_is_not_ours(old: Path, new: Path) -> None:
    """Moves from `old` to `new` whatever this command did not write and would not write again."""
    ours = {CONFIG, MANIFEST, SUMMARY, TRAJECTORY, FIGURES}
    foreign = [path for path in old.iterdir() if path.name not in ours and not _is_initial(path)]
    figures = old / FIGURES
    if figures.is_dir():
        foreign += [path for path in figures.iterdir() if not (path.is_file() and path.stem in DRAWN)]
    for path in foreign:
        place = new / path.relative_to(old)
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            os.rename(path, place)


def _is_initial(path: Path) -> bool:
    return path.is_file() and path.stem == "initial"


def fresh_path(path: str | Path) -> Path:
    """`path-1`, or with the next number that is free.

    >>> fresh_path("no-such-folder/circle").name
    'circle-1'
    """
    path, number = Path(path), 1
    while (numbered := path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return numbered


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(jsonable(value), indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise FileError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict):
        raise FileError(f"{path} is damaged: it must hold one JSON object")
    return value


def _checksums(dataset: Any) -> dict[str, str]:
    """A checksum of the bytes of each variable."""
    return {
        str(name): hashlib.blake2b(np.ascontiguousarray(values.values).tobytes(), digest_size=16).hexdigest()
        for name, values in dataset.variables.items()
    }


def _with_own_tokens(config: Config, folder: Path) -> Config:
    """The config with the file of the initial tokens copied into `folder`, so that the folder needs nothing else."""
    if config.initial.path is None:
        return config
    source = Path(config.initial.path)
    name = f"initial{source.suffix}"
    shutil.copyfile(source, folder / name)
    return dataclasses.replace(config, initial=dataclasses.replace(config.initial, path=name))


def _trajectory(dataset: Any, config: Config, summary: Mapping[str, Any]) -> Trajectory:
    import jax.numpy as jnp

    from tokenfield.measure import Measure
    from tokenfield.model.summing import choose_sums
    from tokenfield.solver.result import Result
    from tokenfield.solver.trajectory import Stats, Trajectory
    from tokenfield.study.build import build_model

    arrays = {str(name): jnp.asarray(values.values) for name, values in dataset.data_vars.items()}
    events = tuple(spec.partition(":")[0] for spec in config.solve.events)
    ts = jnp.asarray(dataset["time"].values)
    states = {name: arrays.pop(name) for name in STATES if name in arrays} or None
    mergers = _mergers(dataset, summary)
    final, model = _final(arrays, config), build_model(config)
    if isinstance(final, Measure):
        # what is measured now sums in the way in which the run did
        model = model.with_sums(choose_sums(model, final, t0=config.solve.t0, t1=config.solve.t1))
    return Trajectory(
        ts=ts,
        states=states,
        observables={name: values for name, values in arrays.items() if "time" in dataset[name].dims},
        final=final,
        result=Result(
            jnp.asarray(Result.code_of(str(dataset.attrs["result"]), events)),
            jnp.asarray(dataset.attrs["t"], ts.dtype),
            events,
            float(dataset.attrs.get("unresolved_from", math.inf)),
        ),
        stats=Stats(*(jnp.asarray(summary[name]) for name in ("steps", "rejected_steps", "wall_s"))),
        model=model,
        mergers=mergers,
    )


def _mergers(dataset: Any, summary: Mapping[str, Any]) -> Any:
    """The mergers of a run that joined tokens, else `None`."""
    from tokenfield.solver.merging.mergers import Mergers, Plateau

    if (found := summary.get("mergers")) is None:
        return None
    plateaus = tuple(Plateau(**{**plateau, "masses": tuple(plateau["masses"])}) for plateau in found["plateaus"])
    is_empty = "merger_times" not in dataset
    return Mergers(
        n=int(summary["n"]),
        times=np.empty(0) if is_empty else dataset["merger_times"].values,
        parts=np.empty((0, 2), int) if is_empty else dataset["merger_parts"].values,
        masses=np.empty((0, 2)) if is_empty else dataset["merger_masses"].values,
        delta=float(found["delta"]),
        plateaus=plateaus,
    )


def _final(arrays: Mapping[str, Any], config: Config) -> Any:
    """The law at the end of a run, from what was saved of it; the grid of a density is built from the config."""
    import equinox as eqx
    import jax.numpy as jnp

    from tokenfield.laws import Density, Gaussian
    from tokenfield.measure import Measure
    from tokenfield.study.build import build_grid

    # not through the constructors: they would normalize once more, and refuse the end of a flow that blew up
    if "final_density" in arrays:
        return Density.uniform(build_grid(config)).at(arrays["final_density"])
    if "final_mean" in arrays:
        mean, covariance = arrays["final_mean"], arrays["final_covariance"]
        return Gaussian(jnp.zeros_like(mean), jnp.zeros_like(covariance)).at(mean, covariance)
    points = arrays["final"]
    any_measure = Measure(jnp.ones_like(points), positions=arrays.get("positions"), radii=arrays.get("final_radii"))
    return eqx.tree_at(lambda mu: (mu.points, mu.weights), any_measure, (points, arrays["weights"]))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
