"""Spherical harmonics of runs of tokens on S^2: what `prefix` needs, a run at a time and for |u| of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import harmonics, harmonics_lengths
from tokenfield.sums.fast import Expansion

if TYPE_CHECKING:
    from tokenfield.sums.prefix import Queries

CHUNK = 2**13  # tokens at a time


class SphereModes(NamedTuple):
    """The degrees below `size`. `shared` is the length of all queries, None where they differ.

    With `of_keys` the columns are the weights and their products with the coordinates of the keys: one set of moments
    is then enough for all of them.
    """

    size: int
    of_keys: bool
    reach: float
    shared: Array | None

    @property
    def run(self) -> int:
        return max(64, self.size**2 // 4)  # the states of all runs then take 8 numbers per token and column

    @property
    def chunk(self) -> int:
        return max(1, CHUNK // self.run)

    @property
    def lost(self) -> float:
        return (harmonics.ROUNDING + self.size) * 2.0**-52 + harmonics.tail(self.reach, self.size - 1)

    def moments(self, keys: tuple[Array, ...], columns: tuple[Array, ...]) -> Array:
        def one(run: tuple[tuple[Array, ...], tuple[Array, ...]]) -> Array:
            found = harmonics_lengths.coefficients(run[1], run[0], None, self.size)
            return jnp.stack([found.real, found.imag]).reshape(-1)

        return lax.map(one, (keys, columns))

    def sums(self, states: Array, queries: Queries) -> tuple[Array, ...]:
        kernel = 1.0 if self.shared is None else harmonics._kernel(self.shared, self.size)

        def one(run: tuple[Array, Queries]) -> tuple[Array, ...]:
            state, (directions, lengths) = run
            found = lax.complex(*state.reshape(2, -1, self.size, self.size))
            if self.of_keys:
                fields = harmonics._fields(found[0])
            else:
                fields = jax.vmap(lambda column: harmonics._fields(column)[0])(found)
            within = jnp.minimum(lengths, self.reach) if self.shared is None else None
            return harmonics_lengths.values(fields * kernel, directions, within)

        return lax.map(one, (states, queries))


def modes(expansion: Expansion, lengths: Array, *, of_keys: bool) -> SphereModes:
    """The modes of that expansion at queries of these lengths; see `SphereModes`."""
    shared = jnp.minimum(jnp.max(lengths), expansion.reach) if expansion.is_uniform else None
    return SphereModes(expansion.size + 1, of_keys, expansion.reach, shared)
