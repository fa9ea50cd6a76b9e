"""Spherical harmonics of runs of tokens on S^2: what `prefix` needs, a run at a time and for |u| of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import harmonics, harmonics_columns, harmonics_lengths
from tokenfield.sums.fast import Expansion

if TYPE_CHECKING:
    from tokenfield.sums.runs import Queries

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
            points, columns = (jnp.stack(arrays) for arrays in run)
            return jax.vmap(lambda column: harmonics.moments(points.T, column, self.size - 1))(columns).reshape(-1)

        return lax.map(one, (keys, columns))

    def sums(self, states: Array, queries: Queries) -> tuple[Array, ...]:
        legendre = harmonics._legendre(self.size)
        kernel = 1.0 if self.shared is None else harmonics._kernel(self.shared, self.size)

        def one(run: tuple[Array, Queries]) -> tuple[Array, ...]:
            state, (directions, lengths) = run
            moments = state.reshape(-1, 2, self.size, self.size)
            fields = jax.vmap(lambda column: harmonics._fields(harmonics._analyze(column, legendre)))(moments)
            fields = (fields[0] if self.of_keys else fields[:, 0]) * kernel
            if self.shared is None:
                return harmonics_lengths.values(fields, directions, jnp.minimum(lengths, self.reach))
            return tuple(harmonics._at_directions(fields, legendre, jnp.stack(directions, axis=1)).T)

        return lax.map(one, (states, queries))


class SphereModesOfKeys(NamedTuple):
    """The same degrees for keys u of different lengths, and queries that are unit vectors.

    The moments sum_i h_i i_l(|u_i|) e^{-|u_i|} Y_lm(u_i) come after the sum of the first column h.
    """

    modes: SphereModes
    of_keys: bool = False

    @property
    def run(self) -> int:
        return self.modes.run

    @property
    def chunk(self) -> int:
        return self.modes.chunk

    @property
    def lost(self) -> float:
        return self.modes.lost

    def moments(self, keys: tuple[Array, ...], columns: tuple[Array, ...]) -> Array:
        def one(run: tuple[tuple[Array, ...], tuple[Array, ...]]) -> Array:
            (*directions, lengths), columns = run
            found = harmonics_lengths.coefficients(tuple(directions), lengths, columns, self.modes.size)
            return jnp.concatenate([jnp.sum(columns[0])[None], found.real.reshape(-1), found.imag.reshape(-1)])

        return lax.map(one, (keys, columns))

    def sums(self, states: Array, queries: Queries) -> tuple[Array, ...]:
        def one(run: tuple[Array, tuple[Array, ...]]) -> tuple[Array, ...]:
            state, directions = run
            found = lax.complex(*state[1:].reshape(2, -1, self.modes.size, self.modes.size))
            return tuple(harmonics_columns.at_points(found, jnp.stack(directions, axis=1)).T)

        return lax.map(one, (states, queries.directions))


def modes(expansion: Expansion, lengths: Array, *, of_keys: bool) -> SphereModes:
    """The modes of that expansion at queries of these lengths; see `SphereModes`."""
    shared = jnp.minimum(jnp.max(lengths), expansion.reach) if expansion.is_uniform else None
    return SphereModes(expansion.size + 1, of_keys, expansion.reach, shared)


def modes_of_keys(expansion: Expansion) -> SphereModesOfKeys:
    """The modes of that expansion for keys u of different lengths; see `SphereModesOfKeys`."""
    return SphereModesOfKeys(modes(expansion._replace(is_uniform=False), jnp.zeros(0), of_keys=False))
