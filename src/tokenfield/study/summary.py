"""The summary of a run: the numbers that are printed and kept. Plain data from a `Trajectory`; nothing is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tokenfield import observables
from tokenfield._runtime.arrays import as_array
from tokenfield._runtime.phases import phase
from tokenfield.geometry import Sphere
from tokenfield.laws import Density, Gaussian, MaskedGaussian, MovingDensity
from tokenfield.laws.gaussian import limit_rank
from tokenfield.laws.masked_gaussian import AnyGaussian
from tokenfield.measure import Measure
from tokenfield.model.summing import share_summed_directly
from tokenfield.observables.degrees import degree_amplitudes, dominant_degree
from tokenfield.observables.energy import has_energy
from tokenfield.solver.merging.mergers import Mergers
from tokenfield.solver.trajectory import Trajectory, both_energies
from tokenfield.study.builders.start import Law
from tokenfield.study.kinds import DENSITY, GAUSSIAN, TOKENS
from tokenfield.sums import device_count

FLAT = 1e-2  # eigenvalues of a covariance below this part of the largest do not count for its rank

MANY_TOKENS = 10_000  # from here on it is said that many of them were summed directly
SLOW_SHARE = 0.01  # of the tokens: direct sums of these take longer than the fast one of all

Ends = dict[str, float]


def summarize(run: Trajectory, start: Law, *, t0: float = 0.0) -> dict[str, Any]:
    """The numbers of a run that are printed and kept in its folder; `start` is the law at the start `t0`."""
    energy, normalized_energy = _first_and_last_energies(run, start, t0)
    kinds: dict[str, Callable[[Trajectory, Any], dict[str, Any]]]
    kinds = {TOKENS: _of_tokens, DENSITY: _of_density, GAUSSIAN: _of_gaussian}
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


def slow_sums(run: Trajectory, start: Law, t0: float) -> str | None:
    """That many tokens were summed directly where a fast sum was chosen, in words; `None` if few were.

    Python is told by a `SlowSums` warning. Commands keep their programs, and none that is kept can call back; so they
    look at both ends of the run: two more fast sums.
    """
    final, model = run.final, run.model
    if not isinstance(start, Measure) or not isinstance(final, Measure) or min(start.n, final.n) < MANY_TOKENS:
        return None
    if model.sums is None or all(choice.expansion is None for choice in model.sums) or device_count() > 1:
        return None
    ends = ((t0, start), (float(run.result.t), final))
    shares = [float(share_summed_directly(model, mu, as_array(t, run.ts.dtype))) for t, mu in ends]
    if max(shares) < SLOW_SHARE:
        return None
    return (
        f"{shares[0]:.1%} of the tokens at the start and {shares[1]:.1%} at the end were summed directly, which takes "
        "far longer: they are alone, out of reach of the fast sum, or asked for too exactly; a larger rtol, "
        "a smaller beta or fewer tokens are faster"
    )


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


def _of_density(run: Trajectory, start: Any) -> dict[str, Any]:
    mass, least = (np.asarray(run.observables[name]) for name in ("mass", "smallest_density"))
    lost = float(run.result.t) if run.result.name == "under-resolved" else float(run.result.unresolved_from)
    first, last = (float(observables.order_parameter(rho)) for rho in (start, run.final))
    common = {
        "grid": type(run.final.grid).__name__.lower(),
        "nodes": run.final.n,
        "mass_error": float(np.abs(mass - 1).max()),
        "smallest_density": float(least.min()),
        "unresolved_from": lost if np.isfinite(lost) else None,
        "order_parameter": {"first": first, "last": last},
    }
    if not isinstance(run.final, Density):
        none: dict[str, Any] = {"clusters": {"count": None, "sizes": [], "delta": None}, "dominant_degree": None}
        own = _of_moving(run, start) if isinstance(run.final, MovingDensity) else _of_masked(run, start)
        return common | none | own
    values = np.asarray(run.final.values)[None] if run.states is None else np.asarray(run.saved("density"))
    return common | {
        "clusters": {"count": observables.density_clusters(run.final), "sizes": [], "delta": None},
        "dominant_degree": dominant_degree(degree_amplitudes(run.final.grid, values)[:, 1:]),
    }


def _of_moving(run: Trajectory, start: MovingDensity) -> dict[str, Any]:
    """What a density in R^d has and others have not."""
    traces, radii = ([float(of(law)) for law in (start, run.final)] for of in (_trace, lambda law: law.radius))
    return {
        "trace": {"first": traces[0], "last": traces[1]},
        "support_radius": {"first": radii[0], "last": radii[1]},
    }


def _of_masked(run: Trajectory, start: Any) -> dict[str, Any]:
    """What a density for each position has and others have not."""
    kept = np.abs(np.asarray(run.final.marginal) - np.asarray(start.shares)).max()
    return {"positions": len(start.shares), "marginal_error": float(kept)}


def _trace(law: MovingDensity) -> float:
    return float(np.trace(np.asarray(law.covariance)))


def _of_gaussian(run: Trajectory, start: AnyGaussian) -> dict[str, Any]:
    first, last = (np.asarray(mu.covariance, float) for mu in (start, run.final))
    is_finite = bool(np.all(np.isfinite(last)))
    values = np.linalg.eigvalsh(last)[::-1] if is_finite else np.full(len(last), np.nan)
    lengths = [float(observables.order_parameter(mu)) for mu in (start, run.final)]
    own = _of_masked(run, start) if isinstance(start, MaskedGaussian) else {}
    return {
        **own,
        "clusters": {"count": 1, "sizes": [], "delta": None},
        "trace": {"first": float(np.trace(first)), "last": float(np.trace(last))},
        "eigenvalues": values.tolist(),
        "rank": _rank(run) if is_finite else None,
        "order_parameter": {"first": lengths[0], "last": lengths[1]},
        "blow_up_time": float(run.result.t) if run.result.name == "blew-up" else None,
    }


def _rank(run: Trajectory) -> Any:
    """The rank of the limit, as `limit_rank` estimates it from the way there; else that of the end."""
    if run.states is not None:
        return limit_rank(run, tolerance=FLAT)
    return Gaussian(run.final.mean, run.final.covariance).rank(tolerance=FLAT)


@phase("energies")
def _first_and_last_energies(run: Trajectory, start: Law, t0: float) -> tuple[Ends | None, Ends | None]:
    """The energy at the start and at the end, as it is and normalized; `None` where no energy drives the model."""
    if not has_energy(run.model) or not isinstance(start, (Measure, Density)):
        return None, None
    ends = ((start, t0), (run.final, run.result.t))
    # the times as arrays of one type: else they would be two compilations
    first, last = (both_energies(mu, run.model, as_array(t, run.ts.dtype)) for mu, t in ends)
    plain, scaled = ({"first": float(a), "last": float(b)} for a, b in zip(first, last, strict=True))
    return plain, scaled


def _first_and_last_radii(run: Trajectory, tokens: Measure) -> Ends | None:
    """The mean length of the residual stream at the start and at the end; `None` where it does not change."""
    if not run.model.has_radius or tokens.radii is None or run.final.radii is None:
        return None
    return {"first": float(tokens.weights @ tokens.radii), "last": float(run.final.weights @ run.final.radii)}


@phase("clusters")
def _clusters(run: Trajectory) -> dict[str, Any]:
    if not np.all(np.isfinite(np.asarray(run.final.points))):
        return {"count": None, "sizes": [], "delta": None}  # a flow that blew up has no clusters
    clusters = run.clusters()
    return {"count": int(clusters.count), "sizes": [int(s) for s in clusters.sizes], "delta": float(clusters.delta)}
