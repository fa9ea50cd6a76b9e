"""The picture of particles against the mean field: distance against the number of tokens, with the fitted rate."""

from __future__ import annotations

import re

import numpy as np

from tokenfield.ensemble.comparison import Comparison
from tokenfield.plot import style, title
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import PALETTE, styled

WIDTH, HEIGHT = 4.8, 3.3


def comparison(found: Comparison) -> Picture:
    """The picture of a `Comparison`: each draw a dot, means as lines, the fitted power of n in the legend.

    Both axes are logarithmic. The dashed line is n^{-1/2}, the rate of independent samples in one dimension.
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
        top = np.nanmax([found.start, found.end])
        if len(n) > 1 and np.isfinite(top):
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
