"""Checks of the arguments of initial laws: each returns the argument in its final form or raises `InvalidInput`.

Only the laws in this folder use them.
"""

from __future__ import annotations

import numpy as np
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield._runtime.memory import require_for_tokens, require_numbers
from tokenfield.errors import InvalidInput
from tokenfield.geometry import Euclidean, Geometry, Sphere


def whole_number(n: int, name: str = "n") -> int:
    """`n` as an int, if it is a whole number >= 1; the message calls it `name`.

    >>> whole_number(3)
    3
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise InvalidInput(f"{name} must be a whole number, got {n!r}")
    if n < 1:
        raise InvalidInput(f"{name} must be at least 1, got {n}")
    return int(n)


def token_count(n: int, d: int) -> int:
    """`n` as an int, if it is a number of tokens of R^d that fit in memory.

    >>> token_count(3, 2)
    3
    """
    n = whole_number(n)
    require_for_tokens(n, d)
    return n


def sphere_for(geometry: Geometry, law: str) -> Sphere:
    """`geometry` itself, if it is a sphere, as the law called `law` needs it.

    >>> sphere_for(Sphere(3), "cap")
    Sphere(3)
    """
    if not isinstance(geometry, Sphere):
        raise InvalidInput(f"{law} is a law on the sphere, got {geometry!r}: use gaussian or box in R^d")
    return geometry


def space_for(geometry: Geometry, law: str) -> Euclidean:
    """`geometry` itself, if it is R^d, as the law called `law` needs it.

    >>> space_for(Euclidean(3), "box")
    Euclidean(3)
    """
    if not isinstance(geometry, Euclidean):
        raise InvalidInput(f"{law} is a law in R^d, got {geometry!r}: use uniform or von_mises_fisher on the sphere")
    return geometry


def finite_numbers(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as an array of float64, if all are finite numbers; the message calls them `name`.

    >>> finite_numbers([1, 2], "low").tolist()
    [1.0, 2.0]
    """
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} must be numbers, got {shown(values)}") from error
    if not np.all(np.isfinite(array)):
        raise InvalidInput(f"{name} must be finite, got {shown(values)}")
    return array


def vector_of(values: ArrayLike, size: int, name: str) -> np.ndarray:
    """`values` as a vector (size,), if they are one number, which is repeated, or a vector of that size.

    >>> vector_of(1, 3, "low").tolist()
    [1.0, 1.0, 1.0]
    """
    array = finite_numbers(values, name)
    if array.shape not in ((), (size,)):
        raise InvalidInput(f"{name} must be one number or have shape ({size},), got {array.shape}")
    return np.broadcast_to(array, (size,))


def unit_vectors(values: ArrayLike, d: int) -> np.ndarray:
    """The directions (k, d) of `values`, if these are k >= 1 nonzero vectors of R^d.

    >>> unit_vectors([[0.0, 2.0]], 2).tolist()
    [[0.0, 1.0]]
    """
    vectors = finite_numbers(values, "directions")
    if vectors.ndim != 2 or vectors.shape[0] == 0 or vectors.shape[1] != d:
        raise InvalidInput(f"directions must be vectors of length {d}, got an array of shape {vectors.shape}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if np.any(lengths == 0):
        raise InvalidInput("a direction must not be the zero vector")
    return vectors / lengths


def covariance_root(covariance: ArrayLike, d: int) -> np.ndarray:
    """A matrix R (d, d) with R R^T = covariance, if this is symmetric positive semi-definite, or a number s for s I.

    >>> covariance_root(4.0, 1).tolist()
    [[2.0]]
    """
    matrix = finite_numbers(covariance, "covariance")
    if matrix.ndim == 0:
        require_numbers(3 * d * d, f"covariances in R^{d}", advice="take a lower dimension")
        matrix = matrix * np.eye(d)
    if matrix.shape != (d, d):
        raise InvalidInput(f"covariance must be one number or have shape ({d}, {d}), got {matrix.shape}")
    scale = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-10 * scale:
        raise InvalidInput("covariance must be symmetric")
    values, vectors = np.linalg.eigh(matrix)
    if values[0] < -1e-10 * scale:
        raise InvalidInput(f"covariance must be positive semi-definite, its smallest eigenvalue is {values[0]:g}")
    return vectors * np.sqrt(np.maximum(values, 0.0))
