"""`Trajectory`: what `solve` returns. Times, tokens, observables, and how the flow ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import equinox as eqx
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer

if TYPE_CHECKING:
    import xarray

    from tokenfield.observables.clusters import Clusters
    from tokenfield.observables.tree import MergeTree
    from tokenfield.solver.merging.mergers import Mergers, Plateau

FINISHED, OUT_OF_STEPS, STUCK, INTERRUPTED, BLEW_UP, UNDER_RESOLVED = range(6)
FIRST_EVENT = 16  # codes from here on count the caller's events

_NAMES = {
    FINISHED: "finished",
    OUT_OF_STEPS: "out-of-steps",
    STUCK: "stuck",
    INTERRUPTED: "interrupted",
    BLEW_UP: "blew-up",
    UNDER_RESOLVED: "under-resolved",
}


def code_of(name: str) -> int:
    """The code of a way to end, by its name."""
    return next(code for code, known in _NAMES.items() if known == name)


class Result(eqx.Module):
    """How a flow ended: `name` is one of finished, out-of-steps, stuck, interrupted, blew-up, under-resolved, or an
    event's name.

    `code` and `t` are arrays, so that a result can be batched by `jax.vmap`. `unresolved_from` is the first saved time
    at which a density was too rough for its grid, infinite if it never was.
    """

    code: Array
    t: Array
    events: tuple[str, ...] = eqx.field(static=True, default=())
    unresolved_from: Array | float = np.inf

    @property
    def name(self) -> str:
        """One word for the end of a single flow."""
        code = int(self.code)
        return self.events[code - FIRST_EVENT] if code >= FIRST_EVENT else _NAMES[code]

    @property
    def is_complete(self) -> bool:
        """Whether the flow reached its final time or one of the caller's events."""
        return int(self.code) == FINISHED or int(self.code) >= FIRST_EVENT

    def __str__(self) -> str:
        if np.ndim(self.code):
            return f"{np.size(self.code)} flows, {int(np.sum(np.asarray(self.code) == FINISHED))} finished"
        at = f"t = {float(self.t):.6g}"
        lost = float(self.unresolved_from)
        note = f"; under-resolved from t = {lost:.6g}: take more cells" if np.isfinite(lost) else ""
        return self._sentence(at) + note

    def _sentence(self, at: str) -> str:
        return {
            FINISHED: f"finished at {at}",
            OUT_OF_STEPS: f"ran out of steps at {at}: raise max_steps, or loosen rtol",
            STUCK: f"stuck at {at}: the step size fell to rounding, as when attention jumps or a radius reaches zero",
            INTERRUPTED: f"interrupted at {at}",
            BLEW_UP: f"blew up at {at}",
            UNDER_RESOLVED: f"under-resolved at {at}: take more nodes, or cells on the circle, which go on",
        }.get(int(self.code)) or f"stopped by {self.name} at {at}"


class Stats(eqx.Module):
    """What the solver spent: accepted and rejected steps, and wall-clock seconds (0 inside `jax.jit`)."""

    accepted: Array
    rejected: Array
    wall_s: Array


class Trajectory(eqx.Module):
    """A solved flow: `ts` (T,), saved `states` and `observables`, `final`, `result`.

    `states` are arrays by name, each with time first, or `None` if they were not saved: of tokens `points` (T, n, d),
    and `radii` (T, n) where the normalization lets lengths change; of densities `density` (T, m); of Gaussians `mean`
    (T, d) and `covariance` (T, d, d). `final` is the measure, density or Gaussian at the end, always there.
    `mergers` are the clusters that joined, with `solve(merge=...)`; `notes` say in words how the flow was reduced.
    """

    ts: Array
    states: Mapping[str, Array] | None
    observables: Mapping[str, Array]
    final: Any  # Measure | Density | Gaussian
    result: Result
    stats: Stats
    model: Transformer
    mergers: Mergers | None = eqx.field(static=True, default=None)
    notes: tuple[str, ...] = eqx.field(static=True, default=())

    def __len__(self) -> int:
        return len(self.ts)

    @property
    def kind(self) -> str:
        """How the measure was held: tokens, density or gaussian."""
        return {"Measure": "tokens", "Density": "density", "Gaussian": "gaussian"}[type(self.final).__name__]

    @property
    def points(self) -> Array | None:
        """The tokens (T, n, d), or `None` if they were not saved, or are none."""
        return None if self.states is None else self.states.get("points")

    @property
    def radii(self) -> Array | None:
        """The lengths (T, n) of the residual stream where they change, else `None`."""
        return None if self.states is None else self.states.get("radii")

    @property
    def weights(self) -> Array:
        """The weights of the tokens, shape (n,)."""
        return self.final.weights

    @property
    def saved_points(self) -> Array:
        """`points`, or an error that says how to save them."""
        if self.kind != "tokens":
            raise InvalidInput(f"this is the run of a {self.kind}, which has no tokens")
        return self.saved("points")

    def saved(self, name: str) -> Array:
        """The states called `name`, with time first, or an error that says how to save them."""
        return self._kept[name]

    @property
    def _kept(self) -> Mapping[str, Array]:
        if self.states is None:
            what = "tokens" if self.kind == "tokens" else "states"
            raise InvalidInput(f"this run kept no {what} along the way: solve with save=Save(..., tokens=True)")
        return self.states

    def state(self, index: int = -1) -> Any:
        """The measure, density or Gaussian at the saved time `ts[index]`."""
        if self.states is None and index in (-1, len(self.ts) - 1):
            return self.final
        return self.final.at(**{name: values[index] for name, values in self._kept.items()})

    def measure(self, index: int = -1) -> Measure:
        """The tokens at the saved time `ts[index]`, or a density as a weighted measure on its nodes."""
        state = self.state(index)
        if self.kind == "gaussian":
            raise InvalidInput("a Gaussian is no finite sum of tokens: draw some with state().sample")
        return state.measure() if self.kind == "density" else state

    def along(self, observable: Any) -> np.ndarray:
        """`observable(t, state)` at each saved time, stacked along the first axis; see `state`."""
        return np.stack([np.asarray(observable(t, self.state(i))) for i, t in enumerate(np.asarray(self.ts))])

    def energy(self, *, normalized: bool = False) -> np.ndarray:
        """The interaction energy E_beta at each saved time; see `tokenfield.observables.energy`."""
        from tokenfield.observables import energy_along

        return energy_along(self, normalized=normalized)

    def clusters(self, index: int = -1, *, delta: float | None = None) -> Clusters:
        """The clusters at the saved time `ts[index]`; see `tokenfield.observables.clusters`."""
        from tokenfield.observables import cluster_scale, clusters

        scale = cluster_scale(self.model, float(self.ts[index])) if delta is None else delta
        return clusters(self.measure(index), self.model.geometry, delta=scale)

    def cluster_counts(self, *, delta: float | None = None) -> np.ndarray:
        """The number of clusters at each saved time, shape (T,)."""
        return np.array([self.clusters(i, delta=delta).count for i in range(len(self.ts))])

    def merge_tree(self, *, delta: float | None = None) -> MergeTree:
        """Which tokens are together for good from when on; see `tokenfield.observables.merge_tree`."""
        from tokenfield.observables import merge_tree

        return merge_tree(self, delta=delta)

    @property
    def plateaus(self) -> tuple[Plateau, ...]:
        """The plateaus of a run with merging: from when to when, how many clusters, their masses, the energy."""
        return self._merged.plateaus

    @property
    def escape_times(self) -> np.ndarray:
        """The times at which the plateaus of a run with merging ended."""
        return self._merged.escape_times

    @property
    def _merged(self) -> Mergers:
        if self.mergers is None:
            raise InvalidInput("this run did not merge collapsed clusters: solve with merge=True")
        return self.mergers

    def to_xarray(self) -> xarray.Dataset:
        """The run as a labelled dataset: dimensions time, and token and axis, or node, or row and column."""
        import xarray

        data: dict[str, Any] = {}
        for name, states in (self.states or {}).items():
            data[name] = (("time", *_DIMENSIONS[name]), np.asarray(states))
        for name, part in _parts(self.final).items():
            data[name] = (_DIMENSIONS[name.removeprefix("final_")], np.asarray(part))
        for name, saved in self.observables.items():
            values = np.asarray(saved)
            extra = tuple(f"{name}_{axis}" for axis in range(values.ndim - 1))
            data[name] = (("time", *extra), values)
        if self.mergers is not None and len(self.mergers):
            data["merger_times"] = (("merger",), self.mergers.times)
            data["merger_parts"] = (("merger", "part"), self.mergers.parts)
            data["merger_masses"] = (("merger", "part"), self.mergers.masses)
        attributes: dict[str, Any] = {"result": self.result.name, "t": float(self.result.t)}
        if np.isfinite(float(self.result.unresolved_from)):
            attributes["unresolved_from"] = float(self.result.unresolved_from)
        return xarray.Dataset(data, coords={"time": np.asarray(self.ts)}, attrs=attributes)


_DIMENSIONS = {
    "points": ("token", "axis"),
    "final": ("token", "axis"),
    "weights": ("token",),
    "positions": ("token",),
    "radii": ("token",),
    "density": ("node",),
    "nodes": ("node", "axis"),
    "node_weights": ("node",),
    "mean": ("axis",),
    "covariance": ("axis", "axis2"),
}


def _parts(final: Any) -> dict[str, Any]:
    """The arrays that make up the law at the end of a run."""
    if isinstance(final, Measure):
        parts = {"weights": final.weights, "positions": final.positions, "final": final.points}
        return parts if final.radii is None else parts | {"final_radii": final.radii}
    if hasattr(final, "grid"):
        return {"nodes": final.grid.points, "node_weights": final.grid.weights, "final_density": final.values}
    return {"final_mean": final.mean, "final_covariance": final.covariance}
