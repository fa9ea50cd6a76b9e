"""Spherical harmonics of runs of tokens on S^2: what `prefix` needs, for many runs at once and |u| of any length.

P_lm(z) e^{i m f} is a polynomial of z, by a stable recursion over l, times (x + i y)^m: no angles. Sums over tokens are
products of matrices, one for each order m.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.sums import harmonics
from tokenfield.sums.fast import Expansion

if TYPE_CHECKING:
    from tokenfield.sums.prefix import Queries


class SphereModes(NamedTuple):
    """The degrees below `size` of `columns` columns; `shared` is the length of all queries, None where they differ."""

    size: int
    of_keys: bool
    columns: int
    reach: float
    shared: Array | None

    @property
    def run(self) -> int:
        return max(64, self.size**2 // 4)  # the states of all runs then take 16 numbers per token and column

    @property
    def chunk(self) -> int:
        return 1

    @property
    def lost(self) -> float:
        return (harmonics.ROUNDING + self.size) * 2.0**-52 + harmonics.tail(self.reach, self.size - 1)

    def moments(self, keys: tuple[Array, ...], columns: tuple[Array, ...]) -> Array:
        along, around = _functions(keys, self.size)
        columns = (columns[0], *(columns[0] * key for key in keys)) if self.of_keys else columns
        # (m, real or imaginary part, c, r, R), for each order a product over the tokens of a run
        weighted = around[:, :, None] * jnp.stack(columns)
        found = jnp.einsum("mlrt,mpcrt->rmlpc", along, weighted, precision=lax.Precision.HIGHEST)
        return found.reshape(found.shape[0], -1)

    def sums(self, states: Array, queries: Queries) -> tuple[Array, ...]:
        along, around = _functions(queries.directions, self.size)
        states = states.reshape(-1, self.size, self.size, 2, self.columns)
        if self.shared is None:
            along = along * harmonics._kernel(jnp.minimum(queries.lengths, self.reach), self.size)
        else:
            states = states * harmonics._kernel(self.shared, self.size)[:, None, None]
        found = jnp.einsum("rmlpc,mlrt->mpcrt", states, along, precision=lax.Precision.HIGHEST)
        return tuple(jnp.sum(found * around[:, :, None], axis=(0, 1)))


def modes(expansion: Expansion, lengths: Array, *, of_keys: bool, columns: int) -> SphereModes:
    """The modes of that expansion for sums of so many columns at queries of these lengths."""
    shared = jnp.minimum(jnp.max(lengths), expansion.reach) if expansion.is_uniform else None
    return SphereModes(expansion.size + 1, of_keys, columns, expansion.reach, shared)


def _functions(directions: tuple[Array, ...], size: int) -> tuple[Array, Array]:
    """P_lm(z) / sin^m, (m, l, r, R), and sin^m e^{i m f} as real and imaginary parts, (m, 2, r, R), l, m < `size`.

    Orders m > 0 count twice, for -m too, in the product of two of the first.
    """
    x, y, z = (a.reshape(-1) for a in directions)
    constants = _constants(size)

    def step(values: tuple[Array, Array], factors: tuple[Array, ...]) -> tuple[tuple[Array, Array], Array]:
        slope, back, first = factors
        now = slope * z * values[1] - back * values[0] + first
        return (values[1], now), now

    nothing = jnp.zeros((size, z.size))
    found = lax.scan(step, (nothing, nothing), tuple(jnp.asarray(a) for a in constants))[1]
    around = jnp.stack(harmonics._powers((x, y), size), axis=1)
    shape = directions[0].shape
    return jnp.moveaxis(found, 0, 1).reshape(size, size, *shape), around.reshape(size, 2, *shape)


def _constants(size: int) -> tuple[np.ndarray, ...]:
    """For each degree l, (l, m, 1): P_lm = slope z P_{l-1,m} - back P_{l-2,m}, plus `first` where l = m."""
    m, ell = np.arange(size), np.arange(size)[:, None]
    square = np.where(m < ell, ell * ell - m * m, 1)
    slope = np.where(m < ell, np.sqrt(np.maximum(4 * ell * ell - 1, 0) / square), 0.0)
    back = slope * np.sqrt(np.maximum((ell - 1) ** 2 - m * m, 0) / np.maximum(4 * (ell - 1) ** 2 - 1, 1))
    growth = np.sqrt((2 * m[1:] + 1) / (2 * m[1:]))
    seeds = np.cumprod(np.concatenate([[1.0], growth])) * np.where(m == 0, 1.0, 2**0.5)
    return slope[..., None], back[..., None], (np.equal(m, ell) * seeds)[..., None]
