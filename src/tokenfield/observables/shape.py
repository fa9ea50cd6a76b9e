"""The shape of a token cloud and of its attention: order parameter, ranks, hull, distances, and hitting times.

`order_parameter` and `effective_rank` are traceable by JAX; the rest is NumPy and SciPy on concrete arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.distance import cdist

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere, length
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

LARGEST_MATRIX = 4096  # tokens up to which an n x n matrix may be asked for
FLAT = 1e-12  # a cloud thinner than this times its extent has no volume
DISTANCE_ROWS = 256


def order_parameter(mu: Measure) -> Array:
    """The length |int x dmu| of the mean token, a scalar: 1 at consensus on the sphere, 0 for a balanced cloud."""
    return length(mu.mean)[0]


def effective_rank(mu: Measure) -> Array:
    """The effective rank of the cloud, a scalar in [1, min(n, d)].

    It is e^H with H the entropy of the normalized spectrum of the uncentered second moment int x x^T dmu, and 0 if
    all tokens are at the origin.
    """
    scaled = mu.points * jnp.sqrt(mu.weights)[:, None]
    # the smaller of the two Gram matrices has the same nonzero spectrum
    gram = scaled.T @ scaled if mu.d <= mu.n else scaled @ scaled.T
    spectrum = jnp.maximum(jnp.linalg.eigvalsh(gram), 0.0)
    total = jnp.sum(spectrum)
    p = spectrum / jnp.where(total > 0, total, 1.0)
    entropy = -jnp.sum(jnp.where(p > 0, p * jnp.log(jnp.where(p > 0, p, 1.0)), 0.0))
    return jnp.where(total > 0, jnp.exp(entropy), 0.0)


def attention_matrix(mu: Measure, model: Transformer, t: Array | float = 0.0, *, head: int = 0) -> Array:
    """The matrix w_j a(x_i, x_j) of one head, shape (n, n), for n <= 4096; rows sum to one for softmax and its kin."""
    if mu.n > LARGEST_MATRIX:
        raise InvalidInput(f"an attention matrix is n x n: at most {LARGEST_MATRIX} tokens, got {mu.n}")
    heads = model.heads(t)
    if not 0 <= head < len(heads):
        raise InvalidInput(f"the model has heads 0 to {len(heads) - 1}, got head = {head}")
    return heads[head].attention.matrix(model.projected(t, mu.points, mu)[head])


def attention_rank(
    mu: Measure, model: Transformer, t: Array | float = 0.0, *, head: int = 0, tolerance: float = 1e-6
) -> int:
    """The numerical rank of the attention matrix: how many singular values exceed `tolerance` times the largest."""
    values = np.linalg.svd(np.asarray(attention_matrix(mu, model, t, head=head), np.float64), compute_uv=False)
    return int(np.sum(values > tolerance * values[0]))


def hull_volume(mu: Measure) -> float:
    """The length, area or volume of the convex hull of the tokens for d = 1, 2, 3; 0 for a flat cloud."""
    x = np.asarray(mu.points, np.float64)
    if mu.d > 3:
        raise InvalidInput(f"hull_volume is for dimension d <= 3, got d = {mu.d}")
    x = x - np.mean(x, axis=0)
    extent = float(np.max(np.abs(x)))
    if mu.d == 1:
        return float(np.ptp(x))
    if mu.n <= mu.d or extent == 0.0:
        return 0.0
    # Qhull's thresholds are absolute: a cloud of unit size keeps them meaningful for collapsed tokens
    x = x / extent
    thickness = np.linalg.svd(x, compute_uv=False)
    if thickness[-1] <= FLAT * thickness[0]:
        return 0.0
    try:
        return float(ConvexHull(x).volume) * extent**mu.d
    except QhullError:
        return 0.0


def smallest_distance_growth(run: Trajectory) -> float:
    """The smallest change of any pairwise distance between consecutive saved times of `run`.

    A value >= -(tolerance) says that no two tokens ever approached each other, as in arXiv 2305.05465 for
    Q^T K = V = I in R^d. On the sphere distances are angles. O(T n^2) time, O(n) memory.
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
    chord = cdist(x, y)
    return 2 * np.arctan2(chord, cdist(x, -y)) if isinstance(geometry, Sphere) else chord


def hitting_time(ts: ArrayLike, values: ArrayLike, level: float) -> float:
    """The first time at which `values` (T,), interpolated by monotone cubics between `ts` (T,), crosses `level`.

    From above or from below; nan if it never does.

    >>> round(hitting_time([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], 0.5), 12)
    0.5
    """
    t, v = np.asarray(ts, np.float64), np.asarray(values, np.float64)
    if t.ndim != 1 or t.shape != v.shape or len(t) == 0:
        raise InvalidInput(f"times and values must be two lists of one length, got shapes {t.shape} and {v.shape}")
    if np.any(np.diff(t) <= 0) or not (np.all(np.isfinite(t)) and np.all(np.isfinite(v))):
        raise InvalidInput("hitting_time needs increasing finite times and finite values")
    above = v - float(level)
    exact = np.flatnonzero(above == 0)
    crossings = np.flatnonzero(np.sign(above[:-1]) * np.sign(above[1:]) < 0)
    if len(exact) and (not len(crossings) or exact[0] <= crossings[0]):
        return float(t[exact[0]])
    if not len(crossings):
        return float("nan")
    k = crossings[0]
    curve = PchipInterpolator(t, above)

    def bracketed(s: float) -> float:
        # at a knot the interpolant is right to rounding only, which could cost the change of sign
        ends = {t[k]: above[k], t[k + 1]: above[k + 1]}
        return float(ends[s] if s in ends else curve(s))

    return float(brentq(bracketed, t[k], t[k + 1], xtol=1e-14 * max(1.0, abs(t[k + 1])), rtol=1e-14))
