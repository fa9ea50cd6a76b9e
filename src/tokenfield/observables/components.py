"""Connected components of the graph "distance <= radius" on points of R^d, exactly and without an n x n array.

Three routes give the same partition: `on_line` and `on_circle` sort, `in_cells` contracts cells of a grid (d <= 3),
`in_tiles` compares tiles of rows with the points that remain (any d). All take concrete NumPy arrays and return one
whole number for each point; equal numbers mean the same component, and nothing else. No geometry here: on the sphere
the caller passes chords.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import scipy

TILE = 256
CDIST_DIMENSION = 8  # up to here differences of coordinates are as fast as the matrix product
PAIRS_AT_A_TIME = 2**21  # pairs of points held at once
FEW_PAIRS = 4096  # two cells with at most this many pairs of points are compared directly, others by a tree
SHRINK = 0.999  # cells are this much smaller than allowed, so that rounding of coordinates cannot spoil them
FINEST = 1e-11  # cells finer than this times the cloud's extent are lost in rounding


def join(labels: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """The labels after joining the class i[k] with the class j[k] for all k.

    Args:
        labels: the class of each of n points, shape (n,), as numbers below n.
        i: classes, shape (p,).
        j: the classes that they are joined with, shape (p,).

    Returns:
        New labels, shape (n,).

    >>> import numpy as np
    >>> found = join(np.arange(4), np.array([0, 2]), np.array([2, 3]))
    >>> bool(found[0] == found[2] == found[3] != found[1])
    True
    """
    n = len(labels)
    i, j = np.divmod(np.unique(i.astype(np.int64) * n + j), n)
    graph = scipy.sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    return scipy.sparse.csgraph.connected_components(graph, directed=False)[1][labels]


def on_line(values: np.ndarray, radius: float) -> np.ndarray:
    """The components of points of the real line, from the gaps between sorted neighbors.

    Args:
        values: the points, shape (n,).
        radius: the largest distance of neighbors.

    Returns:
        Labels, shape (n,).

    >>> import numpy as np
    >>> on_line(np.array([5.0, 0.0, 0.5]), 1.0).tolist()
    [1, 0, 0]
    """
    order = np.argsort(values, kind="stable")
    labels = np.empty(len(values), np.int64)
    labels[order] = np.concatenate([[0], np.cumsum(np.diff(values[order]) > radius)])
    return labels


def on_circle(angles: np.ndarray, radius: float) -> np.ndarray:
    """The components of angles modulo 2 pi: as on the line, and the last joins the first if the circle closes.

    Args:
        angles: in radians, shape (n,), within one interval of length 2 pi.
        radius: the largest angle between neighbors, in radians.

    Returns:
        Labels, shape (n,).

    >>> import numpy as np
    >>> on_circle(np.array([0.1, 3.0, 6.2]), 0.5).tolist()
    [0, 1, 0]
    """
    labels = on_line(angles, radius)
    if 2 * np.pi - np.ptp(angles) <= radius:
        labels[labels == np.max(labels)] = 0
    return labels


# --- any dimension: row tiles --------------------------------------------------------------------------------------


def in_tiles(x: np.ndarray, radius: float) -> np.ndarray:
    """The components of points in any dimension: each pair is looked at no more than once, tile by tile.

    A tile that lies in one component is compared only with points of other components that its bounding ball can
    reach. So collapsed tokens cost O(n) for each cluster.

    Args:
        x: the points, shape (n, d).
        radius: the largest distance of neighbors.

    Returns:
        Labels, shape (n,).

    >>> import numpy as np
    >>> found = in_tiles(np.array([[0.0, 0.0], [9.0, 9.0], [0.5, 0.0]]), 1.0)
    >>> bool(found[0] == found[2] != found[1])
    True
    """
    x = x - np.mean(x, axis=0)
    labels = np.arange(len(x))
    rest = np.arange(len(x))
    while len(rest):
        is_same = labels[rest] == labels[rest[0]]
        if np.count_nonzero(is_same) >= TILE // 4:
            tile = rest[is_same][:TILE]
            others = rest[~is_same]
            rest = np.concatenate([rest[is_same][TILE:], others])
        else:
            # small components share a tile: one row at a time would waste the matrix product
            tile, others = rest[:TILE], rest
            rest = rest[TILE:]
        others = _within_reach(x, tile, others, radius)
        rows, columns = _near_pairs(x[tile], x[others], radius)
        i, j = labels[tile[rows]], labels[others[columns]]
        if np.any(i != j):
            labels = join(labels, i, j)
    return labels


def _within_reach(x: np.ndarray, tile: np.ndarray, others: np.ndarray, radius: float) -> np.ndarray:
    """Those of `others` that the triangle inequality does not exclude from being near a point of `tile`."""
    center = np.mean(x[tile], axis=0)
    reach = np.max(np.linalg.norm(x[tile] - center, axis=1)) + radius
    return others[np.linalg.norm(x[others] - center, axis=1) <= reach * (1 + 1e-9)]


def _near_pairs(x: np.ndarray, y: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """All (i, j) with |x_i - y_j| <= radius, decided from differences of coordinates wherever rounding matters."""
    if x.shape[1] <= CDIST_DIMENSION or not len(y):
        rows, columns = np.nonzero(scipy.spatial.distance.cdist(x, y) <= radius)
        return rows, columns
    x2, y2 = np.sum(x * x, axis=1, keepdims=True), np.sum(y * y, axis=1, keepdims=True)
    # two more columns make the product -|x_i - y_j|^2 / 2, with no further pass over the matrix
    product = np.hstack([x, -x2 / 2, np.ones_like(x2)]) @ np.hstack([y, np.ones_like(y2), -y2 / 2]).T
    slack = 8 * (x.shape[1] + 4) * np.finfo(float).eps * (np.max(x2) + np.max(y2))
    rows, columns = np.nonzero(product >= -(radius**2) / 2 - slack)
    is_near = np.ones(len(rows), bool)
    doubtful = np.flatnonzero(product[rows, columns] <= -(radius**2) / 2 + slack)
    step = max(PAIRS_AT_A_TIME // x.shape[1], 1)
    for start in range(0, len(doubtful), step):
        k = doubtful[start : start + step]
        is_near[k] = np.linalg.norm(x[rows[k]] - y[columns[k]], axis=1) <= radius
    return rows[is_near], columns[is_near]


# --- low dimension: grid cells -------------------------------------------------------------------------------------


class _Cells:
    """The occupied cells of a grid and their points; two points of one cell are within the radius of each other.

    `coordinates` (m, d) of the cells, `order` the points sorted by cell, `starts` and `sizes` of each cell in it.
    """

    def __init__(self, x: np.ndarray, radius: float):
        d = x.shape[1]
        side = SHRINK * radius / np.sqrt(d)
        grid = np.floor((x - np.min(x, axis=0)) / side).astype(np.int64)
        # ranks instead of raw coordinates: products of ranks fit in 64 bits for any radius
        self._axes = [np.unique(grid[:, axis]) for axis in range(d)]
        self._keys: list[np.ndarray] = []
        key = np.zeros(len(x), np.int64)
        for axis, values in enumerate(self._axes):
            raw = key * len(values) + np.searchsorted(values, grid[:, axis])
            keys, key = np.unique(raw, return_inverse=True)
            self._keys.append(keys)
        self.owner = key
        self.order = np.argsort(key, kind="stable")
        self.sizes = np.bincount(key)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.coordinates = grid[self.order[self.starts]]

    def find(self, coordinates: np.ndarray) -> np.ndarray:
        """The index of the cell at each row of `coordinates`, or -1 where it is empty."""
        key = np.zeros(len(coordinates), np.int64)
        is_there = np.ones(len(coordinates), bool)
        for axis, (values, keys) in enumerate(zip(self._axes, self._keys, strict=True)):
            rank, is_known = _position(values, coordinates[:, axis])
            key, is_occupied = _position(keys, key * len(values) + rank)
            is_there &= is_known & is_occupied
        return np.where(is_there, key, -1)

    def members(self, cell: int) -> np.ndarray:
        """The indices of the points of a cell."""
        return self.order[self.starts[cell] : self.starts[cell] + self.sizes[cell]]


def _position(table: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each wanted value stands in the sorted `table`, and whether it is there at all."""
    position = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    return position, table[position] == wanted


def is_too_fine(x: np.ndarray, radius: float) -> bool:
    """Whether cells for this radius would be lost in the rounding of the coordinates.

    Args:
        x: the points, shape (n, d).
        radius: the largest distance of neighbors.

    Returns:
        `True` if `in_cells` cannot be used.

    >>> import numpy as np
    >>> is_too_fine(np.array([[0.0], [1.0]]), 1e-12)
    True
    """
    return radius <= FINEST * float(np.max(np.ptp(x, axis=0)))


def in_cells(x: np.ndarray, radius: float) -> np.ndarray:
    """The components of points for d <= 3, in O(n) memory also when all tokens have collapsed.

    Points of one cell of side radius/sqrt(d) belong together. So only pairs of neighboring cells have to be decided:
    by one point of each, then by all their points, and large ones by queries for nearest neighbors.

    Args:
        x: the points, shape (n, d).
        radius: the largest distance of neighbors.

    Returns:
        Labels, shape (n,).

    >>> import numpy as np
    >>> found = in_cells(np.array([[0.0, 0.0], [9.0, 9.0], [0.5, 0.0]]), 1.0)
    >>> bool(found[0] == found[2] != found[1])
    True
    """
    cells = _Cells(x, radius)
    labels = np.arange(len(cells.sizes))
    first = cells.order[cells.starts]
    undecided = [np.empty((0, 2), np.int64)]
    for offset in _offsets(x.shape[1]):
        j = cells.find(cells.coordinates + offset)
        i = np.flatnonzero((j >= 0) & (labels != labels[j]))
        j = j[i]
        is_near = np.linalg.norm(x[first[i]] - x[first[j]], axis=1) <= radius
        if np.any(is_near):
            labels = join(labels, labels[i[is_near]], labels[j[is_near]])
        is_open = ~is_near & (cells.sizes[i] * cells.sizes[j] > 1)
        undecided.append(np.stack([i[is_open], j[is_open]], axis=1))
    labels = _decide(x, radius, cells, labels, np.concatenate(undecided))
    return labels[cells.owner]


def _offsets(d: int) -> np.ndarray:
    """Half of the offsets to cells that may hold a point within the radius, nearest first."""
    reach = int(1 + np.sqrt(d) / SHRINK)
    half = [o for o in itertools.product(range(-reach, reach + 1), repeat=d) if o > (0,) * d]
    return np.array(sorted(half, key=lambda o: sum(c * c for c in o)))


def _decide(x: np.ndarray, radius: float, cells: _Cells, labels: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """`labels` after joining all `pairs` (p, 2) of cells that hold two points within the radius."""
    pairs = pairs[labels[pairs[:, 0]] != labels[pairs[:, 1]]]
    counts = cells.sizes[pairs[:, 0]] * cells.sizes[pairs[:, 1]]
    for i, j in _in_chunks(pairs[counts <= FEW_PAIRS], cells):
        is_open = labels[i] != labels[j]
        i, j = i[is_open], j[is_open]
        which, a, b = _all_pairs(cells, i, j)
        near = np.unique(which[np.linalg.norm(x[a] - x[b], axis=1) <= radius])
        if len(near):
            labels = join(labels, labels[i[near]], labels[j[near]])
    trees: dict[int, scipy.spatial.cKDTree] = {}
    for i, j in pairs[counts > FEW_PAIRS]:
        if labels[i] == labels[j]:
            continue
        small, large = sorted((i, j), key=lambda cell: cells.sizes[cell])
        if large not in trees:
            trees[large] = scipy.spatial.cKDTree(x[cells.members(large)])
        # the tree's bound is strict
        distances, _ = trees[large].query(x[cells.members(small)], distance_upper_bound=np.nextafter(radius, np.inf))
        if np.min(distances) <= radius:
            labels = np.where(labels == labels[j], labels[i], labels)
    return labels


def _in_chunks(pairs: np.ndarray, cells: _Cells) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """`pairs` of cells in groups with about `PAIRS_AT_A_TIME` pairs of points."""
    counts = cells.sizes[pairs[:, 0]] * cells.sizes[pairs[:, 1]]
    group = np.cumsum(counts) // PAIRS_AT_A_TIME
    for chunk in np.split(pairs, np.flatnonzero(np.diff(group)) + 1):
        yield chunk[:, 0], chunk[:, 1]


def _all_pairs(cells: _Cells, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(which, a, b): every pair of points a in cell i[which] and b in cell j[which]."""
    counts = cells.sizes[i] * cells.sizes[j]
    which = np.repeat(np.arange(len(i)), counts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    row, column = np.divmod(within, cells.sizes[j][which])
    return which, cells.order[cells.starts[i][which] + row], cells.order[cells.starts[j][which] + column]
