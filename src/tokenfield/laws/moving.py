"""`MovingDensity`: the law of infinitely many tokens in R^1 or R^2, held by nodes that move with the mass.

It is the push-forward mu(t) = X(t)# mu(0) that solves the continuity equation d_t mu + div(mu X[mu]) = 0: nodes follow
the velocity that they make themselves, masses stay, and the density follows from how far nodes part: see
`grids.moving`.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.laws.gaussian import Gaussian
from tokenfield.laws.grid import EMPTY, as_draw, nodes_as_measure
from tokenfield.laws.grids.moving import Moving
from tokenfield.measure import Measure, check_finite, float_array, is_concrete, is_whole

REACH = 8.0  # standard deviations of a normal law that are held: beyond are 1e-15 of the mass
ROUGH = (
    0.1  # of the mass in the last two of eight degrees: moments of a normal law are then off by 1e-5, at 0.04 by 1e-7
)


class MovingDensity(eqx.Module):
    """A probability density in R^1 or R^2, held by nodes that move with the mass; `solve` moves it.

    The mass is kept exactly and the density is never negative.

    Args:
        grid: The nodes, `Moving(d, size)`.
        points: Where they are, shape (m, d): a smooth map of `grid.labels`.
        masses: What they weigh, not negative, shape (m,); divided by their sum.

    Raises:
        InvalidInput: If the shapes do not fit, a number is not finite, or a mass is negative.

    >>> rho = MovingDensity.gaussian(Moving(1, 64), covariance=[[4.0]])
    >>> rho.covariance.round(9).tolist()
    [[4.0]]
    """

    grid: Moving
    points: Array
    masses: Array

    def __init__(self, grid: Moving, points: ArrayLike, masses: ArrayLike):
        if not isinstance(grid, Moving):
            raise InvalidInput(f"a moving density needs nodes such as Moving(1, 256), got {grid!r}")
        x, w = float_array(points, "points"), float_array(masses, "masses")
        if x.shape != (grid.m, grid.d) or w.shape != (grid.m,):
            raise InvalidInput(
                f"this grid has {grid.m} nodes in R^{grid.d}: points must have shape ({grid.m}, {grid.d}) and masses "
                f"({grid.m},), got {x.shape} and {w.shape}"
            )
        check_finite(x, "points")
        check_finite(w, "masses")
        if is_concrete(w) and not (float(jnp.min(w)) >= 0 and float(jnp.sum(w)) > 0):
            raise InvalidInput("masses must not be negative, nor all zero")
        w = jnp.maximum(w / jnp.sum(w), EMPTY).astype(x.dtype)
        self.grid, self.points, self.masses = grid, x, w

    # --- initial densities ---------------------------------------------------------------------------------------

    @staticmethod
    def from_function(
        grid: Moving, function: Callable[[Array], Array], *, low: ArrayLike = -1.0, high: ArrayLike = 1.0
    ) -> MovingDensity:
        """The density proportional to a function on a box, and zero elsewhere.

        Args:
            grid: The nodes.
            function: Maps points (m, d) to values (m,) that are not negative.
            low: The lower bounds of the box, one number or d, by default -1.
            high: Its upper bounds, by default 1.

        Returns:
            The density.

        Raises:
            InvalidInput: If the box is empty, or the nodes do not resolve the function on it.
        """
        lower, upper = (np.broadcast_to(np.asarray(bound, float), (grid.d,)) for bound in (low, high))
        if not (np.all(np.isfinite([lower, upper])) and np.all(lower < upper)):
            raise InvalidInput(f"a box needs low < high in every coordinate, got low = {low}, high = {high}")
        points = jnp.asarray(lower + grid.labels * (upper - lower))
        return _resolved(grid, points, function(points))

    @staticmethod
    def uniform(grid: Moving, *, low: ArrayLike = -1.0, high: ArrayLike = 1.0) -> MovingDensity:
        """The uniform law on a box.

        Args:
            grid: The nodes.
            low: The lower bounds of the box, one number or d, by default -1.
            high: Its upper bounds, by default 1.

        Returns:
            The density.

        Raises:
            InvalidInput: If the box is empty.
        """
        return MovingDensity.from_function(grid, lambda x: jnp.ones_like(x[:, 0]), low=low, high=high)

    @staticmethod
    def ball(
        grid: Moving,
        *,
        center: ArrayLike = 0.0,
        radius: float = 1.0,
        profile: Callable[[Array], Array] | None = None,
    ) -> MovingDensity:
        """A density of the distance to a center alone, zero beyond a radius; by default uniform.

        Args:
            grid: The nodes; in R^2 they lie on circles.
            center: The center, one number or d, by default 0.
            radius: The radius, a positive number, by default 1.
            profile: Maps distances (m,) to values (m,) that are not negative; by default 1.

        Returns:
            The density.

        Raises:
            InvalidInput: If the radius is not positive, or the nodes do not resolve the profile.
        """
        if not (np.isfinite(radius) and radius > 0):
            raise InvalidInput(f"a ball needs a positive radius, got {radius}")
        middle = np.broadcast_to(np.asarray(center, float), (grid.d,))
        labels = grid.labels
        if grid.d == 1:
            points = (2 * labels - 1) * radius
        else:
            angle = 2 * np.pi * labels[:, 1]
            points = radius * labels[:, :1] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        distance = jnp.linalg.norm(jnp.asarray(points), axis=1)
        values = jnp.ones_like(distance) if profile is None else profile(distance)
        return _resolved(grid, jnp.asarray(middle + points), values)

    @staticmethod
    def gaussian(
        grid: Moving, *, mean: ArrayLike | None = None, covariance: ArrayLike | None = None, reach: float = REACH
    ) -> MovingDensity:
        """A normal law, cut off where it is negligible.

        Args:
            grid: The nodes.
            mean: The mean, shape (d,), by default 0.
            covariance: The covariance, shape (d, d), positive definite; by default the identity.
            reach: How many standard deviations are held, by default 8; softmax attention of a law that spreads looks
                at its tails, which more of them follow longer.

        Returns:
            The density.

        Raises:
            InvalidInput: If the covariance is singular, the shapes do not fit, or `reach` is not in (0, 36].
        """
        law = Gaussian(np.zeros(grid.d) if mean is None else mean, np.eye(grid.d) if covariance is None else covariance)
        if law.d != grid.d:
            raise InvalidInput(f"this Gaussian lives in R^{law.d}, the nodes in R^{grid.d}")
        if not 0 < reach <= 36:
            raise InvalidInput(f"reach must be a number in (0, 36], got {reach}: beyond masses underflow")
        if np.linalg.matrix_rank(np.asarray(law.covariance, float)) < grid.d:
            raise InvalidInput("a singular covariance has no density: use state 'gaussian', or tokens")
        factor = np.linalg.cholesky(np.asarray(law.covariance, float))
        scores = reach * (2 * grid.labels - 1)
        points = np.asarray(law.mean, float) + scores @ factor.T
        return _resolved(grid, jnp.asarray(points), jnp.asarray(np.exp(-np.sum(scores**2, axis=1) / 2)))

    @staticmethod
    def gaussian_mixture(
        grid: Moving, *, means: ArrayLike, covariance: ArrayLike | None = None, masses: ArrayLike | None = None
    ) -> MovingDensity:
        """A mixture of normal laws of the same covariance, on a box that holds all of them.

        Args:
            grid: The nodes.
            means: The means of the k parts, shape (k, d).
            covariance: Their covariance, shape (d, d), positive definite; by default the identity.
            masses: What they weigh, k positive numbers; by default all the same.

        Returns:
            The density.

        Raises:
            InvalidInput: If the shapes do not fit, or the nodes do not resolve the parts.
        """
        middles = np.asarray(means, float)
        if middles.ndim != 2 or middles.shape[1] != grid.d:
            raise InvalidInput(f"means must be vectors of length {grid.d}, got shape {middles.shape}")
        S = np.eye(grid.d) if covariance is None else np.asarray(covariance, float)
        law, k = Gaussian(middles[0], S), len(middles)
        shares = np.broadcast_to(np.asarray(1.0 if masses is None else masses, float), (k,))
        if not (np.all(np.isfinite(shares)) and np.all(shares > 0)):
            raise InvalidInput("masses must be positive")
        spread, inverse = REACH * np.sqrt(np.diag(np.asarray(law.covariance, float))), np.linalg.inv(S)

        def mixture(x: Array) -> Array:
            gaps = x[:, None, :] - jnp.asarray(middles)
            return jnp.exp(-jnp.einsum("mka,ab,mkb->mk", gaps, jnp.asarray(inverse), gaps) / 2) @ jnp.asarray(shares)

        low, high = middles.min(axis=0) - spread, middles.max(axis=0) + spread
        return MovingDensity.from_function(grid, mixture, low=low, high=high)

    def __repr__(self) -> str:
        if not is_concrete(self.points) or self.points.ndim != 2:
            return f"MovingDensity(traced or batched, on {self.grid!r})"
        return f"MovingDensity(on {self.grid!r}, within {float(self.radius):.3g} of the origin)"

    # --- read as a measure ----------------------------------------------------------------------------------------

    @property
    def weights(self) -> Array:
        """The masses (m,) of the nodes, as for a `Measure`."""
        return self.masses

    @property
    def n(self) -> int:
        """The number of nodes."""
        return self.grid.m

    @property
    def d(self) -> int:
        """The dimension of the space."""
        return self.grid.d

    @property
    def values(self) -> Array:
        """The density at the nodes, (m,): mass per length or area; infinite where the map has collapsed."""
        return self.masses / self.grid.weights.astype(self.masses.dtype) / jnp.abs(self.grid.stretch(self.points))

    @property
    def mean(self) -> Array:
        """The mean int x dmu(x), (d,)."""
        return self.masses @ self.points

    @property
    def covariance(self) -> Array:
        """The covariance, (d, d)."""
        gaps = self.points - self.mean
        return gaps.T @ (self.masses[:, None] * gaps)

    @property
    def radius(self) -> Array:
        """The largest |x| of a node: that of the support, up to the last node of a panel."""
        return jnp.sqrt(jnp.max(jnp.sum(self.points**2, axis=1)))

    @property
    def roughness(self) -> Array:
        """Above 1 the nodes have parted too far to tell the density between them; see `Moving.roughness`."""
        return self.grid.roughness(self.points, self.masses)

    def measure(self) -> Measure:
        """The density as a weighted `Measure` on the nodes."""
        return nodes_as_measure(self.points, self.masses)

    def refined(self, times: int) -> Measure:
        """The same law on a grid of `times` as many nodes along each axis, by the polynomials of the panels.

        Args:
            times: A whole number >= 1.

        Returns:
            A weighted measure of m times^d points.

        Raises:
            InvalidInput: If `times` is not.
        """
        if not is_whole(times) or times < 1:
            raise InvalidInput(f"times must be a whole number >= 1, got {times!r}")
        finer = Moving(self.d, self.grid.size * int(times))
        per_label = self.masses / self.grid.weights
        field = self.grid.between(jnp.concatenate([self.points, per_label[:, None]], axis=1), finer.labels)
        masses = jnp.maximum(field[:, -1] * finer.weights, EMPTY)
        return nodes_as_measure(field[:, :-1], masses / jnp.sum(masses))

    def sample(self, n: int, *, seed: int | Array) -> Measure:
        """Independent tokens of this law, whose mass per label is taken as constant around each node.

        Args:
            n: How many, a whole number >= 1.
            seed: An integer or a JAX key.

        Returns:
            The tokens, with equal weights.

        Raises:
            InvalidInput: If `n` is no whole number from 1 on.
        """
        count, key = as_draw(n, self.d, seed)
        pick, place = jax.random.split(key)
        totals = jnp.cumsum(self.masses)
        nodes = jnp.minimum(jnp.searchsorted(totals, jax.random.uniform(pick, (count,)) * totals[-1]), self.n - 1)
        # the cells of Gauss-Legendre nodes are as wide as their weights, one after the other
        faces = jnp.concatenate([jnp.zeros(1), jnp.cumsum(jnp.asarray(self.grid.axis[1]))])
        along = [nodes] if self.d == 1 else [nodes // self.grid.size, nodes % self.grid.size]
        inside = jax.random.uniform(place, (count, self.d))
        labels = [faces[k] + (faces[k + 1] - faces[k]) * inside[:, axis] for axis, k in enumerate(along)]
        return Measure(self.grid.between(self.points, jnp.stack(labels, axis=1)))

    def at(self, points: Array, density: Array | None = None) -> MovingDensity:
        """The same masses at other points, without the checks of the constructor.

        Args:
            points: Where the nodes are, shape (m, d).
            density: The density there, which follows from the points; it is kept in runs for those who read them.

        Returns:
            The other density.
        """
        return eqx.tree_at(lambda rho: rho.points, self, points)


def _resolved(grid: Moving, points: Array, values: Array) -> MovingDensity:
    """The density of the given `values` at the points, if the nodes resolve it; raises `InvalidInput` if not."""
    v = float_array(values, "density values")
    if v.shape != (grid.m,):
        raise InvalidInput(f"this grid has {grid.m} nodes: values must have shape ({grid.m},), got {v.shape}")
    check_finite(v, "density values")
    per_label = v * jnp.abs(grid.stretch(points))
    rho = MovingDensity(grid, points, per_label * grid.weights)
    if is_concrete(v) and (missed := float(grid.tail_share(per_label))) > ROUGH:
        raise InvalidInput(
            f"{grid.size} nodes along an axis do not resolve the initial density ({missed:.1g} of it lies between "
            "them): take more nodes, or a smaller box"
        )
    return rho
