"""Laws that are drawn at random: on the sphere the uniform law, bumps, caps and symmetric clouds; in R^d Gaussians
and boxes.

Every law takes a geometry first and a keyword `seed`: a whole number or a JAX key, never defaulted. `seed=7` and
`seed=jax.random.key(7)` give the same points. Seeds may be traced, so that laws work inside `jax.vmap`; all other
parameters are plain numbers. Laws draw in float64.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.memory import require_numbers
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry
from tokenfield.initial.arguments import (
    covariance_root,
    space_for,
    sphere_for,
    token_count,
    unit_vectors,
    vector_of,
    whole_number,
)
from tokenfield.initial.sampling import cap_drops, points_around, vmf_drops
from tokenfield.measure import Measure


def uniform(geometry: Geometry, n: int, *, seed: int | Array) -> Measure:
    """`n` independent tokens of the uniform law on the sphere.

    Args:
        geometry: the sphere, `Sphere(d)`.
        n: the number of tokens, at least 1.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: `geometry` is no sphere, `n` is not a whole number >= 1, or `seed` is no seed.

    >>> from tokenfield import Sphere
    >>> uniform(Sphere(3), 5, seed=0).points.shape
    (5, 3)
    """
    return Measure(geometry.uniform_points(token_count(n, geometry.d), seed=seed), geometry=geometry)


def von_mises_fisher(
    geometry: Geometry, n: int, *, mean: ArrayLike, concentration: float, seed: int | Array
) -> Measure:
    """`n` independent tokens of the von Mises-Fisher law: a round bump of mass on the sphere.

    The density is proportional to e^{concentration <mean, x>} for a unit vector `mean`.

    Args:
        geometry: the sphere, `Sphere(d)`.
        n: the number of tokens, at least 1.
        mean: the middle of the bump, any nonzero vector (d,): only its direction counts.
        concentration: how narrow the bump is, >= 0. Its angular width is about concentration^{-1/2} radians; 0 is the
            uniform law.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: an argument is outside of its range, or `geometry` is no sphere.

    >>> from tokenfield import Sphere
    >>> mu = von_mises_fisher(Sphere(3), 1000, mean=[0.0, 0.0, 1.0], concentration=100.0, seed=0)
    >>> bool(mu.mean[2] > 0.98)
    True
    """
    return vmf_mixture(geometry, n, means=np.asarray(mean)[None], concentrations=concentration, seed=seed)


def vmf_mixture(
    geometry: Geometry,
    n: int,
    *,
    means: ArrayLike,
    concentrations: ArrayLike,
    masses: ArrayLike | None = None,
    seed: int | Array,
) -> Measure:
    """`n` independent tokens from a mixture of k von Mises-Fisher laws: several bumps of mass on the sphere.

    Args:
        geometry: the sphere, `Sphere(d)`.
        n: the number of tokens, at least 1.
        means: the middles of the bumps, nonzero vectors (k, d): only their directions count.
        concentrations: how narrow the bumps are, >= 0, shape (k,), or one number for all; see `von_mises_fisher`.
        masses: the chance of a token to belong to each bump, up to a common factor; positive, shape (k,), or one
            number for all. By default all are equal.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: an argument is outside of its range or shape, or `geometry` is no sphere.

    >>> from tokenfield import Sphere
    >>> mu = vmf_mixture(Sphere(2), 8, means=[[1.0, 0.0], [-1.0, 0.0]], concentrations=1e6, seed=0)
    >>> bool(abs(mu.points[:, 0]).min() > 0.99)
    True
    """
    sphere = sphere_for(geometry, "vmf_mixture")
    directions = unit_vectors(means, sphere.d)
    k = len(directions)
    kappas = vector_of(concentrations, k, "concentrations")
    if np.any(kappas < 0):
        raise InvalidInput(f"concentrations must be >= 0, got {kappas.min():g}; reverse the mean instead")
    shares = vector_of(1.0 if masses is None else masses, k, "masses")
    if np.any(shares <= 0):
        raise InvalidInput("masses must be positive: drop the components of mass zero and check the signs")
    pick_key, height_key, side_key = jax.random.split(random_key(seed), 3)
    picked = jax.random.categorical(pick_key, jnp.log(shares), shape=(token_count(n, sphere.d),))
    drops = vmf_drops(height_key, jnp.asarray(kappas)[picked], sphere.d)
    return Measure(points_around(side_key, jnp.asarray(directions)[picked], drops), geometry=sphere)


def cap(
    geometry: Geometry, n: int, *, center: ArrayLike | None = None, angle: float = math.pi / 2, seed: int | Array
) -> Measure:
    """`n` independent tokens, uniform on a cap of the sphere: all points within an angle of a center.

    With y = (1 - <center, x>)/2, the uniform law on S^{d-1} makes y a Beta((d-1)/2, (d-1)/2) variable. Here y is
    truncated to [0, sin^2(angle/2)] by inverting its distribution function.

    Args:
        geometry: the sphere, `Sphere(d)`.
        n: the number of tokens, at least 1.
        center: the middle of the cap, any nonzero vector (d,); by default e_1.
        angle: the angular radius of the cap in radians, in (0, pi]; by default pi/2, the hemisphere.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: an argument is outside of its range, or `geometry` is no sphere.

    >>> from tokenfield import Sphere
    >>> bool(cap(Sphere(3), 100, seed=0).points[:, 0].min() >= 0)
    True
    """
    sphere = sphere_for(geometry, "cap")
    if not 0 < angle <= math.pi:
        raise InvalidInput(f"the angle of a cap must lie in (0, pi], got {angle}")
    centers = unit_vectors(np.eye(1, sphere.d) if center is None else np.asarray(center)[None], sphere.d)
    n = token_count(n, sphere.d)
    height_key, side_key = jax.random.split(random_key(seed))
    drops = cap_drops(height_key, n, sphere.d, angle)
    return Measure(points_around(side_key, jnp.broadcast_to(centers, (n, sphere.d)), drops), geometry=sphere)


def gaussian(
    geometry: Geometry,
    n: int,
    *,
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    seed: int | Array,
) -> Measure:
    """`n` independent tokens of the Gaussian law N(mean, covariance) in R^d.

    Args:
        geometry: the space, `Euclidean(d)`.
        n: the number of tokens, at least 1.
        mean: the mean, shape (d,), or one number for all coordinates; by default 0.
        covariance: a symmetric positive semi-definite matrix (d, d), or one number s >= 0 for s I; by default I.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: an argument is outside of its range or shape, or `geometry` is not R^d.

    >>> from tokenfield import Euclidean
    >>> gaussian(Euclidean(2), 4, mean=[5.0, 0.0], covariance=0.0, seed=0).mean.tolist()
    [5.0, 0.0]
    """
    space = space_for(geometry, "gaussian")
    center = vector_of(0.0 if mean is None else mean, space.d, "mean")
    n, root = token_count(n, space.d), covariance_root(1.0 if covariance is None else covariance, space.d)
    return Measure(center + jax.random.normal(random_key(seed), (n, space.d)) @ root.T, geometry=space)


def box(geometry: Geometry, n: int, *, low: ArrayLike = -1.0, high: ArrayLike = 1.0, seed: int | Array) -> Measure:
    """`n` independent tokens, uniform in the box [low, high]^d of R^d.

    Args:
        geometry: the space, `Euclidean(d)`.
        n: the number of tokens, at least 1.
        low: the lower bounds, one number or shape (d,); by default -1.
        high: the upper bounds, one number or shape (d,), above `low` in every coordinate; by default 1.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: an argument is outside of its range or shape, or `geometry` is not R^d.

    >>> from tokenfield import Euclidean
    >>> mu = box(Euclidean(2), 100, low=0.0, high=[1.0, 5.0], seed=0)
    >>> bool(mu.points.min() >= 0), bool(mu.points[:, 1].max() <= 5)
    (True, True)
    """
    space = space_for(geometry, "box")
    lower, upper = vector_of(low, space.d, "low"), vector_of(high, space.d, "high")
    if not np.all(lower < upper):
        raise InvalidInput(f"a box needs low < high in every coordinate, got low = {low}, high = {high}")
    share = jax.random.uniform(random_key(seed), (token_count(n, space.d), space.d))
    return Measure(lower + (upper - lower) * share, geometry=space)


def symmetric(geometry: Geometry, n: int, *, folds: int, seed: int | Array) -> Measure:
    """`n` tokens with a rotational symmetry: n / folds uniform ones and their rotations by multiples of 2 pi / folds.

    For d >= 3 the rotations act on the first two coordinates.

    Args:
        geometry: the sphere, `Sphere(d)`.
        n: the number of tokens, a multiple of `folds`.
        folds: the order of the symmetry, at least 1.
        seed: a whole number or a JAX key.

    Returns:
        A measure of n equal weights, with points (n, d).

    Raises:
        InvalidInput: `n` is no multiple of `folds`, an argument is outside of its range, or `geometry` is no sphere.

    >>> from tokenfield import Sphere
    >>> bool(abs(symmetric(Sphere(2), 9, folds=3, seed=0).mean).max() < 1e-12)
    True
    """
    sphere, folds = sphere_for(geometry, "symmetric"), whole_number(folds, "folds")
    n = token_count(n, sphere.d)
    if n % folds:
        raise InvalidInput(f"n must be a multiple of folds, got n = {n} and folds = {folds}")
    require_numbers(folds * sphere.d**2, f"{folds} rotations of R^{sphere.d}", advice="take a lower dimension")
    base = sphere.uniform_points(n // folds, seed=seed)
    angles = 2 * np.pi * np.arange(folds) / folds
    rotations = np.tile(np.eye(sphere.d), (folds, 1, 1))
    rotations[:, 0, 0] = rotations[:, 1, 1] = np.cos(angles)
    rotations[:, 1, 0] = np.sin(angles)
    rotations[:, 0, 1] = -np.sin(angles)
    return Measure(jnp.einsum("fij,nj->fni", rotations, base).reshape(n, sphere.d), geometry=sphere)
