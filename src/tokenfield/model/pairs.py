"""All pairs of a law, as one head sees them: what an energy is an integral over.

The formula of an energy is written once, with its kind of attention, in terms of a few integrals over pairs. How these
integrals are computed is up to the law: sums over tokens here, sums over degrees for densities.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield import sums
from tokenfield.model.projected import Projected, among_themselves, features_of_distance, no_values

if TYPE_CHECKING:
    from tokenfield.model.attention import Attention


class Pairs(eqx.Module):
    """The pairs (Qx, Ky) with x and y drawn from a law mu, each independently."""

    @abstractmethod
    def log_total(self, attention: Attention) -> Array:
        """log iint a(x, y) dmu(x) dmu(y), a scalar, of the weights before any normalization."""

    @abstractmethod
    def total(self, kernel: Callable[[Array], Array]) -> Array:
        """iint kernel(<Qx, Ky>) dmu(x) dmu(y), a scalar, of a kernel that is nowhere negative."""

    @abstractmethod
    def mean_product(self) -> Array:
        """iint <Qx, Ky> = <Qm, Km>, m the mean: what energies of products tend to as beta -> 0."""

    @abstractmethod
    def mean_squared_distance(self) -> Array:
        """iint |Qx - Ky|^2: what energies of distances tend to as beta -> 0."""

    @abstractmethod
    def mean_squared_product(self) -> Array:
        """iint <Qx, Ky>^2."""


class TokenPairs(Pairs):
    """The pairs of tokens: `projected.own` with `masses` against `projected.keys` with `projected.weights`."""

    projected: Projected
    masses: Array

    def log_total(self, attention: Attention) -> Array:
        own = among_themselves(self.projected)
        return jax.nn.logsumexp(attention.attend(own, no_values(own)).log_sum, b=self.masses)

    def total(self, kernel: Callable[[Array], Array]) -> Array:
        own = among_themselves(self.projected)
        return self.masses @ sums.weigh(own.queries, own.keys, no_values(own), own.weights, kernel).total

    def mean_product(self) -> Array:
        return jnp.sum((self.masses @ self.projected.own) * (self.projected.weights @ self.projected.keys))

    def mean_squared_distance(self) -> Array:
        q, k = features_of_distance(among_themselves(self.projected))
        return -jnp.sum((self.masses @ q) * (self.projected.weights @ k))

    def mean_squared_product(self) -> Array:
        q, k = self.projected.own, self.projected.keys
        return jnp.sum((q.T @ (self.masses[:, None] * q)) * (k.T @ (self.projected.weights[:, None] * k)))
