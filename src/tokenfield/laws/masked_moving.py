"""`MaskedMovingDensity`: the mean field of causal attention in R^1 or R^2, a moving density for each position.

As for `MaskedDensity`, [0, 1] is cut into equal cells of positions, and a cell sees the cells before it and half of its
own. Here the densities are nodes that move with the mass, so that each position keeps its mass exactly. A Gaussian for
every position does not stay one: a position sees a mixture of Gaussians, and softmax of a mixture is not affine. Linear
attention keeps it: see `MaskedGaussian`.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput
from tokenfield.laws.by_position import ByPosition, as_shares, middles
from tokenfield.laws.grid import EMPTY, nodes_as_measure
from tokenfield.laws.grids.moving import Moving
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer


class MaskedMovingDensity(ByPosition):
    """A law of positions in [0, 1] and tokens in R^1 or R^2, for models with `Causal()`; `solve` moves it.

    Args:
        densities: The density of each of k equal cells of positions, on equal grids `Moving(d, size)`.
        shares: The mass of each cell of positions, shape (k,), positive; by default all are 1/k.

    Raises:
        InvalidInput: If there is no density, grids differ, or a share is not positive.

    >>> from tokenfield.laws import Moving, MovingDensity
    >>> grid = Moving(1, 16)
    >>> rho = MaskedMovingDensity([MovingDensity.uniform(grid), MovingDensity.uniform(grid, low=0.0)])
    >>> (abs(rho.means) + 0).round(9).tolist(), rho.positions.tolist()
    ([[0.0], [0.5]], [0.25, 0.75])
    """

    grid: Moving
    points: Array  # (k, m, d)
    masses: Array  # (k, m), each row of sum one
    shares: Array

    def __init__(self, densities: list[MovingDensity] | tuple[MovingDensity, ...], shares: ArrayLike | None = None):
        if not densities or not all(isinstance(rho, MovingDensity) for rho in densities):
            raise InvalidInput("a masked density in R^d needs a list of moving densities, one for each position")
        if any(rho.grid != densities[0].grid for rho in densities):
            raise InvalidInput("the densities of all positions must have grids of the same size and dimension")
        self.grid = densities[0].grid
        self.points = jnp.stack([rho.points for rho in densities])
        self.masses = jnp.stack([rho.masses for rho in densities])
        self.shares = as_shares(shares, self.masses[:, 0])

    @staticmethod
    def from_function(
        density: Callable[[float], MovingDensity], *, positions: int = 16, shares: ArrayLike | None = None
    ) -> MaskedMovingDensity:
        """The law whose density at position s is density(s).

        Args:
            density: Maps a position s in [0, 1] to a moving density, on the same grid for all.
            positions: The number k of equal cells of [0, 1], by default 16.
            shares: Their masses, as in `MaskedMovingDensity`.

        Returns:
            The masked density.

        Raises:
            InvalidInput: If `positions` is no whole number from 1 on.
        """
        found = [density(s) for s in middles(positions)]
        m = found[0].grid.m
        require_numbers(8 * (positions * m) ** 2, f"{positions} densities of {m} nodes", advice="take fewer")
        return MaskedMovingDensity(found, shares)

    def __repr__(self) -> str:
        return f"MaskedMovingDensity({self.shares.shape[-1]} positions, each on {self.grid!r})"

    @property
    def d(self) -> int:
        """The dimension of the space."""
        return self.grid.d

    @property
    def n(self) -> int:
        """The number of nodes, over all positions."""
        return self.masses.size

    @property
    def means(self) -> Array:
        """The mean at each position, shape (k, d)."""
        return jnp.einsum("km,kmd->kd", self.masses, self.points)

    @property
    def mean(self) -> Array:
        """The mean int x dmu(s, x), shape (d,)."""
        return self.shares @ self.means

    @property
    def marginal(self) -> Array:
        """The mass of each position, shape (k,): `shares`, up to rounding."""
        return self.shares * jnp.sum(self.masses, axis=1)

    @property
    def values(self) -> Array:
        """The densities at the nodes, (k, m): mass of one position per length or area."""
        return jax.vmap(lambda x, w: self._one(x, w).values)(self.points, self.masses)

    @property
    def roughness(self) -> Array:
        """Above 1 the nodes of a position have parted too far to tell its density between them."""
        return jnp.max(jax.vmap(self.grid.roughness)(self.points, self.masses))

    def density(self, cell: int) -> MovingDensity:
        """The density of one cell of positions.

        Args:
            cell: Which, from 0 on; negative ones count from the end.

        Returns:
            The moving density.
        """
        return self._one(self.points[cell], self.masses[cell])

    def _one(self, points: Array, masses: Array) -> MovingDensity:
        empty = MovingDensity(self.grid, jnp.zeros((self.grid.m, self.d)), jnp.ones(self.grid.m))
        return eqx.tree_at(lambda rho: (rho.points, rho.masses), empty, (points, masses))

    def velocity(self, model: Transformer, t: Array | float) -> Array:
        """The velocity of the nodes of each position in what it sees.

        Args:
            model: What moves the densities, without its mask.
            t: The time, that is, the depth.

        Returns:
            The velocities, shape (k, m, d).
        """
        cells = jnp.arange(self.shares.shape[0])
        weights = self.shares[:, None] * self.masses

        def of_cell(c: Array) -> Array:
            # what is not seen is put where something is, without weight: not even rounding can tell where it was
            is_seen = cells <= c
            points = jnp.where(is_seen[:, None, None], self.points, self.points[c, 0])
            seen = weights * jnp.where(cells == c, 0.5, jnp.where(is_seen, 1.0, 0.0))[:, None]
            mu = nodes_as_measure(
                points.reshape(-1, self.d), jnp.maximum(seen / jnp.sum(seen), EMPTY).astype(points.dtype).reshape(-1)
            )
            return model.velocity(t, self.points[c], mu)

        return jax.vmap(of_cell)(cells)

    def measure(self) -> Measure:
        """The law as a weighted `Measure` on nodes, with the positions of their cells."""
        return self._as_measure(self.points, self.masses)

    def at(self, masked_points: Array, masked: Array | None = None) -> MaskedMovingDensity:
        """The same masses at other points, without the checks of the constructor.

        Args:
            masked_points: Where the nodes are, shape (k, m, d).
            masked: The densities there, which follow from the points; kept in runs for those who read them.

        Returns:
            The other law.
        """
        return eqx.tree_at(lambda rho: rho.points, self, masked_points)
