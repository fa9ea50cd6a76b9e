"""From a config to a finished run folder: build, solve, summarize, write, draw. What the command line calls."""

from __future__ import annotations

import dataclasses
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

from tokenfield import observables, plot
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.geometry import Sphere
from tokenfield.laws import Density, Gaussian
from tokenfield.laws.gaussian import limit_rank
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.observables.degrees import degree_amplitudes, dominant_degree
from tokenfield.observables.energy import has_energy
from tokenfield.solver import solve as flow
from tokenfield.solver.merging.mergers import Mergers
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study.build import build_events, build_save
from tokenfield.study.config import Config
from tokenfield.study.store import Draft, RunFolder

MOVIES = ("circle", "sphere", "space", "density")
LARGEST_FIGURE_PAIRS = 2e10  # pair interactions over all saved times: beyond, drawing would take minutes

FLAT = 1e-2  # eigenvalues of a covariance below this part of the largest do not count for its rank

Law = Measure | Density | Gaussian
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
        run, start = solve_config(config, progress=progress)
        summary = summarize(run, start, t0=config.solve.t0)
        for reduction in run.notes:
            note(reduction)
        if run.result.name == "under-resolved" or np.isfinite(float(run.result.unresolved_from)):
            note(str(run.result))
        draft.write(run, config, summary=summary, manifest=describe_run(config, time.perf_counter() - started))
        if config.output.figures:
            try:
                draw(run, draft.figures, format=config.output.format, note=note)
            except KeyboardInterrupt:
                note("interrupted: the remaining figures were not drawn")
            except FileError as error:  # a disk that fills up now must not cost the data, which is written
                note(f"the remaining figures were not drawn: {error}")
        return draft.finish()


def solve_config(config: Config, *, progress: bool | None = None) -> tuple[Trajectory, Law]:
    """The trajectory of `config`, and the tokens, the density or the Gaussian that it started from."""
    model, start = config.build()
    options = config.solve
    run = flow.solve(
        model,
        start,
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
        merge=options.merge,
        clock=options.clock,
        speed=options.speed,
        max_steps=options.max_steps,
        progress=progress,
    )
    return run, start


def summarize(run: Trajectory, start: Law, *, t0: float = 0.0) -> dict[str, Any]:
    """The numbers of a run that are printed and kept in summary.json; `start` is the law at the start `t0`."""
    energy, normalized_energy = _first_and_last_energies(run, start, t0)
    kinds: dict[str, Callable[[Trajectory, Any], dict[str, Any]]]
    kinds = {"tokens": _of_tokens, "density": _of_density, "gaussian": _of_gaussian}
    return {
        "result": run.result.name,
        "message": str(run.result),
        "is_complete": run.result.is_complete,
        "t": float(run.result.t),
        "state": run.kind,
        "dim": run.final.d,
        "geometry": "sphere" if isinstance(run.model.geometry, Sphere) else "euclidean",
        **kinds[run.kind](run, start),
        "energy": energy,
        "normalized_energy": normalized_energy,
        "steps": int(run.stats.accepted),
        "rejected_steps": int(run.stats.rejected),
        "saved_times": len(run),
        "wall_s": float(run.stats.wall_s),
    }


def _of_tokens(run: Trajectory, start: Measure) -> dict[str, Any]:
    numbers = {"n": run.final.n, "clusters": _clusters(run), "radius": _first_and_last_radii(run, start)}
    return numbers if run.mergers is None else numbers | {"mergers": _mergers(run.mergers)}


def _mergers(mergers: Mergers) -> dict[str, Any]:
    """How often groups of tokens joined, and the plateaus; who joined whom is with the trajectory."""
    times = mergers.times
    return {
        "count": len(mergers),
        "last": float(times[-1]) if len(times) else None,
        "delta": mergers.delta,
        "plateaus": [{**dataclasses.asdict(plateau), "masses": list(plateau.masses)} for plateau in mergers.plateaus],
    }


def _of_density(run: Trajectory, start: Density) -> dict[str, Any]:
    mass, least = (np.asarray(run.observables[name]) for name in ("mass", "smallest_density"))
    lost = float(run.result.t) if run.result.name == "under-resolved" else float(run.result.unresolved_from)
    first, last = (float(observables.order_parameter(rho)) for rho in (start, run.final))  # type: ignore[arg-type]
    values = np.asarray(run.final.values)[None] if run.states is None else np.asarray(run.saved("density"))
    return {
        "grid": type(run.final.grid).__name__.lower(),
        "nodes": run.final.n,
        "clusters": {"count": _peaks(run.final), "sizes": [], "delta": None},
        "mass_error": float(np.abs(mass - 1).max()),
        "smallest_density": float(least.min()),
        "unresolved_from": lost if np.isfinite(lost) else None,
        "order_parameter": {"first": first, "last": last},
        "dominant_degree": dominant_degree(degree_amplitudes(run.final.grid, values)[:, 1:]),
    }


def _of_gaussian(run: Trajectory, start: Gaussian) -> dict[str, Any]:
    """The rank is that of the limit, as `limit_rank` estimates it."""
    first, last = (np.asarray(mu.covariance, float) for mu in (start, run.final))
    is_finite = bool(np.all(np.isfinite(last)))
    values = np.linalg.eigvalsh(last)[::-1] if is_finite else np.full(len(last), np.nan)
    lengths = [float(observables.order_parameter(mu)) for mu in (start, run.final)]  # type: ignore[arg-type]
    return {
        "clusters": {"count": 1, "sizes": [], "delta": None},
        "trace": {"first": float(np.trace(first)), "last": float(np.trace(last))},
        "eigenvalues": values.tolist(),
        "rank": None
        if not is_finite
        else run.final.rank(tolerance=FLAT)
        if run.states is None
        else limit_rank(run, tolerance=FLAT),
        "order_parameter": {"first": lengths[0], "last": lengths[1]},
        "blow_up_time": float(run.result.t) if run.result.name == "blew-up" else None,
    }


def _first_and_last_energies(run: Trajectory, start: Law, t0: float) -> tuple[Ends | None, Ends | None]:
    """The energy at the start and at the end, as it is and normalized; `None` where no energy drives the model."""
    if not has_energy(run.model) or isinstance(start, Gaussian):
        return None, None
    model, ends = run.model, ((start, t0), (run.final, run.result.t))
    if isinstance(start, Measure):
        # how to sum is chosen here, where numbers are known: inside compiled code sums would be direct, O(n^2)
        model = model.prepared(start, t0=t0, t1=max(float(run.result.t), t0))
    first, last = (_energies(mu, model, jnp.asarray(t)) for mu, t in ends)
    plain, scaled = ({"first": float(a), "last": float(b)} for a, b in zip(first, last, strict=True))
    return plain, scaled


def _first_and_last_radii(run: Trajectory, tokens: Measure) -> Ends | None:
    """The mean length of the residual stream at the start and at the end; `None` where it does not change."""
    if not run.model.has_radius or tokens.radii is None or run.final.radii is None:
        return None
    return {"first": float(tokens.weights @ tokens.radii), "last": float(run.final.weights @ run.final.radii)}


@eqx.filter_jit
def _energies(mu: Measure | Density, model: Transformer, t: Array) -> tuple[Array, Array]:
    # compiled together, the two share their one pass over all pairs
    return observables.energy(mu, model, t), observables.energy(mu, model, t, normalized=True)


def _peaks(rho: Density) -> int:
    """The clusters of a density, at least one: its modes on the circle, else the regions above half its maximum."""
    values, grid = np.asarray(rho.values, float), rho.grid
    if grid.d == 2:
        return max(observables.density_modes(values).count, 1)
    is_high = values > values.max() / 2
    if grid.is_orbit:
        return int(is_high[0]) + int(np.sum(is_high[1:] & ~is_high[:-1]))
    nodes = Measure(np.asarray(grid.points)[is_high], geometry=grid.geometry)
    # neighbors on one latitude, and on two, are at most this far apart
    return observables.clusters(nodes, grid.geometry, delta=2.5 * np.pi / np.sqrt(2 * grid.m)).count


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
    if run.states is None:
        note("no figures: the run kept no states along the way")
        return ()
    if run.kind == "density":
        has_curve = len(run) > 1 and has_energy(run.model)
        return ("density", *(["spectrum"] if len(run) > 1 else []), *(["energy"] if has_curve else []))
    if run.kind == "gaussian":
        wanted = ("gaussian", *(["covariance_cone"] if run.final.d == 2 else []))
        return tuple(name for name in wanted if hasattr(plot, name))
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
