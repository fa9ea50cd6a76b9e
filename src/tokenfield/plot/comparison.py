"""The picture of particles against the mean field: distance against the number of tokens, with the fitted rate.

Distances and rates come from `tokenfield.compare`.
"""

from __future__ import annotations

import re

import numpy as np

from tokenfield.ensemble.comparison import Comparison
from tokenfield.plot import style, title
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import PALETTE, styled

WIDTH, HEIGHT = 4.8, 3.3


def comparison(found: Comparison) -> Picture:
    """The picture of a comparison: each draw is a dot, means are lines, and the fitted power of n is in the legend.

    Both axes are logarithmic. The dashed line is n^{-1/2}, the rate of independent samples in one dimension.

    Args:
        found: what `tokenfield.compare` returned.

    Returns:
        A picture that does not move.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> start, end = np.array([[0.3, 0.2], [0.1, 0.08]]), np.array([[0.2, 0.2], [0.07, 0.06]])
    >>> sizes = np.array([10, 100])
    >>> found = Comparison(sizes=sizes, start=start, end=end, p=1, distance="W_1", t0=0.0, t1=4.0, field=run)
    >>> comparison(found)
    Picture(comparison, 4.8 x 3.3 inches)
    """
    n = found.sizes.astype(float)
    with styled():
        figure = style.new_figure(WIDTH, HEIGHT)
        axes = figure.subplots()
        rows = (
            (found.start, found.initial_rate, f"$t = {found.t0:g}$ (sampling)", PALETTE[1], "s"),
            (found.end, found.rate, f"$t = {found.t1:g}$", PALETTE[0], "o"),
        )
        for values, rate, label, color, marker in rows:
            counts = np.isfinite(values).sum(axis=1)
            means = np.where(counts > 0, np.nansum(values, axis=1) / np.maximum(counts, 1), np.nan)
            fit = "" if np.isnan(rate) else rf": $n^{{{rate:.2f}}}$"
            axes.plot(np.repeat(n, values.shape[1]), values.ravel(), marker, color=color, alpha=0.25, markersize=3)
            axes.plot(n, means, marker=marker, color=color, markersize=5, label=label + fit)
        top = np.max(np.nan_to_num([found.start, found.end]))  # 0 where it was interrupted before the first draw
        if len(n) > 1 and top > 0:
            axes.plot(n, 1.4 * top * np.sqrt(n[0] / n), color="#6B7280", linestyle="--", label="$n^{-1/2}$")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("number of tokens $n$")
        axes.set_ylabel(re.sub(r"W_(\d)", r"$W_\1$", found.distance))
        axes.grid(color="#E7E9ED", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend()
        axes.set_title(f"tokens against the mean field\n{title.facts(found.field)}")
    return Picture(figure, None, "comparison")
