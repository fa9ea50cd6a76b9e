"""Laws that are constructed, not drawn: frames, simplices, evenly spaced points, and these with one harmonic added."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import numpy as np
import scipy
from jax import Array

from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, on_circle
from tokenfield.initial.arguments import sphere_for, token_count, whole_number
from tokenfield.measure import Measure


def frame(geometry: Geometry, n: int | None = None) -> Measure:
    """The orthonormal frame e_1, ..., e_n: all pairs of tokens are at right angles.

    Args:
        geometry: a sphere or R^d.
        n: the number of tokens, from 1 to d; by default d.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: `n` is not a whole number from 1 to d.

    >>> from tokenfield import Sphere
    >>> frame(Sphere(3), 2).points.tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    n = token_count(geometry.d if n is None else n, geometry.d)
    if n > geometry.d:
        raise InvalidInput(f"R^{geometry.d} has no orthonormal frame of {n} vectors: take n <= {geometry.d}")
    return Measure(np.eye(n, geometry.d), geometry=geometry)


def simplex(geometry: Geometry, n: int | None = None) -> Measure:
    """The vertices of a regular simplex: n unit vectors of which all pairs have the cosine -1/(n - 1).

    Args:
        geometry: a sphere or R^d.
        n: the number of tokens, from 1 to d + 1; by default d + 1.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: `n` is not a whole number from 1 to d + 1.

    >>> from tokenfield import Sphere
    >>> simplex(Sphere(2)).points.round(3).tolist()
    [[1.0, 0.0], [-0.5, 0.866], [-0.5, -0.866]]
    """
    d = geometry.d
    n = token_count(d + 1 if n is None else n, d)
    if n > d + 1:
        raise InvalidInput(f"a regular simplex in R^{d} has at most {d + 1} vertices, got n = {n}")
    if n == 1:
        return frame(geometry, 1)
    points = np.zeros((n, d))
    for k in range(n - 1):
        points[k, k] = math.sqrt(n * (n - 1 - k) / ((n - 1) * (n - k)))
        points[k + 1 :, k] = -points[k, k] / (n - 1 - k)
    return Measure(points, geometry=geometry)


def quasi_uniform(geometry: Geometry, n: int) -> Measure:
    """`n` evenly spaced tokens, without randomness: equispaced on the circle, a Fibonacci lattice on S^2.

    Args:
        geometry: `Sphere(2)` or `Sphere(3)`.
        n: the number of tokens, at least 1.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: `geometry` is neither the circle nor S^2, or `n` is not a whole number >= 1.

    >>> from tokenfield import Sphere
    >>> quasi_uniform(Sphere(2), 4).points.round(12).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [-0.0, -1.0]]
    """
    sphere = sphere_for(geometry, "quasi_uniform")
    ranks = (np.arange(token_count(n, sphere.d)) + 0.5) / n
    if sphere.d == 2:
        return Measure(on_circle(2 * np.pi * np.arange(n) / n), geometry=sphere)
    if sphere.d == 3:
        return Measure(_spiral(1 - 2 * ranks), geometry=sphere)
    raise InvalidInput(f"quasi_uniform knows the circle (d = 2) and S^2 (d = 3), got d = {sphere.d}: use uniform")


def perturbed_uniform(
    geometry: Geometry, n: int, *, degree: int, amplitude: float, seed: int | Array | None = None
) -> Measure:
    """`n` evenly spaced tokens of the density 1 + amplitude h_k: the uniform law with one harmonic of degree k added.

    On the circle h_k = cos(k theta), on S^2 it is the Legendre polynomial P_k(x_3). The quasi-uniform points are
    moved along theta (or x_3) by the inverse of the distribution function. This is exact in the amplitude, so that all
    other harmonics see nothing but the lattice.

    Args:
        geometry: `Sphere(2)` or `Sphere(3)`.
        n: the number of tokens, at least 1.
        degree: the degree k of the harmonic, at least 1.
        amplitude: its size, from -1 to 1.
        seed: a whole number or a JAX key of the random orthogonal matrix that is applied to all tokens; by default
            `None`: none is applied.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: an argument is outside of its range, or `geometry` is neither the circle nor S^2.

    >>> from tokenfield import Sphere
    >>> mu = perturbed_uniform(Sphere(2), 100, degree=1, amplitude=0.5)
    >>> mu.mean.round(6).tolist()
    [0.25, 0.0]
    """
    sphere, k = sphere_for(geometry, "perturbed_uniform"), whole_number(degree, "degree")
    n = token_count(n, sphere.d)
    if not abs(amplitude) <= 1:
        raise InvalidInput(f"a density 1 + amplitude h_k needs |amplitude| <= 1, got {amplitude}")
    ranks = np.arange(n) / n
    if sphere.d == 2:
        angles = _invert(lambda th: th + amplitude / k * np.sin(k * th), 2 * np.pi * ranks, 0.0, 2 * np.pi)
        points = on_circle(angles)
    elif sphere.d == 3:
        # int P_k = (P_{k+1} - P_{k-1}) / (2k + 1), which vanishes at both poles
        def mass_below(z: np.ndarray) -> np.ndarray:
            return z + amplitude / (2 * k + 1) * (
                scipy.special.eval_legendre(k + 1, z) - scipy.special.eval_legendre(k - 1, z)
            )

        points = _spiral(_invert(mass_below, 1 - 2 * (ranks + 0.5 / n), -1.0, 1.0))
    else:
        raise InvalidInput(f"perturbed_uniform knows the circle (d = 2) and S^2 (d = 3), got d = {sphere.d}")
    if seed is None:
        return Measure(points, geometry=sphere)
    return Measure(points @ jax.random.orthogonal(random_key(seed), sphere.d).T, geometry=sphere)


def _spiral(z: np.ndarray) -> np.ndarray:
    """Points of S^2 at the given heights, each one golden angle further around the axis than the one before."""
    # only the fraction of a full rotation is kept before it is scaled: 10^7 rotations would cost seven digits
    fractions = np.arange(len(z)) * ((math.sqrt(5) - 1) / 2) % 1.0
    flat = on_circle(2 * np.pi * fractions) * np.sqrt((1 - z) * (1 + z))[:, None]
    return np.column_stack([flat, z])


def _invert(increasing: Callable[[np.ndarray], np.ndarray], targets: np.ndarray, low: float, high: float) -> np.ndarray:
    """The arguments in [low, high] where the increasing function takes the values `targets`, by bisection."""
    lower, upper = np.full_like(targets, low), np.full_like(targets, high)
    for _ in range(60):  # 2^-60 of the interval is below rounding
        middle = (lower + upper) / 2
        is_above = increasing(middle) > targets
        lower, upper = np.where(is_above, lower, middle), np.where(is_above, middle, upper)
    return (lower + upper) / 2
