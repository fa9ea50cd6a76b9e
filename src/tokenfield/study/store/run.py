"""Run folders: a trajectory with everything that decides it, read back bit for bit.

config.toml      everything that decides the run: running it again gives the same run
manifest.json    versions, device, dtype, seeds, wall time, date, checksums, and what is still missing
trajectory.zarr  times, tokens, weights, observables (xarray opens it)
summary.json     the numbers that are printed
figures/         pictures, which can be redrawn from the rest
initial.*        the initial tokens, if they came from a file or another run
model.json       in place of a config, the model of a run that was made in Python
checkpoint/      what an interrupted run goes on from

The trajectory comes first, in one piece; summary and figures are added to it, and the manifest says what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.files import complete, write_text
from tokenfield._runtime.json import to_json
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.study.config import Config
from tokenfield.study.store.checkpoint import CheckpointFolder
from tokenfield.study.store.dataset import restored
from tokenfield.study.store.folder import (
    CHECKPOINT,
    CONFIG,
    FIGURES,
    MANIFEST,
    MODEL,
    RUN,
    SUMMARY,
    TRAJECTORY,
    Draft,
    check_files,
    checksum,
    read_dataset,
    read_json,
)

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

LARGEST_CHECKED = 2**30  # bytes that are read to see whether they are damaged, before anybody needs them


@dataclass(frozen=True)
class RunFolder:
    """A finished run on disk. `open` checks that it is one; the properties read its parts."""

    path: Path

    @staticmethod
    def open(path: str | Path) -> RunFolder:
        """The run folder at `path`; raises `FileError` if there is none, if it is not finished or if it is damaged."""
        path = Path(path)
        if not path.exists():
            raise FileError(f"there is no run folder {path}")
        if not path.is_dir():
            raise FileError(f"{path} is a file, not a run folder")
        if not (path / MANIFEST).exists():
            raise FileError(f"{path} is unfinished or not a run folder: it has no {MANIFEST}")
        folder = RunFolder(path)
        if "files" not in folder.manifest:
            raise FileError(f"{path} is unfinished or not a run folder")
        check_files(path, folder.manifest, largest=LARGEST_CHECKED)
        return folder

    @staticmethod
    def read(path: str | Path) -> tuple[Trajectory, dict[str, Any]]:
        """The trajectory, with its model rebuilt from the config, and the summary of the run at `path`."""
        folder = RunFolder.open(path)
        return folder.trajectory(), folder.summary

    @staticmethod
    def write(
        path: str | Path,
        trajectory: Trajectory,
        config: Config | None,
        *,
        summary: Mapping[str, Any],
        manifest: Mapping[str, Any],
        others: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> RunFolder:
        """The run folder of `trajectory` at `path`; with `force` it may take the place of an older one."""
        with Draft(path, RUN, force=force) as draft:
            labelled = trajectory.labelled()
            draft.write(config, summary=summary, manifest=manifest, trajectory=labelled, others=others)
            return RunFolder(draft.finish())

    @property
    def missing(self) -> tuple[str, ...]:
        """What an interrupted command has not made yet: "summary", "figures"."""
        return tuple(self.manifest.get("missing") or ())

    def add_summary(self, summary: Mapping[str, Any]) -> None:
        """Adds the summary to a folder that has none yet."""
        write_text(self.path / SUMMARY, to_json(summary, indent=2) + "\n")
        self.made("summary", files=self.manifest["files"] | {SUMMARY: checksum(self.path / SUMMARY)})

    def made(self, what: str, **known: Any) -> None:
        """Notes in the manifest that something is no longer missing, and what else is `known` now."""
        manifest = self.manifest | known | {"missing": [name for name in self.missing if name != what]}
        write_text(self.path / MANIFEST, to_json(manifest, indent=2) + "\n")

    def write_final(self, path: Path) -> None:
        """Writes the last state of the run to an .npz file, bit for bit."""
        import numpy as np

        from tokenfield.solver.labels import parts_of

        arrays = {name: np.asarray(part) for name, part in parts_of(self.trajectory().final).items()}
        with complete(path) as part, part.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    @property
    def checkpoint(self) -> CheckpointFolder:
        """What an interrupted run goes on from."""
        return CheckpointFolder(self.path / CHECKPOINT)

    @property
    def config(self) -> Config:
        """The config of the run; raises `FileError` if it was made in Python, from a model that no config describes."""
        if not (self.path / CONFIG).exists():
            raise FileError(f"{self.path} was saved from Python: it has no {CONFIG}")
        return Config.from_toml(self.path / CONFIG)

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, computed now if they are missing; `out` is where the folder is now."""
        if "summary" not in self.missing:
            return {**read_json(self.path / SUMMARY), "out": str(self.path)}
        from tokenfield.study.summary import summarize

        config = self.config.resolved()
        return {**summarize(self.trajectory(), config.build()[1], t0=config.solve.t0), "out": str(self.path)}

    @property
    def manifest(self) -> dict[str, Any]:
        """Versions, device, dtype, seeds, wall time and date of the run."""
        return read_json(self.path / MANIFEST)

    @property
    def figures(self) -> Path:
        """The folder of the figures, which may not exist yet."""
        return self.path / FIGURES

    def trajectory(self, *, model: Any = None) -> Trajectory:
        """The trajectory as it was, bit for bit; the model is built anew, or is the one that is given."""
        dataset = read_dataset(self.path, TRAJECTORY)
        try:
            if (self.path / CONFIG).exists():
                return restored(dataset, model=model, config=self.config.resolved())
            return restored(dataset, model=model, known=read_json(self.path / MODEL))
        except TokenfieldError:
            raise
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise FileError(f"{self.path} is damaged: its parts do not fit together ({error!r})") from error


@checked
def load(path: str | Path, *, model: Any = None) -> Trajectory:
    """The run that `tokenfield simulate` or `Trajectory.save` wrote into a folder, bit for bit as it was.

    Args:
        path: The run folder.
        model: The model, if the folder cannot tell: where a run was saved from Python, and its model has functions or
            classes of your own. By default it is built from what the folder knows.

    Returns:
        The `Trajectory`.

    Raises:
        FileError: If there is no run folder, if it is damaged, or if `model` is needed.

    >>> import pathlib, tempfile
    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> start = initial.uniform(Sphere(3), n=4, seed=0)
    >>> run = solve(Transformer(Sphere(3), Softmax(1.0)), start, t1=1.0, save=3)
    >>> folder = run.save(pathlib.Path(tempfile.mkdtemp()) / "run")
    >>> again = load(folder)
    >>> again.model, bool((again.points == run.points).all())
    (Transformer(Sphere(3), Softmax(beta=1)), True)
    """
    return RunFolder.open(path).trajectory(model=model)


def save(run: Trajectory, path: str | Path, *, force: bool = False) -> Path:
    """The folder at `path` with the run in it; see `Trajectory.save`."""
    from tokenfield.study.manifest import environment
    from tokenfield.study.store.plain import to_plain
    from tokenfield.study.summary import summarize

    known = {"model": to_plain(run.model), "grid": to_plain(getattr(run.final, "grid", None))}
    start = run.state(0) if run.states is not None else run.final
    summary = summarize(run, start, t0=float(run.ts[0]))
    manifest = {**environment(), "dtype": str(run.ts.dtype), "model": repr(run.model), "missing": []}
    others = {MODEL: known}
    return RunFolder.write(path, run, None, summary=summary, manifest=manifest, others=others, force=force).path
