"""Densities: the law of infinitely many tokens on a sphere, held by its values at the nodes of a grid.

A `Grid` (see `grid`) is a quadrature of the uniform law and moves densities by d_t rho = -div(rho X[rho])
(+ (1/kappa) Laplacian rho with noise). A `Density` is relative to the uniform probability law, so uniform is 1
everywhere and the mass is the quadrature of the values. Where nodes are points, a density can be read as a `Measure`
whose weights are density times quadrature weight, so attention of every kind and every observable apply to it.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.memory import require_numbers
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws.grid import EMPTY, Grid, as_draw, nodes_as_measure
from tokenfield.measure import Measure, check_finite, float_array, is_concrete, is_whole
from tokenfield.model.pairs import Pairs
from tokenfield.model.transformer import Transformer


class Density(eqx.Module):
    """A probability density on a sphere, relative to the uniform law: 1 everywhere is uniform.

    It is the law of infinitely many tokens; `solve` moves it by the continuity equation (arXiv 2312.10794). Values are
    normalized to mass one.

    Args:
        grid: Where the density is known: `Fourier` or `Cells` on the circle, `Harmonics` on S^2, `Zonal` on S^{d-1}.
        values: The density at the m nodes of the grid, not negative, shape (m,).
        by_convolution: Whether velocities come from transforms; by default from quadrature, which is right for every
            model. `solve` sets it where transforms give the same much faster.

    Raises:
        InvalidInput: If the shape is wrong, a value is NaN or below zero by more than rounding, or the mass not
            positive.

    >>> from tokenfield.laws import Fourier
    >>> rho = Density.perturbed_uniform(Fourier(64), degree=3, amplitude=0.1)
    >>> round(float(rho.values[0]), 12)
    1.1
    """

    grid: Grid
    values: Array
    by_convolution: bool = eqx.field(static=True)

    def __init__(self, grid: Grid, values: ArrayLike, *, by_convolution: bool = False):
        if not isinstance(grid, Grid):
            raise InvalidInput(f"a density needs a grid such as Fourier(512), got {grid!r}")
        rho = float_array(values, "density values")
        if rho.shape != (grid.m,):
            raise InvalidInput(f"this grid has {grid.m} nodes: values must have shape ({grid.m},), got {rho.shape}")
        check_finite(rho, "density values")
        mass = grid.weights.astype(rho.dtype) @ rho
        if is_concrete(rho):
            if not float(mass) > 0:
                raise InvalidInput(f"a density needs positive mass, got {float(mass):.3g}")
            least, most = float(jnp.min(rho)), float(jnp.max(rho))
            if least < -1e-9 * most:
                raise InvalidInput(f"a density must not be negative, its smallest value is {least:.3g}")
        self.grid, self.values, self.by_convolution = grid, rho / mass, by_convolution

    # --- initial densities ---------------------------------------------------------------------------------------

    @staticmethod
    @checked
    def from_function(grid: Grid, function: Callable[[Array], Array]) -> Density:
        """The density proportional to a function.

        Args:
            grid: The grid.
            function: Maps points (m, d) of the sphere to values (m,) that are not negative.

        Returns:
            The density.

        >>> from tokenfield.laws import Fourier
        >>> rho = Density.from_function(Fourier(64), lambda x: 1 + x[:, 0])
        >>> round(float(rho.mean[0]), 9)
        0.5
        """
        return Density(grid, function(grid.points))

    @staticmethod
    @checked
    def uniform(grid: Grid) -> Density:
        """The uniform law.

        Args:
            grid: The grid.

        Returns:
            The density that is 1 everywhere.
        """
        return Density(grid, jnp.ones_like(grid.weights))

    @staticmethod
    @checked
    def perturbed_uniform(grid: Grid, *, degree: int, amplitude: float) -> Density:
        """1 + amplitude h_k: h_k = cos(k theta) on the circle, else the Gegenbauer polynomial of x_d (h_k(1) = 1).

        On zonal grids the axis takes the place of x_d.

        Args:
            grid: The grid.
            degree: The degree k of the harmonic, a whole number >= 1.
            amplitude: Its size, a number in [-1, 1].

        Returns:
            The density.

        Raises:
            InvalidInput: If a number is out of its range, or the grid does not resolve the degree.
        """
        if not is_whole(degree) or degree < 1:
            raise InvalidInput(f"degree must be a whole number >= 1, got {degree!r}")
        if not abs(amplitude) <= 1:
            raise InvalidInput(f"a density 1 + amplitude h_k needs |amplitude| <= 1, got {amplitude}")
        x, d = np.asarray(grid.points), grid.d
        if d == 2:
            harmonic = np.cos(degree * np.arctan2(x[:, 1], x[:, 0]))
        else:
            harmonic = gegenbauer(int(degree), d, x[:, 0 if grid.is_orbit else -1])
        if float(grid.roughness(jnp.asarray(1 + harmonic))) > 1:
            raise InvalidInput(f"this grid does not resolve degree {degree}: take more nodes")
        return Density(grid, 1 + amplitude * harmonic)

    @staticmethod
    @checked
    def noisy_uniform(grid: Grid, *, amplitude: float, seed: int | Array) -> Density:
        """1 + amplitude N(0, 1) at each node, without the finest structure that the grid could not move accurately.

        Args:
            grid: The grid.
            amplitude: The standard deviation at a node, a number >= 0.
            seed: An integer or a JAX key.

        Returns:
            The density.

        Raises:
            InvalidInput: If the amplitude is negative, or so large that the density would be.
        """
        if not (np.isfinite(amplitude) and amplitude >= 0):
            raise InvalidInput(f"the amplitude of the noise must be >= 0, got {amplitude}")
        key = random_key(seed)
        return Density(grid, grid.smooth(1 + amplitude * jax.random.normal(key, (grid.m,))))

    @staticmethod
    @checked
    def vmf_mixture(
        grid: Grid, *, means: ArrayLike, concentrations: ArrayLike, masses: ArrayLike | None = None
    ) -> Density:
        """A mixture of von Mises-Fisher laws: densities proportional to e^{c <mean, x>}.

        Args:
            grid: The grid.
            means: The directions of the k peaks, shape (k, d); they need not have length one.
            concentrations: How sharp each one is, c >= 0: k numbers, or one for all.
            masses: How much each one weighs, k positive numbers; by default all the same.

        Returns:
            The density.

        Raises:
            InvalidInput: If a number is out of its range, or the grid does not resolve a peak.

        >>> from tokenfield.laws import Fourier
        >>> rho = Density.vmf_mixture(Fourier(64), means=[[1, 0]], concentrations=2.0)
        >>> round(float(rho.mean[0]), 3)  # I_1(2) / I_0(2)
        0.698
        """
        directions = np.atleast_2d(np.asarray(means, float))
        if directions.ndim != 2 or directions.shape[1] != grid.d:
            raise InvalidInput(f"means must be vectors of length {grid.d}, got shape {directions.shape}")
        lengths = np.linalg.norm(directions, axis=1, keepdims=True)
        k = len(directions)
        shares = np.broadcast_to(np.asarray(1.0 if masses is None else masses, float), (k,))
        kappas = np.broadcast_to(np.asarray(concentrations, float), (k,))
        if not (np.all(np.isfinite(directions)) and np.all(lengths > 0)):
            raise InvalidInput("means must be finite vectors that are not zero")
        if not (np.all(kappas >= 0) and np.all(np.isfinite(kappas)) and np.all(shares > 0)):
            raise InvalidInput("concentrations must be >= 0 and masses positive")
        directions = directions / lengths
        if grid.is_orbit and np.any(np.abs(directions[:, 0]) < 1 - 1e-9):
            raise InvalidInput("a zonal density is symmetric about e_1: the means must be e_1 or -e_1")
        require_numbers(2 * grid.m * k, f"{k} peaks at {grid.m} nodes", advice="take fewer nodes", on_host=True)
        cosines = np.asarray(grid.points) @ directions.T  # (m, k)
        bumps = np.exp(kappas * (cosines - 1))
        totals = np.asarray(grid.weights) @ bumps
        # a peak between two nodes may be zero at all of them
        rho = Density(grid, jnp.asarray(bumps / totals @ (shares / shares.sum()))) if np.all(totals > 0) else None
        if rho is None or float(grid.roughness(rho.values)) > 1:
            raise InvalidInput(f"{grid.m} nodes do not resolve concentration {kappas.max():g}: take more nodes")
        return rho

    @staticmethod
    @checked
    def smoothed(grid: Grid, mu: Measure, *, concentration: float) -> Density:
        """Tokens spread by a von Mises-Fisher kernel: sum_j w_j vMF(x_j, concentration).

        Args:
            grid: The grid, not a zonal one.
            mu: The tokens.
            concentration: How sharp the kernel is, a number >= 0.

        Returns:
            The density.

        Raises:
            InvalidInput: If the grid is zonal, or does not resolve the kernel.
        """
        if grid.is_orbit:
            raise InvalidInput("tokens have no axis of symmetry: a zonal density cannot hold them")
        return Density.vmf_mixture(grid, means=mu.points, concentrations=concentration, masses=mu.weights)

    def __repr__(self) -> str:
        if not is_concrete(self.values) or self.values.ndim != 1:
            return f"Density(traced or batched, on {self.grid!r})"
        least, most = float(jnp.min(self.values)), float(jnp.max(self.values))
        return f"Density(on {self.grid!r}, from {least:.3g} to {most:.3g} times the uniform law)"

    # --- read as a measure ----------------------------------------------------------------------------------------

    @property
    def points(self) -> Array:
        """The nodes (m, d), as for a `Measure`."""
        self._check_points()
        return self.grid.points

    @property
    def weights(self) -> Array:
        """The masses (m,) of the nodes, as for a `Measure`."""
        return jnp.maximum(self.grid.weights * self.values, EMPTY)

    @property
    def n(self) -> int:
        """The number of nodes."""
        return self.grid.m

    @property
    def d(self) -> int:
        """The dimension of the ambient space."""
        return self.grid.d

    @property
    def mean(self) -> Array:
        """The mean vector int x dmu(x), (d,)."""
        mean = (self.grid.weights * self.values) @ self.grid.points
        # an orbit has its mean on the axis
        return mean * (jnp.arange(self.d) == 0) if self.grid.is_orbit else mean

    @property
    def roughness(self) -> Array:
        """How near the density is to what its grid cannot show; above 1 it is under-resolved."""
        return self.grid.roughness(self.values)

    def sample(self, n: int, *, seed: int | Array) -> Measure:
        """Independent tokens of this law.

        Args:
            n: How many, a whole number >= 1.
            seed: An integer or a JAX key.

        Returns:
            The tokens, with equal weights.

        Raises:
            InvalidInput: If `n` is no whole number from 1 on.

        >>> from tokenfield.laws import Fourier
        >>> Density.uniform(Fourier(64)).sample(8, seed=0)
        Measure(8 tokens in R^2, equal weights)
        """
        count, key = as_draw(n, self.d, seed)
        return Measure(self.grid.sample(self.values, count, key), geometry=self.grid.geometry)

    def measure(self) -> Measure:
        """The density as a weighted `Measure` on the nodes."""
        self._check_points()
        return nodes_as_measure(self.grid.points, self.weights)

    @checked
    def rate(self, model: Transformer, t: Array | float, *, convolve: bool | None = None) -> Array:
        """d_t rho = -div(rho X[rho]) + (1/kappa) Laplacian rho at the nodes.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            convolve: Whether transforms are used; by default as `by_convolution` says.

        Returns:
            The rate of change, shape (m,).

        >>> from tokenfield import Softmax, Sphere, laws
        >>> rho = Density.uniform(laws.Fourier(64))  # which attention leaves as it is
        >>> bool(abs(rho.rate(Transformer(Sphere(2), Softmax(1.0)), 0.0)).max() < 1e-12)
        True
        """
        grid, rho = self.grid, self.values
        rate = grid.advect(rho, self.velocity(model, t, convolve=convolve))
        if model.noise is not None:
            rate = rate + grid.laplacian(rho) / model.noise.kappa.astype(rho.dtype)
        return rate

    @checked
    def velocity(self, model: Transformer, t: Array | float, *, convolve: bool | None = None) -> Array:
        """The velocity X[rho], wherever the grid needs it.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            convolve: Whether transforms are used; by default as `by_convolution` says.

        Returns:
            The velocity, in the coordinates of the grid.
        """
        return self.grid.velocity(model, t, self.values, convolve=self.by_convolution if convolve is None else convolve)

    @checked
    def pairs(self, model: Transformer, t: Array | float) -> tuple[Pairs, ...]:
        """All pairs of the density, as each head of `model` sees them: what energies are integrals over.

        Args:
            model: Whose heads look.
            t: The time, that is, the depth.

        Returns:
            The pairs of each head.
        """
        return self.grid.pairs(model, t, self.values)

    def at(self, density: Array) -> Density:
        """The density with other values on the same grid, without the checks of the constructor.

        Args:
            density: The new values, shape (m,), of mass one.

        Returns:
            The other density.
        """
        return eqx.tree_at(lambda rho: rho.values, self, density)

    def _check_points(self) -> None:
        if self.grid.is_orbit:
            raise Unsupported("the nodes of a zonal density are orbits, not points: use its mean, energy or spectrum")


def gegenbauer(k: int, d: int, t: np.ndarray) -> np.ndarray:
    """The zonal harmonic of degree `k` on S^{d-1}, a polynomial of the cosine `t`, 1 at t = 1 (Legendre for d = 3)."""
    before, now = np.zeros_like(t), np.ones_like(t)
    for j in range(k):
        # normalized so that every degree is 1 at t = 1: large d and k neither overflow nor underflow
        before, now = now, ((2 * j + d - 2) * t * now - j * before) / (j + d - 2)
    return now
