"""`ByPosition`: what laws on [0, 1] x space share, the mean fields of causal attention.

[0, 1] is cut into k equal cells of positions, each with its mass. A cell sees the cells before it and half of its own:
the trapezoidal rule, a cumulative sum, so that nothing depends on later positions. What a law is at one position, its
own class says.
"""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws.grid import EMPTY, as_draw, nodes_as_measure
from tokenfield.measure import Measure, check_finite, float_array, is_concrete, is_whole
from tokenfield.model.position import Causal
from tokenfield.model.transformer import Transformer


class ByPosition(eqx.Module):
    """A law of positions in [0, 1] and tokens, in k equal cells of positions."""

    shares: eqx.AbstractVar[Array]  # (k,), the mass of each cell

    @property
    def positions(self) -> Array:
        """The middles of the cells of positions, shape (k,)."""
        k = self.shares.shape[0]
        return (jnp.arange(k) + 0.5) / k

    @property
    @abstractmethod
    def d(self) -> int:
        """The dimension of the space."""

    def _drawn(self, n: int, seed: int | Array) -> tuple[Array, Array, Array]:
        """The cells (n,) of independent tokens, their positions, uniform in cells and in order, and a key for more."""
        count, key = as_draw(n, self.d, seed)
        pick, place, draw = jax.random.split(key, 3)
        k = self.shares.shape[0]
        cells = jnp.sort(jax.random.choice(pick, k, (count,), p=self.shares))
        return cells, jnp.sort((cells + jax.random.uniform(place, (count,))) / k), draw

    def _as_measure(self, points: Array, masses: Array) -> Measure:
        """Nodes (k, m, d) of masses (k, m), each row of sum one, as a measure with the positions of their cells."""
        weights = jnp.maximum(self.shares[:, None] * masses, EMPTY).reshape(-1)
        mu = nodes_as_measure(points.reshape(-1, self.d), weights)
        return eqx.tree_at(lambda mu: mu.positions, mu, jnp.repeat(self.positions, masses.shape[1]))


def middles(positions: int) -> list[float]:
    """The middles of so many equal cells of [0, 1]; raises `InvalidInput` if that is no whole number from 1 on."""
    if not is_whole(positions) or positions < 1:
        raise InvalidInput(f"positions must be a whole number >= 1, got {positions!r}")
    return [float(s) for s in (np.arange(positions) + 0.5) / positions]


def as_shares(shares: ArrayLike | None, like: Array) -> Array:
    """The masses of cells of positions, of sum one and in the dtype of `like` (k,): by default all the same.

    Raises `InvalidInput` if they are not k positive numbers.
    """
    w = jnp.ones_like(like) if shares is None else float_array(shares, "shares")
    if w.shape != like.shape:
        raise InvalidInput(f"shares must have shape ({like.shape[0]},), one for each position, got {w.shape}")
    check_finite(w, "shares")
    if is_concrete(w) and not float(jnp.min(w)) > 0:
        raise InvalidInput("shares must be positive: every cell of positions holds some tokens")
    return w / jnp.sum(w)


def seen_by_each(values: Array, shares: Array) -> Array:
    """The mean of `values` (k, ...) over the cells that each cell of positions sees: those before, and half of itself.

    That is the trapezoidal rule, of order two in the width of the cells, and a cumulative sum: nothing depends on what
    comes later.
    """
    weighted = shares.reshape(-1, *[1] * (values.ndim - 1)) * values
    mass = jnp.cumsum(shares) - shares / 2
    return (jnp.cumsum(weighted, axis=0) - weighted / 2) / mass.reshape(-1, *[1] * (values.ndim - 1))


def without_mask(model: Transformer) -> Transformer:
    """The model as a single position sees it; raises `Unsupported` unless its only position is a causal mask."""
    if not (len(model.position) == 1 and isinstance(model.position[0], Causal)):
        raise Unsupported("a masked density follows models with position=Causal() and no other: others need tokens")
    return Transformer(
        model.geometry,
        model.schedule,
        normalization=model.normalization,
        noise=model.noise,
        average=model.average,
        relative=model.relative,
        rescaled=model.rescaled,
    )
