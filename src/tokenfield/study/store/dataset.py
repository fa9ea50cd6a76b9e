"""From the dataset of a run, as `Trajectory.to_xarray` makes it, back to the `Trajectory`. JAX is imported late."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield.errors import FileError

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory
    from tokenfield.study.config import Config

STATES = (
    "points",
    "radii",
    "density",
    "masked",
    "masked_points",
    "masked_mean",
    "masked_covariance",
    "mean",
    "covariance",
)


def restored(
    dataset: Any, *, model: Any = None, config: Config | None = None, known: Mapping[str, Any] | None = None
) -> Trajectory:
    """The trajectory in a dataset, with the given `model`, or that of a `config`, or that which plain data `known` has.

    Raises `FileError` if none of them has it.
    """
    import jax.numpy as jnp

    from tokenfield.measure import Measure
    from tokenfield.model.summing import choose_sums
    from tokenfield.solver.result import Result
    from tokenfield.solver.trajectory import Stats, Trajectory

    arrays = {str(name): jnp.asarray(values.values) for name, values in dataset.data_vars.items()}
    attributes, ts = dataset.attrs, jnp.asarray(dataset["time"].values)
    events = tuple(attributes["events"])
    states = {name: arrays.pop(name) for name in STATES if name in arrays} or None
    model, grid = _model_and_grid(model, config, known)
    final = law_of(arrays, grid)
    if isinstance(final, Measure) and config is not None:
        # what is measured now sums in the way in which the run did
        t0, t1 = float(ts[0]), max(float(attributes["t"]), float(ts[0]) + 1e-300)
        model = model.with_sums(choose_sums(model, final, t0=t0, t1=t1))
    return Trajectory(
        ts=ts,
        states=states,
        observables={name: arrays[name] for name in attributes["observables"]},
        final=final,
        result=Result(
            jnp.asarray(Result.code_of(str(attributes["result"]), events)),
            jnp.asarray(attributes["t"], ts.dtype),
            events,
            float(attributes.get("unresolved_from", math.inf)),
        ),
        stats=Stats(*(jnp.asarray(attributes[name]) for name in ("steps", "rejected_steps", "wall_s"))),
        model=model,
        mergers=_mergers(dataset),
        notes=tuple(attributes["notes"]),
    )


def law_of(arrays: Mapping[str, Any], grid: Any) -> Any:
    """The law at the end of a run, from its arrays as `parts_of` names them; a density also needs its grid."""
    import equinox as eqx
    import jax.numpy as jnp

    from tokenfield.laws import Density, Gaussian, MaskedDensity, MaskedGaussian, MaskedMovingDensity, MovingDensity
    from tokenfield.measure import Measure

    # not through the constructors: they would normalize once more, and refuse the end of a flow that blew up
    if "masked_masses" in arrays:
        points, masses = (jnp.asarray(arrays[name]) for name in ("final_masked_points", "masked_masses"))
        flat = [MovingDensity(grid, jnp.ones_like(points[0]), row) for row in masses]
        return eqx.tree_at(lambda rho: rho.masses, MaskedMovingDensity(flat, arrays["position_masses"]), masses).at(
            points
        )
    if "final_masked_mean" in arrays:
        means, covariances = (jnp.asarray(arrays[f"final_masked_{name}"]) for name in ("mean", "covariance"))
        any_laws = [Gaussian(jnp.zeros_like(row), jnp.eye(row.size, dtype=row.dtype)) for row in means]
        return MaskedGaussian(any_laws, arrays["position_masses"]).at(means, covariances)
    if "final_masked" in arrays:
        values = jnp.asarray(arrays["final_masked"])
        return MaskedDensity(grid, jnp.ones_like(values), arrays["position_masses"]).at(values)
    if "node_masses" in arrays:
        points, masses = (jnp.asarray(arrays[name]) for name in ("final_nodes", "node_masses"))
        return eqx.tree_at(lambda rho: rho.masses, MovingDensity(grid, jnp.ones_like(points), masses), masses).at(
            points
        )
    if "final_density" in arrays:
        return Density.uniform(grid).at(jnp.asarray(arrays["final_density"]))
    if "final_mean" in arrays:
        mean, covariance = (jnp.asarray(arrays[f"final_{name}"]) for name in ("mean", "covariance"))
        return Gaussian(jnp.zeros_like(mean), jnp.zeros_like(covariance)).at(mean, covariance)
    points = jnp.asarray(arrays["final"])
    any_measure = Measure(jnp.ones_like(points), positions=arrays.get("positions"), radii=arrays.get("final_radii"))
    weights = jnp.asarray(arrays["weights"])
    return eqx.tree_at(lambda mu: (mu.points, mu.weights), any_measure, (points, weights))


def read_law(path: Path, config: Config) -> Any:
    """The law in a file that `RunFolder.write_final` wrote; a density lives on the grid of `config`."""
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = dict(arrays)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"cannot read the end of a run from {path}: {error}") from error
    return law_of(found, _grid(config))


def _model_and_grid(model: Any, config: Config | None, known: Mapping[str, Any] | None) -> tuple[Any, Any]:
    from tokenfield.study.builders import build_model
    from tokenfield.study.store.plain import from_plain

    if config is not None:
        return build_model(config) if model is None else model, _grid(config)
    assert known is not None
    try:
        return from_plain(known["model"]) if model is None else model, from_plain(known["grid"])
    except FileError as error:
        raise FileError(f"the model of this run is known in Python only ({error}): load it with model=...") from error


def _grid(config: Config) -> Any:
    from tokenfield.study.builders import build_grid

    return None if config.state.grid is None else build_grid(config)


def _mergers(dataset: Any) -> Any:
    """The mergers of a run that joined tokens, else `None`."""
    import numpy as np

    from tokenfield.solver.merging.mergers import Mergers, Plateau

    if "mergers" not in dataset.attrs:
        return None
    found = json.loads(dataset.attrs["mergers"])
    plateaus = tuple(Plateau(**{**plateau, "masses": tuple(plateau["masses"])}) for plateau in found["plateaus"])
    is_empty = "merger_times" not in dataset
    return Mergers(
        n=int(found["n"]),
        times=np.empty(0) if is_empty else dataset["merger_times"].values,
        parts=np.empty((0, 2), int) if is_empty else dataset["merger_parts"].values,
        masses=np.empty((0, 2)) if is_empty else dataset["merger_masses"].values,
        delta=float(found["delta"]),
        plateaus=plateaus,
    )
