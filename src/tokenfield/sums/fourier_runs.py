"""Fourier modes of runs of tokens on the circle: what `prefix` needs of `fourier`, for many runs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import fourier
from tokenfield.sums.fast import Expansion

if TYPE_CHECKING:
    from tokenfield.sums.runs import Queries

RUN = 32  # tokens at 31 modes: pairs within a run take as long as the modes of a run
CHUNK = 2**13  # tokens at a time


class CircleModes(NamedTuple):
    """The modes up to `size`. `shared` is the length of all queries, None where they differ.

    With `of_keys` the columns are the weights and their products with the coordinates of the keys: one set of moments
    is then enough for all of them.
    """

    size: int
    of_keys: bool
    reach: float
    shared: Array | None

    @property
    def run(self) -> int:
        return RUN if self.size < 100 else 2 * RUN if self.size < 400 else 4 * RUN

    @property
    def chunk(self) -> int:
        return CHUNK // self.run

    @property
    def lost(self) -> float:
        return fourier.lost(self.reach, self.size)

    def moments(self, keys: tuple[Array, ...], columns: tuple[Array, ...]) -> Array:
        x, y = keys
        half, last = fourier.HALF_STRIDE, self.size + self.of_keys
        powers = fourier._powers((x, y), half, fourier._coarse(last, half))
        fine, coarse = (fourier._rows(p) for p in powers)
        weighted = jnp.stack([column * row for column in columns for row in fine], axis=1)
        products = lax.dot_general(weighted, jnp.stack(coarse, axis=1), (((2,), (2,)), ((0,), (0,))))
        products = products.reshape(x.shape[0], len(columns), len(fine), len(coarse))
        found = fourier._from_products(products, half)[..., : last + 1]
        return jnp.stack([found.real, found.imag], axis=2).reshape(x.shape[0], -1)

    def sums(self, states: Array, queries: Queries) -> tuple[Array, ...]:
        (x, y), lengths = queries
        factors = jnp.where(jnp.arange(self.size + 1) == 0, 1.0, 2.0)
        if self.shared is not None:
            factors = factors * fourier.bessel(self.shared, self.size + 1)
        last = self.size + self.of_keys
        # runs last, as the axis that goes along with the queries
        real, imaginary = jnp.moveaxis(states.reshape(states.shape[0], -1, 2, last + 1), (0, 2), (3, 0))
        real, imaginary = _times_coordinates(real[0], -imaginary[0]) if self.of_keys else (real, -imaginary)
        # complex numbers as a wrapping only: what is computed is real
        coefficients = lax.complex(*((a * factors[:, None])[..., None] for a in (real, imaginary)))
        if self.shared is None:
            return fourier._bessel_polynomials(coefficients, jnp.minimum(lengths, self.reach), (x, y))
        return fourier._polynomials(coefficients, (x, y))


class CircleModesOfKeys(NamedTuple):
    """The same modes for keys u of different lengths, and queries that are unit vectors.

    The moments sum_i h_i I_k(|u_i|) e^{-|u_i|} e^{i k phi_i} come after the sum of the first column h.
    """

    modes: CircleModes
    of_keys: bool = False

    @property
    def run(self) -> int:
        return self.modes.run

    @property
    def chunk(self) -> int:
        return max(1, self.modes.chunk // 8)  # the modes of all keys are kept

    @property
    def lost(self) -> float:
        return self.modes.lost

    def moments(self, keys: tuple[Array, ...], columns: tuple[Array, ...]) -> Array:
        x, y, lengths = keys
        runs = lengths.shape[0]
        nothing = jnp.zeros((len(columns), self.modes.size + 1, runs, 1), complex)
        # the transpose of the evaluation at these vectors
        _, back = jax.vjp(lambda table: fourier._bessel_polynomials(table, lengths, (x, y)), nothing)
        found = back(columns)[0]
        found = jnp.moveaxis(jnp.stack([found.real, found.imag], axis=1)[..., 0], 3, 0)
        return jnp.concatenate([jnp.sum(columns[0], axis=1, keepdims=True), found.reshape(runs, -1)], axis=1)

    def sums(self, states: Array, queries: Queries) -> tuple[Array, ...]:
        factors = jnp.where(jnp.arange(self.modes.size + 1) == 0, 1.0, 2.0)
        found = states[:, 1:].reshape(states.shape[0], -1, 2, self.modes.size + 1)
        real, imaginary = jnp.moveaxis(found, (0, 2), (3, 0)) * factors[:, None]
        x, y = queries.directions
        return fourier._polynomials(lax.complex(real, -imaginary)[..., None], (x, y))


def modes(expansion: Expansion, lengths: Array, *, of_keys: bool) -> CircleModes:
    """The modes of that expansion at queries of these lengths; see `CircleModes`."""
    shared = jnp.minimum(jnp.max(lengths), expansion.reach) if expansion.is_uniform else None
    return CircleModes(expansion.size, of_keys, expansion.reach, shared)


def modes_of_keys(expansion: Expansion) -> CircleModesOfKeys:
    """The modes of that expansion for keys u of different lengths; see `CircleModesOfKeys`."""
    return CircleModesOfKeys(modes(expansion._replace(is_uniform=False), jnp.zeros(0), of_keys=False))


def _times_coordinates(real: Array, imaginary: Array) -> fourier.Pair:
    """From conjugate moments c_k, k <= K + 1, (K + 2, r): those of the weights times 1, x and y, (3, K + 1, r) each."""
    above = real[1:], imaginary[1:]
    below = jnp.concatenate([real[1:2], real[:-2]]), jnp.concatenate([-imaginary[1:2], imaginary[:-2]])
    return (
        jnp.stack([real[:-1], (below[0] + above[0]) / 2, (below[1] - above[1]) / 2]),
        jnp.stack([imaginary[:-1], (below[1] + above[1]) / 2, (above[0] - below[0]) / 2]),
    )
