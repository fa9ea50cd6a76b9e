"""`Trajectory`: what `solve` returns. Times, tokens, observables, and how the flow ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import equinox as eqx
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.model import Transformer

if TYPE_CHECKING:
    import xarray

    from tokenfield.observables.clusters import Clusters, MergeTree

FINISHED, OUT_OF_STEPS, STUCK, INTERRUPTED, BLEW_UP = range(5)
FIRST_EVENT = 16  # codes from here on count the caller's events

_NAMES = {
    FINISHED: "finished",
    OUT_OF_STEPS: "out-of-steps",
    STUCK: "stuck",
    INTERRUPTED: "interrupted",
    BLEW_UP: "blew-up",
}


class Result(eqx.Module):
    """How a flow ended: `name` is one of finished, out-of-steps, stuck, interrupted, blew-up, or an event's name.

    `code` and `t` are arrays, so that a result can be batched by `jax.vmap`.
    """

    code: Array
    t: Array
    events: tuple[str, ...] = eqx.field(static=True, default=())

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
        return {
            FINISHED: f"finished at {at}",
            OUT_OF_STEPS: f"ran out of steps at {at}: raise max_steps, or loosen rtol",
            STUCK: f"stuck at {at}: the step size fell to rounding, as when attention jumps or a radius reaches zero",
            INTERRUPTED: f"interrupted at {at}",
            BLEW_UP: f"blew up at {at}",
        }.get(int(self.code)) or f"stopped by {self.name} at {at}"


class Stats(eqx.Module):
    """What the solver spent: accepted and rejected steps, and wall-clock seconds (0 inside `jax.jit`)."""

    accepted: Array
    rejected: Array
    wall_s: Array


class Trajectory(eqx.Module):
    """A solved flow: `ts` (T,), `points` (T, n, d) or `None`, `weights` (n,), saved `observables`, `final`, `result`.

    `final` is the measure at the end even when no tokens were saved. `radii` (T, n) are the lengths of the residual
    stream where the normalization lets them change, else `None`.
    """

    ts: Array
    points: Array | None
    observables: Mapping[str, Array]
    final: Measure
    result: Result
    stats: Stats
    model: Transformer
    radii: Array | None = None

    def __len__(self) -> int:
        return len(self.ts)

    @property
    def weights(self) -> Array:
        """The weights of the tokens, shape (n,)."""
        return self.final.weights

    @property
    def saved_points(self) -> Array:
        """`points`, or an error that says how to save them."""
        if self.points is None:
            raise InvalidInput("this run kept no tokens along the way: solve with save=Save(..., tokens=True)")
        return self.points

    def measure(self, index: int = -1) -> Measure:
        """The measure at the saved time `ts[index]`."""
        if self.points is None and index in (-1, len(self.ts) - 1):
            return self.final
        return self.final.moved(self.saved_points[index], self.final.radii if self.radii is None else self.radii[index])

    def along(self, observable: Any) -> np.ndarray:
        """`observable(t, measure)` at each saved time, stacked along the first axis."""
        return np.stack([np.asarray(observable(t, self.measure(i))) for i, t in enumerate(np.asarray(self.ts))])

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

    def to_xarray(self) -> xarray.Dataset:
        """The run as a labelled dataset: dimensions time, token, axis."""
        import xarray

        data: dict[str, Any] = {
            "weights": ("token", np.asarray(self.weights)),
            "positions": ("token", np.asarray(self.final.positions)),
        }
        if self.points is not None:
            data["points"] = (("time", "token", "axis"), np.asarray(self.points))
        data["final"] = (("token", "axis"), np.asarray(self.final.points))
        if self.radii is not None:
            data["radii"] = (("time", "token"), np.asarray(self.radii))
        if self.final.radii is not None:
            data["final_radii"] = ("token", np.asarray(self.final.radii))
        for name, saved in self.observables.items():
            values = np.asarray(saved)
            extra = tuple(f"{name}_{axis}" for axis in range(values.ndim - 1))
            data[name] = (("time", *extra), values)
        attributes = {"result": self.result.name, "t": float(self.result.t)}
        return xarray.Dataset(data, coords={"time": np.asarray(self.ts)}, attrs=attributes)
