"""The figures of a run: which of `tokenfield.plot` fit it, drawn into a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tokenfield._runtime.files import make_folder
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.geometry import Sphere
from tokenfield.observables.energy import has_energy
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study.kinds import DENSITY, GAUSSIAN

MOVIES = ("circle", "sphere", "space", "density")
LARGEST_FIGURE_PAIRS = 2e10  # pair interactions over all saved times: beyond, drawing would take minutes

Note = Callable[[str], None]


def draw(
    run: Trajectory, folder: str | Path, *, format: str = "png", animate: str | None = None, note: Note = lambda m: None
) -> list[Path]:
    """The figures of `run`, drawn into `folder`: those that make sense for its geometry, dimension and size."""
    from tokenfield import plot  # here, because a run without figures should not wait for matplotlib

    folder = Path(folder)
    make_folder(folder)
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


def figure_names(run: Trajectory, *, note: Note = lambda message: None) -> tuple[str, ...]:
    """The names of the functions of `tokenfield.plot` that fit `run`."""
    if run.states is None:
        note("no figures: the run kept no states along the way")
        return ()
    if run.kind == DENSITY:
        has_curve = len(run) > 1 and has_energy(run.model)
        return ("density", *(["spectrum"] if len(run) > 1 else []), *(["energy"] if has_curve else []))
    if run.kind == GAUSSIAN:
        return ("gaussian", *(["covariance_cone"] if run.final.d == 2 else []))
    is_sphere, d = isinstance(run.model.geometry, Sphere), run.final.d
    names: list[str] = []
    if is_sphere and d <= 3:
        names.append("circle" if d == 2 else "sphere")
    if not is_sphere and d in (2, 3):
        names.append("space")
    if len(run) > 1:
        if len(run) * run.final.n**2 <= LARGEST_FIGURE_PAIRS:
            names += [*(["energy"] if has_energy(run.model) else []), *(["histogram"] if is_sphere else [])]
        else:
            note("too many tokens to draw the energy and the histogram of cosines along the run")
        names += ["cluster_count", "merge_tree", *(["radii"] if run.model.has_radius else [])]
    return tuple(names)
