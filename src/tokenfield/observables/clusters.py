"""Clusters: the one definition of the project, and the tree of their merging along a run.

Clusters are the connected components of "distance <= delta", with angles on the sphere. NumPy and SciPy on concrete
arrays; the work is done by `tokenfield.observables.components`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.observables import components

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

SPHERE_SCALE = 0.3  # times beta^{-1/2}: the published counts of arXiv 2312.10794 use 0.1 rad at beta = 9
SPACE_SCALE = 1e-2  # in R^d, times the largest extent of the cloud
TIE = 1e-12  # distances that exceed delta by less than this, relatively, are ties: they count as near
CELLS_FROM = 2000  # tokens from which sorting into cells beats comparing tiles


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters by decreasing mass: `labels` (n,), `count`, `sizes` (count,), `masses` (count,), `centers` (count, d).

    `sizes` count tokens, `masses` add their weights. Centers are weighted means, on the sphere their directions; a
    cluster that surrounds the origin has no mean direction and gets its heaviest token as center.
    """

    labels: np.ndarray
    count: int
    sizes: np.ndarray
    masses: np.ndarray
    centers: np.ndarray
    delta: float


def cluster_scale(model: Transformer, t: Array | float = 0.0) -> float | None:
    """The scale delta of the project's clusters: 0.3 max(beta, 1)^{-1/2} on the sphere, `None` in R^d.

    beta is the largest `sharpness` of the heads at time `t`: tokens closer than beta^{-1/2} merge in times of order
    one. In R^d no scale is built into the model, and `clusters` uses one hundredth of the cloud's largest extent.
    """
    if not isinstance(model.geometry, Sphere):
        return None
    sharp = [head.attention.sharpness for head in model.heads(t)]
    beta = max((float(beta) for beta in sharp if beta is not None), default=1.0)
    return SPHERE_SCALE / float(np.sqrt(max(beta, 1.0)))


def clusters(mu: Measure, geometry: Geometry, *, delta: float | None = None) -> Clusters:
    """The clusters of `mu`: connected components of "distance <= delta", largest mass first.

    On the sphere `delta` is an angle and must be given, for example `cluster_scale(model)`; in R^d the default is one
    hundredth of the cloud's largest extent. Exact, in O(n) memory; O(n log n) time for d <= 3, O(n^2) above.

    >>> from tokenfield import Euclidean
    >>> clusters(Measure([[0.0], [0.1], [5.0]]), Euclidean(1), delta=1.0).sizes.tolist()
    [2, 1]
    """
    x = np.asarray(mu.points, np.float64)
    if delta is None:
        if isinstance(geometry, Sphere):
            raise InvalidInput("clusters on the sphere need an angle: give delta, for example cluster_scale(model)")
        delta = SPACE_SCALE * float(np.max(np.ptp(x, axis=0)))
    elif not (np.isfinite(delta) and delta > 0):
        raise InvalidInput(f"clusters need a positive finite delta, got {delta}")
    return _describe(_components(x, geometry, delta), mu, geometry, float(delta))


def _components(x: np.ndarray, geometry: Geometry, delta: float) -> np.ndarray:
    """Arbitrary labels of the components, by the cheapest exact route."""
    delta = delta * (1 + TIE)
    is_sphere = isinstance(geometry, Sphere)
    if len(x) == 1 or (is_sphere and delta >= np.pi):
        return np.zeros(len(x), np.int64)
    if x.shape[1] == 1:
        return components.on_line(x[:, 0], delta)
    if is_sphere and x.shape[1] == 2:
        return components.on_circle(np.arctan2(x[:, 1], x[:, 0]), delta)
    radius = 2 * np.sin(delta / 2) if is_sphere else delta
    if x.shape[1] <= 3 and len(x) >= CELLS_FROM and not components.is_too_fine(x, radius):
        return components.in_cells(x, radius)
    return components.in_tiles(x, radius)


def _describe(labels: np.ndarray, mu: Measure, geometry: Geometry, delta: float) -> Clusters:
    x, w = np.asarray(mu.points, np.float64), np.asarray(mu.weights, np.float64)
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    masses = np.bincount(labels, w)
    # masses equal up to rounding are a tie, decided by the first token, so that the order does not depend on rounding
    order = np.lexsort((first, -np.round(masses, 12)))
    labels = np.argsort(order)[labels]
    masses = masses[order]
    sums = np.stack([np.bincount(labels, w * x[:, axis]) for axis in range(x.shape[1])], axis=1)
    centers = sums / masses[:, None]
    if isinstance(geometry, Sphere):
        centers = _directions(centers, labels, x, w)
    return Clusters(labels, len(masses), np.bincount(labels), masses, centers, delta)


def _directions(means: np.ndarray, labels: np.ndarray, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    means = means.copy()
    for cluster in np.flatnonzero(norms[:, 0] < 1e-12):
        members = np.flatnonzero(labels == cluster)
        means[cluster] = x[members[np.argmax(w[members])]]
        norms[cluster] = np.linalg.norm(means[cluster])
    return means / norms


# --- the merge tree ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Merge:
    """At time `t` the `parts` (arrays of token indices, heaviest first) of `masses` become one group of mass `mass`."""

    t: float
    parts: tuple[np.ndarray, ...]
    masses: tuple[float, ...]
    mass: float


@dataclass(frozen=True, eq=False)
class MergeTree:
    """Which tokens are together for good: `labels` (T, n) at the times `ts` (T,), and the `merges` in order of time."""

    ts: np.ndarray
    labels: np.ndarray
    merges: tuple[Merge, ...]

    @property
    def counts(self) -> np.ndarray:
        """The number of groups at each time, shape (T,): it never increases."""
        return np.max(self.labels, axis=1) + 1


def merge_tree(run: Trajectory, *, delta: float | None = None) -> MergeTree:
    """The tree of merging clusters of `run`.

    Two tokens are together at ts[k] if and only if they share a cluster at every saved time >= ts[k]. This partition
    only gets coarser with k, so it is a tree even if the initial cloud is one connected blob that first falls apart.
    `delta` as in `Trajectory.clusters`.
    """
    ts, weights = np.asarray(run.ts, np.float64), np.asarray(run.weights, np.float64)
    times, n = len(ts), len(weights)
    labels = np.empty((times, n), np.int32)
    together = np.zeros(n, np.int64)
    for k in reversed(range(times)):
        # the common refinement of what holds later and of the clusters at this time
        pair = together * n + run.clusters(k, delta=delta).labels
        _, first, together = np.unique(pair, return_index=True, return_inverse=True)
        together = np.argsort(np.argsort(first))[together]
        labels[k] = together
    merges = [merge for k in range(1, times) for merge in _merges(ts[k], labels[k - 1], labels[k], weights)]
    return MergeTree(ts, labels, tuple(merges))


def _merges(t: float, before: np.ndarray, after: np.ndarray, weights: np.ndarray) -> list[Merge]:
    """The merges that lead from the partition `before` to the coarser one `after`."""
    _, first = np.unique(before, return_index=True)
    target = after[first]
    if len(first) == np.max(after) + 1:
        return []
    # one sort groups the tokens of every part
    parts = np.split(np.argsort(before, kind="stable"), np.cumsum(np.bincount(before))[:-1])
    masses = np.bincount(before, weights)
    merges = []
    for group in np.flatnonzero(np.bincount(target) > 1):
        members = np.flatnonzero(target == group)
        members = members[np.argsort(-np.round(masses[members], 12), kind="stable")]
        merges.append(
            Merge(
                float(t),
                tuple(parts[p] for p in members),
                tuple(float(masses[p]) for p in members),
                float(np.sum(masses[members])),
            )
        )
    return merges
