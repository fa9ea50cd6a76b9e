"""Initial laws: functions that return the `Measure` a flow starts from.

Every law takes a geometry first and, where it is random, a keyword `seed`: an integer or a JAX key, never defaulted.
`seed=7` and `seed=jax.random.key(7)` give the same points, and seeds may be traced, so laws work inside `jax.vmap`.
Other parameters are plain numbers. Laws draw in float64. Reading points from disk is `from_file`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Euclidean, Geometry, Sphere, on_circle
from tokenfield.initial.files import from_file
from tokenfield.initial.sampling import cap_drops, points_around, vmf_drops
from tokenfield.measure import Measure

__all__ = [
    "LAWS",
    "box",
    "cap",
    "frame",
    "from_file",
    "gaussian",
    "perturbed_uniform",
    "quasi_uniform",
    "simplex",
    "symmetric",
    "uniform",
    "vmf_mixture",
    "von_mises_fisher",
]


def uniform(geometry: Geometry, n: int, *, seed: int | Array) -> Measure:
    """`n` independent tokens of the uniform law on the sphere.

    >>> from tokenfield.geometry import Sphere
    >>> uniform(Sphere(3), 5, seed=0).points.shape
    (5, 3)
    """
    return Measure(geometry.uniform(_key(seed), _count(n)), geometry=geometry)


def von_mises_fisher(
    geometry: Geometry, n: int, *, mean: ArrayLike, concentration: float, seed: int | Array
) -> Measure:
    """`n` independent tokens with density proportional to e^{concentration <mean, x>} on the sphere.

    `mean` is any nonzero vector (d,), of which the direction counts. Concentration 0 is the uniform law.
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
    """`n` independent tokens from a mixture of von Mises-Fisher laws on the sphere.

    `means` (k, d) are directions, `concentrations` (k,) or one number, `masses` (k,) positive, equal by default.
    """
    sphere = _sphere(geometry, "vmf_mixture")
    directions = _directions(means, sphere.d)
    k = len(directions)
    kappas = _vector(concentrations, k, "concentrations")
    if np.any(kappas < 0):
        raise InvalidInput(f"concentrations must be >= 0, got {kappas.min():g}; turn the mean around instead")
    shares = _vector(1.0 if masses is None else masses, k, "masses")
    if np.any(shares <= 0):
        raise InvalidInput("masses must be positive: drop the components of mass zero and check the signs")
    pick_key, height_key, side_key = jax.random.split(_key(seed), 3)
    picked = jax.random.categorical(pick_key, jnp.log(shares), shape=(_count(n),))
    drops = vmf_drops(height_key, jnp.asarray(kappas)[picked], sphere.d)
    return Measure(points_around(side_key, jnp.asarray(directions)[picked], drops), geometry=sphere)


def cap(
    geometry: Geometry, n: int, *, center: ArrayLike | None = None, angle: float = math.pi / 2, seed: int | Array
) -> Measure:
    """`n` independent tokens, uniform on the cap of angular radius `angle` around `center` (default e_1).

    The default angle pi/2 is the hemisphere. With y = (1 - <center, x>)/2, the uniform law on S^{d-1} makes y a
    Beta((d-1)/2, (d-1)/2) variable, here truncated to [0, sin^2(angle/2)] by inverting its distribution function.
    """
    sphere = _sphere(geometry, "cap")
    if not 0 < angle <= math.pi:
        raise InvalidInput(f"the angle of a cap must lie in (0, pi], got {angle}")
    centers = _directions(np.eye(sphere.d)[:1] if center is None else np.asarray(center)[None], sphere.d)
    n = _count(n)
    height_key, side_key = jax.random.split(_key(seed))
    drops = cap_drops(height_key, n, sphere.d, angle)
    return Measure(points_around(side_key, jnp.broadcast_to(centers, (n, sphere.d)), drops), geometry=sphere)


def frame(geometry: Geometry, n: int | None = None) -> Measure:
    """The orthonormal frame e_1, ..., e_n, n <= d (default d).

    >>> from tokenfield.geometry import Sphere
    >>> frame(Sphere(3), 2).points.tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    n = geometry.d if n is None else _count(n)
    if n > geometry.d:
        raise InvalidInput(f"R^{geometry.d} has no orthonormal frame of {n} vectors: take n <= {geometry.d}")
    return Measure(np.eye(n, geometry.d), geometry=geometry)


def simplex(geometry: Geometry, n: int | None = None) -> Measure:
    """The `n` <= d + 1 (default d + 1) vertices of a regular simplex: unit vectors with all cosines -1/(n - 1)."""
    d = geometry.d
    n = d + 1 if n is None else _count(n)
    if n > d + 1:
        raise InvalidInput(f"a regular simplex in R^{d} has at most {d + 1} vertices, got n = {n}")
    if n == 1:
        return frame(geometry, 1)
    points = np.zeros((n, d))
    for k in range(n - 1):
        points[k, k] = math.sqrt(n * (n - 1 - k) / ((n - 1) * (n - k)))
        points[k + 1 :, k] = -points[k, k] / (n - 1 - k)
    return Measure(points, geometry=geometry)


def gaussian(
    geometry: Geometry,
    n: int,
    *,
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    seed: int | Array,
) -> Measure:
    """`n` independent tokens of the law N(mean, covariance) in R^d; the default is N(0, I).

    `mean` is (d,) or one number; `covariance` is (d, d), symmetric and positive semi-definite, or one number s for s I.
    """
    space = _euclidean(geometry, "gaussian")
    center = _vector(0.0 if mean is None else mean, space.d, "mean")
    root = _covariance_root(1.0 if covariance is None else covariance, space.d)
    return Measure(center + jax.random.normal(_key(seed), (_count(n), space.d)) @ root.T, geometry=space)


def box(geometry: Geometry, n: int, *, low: ArrayLike = -1.0, high: ArrayLike = 1.0, seed: int | Array) -> Measure:
    """`n` independent tokens, uniform in the box [low, high]^d of R^d; bounds are numbers or vectors (d,)."""
    space = _euclidean(geometry, "box")
    lower, upper = _vector(low, space.d, "low"), _vector(high, space.d, "high")
    if not np.all(lower < upper):
        raise InvalidInput(f"a box needs low < high in every coordinate, got low = {low}, high = {high}")
    share = jax.random.uniform(_key(seed), (_count(n), space.d))
    return Measure(lower + (upper - lower) * share, geometry=space)


def quasi_uniform(geometry: Geometry, n: int) -> Measure:
    """`n` evenly spread tokens, without randomness: equispaced on the circle, a Fibonacci lattice on S^2."""
    sphere, ranks = _sphere(geometry, "quasi_uniform"), (np.arange(_count(n)) + 0.5) / n
    if sphere.d == 2:
        return Measure(on_circle(2 * np.pi * np.arange(n) / n), geometry=sphere)
    if sphere.d == 3:
        return Measure(_spiral(1 - 2 * ranks), geometry=sphere)
    raise InvalidInput(f"quasi_uniform knows the circle (d = 2) and S^2 (d = 3), got d = {sphere.d}: use uniform")


def symmetric(geometry: Geometry, n: int, *, folds: int, seed: int | Array) -> Measure:
    """`n` tokens with `folds`-fold symmetry: n / folds uniform ones and their rotations by 2 pi / folds.

    For d >= 3 the rotation acts on the first two coordinates.
    """
    sphere, n, folds = _sphere(geometry, "symmetric"), _count(n), _count(folds, "folds")
    if n % folds:
        raise InvalidInput(f"n must be a multiple of folds, got n = {n} and folds = {folds}")
    base = sphere.uniform(_key(seed), n // folds)
    turns = 2 * np.pi * np.arange(folds) / folds
    rotations = np.tile(np.eye(sphere.d), (folds, 1, 1))
    rotations[:, 0, 0] = rotations[:, 1, 1] = np.cos(turns)
    rotations[:, 1, 0] = np.sin(turns)
    rotations[:, 0, 1] = -np.sin(turns)
    return Measure(jnp.einsum("fij,nj->fni", rotations, base).reshape(n, sphere.d), geometry=sphere)


def perturbed_uniform(
    geometry: Geometry, n: int, *, degree: int, amplitude: float, seed: int | Array | None = None
) -> Measure:
    """`n` evenly spread tokens with density 1 + amplitude h_k relative to the uniform law, k the `degree`.

    On the circle h_k = cos(k theta); on S^2 it is the Legendre polynomial P_k(x_3). The quasi-uniform points are
    moved along theta (or x_3) by the inverse of the distribution function, which is exact in the amplitude, so other
    harmonics see only the lattice. With a `seed`, a random orthogonal matrix turns the whole. |amplitude| <= 1.
    """
    sphere, n, k = _sphere(geometry, "perturbed_uniform"), _count(n), _count(degree, "degree")
    if not abs(amplitude) <= 1:
        raise InvalidInput(f"a density 1 + amplitude h_k needs |amplitude| <= 1, got {amplitude}")
    ranks = np.arange(n) / n
    if sphere.d == 2:
        angles = _invert(lambda th: th + amplitude / k * np.sin(k * th), 2 * np.pi * ranks, 0.0, 2 * np.pi)
        points = on_circle(angles)
    elif sphere.d == 3:
        # int P_k = (P_{k+1} - P_{k-1}) / (2k + 1), which vanishes at both poles
        def mass_below(z: np.ndarray) -> np.ndarray:
            return z + amplitude / (2 * k + 1) * (special.eval_legendre(k + 1, z) - special.eval_legendre(k - 1, z))

        points = _spiral(_invert(mass_below, 1 - 2 * (ranks + 0.5 / n), -1.0, 1.0))
    else:
        raise InvalidInput(f"perturbed_uniform knows the circle (d = 2) and S^2 (d = 3), got d = {sphere.d}")
    if seed is None:
        return Measure(points, geometry=sphere)
    return Measure(points @ jax.random.orthogonal(_key(seed), sphere.d).T, geometry=sphere)


LAWS: dict[str, Callable[..., Measure]] = {
    law.__name__: law
    for law in (
        uniform,
        von_mises_fisher,
        vmf_mixture,
        cap,
        frame,
        simplex,
        gaussian,
        box,
        quasi_uniform,
        symmetric,
        perturbed_uniform,
    )
}
"""The laws by name. All take (geometry, n); what else they need is by keyword. `from_file` is apart: it has no n."""


# --- lattices ----------------------------------------------------------------------------------------------------


def _spiral(z: np.ndarray) -> np.ndarray:
    """Points of S^2 at the given heights, each turned by the golden angle from the one before."""
    # fractions of a turn are reduced before they are scaled: 10^7 turns would cost seven digits
    turns = np.arange(len(z)) * ((math.sqrt(5) - 1) / 2) % 1.0
    flat = on_circle(2 * np.pi * turns) * np.sqrt((1 - z) * (1 + z))[:, None]
    return np.column_stack([flat, z])


def _invert(increasing: Callable[[np.ndarray], np.ndarray], targets: np.ndarray, low: float, high: float) -> np.ndarray:
    """The arguments in [low, high] where the increasing function takes the values `targets`, by bisection."""
    lower, upper = np.full_like(targets, low), np.full_like(targets, high)
    for _ in range(60):  # 2^-60 of the interval is below rounding
        middle = (lower + upper) / 2
        is_above = increasing(middle) > targets
        lower, upper = np.where(is_above, lower, middle), np.where(is_above, middle, upper)
    return (lower + upper) / 2


# --- checks -------------------------------------------------------------------------------------------------------


def _key(seed: int | Array) -> Array:
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        try:
            return jax.random.key(int(seed))
        except OverflowError as error:
            raise InvalidInput(f"seed must fit in 64 bits, got {seed}") from error
    if isinstance(seed, jax.Array):
        if jnp.issubdtype(seed.dtype, jax.dtypes.prng_key) and seed.ndim == 0:
            return seed
        if seed.dtype == jnp.uint32 and seed.shape == (2,):
            return jax.random.wrap_key_data(seed)
        if jnp.issubdtype(seed.dtype, jnp.integer) and seed.ndim == 0:
            return jax.random.key(seed)
    raise InvalidInput(f"seed must be one integer or one JAX key (jax.vmap for several), got {seed!r}")


def _count(n: int, name: str = "n") -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise InvalidInput(f"{name} must be a whole number, got {n!r}")
    if n < 1:
        raise InvalidInput(f"{name} must be at least 1, got {n}")
    return int(n)


def _sphere(geometry: Geometry, law: str) -> Sphere:
    if not isinstance(geometry, Sphere):
        raise InvalidInput(f"{law} is a law on the sphere, got {geometry!r}: use gaussian or box in R^d")
    return geometry


def _euclidean(geometry: Geometry, law: str) -> Euclidean:
    if not isinstance(geometry, Euclidean):
        raise InvalidInput(f"{law} is a law in R^d, got {geometry!r}: use uniform or von_mises_fisher on the sphere")
    return geometry


def _numbers(values: ArrayLike, name: str) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be numbers, got {values!r}") from error
    if not np.all(np.isfinite(array)):
        raise InvalidInput(f"{name} must be finite, got {values!r}")
    return array


def _vector(values: ArrayLike, size: int, name: str) -> np.ndarray:
    array = _numbers(values, name)
    if array.shape not in ((), (size,)):
        raise InvalidInput(f"{name} must be one number or have shape ({size},), got {array.shape}")
    return np.broadcast_to(array, (size,))


def _directions(values: ArrayLike, d: int) -> np.ndarray:
    vectors = _numbers(values, "directions")
    if vectors.ndim != 2 or vectors.shape[0] == 0 or vectors.shape[1] != d:
        raise InvalidInput(f"directions must be vectors of length {d}, got an array of shape {vectors.shape}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if np.any(lengths == 0):
        raise InvalidInput("a direction must not be the zero vector")
    return vectors / lengths


def _covariance_root(covariance: ArrayLike, d: int) -> np.ndarray:
    """A matrix R with R R^T = covariance."""
    matrix = _numbers(covariance, "covariance")
    if matrix.ndim == 0:
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
