"""The picture of a merge tree: which clusters join when, for good, as a dendrogram over time.

The tree itself is `tokenfield.observables.merge_tree`.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from tokenfield.observables import Branches
from tokenfield.plot import style, title
from tokenfield.plot.dots import Groups
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import TimeAxis, styled
from tokenfield.solver.trajectory import Trajectory


def merge_tree(run: Trajectory, *, delta: float | None = None) -> Picture:
    """The picture of the merge tree of a run: clusters are horizontal lines, as wide as their mass, that join in time.

    The vertical axis is the mass, with the tokens ordered so that no lines cross. The time axis is logarithmic where
    the saved times are, or where most merges would crowd at the start of a linear one.

    Args:
        run: a run that saved its tokens.
        delta: the scale of the clusters: an angle in radians on the sphere, a distance in R^d. By default that of the
            model; see `tokenfield.observables.merge_tree`.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: the run kept no tokens, or `delta` is not positive.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, plot, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> plot.merge_tree(run)
    Picture(merge tree, 5.6 x 3.8 inches)
    """
    style.saved_tokens(run)
    branches = run.merge_tree(delta=delta).branches
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
