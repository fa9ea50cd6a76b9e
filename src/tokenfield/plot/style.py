"""The one style of all pictures: fonts, colors, sizes, time axes. Titles are in `tokenfield.plot.title`.

Nothing here changes matplotlib's global settings: every figure is made and saved inside `styled()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.model.position import Causal
from tokenfield.solver.trajectory import Trajectory

# Okabe and Ito's colors, told apart by all; black is left for text, the light yellow comes last
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442")
REST = "#8C8C8C"
INK = "#262626"
FAINT = "#B8BEC6"
HEAT = "cividis"
COLORS = ("cluster", "position")
STAR: dict[str, Any] = {"marker": "*", "markerfacecolor": "white", "markeredgecolor": INK, "markeredgewidth": 0.9}
RASTERIZE_ABOVE = 5000  # more marks than this make a vector file that no viewer scrolls through

_STYLE: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlepad": 7.0,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "legend.handlelength": 1.2,
    "lines.linewidth": 1.4,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "pdf.fonttype": 42,  # text stays text for journals and search
    "svg.fonttype": "path",
    "svg.hashsalt": "tokenfield",  # the same run gives the same file
}


@contextmanager
def styled() -> Iterator[None]:
    """A context in which matplotlib draws in the project's style, whatever the user's own settings are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches, on the Agg canvas, apart from pyplot."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def check_single(run: Trajectory) -> None:
    """Raises `InvalidInput` unless `run` is one run, not a batch made by `jax.vmap`."""
    if not isinstance(run, Trajectory):
        raise InvalidInput(f"a plot needs a Trajectory, as solve returns it, got {type(run).__name__}")
    if np.ndim(run.ts) != 1:
        raise InvalidInput("this is a batch of runs: pick one with jax.tree.map(lambda a: a[i], run)")


def tokens_along(run: Trajectory) -> np.ndarray:
    """The saved tokens (T, n, d) in float64; raises `InvalidInput` if the run kept none."""
    check_single(run)
    return np.asarray(run.saved_points, dtype=np.float64)


# --- colors and sizes ---------------------------------------------------------------------------------------------


def lighter(colors: np.ndarray, amount: np.ndarray | float) -> np.ndarray:
    """`colors` (..., 3) moved towards white: by nothing at `amount` 0, to white at 1."""
    return colors + (1.0 - colors) * np.asarray(amount)[..., None]


@dataclass(frozen=True)
class Groups:
    """How tokens are told apart: each one's color (n, 3), the legend's entries, and perhaps one token to be `marked`.

    By cluster at the end of the run, entries are (color, mass) of `count` clusters; by position, (color, position).
    """

    colors: np.ndarray
    entries: tuple[tuple[str, float], ...]
    count: int
    marked: int | None = None

    @staticmethod
    def of(run: Trajectory, color: str | None = None) -> Groups:
        """The groups of `run` by `color`: "cluster" or "position"; `None` is the position if the model is causal.

        The largest clusters get a color each, smaller ones share a gray. Where no two tokens are together, clusters
        would say nothing: all tokens get the first color.
        """
        if color not in (None, *COLORS):
            raise InvalidInput(f"cannot color by {color!r}{did_you_mean(str(color), COLORS)}")
        if color is None:
            color = "position" if any(isinstance(kind, Causal) for kind in run.model.position) else "cluster"
        return Groups._by_position(run) if color == "position" else Groups._by_cluster(run)

    @staticmethod
    def _by_cluster(run: Trajectory) -> Groups:
        found = run.clusters()
        labels = np.asarray(found.labels)
        if found.count == len(labels) > 1:
            return Groups(np.tile(to_rgb(PALETTE[0]), (len(labels), 1)), (), found.count)
        masses = np.asarray(found.masses, dtype=float)
        palette = np.array([to_rgb(color) for color in (*PALETTE, REST)])
        entries = [(color, float(mass)) for color, mass in zip(PALETTE, masses, strict=False)]
        if found.count > len(PALETTE):
            entries.append((REST, float(masses[len(PALETTE) :].sum())))
        return Groups(palette[np.minimum(labels, len(PALETTE))], tuple(entries), found.count)

    @staticmethod
    def _by_position(run: Trajectory) -> Groups:
        positions = np.asarray(run.final.positions, dtype=float)
        low, extent = positions.min(), max(float(np.ptp(positions)), 1e-12)
        # without the palest end, which a white page hides
        heat = matplotlib.colormaps[HEAT]
        colors = np.asarray(heat(0.92 * (positions - low) / extent))[:, :3]
        order = np.argsort(positions, kind="stable")
        shown = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), 5)).round().astype(int))]
        entries = tuple((to_hex(colors[i]), float(positions[i])) for i in shown)
        return Groups(colors, entries, len(entries), marked=int(order[0]))

    def add_legend(self, figure: Figure) -> None:
        """Adds a row of colored dots below the panels of `figure`: clusters with their masses, or positions."""
        if not self.entries:
            return
        handles, names = [], []
        for color, value in self.entries:
            handles.append(Line2D([], [], marker="o", linestyle="", color=color, markersize=5, markeredgewidth=0))
            rest = f"{self.count - len(PALETTE)} others " if color == REST else ""
            names.append(f"{value:g}" if self.marked is not None else f"{rest}{_percent(value)}")
        if self.marked is not None:
            handles.insert(0, Line2D([], [], linestyle="", **STAR, markersize=8))
            names.insert(0, "first token")
        columns = len(handles) if len(handles) <= len(PALETTE) else 4
        # matplotlib fills columns first, readers read rows
        order = [i for column in range(columns) for i in range(column, len(handles), columns)]
        title = "mass of each cluster" if self.count > 1 else "one cluster"
        figure.legend(
            [handles[i] for i in order],
            [names[i] for i in order],
            loc="outside lower center",
            ncols=columns,
            title=title if self.marked is None else "position in the sequence",
            title_fontsize=9.0,
            handletextpad=0.1,
            columnspacing=1.0,
            borderaxespad=0.2,
        )


def _percent(mass: float) -> str:
    return f"{100 * mass:.0f}%" if mass >= 0.0095 else f"{100 * mass:.1g}%"


@dataclass(frozen=True)
class Piles:
    """Tokens that coincide at the size of the picture, each pile as one dot.

    `points` (m, d), `areas` (m,) of the markers in points squared, `tokens` (m,): one member of each. The largest come
    last, so that the crumbs around a cluster are drawn below it.
    """

    points: np.ndarray
    areas: np.ndarray
    tokens: np.ndarray

    @staticmethod
    def of(points: np.ndarray, weights: np.ndarray, extent: float) -> Piles:
        """The piles of tokens in a picture that shows a length `extent`.

        Areas grow with the mass alone, so that a token of weight 2 looks like two tokens, and 2000 tokens in one
        cluster like 20 in one.
        """
        cell = extent / 150
        _, tokens, pile = np.unique(_cells(points / cell), return_index=True, return_inverse=True)
        masses = np.bincount(pile, weights)
        places = np.stack([np.bincount(pile, weights * x) for x in points.T], axis=1) / masses[:, None]
        # a pile that straddles a border of the grid keeps its size: some shifted grid has it in one cell
        largest = weights.copy()
        for shift in (0.0, 0.25, 0.5, 0.75):
            shifted = np.unique(_cells(points / cell + shift), return_inverse=True)[1]
            largest = np.maximum(largest, np.bincount(shifted, weights)[shifted])
        areas = np.maximum(400 * largest[tokens] ** 0.55, 0.8)
        order = np.argsort(areas, kind="stable")
        return Piles(places[order], areas[order], tokens[order])


def _cells(scaled: np.ndarray) -> np.ndarray:
    """One whole number for each unit cell that the points (n, d) lie in."""
    cells = np.floor(scaled).astype(np.int64)
    cells -= cells.min(axis=0)
    return np.ravel_multi_index(tuple(cells.T), tuple(cells.max(axis=0) + 1))


# --- words --------------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """`value` in at most four digits, as mathtext."""
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else f"{mantissa} \\times {power}"


def clock(ts: np.ndarray, k: int) -> str:
    """The time ts[k] for an animation, as mathtext: with fixed decimals, so that it does not jitter."""
    t, last = float(ts[k]), float(np.abs(ts).max())
    if is_log_spaced(ts) or last >= 1e4 or last < 1e-2:
        text = number(float(f"{t:.2g}"))
    else:
        text = f"{t:.{max(0, 2 - int(np.floor(np.log10(last))))}f}"
    return f"$t = {text}$"


# --- time ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TimeAxis:
    """Saved times as an axis: `values` are what to plot, `kept` which saved times they belong to.

    A logarithmic axis has no place for the start, so it counts from there and leaves it out.
    """

    values: np.ndarray
    kept: slice
    is_log: bool
    label: str

    @staticmethod
    def of(run: Trajectory, *, is_log: bool | None = None) -> TimeAxis:
        """The axis of the run's times: logarithmic where the times are spaced so, or as `is_log` says."""
        ts = np.asarray(run.ts, dtype=float)
        if is_log is None:
            is_log = is_log_spaced(ts)
        if not is_log or len(ts) < 3:
            return TimeAxis(ts, slice(None), False, "time $t$")
        # times kept without the start count from zero
        start = ts[0] if len(ts) > 1 and ts[0] <= 0.5 * (ts[1] - ts[0]) else 0.0
        kept = slice(1, None) if ts[0] <= start else slice(None)
        label = "time $t$" if start == 0 else f"time $t - {number(start)}$"
        return TimeAxis(ts[kept] - start, kept, True, label)

    def apply(self, axes: Axes) -> None:
        """Sets scale, limits and label of the horizontal axis."""
        if self.is_log:
            axes.set_xscale("log")
        if len(self.values) > 1:
            axes.set_xlim(self.values[0], self.values[-1])
        axes.set_xlabel(self.label)

    def edges(self) -> np.ndarray:
        """The borders (T + 1,) of the cells around the times, for a heat map."""
        x = np.log(self.values) if self.is_log else self.values
        if len(x) == 1:
            return np.array([x[0] - 0.5, x[0] + 0.5])
        inner = (x[1:] + x[:-1]) / 2
        borders = np.concatenate([x[:1], inner, x[-1:]])
        return np.exp(borders) if self.is_log else borders


def is_log_spaced(ts: np.ndarray) -> bool:
    """Whether the distances between times grow so much that a linear axis would hide the early ones."""
    gaps = np.diff(ts)
    if len(gaps) < 3:
        return False
    return bool(np.quantile(gaps, 0.9) > 10 * np.quantile(gaps, 0.1))
