"""Pictures of Gaussians: ellipses and eigenvalues of one run, covariances of many runs in the cone of positive ones.

Eigenvalues, and which runs are on their way to infinity, come from `tokenfield.observables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from tokenfield.errors import InvalidInput
from tokenfield.laws.gaussian import plot_coordinates
from tokenfield.observables import covariance_eigenvalues, is_growing, saved_covariances
from tokenfield.observables.covariance import GROWN
from tokenfield.plot import style, title
from tokenfield.plot.masked import masked_gaussian
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import PALETTE, TimeAxis, styled
from tokenfield.solver.result import Outcome
from tokenfield.solver.trajectory import Trajectory

ELLIPSES = 9
LARGEST = 6.0  # ellipses this many times wider than the first, or twice as far away, leave the picture
HIGHEST = 1e4  # where there is a blow-up, eigenvalues are shown up to this multiple of the first
LABELS = (r"$\Sigma_{11} - \Sigma_{22}$", r"$2\,\Sigma_{12}$", r"$\mathrm{tr}\,\Sigma$")
CONE = "#C3C9D1"


def gaussian(run: Trajectory) -> Picture:
    """The picture of a Gaussian over time: ellipses of one standard deviation, and the eigenvalues of the covariance.

    Ellipses are in the first two axes, colored by time, with the path of the mean; those that grow out of the picture
    are left out. Eigenvalues are on a logarithmic axis where they range widely. A dotted line is a blow-up. Where there
    is a Gaussian for each position, means and standard deviations of the first axes are drawn against the position.

    Args:
        run: a run from a Gaussian in R^2 or higher that saved its states.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: the run did not start from a Gaussian in R^2 or higher, saved no states, or is a batch.

    >>> from tokenfield import Euclidean, Gaussian, Softmax, Transformer, plot, solve
    >>> model = Transformer(Euclidean(2), Softmax(1.0), relative=True)
    >>> start = Gaussian([0.0, 0.0], [[0.5, 0.0], [0.0, 0.25]])
    >>> plot.gaussian(solve(model, start, t1=1.0, save=3))
    Picture(Gaussian, 7.6 x 3.5 inches)
    """
    style.check_single(run)
    if "masked_mean" in (run.states or {}):
        return masked_gaussian(run)
    covariances = _covariances(run)
    means = np.asarray(run.saved("mean"), float)
    time = TimeAxis.of(run)
    with styled():
        figure = style.new_figure(7.6, 3.5)
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
        _draw_ellipses(figure, left, means[time.kept], covariances[time.kept], time)
        _draw_eigenvalues(right, covariance_eigenvalues(run)[time.kept], time, _blow_up(run))
        figure.suptitle(title.facts(run), fontsize=10.5)
    return Picture(figure, None, "Gaussian")


def _covariances(run: Trajectory) -> np.ndarray:
    """The saved covariances (..., T, d, d), d >= 2."""
    found = saved_covariances(run)
    if found.shape[-1] < 2:
        raise InvalidInput("a Gaussian in R^1 has no ellipses: plot run.states['covariance'] against run.ts")
    return found


def _blow_up(run: Trajectory) -> float | None:
    return float(run.result.t) if run.result.outcome is Outcome.BLEW_UP else None


def _draw_ellipses(figure: Figure, axes: Axes, means: np.ndarray, covariances: np.ndarray, time: TimeAxis) -> None:
    shown = _milestones(means[:, :2], covariances[:, :2, :2])
    heat = matplotlib.colormaps[style.HEAT]
    first, last = time.values[0], time.values[-1]
    norm = LogNorm(first, last) if time.is_log else Normalize(first, max(last, first + 1e-12))
    around = np.linspace(0, 2 * np.pi, 181)
    circle = np.stack([np.cos(around), np.sin(around)])
    for k in shown:
        values, vectors = np.linalg.eigh(covariances[k, :2, :2])
        ellipse = means[k, :2, None] + (vectors * np.sqrt(np.maximum(values, 0.0))) @ circle
        # without the palest end, which a white page hides
        color = heat(0.92 * float(norm(time.values[k])))
        axes.plot(*ellipse, color=color, linewidth=1.3, zorder=2)
    path = means[: shown[-1] + 1, :2]
    if np.ptp(path, axis=0).max() > 0:
        axes.plot(*path.T, color=style.INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=3)
    axes.plot(*path[0], "o", markersize=4.5, markerfacecolor="white", markeredgecolor=style.INK, zorder=4)
    axes.plot(*path[-1], "o", markersize=4.0, color=style.INK, zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)
    axes.set(xlabel="$x_1$", ylabel="$x_2$")
    trimmed = matplotlib.colors.ListedColormap(heat(np.linspace(0, 0.92, 256)))
    bar = figure.colorbar(ScalarMappable(norm, trimmed), ax=axes, pad=0.02, label=time.label, fraction=0.05)
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()


def _milestones(means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """The saved times whose ellipses are drawn: about equally different from one to the next, none far too large."""
    widths = np.sqrt(np.maximum(np.linalg.eigvalsh(covariances)[:, -1], 0.0))
    room = LARGEST * max(widths[0], 1e-300)
    fits = (widths <= room) & (np.linalg.norm(means - means[0], axis=1) <= 2 * room)
    count = len(fits) if fits.all() else max(int(np.argmin(fits)), 1)
    scale = np.maximum(widths[: count - 1], 1e-300)
    change = np.linalg.norm(np.diff(covariances[:count], axis=0), axis=(1, 2)) / scale**2
    change = change + np.linalg.norm(np.diff(means[:count], axis=0), axis=1) / scale
    way = np.concatenate([[0.0], np.cumsum(change)])
    marks = np.searchsorted(way, np.linspace(0, way[-1], ELLIPSES))
    return np.unique(np.append(np.minimum(marks, count - 1), count - 1))


def _draw_eigenvalues(axes: Axes, values: np.ndarray, time: TimeAxis, blow_up: float | None) -> None:
    """Adds the curves of the eigenvalues (T, d), largest first, and a line where the run blew up."""
    low, high = np.nanmin(values), np.nanmax(values)
    d = values.shape[1]
    for i in range(d):
        color = PALETTE[i] if d <= len(PALETTE) else matplotlib.colormaps[style.HEAT](0.92 * i / (d - 1))
        marker = "o" if len(values) == 1 else ""
        axes.plot(time.values, values[:, i], color=color, marker=marker, label=f"$\\lambda_{{{i + 1}}}$", zorder=3)
    if high > 100 * low:
        axes.set_yscale("log")
    time.apply(axes)
    if blow_up is not None and not time.is_log:
        axes.axvline(blow_up, color=style.INK, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
        axes.set_xlim(time.values[0], time.values[0] + 1.04 * (blow_up - time.values[0]))
        axes.annotate(
            f"$t^* = {style.number(blow_up)}$", (blow_up, 1.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 3),
            textcoords="offset points", ha="center", fontsize=9,
        )  # fmt: skip
    axes.margins(y=0.06)
    if blow_up is not None:
        axes.set_ylim(0.6 * np.nanmin(np.where(time.values[:, None] < 0.99 * blow_up, values, np.nan)),
                      min(HIGHEST * values[0, 0], 2 * high))  # fmt: skip
    axes.set_ylabel(r"eigenvalues of $\Sigma$")
    axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)
    axes.set_axisbelow(True)
    if d <= len(PALETTE):
        axes.legend(loc="best")


# --- the cone -------------------------------------------------------------------------------------------------------


def covariance_cone(
    runs: Trajectory | Sequence[Trajectory],
    *,
    normalized: bool = False,
    largest_trace: float | None = None,
    elevation: float = 20.0,
    azimuth: float = -60.0,
) -> Picture:
    """The picture of 2 x 2 covariances S moving in the cone of positive matrices (the figures of arXiv 2501.18322).

    The axes are S_11 - S_22, 2 S_12 and tr S. On the border of the cone the rank is one, at its tip S is zero. Paths
    darken with time; triangles mark those that are on their way to infinity (`tokenfield.observables.is_growing`).

    Args:
        runs: one run from a Gaussian in R^2 that saved its states, a list of them, or a batch made by `jax.vmap`.
        normalized: whether to draw S / tr S in a disk, the section of the cone, for covariances that blow up; by
            default `False`.
        largest_trace: the trace at which paths end; by default three times the largest one at the start, or none if
            `normalized`.
        elevation: how high the camera stands, in degrees; by default 20.
        azimuth: where the camera stands around the vertical axis, in degrees; by default -60.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: a run did not start from a Gaussian in R^2, or saved no states.

    >>> from tokenfield import Euclidean, Gaussian, Softmax, Transformer, plot, solve
    >>> model = Transformer(Euclidean(2), Softmax(1.0), relative=True)
    >>> run = solve(model, Gaussian([0.0, 0.0], [[0.5, 0.0], [0.0, 0.25]]), t1=1.0, save=3)
    >>> plot.covariance_cone([run], normalized=True)
    Picture(covariance cone, 4.6 x 4.9 inches)
    """
    paths = _Paths.of(runs, normalized, largest_trace)
    with styled():
        figure = style.new_figure(4.6, 4.9 if normalized else 4.3)
        axes: Any = figure.add_subplot(projection=None if normalized else "3d")
        _add_disk(axes) if normalized else _add_cone(axes, paths.top, elevation, azimuth)
        paths.draw(axes)
        paths.add_legend(figure)
        figure.suptitle(_cone_title(runs, paths), fontsize=10.5)
    return Picture(figure, None, "covariance cone")


@dataclass(frozen=True)
class _Paths:
    """Curves (T_i, 2) in the disk or (T_i, 3) in the cone, and which of them are on their way to infinity."""

    curves: tuple[np.ndarray, ...]
    is_growing: np.ndarray
    top: float

    @staticmethod
    def of(runs: Trajectory | Sequence[Trajectory], normalized: bool, largest_trace: float | None) -> _Paths:
        each = [runs] if isinstance(runs, Trajectory) else list(runs)
        if not each or not all(isinstance(run, Trajectory) for run in each):
            raise InvalidInput("covariance_cone needs a Trajectory or a list of them, as solve returns it")
        found = [_covariances(run) for run in each]
        if any(S.shape[-1] != 2 for S in found):
            raise InvalidInput("the cone is that of 2 x 2 covariances: these Gaussians live in another R^d")
        coordinates = [np.asarray(plot_coordinates(path)) for S in found for path in S.reshape(-1, *S.shape[-3:])]
        starts = max(float(path[0, 2]) for path in coordinates)
        peak = max(float(path[:, 2].max()) for path in coordinates)
        limit = largest_trace if largest_trace is not None else np.inf if normalized else 3 * starts
        growing = np.concatenate([np.ravel(is_growing(run)) for run in each])
        curves = tuple(_cut(path, limit, normalized) for path in coordinates)
        return _Paths(curves, growing, 1.0 if normalized else min(peak, limit))

    def draw(self, axes: Any) -> None:
        """Adds curves that darken with time, starts and ends."""
        d = self.curves[0].shape[1]
        base = np.array(to_rgb(PALETTE[0]))
        segments = [np.stack([c[:-1], c[1:]], axis=1) for c in self.curves if len(c) > 1]
        if segments:
            fresh = np.concatenate([np.linspace(0.65, 0.0, len(s)) for s in segments])
            whole = np.concatenate(segments)
            kind: Any = LineCollection if d == 2 else Line3DCollection
            lines = kind(whole, colors=style.lighter(np.tile(base, (len(whole), 1)), fresh), linewidths=0.9, zorder=3)
            lines.set_rasterized(len(whole) > style.RASTERIZE_ABOVE)
            axes.add_collection(lines, autolim=False)
        shading: dict[str, Any] = {"depthshade": False} if d == 3 else {}
        starts, ends = (np.stack([c[i] for c in self.curves]) for i in (0, -1))
        size = 14 if len(starts) <= 40 else 7
        axes.scatter(*starts.T, s=size, c="white", edgecolors=style.REST, linewidths=0.7, zorder=4, **shading)
        for chosen, color, marker in ((~self.is_growing, PALETTE[0], "o"), (self.is_growing, PALETTE[1], "^")):
            if chosen.any():
                axes.scatter(
                    *ends[chosen].T, s=1.4 * size, c=color, marker=marker, edgecolors="white", linewidths=0.3, zorder=5,
                    **shading,
                )  # fmt: skip

    def add_legend(self, figure: Figure) -> None:
        def mark(name: str, **options: Any) -> Line2D:
            return Line2D([], [], linestyle="", markersize=5, label=name, **options)

        handles = [mark("start", marker="o", markerfacecolor="white", markeredgecolor=style.REST)]
        if not self.is_growing.all():
            handles.append(mark("end", marker="o", color=PALETTE[0], markeredgewidth=0))
        if self.is_growing.any():
            handles.append(mark(f"grows beyond {GROWN:g}-fold", marker="^", color=PALETTE[1], markeredgewidth=0))
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), handletextpad=0.1)


def _cut(path: np.ndarray, limit: float, normalized: bool) -> np.ndarray:
    """The part of a path below the trace `limit`, ended there by interpolation, in the coordinates of the picture."""
    above = np.flatnonzero(path[:, 2] > limit)
    if len(above) and above[0] > 0:
        k = int(above[0])
        share = (limit - path[k - 1, 2]) / (path[k, 2] - path[k - 1, 2])
        path = np.concatenate([path[:k], path[k - 1 : k] + share * (path[k : k + 1] - path[k - 1 : k])])
    return path[:, :2] / np.maximum(path[:, 2:], 1e-300) if normalized else path


def _add_disk(axes: Axes) -> None:
    axes.add_patch(Circle((0, 0), 1, facecolor="#F6F7F9", edgecolor=CONE, linewidth=1.0, zorder=0))
    axes.set(xlim=(-1.06, 1.06), ylim=(-1.06, 1.06), xticks=(-1, -0.5, 0, 0.5, 1), yticks=(-1, -0.5, 0, 0.5, 1))
    axes.set_aspect("equal")
    axes.set_xlabel(r"$(\Sigma_{11} - \Sigma_{22})\,/\,\mathrm{tr}\,\Sigma$")
    axes.set_ylabel(r"$2\,\Sigma_{12}\,/\,\mathrm{tr}\,\Sigma$")


def _add_cone(axes: Any, top: float, elevation: float, azimuth: float) -> None:
    around, heights = np.linspace(0, 2 * np.pi, 73), np.array([0.0, 1.0]) * top
    x, y = np.cos(around) * heights[:, None], np.sin(around) * heights[:, None]
    axes.plot_surface(x, y, np.broadcast_to(heights[:, None], x.shape), color="#8A94A3", alpha=0.07, linewidth=0,
                      shade=False, rstride=1, cstride=1, zorder=0)  # fmt: skip
    for height in np.linspace(0.25, 1.0, 4) * top:
        axes.plot(height * np.cos(around), height * np.sin(around), height, color=CONE, linewidth=0.6, zorder=1)
    for angle in np.arange(0, 2 * np.pi, np.pi / 6):
        axes.plot(*(np.array([[0, a] for a in (np.cos(angle), np.sin(angle), 1.0)]) * top), color=CONE, linewidth=0.35,
                  zorder=1)  # fmt: skip
    axes.computed_zorder = False  # paths belong in front of the cone that holds them
    axes.set(xlim=(-top, top), ylim=(-top, top), zlim=(0, top), xlabel=LABELS[0], ylabel=LABELS[1])
    axes.set_zlabel(LABELS[2])
    axes.view_init(elev=elevation, azim=azimuth)
    axes.set_box_aspect((1, 1, 0.8), zoom=0.93)
    across = np.abs([np.sin(np.deg2rad(azimuth)), np.cos(np.deg2rad(azimuth)), 1.0])
    for axis, share in zip((axes.xaxis, axes.yaxis, axes.zaxis), across, strict=True):
        axis.set_pane_color((1.0, 1.0, 1.0, 1.0))
        axis._axinfo["grid"].update(color=(0.92, 0.93, 0.94, 1.0), linewidth=0.4)
        axis.set_major_locator(MaxNLocator(4))
        if share < 0.3:  # seen end on: numbers and name would lie on top of each other
            axis.set_ticks([])
            axis.set_label_text("")


def _cone_title(runs: Trajectory | Sequence[Trajectory], paths: _Paths) -> str:
    """The model of a single run; of several, what they have in common is up to the caller, so only their number."""
    if isinstance(runs, Trajectory) and np.ndim(runs.ts) == 1:
        return title.facts(runs, t=float(runs.ts[-1]))
    return f"{len(paths.curves)} Gaussians in $\\mathbb{{R}}^2$"
