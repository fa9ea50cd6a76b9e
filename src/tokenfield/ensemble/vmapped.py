"""Systems of any model: `solve` for each of them, under `vmap`. Slower than blocks, but nothing is assumed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.ensemble.ensemble import Ensemble
from tokenfield.ensemble.statistics import STATISTICS, Statistic
from tokenfield.flows.systems import Systems
from tokenfield.measure import Measure
from tokenfield.model.noise import Noise
from tokenfield.solver.result import Outcome
from tokenfield.solver.save import Save
from tokenfield.solver.solve import MAX_STEPS, solve
from tokenfield.sums.systems import SYSTEMS_FIRST


def vmapped(ensemble: Ensemble) -> Callable[..., dict[str, Array]]:
    """The function with arguments and values as `block.blocks`; the step and the times are those of the ensemble.

    The values of a system whose run does not finish are NaN.
    """
    observables = {
        name: partial(statistic_of, statistic=STATISTICS[name], threshold=threshold)
        for name, threshold in ensemble.thresholds
    }
    times = np.asarray(ensemble.times, float)
    save = Save(times=times.tolist(), tokens=False, observables=observables)
    step = None if ensemble.is_adaptive else ensemble.step_at(0)
    rtol = ensemble.rtol if ensemble.is_adaptive else None

    def one(beta: Array, kappa: Array, x: Array, key: Array) -> dict[str, Array]:
        noise = None if ensemble.kappas is None else Noise(kappa, seed=key)
        trajectory = solve(
            ensemble.build(beta, noise),
            Measure(x),
            t1=float(times[-1]),
            method=ensemble.method,
            step=step,
            rtol=rtol,
            save=save,
            max_steps=MAX_STEPS,
        )
        is_good = trajectory.result.code == Outcome.FINISHED.value
        return {name: jnp.where(is_good, values, jnp.nan) for name, values in trajectory.observables.items()}

    over_systems = jax.vmap(one, in_axes=(None, None, 0, 0))
    over_columns = jax.vmap(over_systems, in_axes=(0, 0, None, None))
    return lambda x, keys, betas, kappas, *_: over_columns(betas, kappas, x, keys)


def statistic_of(mu: Measure, *, statistic: Statistic, threshold: float) -> Array:
    """A statistic of one system, given as a measure; tokens count alike, whatever their weights."""
    x = mu.points / jnp.linalg.norm(mu.points, axis=1, keepdims=True)
    return statistic(Systems(x[None], SYSTEMS_FIRST), threshold)[0].astype(x.dtype)
