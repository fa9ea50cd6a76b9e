"""The one style of all pictures: fonts, colors, numbers, time axes. Titles are in `tokenfield.plot.title`.

Nothing here changes the global settings of matplotlib: every figure is made and saved inside `styled()`.
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
from matplotlib.figure import Figure

from tokenfield.errors import InvalidInput
from tokenfield.solver.trajectory import Trajectory

# Okabe and Ito's colors, told apart by all; black is left for text, the light yellow comes last
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442")
REST = "#8C8C8C"
INK = "#262626"
FAINT = "#B8BEC6"
HEAT = "cividis"
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
    """A context in which matplotlib draws in the style of the project, whatever the settings of the user are.

    >>> import matplotlib
    >>> with styled():
    ...     matplotlib.rcParams["mathtext.fontset"]
    'stix'
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure on the Agg canvas, of which pyplot knows nothing.

    Args:
        width: in inches.
        height: in inches.

    Returns:
        A figure of matplotlib with the constrained layout.

    >>> new_figure(4.0, 3.0).get_size_inches().tolist()
    [4.0, 3.0]
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def check_single(run: Trajectory) -> None:
    """Raises `InvalidInput` unless `run` is one run, and not a batch made by `jax.vmap`.

    Args:
        run: what was given to a plot.

    Raises:
        InvalidInput: it is no run, or several.

    >>> check_single("run")
    Traceback (most recent call last):
    tokenfield.errors.InvalidInput: a plot needs a Trajectory, as solve returns it, got str
    """
    if not isinstance(run, Trajectory):
        raise InvalidInput(f"a plot needs a Trajectory, as solve returns it, got {type(run).__name__}")
    if np.ndim(run.ts) != 1:
        raise InvalidInput("this is a batch of runs: pick one with jax.tree.map(lambda a: a[i], run)")


def saved_tokens(run: Trajectory) -> np.ndarray:
    """The tokens at all saved times of a run.

    Args:
        run: one run.

    Returns:
        Points in float64, shape (T, n, d).

    Raises:
        InvalidInput: it is not one run, or it kept no tokens.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> run = solve(Transformer(Sphere(2), Softmax(1.0)), initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> saved_tokens(run).shape
    (5, 8, 2)
    """
    check_single(run)
    return np.asarray(run.saved_points, dtype=np.float64)


# --- colors ------------------------------------------------------------------------------------------------------


def lighter(colors: np.ndarray, amount: np.ndarray | float) -> np.ndarray:
    """Colors nearer to white.

    Args:
        colors: red, green and blue from 0 to 1, shape (..., 3).
        amount: how far to go, from 0 (not at all) to 1 (white), shape (...) or one number.

    Returns:
        Colors, shape (..., 3).

    >>> import numpy as np
    >>> lighter(np.array([0.0, 0.5, 1.0]), 0.5).tolist()
    [0.5, 0.75, 1.0]
    """
    return colors + (1.0 - colors) * np.asarray(amount)[..., None]


# --- words --------------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number in at most four digits, as mathtext.

    Args:
        value: the number.

    Returns:
        Text to be put between dollar signs.

    >>> print(number(12345678.0))
    1.235 \\times 10^{7}
    """
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else f"{mantissa} \\times {power}"


def clock(ts: np.ndarray, k: int) -> str:
    """The time of a frame, with a fixed number of decimals, so that it does not jitter.

    Args:
        ts: all saved times, shape (T,).
        k: which of them.

    Returns:
        Mathtext with its dollar signs.

    >>> import numpy as np
    >>> clock(np.linspace(0, 10, 101), 5)
    '$t = 0.5$'
    """
    t, last = float(ts[k]), float(np.abs(ts).max())
    if is_log_spaced(ts) or last >= 1e4 or last < 1e-2:
        text = number(float(f"{t:.2g}"))
    else:
        text = f"{t:.{max(0, 2 - int(np.floor(np.log10(last))))}f}"
    return f"$t = {text}$"


# --- time ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TimeAxis:
    """Saved times as an axis of a picture.

    A logarithmic axis has no place for the start. So it counts from there and leaves it out.

    Attributes:
        values: what to plot, shape (K,).
        kept: which saved times these are.
        is_log: whether the axis is logarithmic.
        label: the name of the axis.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> run = solve(Transformer(Sphere(2), Softmax(1.0)), initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> TimeAxis.of(run).values.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """

    values: np.ndarray
    kept: slice
    is_log: bool
    label: str

    @staticmethod
    def of(run: Trajectory, *, is_log: bool | None = None) -> TimeAxis:
        """The axis of the saved times of a run.

        Args:
            run: the run.
            is_log: whether the axis is logarithmic; by default it is where the times are spaced so.

        Returns:
            The axis; linear for fewer than three times.
        """
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
        """Sets the scale, the limits and the label of a horizontal axis.

        Args:
            axes: the axes of matplotlib.
        """
        if self.is_log:
            axes.set_xscale("log")
        if len(self.values) > 1:
            axes.set_xlim(self.values[0], self.values[-1])
        axes.set_xlabel(self.label)

    def edges(self) -> np.ndarray:
        """The borders of the cells around the K times, for a heat map, shape (K + 1,)."""
        x = np.log(self.values) if self.is_log else self.values
        if len(x) == 1:
            return np.array([x[0] - 0.5, x[0] + 0.5])
        inner = (x[1:] + x[:-1]) / 2
        borders = np.concatenate([x[:1], inner, x[-1:]])
        return np.exp(borders) if self.is_log else borders


def last_time(run: Trajectory) -> float:
    """The last saved time of a run.

    Args:
        run: one run.

    Returns:
        The time.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> run = solve(Transformer(Sphere(2), Softmax(1.0)), initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> last_time(run)
    4.0
    """
    return float(np.asarray(run.ts)[-1])


def is_log_spaced(ts: np.ndarray) -> bool:
    """Whether the gaps between times grow so much that a linear axis would hide the early ones.

    Args:
        ts: the times, increasing, shape (T,).

    Returns:
        `True` if a logarithmic axis is better.

    >>> import numpy as np
    >>> is_log_spaced(np.geomspace(0.01, 100, 20)), is_log_spaced(np.linspace(0, 1, 20))
    (True, False)
    """
    gaps = np.diff(ts)
    if len(gaps) < 3:
        return False
    return bool(np.quantile(gaps, 0.9) > 10 * np.quantile(gaps, 0.1))
