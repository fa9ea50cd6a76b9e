"""Reasons why a flow cannot go on, which the solver watches by itself: a blow-up, a grid that no longer resolves."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer

MEETING = 1e4  # the speed of tokens that meet, in units of a mass divided by the size of the cloud


class Ending(eqx.Module):
    """A condition at which a flow ends because it cannot go on; `name` is how the result calls it."""

    name: eqx.AbstractClassVar[str]

    @abstractmethod
    def __call__(self, law: Any) -> Array:
        """Whether the flow has come to this end."""


class BlowUp(Ending):
    """Some coordinate exceeds `size` in absolute value or is not a number. Always watched in R^d."""

    name: ClassVar[str] = "blew-up"

    size: Array = eqx.field(converter=jnp.asarray)

    @staticmethod
    def of(dtype: Any) -> BlowUp:
        """The blow-up of states of this precision: far from overflow even when squared."""
        return BlowUp(float(jnp.finfo(dtype).max) ** 0.4)

    def __call__(self, law: Any) -> Array:
        numbers = [law.points] if hasattr(law, "points") else [law.mean, law.covariance]
        return ~(jnp.max(jnp.stack([jnp.max(jnp.abs(a)) for a in numbers])) <= self.size)


class Meeting(Ending):
    """Tokens whose attraction is infinite at distance zero are about to meet: their speed has left all bounds."""

    name: ClassVar[str] = "blew-up"

    model: Transformer
    size: Array  # of the cloud at the start

    @staticmethod
    def of(model: Transformer, start: Measure) -> Meeting:
        """The meeting of tokens that start from the measure `start`."""
        return Meeting(model, jnp.sqrt(jnp.max(jnp.sum((start.points - start.mean) ** 2, axis=1))))

    def __call__(self, law: Any) -> Array:
        # two masses m that attract each other by m/r are then r < 1e-4 m size apart, and meet within r^2/(2m)
        speed = jnp.sqrt(jnp.max(jnp.sum(self.model.velocity(0.0, law.points, law) ** 2, axis=1)))
        return ~(speed * self.size <= MEETING)


class Unresolved(Ending):
    """The density has become too rough for its grid. Always watched on grids that must not go on then."""

    name: ClassVar[str] = "under-resolved"

    def __call__(self, law: Any) -> Array:
        return ~(law.roughness <= 1)
