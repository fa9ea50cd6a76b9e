"""Time of one evaluation of the velocity against the number of tokens: direct sums (n^2) and fast ones (n).

Softmax attention of uniform tokens on the circle and on S^2. A curve ends with the first point that takes longer than
`limit_s`. Slopes are fitted through the last points of each curve. `--out` writes the figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tokenfield import sums
from tokenfield.benchmarks.fast_sums import SPACES, checked_error, tokens, velocity
from tokenfield.benchmarks.measure import best_times
from tokenfield.benchmarks.report import Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tokenfield.plot.picture import Picture

CHECKED = 64
FITTED = 4  # points of each curve, the last ones: smaller sizes measure overheads
DIRECT, FAST = "direct", "fast"


def run(
    *,
    beta: float = 9.0,
    smallest: int = 2**8,
    largest: int = 2**20,
    limit_s: float = 10.0,
    budget_s: float = 2.0,
) -> Iterator[Table]:
    """A table of times and errors for every size, and one of the fitted slopes."""
    sizes = [2**k for k in range(64) if smallest <= 2**k <= largest]
    curves = [(d, way) for d in SPACES for way in (DIRECT, FAST)]
    rows = [row for curve in curves for row in _curve(*curve, beta, sizes, limit_s, budget_s)]
    yield Table(
        f"Cost of one evaluation of the velocity, beta = {beta:g}",
        rows,
        (
            f"error: largest of the velocity over {CHECKED} tokens, against a direct sum in NumPy",
            "fast: what tokenfield chooses by itself, where that is not a direct sum",
        ),
    )
    yield Table("Fitted powers of n", slopes(rows), (f"through the last {FITTED} points of each curve",))


def _curve(d: int, way: str, beta: float, sizes: Sequence[int], limit_s: float, budget_s: float) -> Iterator[Row]:
    for n in sizes:
        is_fast = sums.choose(n, n, d, reach=beta, is_uniform=True).expansion is not None
        if way == FAST and not is_fast:
            continue
        points = tokens("uniform", n, d)
        with sums.forced("direct" if way == DIRECT else "auto"):
            call = velocity(points, beta)
        seconds = best_times({way: call}, rounds=3, budget_s=budget_s)[way]
        yield {
            "space": SPACES[d],
            "sum": way,
            "n": n,
            "seconds": seconds,
            "ns per token": 1e9 * seconds / n,
            "error": checked_error(call(), points, beta, checked=CHECKED),
        }
        if seconds > limit_s:
            return


def slopes(rows: Sequence[Row]) -> list[Row]:
    """The fitted power of n of each curve, with the sizes that it is fitted to."""
    found = []
    for space, way in dict.fromkeys((row["space"], row["sum"]) for row in rows):
        last = _points(rows, space, way)[:, -FITTED:]
        fit = float(np.polyfit(np.log(last[0]), np.log(last[1]), 1)[0]) if last.shape[1] > 1 else None
        found.append({"space": space, "sum": way, "from n": int(last[0, 0]), "to n": int(last[0, -1]), "power": fit})
    return found


def _points(rows: Sequence[Row], space: str, way: str) -> np.ndarray:
    """Sizes and seconds of one curve, (2, k)."""
    return np.array([(row["n"], row["seconds"]) for row in rows if (row["space"], row["sum"]) == (space, way)]).T


def draw(tables: Sequence[Table]) -> Picture:
    """The log-log figure of the times, with the fitted powers in the legend and guides of slopes 1 and 2."""
    from tokenfield.plot import style
    from tokenfield.plot.picture import Picture

    rows, fits = tables[0].rows, tables[1].rows
    with style.styled():
        figure = style.new_figure(4.8, 3.4)
        axes = figure.subplots()
        for fit in fits:
            n, seconds = _points(rows, fit["space"], fit["sum"])
            is_circle, is_direct = fit["space"] == SPACES[2], fit["sum"] == DIRECT
            power = "" if fit["power"] is None else f": $n^{{{fit['power']:.2f}}}$"
            axes.plot(
                n,
                seconds,
                color=style.PALETTE[0 if is_circle else 1],
                linestyle="--" if is_direct else "-",
                marker="o" if is_circle else "s",
                markersize=4,
                markerfacecolor="white" if is_direct else None,
                label=f"{'circle' if is_circle else '$S^2$'}, {fit['sum']}{power}",
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        _add_guides(rows, axes)
        axes.set_xlabel("number of tokens $n$")
        axes.set_ylabel("time of one evaluation (s)")
        axes.grid(color="#E7E9ED", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend()
        axes.set_title(re.sub(r"beta = (\S+)", r"$\\beta = \1$", tables[0].title))
    return Picture(figure, None, "cost curves")


def _add_guides(rows: Sequence[Row], axes: Axes) -> None:
    """Short gray lines of slope 2 above the direct curves and of slope 1 below the fast ones, with their powers."""
    from tokenfield.plot import style

    for way, power, shift in ((DIRECT, 2, 3.0), (FAST, 1, 1 / 3)):
        curves = [_points(rows, space, way) for space in SPACES.values()]
        curves = [curve for curve in curves if curve.size]
        if not curves:
            continue
        pick = max if power == 2 else min
        n, seconds = pick(curves, key=lambda curve: curve[1, -1])
        ends = n[-1] / np.array([8.0, 1.0])
        heights = shift * seconds[-1] * (ends / n[-1]) ** power
        axes.plot(ends, heights, color=style.REST, linewidth=1.0)
        text = "$n$" if power == 1 else f"$n^{power}$"
        up = power == 2
        axes.annotate(
            text,
            (np.sqrt(ends[0] * ends[1]), np.sqrt(heights[0] * heights[1])),
            xytext=(-4, 4) if up else (4, -4),
            textcoords="offset points",
            ha="right" if up else "left",
            va="bottom" if up else "top",
            color=style.REST,
        )
