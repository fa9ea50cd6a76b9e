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
from jax import Array, lax

from tokenfield import sums
from tokenfield.model.projected import Projected, among_themselves, features_of_distance, no_values

if TYPE_CHECKING:
    from tokenfield.model.attention import Attention

MANY = 2**13  # tokens from which on the half of the pairs is summed, where that is enough: milliseconds below
PARTS = 15  # of the tokens then, an odd number: 8/15 of all pairs are summed


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
        def log_sums(seen: Projected) -> Array:
            return attention.attend(seen, no_values(seen)).log_sum

        masses, found = self._by_rows(log_sums)
        return jax.nn.logsumexp(found, b=masses)

    def total(self, kernel: Callable[[Array], Array]) -> Array:
        def totals(seen: Projected) -> Array:
            return sums.weigh(seen.queries, seen.keys, no_values(seen), seen.weights, kernel).total

        masses, found = self._by_rows(totals)
        return masses @ found

    def _by_rows(self, sums_of: Callable[[Projected], Array]) -> tuple[Array, Array]:
        """Masses and the sums of rows with these masses, which `sums_of` some queries gives: together, all pairs.

        Where queries are keys, i sees j as j sees i, and half of the pairs are enough. The tokens are an odd number of
        parts in a circle; each part sees itself, and twice the half of the others that comes after it.
        """
        own = among_themselves(self.projected)
        n = own.keys.shape[0]
        is_symmetric = own.queries is own.keys and own.weights is self.masses
        if not is_symmetric or own.sphere is not None or n < MANY or sums.device_count() > 1:
            return self.masses, sums_of(own)
        rows = -(-n // PARTS)
        missing, seen_rows = rows * PARTS - n, rows * (PARTS + 1) // 2
        keys = jnp.concatenate([own.keys, jnp.repeat(own.keys[-1:], missing, axis=0)])  # which weigh nothing
        masses, weights = (jnp.pad(a, (0, missing)) for a in (self.masses, own.weights))
        keys_round, weights_round = (jnp.concatenate([a, a[: seen_rows - rows]]) for a in (keys, weights))
        counts = jnp.where(jnp.arange(seen_rows) < rows, 1, 2).astype(weights.dtype)

        def one(first: Array) -> Array:
            queries = lax.dynamic_slice_in_dim(keys, first, rows)
            seen = lax.dynamic_slice_in_dim(keys_round, first, seen_rows)
            seen_weights = lax.dynamic_slice_in_dim(weights_round, first, seen_rows) * counts
            return sums_of(Projected(queries, seen, seen_weights, queries))

        return masses, lax.map(one, rows * jnp.arange(PARTS)).reshape(-1)

    def mean_product(self) -> Array:
        return jnp.sum((self.masses @ self.projected.own) * (self.projected.weights @ self.projected.keys))

    def mean_squared_distance(self) -> Array:
        q, k = features_of_distance(among_themselves(self.projected))
        return -jnp.sum((self.masses @ q) * (self.projected.weights @ k))

    def mean_squared_product(self) -> Array:
        q, k = self.projected.own, self.projected.keys
        return jnp.sum((q.T @ (self.masses[:, None] * q)) * (k.T @ (self.projected.weights[:, None] * k)))
