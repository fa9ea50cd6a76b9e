"""From a config to a finished run folder: build, solve, summarize, write, draw. What the command line calls."""

from __future__ import annotations

import datetime
import platform
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield import flow, observables, plot
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model import Transformer
from tokenfield.observables.energy import has_energy
from tokenfield.study.build import build_events, build_save
from tokenfield.study.config import Config
from tokenfield.study.store import Draft, RunFolder
from tokenfield.trajectory import Trajectory

MOVIES = ("circle", "sphere", "space")
LARGEST_FIGURE_PAIRS = 2e10  # pair interactions over all saved times: beyond, drawing would take minutes

Note = Callable[[str], None]
Ends = dict[str, float]


def simulate(
    config: Config,
    out: str | Path,
    *,
    force: bool = False,
    numbered: bool = False,
    progress: bool | None = None,
    note: Note = lambda message: None,
) -> RunFolder:
    """The finished run folder of `config` at `out`, or at the first free `out-NUMBER` if `numbered`.

    Ctrl-C during the solve keeps what is done, with the result "interrupted". `note` is told what was left out.
    """
    started = time.perf_counter()
    config = config.resolved()
    # the folder is made before the work, so that a place that cannot be written is known at once
    with Draft(out, force=force, numbered=numbered) as draft:
        run, tokens = solve_config(config, progress=progress)
        summary = summarize(run, tokens, t0=config.solve.t0)
        draft.write(run, config, summary=summary, manifest=describe_run(config, time.perf_counter() - started))
        if config.output.figures:
            try:
                draw(run, draft.figures, format=config.output.format, note=note)
            except KeyboardInterrupt:
                note("interrupted: the remaining figures were not drawn")
            except FileError as error:  # a disk that fills up now must not cost the data, which is written
                note(f"the remaining figures were not drawn: {error}")
        return draft.finish()


def solve_config(config: Config, *, progress: bool | None = None) -> tuple[Trajectory, Measure]:
    """The trajectory of `config`, and the tokens that it started from."""
    model, tokens = config.build()
    options = config.solve
    run = flow.solve(
        model,
        tokens,
        t1=options.t1,
        t0=options.t0,
        method=options.method,
        step=options.step,
        layers=options.layers,
        rtol=options.rtol,
        atol=options.atol,
        norm=options.norm,
        save=build_save(config, model),
        events=build_events(config, model),
        max_steps=options.max_steps,
        progress=progress,
    )
    return run, tokens


def summarize(run: Trajectory, tokens: Measure, *, t0: float = 0.0) -> dict[str, Any]:
    """The numbers of a run that are printed and kept in summary.json; `tokens` are those at the start `t0`."""
    energy, normalized_energy = _first_and_last_energies(run, tokens, t0)
    return {
        "result": run.result.name,
        "message": str(run.result),
        "is_complete": run.result.is_complete,
        "t": float(run.result.t),
        "n": run.final.n,
        "dim": run.final.d,
        "geometry": "sphere" if isinstance(run.model.geometry, Sphere) else "euclidean",
        "clusters": _clusters(run),
        "energy": energy,
        "normalized_energy": normalized_energy,
        "radius": _first_and_last_radii(run, tokens),
        "steps": int(run.stats.accepted),
        "rejected_steps": int(run.stats.rejected),
        "saved_times": len(run),
        "wall_s": float(run.stats.wall_s),
    }


def _first_and_last_energies(run: Trajectory, tokens: Measure, t0: float) -> tuple[Ends | None, Ends | None]:
    """The energy at the start and at the end, as it is and normalized; `None` where no energy drives the model."""
    if not has_energy(run.model):
        return None, None
    ends = ((tokens, t0), (run.final, run.result.t))
    first, last = (_energies(mu, run.model, jnp.asarray(t)) for mu, t in ends)
    plain, scaled = ({"first": float(a), "last": float(b)} for a, b in zip(first, last, strict=True))
    return plain, scaled


def _first_and_last_radii(run: Trajectory, tokens: Measure) -> Ends | None:
    """The mean length of the residual stream at the start and at the end; `None` where it does not change."""
    if not run.model.has_radius or tokens.radii is None or run.final.radii is None:
        return None
    return {"first": float(tokens.weights @ tokens.radii), "last": float(run.final.weights @ run.final.radii)}


@eqx.filter_jit
def _energies(mu: Measure, model: Transformer, t: Array) -> tuple[Array, Array]:
    # compiled together, the two share their one pass over all pairs
    return observables.energy(mu, model, t), observables.energy(mu, model, t, normalized=True)


def _clusters(run: Trajectory) -> dict[str, Any]:
    if not np.all(np.isfinite(np.asarray(run.final.points))):
        return {"count": None, "sizes": [], "delta": None}  # a flow that blew up has no clusters
    clusters = run.clusters()
    return {"count": int(clusters.count), "sizes": [int(s) for s in clusters.sizes], "delta": float(clusters.delta)}


def describe_run(config: Config, wall_s: float) -> dict[str, Any]:
    """What else one needs to know about a run: versions, device, dtype, seeds, wall time in all, date."""
    device = jax.devices()[0]
    names = ("tokenfield", "jax", "jaxlib", "equinox", "diffrax", "numpy", "xarray", "zarr")
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in names}},
        "platform": platform.platform(),
        "device": {"platform": device.platform, "kind": device.device_kind},
        "dtype": config.solve.dtype,
        "seed": config.initial.seed,
        "schedule_seed": config.schedule.seed,
        "noise_seed": None if config.noise is None else config.noise.seed,
        "perceptron_seed": None if config.perceptron is None else config.perceptron.seed,
        "wall_s": wall_s,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def draw(
    run: Trajectory, folder: str | Path, *, format: str = "png", animate: str | None = None, note: Note = lambda m: None
) -> list[Path]:
    """The figures of `run`, drawn into `folder`: those that make sense for its geometry, dimension and size."""
    folder = Path(folder)
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
    if run.points is None:
        note("no figures: the run kept no tokens along the way")
        return ()
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
