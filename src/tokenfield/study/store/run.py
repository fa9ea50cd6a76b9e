"""Run folders: a trajectory with everything that decides it, read back bit for bit.

config.toml      everything that decides the run: running it again gives the same run
manifest.json    versions, device, dtype, seeds, wall time, date
trajectory.zarr  times, tokens, weights, observables (xarray opens it)
summary.json     the numbers that are printed
figures/         pictures, which can be redrawn from the rest
initial.*        the initial tokens, if they came from a file
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield.errors import FileError, TokenfieldError
from tokenfield.study.config import Config
from tokenfield.study.store.folder import (
    CONFIG,
    FIGURES,
    MANIFEST,
    RUN,
    SUMMARY,
    TRAJECTORY,
    Draft,
    checksums,
    read_json,
)

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

STATES = ("points", "radii", "density", "mean", "covariance")


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
        with Draft(path, RUN, force=force) as draft:
            draft.write(config, summary=summary, manifest=manifest, trajectory=trajectory.to_xarray())
            return RunFolder(draft.finish())

    @property
    def config(self) -> Config:
        """The config of the run."""
        return Config.from_toml(self.path / CONFIG)

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run; `out` is where the folder is now."""
        return {**read_json(self.path / SUMMARY), "out": str(self.path)}

    @property
    def manifest(self) -> dict[str, Any]:
        """Versions, device, dtype, seeds, wall time and date of the run."""
        return read_json(self.path / MANIFEST)

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
        if checksums(dataset) != self.manifest.get("checksums"):
            raise FileError(f"{self.path / TRAJECTORY} is damaged: it does not hold the numbers that were written")
        try:
            return _trajectory(dataset, self.config.resolved(), self.summary)
        except TokenfieldError:
            raise
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise FileError(f"{self.path} is damaged: its parts do not fit together ({error!r})") from error


def _trajectory(dataset: Any, config: Config, summary: Mapping[str, Any]) -> Trajectory:
    import jax.numpy as jnp

    from tokenfield.measure import Measure
    from tokenfield.model.summing import choose_sums
    from tokenfield.solver.result import Result
    from tokenfield.solver.trajectory import Stats, Trajectory
    from tokenfield.study.builders import build_model

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
    import numpy as np

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
    from tokenfield.study.builders import build_grid

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
