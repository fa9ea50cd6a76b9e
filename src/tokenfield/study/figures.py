"""The figures of a run: which of `tokenfield.plot` fit it, drawn into a folder."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tokenfield._runtime.files import make_folder
from tokenfield._runtime.phases import phase
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.geometry import Sphere
from tokenfield.model.summing import choose_sums
from tokenfield.observables.energy import has_energy
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study.kinds import DENSITY, GAUSSIAN, TOKENS
from tokenfield.sums import Choice

MOVIES = ("circle", "sphere", "space", "density")
LONGEST_ENERGY_S = 30.0  # over all saved times
DRAWING = ("matplotlib.backends.backend_agg", "matplotlib.figure")  # what takes longest to import, fonts included

Note = Callable[[str], None]


@phase("figures")
def draw(
    run: Trajectory, folder: str | Path, *, format: str = "png", animate: str | None = None, note: Note = lambda m: None
) -> list[Path]:
    """The figures of `run`, drawn into `folder`: those that make sense for its geometry, dimension and size."""
    from tokenfield import plot  # here, because a run without figures should not wait for matplotlib

    folder = Path(folder)
    make_folder(folder)
    if run.kind == TOKENS and run.model.sums is None and any(choice.expansion for choice in _sums(run)):
        run = dataclasses.replace(run, model=run.model.with_sums(_sums(run)))  # one that was read does not know them
    drawn: list[Path] = []
    for name in figure_names(run, note=note):
        try:
            picture = getattr(plot, name)(run)
            suffixes = [format, animate] if animate and name in MOVIES else [format]
            drawn.extend(picture.save(folder / f"{name}.{suffix}") for suffix in suffixes)
        except FileError:
            raise
        except TokenfieldError as error:
            note(f"no figure '{name}': {error}")
    return drawn


def _sums(run: Trajectory) -> tuple[Choice, ...]:
    """How each head sums over the tokens of `run`."""
    ts = np.asarray(run.ts, float)
    return run.model.sums or choose_sums(run.model, run.final, t0=float(ts[0]), t1=float(ts[-1]))


def figure_names(run: Trajectory, *, note: Note = lambda message: None) -> tuple[str, ...]:
    """The names of the functions of `tokenfield.plot` that fit `run`."""
    if run.states is None:
        note("no figures: the run kept no states along the way")
        return ()
    if run.kind == DENSITY and (run.model.position or not isinstance(run.model.geometry, Sphere)):
        return ("density",)
    if run.kind == DENSITY:
        has_curve = len(run) > 1 and has_energy(run.model)
        return ("density", *(["spectrum"] if len(run) > 1 else []), *(["energy"] if has_curve else []))
    if run.kind == GAUSSIAN:
        return ("gaussian", *(["covariance_cone"] if run.final.d == 2 and not run.model.position else []))
    is_sphere, d = isinstance(run.model.geometry, Sphere), run.final.d
    names: list[str] = []
    if is_sphere and d <= 3:
        names.append("circle" if d == 2 else "sphere")
    if not is_sphere and d in (2, 3):
        names.append("space")
    if len(run) > 1:
        if has_energy(run.model):
            seconds = len(run) * sum(choice.seconds for choice in _sums(run))
            if seconds <= LONGEST_ENERGY_S:
                names.append("energy")
            else:
                note(f"no figure of the energy: its sums over all pairs would take {seconds / 60:.1f} minutes")
        # in R^d angles say most where there is no picture of the tokens themselves
        names += ["histogram"] if (is_sphere or d > 3) and run.final.n > 1 else []
        names += ["cluster_count", "merge_tree", *(["radii"] if run.model.has_radius else [])]
    return tuple(names)
