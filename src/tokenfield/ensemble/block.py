"""Blocks of systems: softmax or unnormalized attention with Q = K = V = I on the sphere, many systems in one flow.

A block is a `SystemsFlow`, advanced by the solver's one time loop; all its systems take the same time steps. Only
statistics are saved, and a block ends early once all its systems have collapsed. No plan, no threads, no disk.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.ensemble.program import Program
from tokenfield.ensemble.statistics import STATISTICS, smallest_cap
from tokenfield.flows.systems import Systems, SystemsFlow
from tokenfield.geometry import Sphere
from tokenfield.model.attention import Attention
from tokenfield.model.noise import Noise
from tokenfield.model.transformer import Transformer
from tokenfield.solver.events import Event
from tokenfield.solver.integration import Integration, advance, begin, held
from tokenfield.solver.result import Outcome
from tokenfield.solver.steppers import METHODS, adaptive_controller, equal_steps_controller
from tokenfield.sums.systems import SYSTEMS_FIRST, SYSTEMS_LAST


class BlockSpec(NamedTuple):
    """What is fixed when blocks are compiled.

    `systems_last`: which arrangement of tokens is used, see `tokenfield.sums.systems`. `rtol` is the tolerance of
    adaptive methods. `statistics` are pairs of a name of `STATISTICS` and its threshold.
    """

    attention: Callable[[Array], Attention]
    method: str
    systems_last: bool
    is_noisy: bool
    rtol: float
    statistics: tuple[tuple[str, float], ...]


class Collapsed(Event):
    """The tokens of each system are all within a `cap` around their mean."""

    cap: float
    name: str = eqx.field(static=True, kw_only=True, default="collapsed")

    def __call__(self, t: Array, systems: Any, model: Transformer) -> Array:
        assert isinstance(systems, Systems)
        return systems.are_within(self.cap)


def block(
    spec: BlockSpec, x: Array, keys: Array, betas: Array, kappas: Array, step: Array, times: Array
) -> dict[str, Array]:
    """The statistics (S, T) at the `times` of the systems that start from x (S, n, d), by name; NaN after a failure.

    `betas` and `kappas` (S,) belong to the systems, `step` is the length of the time steps of all.
    """
    _, n, d = x.shape
    t0, t1 = jnp.zeros((), x.dtype), times[-1]

    def model(beta: Array, kappa: Array, key: Array) -> Transformer:
        return Transformer(Sphere(d), spec.attention(beta), noise=Noise(kappa, seed=key) if spec.is_noisy else None)

    arrangement = SYSTEMS_LAST if spec.systems_last else SYSTEMS_FIRST
    flow = SystemsFlow(jax.vmap(model)(betas, kappas, keys), arrangement.arrange(x), step, arrangement)
    method, cap = METHODS[spec.method], smallest_cap(spec.statistics, n)
    integration = Integration(
        flow=flow,
        controller=adaptive_controller(spec.rtol, spec.rtol / 100, flow.norm("rms"), np.empty(0), x.dtype)
        if method.is_adaptive
        else equal_steps_controller(step, t1),
        events=(Collapsed(cap),) if cap > 0 and not spec.is_noisy else (),
        method=method,
        keeps_states=False,
        observables=tuple((name, partial(_measured, name, threshold)) for name, threshold in spec.statistics),
    )
    chunk = advance(integration, begin(integration, t0, t1), times, t1, None)
    is_good = (chunk.code == Outcome.FINISHED.value) | (chunk.code == Outcome.EVENT.value)
    return {name: jnp.where(is_good, v, jnp.nan).T for name, v in held(integration, chunk).observables.items()}


def _measured(name: str, threshold: float, systems: Any) -> Array:
    return STATISTICS[name](systems, threshold)


def blocks(
    spec: BlockSpec, size: int, x: Array, keys: Array, betas: Array, kappas: Array, step: Array, times: Array
) -> dict[str, Array]:
    """The statistics (columns, systems, times) of systems that start from x (systems, n, d), by blocks of `size`."""
    (columns,), (systems,) = betas.shape, keys.shape
    total = columns * systems
    size = total if size == 0 else min(size, total)
    missing = -total % size

    def cut(a: Array) -> Array:
        padded = jnp.concatenate([a, a[:missing]]) if missing else a
        return padded.reshape(-1, size, *a.shape[1:])

    of_systems = [jnp.tile(x, (columns, 1, 1)), jnp.tile(keys, columns)]
    of_columns = [jnp.repeat(betas, systems), jnp.repeat(kappas, systems)]

    def one(part: tuple[Array, Array, Array, Array]) -> dict[str, Array]:
        return block(spec, *part, step, times)

    found = lax.map(one, (*(cut(a) for a in of_systems), *(cut(a) for a in of_columns)))
    return {name: v.reshape(-1, len(times))[:total].reshape(columns, systems, -1) for name, v in found.items()}


@lru_cache(maxsize=32)
def blocks_program(spec: BlockSpec, size: int) -> Program:
    """`blocks`, compiled once for each shape: repeated runs of like ensembles compile nothing."""
    return Program(partial(blocks, spec, size))
