"""`Measure`: a finite weighted sum of Diracs, the one value that is passed around everywhere.

A prompt of n tokens is the measure sum_j w_j delta_{x_j}. Weights are always there because clusters have masses.
A measure is not a batch: batching is `jax.vmap`.
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
    norms within 1e-6 of 1 are renormalized. Raises `InvalidInput` for wrong shapes, NaN or infinite entries, no
    points, or weights that are not positive. Values are not checked inside `jax.jit`, `vmap` or `grad`.

    >>> Measure([[1.0, 0.0], [0.0, 1.0]], weights=[3.0, 1.0]).weights.tolist()
    [0.75, 0.25]
    """

    points: Array
    weights: Array

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None, *, geometry: Geometry | None = None):
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
        w = jnp.full(n, 1.0 / n, x.dtype) if weights is None else float_array(weights, "weights").astype(x.dtype)
        if w.shape != (n,):
            raise InvalidInput(f"weights must have shape ({n},), one per point, got {w.shape}")
        check_finite(w, "weights")
        if is_concrete(w) and not bool(np.all(np.asarray(w) > 0)):
            raise InvalidInput("weights must be positive: drop the points of weight zero and check the signs")
        self.points = x
        self.weights = w if weights is None else w / jnp.sum(w)

    @property
    def n(self) -> int:
        """The number of points."""
        return self.points.shape[0]

    @property
    def d(self) -> int:
        """The dimension of the ambient space."""
        return self.points.shape[1]

    def moved(self, points: Array) -> Measure:
        """The same weights at other points (n, d), without the checks of the constructor."""
        return eqx.tree_at(lambda mu: mu.points, self, points)

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
        return jnp.asarray(array, jnp.float64)
    # half precision has too few digits to integrate a flow; naming the dtype also drops JAX's weak typing of scalars
    return jnp.asarray(array, jnp.float32 if array.dtype.itemsize < 4 else array.dtype)


def is_concrete(array: Array) -> bool:
    """Whether the numbers are known now, that is, outside `jax.jit`, `vmap` and `grad`."""
    return not isinstance(array, jax.core.Tracer)


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
