"""The merge tree: which clusters join when, for good, as a dendrogram over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from tokenfield.plot import style, title
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import Groups, TimeAxis, styled
from tokenfield.solver.trajectory import Trajectory


def merge_tree(run: Trajectory, *, delta: float | None = None) -> Picture:
    """The picture of the run's merge tree: clusters as horizontal lines, as wide as their mass, that join in time.

    The vertical axis is the mass, with the tokens ordered so that no lines cross. The time axis is logarithmic where
    the saved times are, or where most merges would crowd at the start of a linear one. `delta` is the clusters'
    scale; see `tokenfield.observables.merge_tree`. Raises `InvalidInput` if the run kept no tokens.
    """
    style.tokens_along(run)
    labels = np.asarray(run.merge_tree(delta=delta).labels)
    weights = np.asarray(run.weights, dtype=float)
    branches = Branches.of(labels, weights)
    ts = np.asarray(run.ts, dtype=float)
    joined = ts[branches.ends[branches.ends < len(ts)]]
    is_early = len(joined) > 0 and np.median(joined) - ts[0] < 0.12 * (ts[-1] - ts[0])
    time = TimeAxis.of(run, is_log=style.is_log_spaced(ts) or bool(is_early))
    with styled():
        figure = style.new_figure(5.6, 3.8)
        axes = figure.subplots()
        _draw(axes, branches, time, len(ts), Groups.of(run).colors)
        time.apply(axes)
        if time.is_log and len(joined) > 0:
            axes.set_xlim(left=max(time.values[0], joined.min() / 3))
        axes.set_ylim(0, 1)
        axes.set_ylabel("mass, tokens ordered by cluster")
        axes.set_title(title.facts(run))
    return Picture(figure, None, "merge tree")


@dataclass(frozen=True)
class Branches:
    """The lives of all clusters of a tree: m branches in the order of their starts.

    `starts`, `ends`: indices of saved times, an end of T meaning never; `heights`: the middle of the cluster on the
    mass axis; `parents`: the branch that it joins, or -1; `masses`; `tokens`: one member each.
    """

    starts: np.ndarray
    ends: np.ndarray
    heights: np.ndarray
    parents: np.ndarray
    masses: np.ndarray
    tokens: np.ndarray

    @staticmethod
    def of(labels: np.ndarray, weights: np.ndarray) -> Branches:
        """The branches of nested partitions `labels` (T, n) that get coarser with time."""
        count, n = labels.shape
        order = np.lexsort(labels)  # the last partition sorts first, so that every cluster is a run of tokens
        ordered = labels[:, order]
        is_border = ordered[:, 1:] != ordered[:, :-1]
        mass = np.concatenate([[0.0], np.cumsum(weights[order])])
        starts: list[int] = []
        ends: list[int] = []
        heights: list[float] = []
        parents: list[int] = []
        masses: list[float] = []
        tokens: list[int] = []
        alive: dict[int, int] = {}  # first token of a living cluster -> its branch
        for k in range(count):
            if k > 0 and np.array_equal(is_border[k], is_border[k - 1]):
                continue
            firsts = np.concatenate([[0], np.flatnonzero(is_border[k]) + 1])
            lasts = np.append(firsts[1:], n)
            living = sorted(alive)
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
                lo, hi = np.searchsorted(living, [first, last])
                children = living[lo:hi]
                if len(children) == 1:
                    continue
                branch = len(starts)
                for child in children:
                    ends[alive[child]], parents[alive[child]] = k, branch
                    del alive[child]
                alive[first] = branch
                starts.append(k)
                ends.append(count)
                parents.append(-1)
                heights.append(1 - (mass[first] + mass[last]) / 2)
                masses.append(mass[last] - mass[first])
                tokens.append(order[first])
        columns = (starts, ends, heights, parents, masses, tokens)
        return Branches(*(np.asarray(column) for column in columns))

    def large_merges(self, *, least: float) -> np.ndarray:
        """The indices of saved times at which two clusters of at least the mass `least` each become one."""
        is_large = (self.masses >= least) & (self.parents >= 0)
        parents, counts = np.unique(self.parents[is_large], return_counts=True)
        return np.unique(self.starts[parents[counts >= 2]])


def _draw(axes: Axes, branches: Branches, time: TimeAxis, count: int, colors: np.ndarray) -> None:
    """Adds the branches as horizontal lines and the joints as vertical ones."""
    n = int(np.sum(branches.starts == 0))
    thin = float(np.clip(120 / n, 0.2, 0.8))
    # a saved time before the axis begins is shown at its left end; one after the last, at its right end
    offset = time.kept.start or 0
    x = time.values[np.clip(np.arange(count + 1) - offset, 0, len(time.values) - 1)]
    begin, end, height = x[branches.starts], x[branches.ends], branches.heights
    widths = thin + 10 * branches.masses
    rgb = colors[branches.tokens]
    level = np.stack([np.column_stack([begin, height]), np.column_stack([end, height])], axis=1)
    joins = np.flatnonzero(branches.parents >= 0)
    target = height[branches.parents[joins]]
    upright = np.stack([np.column_stack([end[joins], height[joins]]), np.column_stack([end[joins], target])], axis=1)
    for lines, owners, cap in ((upright, joins, "projecting"), (level, np.arange(len(level)), "butt")):
        collection = LineCollection(list(lines), colors=rgb[owners], linewidths=widths[owners], capstyle=cap)
        collection.set_rasterized(len(level) > style.RASTERIZE_ABOVE)
        collection.set_snap(False)  # snapped to pixels, thousands of thin lines make stripes
        axes.add_collection(collection)
    for i in np.flatnonzero((branches.parents < 0) & (branches.masses >= 0.03)):
        text = f"{100 * branches.masses[i]:.0f}%"
        axes.annotate(
            text, (1, height[i]), xycoords=axes.get_yaxis_transform(), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=9,
        )  # fmt: skip
