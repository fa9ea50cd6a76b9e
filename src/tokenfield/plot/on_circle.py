"""Pictures of tokens on the circle: where they end, and their angles against time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Sphere
from tokenfield.plot import style, title
from tokenfield.plot.dots import STAR, Drawn, Groups, Piles
from tokenfield.plot.picture import Animation, Draw, Picture, frame_indices
from tokenfield.plot.style import TimeAxis, styled
from tokenfield.solver.trajectory import Trajectory

TRAIL = 14  # saved times that a moving token drags behind
DEPTH = 0.30  # how far towards the center the oldest of them is drawn
MOST_TRAILS = 2000


def circle(run: Trajectory, *, color: str | None = None) -> Picture:
    """The picture of a run on the circle: tokens at the end, and their angles against time.

    Angles are continuous: a line never jumps by 2 pi. At one saved time their density is drawn instead. In the
    animation the trails lead inwards, so that tokens which pass each other can be told apart.

    Args:
        run: a run on `Sphere(2)` that saved its tokens.
        color: what the colors mean: "cluster" (those at the end), or "position" in the sequence, with the first token
            marked by a star. By default "position" for causal models, else "cluster".

    Returns:
        A picture that can also be saved as an animation.

    Raises:
        InvalidInput: the run is on another space or kept no tokens, or `color` is unknown.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, plot, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> plot.circle(run)
    Picture(circle, 7 x 3.5 inches, 5 frames)
    """
    style.check_single(run)
    geometry = run.model.geometry
    if not isinstance(geometry, Sphere) or geometry.d != 2:
        raise InvalidInput(
            f"plot.circle draws tokens on Sphere(2), this run has {geometry!r}: use plot.sphere for Sphere(3), "
            "plot.space for R^2 and R^3, plot.histogram for any Sphere(d)"
        )
    drawn = Drawn.of(run, color)
    scene = _Scene(run, continuous_angles(drawn.x), drawn.groups, drawn.weights)
    with styled():
        figure = scene.static()
    return Picture(figure, Animation(scene.open_animation, len(scene.frames)), "circle")


def continuous_angles(x: np.ndarray) -> np.ndarray:
    """The angles of tokens on the circle, without jumps in time, such that lines which end together stay together.

    For this the circle is cut open where no token ends: at pi, or in the widest gap between the final angles if a
    cluster ends close to pi.

    Args:
        x: tokens over time, shape (T, n, 2).

    Returns:
        Angles in radians, shape (T, n).

    >>> import numpy as np
    >>> theta = np.array([[3.1], [3.2], [1.0]])  # across pi and back
    >>> continuous_angles(np.stack([np.cos(theta), np.sin(theta)], axis=-1)).round(6).ravel().tolist()
    [3.1, 3.2, 1.0]
    """
    angles = np.unwrap(np.arctan2(x[..., 1], x[..., 0]), axis=0)
    final = np.sort(np.mod(angles[-1] + np.pi, 2 * np.pi))  # distance beyond the cut at pi
    cut = -np.pi
    if min(final[0], 2 * np.pi - final[-1]) < 0.15:
        gaps = np.diff(np.append(final, final[0] + 2 * np.pi))
        widest = int(np.argmax(gaps))
        cut = float(np.mod(final[widest] + gaps[widest] / 2, 2 * np.pi)) - np.pi
        cut -= 2 * np.pi * (cut > 0)
    return angles - 2 * np.pi * np.floor((angles[-1] - cut) / (2 * np.pi))


@dataclass(frozen=True)
class _Scene:
    """What is drawn: unwrapped angles (T, n), colors and weights."""

    run: Trajectory
    angles: np.ndarray
    groups: Groups
    weights: np.ndarray

    @property
    def frames(self) -> np.ndarray:
        return frame_indices(len(self.angles))

    def static(self) -> Figure:
        figure = style.new_figure(7.0, 3.5)
        left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.35])
        _prepare(left, outside=0.26)
        start, end = self.angles[0], self.angles[-1]
        if len(self.angles) > 1:
            inner = np.stack([_on_ring(start, 0.90), _on_ring(start, 0.96)], axis=1)
            ticks = LineCollection(list(inner), colors=self.groups.colors, linewidths=0.6, alpha=0.8)
            ticks.set_rasterized(len(inner) > style.RASTERIZE_ABOVE)
            left.add_collection(ticks)
            left.text(0, 0, "ticks: start\ndots: end", ha="center", va="center", fontsize=9, color="#6B7280")
        piles = Piles.of(_on_ring(end, 1.0), self.weights, 2.0)
        left.scatter(
            *piles.points.T,
            s=piles.areas,
            c=self.groups.colors[piles.tokens],
            edgecolors="white",
            linewidths=0.4,
            zorder=3,
        )
        if self.groups.marked is not None:
            left.plot(*_on_ring(end[self.groups.marked], 1.0), linestyle="", **STAR, markersize=10, zorder=4)
        left.set_title(f"tokens at $t = {style.number(style.last_time(self.run))}$")
        if len(self.angles) > 1:
            self._angles_against_time(right)
        else:
            self._density_of_angles(right)
        figure.suptitle(title.facts(self.run, drawn=len(self.weights)), fontsize=10.5)
        self.groups.add_legend(figure)
        return figure

    def _angles_against_time(self, axes: Axes) -> None:
        time = TimeAxis.of(self.run)
        angles = self.angles[time.kept]
        tracked = _tracked(angles.shape[1])
        lines = [np.column_stack([time.values, angles[:, i]]) for i in tracked]
        n = len(lines)
        collection = LineCollection(
            lines,
            colors=self.groups.colors[tracked],
            linewidths=float(np.clip(6 / np.sqrt(n), 0.3, 1.0)),
            alpha=float(np.clip(25 / np.sqrt(n), 0.35, 0.9)),
            rasterized=n * len(angles) > 10 * style.RASTERIZE_ABOVE,
        )
        axes.add_collection(collection)
        if self.groups.marked is not None:
            axes.plot(time.values, angles[:, self.groups.marked], color=style.INK, linewidth=1.5, zorder=3)
        time.apply(axes)
        low, high = angles.min(), angles.max()
        margin = 0.04 * max(high - low, 0.1)
        axes.set_ylim(low - margin, high + margin)
        _label_angles(axes, high - low)
        axes.set_title("angle of each token" if n == self.run.final.n else f"angles of {n:,} of the tokens")

    def _density_of_angles(self, axes: Axes) -> None:
        """What there is to see at one saved time: how dense all tokens lie."""
        x, weights = np.asarray(self.run.final.points), np.asarray(self.run.weights)
        bins = int(np.clip(np.sqrt(len(x)), 12, 180))
        masses, edges = np.histogram(np.arctan2(x[:, 1], x[:, 0]), bins, range=(-np.pi, np.pi), weights=weights)
        axes.stairs(masses * bins, edges, fill=True, color=style.lighter(np.array(to_rgb(style.PALETTE[0])), 0.3))
        axes.set(xlim=(-np.pi, np.pi), ylabel="density of tokens, uniform = 1", xlabel=r"angle $\theta$ [rad]")
        axes.xaxis.set_major_locator(MultipleLocator(np.pi / 2))
        axes.xaxis.set_major_formatter(FuncFormatter(_in_pi))
        axes.set_title("angles of all tokens")

    def open_animation(self) -> tuple[Figure, Draw]:
        """The figure of the animation and its drawing function."""
        figure = style.new_figure(4.8, 5.4)
        axes = figure.add_subplot()
        _prepare(axes, outside=0.14)
        trails = LineCollection([], zorder=2, capstyle="butt", linewidths=0.9)
        axes.add_collection(trails, autolim=False)
        dots = axes.scatter([], [], edgecolors="white", linewidths=0.4, zorder=3)
        (star,) = axes.plot([], [], linestyle="", **STAR, markersize=10, zorder=4)
        clock = axes.text(0, 0, "", ha="center", va="center", fontsize=13)
        figure.suptitle(title.facts(self.run, drawn=len(self.weights)), fontsize=10.5)
        self.groups.add_legend(figure)
        ts, frames = np.asarray(self.run.ts), self.frames

        def draw(i: int) -> None:
            k = int(frames[i])
            segments, colors = self._trail_segments(k)
            trails.set(segments=segments, color=colors)
            piles = Piles.of(_on_ring(self.angles[k], 1.0), self.weights, 2.0)
            dots.set(offsets=piles.points, sizes=piles.areas, facecolor=self.groups.colors[piles.tokens])
            if self.groups.marked is not None:
                star.set_data(*_on_ring(self.angles[k, [self.groups.marked]], 1.0).T)
            clock.set_text(style.clock(ts, k))

        return figure, draw

    def _trail_segments(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Segments (m, 2, 2) of the recent paths, drawn inwards with their age, and their colors (m, 4)."""
        tracked = _tracked(self.angles.shape[1])
        first = max(k - TRAIL, 0)
        path = self.angles[first : k + 1, tracked]
        age = (k - np.arange(first, k + 1)) / TRAIL
        points = _on_ring(path, np.broadcast_to(1 - DEPTH * age[:, None], path.shape))
        segments = np.stack([points[:-1], points[1:]], axis=2).reshape(-1, 2, 2)
        shape = path[1:].shape
        rgb = np.broadcast_to(self.groups.colors[tracked], (*shape, 3)).reshape(-1, 3)
        alpha = np.broadcast_to(0.6 * (1 - age[:-1, None]), shape).reshape(-1)
        return segments, np.column_stack([rgb, alpha])


def _tracked(n: int) -> np.ndarray:
    """Which of n tokens have their path drawn."""
    return np.arange(0, n, max(n // MOST_TRAILS, 1))


def _on_ring(angles: np.ndarray, radius: np.ndarray | float) -> np.ndarray:
    return np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=-1)


def _prepare(axes: Axes, *, outside: float) -> None:
    """Makes `axes` an empty unit circle with angles marked `outside` of it, where no dot reaches."""
    axes.set_aspect("equal")
    axes.axis("off")
    edge = 1.08 + outside
    axes.set(xlim=(-edge, edge), ylim=(-edge, edge))
    around = np.linspace(0, 2 * np.pi, 361)
    axes.plot(np.cos(around), np.sin(around), color=style.FAINT, linewidth=0.9, zorder=1)
    for angle, label in ((0, "$0$"), (np.pi / 2, r"$\pi/2$"), (np.pi, r"$\pi$"), (-np.pi / 2, r"$-\pi/2$")):
        x, y = _on_ring(np.array(angle), 1 + outside)
        axes.text(x, y, label, ha="center", va="center", fontsize=9, color="#6B7280")


def _label_angles(axes: Axes, extent: float) -> None:
    """Labels the vertical axis in multiples of pi, or in plain radians where these are too coarse."""
    axes.set_ylabel(r"angle $\theta$ [rad]")
    if extent < np.pi / 2:
        return
    step = 1 if extent > 3 * np.pi else 2
    axes.yaxis.set_major_locator(MultipleLocator(np.pi / step))
    axes.yaxis.set_major_formatter(FuncFormatter(_in_pi))


def _in_pi(value: float, _: object) -> str:
    """A multiple of pi/2 in words of pi."""
    halves = round(value / np.pi * 2)
    if halves == 0:
        return "$0$"
    sign, halves = ("-" if halves < 0 else ""), abs(halves)
    over = "" if halves % 2 == 0 else "/2"
    factor = halves // 2 if halves % 2 == 0 else halves
    return f"${sign}{'' if factor == 1 else factor}\\pi{over}$"
