"""Reasons to stop a flow early: consensus, a steady state, a cosine level, a function of yours.

An event is called with (t, measure, model) after each step. One that returns a boolean stops the flow at the end of
the first step where it is true; one that returns a number stops it where the number crosses zero, located on the
solver's interpolant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model import Transformer


class Event(eqx.Module):
    """A condition that ends a flow; `name` appears in the result."""

    name: str = eqx.field(static=True, kw_only=True, default="event")

    @abstractmethod
    def __call__(self, t: Array, mu: Measure, model: Transformer) -> Array:
        """A boolean, or a number whose zero is the event."""


class Consensus(Event):
    """All tokens in one cluster: every token within angle (in R^d: distance) `delta`/2 of the mean.

    Any two tokens are then within `delta`; `tokenfield.observables.cluster_scale(model)` is a good choice.
    """

    delta: float = eqx.field(converter=jnp.asarray)  # an array: another value is not another compilation
    name: str = eqx.field(static=True, kw_only=True, default="consensus")

    def __check_init__(self) -> None:
        _check_positive(self.delta, "Consensus(delta)")

    def __call__(self, t: Array, mu: Measure, model: Transformer) -> Array:
        # The mean of antipodal tokens may vanish: its direction is then NaN, every comparison false, no consensus.
        center = model.geometry.to_manifold(mu.mean)
        return jnp.max(model.geometry.distance(mu.points, center)) <= self.delta / 2


class Steady(Event):
    """The fastest token is slower than `speed`. Costs one more evaluation of the velocity per step."""

    speed: float = eqx.field(converter=jnp.asarray)
    name: str = eqx.field(static=True, kw_only=True, default="steady")

    def __check_init__(self) -> None:
        _check_positive(self.speed, "Steady(speed)")

    def __call__(self, t: Array, mu: Measure, model: Transformer) -> Array:
        velocity = model.velocity(t, mu.points, mu)
        return jnp.max(jnp.sum(velocity * velocity, axis=1)) <= self.speed**2


class CosineLevel(Event):
    """The smallest pairwise cosine crosses `level`; located exactly. For up to a few thousand tokens (n^2 cosines)."""

    level: float = eqx.field(converter=jnp.asarray)
    name: str = eqx.field(static=True, kw_only=True, default="cosine-level")

    def __call__(self, t: Array, mu: Measure, model: Transformer) -> Array:
        if not isinstance(model.geometry, Sphere):
            raise InvalidInput("CosineLevel is for tokens on a sphere")
        if mu.n > 4096:
            raise InvalidInput(f"CosineLevel compares all pairs: at most 4096 tokens, got {mu.n}")
        # interpolants leave the sphere by rounding: normalize, or cosines would exceed 1
        x = model.geometry.to_manifold(mu.points)
        return jnp.min(x @ x.T) - self.level


class When(Event):
    """A condition of yours: `function(t, measure, model)` returns a boolean, or a number whose zero is the event."""

    function: Callable[[Array, Measure, Transformer], Array] = eqx.field(static=True)

    def __call__(self, t: Array, mu: Measure, model: Transformer) -> Array:
        return jnp.asarray(self.function(t, mu, model))


class BlowUp(Event):
    """Some coordinate exceeds `size` in absolute value or is not a number. Always watched in R^d."""

    size: float = eqx.field(converter=jnp.asarray)
    name: str = eqx.field(static=True, kw_only=True, default="blow-up")

    def __call__(self, t: Array, mu: Measure, model: Transformer) -> Array:
        return ~(jnp.max(jnp.abs(mu.points)) <= self.size)


def _check_positive(value: float, name: str) -> None:
    if not value > 0:
        raise InvalidInput(f"{name} needs a positive number, got {value}")
