"""The merge tree of a run: which tokens are together for good, from when on, and how the clusters join.

`merge_tree` finds the tree from the clusters at the saved times; its `branches` are the lives of the clusters, as a
dendrogram needs them. NumPy on concrete arrays. Drawing the tree is `tokenfield.plot.merge_tree`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

LEAST_MASS = 0.05  # smaller clusters join too often for each time to be worth a mark
SEVERAL_TOKENS = 2.5  # a large cluster has at least this many times the mass of the heaviest token


@dataclass(frozen=True, eq=False)
class Merge:
    """One event of a merge tree: several groups of tokens become one.

    Attributes:
        t: the time of the merge.
        parts: the groups that join, heaviest first; each is an array of token indices.
        masses: the mass of each part, in the same order.
        mass: the mass of the group that they become, the sum of `masses`.

    >>> import numpy as np
    >>> Merge(1.5, (np.array([0, 1]), np.array([2])), (0.5, 0.25), 0.75).mass
    0.75
    """

    t: float
    parts: tuple[np.ndarray, ...]
    masses: tuple[float, ...]
    mass: float


@dataclass(frozen=True, eq=False)
class MergeTree:
    """Which tokens are together for good, at each saved time of a run; made by `merge_tree`.

    Attributes:
        ts: the saved times, shape (T,).
        labels: the group of each token at each time, shape (T, n). Groups only ever join as time goes on.
        merges: the merges, in order of time.
        weights: the weights of the tokens, shape (n,).

    >>> import numpy as np
    >>> labels = np.array([[0, 1], [0, 0]])
    >>> tree = MergeTree(np.array([0.0, 1.0]), labels, (), np.array([0.5, 0.5]))
    >>> tree.counts.tolist()
    [2, 1]
    """

    ts: np.ndarray
    labels: np.ndarray
    merges: tuple[Merge, ...]
    weights: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """The number of groups at each time, shape (T,). It never increases."""
        return np.max(self.labels, axis=1) + 1

    @property
    def branches(self) -> Branches:
        """The lives of all groups, from the merge that made them to the one that ends them."""
        return Branches.of(self.labels, self.weights)

    def large_merges(self, *, least: float = LEAST_MASS) -> np.ndarray:
        """The indices of the saved times at which two large clusters become one, increasing.

        A cluster is large if its mass is at least `least` and at least 2.5 times that of the heaviest token, so that
        two single tokens which meet do not count.

        Args:
            least: the smallest mass of a large cluster, as a part of the total mass 1; by default 0.05.

        Returns:
            Indices into `ts`, an integer array.

        >>> import numpy as np
        >>> labels = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0]])
        >>> tree = MergeTree(np.array([0.0, 1.0]), labels, (), np.full(6, 1 / 6))
        >>> tree.large_merges().tolist()
        [1]
        """
        return self.branches.large_merges(least=max(least, SEVERAL_TOKENS * float(self.weights.max())))


def merge_tree(run: Trajectory, *, delta: float | None = None) -> MergeTree:
    """The tree of the merging clusters of a run.

    Two tokens are together at ts[k] if they share a cluster at every saved time from ts[k] on. This partition only
    gets coarser with k. So it is a tree even if the initial cloud is one connected blob that first falls apart.

    Args:
        run: a run that saved its tokens.
        delta: the scale of the clusters: an angle in radians on the sphere, a distance in R^d. By default as in
            `Trajectory.clusters`.

    Returns:
        The tree, over all saved times.

    Raises:
        InvalidInput: the run kept no tokens, or `delta` is not positive.

    >>> from tokenfield import Euclidean, Softmax, Transformer, solve
    >>> model = Transformer(Euclidean(1), Softmax(1.0), relative=True)
    >>> run = solve(model, [[-1.0], [1.0], [1.5]], t1=4.0, save=5)
    >>> merge_tree(run, delta=0.2).counts.tolist()
    [3, 3, 2, 2, 1]
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
    return MergeTree(ts, labels, tuple(merges), weights)


def _merges(t: float, before: np.ndarray, after: np.ndarray, weights: np.ndarray) -> list[Merge]:
    """The merges that lead from the partition `before` to the coarser one `after`."""
    _, first = np.unique(before, return_index=True)
    target = after[first]
    if len(first) == np.max(after) + 1:
        return []
    # one sort groups the tokens of every part
    parts = np.split(np.argsort(before, kind="stable"), np.cumsum(np.bincount(before))[:-1])
    masses = np.bincount(before, weights)
    # and another one the parts of every group: a search for each group would take n^2 where many merge at once
    groups = np.split(np.argsort(target, kind="stable"), np.cumsum(np.bincount(target))[:-1])
    merges = []
    for members in (group for group in groups if len(group) > 1):
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


@dataclass(frozen=True, eq=False)
class Branches:
    """The lives of all m groups of a merge tree, in the order in which they begin; made by `MergeTree.branches`.

    Attributes:
        starts: the index of the saved time at which each group begins, shape (m,).
        ends: the index of the saved time at which it joins another, shape (m,); T for those that never do.
        heights: the middle of the group on an axis of mass from 1 down to 0, shape (m,). Tokens are ordered on this
            axis so that every group is one interval, hence no lines of a dendrogram cross.
        parents: the index of the group that it becomes part of, shape (m,); -1 for those that never do.
        masses: the mass of each group, shape (m,).
        tokens: the index of one token of each group, shape (m,).

    >>> import numpy as np
    >>> found = Branches.of(np.array([[0, 1], [0, 0]]), np.array([0.25, 0.75]))
    >>> found.masses.tolist(), found.ends.tolist()
    ([0.25, 0.75, 1.0], [1, 1, 2])
    """

    starts: np.ndarray
    ends: np.ndarray
    heights: np.ndarray
    parents: np.ndarray
    masses: np.ndarray
    tokens: np.ndarray

    @staticmethod
    def of(labels: np.ndarray, weights: np.ndarray) -> Branches:
        """The branches of partitions that get coarser with time, in O(T n + n log n).

        Args:
            labels: the group of each token at each time, shape (T, n).
            weights: the weights of the tokens, shape (n,), of sum 1.

        Returns:
            One branch for each group that ever exists.

        >>> import numpy as np
        >>> found = Branches.of(np.array([[0, 1, 1]]), np.array([0.2, 0.4, 0.4]))
        >>> found.masses.round(12).tolist()
        [0.2, 0.8]
        """
        count, n = labels.shape
        order = np.lexsort(labels)  # the last partition sorts first, so that every group is an interval of tokens
        ordered = labels[:, order]
        is_border = ordered[:, 1:] != ordered[:, :-1]
        mass = np.concatenate([[0.0], np.cumsum(weights[order])])
        starts: list[int] = []
        ends: list[int] = []
        heights: list[float] = []
        parents: list[int] = []
        masses: list[float] = []
        tokens: list[int] = []
        living = np.empty(0, int)  # the first token of each group that lives, increasing
        branch_of: dict[int, int] = {}  # first token of a living group -> its branch
        for k in range(count):
            if k > 0 and np.array_equal(is_border[k], is_border[k - 1]):
                continue
            firsts = np.concatenate([[0], np.flatnonzero(is_border[k]) + 1])
            lasts = np.append(firsts[1:], n)
            # one search for all groups: most have one child, themselves, and need no step of Python
            low, high = np.searchsorted(living, [firsts, lasts])
            for i in np.flatnonzero(high - low != 1).tolist():
                branch, first, last = len(starts), int(firsts[i]), int(lasts[i])
                for child in living[low[i] : high[i]].tolist():
                    ended = branch_of.pop(child)
                    ends[ended], parents[ended] = k, branch
                branch_of[first] = branch
                starts.append(k)
                ends.append(count)
                parents.append(-1)
                heights.append(1 - (mass[first] + mass[last]) / 2)
                masses.append(mass[last] - mass[first])
                tokens.append(order[first])
            living = firsts
        columns = (starts, ends, heights, parents, masses, tokens)
        return Branches(*(np.asarray(column) for column in columns))

    def large_merges(self, *, least: float) -> np.ndarray:
        """The indices of the saved times at which two groups of mass `least` or more become one, increasing.

        Args:
            least: the smallest mass that counts, as a part of the total mass 1.

        Returns:
            Indices of saved times, an integer array.

        >>> import numpy as np
        >>> found = Branches.of(np.array([[0, 1], [0, 0]]), np.array([0.25, 0.75]))
        >>> found.large_merges(least=0.2).tolist()
        [1]
        """
        is_large = (self.masses >= least) & (self.parents >= 0)
        parents, counts = np.unique(self.parents[is_large], return_counts=True)
        return np.unique(self.starts[parents[counts >= 2]])
