"""What the figures of claims share: panels of one size in the project's style, and a few marks that recur."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tokenfield.plot.style import FAINT, HEAT, INK, PALETTE, REST, new_figure

__all__ = ["FAINT", "HEAT", "INK", "MEASURED", "PALETTE", "PREDICTED", "REST", "mark_predicted", "panels", "tick_sizes"]

WIDTH, HEIGHT = 3.3, 2.7  # of one panel, in inches
# what is measured is drawn in color, what is predicted in black dashes on top of it
MEASURED: dict[str, Any] = {"color": PALETTE[0]}
PREDICTED: dict[str, Any] = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}


def panels(count: int = 1, *, width: float | None = None, height: float = HEIGHT, **options: Any) -> tuple[Figure, Any]:
    """A figure and its `count` axes side by side (one `Axes`, or an array); `options` go to `Figure.subplots`."""
    figure = new_figure(width or max(WIDTH * count, 4.6), height)
    return figure, figure.subplots(**{"nrows": 1, "ncols": count} | options)


def mark_predicted(ax: Axes, value: float, label: str = "predicted", *, axis: str = "y") -> None:
    """A dashed line across `ax` at a predicted value."""
    (ax.axhline if axis == "y" else ax.axvline)(value, label=label, **PREDICTED)


def tick_sizes(ax: Axes, sizes: np.ndarray) -> None:
    """Ticks of a logarithmic plot: the sizes below, 1, 2 and 5 at the side."""
    ax.minorticks_off()
    ax.set_xticks(sizes, [str(n) for n in sizes])
    low, high = ax.get_ylim()
    ticks = [k * 10.0**power for power in range(-4, 2) for k in (1, 2, 5)]
    ax.set_yticks([tick for tick in ticks if low <= tick <= high])
    ax.yaxis.set_major_formatter("{x:g}")
