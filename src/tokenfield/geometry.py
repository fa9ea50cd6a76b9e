"""Where tokens live: `Euclidean(d)`, the space R^d, and `Sphere(d)`, the unit sphere S^{d-1} of R^d.

A geometry projects vectors to tangent spaces, moves points, measures distances and draws uniform points. It knows
nothing of attention, of weights or of time. All methods take points of shape (..., d) and broadcast over the leading
axes; they are traceable by JAX and keep the dtype of their arguments.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.arrays import as_array, on_host
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput

AnyArray = TypeVar("AnyArray", Array, np.ndarray)


def length(x: Array) -> Array:
    """The Euclidean length |x| along the last axis, with a zero gradient (not NaN) at x = 0.

    Args:
        x: Vectors, shape (..., d).

    Returns:
        Lengths, shape (..., 1): the last axis is kept, so that `x / length(x)` broadcasts.

    >>> import jax.numpy as jnp
    >>> length(jnp.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[5.0], [0.0]]
    """
    squared = jnp.sum(x * x, axis=-1, keepdims=True)
    is_zero = squared == 0  # NaN is not: it must stay NaN
    return jnp.where(is_zero, 0.0, jnp.sqrt(jnp.where(is_zero, 1.0, squared)))


class Geometry(eqx.Module):
    """The space of the tokens, embedded in R^d: what `Euclidean` and `Sphere` have in common.

    Args:
        d: The dimension of the ambient space R^d, that is the number of coordinates of a token.

    >>> isinstance(Sphere(3), Geometry), Sphere(3).d
    (True, 3)
    """

    d: int = eqx.field(static=True)

    @abstractmethod
    @checked
    def project(self, x: Array, v: Array) -> Array:
        """The orthogonal projection of `v` on the tangent space at `x`: v itself in R^d, v - <x, v> x on the sphere.

        Args:
            x: Points of the geometry, shape (..., d).
            v: Any vectors, shape (..., d).

        Returns:
            Tangent vectors, shape (..., d).

        >>> import jax.numpy as jnp
        >>> Sphere(2).project(jnp.array([1.0, 0.0]), jnp.array([3.0, 4.0])).tolist()
        [0.0, 4.0]
        """

    @abstractmethod
    @checked
    def to_manifold(self, x: Array) -> Array:
        """The point of the geometry nearest to `x`: x itself in R^d, x / |x| on the sphere (NaN at x = 0).

        Args:
            x: Points near the geometry, shape (..., d).

        Returns:
            Points of the geometry, shape (..., d).

        >>> import jax.numpy as jnp
        >>> Sphere(2).to_manifold(jnp.array([3.0, 4.0])).round(3).tolist()
        [0.6, 0.8]
        """

    @abstractmethod
    @checked
    def exp(self, x: Array, v: Array) -> Array:
        """Where the geodesic that starts at `x` with velocity `v` is after unit time.

        Args:
            x: Points of the geometry, shape (..., d).
            v: Tangent vectors at `x`, shape (..., d). On the sphere |v| is the angle that is traveled, in radians.

        Returns:
            Points of the geometry, shape (..., d).

        >>> import jax.numpy as jnp
        >>> x, v = jnp.array([1.0, 0.0]), jnp.array([0.0, jnp.pi])
        >>> Sphere(2).exp(x, v).round(12).tolist()
        [-1.0, 0.0]
        """

    @abstractmethod
    @checked
    def distance(self, x: Array, y: Array) -> Array:
        """The geodesic distance between `x` and `y`: |x - y| in R^d, the angle in radians on the sphere.

        Args:
            x: Points of the geometry, shape (..., d).
            y: Points of the geometry, shape (..., d).

        Returns:
            Distances, shape (...): the axis of the coordinates is gone.

        >>> import jax.numpy as jnp
        >>> float(Euclidean(2).distance(jnp.array([0.0, 0.0]), jnp.array([3.0, 4.0])))
        5.0
        """

    @abstractmethod
    @checked
    def uniform_points(self, n: int, *, seed: int | Array) -> Array:
        """Independent points of the uniform law; as a `Measure` they come from `tokenfield.initial.uniform`.

        Args:
            n: The number of points.
            seed: A whole number or a JAX key.

        Returns:
            Points, shape (n, d), in float64.

        Raises:
            InvalidInput: If the geometry is R^d, which has no uniform law, or `seed` is no seed.

        >>> Sphere(3).uniform_points(5, seed=0).shape
        (5, 3)
        """

    @checked
    def retract(self, x: Array, v: Array) -> Array:
        """The point `x + v` brought back to the geometry: a first-order approximation of `exp`.

        Args:
            x: Points of the geometry, shape (..., d).
            v: Tangent vectors at `x`, shape (..., d).

        Returns:
            Points of the geometry, shape (..., d).

        >>> import jax.numpy as jnp
        >>> x, v = jnp.array([1.0, 0.0]), jnp.array([0.0, 0.75])
        >>> Sphere(2).retract(x, v).round(3).tolist()
        [0.8, 0.6]
        """
        x, v = self._fitting("retract", x=x, v=v)
        return self.to_manifold(x + v)

    def _fitting(self, method: str, **vectors: Any) -> Iterator[Any]:
        """The `vectors` as arrays; raises `InvalidInput` unless each is (..., d) and their leading axes fit."""
        arrays = {name: array if hasattr(array, "shape") else jnp.asarray(array) for name, array in vectors.items()}
        shapes = [array.shape for array in arrays.values()]
        try:
            fit = all(shape[-1:] == (self.d,) for shape in shapes) and bool(np.broadcast_shapes(*shapes))
        except ValueError:
            fit = False
        if not fit:
            found = " and ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise InvalidInput(f"{self}.{method} takes vectors of shape (..., {self.d}) that fit together, got {found}")
        return iter(arrays.values())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.d})"


class Euclidean(Geometry):
    """The space R^d with its usual distance.

    Args:
        d: The dimension, at least 1.

    Raises:
        InvalidInput: If `d` is not a whole number >= 1.

    >>> Euclidean(3)
    Euclidean(3)
    """

    def __check_init__(self) -> None:
        _check_dimension(self.d, least=1, name="Euclidean")

    @checked
    def project(self, x: Array, v: Array) -> Array:
        _, v = self._fitting("project", x=x, v=v)
        return v

    @checked
    def to_manifold(self, x: Array) -> Array:
        (x,) = self._fitting("to_manifold", x=x)
        return x

    @checked
    def exp(self, x: Array, v: Array) -> Array:
        x, v = self._fitting("exp", x=x, v=v)
        return x + v

    @checked
    def distance(self, x: Array, y: Array) -> Array:
        x, y = self._fitting("distance", x=x, y=y)
        return length(x - y)[..., 0]

    @checked
    def uniform_points(self, n: int, *, seed: int | Array) -> Array:
        raise InvalidInput("R^d has no uniform law: use initial.box or initial.gaussian, or a Sphere")


class Sphere(Geometry):
    """The unit sphere S^{d-1} of R^d, with the angle as distance: `Sphere(2)` is the circle, `Sphere(3)` is S^2.

    Args:
        d: The number of coordinates, at least 2. It is one more than the dimension of the sphere itself.

    Raises:
        InvalidInput: If `d` is not a whole number >= 2.

    >>> import jax.numpy as jnp
    >>> float(Sphere(2).distance(jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])))
    1.5707963267948966
    """

    def __check_init__(self) -> None:
        _check_dimension(self.d, least=2, name="Sphere")

    @checked
    def project(self, x: Array, v: Array) -> Array:
        x, v = self._fitting("project", x=x, v=v)
        return v - jnp.sum(x * v, axis=-1, keepdims=True) * x

    @checked
    def to_manifold(self, x: Array) -> Array:
        (x,) = self._fitting("to_manifold", x=x)
        known = on_host(x)
        if known is None:
            return x / jnp.sqrt(jnp.sum(x * x, axis=-1, keepdims=True))
        with np.errstate(all="ignore"):  # no warnings from JAX either
            return as_array(known / np.sqrt(np.sum(known * known, axis=-1, keepdims=True)))

    @checked
    def exp(self, x: Array, v: Array) -> Array:
        x, v = self._fitting("exp", x=x, v=v)
        angle = length(v)
        # sinc keeps full accuracy where sin(angle)/angle would divide 0 by 0
        return self.to_manifold(jnp.cos(angle) * x + jnp.sinc(angle / jnp.pi) * v)

    @checked
    def distance(self, x: Array, y: Array) -> Array:
        x, y = self._fitting("distance", x=x, y=y)
        # arccos<x, y> loses half the digits near 0 and pi; this form loses none
        return 2 * jnp.arctan2(length(x - y), length(x + y))[..., 0]

    @checked
    def uniform_points(self, n: int, *, seed: int | Array) -> Array:
        if n < 1:
            raise InvalidInput(f"uniform points need n >= 1, got n = {n}")
        return self.to_manifold(jax.random.normal(random_key(seed), (n, self.d)))


def on_circle(angles: AnyArray) -> AnyArray:
    """The points (cos, sin) of the unit circle at the given angles.

    Args:
        angles: Angles in radians, shape (...), as an array of NumPy or of JAX.

    Returns:
        Points, shape (..., 2), as an array of the same library.

    >>> import numpy as np
    >>> on_circle(np.array([0.0, np.pi])).round(3).tolist()
    [[1.0, 0.0], [-1.0, 0.0]]
    """
    xp: Any = jnp if isinstance(angles, Array) else np
    return xp.stack([xp.cos(angles), xp.sin(angles)], axis=-1)


def check_geometry(geometry: Any) -> None:
    """Raises `InvalidInput` unless it is a geometry.

    Args:
        geometry: What somebody gave for one.

    Raises:
        InvalidInput: If it is none.

    >>> check_geometry("sphere")
    Traceback (most recent call last):
    tokenfield.errors.InvalidInput: a geometry is Sphere(d) or Euclidean(d), got 'sphere'
    """
    if not isinstance(geometry, Geometry):
        raise InvalidInput(f"a geometry is Sphere(d) or Euclidean(d), got {geometry!r}")


def _check_dimension(d: int, *, least: int, name: str) -> None:
    if not isinstance(d, int) or isinstance(d, bool):
        raise InvalidInput(f"{name}(d) needs an integer dimension, got {d!r}")
    if d < least:
        raise InvalidInput(f"{name}(d) needs d >= {least}, got d = {d}")
