"""Distances between measures: exact Wasserstein distances on the line and on the circle, sliced ones elsewhere.

NumPy on concrete arrays, O(n log n) each; masses may be unequal. Distances on the sphere are angles.
"""

from __future__ import annotations

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure

SLICES = 256


def wasserstein(mu: Measure, nu: Measure, geometry: Geometry, *, p: int = 1) -> float:
    """The exact distance W_p between two measures on the circle or on the line.

    On the circle distances are angles and mass may go either way round. In other geometries use
    `sliced_wasserstein`. Raises `InvalidInput` for other geometries or p < 1.
    """
    _check(mu, nu, geometry, p)
    if isinstance(geometry, Sphere) and geometry.d == 2:
        angles = [np.arctan2(x[:, 1], x[:, 0]) for x in (_points(mu), _points(nu))]
        return circle_wasserstein(angles[0], angles[1], _weights(mu), _weights(nu), p=p)
    if not isinstance(geometry, Sphere) and geometry.d == 1:
        return line_wasserstein(_points(mu)[:, 0], _points(nu)[:, 0], _weights(mu), _weights(nu), p=p)
    raise InvalidInput("exact Wasserstein distances are for the circle and the line: use sliced_wasserstein")


def sliced_wasserstein(
    mu: Measure, nu: Measure, geometry: Geometry, *, p: int = 2, slices: int = SLICES, seed: int = 0
) -> float:
    """The sliced distance: the p-mean over random one-dimensional views of the exact W_p.

    In R^d a view is the projection on a random direction; on the sphere the projection on a random great circle, as
    angles (arXiv 2206.08780).
    """
    _check(mu, nu, geometry, p)
    if slices < 1:
        raise InvalidInput(f"the number of slices must be at least 1, got {slices}")
    rng = np.random.default_rng(seed)
    x, y, a, b = _points(mu), _points(nu), _weights(mu), _weights(nu)
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


def line_wasserstein(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, *, p: int = 1) -> float:
    """W_p on the line between points x with weights a and y with weights b: quantiles are matched in order."""
    return float(_matched(*_sorted(x, a), *_sorted(y, b), p) ** (1 / p))


def circle_wasserstein(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, *, p: int = 1) -> float:
    """W_p on the circle between angles x with weights a and y with weights b.

    For p = 1 the best cut is a weighted median of the difference of the distribution functions; for p > 1 it is the
    minimum of a convex function of the shift of quantiles (Delon, Salomon, Sobolevskii 2010), found to rounding.
    """
    period = 2 * np.pi
    x, a = _sorted(np.mod(x, period), a)
    y, b = _sorted(np.mod(y, period), b)
    if p == 1:
        edges = np.concatenate([x, y])
        jumps = np.concatenate([a, -b])
        order = np.argsort(edges, kind="stable")
        edges, heights = edges[order], np.cumsum(jumps[order])
        lengths = np.diff(np.append(edges, edges[0] + period))
        return float(np.sum(lengths * np.abs(heights - _weighted_median(heights, lengths))))

    def cost(shift: float) -> float:
        """The cost when quantile s of x is matched with quantile s + shift of y on the unrolled circle."""
        levels = np.cumsum(b) - b - shift
        turns = np.floor(levels)
        # quantiles of y that start at or after level 0, in increasing order; the last one may reach across level 1
        order = np.argsort(levels - turns, kind="stable")
        starts, positions = (levels - turns)[order], (y - period * turns)[order]
        if starts[0] > 0:
            starts = np.concatenate([[0.0], starts])
            positions = np.concatenate([[positions[-1] - period], positions])
        return _matched(x, a, positions, np.diff(np.append(starts, 1.0)), p)

    low, high = -1.0, 1.0
    golden = (np.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = cost(left), cost(right)
    while high - low > 1e-15:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = cost(right)
        if not low < left < right < high:
            break
    return float(min(at_left, at_right, cost(0.0)) ** (1 / p))


def _matched(x: np.ndarray, a: np.ndarray, y: np.ndarray, b: np.ndarray, p: int) -> float:
    """sum |x - y|^p over the monotone matching of sorted points x, y with weights a, b of equal totals."""
    ends_a, ends_b = np.cumsum(a), np.cumsum(b)
    levels = np.sort(np.concatenate([ends_a[:-1], ends_b[:-1]]))
    masses = np.diff(np.concatenate([[0.0], levels, [1.0]]))
    middles = np.concatenate([[0.0], levels]) + masses / 2
    # slivers of mass are rounding of the cumulated weights: sent across, they would cost 1e-8 in W_2
    masses = np.where(masses > 8 * np.finfo(float).eps * len(masses), masses, 0.0)
    i = np.minimum(np.searchsorted(ends_a, middles), len(x) - 1)
    j = np.minimum(np.searchsorted(ends_b, middles), len(y) - 1)
    return float(np.sum(masses * np.abs(x[i] - y[j]) ** p))


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


def _sorted(x: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(x, kind="stable")
    a = np.asarray(a, np.float64)
    return np.asarray(x, np.float64)[order], a[order] / a.sum()


def _points(mu: Measure) -> np.ndarray:
    return np.asarray(mu.points, np.float64)


def _weights(mu: Measure) -> np.ndarray:
    return np.asarray(mu.weights, np.float64)


def _check(mu: Measure, nu: Measure, geometry: Geometry, p: int) -> None:
    if mu.d != geometry.d or nu.d != geometry.d:
        raise InvalidInput(f"both measures must have dimension {geometry.d}, got {mu.d} and {nu.d}")
    if not (np.isfinite(p) and p >= 1):
        raise InvalidInput(f"Wasserstein distances need p >= 1, got {p}")
