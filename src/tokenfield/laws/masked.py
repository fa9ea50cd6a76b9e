"""`MaskedDensity`: the mean field of causal attention, a density on [0, 1] x sphere, one for each position.

A token at position s sees those at positions tau <= s (arXiv 2501.18322), so mu_s moves in the mean of all mu_tau up to
it. [0, 1] is cut into equal cells; what a cell sees is a cumulative sum over the cells before it and half of its own,
the trapezoidal rule, so nothing depends on later positions, and each cell keeps its mass.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws.by_position import ByPosition, as_shares, middles, seen_by_each
from tokenfield.laws.density import Density
from tokenfield.laws.grid import Grid
from tokenfield.laws.masked_moving import MaskedMovingDensity
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure, check_finite, float_array, is_concrete
from tokenfield.model.transformer import Transformer


class MaskedDensity(ByPosition):
    """A law of positions in [0, 1] and tokens on a sphere, for models with `Causal()`; `solve` moves it.

    Args:
        grid: Where the densities are known: `Fourier`, `Cells`, `Harmonics` or `Zonal`.
        values: For each of k equal cells of positions the density at the m nodes, relative to the uniform law, shape
            (k, m). Each row is normalized to mass one.
        shares: The mass of each cell of positions, shape (k,), positive; by default all are 1/k.
        by_convolution: Whether velocities come from transforms; `solve` sets it where transforms give the same.

    Raises:
        InvalidInput: If the shapes do not fit, or a value is not finite or negative.

    >>> from tokenfield.laws import Fourier
    >>> rho = MaskedDensity.from_function(Fourier(32), lambda s, x: 1 + s * x[:, 0], positions=4)
    >>> rho.values.shape, rho.positions.tolist()
    ((4, 32), [0.125, 0.375, 0.625, 0.875])
    """

    grid: Grid
    values: Array
    shares: Array
    by_convolution: bool = eqx.field(static=True)

    def __init__(self, grid: Grid, values: ArrayLike, shares: ArrayLike | None = None, *, by_convolution: bool = False):
        if not isinstance(grid, Grid):
            raise InvalidInput(f"a masked density needs a grid such as Fourier(128), got {grid!r}")
        rho = float_array(values, "density values")
        if rho.ndim != 2 or rho.shape[1] != grid.m:
            raise InvalidInput(f"this grid has {grid.m} nodes: values must have shape (k, {grid.m}), got {rho.shape}")
        check_finite(rho, "density values")
        if is_concrete(rho) and float(jnp.min(rho)) < -1e-9 * float(jnp.max(rho)):
            raise InvalidInput(f"a density must not be negative, its smallest value is {float(jnp.min(rho)):.3g}")
        self.shares = as_shares(shares, rho[:, 0])
        mass = rho @ grid.weights.astype(rho.dtype)
        if is_concrete(mass) and not float(jnp.min(mass)) > 0:
            raise InvalidInput("a density needs positive mass at every position")
        self.grid, self.values, self.by_convolution = grid, rho / mass[:, None], by_convolution

    @staticmethod
    def from_function(
        grid: Grid,
        function: Callable[[float, Array], Array],
        *,
        positions: int = 32,
        shares: ArrayLike | None = None,
    ) -> MaskedDensity:
        """The law whose density at position s is proportional to function(s, .).

        Args:
            grid: The grid.
            function: Maps a position s and points (m, d) to values (m,) that are not negative.
            positions: The number k of equal cells of [0, 1], by default 32.
            shares: Their masses, as in `MaskedDensity`.

        Returns:
            The masked density.

        Raises:
            InvalidInput: If `positions` is no whole number from 1 on.
        """
        cells = middles(positions)
        require_numbers(8 * int(positions) * grid.m, f"{positions} densities of {grid.m} nodes", advice="take fewer")
        return MaskedDensity(grid, jnp.stack([function(s, grid.points) for s in cells]), shares)

    def __repr__(self) -> str:
        return f"MaskedDensity({self.values.shape[-2]} positions, each on {self.grid!r})"

    @property
    def d(self) -> int:
        """The dimension of the ambient space."""
        return self.grid.d

    @property
    def n(self) -> int:
        """The number of nodes, over all positions."""
        return self.values.size

    @property
    def seen(self) -> Array:
        """The densities that each position sees, (k, m): the mean over all positions before it."""
        return seen_by_each(self.values, self.shares)

    @property
    def mean(self) -> Array:
        """The mean int x dmu(s, x), shape (d,)."""
        return self.shares @ self.means

    @property
    def means(self) -> Array:
        """The mean vector at each position, shape (k, d)."""
        return (self.values * self.grid.weights) @ self.grid.points

    @property
    def marginal(self) -> Array:
        """The mass of each position, shape (k,): `shares`, up to what rounding does to the densities."""
        return self.shares * (self.values @ self.grid.weights)

    @property
    def roughness(self) -> Array:
        """How near the densities are to what the grid cannot show; above 1 one of them is under-resolved."""
        return jnp.max(jax.vmap(self.grid.roughness)(self.values))

    def velocity(self, model: Transformer, t: Array | float) -> Array:
        """The velocity of each position in what it sees, wherever the grid needs it.

        Args:
            model: What moves the densities, without its mask.
            t: The time, that is, the depth.

        Returns:
            The velocities in the coordinates of the grid, one row for each position.
        """
        return jax.vmap(lambda rho: self.grid.velocity(model, t, rho, convolve=self.by_convolution))(self.seen)

    def rate(self, model: Transformer, t: Array | float) -> Array:
        """d_t rho_s = -div(rho_s X[seen by s]) + (1/kappa) Laplacian rho_s at the nodes.

        Args:
            model: What moves the densities, without its mask.
            t: The time, that is, the depth.

        Returns:
            The rate of change, shape (k, m).
        """
        rate = jax.vmap(self.grid.advect)(self.values, self.velocity(model, t))
        if model.noise is not None:
            rate = rate + jax.vmap(self.grid.laplacian)(self.values) / model.noise.kappa.astype(rate.dtype)
        return rate

    def measure(self) -> Measure:
        """The law as a weighted `Measure` on nodes, with the positions of their cells."""
        if self.grid.is_orbit:
            raise Unsupported("the nodes of a zonal density are orbits, not points")
        points = jnp.broadcast_to(self.grid.points, (*self.values.shape, self.d))
        return self._as_measure(points, self.values * self.grid.weights)

    def sample(self, n: int, *, seed: int | Array) -> Measure:
        """Independent tokens with their positions, each uniform in its cell.

        Args:
            n: How many, a whole number >= 1.
            seed: An integer or a JAX key.

        Returns:
            The tokens, with equal weights, in the order of their positions.

        Raises:
            InvalidInput: If `n` is no whole number from 1 on.
        """
        cells, positions, draw = self._drawn(n, seed)
        one = lambda cell, key: self.grid.sample(self.values[cell], 1, key)[0]  # noqa: E731
        points = jax.vmap(one)(cells, jax.random.split(draw, len(cells)))
        return Measure(points, positions=positions, geometry=self.grid.geometry)

    def at(self, masked: Array) -> MaskedDensity:
        """The law with other densities on the same grid, without the checks of the constructor.

        Args:
            masked: The new values, shape (k, m).

        Returns:
            The other law.
        """
        return eqx.tree_at(lambda rho: rho.values, self, masked)


AnyDensity = Density | MovingDensity | MaskedDensity | MaskedMovingDensity  # whatever `solve` takes as one
