"""Reasons why a flow cannot go on, which the solver watches by itself: a blow-up, a grid that no longer resolves."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.laws.gaussian import Gaussian


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
        numbers = [law.mean, law.covariance] if isinstance(law, Gaussian) else [law.points]
        return ~(jnp.max(jnp.stack([jnp.max(jnp.abs(a)) for a in numbers])) <= self.size)


class Unresolved(Ending):
    """The density has become too rough for its grid. Always watched on grids that must not go on then."""

    name: ClassVar[str] = "under-resolved"

    def __call__(self, law: Any) -> Array:
        return ~(law.grid.roughness(law.values) <= 1)
