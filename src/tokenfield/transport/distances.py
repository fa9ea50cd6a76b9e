"""Distances between measures: exact, entropic (Sinkhorn) and sliced Wasserstein distances.

`wasserstein` is the entry point and chooses a way; the others are there to set its options. Concrete arrays go in, one
float comes out. Masses may be unequal, distances on the sphere are angles in radians. Everything is computed in
float64, whatever the tokens are. What happens on a line or a circle is in `tokenfield.transport.sorting`.
"""

from __future__ import annotations

import warnings

import numpy as np
from jax import Array
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist

from tokenfield._runtime.randomness import numpy_generator
from tokenfield.errors import ApproximationWarning, InvalidInput, Unsupported, did_you_mean
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.transport.sorting import (
    angles_of,
    check_power,
    circle_wasserstein,
    line_wasserstein,
    points_of,
    weights_of,
)

METHODS = ("exact", "sinkhorn", "sliced")
SLICES = 256
MOST_ASSIGNED = 25_000_000  # pairs up to which an assignment is solved: n = 5000 takes four seconds and 400 MB
MOST_PROGRAMMED = 100_000  # pairs up to which a linear program is solved: n = 300 takes half a second
EXACT_OFFER = "5000 of equal mass, or n m up to 10^5"
BLUR = 0.01  # default epsilon of Sinkhorn, as a part of the mean cost between the measures
TILE = 256  # rows of Sinkhorn's cost that exist at a time


def wasserstein(mu: Measure, nu: Measure, geometry: Geometry, *, p: float = 1, method: str | None = None) -> float:
    """The Wasserstein distance W_p between two measures: (inf over couplings of E distance(x, y)^p)^{1/p}.

    The methods:

    - "exact": right to rounding. On the circle and the line by sorting, in O(n log n), for any masses. Elsewhere by an
      assignment if both measures have n equal masses (n = 2000 takes half a second, n = 5000, the most, four), else by
      a linear program (n m <= 10^5 pairs: half a second).
    - "sinkhorn": entropic and debiased, in O(n m) time per sweep and O(n + m) memory. Where measures are far apart
      compared with the blur, a tenth of the typical distance, W_2 is about 1 % off and W_1 5 % low. More is missing
      between nearer ones. See `sinkhorn_divergence`.
    - "sliced": a mean over 256 random views, in O(n log n). This is another distance, never larger in R^d: compare it
      only with itself. See `sliced_wasserstein`.

    A density that is held as masses on a grid of spacing h is off by up to h/2; on the circle `density_wasserstein` is
    not.

    Args:
        mu: the first measure, n tokens.
        nu: the second measure, m tokens of the same dimension.
        geometry: the space that says what the distance is: angles on the sphere, straight lines in R^d.
        p: the power, >= 1; by default 1.
        method: "exact", "sinkhorn" or "sliced". By default "exact" where it is offered, else "sinkhorn" with an
            `ApproximationWarning` that says so.

    Returns:
        The distance, a number >= 0 in the unit of the geometry.

    Raises:
        InvalidInput: dimensions do not fit, p < 1, the method is unknown, or Sinkhorn's sweeps do not converge.
        Unsupported: the exact distance would take too long.

    >>> from tokenfield import Measure, Sphere
    >>> east, north = Measure([[1.0, 0.0, 0.0]]), Measure([[0.0, 1.0, 0.0]])
    >>> wasserstein(east, north, Sphere(3))
    1.5707963267948966
    """
    _check(mu, nu, geometry, p)
    if method is None and not _has_exact(mu, nu, geometry):
        method = "sinkhorn"
        warnings.warn(
            f"the exact distance between {mu.n} and {nu.n} points takes too long, so this is the entropic one: W_1 is "
            "about 5 % low, W_2 1 % off, more where the measures are near, and sweeps over all pairs may take minutes. "
            "method='sinkhorn' accepts it, sinkhorn_divergence(epsilon=...) makes it finer, and fewer points have an "
            f"exact distance: {EXACT_OFFER}",
            ApproximationWarning,
            stacklevel=2,
        )
    method = "exact" if method is None else method
    if method == "sinkhorn":
        return sinkhorn_divergence(mu, nu, geometry, p=p)
    if method == "sliced":
        return sliced_wasserstein(mu, nu, geometry, p=p)
    if method != "exact":
        raise InvalidInput(f"unknown method {method!r}{did_you_mean(str(method), METHODS)}")
    if not _has_exact(mu, nu, geometry):
        raise Unsupported(
            f"the exact distance between {mu.n} and {nu.n} points in this geometry takes too long: use "
            "method='sinkhorn', or fewer points"
        )
    if _is_circle(geometry):
        return circle_wasserstein(angles_of(mu), angles_of(nu), weights_of(mu), weights_of(nu), p=p)
    if geometry.d == 1:
        return line_wasserstein(points_of(mu)[:, 0], points_of(nu)[:, 0], weights_of(mu), weights_of(nu), p=p)
    return by_program(points_of(mu), points_of(nu), weights_of(mu), weights_of(nu), geometry, p)


def sinkhorn_divergence(
    mu: Measure,
    nu: Measure,
    geometry: Geometry,
    *,
    p: float = 2,
    epsilon: float | None = None,
    tolerance: float = 1e-4,
    max_iterations: int = 10_000,
    batch_size: int = TILE,
) -> float:
    """The debiased entropic distance S_epsilon(mu, nu)^{1/p}, by ott-jax; it tends to W_p as epsilon -> 0.

    S = OT(mu, nu) - (OT(mu, mu) + OT(nu, nu)) / 2 (arXiv 1810.08278), where OT(mu, nu) is the minimum over couplings
    of int distance^p dpi + epsilon KL(pi | mu x nu). S >= 0 for p = 1 and p = 2 in R^d, and S(mu, mu) = 0.

    For smooth laws and p = 2 the error of S is O(epsilon^2), for few points and for p = 1 it is O(epsilon). What is
    finer than epsilon^{1/p} is blurred: at the default, W_2 = 0.126 between two samples of 1000 uniform tokens on S^2
    is given as 0.105 (0.121 at epsilon = 0.003). The number of sweeps grows like 1/epsilon, from some hundred at the
    default. A sweep of 10^4 against 10^4 points takes some two seconds on two cores.

    Args:
        mu: the first measure, n tokens.
        nu: the second measure, m tokens of the same dimension.
        geometry: the space that says what the distance is.
        p: the power, >= 1; by default 2.
        epsilon: the strength of the entropy, positive, in the unit of distance^p. Lower it to resolve more. By default
            1 % of the mean of distance^p between the measures.
        tolerance: sweeps end when the masses of the coupling are right to this much in total variation, which makes S
            right to about a hundredth of it times the mean cost; positive, by default 1e-4.
        max_iterations: the largest number of sweeps, at least 1; by default 10,000.
        batch_size: how many rows of the cost exist at a time, at least 1; by default 256.

    Returns:
        The distance, a number >= 0 in the unit of the geometry.

    Raises:
        InvalidInput: dimensions do not fit, an option is outside of its range, or the sweeps do not converge.

    >>> from tokenfield import Euclidean, Measure
    >>> left, right = Measure([[0.0], [1.0]]), Measure([[3.0], [4.0]])
    >>> round(sinkhorn_divergence(left, right, Euclidean(1)), 3)
    3.0
    """
    _check(mu, nu, geometry, p)
    _check_sinkhorn(epsilon, tolerance, max_iterations, batch_size)
    x, y = points_of(mu), points_of(nu)
    if not isinstance(geometry, Sphere):
        # squares of distances are expanded: around a common center they lose no digits
        center = (np.mean(x, axis=0) + np.mean(y, axis=0)) / 2
        x, y = x - center, y - center
    a, b = (w / np.sum(w) for w in (weights_of(mu), weights_of(nu)))
    # importing ott takes two seconds
    from tokenfield.transport import entropic

    cost = entropic.Power(isinstance(geometry, Sphere), float(p))
    if epsilon is None:
        epsilon = BLUR * float(entropic.mean_cost(x, a, y, b, cost, batch_size))
        if epsilon == 0:
            return 0.0  # all points of both are one point
    divergence, converged, sweeps = entropic.divergence(
        x, a, y, b, epsilon, tolerance, cost, max_iterations, batch_size
    )
    if not (bool(converged) and np.isfinite(divergence)):
        raise InvalidInput(
            f"Sinkhorn did not converge to {tolerance:g} in {int(sweeps)} sweeps at epsilon = {epsilon:.3g}: use a "
            "larger epsilon, tolerance or max_iterations"
        )
    return float(max(float(divergence), 0.0) ** (1 / p))


def sliced_wasserstein(
    mu: Measure, nu: Measure, geometry: Geometry, *, p: float = 2, slices: int = SLICES, seed: int | Array = 0
) -> float:
    """The sliced distance: the p-mean of the exact W_p over random one-dimensional views of the two measures.

    In R^d a view is the projection on a random direction. On the sphere it is the projection on a random great circle,
    as angles (arXiv 2206.08780).

    Args:
        mu: the first measure.
        nu: the second measure, of the same dimension.
        geometry: the space that says what a view is.
        p: the power, >= 1; by default 2.
        slices: the number of views, at least 1; by default 256.
        seed: a whole number >= 0 or a JAX key of the views. The default 0 makes the views part of the definition:
            distances compare only if their views are the same.

    Returns:
        The distance, a number >= 0 in the unit of the geometry.

    Raises:
        InvalidInput: dimensions do not fit, p < 1, there is no view, or `seed` is no seed.

    >>> from tokenfield import Measure, Sphere
    >>> east, north = Measure([[1.0, 0.0, 0.0]]), Measure([[0.0, 1.0, 0.0]])
    >>> sliced_wasserstein(east, east, Sphere(3))
    0.0
    >>> sliced_wasserstein(east, north, Sphere(3)) > 1
    True
    """
    _check(mu, nu, geometry, p)
    if slices < 1:
        raise InvalidInput(f"the number of slices must be at least 1, got {slices}")
    rng = numpy_generator(seed)
    x, y, a, b = points_of(mu), points_of(nu), weights_of(mu), weights_of(nu)
    total = 0.0
    for _ in range(slices):
        if isinstance(geometry, Sphere):
            plane, _ = np.linalg.qr(rng.normal(size=(geometry.d, 2)))
            first, second = (np.arctan2(*(z @ plane).T[::-1]) for z in (x, y))
            total += circle_wasserstein(first, second, a, b, p=p) ** p
        else:
            direction = rng.normal(size=geometry.d)
            direction /= np.linalg.norm(direction)
            total += line_wasserstein(x @ direction, y @ direction, a, b, p=p) ** p
    return float((total / slices) ** (1 / p))


def by_program(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, geometry: Geometry, p: float) -> float:
    """W_p of points with masses, by an assignment if masses are equal, else by a linear program over all couplings.

    Args:
        x: the first points, shape (n, d), in float64.
        y: the second points, shape (m, d).
        a: masses of the first, shape (n,), positive.
        b: masses of the second, shape (m,).
        geometry: the space that says what the distance is; on the sphere points are unit vectors.
        p: the power, >= 1.

    Returns:
        The distance, a number >= 0 in the unit of the geometry.

    Raises:
        Unsupported: the linear program was not solved.

    >>> from tokenfield import Euclidean
    >>> by_program(np.array([[0.0], [1.0]]), np.array([[4.0], [3.0]]), np.ones(2), np.ones(2), Euclidean(1), 2)
    3.0
    """
    cost = cdist(x, y)
    if isinstance(geometry, Sphere):
        np.arctan2(cost, cdist(x, -y), out=cost)
        cost *= 2
    np.power(cost, p, out=cost)
    if _are_equal(a, b):
        return float(np.mean(cost[linear_sum_assignment(cost)]) ** (1 / p))
    n, m = cost.shape
    a, b = a / np.sum(a), b / np.sum(b)
    rows = sparse.kron(sparse.eye_array(n), np.ones((1, m)))
    columns = sparse.kron(np.ones((1, n)), sparse.eye_array(m))
    # of n + m equations one follows from the others, and would contradict them by rounding
    equations = sparse.vstack([rows, columns]).tocsr()[:-1]
    found = linprog(cost.ravel(), A_eq=equations, b_eq=np.concatenate([a, b])[:-1], method="highs")
    if not found.success:
        raise Unsupported(f"the linear program was not solved ({found.message}): use method='sinkhorn'")
    return float(max(found.fun, 0.0) ** (1 / p))


def _has_exact(mu: Measure, nu: Measure, geometry: Geometry) -> bool:
    pairs = mu.n * nu.n
    is_sorted = _is_circle(geometry) or geometry.d == 1
    return (
        is_sorted or pairs <= MOST_PROGRAMMED or (pairs <= MOST_ASSIGNED and _are_equal(weights_of(mu), weights_of(nu)))
    )


def _are_equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether both have the same number of tokens, all of the same mass up to rounding."""
    return len(a) == len(b) and all(np.ptp(w) <= 1e-12 * np.max(w) for w in (a, b))


def _is_circle(geometry: Geometry) -> bool:
    return isinstance(geometry, Sphere) and geometry.d == 2


def _check(mu: Measure, nu: Measure, geometry: Geometry, p: float) -> None:
    if mu.d != geometry.d or nu.d != geometry.d:
        raise InvalidInput(f"both measures must have dimension {geometry.d}, got {mu.d} and {nu.d}")
    check_power(p)


def _check_sinkhorn(epsilon: float | None, tolerance: float, max_iterations: int, batch_size: int) -> None:
    for name, value in (("epsilon", 1.0 if epsilon is None else epsilon), ("tolerance", tolerance)):
        if not (np.isfinite(value) and value > 0):
            raise InvalidInput(f"{name} must be positive, got {value}")
    for name, count in (("max_iterations", max_iterations), ("batch_size", batch_size)):
        if count < 1:
            raise InvalidInput(f"{name} must be at least 1, got {count}")
