"""Renyi centers: the tokens of a sequence that have no earlier center (or no earlier token at all) close to them.

Under causal attention they hardly move for a long time and capture the tokens around them. So they foretell the
metastable clusters (arXiv 2411.04990). NumPy and SciPy on concrete arrays, in O(n) memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.observables.clusters import TIE

PAIRS_AT_A_TIME = 2**17  # few at first: the earliest tokens rule out most of the later ones, which are then skipped


@dataclass(frozen=True, eq=False)
class RenyiCenters:
    """The Renyi centers of a sequence of tokens; made by `renyi_centers`.

    Attributes:
        indices: which tokens are centers, in order of their positions, shape (count,).
        labels: for each token the nearest center within `delta` of it, shape (n,), as its place in `indices`; -1 if
            there is none, which only happens for strong centers.
        delta: the distance that was used: an angle in radians on the sphere.
        strong: whether centers had to be far from all earlier tokens, not only from earlier centers.
        geometry: the space of the tokens.

    >>> from tokenfield import Euclidean, Measure
    >>> renyi_centers(Measure([[0.0], [0.8], [1.7]]), Euclidean(1), delta=1.0).labels.tolist()
    [0, 0, 1]
    """

    indices: np.ndarray
    labels: np.ndarray
    delta: float
    strong: bool
    geometry: Geometry

    @property
    def count(self) -> int:
        """The number of centers."""
        return len(self.indices)

    def labels_at(self, mu: Measure) -> np.ndarray:
        """The labels of the same tokens at another time: which center has captured each of them by then.

        A token is captured if it is within `delta` of the place where a center now is.

        Args:
            mu: the same n tokens at another time.

        Returns:
            The nearest center of each token, as in `labels`, shape (n,); -1 if none is near enough.

        Raises:
            InvalidInput: `mu` has another number of tokens.

        >>> from tokenfield import Euclidean, Measure
        >>> centers = renyi_centers(Measure([[0.0], [3.0], [1.5]]), Euclidean(1), delta=1.0)
        >>> centers.labels_at(Measure([[0.0], [3.0], [2.5]])).tolist()
        [0, 1, 2]
        """
        if mu.n != len(self.labels):
            raise InvalidInput(f"the centers are those of {len(self.labels)} tokens, the measure has {mu.n}")
        return _nearest(_points(mu), self.indices, _radius(self.geometry, self.delta))


def renyi_centers(mu: Measure, geometry: Geometry, *, delta: float, strong: bool = False) -> RenyiCenters:
    """The Renyi centers of a sequence: each token that is more than `delta` away from all earlier centers.

    Strong centers are more than `delta` away from all earlier tokens, not only from earlier centers. For independent
    uniform tokens on the sphere, an endless sequence has on average 1/s strong centers, s the share of the sphere in a
    ball of radius delta: pi/delta for d = 2 and 1/sin^2(delta/2) for d = 3 (arXiv 2411.04990, Lemma C.1). Exact, in
    O(n count) time for ordinary centers and at most O(n^2) for strong ones.

    Args:
        mu: the tokens, in the order of their positions; those of equal position in the order of the measure. Weights
            do not matter.
        geometry: the space that says what the distance is.
        delta: the distance, positive: an angle in radians on the sphere, for example `renyi_scale(model)`.
        strong: whether to find strong centers; by default `False`.

    Returns:
        The centers, and for each token the one that is near it.

    Raises:
        InvalidInput: `delta` is not a positive finite number, or `mu` does not fit the geometry.

    >>> from tokenfield import Euclidean, Measure
    >>> line = Measure([[0.0], [0.8], [1.6], [0.1]])
    >>> renyi_centers(line, Euclidean(1), delta=1.0).indices.tolist()
    [0, 2]
    >>> renyi_centers(line, Euclidean(1), delta=1.0, strong=True).indices.tolist()
    [0]
    """
    if not (np.isfinite(delta) and delta > 0):
        raise InvalidInput(f"Renyi centers need a positive finite delta, got {delta}")
    if mu.d != geometry.d:
        raise InvalidInput(f"points have dimension {mu.d}, the geometry has d = {geometry.d}")
    x, radius = _points(mu), _radius(geometry, delta)
    order = np.argsort(np.asarray(mu.positions), kind="stable")
    places = _strong(x[order], radius) if strong else _ordinary(x[order], radius)
    indices = order[places]
    return RenyiCenters(indices, _nearest(x, indices, radius), float(delta), bool(strong), geometry)


def _points(mu: Measure) -> np.ndarray:
    return np.asarray(mu.points, np.float64)


def _radius(geometry: Geometry, delta: float) -> float:
    """The straight distance that belongs to `delta`; infinite if everything is within `delta`. Ties count as near."""
    delta = delta * (1 + TIE)
    if not isinstance(geometry, Sphere):
        return delta
    return 2 * float(np.sin(delta / 2)) if delta < np.pi else np.inf


def _ordinary(x: np.ndarray, radius: float) -> np.ndarray:
    """Which rows of `x`, in order, are farther than `radius` from all earlier centers."""
    centers, rest = [], np.arange(len(x))
    while len(rest):
        # of those far from all centers so far, the first is the next center
        centers.append(rest[0])
        rest = rest[scipy.spatial.distance.cdist(x[rest], x[rest[:1]])[:, 0] > radius]
    return np.array(centers)


def _strong(x: np.ndarray, radius: float) -> np.ndarray:
    """Which rows of `x`, in order, are farther than `radius` from all earlier rows."""
    alive = np.arange(len(x))
    start = 0
    while start < len(x):
        later = alive > start
        stop = start + max(PAIRS_AT_A_TIME // max(int(np.sum(later)), 1), 1)
        before = np.arange(start, min(stop, len(x)))
        candidates = alive[later]
        is_near = (scipy.spatial.distance.cdist(x[candidates], x[before]) <= radius) & (before < candidates[:, None])
        alive = np.concatenate([alive[~later], candidates[~np.any(is_near, axis=1)]])
        start = stop
    return alive


def _nearest(x: np.ndarray, indices: np.ndarray, radius: float) -> np.ndarray:
    """The place in `indices` of the row nearest to each row of `x`, -1 where it is farther than `radius`."""
    nearest = np.full(len(x), -1)
    rows = max(PAIRS_AT_A_TIME // len(indices), 1)
    for start in range(0, len(x), rows):
        distances = scipy.spatial.distance.cdist(x[start : start + rows], x[indices])
        best = np.argmin(distances, axis=1)
        is_near = np.min(distances, axis=1) <= radius
        nearest[start : start + rows] = np.where(is_near, best, -1)
    return nearest
