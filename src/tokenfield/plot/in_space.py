"""Pictures of tokens in R^2 and R^3: where they end, the paths that led there, and their convex hull."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Euclidean
from tokenfield.observables import hull_faces
from tokenfield.plot import style, title
from tokenfield.plot.dots import STAR, Drawn, Groups, Piles
from tokenfield.plot.picture import Animation, Draw, Picture, frame_indices
from tokenfield.plot.style import styled
from tokenfield.solver.trajectory import Trajectory

TRAIL = 12  # saved times that a moving token drags behind
CAMERA_WAY = 40.0  # degrees that the camera goes around R^3 during an animation
ELEVATION, AZIMUTH = 22.0, -50.0
MOST_TRAILS = 2000
HULL = "#6B7280"


def space(run: Trajectory, *, color: str | None = None) -> Picture:
    """The picture of a run in R^2 or R^3: tokens at the end, their paths and their convex hull.

    The dashed hull is the one at the start. The animation shows recent paths only.

    Args:
        run: a run in `Euclidean(2)` or `Euclidean(3)` that saved its tokens.
        color: what the colors mean: "cluster" (those at the end), or "position" in the sequence, with the first token
            marked by a star. By default "position" for causal models, else "cluster".

    Returns:
        A picture that can also be saved as an animation.

    Raises:
        InvalidInput: the run is in another space or kept no tokens, or `color` is unknown.

    >>> from tokenfield import Euclidean, Softmax, Transformer, initial, plot, solve
    >>> start = initial.gaussian(Euclidean(2), 8, seed=0)
    >>> plot.space(solve(Transformer(Euclidean(2), Softmax(1.0)), start, t1=1.0, save=5))
    Picture(space, 4.4 x 4.9 inches, 5 frames)
    """
    style.check_single(run)
    geometry = run.model.geometry
    if not isinstance(geometry, Euclidean) or geometry.d not in (2, 3):
        raise InvalidInput(
            f"plot.space draws tokens in Euclidean(2) and Euclidean(3), this run has {geometry!r}: use plot.circle for "
            "Sphere(2), plot.sphere for Sphere(3)"
        )
    drawn = Drawn.of(run, color)
    scene = _Scene(run, drawn.x, drawn.groups, drawn.weights)
    with styled():
        figure = scene.static()
    return Picture(figure, Animation(scene.open_animation, len(scene.frames)), "space")


@dataclass(frozen=True)
class _Scene:
    """What is drawn: tokens (T, n, d), colors and weights."""

    run: Trajectory
    x: np.ndarray
    groups: Groups
    weights: np.ndarray

    @property
    def frames(self) -> np.ndarray:
        return frame_indices(len(self.x))

    @property
    def d(self) -> int:
        return self.x.shape[-1]

    def limits(self, first: int, last: int) -> np.ndarray:
        """The box (d, 2) around the tokens from the saved time `first` to `last`, with a margin."""
        points = self.x[first : last + 1].reshape(-1, self.d)
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.06 * max(float((high - low).max()), 1e-9)
        return np.stack([low - margin, high + margin], axis=1)

    def static(self) -> Figure:
        figure = style.new_figure(4.4, 4.9)
        panel = _Panel(figure, self)
        last = len(self.x) - 1
        panel.set_limits(self.limits(0, last))
        panel.draw(last, trail=last)
        if last > 0:
            panel.add_start()
        figure.suptitle(title.facts(self.run, t=style.last_time(self.run), drawn=len(self.weights)), fontsize=10.5)
        self.groups.add_legend(figure)
        return figure

    def open_animation(self) -> tuple[Figure, Draw]:
        """The figure of the animation and its drawing function."""
        figure = style.new_figure(4.8, 5.4)
        panel = _Panel(figure, self)
        facts = title.facts(self.run, drawn=len(self.weights))
        headline = figure.suptitle(facts, fontsize=10.5)
        self.groups.add_legend(figure)
        ts, frames, last = np.asarray(self.run.ts), self.frames, len(self.x) - 1
        whole = self.limits(0, last)
        extents = [float(np.diff(self.limits(k, k)).max()) for k in (0, last)]
        # a cloud that grows or shrinks by a lot would be a dot for half of the time: then the frame follows it
        is_followed = max(extents) > 4 * min(extents)

        def draw(i: int) -> None:
            k = int(frames[i])
            panel.set_limits(self.limits(max(k - TRAIL, 0), k) if is_followed else whole)
            panel.draw(k, trail=TRAIL)
            if self.d == 3:
                panel.look_from(AZIMUTH + CAMERA_WAY * (i / max(len(frames) - 1, 1) - 0.5))
            headline.set_text(f"{facts},  {style.clock(ts, k)}")

        return figure, draw


class _Panel:
    """The axes in R^2 or R^3 and their artists, made once and moved by `draw`."""

    def __init__(self, figure: Figure, scene: _Scene):
        self._scene = scene
        self._extent = 1.0  # the length that the axes show
        count, n = scene.x.shape[:2]
        self._tracked = np.arange(0, n, max(n // MOST_TRAILS, 1))
        letter = "z" if scene.run.model.rescaled else "x"
        self.axes: Any = figure.add_subplot(projection="3d" if scene.d == 3 else None)
        labels = [f"${letter}_{i}$" for i in range(1, scene.d + 1)]
        self.axes.set_xlabel(labels[0])
        self.axes.set_ylabel(labels[1])
        segments = LineCollection([]) if scene.d == 2 else Line3DCollection([])
        self._trails: Any = segments
        self._trails.set(linewidth=0.9, zorder=2, rasterized=len(self._tracked) * count > 10 * style.RASTERIZE_ABOVE)
        self._hull: Any = PolyCollection([]) if scene.d == 2 else Poly3DCollection([])
        self._hull.set(facecolor=(0.42, 0.45, 0.50, 0.08), edgecolor=HULL, zorder=1)
        self._hull.set_linewidth(0.8 if scene.d == 2 else 0.3)
        for artist in (self._hull, self._trails):
            self.axes.add_collection(artist, autolim=False)
        # shading by depth would change the clusters' colors
        shading: dict[str, Any] = {"depthshade": False} if scene.d == 3 else {}
        nowhere = np.empty((scene.d, 0))
        self._dots: Any = self.axes.scatter(*nowhere, edgecolors="white", linewidths=0.4, zorder=4, **shading)
        self._dots.set_rasterized(n > style.RASTERIZE_ABOVE)
        self._star: Any = self.axes.plot(*nowhere, linestyle="", **STAR, markersize=10, zorder=5)[0]
        if scene.d == 2:
            self.axes.set_aspect("equal", adjustable="box")
        else:
            self._prepare_3d(labels[2])

    def _prepare_3d(self, label: str) -> None:
        axes = self.axes
        axes.set_zlabel(label)
        axes.computed_zorder = False  # tokens belong in front of trails and hull
        axes.view_init(elev=ELEVATION, azim=AZIMUTH)
        axes.set_box_aspect((1, 1, 1), zoom=0.84)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_rotate_label(False)
            axis.set_pane_color((0.97, 0.975, 0.98, 1.0))
            axis._axinfo["grid"].update(color=(0.87, 0.88, 0.9, 1.0), linewidth=0.5)

    def set_limits(self, box: np.ndarray) -> None:
        """Shows `box` (d, 2); in R^2 as a square with the same scale on both axes."""
        half = np.diff(box).max() / 2
        self._extent = 2 * float(half)
        middle = box.mean(axis=1)
        if self._scene.d == 2:
            self.axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
        else:
            self.axes.set(xlim=box[0], ylim=box[1], zlim=box[2])

    def look_from(self, azimuth: float) -> None:
        """Moves the camera around the vertical axis of R^3."""
        self.axes.view_init(elev=ELEVATION, azim=azimuth)

    def draw(self, k: int, *, trail: int) -> None:
        """Shows the saved time `k` with the paths over the last `trail` saved times."""
        scene, points = self._scene, self._scene.x[k]
        piles = Piles.of(points, scene.weights, self._extent)
        if scene.d == 2:
            self._dots.set_offsets(piles.points)
        else:
            self._dots._offsets3d = tuple(piles.points.T)
        self._dots.set(sizes=piles.areas, facecolor=scene.groups.colors[piles.tokens])
        if scene.groups.marked is not None:
            place = points[[scene.groups.marked]].T
            (self._star.set_data if scene.d == 2 else self._star.set_data_3d)(*place)
        faces = hull_faces(scene.run.measure(k))
        self._hull.set_verts(faces if faces else [np.zeros((1, scene.d))])
        first = max(k - trail, 0)
        path = scene.x[first : k + 1, self._tracked]
        segments = np.stack([path[:-1], path[1:]], axis=2).reshape(-1, 2, scene.d)
        fresh = (np.arange(1, k - first + 1)) / max(k - first, 1)
        alpha = np.repeat(0.25 + 0.45 * fresh, len(self._tracked))
        rgb = np.tile(scene.groups.colors[self._tracked], (k - first, 1))
        self._trails.set_segments(list(segments) if len(segments) else [np.zeros((2, scene.d))])
        self._trails.set_color(np.column_stack([rgb, alpha]) if len(segments) else "none")

    def add_start(self) -> None:
        """Adds the tokens at the start as small dots, and in R^2 their hull, dashed; in R^3 it would hide too much."""
        scene = self._scene
        start, colors = scene.x[0][self._tracked], scene.groups.colors[self._tracked]
        shading: dict[str, Any] = {"depthshade": False} if scene.d == 3 else {}
        self.axes.scatter(*start.T, s=5, c=style.lighter(colors, 0.35), linewidths=0, zorder=3, **shading)
        for face in hull_faces(scene.run.measure(0)) if scene.d == 2 else []:
            closed = np.vstack([face, face[:1]])
            self.axes.plot(*closed.T, color=HULL, linewidth=0.7, linestyle=(0, (4, 3)), zorder=1)
