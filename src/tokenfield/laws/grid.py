"""Grids: quadratures of the uniform law on a sphere, each with a way to move densities on it.

A `Grid` moves densities by d_t rho = -div(rho X[rho]) (+ (1/kappa) Laplacian rho with noise). Which grids there are is
in `tokenfield.laws.grids`; the density itself is in `tokenfield.laws.density`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.memory import require_for_tokens
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure, is_whole
from tokenfield.model.attention import Attention
from tokenfield.model.pairs import Pairs
from tokenfield.model.position import Causal
from tokenfield.model.transformer import Transformer

EMPTY = 1e-290  # sums of weights want positive ones: what is empty, or below zero by rounding, gets this


def refuse_positions(model: Transformer, law: str) -> None:
    """Raises `Unsupported` if the model looks at positions, which `law` does not have."""
    if len(model.position) == 1 and isinstance(model.position[0], Causal):
        raise Unsupported(
            f"{law} has no positions: a causal mask needs one for each position (state.positions), or tokens"
        )
    if model.position:
        raise Unsupported(f"{law} has no positions: positions need tokens")


class Grid(eqx.Module):
    """Nodes on a sphere, and how a density moves on them: d_t rho = -div(rho X[rho]).

    A grid of your own is a subclass with the methods below. Its facts:

    - `is_positive`: the scheme keeps densities nonnegative.
    - `goes_on`: it remains meaningful when peaks become narrower than the grid can show; where it does not, a flow
      stops there.

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
        refuse_positions(model, "a density")
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


def nodes_as_measure(points: Array, weights: Array) -> Measure:
    """The measure of fixed nodes with positive weights, without the checks of the constructor."""
    template = Measure(np.ones((1, 1)))
    where = lambda mu: (mu.points, mu.weights, mu.positions)  # noqa: E731
    return eqx.tree_at(where, template, (points, weights, jnp.zeros_like(weights)))


def as_draw(n: int, d: int, seed: int | Array) -> tuple[int, Array]:
    """How many tokens of R^d are drawn, checked, and the key for that."""
    if not is_whole(n) or n < 1:
        raise InvalidInput(f"n must be a whole number >= 1, got {n!r}")
    require_for_tokens(int(n), d)
    return int(n), random_key(seed)
