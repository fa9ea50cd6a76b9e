"""Densities: the law of infinitely many tokens on a sphere, held by its values at the nodes of a grid.

A `Grid` is a quadrature of the uniform law together with a way to move densities on it: d_t rho = -div(rho X[rho])
(+ (1/kappa) Laplacian rho with noise). A `Density` is relative to the uniform probability law, so uniform is 1
everywhere and the mass is the quadrature of the values. Where nodes are points, a density can be read as a `Measure`
whose weights are density times quadrature weight, so attention of every kind and every observable apply to it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure, check_finite, float_array, is_concrete
from tokenfield.model.attention import Attention
from tokenfield.model.pairs import Pairs
from tokenfield.model.transformer import Transformer

EMPTY = 1e-290  # sums of weights want positive ones: what is empty, or below zero by rounding, gets this


class Grid(eqx.Module):
    """Nodes on a sphere, and how a density moves on them: d_t rho = -div(rho X[rho]).

    A grid of your own is a subclass with the methods below. Its facts:

    - `is_positive`: the scheme keeps densities nonnegative.
    - `goes_on`: it remains meaningful when peaks become narrower than the grid can show; where it does not, a flow
    stops
      there.

    >>> from tokenfield.laws import Fourier
    >>> grid = Fourier(64)
    >>> grid, round(float(grid.weights.sum()), 12)
    (Fourier(64 nodes on S^1), 1.0)
    """

    is_positive: ClassVar[bool] = False
    goes_on: ClassVar[bool] = False

    @property
    @abstractmethod
    def geometry(self) -> Sphere:
        """The sphere that the grid covers."""

    @property
    @abstractmethod
    def weights(self) -> Array:
        """The quadrature weights of the uniform law, (m,), of sum 1."""

    @property
    @abstractmethod
    def points(self) -> Array:
        """The nodes as points of the sphere, (m, d); where a node stands for an orbit, one point of it."""

    @abstractmethod
    def velocity(self, model: Transformer, t: Array | float, values: Array, *, convolve: bool) -> Array:
        """The velocity X[rho], wherever `advect` needs it.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).
            convolve: Whether transforms are used instead of quadrature; only right where the kernel sees cosines alone.

        Returns:
            The velocity, in the coordinates of the grid.
        """

    @abstractmethod
    def advect(self, values: Array, velocity: Array) -> Array:
        """-div(rho X) at the nodes: how the density changes as it is carried along.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).
            velocity: What `velocity` returned.

        Returns:
            The rate of change, shape (m,).
        """

    @abstractmethod
    def laplacian(self, values: Array) -> Array:
        """The Laplacian of the density at the nodes.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The Laplacian on the sphere, shape (m,).
        """

    @abstractmethod
    def roughness(self, values: Array) -> Array:
        """How near the density is to what the grid cannot show.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            One number >= 0; above 1 the density is under-resolved.
        """

    @abstractmethod
    def smooth(self, values: Array) -> Array:
        """The density without what the grid cannot move accurately: for rough initial values such as white noise.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The smoother density, shape (m,).
        """

    @abstractmethod
    def sample(self, values: Array, n: int, key: Array) -> Array:
        """Independent points of the density, taken as constant in the cell of each node.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).
            n: How many points.
            key: A JAX key.

        Returns:
            The points, shape (n, d).
        """

    @abstractmethod
    def power(self, values: Array) -> Array:
        """The power of each degree: int rho_k^2 under the uniform law, where rho_k is the part of degree k.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The powers from degree 0 on, shape (degrees,).
        """

    @abstractmethod
    def eigenvalues(self, kernel: Callable[[Array], Array]) -> Array:
        """By what convolution with a kernel of the cosine multiplies each degree (Funk-Hecke).

        Args:
            kernel: A function of the cosine <x, y>, which JAX can trace.

        Returns:
            The eigenvalues from degree 0 on, shape (degrees,).
        """

    def pairs(self, model: Transformer, t: Array | float, values: Array) -> tuple[Pairs, ...]:
        """The pairs of the density that each head sees: by degrees if it sees cosines, else the nodes as tokens.

        Args:
            model: Whose heads look.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The pairs of each head.
        """
        heads = model.heads(t)
        if all(head.Q is None and head.K is None and head.attention.pair_kernel is not None for head in heads):
            return tuple(DegreePairs(self, values) for _ in heads)
        masses = jnp.maximum(self.weights * values, EMPTY)
        return model.pairs(t, nodes_as_measure(self.points, masses))

    @property
    def is_orbit(self) -> bool:
        """Whether a node stands for an orbit of points instead of for a point."""
        return False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.m} nodes on S^{self.d - 1})"

    def check(self, model: Transformer) -> None:
        """Does nothing if densities on this grid can follow `model`.

        Args:
            model: What would move the density.

        Raises:
            Unsupported: If they cannot; the message says why.
        """
        if not isinstance(model.geometry, Sphere) or model.geometry.d != self.d:
            raise Unsupported(f"this density lives on Sphere({self.d}), the model on {model.geometry!r}")
        if model.position:
            raise Unsupported("a density has no positions: positions need tokens")
        if model.has_radius:
            raise Unsupported("a density of directions has no radii: this normalization needs tokens")
        if model.noise is not None and model.noise.common:
            raise Unsupported("common noise moves a density at random: follow tokens instead")

    def largest_step(self, velocity: Array, diffusion: Array | float) -> Array:
        """The longest explicit step that keeps the density nonnegative, for grids that can.

        Args:
            velocity: What `velocity` returned.
            diffusion: The coefficient 1/kappa of the noise, 0 for none.

        Returns:
            One positive number.

        Raises:
            Unsupported: If the grid does not keep densities nonnegative.
        """
        raise Unsupported("this grid does not keep densities nonnegative: use cells on the circle")

    @property
    def d(self) -> int:
        """The dimension of the ambient space."""
        return self.geometry.d

    @property
    def m(self) -> int:
        """The number of nodes."""
        return self.weights.shape[0]


class DegreePairs(Pairs):
    """The pairs of a density with Q = K = I: iint kernel(<x, y>) is the sum over degrees of eigenvalue times power.

    On the circle this equals the double sum over nodes to rounding, on S^2 the integral of the density's harmonics.
    """

    grid: Grid
    values: Array

    def log_total(self, attention: Attention) -> Array:
        assert attention.pair_kernel is not None
        kernel, log_scale = attention.pair_kernel.on_sphere(self.values.dtype)
        return jnp.log(self.total(kernel)) + log_scale

    def total(self, kernel: Callable[[Array], Array]) -> Array:
        return jnp.sum(self.grid.eigenvalues(kernel) * self.grid.power(self.values))

    def mean_product(self) -> Array:
        mean = (self.grid.weights * self.values) @ self.grid.points
        return jnp.sum(mean * mean)

    def mean_squared_distance(self) -> Array:
        return 2 - 2 * self.mean_product()

    def mean_squared_product(self) -> Array:
        return self.total(jnp.square)


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
    def from_function(grid: Grid, function: Callable[[Array], Array]) -> Density:
        """The density proportional to a function.

        Args:
            grid: The grid.
            function: Maps points (m, d) of the sphere to values (m,) that are not negative.

        Returns:
            The density.
        """
        return Density(grid, function(grid.points))

    @staticmethod
    def uniform(grid: Grid) -> Density:
        """The uniform law.

        Args:
            grid: The grid.

        Returns:
            The density that is 1 everywhere.
        """
        return Density(grid, jnp.ones_like(grid.weights))

    @staticmethod
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
        if isinstance(degree, bool) or int(degree) != degree or degree < 1:
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
        cosines = np.asarray(grid.points) @ directions.T  # (m, k)
        bumps = np.exp(kappas * (cosines - 1))
        bumps /= np.asarray(grid.weights) @ bumps
        rho = Density(grid, jnp.asarray(bumps @ (shares / shares.sum())))
        if float(grid.roughness(rho.values)) > 1:
            raise InvalidInput(f"{grid.m} nodes do not resolve concentration {kappas.max():g}: take more nodes")
        return rho

    @staticmethod
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

    def sample(self, n: int, *, seed: int | Array) -> Measure:
        """Independent tokens of this law.

        Args:
            n: How many, a whole number >= 1.
            seed: An integer or a JAX key.

        Returns:
            The tokens, with equal weights.

        Raises:
            InvalidInput: If `n` is no whole number from 1 on.
        """
        if isinstance(n, bool) or int(n) != n or n < 1:
            raise InvalidInput(f"n must be a whole number >= 1, got {n!r}")
        key = random_key(seed)
        return Measure(self.grid.sample(self.values, int(n), key), geometry=self.grid.geometry)

    def measure(self) -> Measure:
        """The density as a weighted measure on the nodes."""
        self._check_points()
        return nodes_as_measure(self.grid.points, self.weights)

    def rate(self, model: Transformer, t: Array | float, *, convolve: bool | None = None) -> Array:
        """d_t rho = -div(rho X[rho]) + (1/kappa) Laplacian rho at the nodes.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            convolve: Whether transforms are used; by default as `by_convolution` says.

        Returns:
            The rate of change, shape (m,).
        """
        grid, rho = self.grid, self.values
        rate = grid.advect(rho, self.velocity(model, t, convolve=convolve))
        if model.noise is not None:
            rate = rate + grid.laplacian(rho) / model.noise.kappa.astype(rho.dtype)
        return rate

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


def nodes_as_measure(points: Array, weights: Array) -> Measure:
    """The measure of fixed nodes with positive weights, without the checks of the constructor."""
    template = Measure(np.ones((1, 1)))
    where = lambda mu: (mu.points, mu.weights, mu.positions)  # noqa: E731
    return eqx.tree_at(where, template, (points, weights, jnp.zeros_like(weights)))


def gegenbauer(k: int, d: int, t: np.ndarray) -> np.ndarray:
    """The zonal harmonic of degree `k` on S^{d-1}, a polynomial of the cosine `t`, 1 at t = 1 (Legendre for d = 3)."""
    before, now = np.zeros_like(t), np.ones_like(t)
    for j in range(k):
        # normalized so that every degree is 1 at t = 1: large d and k neither overflow nor underflow
        before, now = now, ((2 * j + d - 2) * t * now - j * before) / (j + d - 2)
    return now
