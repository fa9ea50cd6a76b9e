"""What the figures of claims share: panels of one size in the project's style, and a few marks that recur."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tokenfield.plot.style import FAINT, HEAT, INK, PALETTE, REST, new_figure

__all__ = ["FAINT", "HEAT", "INK", "MEASURED", "PALETTE", "PREDICTED", "REST", "mark_predicted", "panels"]

WIDTH, HEIGHT = 3.3, 2.7  # of one panel, in inches
# what is measured is drawn in color, what is predicted in black dashes on top of it
MEASURED: dict[str, Any] = {"color": PALETTE[0]}
PREDICTED: dict[str, Any] = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}


def panels(count: int = 1, *, width: float | None = None, height: float = HEIGHT, **options: Any) -> tuple[Figure, Any]:
    """A figure and its `count` axes side by side (one `Axes`, or an array); `options` go to `Figure.subplots`."""
    figure = new_figure(width or max(WIDTH * count, 4.6), height)
    return figure, figure.subplots(1, count, **options)


def mark_predicted(ax: Axes, value: float, label: str = "predicted", *, axis: str = "y") -> None:
    """A dashed line across `ax` at a predicted value."""
    (ax.axhline if axis == "y" else ax.axvline)(value, label=label, **PREDICTED)
