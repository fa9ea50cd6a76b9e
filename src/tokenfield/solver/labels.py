"""What the arrays of a run are called and which axes they have, in memory, in files and in xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield.measure import Measure

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

AXES = {
    "points": ("token", "axis"),
    "final": ("token", "axis"),
    "weights": ("token",),
    "positions": ("token",),
    "radii": ("token",),
    "density": ("node",),
    "masked": ("position", "node"),
    "masked_points": ("position", "node", "axis"),
    "masked_masses": ("position", "node"),
    "masked_mean": ("position", "axis"),
    "masked_covariance": ("position", "axis", "axis2"),
    "position_masses": ("position",),
    "nodes": ("node", "axis"),
    "node_weights": ("node",),
    "node_masses": ("node",),
    "mean": ("axis",),
    "covariance": ("axis", "axis2"),
}

_OTHERS = ("time", "merger", "part", "roughness", "merger_times", "merger_parts", "merger_masses")
# what a run calls something of its own: no names for observables
RESERVED = frozenset(
    (*_OTHERS, *AXES, *(f"final_{name}" for name in AXES), *(axis for axes in AXES.values() for axis in axes))
)


def parts_of(final: Any) -> dict[str, Any]:
    """The arrays that make up the law at the end of a run."""
    if isinstance(final, Measure):
        parts = {"weights": final.weights, "positions": final.positions, "final": final.points}
        return parts if final.radii is None else parts | {"final_radii": final.radii}
    if hasattr(final, "shares") and hasattr(final, "masses"):
        parts = {"final_masked_points": final.points, "masked_masses": final.masses}
        return parts | {"position_masses": final.shares}
    if hasattr(final, "covariances"):
        parts = {"final_masked_mean": final.means, "final_masked_covariance": final.covariances}
        return parts | {"position_masses": final.shares}
    if hasattr(final, "shares"):
        return {"final_masked": final.values, "position_masses": final.shares}
    if hasattr(final, "masses"):
        return {"final_nodes": final.points, "node_masses": final.masses}
    if hasattr(final, "grid"):
        return {"nodes": final.grid.points, "node_weights": final.grid.weights, "final_density": final.values}
    return {"final_mean": final.mean, "final_covariance": final.covariance}


def labelled(run: Trajectory) -> tuple[dict[str, tuple[tuple[str, ...], np.ndarray]], dict[str, Any]]:
    """The dimensions and values of each array of `run` by its name, and the attributes of them all."""
    data: dict[str, Any] = {"time": (("time",), np.asarray(run.ts))}
    for name, states in (run.states or {}).items():
        data[name] = (("time", *AXES[name]), np.asarray(states))
    for name, part in parts_of(run.final).items():
        data[name] = (AXES[name.removeprefix("final_")], np.asarray(part))
    for name, saved in run.observables.items():
        values = np.asarray(saved)
        extra = tuple(f"{name}_{axis}" for axis in range(values.ndim - 1))
        data[name] = (("time", *extra), values)
    if run.mergers is not None and len(run.mergers):
        data["merger_times"] = (("merger",), run.mergers.times)
        data["merger_parts"] = (("merger", "part"), run.mergers.parts)
        data["merger_masses"] = (("merger", "part"), run.mergers.masses)
    stats = run.stats
    attributes: dict[str, Any] = {
        "result": run.result.name,
        "t": float(run.result.t),
        "events": list(run.result.events),
        "steps": int(stats.accepted),
        "rejected_steps": int(stats.rejected),
        "wall_s": float(stats.wall_s),
        "notes": list(run.notes),
        "observables": list(run.observables),
    }
    if run.mergers is not None:
        attributes["mergers"] = run.mergers.to_json()
    if np.isfinite(float(run.result.unresolved_from)):
        attributes["unresolved_from"] = float(run.result.unresolved_from)
    return data, attributes
