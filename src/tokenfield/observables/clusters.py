"""Clusters: the one definition of the project.

Clusters are the connected components of "distance <= delta", with angles as distances on the sphere. NumPy and SciPy
on concrete arrays; the work is done by `tokenfield.observables.components`. How clusters join along a run is in
`tokenfield.observables.tree`, the scale delta that belongs to a model in `tokenfield.observables.scales`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.observables import components

SPACE_SCALE = 1e-2  # in R^d, times the largest extent of the cloud
TIE = 1e-12  # distances that exceed delta by less than this, relatively, are ties: they count as near
CELLS_FROM = 2000  # tokens from which sorting into cells beats comparing tiles


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of a measure, heaviest first; made by `clusters`.

    Attributes:
        labels: the cluster of each token, shape (n,), from 0 for the heaviest to count - 1.
        count: the number of clusters.
        sizes: the number of tokens of each cluster, shape (count,).
        masses: the sum of the weights of its tokens, shape (count,); they add up to 1.
        centers: the weighted mean of its tokens, shape (count, d). On the sphere it is the direction of the mean; a
            cluster whose mean is zero has none, and its heaviest token is taken instead.
        delta: the scale that was used: an angle in radians on the sphere, a distance in R^d.

    >>> from tokenfield import Euclidean, Measure
    >>> clusters(Measure([[0.0], [0.1], [5.0]]), Euclidean(1), delta=1.0).labels.tolist()
    [0, 0, 1]
    """

    labels: np.ndarray
    count: int
    sizes: np.ndarray
    masses: np.ndarray
    centers: np.ndarray
    delta: float


def clusters(mu: Measure, geometry: Geometry, *, delta: float | None = None) -> Clusters:
    """The clusters of a measure: the connected components of "distance <= delta", heaviest first.

    Exact, in O(n) memory. Time is O(n log n) for d <= 3. Above, it is O(n^2) at worst: 10^5 uniform
    tokens on S^7 take two seconds.

    Args:
        mu: the tokens.
        geometry: the space that says what the distance is: angles on the sphere, straight lines in R^d.
        delta: the scale, positive. On the sphere it is an angle in radians and must be given, for example as
            `cluster_scale(model)`. In R^d the default is one hundredth of the largest extent of the cloud.

    Returns:
        Labels, counts, masses and centers of the clusters.

    Raises:
        InvalidInput: `delta` is missing on the sphere, or not a positive finite number.

    >>> from tokenfield import Euclidean, Measure
    >>> clusters(Measure([[0.0], [0.1], [5.0]]), Euclidean(1), delta=1.0).sizes.tolist()
    [2, 1]
    """
    x = np.asarray(mu.points, np.float64)
    if mu.d != geometry.d:
        raise InvalidInput(f"the measure is in R^{mu.d}, the geometry is {geometry}: both need one dimension")
    if delta is None:
        if isinstance(geometry, Sphere):
            raise InvalidInput("clusters on the sphere need an angle: give delta, for example cluster_scale(model)")
        delta = SPACE_SCALE * float(np.max(np.ptp(x, axis=0)))
    elif not (np.isfinite(delta) and delta > 0):
        raise InvalidInput(f"clusters need a positive finite delta, got {delta}")
    return _describe(components_of(x, geometry, delta), mu, geometry, float(delta))


def components_of(x: np.ndarray, geometry: Geometry, delta: float) -> np.ndarray:
    """Labels of the components of "distance <= delta", by the cheapest exact route.

    Args:
        x: the tokens, shape (n, d), in float64; on the sphere they are unit vectors.
        geometry: the space that says what the distance is.
        delta: the scale, positive.

    Returns:
        A number for each token, shape (n,), the same for those of a component.

    >>> from tokenfield import Euclidean
    >>> found = components_of(np.array([[0.0], [0.1], [5.0]]), Euclidean(1), 1.0)
    >>> bool(found[0] == found[1] != found[2])
    True
    """
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
    labels = np.argsort(order).astype(np.int32)[labels]
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
