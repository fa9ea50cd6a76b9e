"""Renyi centers: the tokens of a sequence that no earlier token (or no earlier center) is close to.

Under causal attention they hardly move for a long time and capture the tokens around them, so that they foretell the
metastable clusters (arXiv 2411.04990). NumPy and SciPy on concrete arrays, in O(n) memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jax import Array
from scipy.spatial.distance import cdist

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.observables.clusters import TIE

SCALE = 4.0  # times beta^{-1/2}: the published experiment of arXiv 2411.04990 (0.5 rad at beta = 64)
PAIRS_AT_A_TIME = 2**17  # few at first: the earliest tokens rule out most of the later ones, which are then skipped


@dataclass(frozen=True, eq=False)
class RenyiCenters:
    """The centers of a sequence: token numbers `indices` (count,) in order of position, and the `labels` (n,).

    labels[i] is the place in `indices` of the nearest center within `delta` of token i; -1 if there is none, which
    only happens for `strong` centers.
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

    def captured(self, mu: Measure) -> np.ndarray:
        """For each token of `mu`, the same tokens at another time, the place of its center as in `labels`, or -1.

        A token is captured if it is within `delta` of where a center now is.
        """
        if mu.n != len(self.labels):
            raise InvalidInput(f"the centers are those of {len(self.labels)} tokens, the measure has {mu.n}")
        return _nearest(_points(mu), self.indices, _radius(self.geometry, self.delta))


def renyi_scale(model: Transformer, t: Array | float = 0.0) -> float:
    """The distance 4 beta^{-1/2} from which tokens on the sphere ignore each other for long (arXiv 2411.04990).

    beta is the largest `sharpness` of the heads at time `t`. Raises `Unsupported` in R^d and for attention without a
    positive beta, where the model has no such scale.
    """
    if not isinstance(model.geometry, Sphere):
        raise Unsupported("in R^d the model has no scale of its own: give delta")
    sharp = [float(beta) for head in model.heads(t) if (beta := head.attention.sharpness) is not None]
    if not sharp or max(sharp) <= 0:
        raise Unsupported("this model has no attention of positive beta to take a scale from: give delta")
    return SCALE / float(np.sqrt(max(sharp)))


def renyi_centers(mu: Measure, geometry: Geometry, *, delta: float, strong: bool = False) -> RenyiCenters:
    """The Renyi centers of `mu`: in order of position, each token that is more than `delta` from all earlier centers.

    `strong` centers are more than `delta` from all earlier tokens. `delta` is an angle on the sphere, for example
    `renyi_scale(model)`; tokens of equal position are taken in the order of the measure, weights do not matter. For
    independent uniform tokens on the sphere the mean number of strong centers of an endless sequence is 1/(the
    share of the sphere in a ball of radius delta): pi/delta for d = 2, 1/sin^2(delta/2) for d = 3 (arXiv 2411.04990,
    Lemma C.1). Exact; O(n count) time for ordinary centers, at most O(n^2) for strong ones. Raises `InvalidInput` if
    `delta` is not positive or `mu` does not fit the geometry.

    >>> from tokenfield import Euclidean
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
        rest = rest[cdist(x[rest], x[rest[:1]])[:, 0] > radius]
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
        is_near = (cdist(x[candidates], x[before]) <= radius) & (before < candidates[:, None])
        alive = np.concatenate([alive[~later], candidates[~np.any(is_near, axis=1)]])
        start = stop
    return alive


def _nearest(x: np.ndarray, indices: np.ndarray, radius: float) -> np.ndarray:
    """The place in `indices` of the row nearest to each row of `x`, -1 where it is farther than `radius`."""
    nearest = np.full(len(x), -1)
    rows = max(PAIRS_AT_A_TIME // len(indices), 1)
    for start in range(0, len(x), rows):
        distances = cdist(x[start : start + rows], x[indices])
        best = np.argmin(distances, axis=1)
        is_near = np.min(distances, axis=1) <= radius
        nearest[start : start + rows] = np.where(is_near, best, -1)
    return nearest
