"""The shape of a cloud of tokens: the length of its mean, its effective rank, its convex hull, its distances.

`order_parameter` and `effective_rank` are traceable by JAX; the rest is NumPy and SciPy on concrete arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere, length
from tokenfield.measure import Measure

if TYPE_CHECKING:
    from tokenfield.laws.density import Density
    from tokenfield.laws.masked_gaussian import AnyGaussian
    from tokenfield.solver.trajectory import Trajectory

FLAT = 1e-12  # a cloud thinner than this times its extent has no volume
DISTANCE_ROWS = 256


def order_parameter(mu: Measure | Density | AnyGaussian) -> Array:
    """The length |int x dmu| of the mean: 1 at consensus on the sphere, 0 for a balanced cloud.

    Traceable by JAX.

    Args:
        mu: the tokens; a `Density`, a `Gaussian` or a masked one also serves.

    Returns:
        A scalar >= 0.

    >>> from tokenfield import Measure
    >>> float(order_parameter(Measure([[1.0, 0.0], [-1.0, 0.0]], weights=[3.0, 1.0])))
    0.5
    """
    return length(mu.mean)[0]


def effective_rank(mu: Measure | Density) -> Array:
    """The effective rank of the cloud: how many directions of space it really uses.

    It is e^H with the entropy H = -sum_k p_k log p_k, where p_k are the eigenvalues of the second moment
    int x x^T dmu (not centered), divided by their sum. Traceable by JAX.

    Args:
        mu: the tokens.

    Returns:
        A scalar in [1, min(n, d)], or 0 if all tokens are at the origin.

    >>> from tokenfield import Measure
    >>> round(float(effective_rank(Measure([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))), 12)
    2.0
    """
    spectrum = moment_spectrum(mu.points, mu.weights)
    return jnp.where(jnp.sum(spectrum) > 0, jnp.exp(spectral_entropy(spectrum)), 0.0)


def moment_spectrum(x: Any, w: Any) -> Any:
    """The eigenvalues of the second moment sum_j w_j x_j x_j^T, those that may differ from zero, increasing.

    Args:
        x: the tokens, shape (n, d), an array of NumPy or of JAX.
        w: their weights, shape (n,), of the same library.

    Returns:
        Numbers >= 0, shape (min(n, d),), of the same library.

    >>> moment_spectrum(np.array([[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.ones(2)).tolist()
    [1.0, 9.0]
    """
    xp = x.__array_namespace__()
    scaled = x * xp.sqrt(w)[:, None]
    # the smaller of the two Gram matrices has the same nonzero spectrum
    gram = scaled.T @ scaled if x.shape[1] <= x.shape[0] else scaled @ scaled.T
    return xp.maximum(xp.linalg.eigvalsh(gram), 0.0)


def spectral_entropy(spectrum: Any) -> Any:
    """The entropy -sum p log p of eigenvalues, with p what each is of their sum; 0 where the sum is 0.

    Args:
        spectrum: numbers >= 0, shape (k,), an array of NumPy or of JAX.

    Returns:
        A scalar in [0, log k], of the same library.

    >>> round(float(spectral_entropy(np.array([2.0, 2.0, 0.0])) / np.log(2)), 12)
    1.0
    """
    xp = spectrum.__array_namespace__()
    total = xp.sum(spectrum)
    p = spectrum / xp.where(total > 0, total, 1.0)
    return -xp.sum(xp.where(p > 0, p * xp.log(xp.where(p > 0, p, 1.0)), 0.0))


def hull_volume(mu: Measure) -> float:
    """The length (d = 1), area (d = 2) or volume (d = 3) of the convex hull of the tokens.

    Args:
        mu: tokens in R^1, R^2 or R^3; weights do not matter.

    Returns:
        A number >= 0; 0 if the cloud is flat.

    Raises:
        InvalidInput: d > 3.

    >>> from tokenfield import Measure
    >>> round(hull_volume(Measure([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])), 12)
    2.0
    """
    if mu.d > 3:
        raise InvalidInput(f"hull_volume is for dimension d <= 3, got d = {mu.d}")
    if mu.d == 1:
        return float(np.ptp(np.asarray(mu.points, np.float64)))
    found = _unit_hull(mu)
    if found is None:
        return 0.0
    hull, extent = found
    return float(hull.volume) * extent**mu.d


def hull_faces(mu: Measure) -> list[np.ndarray]:
    """The faces of the convex hull of the tokens: its polygon in R^2, triangles in R^3.

    Args:
        mu: tokens in R^2 or R^3; weights do not matter.

    Returns:
        Corners of each face: one array (k, 2), counterclockwise, or several (3, 3). An empty list if the cloud is flat.

    Raises:
        InvalidInput: d is neither 2 nor 3.

    >>> from tokenfield import Measure
    >>> mu = Measure([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
    >>> [len(face) for face in hull_faces(mu)]
    [3]
    """
    if mu.d not in (2, 3):
        raise InvalidInput(f"hull_faces is for dimensions d = 2 and d = 3, got d = {mu.d}")
    x, found = np.asarray(mu.points, np.float64), _unit_hull(mu)
    if found is None:
        return []
    hull, _ = found
    return [x[hull.vertices]] if mu.d == 2 else [x[simplex] for simplex in hull.simplices]


def _unit_hull(mu: Measure) -> tuple[scipy.spatial.ConvexHull, float] | None:
    """The hull of the tokens scaled to unit size, and the factor that scales it back; `None` for a flat cloud."""
    x = np.asarray(mu.points, np.float64)
    x = x - np.mean(x, axis=0)
    extent = float(np.max(np.abs(x)))
    if mu.n <= mu.d or extent == 0.0:
        return None
    # Qhull's thresholds are absolute: a cloud of unit size keeps them meaningful for collapsed tokens
    x = x / extent
    thickness = np.linalg.svd(x, compute_uv=False)
    if thickness[-1] <= FLAT * thickness[0]:
        return None
    try:
        return scipy.spatial.ConvexHull(x), extent
    except scipy.spatial.QhullError:
        return None


def smallest_distance_growth(run: Trajectory) -> float:
    """The smallest change of any distance between two tokens from one saved time of a run to the next.

    If it is not negative, no two tokens ever approached each other, as in arXiv 2305.05465 for Q^T K = V = I in R^d.
    O(T n^2) time, O(n) memory.

    Args:
        run: a run of at least two tokens that saved them at two times or more.

    Returns:
        The smallest difference of distances: angles in radians on the sphere, lengths in R^d.

    Raises:
        InvalidInput: the run kept no tokens, or too few tokens or times.

    >>> from tokenfield import Euclidean, Softmax, Transformer, solve
    >>> model = Transformer(Euclidean(1), Softmax(1.0))
    >>> run = solve(model, [[0.0], [0.5], [1.0]], t1=1.0, save=3)
    >>> smallest_distance_growth(run) > 0
    True
    """
    points = np.asarray(run.saved_points, np.float64)
    times, n, _ = points.shape
    if times < 2 or n < 2:
        raise InvalidInput(f"growth of distances needs two saved times and two tokens, got {times} and {n}")
    smallest = np.inf
    for start in range(0, n - 1, DISTANCE_ROWS):
        rows = slice(start, start + DISTANCE_ROWS)
        # strict upper triangle: a token's distance to itself stays 0 and would hide growth of all others
        kept = np.arange(start, n)[None, :] > np.arange(n)[rows, None]
        before = _distances(run.model.geometry, points[0, rows], points[0, start:])[kept]
        for x in points[1:]:
            after = _distances(run.model.geometry, x[rows], x[start:])[kept]
            smallest = min(smallest, float(np.min(after - before)))
            before = after
    return smallest


def _distances(geometry: Geometry, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """All distances (m, n) from differences of coordinates, which keeps the digits of small ones."""
    chord = scipy.spatial.distance.cdist(x, y)
    return 2 * np.arctan2(chord, scipy.spatial.distance.cdist(x, -y)) if isinstance(geometry, Sphere) else chord
