"""`Measure`: a finite weighted sum of Diracs, the one value that is passed around everywhere.

A prompt of n tokens is the measure sum_j w_j delta_{x_j}. Weights are always there because clusters have masses, and
positions because a causal model needs an order. A measure is not a batch: batching is `jax.vmap`.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere

OFF_SPHERE = 1e-6  # points further from the sphere than this are an error, not rounding


class Measure(eqx.Module):
    """The probability measure sum_j weights_j delta_{points_j}; points (n, d), weights (n,) summing to 1.

    Weights default to 1/n and are normalized. With a `geometry`, points are checked to lie on it; on the sphere,
    norms within 1e-6 of 1 are renormalized. `positions` (n,) order the tokens for models that break exchangeability
    (causal masks, ALiBi, RoPE) and default to 0, 1, 2, ...; `radii` (n,) are the lengths of the residual stream where
    points are only its directions (Pre-LN and its kin; see `Measure.polar`).
    Raises `InvalidInput` for wrong shapes, NaN or infinite entries, no points, or weights or radii that are not
    positive. Values are not checked inside `jax.jit`, `vmap` or `grad`.

    >>> Measure([[1.0, 0.0], [0.0, 1.0]], weights=[3.0, 1.0]).weights.tolist()
    [0.75, 0.25]
    """

    points: Array
    weights: Array
    positions: Array
    radii: Array | None

    def __init__(
        self,
        points: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        positions: ArrayLike | None = None,
        radii: ArrayLike | None = None,
        geometry: Geometry | None = None,
    ):
        x = float_array(points, "points")
        if x.ndim != 2:
            raise InvalidInput(f"points must have shape (n, d), got {x.shape}")
        n, d = x.shape
        if n == 0:
            raise InvalidInput("a measure needs at least one point, got n = 0")
        if geometry is not None and d != geometry.d:
            raise InvalidInput(f"points have dimension {d}, the geometry has d = {geometry.d}")
        check_finite(x, "points")
        if isinstance(geometry, Sphere):
            x = _on_sphere(x, geometry)
        self.points = x
        if weights is None:
            self.weights = jnp.full(n, 1.0 / n, x.dtype)
        else:
            w = _positive(_per_point(weights, "weights", x), "weights", "drop the points of weight zero")
            self.weights = w / jnp.sum(w)
        self.positions = jnp.arange(n, dtype=x.dtype) if positions is None else _per_point(positions, "positions", x)
        self.radii = None if radii is None else _positive(_per_point(radii, "radii", x), "radii", "drop zero vectors")

    @staticmethod
    def polar(vectors: ArrayLike, weights: ArrayLike | None = None, *, positions: ArrayLike | None = None) -> Measure:
        """The measure of the directions of `vectors` (n, d) on the sphere, with their lengths as `radii`."""
        x = float_array(vectors, "vectors")
        if x.ndim != 2:
            raise InvalidInput(f"vectors must have shape (n, d), got {x.shape}")
        lengths = jnp.sqrt(jnp.sum(x * x, axis=1))
        if is_concrete(lengths) and not bool(np.all(np.asarray(lengths) > 0)):
            raise InvalidInput("a zero vector has no direction: drop it")
        return Measure(x / lengths[:, None], weights, positions=positions, radii=lengths)

    @property
    def n(self) -> int:
        """The number of points."""
        return self.points.shape[0]

    @property
    def d(self) -> int:
        """The dimension of the ambient space."""
        return self.points.shape[1]

    def moved(self, points: Array, radii: Array | None = None) -> Measure:
        """The same weights and positions at other points (n, d), without the checks of the constructor."""
        where = lambda mu: (mu.points, mu.radii)  # noqa: E731
        return eqx.tree_at(where, self, (points, radii), is_leaf=lambda leaf: leaf is None)

    def at(self, points: Array, radii: Array | None = None) -> Measure:
        """As `moved`; radii that are not given stay."""
        return self.moved(points, self.radii if radii is None else radii)

    @property
    def mean(self) -> Array:
        """The mean vector int x dmu(x), shape (d,)."""
        return self.weights @ self.points


def float_array(values: ArrayLike, name: str) -> Array:
    """`values` as an array of floats; raises `InvalidInput` that calls them `name`."""
    try:
        array = jnp.asarray(values)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be an array of numbers: {error}") from error
    if jnp.issubdtype(array.dtype, jnp.complexfloating) or array.dtype == bool:
        raise InvalidInput(f"{name} must be real numbers, got {array.dtype}")
    if not jnp.issubdtype(array.dtype, jnp.floating):
        return jnp.asarray(array, float)
    # half precision has too few digits to integrate a flow; naming the dtype also drops JAX's weak typing of scalars
    return jnp.asarray(array, jnp.float32 if array.dtype.itemsize < 4 else array.dtype)


def _per_point(values: ArrayLike, name: str, x: Array) -> Array:
    """`values` as one finite number per point, in the precision of the points."""
    array = float_array(values, name).astype(x.dtype)
    if array.shape != (x.shape[0],):
        raise InvalidInput(f"{name} must have shape ({x.shape[0]},), one per point, got {array.shape}")
    check_finite(array, name)
    return array


def _positive(array: Array, name: str, advice: str) -> Array:
    if is_concrete(array) and not bool(np.all(np.asarray(array) > 0)):
        raise InvalidInput(f"{name} must be positive: {advice} and check the signs")
    return array


def is_concrete(array: Array) -> bool:
    """Whether the numbers are known now and here: outside `jax.jit`, `vmap` and `grad`, and not on other hosts."""
    if isinstance(array, jax.core.Tracer):
        return False
    return not isinstance(array, jax.Array) or array.is_fully_addressable or array.is_fully_replicated


def check_finite(array: Array, name: str) -> None:
    """Raises `InvalidInput` if a known number of `array` is NaN or infinite."""
    if not is_concrete(array):
        return
    bad = ~np.isfinite(np.asarray(array))
    if bad.any():
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidInput(f"{name} must be finite: {int(bad.sum())} NaN or infinite entries, the first at {first}")


def _on_sphere(x: Array, sphere: Sphere) -> Array:
    if is_concrete(x):
        off = np.abs(np.linalg.norm(np.asarray(x, dtype=np.float64), axis=1) - 1)
        # float32 coordinates are themselves only good to 1e-7
        if off.max() > OFF_SPHERE:
            i = int(off.argmax())
            raise InvalidInput(
                f"point {i} is off the sphere: its norm differs from 1 by {off[i]:.3g} (at most {OFF_SPHERE:g}); "
                "divide points by their norms first"
            )
    return sphere.to_manifold(x)
