"""Where tokens live: `Euclidean(d)` and `Sphere(d)`, the unit sphere S^{d-1} of R^d.

A geometry projects to tangent spaces, moves points and measures distances. It knows nothing of attention.
All methods take points of shape (..., d) and broadcast over the leading axes.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput

Kind = TypeVar("Kind", Array, np.ndarray)


def length(x: Array) -> Array:
    """|x| along the last axis, kept as an axis of length 1, with a zero gradient (not NaN) at x = 0."""
    squared = jnp.sum(x * x, axis=-1, keepdims=True)
    positive = squared > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, squared, 1.0)), 0.0)


class Geometry(eqx.Module):
    """The space of the tokens, embedded in R^d."""

    d: int = eqx.field(static=True)

    @abstractmethod
    def project(self, x: Array, v: Array) -> Array:
        """The orthogonal projection of `v` on the tangent space at `x`."""

    @abstractmethod
    def to_manifold(self, x: Array) -> Array:
        """The nearest point of the geometry to `x`."""

    @abstractmethod
    def exp(self, x: Array, v: Array) -> Array:
        """The end of the geodesic that starts at `x` with velocity `v`, after unit time."""

    @abstractmethod
    def distance(self, x: Array, y: Array) -> Array:
        """The geodesic distance between `x` and `y`."""

    @abstractmethod
    def uniform(self, key: Array, n: int) -> Array:
        """`n` independent points (n, d) of the uniform law."""

    def retract(self, x: Array, v: Array) -> Array:
        """The point `x + v` brought back to the geometry: a first-order exponential map."""
        return self.to_manifold(x + v)


class Euclidean(Geometry):
    """R^d with its usual distance."""

    def __check_init__(self) -> None:
        _check_dimension(self.d, least=1, name="Euclidean")

    def project(self, x: Array, v: Array) -> Array:
        return v

    def to_manifold(self, x: Array) -> Array:
        return x

    def exp(self, x: Array, v: Array) -> Array:
        return x + v

    def distance(self, x: Array, y: Array) -> Array:
        return length(x - y)[..., 0]

    def uniform(self, key: Array, n: int) -> Array:
        raise InvalidInput("R^d has no uniform law: use initial.box or initial.gaussian, or a Sphere")


class Sphere(Geometry):
    """The unit sphere S^{d-1} of R^d, d >= 2, with the angle as distance.

    >>> import jax.numpy as jnp
    >>> float(Sphere(2).distance(jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])))
    1.5707963267948966
    """

    def __check_init__(self) -> None:
        _check_dimension(self.d, least=2, name="Sphere")

    def project(self, x: Array, v: Array) -> Array:
        return v - jnp.sum(x * v, axis=-1, keepdims=True) * x

    def to_manifold(self, x: Array) -> Array:
        return x / jnp.sqrt(jnp.sum(x * x, axis=-1, keepdims=True))

    def exp(self, x: Array, v: Array) -> Array:
        angle = length(v)
        # sinc keeps full accuracy where sin(angle)/angle would divide 0 by 0
        return self.to_manifold(jnp.cos(angle) * x + jnp.sinc(angle / jnp.pi) * v)

    def distance(self, x: Array, y: Array) -> Array:
        # arccos<x, y> loses half the digits near 0 and pi; this form loses none
        return 2 * jnp.arctan2(length(x - y), length(x + y))[..., 0]

    def uniform(self, key: Array, n: int) -> Array:
        return self.to_manifold(jax.random.normal(key, (n, self.d)))


def on_circle(angles: Kind) -> Kind:
    """The points (..., 2) of the unit circle at these angles (...); of NumPy for angles of NumPy.

    >>> import numpy as np
    >>> on_circle(np.array([0.0, np.pi])).round(3).tolist()
    [[1.0, 0.0], [-1.0, 0.0]]
    """
    xp: Any = jnp if isinstance(angles, Array) else np
    return xp.stack([xp.cos(angles), xp.sin(angles)], axis=-1)


def _check_dimension(d: int, *, least: int, name: str) -> None:
    if not isinstance(d, int) or isinstance(d, bool):
        raise InvalidInput(f"{name}(d) needs an integer dimension, got {d!r}")
    if d < least:
        raise InvalidInput(f"{name}(d) needs d >= {least}, got d = {d}")
