"""Connected components of the graph "distance <= radius" on points of R^d, exactly and without an n x n array.

Three routes give the same partition: `on_line` and `on_circle` sort, `in_cells` contracts cells of a grid (d <= 3),
`in_tiles` compares tiles of near points with what they can reach (any d). All take concrete NumPy arrays and return one
whole number for each point; equal numbers mean the same component, and nothing else. No geometry here: on the sphere
the caller passes chords.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import scipy

TILE = 256
COLUMNS = 4096  # points that a tile is compared with at a time: their products stay in cache
PAIRS_AT_A_TIME = 2**21  # pairs of points held at once
NARROW = 2**18  # multiplications in a matrix product up to which OpenBLAS stays on one core
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
        New labels, shape (n,): the smallest of the classes that were joined.

    >>> import numpy as np
    >>> join(np.arange(4), np.array([0, 2]), np.array([2, 3])).tolist()
    [0, 1, 0, 0]
    """
    # Each round hangs every class that has a smaller neighbor under the smallest of them. A few rounds do; five times
    # faster than SciPy's graphs, which also take a quarter of a second to import.
    smallest = np.arange(len(labels))
    while True:
        i, j = smallest[i], smallest[j]
        is_open = i != j
        if not np.any(is_open):
            return smallest[labels]
        i, j = i[is_open], j[is_open]
        np.minimum.at(smallest, np.maximum(i, j), np.minimum(i, j))
        while not np.array_equal(above := smallest[smallest], smallest):
            smallest = above


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


# --- any dimension: tiles of near points ---------------------------------------------------------------------------


def in_tiles(x: np.ndarray, radius: float) -> np.ndarray:
    """The components of points in any dimension: tiles of near points, each compared with what its box can reach.

    Boxes leave a tenth of all pairs of 10^5 uniform points on S^7 at a radius of 1/3, and about all of them from d = 20
    on. Those go through matrix products in float32; pairs that these cannot decide are decided by differences in
    float64. A tile that lies in one component is compared with other components only, so collapsed tokens cost O(n)
    for each cluster. A point that is not finite is alone.

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
    n = len(x)
    is_finite = np.all(np.isfinite(x), axis=1)
    if not np.all(is_finite):
        labels, finite = np.arange(n), np.flatnonzero(is_finite)
        if len(finite):
            labels[finite] = finite[in_tiles(x[finite], radius)]
        return labels
    scale = 2.0 ** np.ceil(np.log2(max(float(np.max(np.abs(x))), radius)))  # a power of two changes no digit
    groups = _tiles(x)
    order = np.concatenate(groups)
    x, radius = x[order] / scale, radius / scale
    ends = np.cumsum([len(group) for group in groups])
    starts = np.concatenate([[0], ends[:-1]])
    boxes = _Boxes(x, starts, radius)
    labels = np.arange(n)
    found: list[np.ndarray] = []  # pairs of labels that are still to be joined
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        tile = x[start:end]
        others = boxes.tiles_after(k)
        if np.all(labels[start:end] == labels[start]):
            one = np.zeros(end - start, int)
            others = others[labels[others] != labels[start]]
        else:
            one = _one_for_each(tile, radius)
            found.append(np.stack([labels[start:end], labels[start + one]]))
        others = boxes.points(k, others)
        for first in range(0, len(others), COLUMNS):
            columns = others[first : first + COLUMNS]
            i, j = _near_pairs(tile, x[columns], radius)
            is_near = np.zeros((end - start, len(columns)), bool)
            is_near[one[i], j] = True  # with collapsed tokens all pairs would be too many
            i, j = np.nonzero(is_near)
            found.append(np.stack([labels[start + i], labels[columns[j]]]))
        if sum(pairs.shape[1] for pairs in found) > n // 16 or end == n:  # joining takes O(n): not after each tile
            labels, found = join(labels, *np.concatenate([np.empty((2, 0), int), *found], axis=1)), []
    return order[labels][np.argsort(order)]


def _tiles(x: np.ndarray) -> list[np.ndarray]:
    """The points in groups of at most `TILE` indices: the cloud is halved along its longest side again and again."""
    found, waiting = [], [np.arange(len(x))]
    while waiting:
        group = waiting.pop()
        if len(group) <= TILE:
            found.append(group)
            continue
        axis = int(np.argmax(np.ptp(x[group], axis=0)))
        half = len(group) // 2
        group = group[np.argpartition(x[group, axis], half)]
        waiting += [group[half:], group[:half]]
    return found


def _one_for_each(tile: np.ndarray, radius: float) -> np.ndarray:
    """The index of one point for each point of `tile`, the same for all that near pairs of the tile connect."""
    return join(np.arange(len(tile)), *_near_pairs(tile, tile, radius))


class _Boxes:
    """The boxes around consecutive tiles of points of [-1, 1]^d, in float32 and with a margin for its rounding."""

    def __init__(self, x: np.ndarray, starts: np.ndarray, radius: float):
        self._x = x.astype(np.float32)
        self._low, self._high = np.minimum.reduceat(self._x, starts), np.maximum.reduceat(self._x, starts)
        self._reach = radius * (1 + 1e-6) + 1e-6  # coordinates are at most 1
        self._sizes = np.diff(np.append(starts, len(x)))

    def tiles_after(self, tile: int) -> np.ndarray:
        """Which points (n,) belong to a later tile whose box is within the radius of that of `tile`."""
        is_near = self._is_near(np.maximum(self._low[tile] - self._high, self._low - self._high[tile]))
        return np.flatnonzero(np.repeat(is_near & (np.arange(len(is_near)) > tile), self._sizes))

    def points(self, tile: int, points: np.ndarray) -> np.ndarray:
        """Those of the `points` that are within the radius of the box of `tile`."""
        x = self._x[points]
        return points[self._is_near(np.maximum(self._low[tile] - x, x - self._high[tile]))]

    def _is_near(self, gap: np.ndarray) -> np.ndarray:
        np.maximum(gap, 0, out=gap)
        return np.einsum("ij,ij->i", gap, gap) <= self._reach**2


def _near_pairs(x: np.ndarray, y: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """All (i, j) with |x_i - y_j| <= radius, decided from differences of coordinates wherever rounding matters."""
    center = np.mean(x, axis=0)  # products of short vectors lose fewer digits
    u, v = x - center, y - center
    u2, v2 = (np.einsum("ij,ij->i", z, z)[:, None] for z in (u, v))
    largest, half = np.max(u2) + np.max(v2), radius**2 / 2
    slack = 8 * (x.shape[1] + 4) * float(np.finfo(np.float32).eps) * largest
    is_coarse_enough = slack < half / 50  # else too many pairs would be doubtful
    dtype: type = np.float32 if is_coarse_enough else np.float64
    slack = slack if is_coarse_enough else slack * float(np.finfo(float).eps / np.finfo(np.float32).eps)
    # two more columns make the product -|x_i - y_j|^2 / 2, with no further pass over the matrix
    left: np.ndarray = np.hstack([u, -u2 / 2, np.ones_like(u2)]).astype(dtype)
    right: np.ndarray = np.hstack([v, np.ones_like(v2), -v2 / 2]).astype(dtype)
    # a stack of narrow products: each is too small for BLAS to wake its threads, which cost more than they bring
    width = max(NARROW // len(left) // left.shape[1], 1)
    missing = -len(right) % width
    right = np.concatenate([right, np.repeat(right[:1], missing, axis=0)]).reshape(-1, width, right.shape[1])
    product = left @ right.transpose(0, 2, 1)
    block, rows, columns = np.nonzero(product >= -half - slack)
    values, columns = product[block, rows, columns], block * width + columns
    is_real = columns < len(y)
    values, rows, columns = values[is_real], rows[is_real], columns[is_real]
    is_near = np.ones(len(rows), bool)
    doubtful = np.flatnonzero(values <= -half + slack)
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
