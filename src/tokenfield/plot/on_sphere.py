"""Pictures of tokens on S^2, seen from afar: an orthographic globe drawn in two dimensions, with depth and trails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Sphere
from tokenfield.plot import style, title
from tokenfield.plot.dots import STAR, Drawn, Groups, Piles
from tokenfield.plot.picture import Animation, Draw, Picture, frame_indices
from tokenfield.plot.style import lighter, styled
from tokenfield.solver.trajectory import Trajectory

ELEVATION = 20.0
CAMERA_WAY = 90.0  # degrees that the camera goes around during an animation
TRAIL = 10  # saved times that a moving token drags behind
MOST_TRAILS = 2000
GRID = ("#E4E7EB", "#C3C9D1")  # meridians and parallels on the far side and on the near one
SHORTEST = 2e-3  # a segment below this, in radii, is under a pixel


def sphere(
    run: Trajectory,
    *,
    times: Sequence[float] | None = None,
    azimuth: float | None = None,
    elevation: float = ELEVATION,
    color: str | None = None,
) -> Picture:
    """The picture of a run on S^2: tokens at the end, with their whole paths.

    Tokens on the far side are smaller and paler. The animation shows recent paths only and moves the camera slowly.

    Args:
        run: a run on `Sphere(3)` that saved its tokens.
        times: times between the first and the last saved one; for each there is a globe, at the nearest saved time,
            with recent paths. By default `None`: one globe at the end.
        azimuth: where the camera stands around the third axis, in degrees; by default where it sees most of the mass.
        elevation: how high it stands, in degrees from -90 to 90; by default 20.
        color: what the colors mean: "cluster" (those at the end), or "position" in the sequence, with the first token
            marked by a star. By default "position" for causal models, else "cluster".

    Returns:
        A picture that can also be saved as an animation.

    Raises:
        InvalidInput: the run is on another space or kept no tokens, `times` are outside of it, or `color` is unknown.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, plot, solve
    >>> model = Transformer(Sphere(3), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(3), 8, seed=0), t1=4.0, save=5)
    >>> plot.sphere(run, times=[0.0, 4.0])
    Picture(sphere, 6.8 x 4.3 inches, 5 frames)
    """
    style.check_single(run)
    geometry = run.model.geometry
    if not isinstance(geometry, Sphere) or geometry.d != 3:
        raise InvalidInput(
            f"plot.sphere draws tokens on Sphere(3), this run has {geometry!r}: use plot.circle for Sphere(2), "
            "plot.space for R^2 and R^3, plot.histogram for any Sphere(d)"
        )
    scene = _Scene.of(run, azimuth, elevation, color)
    with styled():
        figure = scene.static() if times is None else scene.panels(_saved_indices(run, times))
    return Picture(figure, Animation(scene.open_animation, len(scene.frames)), "sphere")


@dataclass(frozen=True)
class Camera:
    """An orthographic view from afar: it takes points of R^3 to the plane of the picture and to their depth.

    Args:
        azimuth: where the camera stands around the third axis, in degrees.
        elevation: how high it stands, in degrees from -90 to 90.

    >>> import numpy as np
    >>> place, depth = Camera(azimuth=0.0, elevation=0.0).project(np.array([1.0, 0.0, 0.0]))
    >>> place.tolist(), float(depth)
    ([0.0, 0.0], 1.0)
    """

    azimuth: float
    elevation: float

    @property
    def axes(self) -> np.ndarray:
        """The directions to the right, up, and towards the viewer, as the rows of a matrix (3, 3)."""
        a, e = np.deg2rad([self.azimuth, self.elevation])
        right = [-np.sin(a), np.cos(a), 0.0]
        up = [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]
        towards = [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)]
        return np.array([right, up, towards])

    def project(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where points appear in the picture, and how near they are.

        Args:
            x: points of R^3, shape (..., 3).

        Returns:
            Places in the picture, shape (..., 2), and depths, shape (...). Of the unit sphere the nearest point has
            the depth 1, the farthest -1.
        """
        seen = x @ self.axes.T
        return seen[..., :2], seen[..., 2]


def add_globe(axes: Axes, camera: Camera) -> None:
    """Makes `axes` an empty globe seen from `camera`, for pictures of one's own: draw on it with a zorder above 9.

    Args:
        axes: plain axes of matplotlib; their limits are set.
        camera: the view.

    >>> from tokenfield.plot.style import new_figure
    >>> axes = new_figure(3.0, 3.0).subplots()
    >>> add_globe(axes, Camera(azimuth=30.0, elevation=20.0))
    >>> len(axes.collections)
    2
    """
    _prepare(axes)
    _add_ball(axes)
    grid, depths = camera.project(_graticule())
    for is_near in (False, True):
        chosen = grid[(depths.mean(axis=1) >= 0) == is_near]
        axes.add_collection(LineCollection(list(chosen), linewidths=0.5, colors=GRID[is_near], zorder=2), autolim=False)
    _add_rim(axes)


def best_azimuth(x: np.ndarray, weights: np.ndarray, elevation: float) -> float:
    """The azimuth from which most of the mass lies well in front of the globe.

    Args:
        x: tokens on S^2, shape (n, 3).
        weights: their weights, shape (n,).
        elevation: how high the camera stands, in degrees.

    Returns:
        An angle in degrees, a multiple of 10.

    >>> import numpy as np
    >>> best_azimuth(np.array([[0.0, 1.0, 0.0]]), np.ones(1), 0.0)
    90.0
    """
    candidates = np.arange(0.0, 360.0, 10.0)
    # mass near the rim counts little, mass behind it nothing
    scores = [weights @ np.tanh(4 * np.maximum(Camera(a, elevation).project(x)[1], 0)) for a in candidates]
    return float(candidates[int(np.argmax(scores))])


@dataclass(frozen=True)
class _Scene:
    """What is drawn: tokens over time, colors, sizes, where the camera ends up, which saved times are frames."""

    run: Trajectory
    x: np.ndarray
    groups: Groups
    weights: np.ndarray
    camera: Camera
    frames: np.ndarray

    @staticmethod
    def of(run: Trajectory, azimuth: float | None, elevation: float, color: str | None) -> _Scene:
        drawn = Drawn.of(run, color)
        x, weights = drawn.x, drawn.weights
        if azimuth is None:
            azimuth = best_azimuth(x[-1], weights, elevation)
        camera = Camera(float(azimuth), float(elevation))
        return _Scene(run, x, drawn.groups, weights, camera, frame_indices(len(x)))

    def static(self) -> Figure:
        figure = style.new_figure(4.2, 4.9)
        axes = _globe_axes(figure)
        globe = _Globe(axes, self)
        globe.draw(len(self.x) - 1, self.camera, trail=len(self.x))
        figure.suptitle(title.facts(self.run, t=style.last_time(self.run), drawn=len(self.weights)), fontsize=10.5)
        self.groups.add_legend(figure)
        return figure

    def panels(self, indices: list[int]) -> Figure:
        """Globes side by side, one for each saved time."""
        figure = style.new_figure(3.4 * len(indices), 4.3)
        ts = np.asarray(self.run.ts)
        for i, k in enumerate(indices):
            axes = _globe_axes(figure, 1, len(indices), i + 1)
            _Globe(axes, self).draw(k, self.camera, trail=TRAIL)
            axes.set_title(style.clock(ts, k), y=-0.08, fontsize=11)
        figure.suptitle(title.facts(self.run, drawn=len(self.weights)), fontsize=10.5)
        self.groups.add_legend(figure)
        return figure

    def open_animation(self) -> tuple[Figure, Draw]:
        """The figure of the animation and its drawing function."""
        figure = style.new_figure(4.8, 5.4)
        axes = _globe_axes(figure)
        globe = _Globe(axes, self)
        figure.suptitle(title.facts(self.run, drawn=len(self.weights)), fontsize=10.5)
        clock = axes.text(0.0, 0.0, "", transform=axes.transAxes, fontsize=11, ha="left", va="bottom")
        self.groups.add_legend(figure)
        ts = np.asarray(self.run.ts)

        def draw(i: int) -> None:
            k = int(self.frames[i])
            back = CAMERA_WAY * (1 - i / max(len(self.frames) - 1, 1))
            globe.draw(k, Camera(self.camera.azimuth - back, self.camera.elevation), trail=TRAIL)
            clock.set_text(style.clock(ts, k))

        return figure, draw


def _saved_indices(run: Trajectory, times: Sequence[float]) -> list[int]:
    """The indices of the saved times nearest to `times`."""
    ts = np.asarray(run.ts)
    wanted = np.asarray(times, dtype=float)
    if wanted.ndim != 1 or len(wanted) == 0 or not np.all((wanted >= ts[0]) & (wanted <= ts[-1])):
        raise InvalidInput(f"times must be numbers between {ts[0]:g} and {ts[-1]:g}, got {times!r}")
    return [int(np.argmin(np.abs(ts - t))) for t in wanted]


def _globe_axes(figure: Figure, rows: int = 1, columns: int = 1, place: int = 1) -> Axes:
    axes = figure.add_subplot(rows, columns, place)
    _prepare(axes)
    return axes


def _prepare(axes: Axes) -> None:
    axes.set_aspect("equal")
    axes.set(xlim=(-1.06, 1.06), ylim=(-1.06, 1.06))
    axes.axis("off")


class _Globe:
    """The artists of a globe, made once and moved by `draw`: the far half first, then the near one."""

    def __init__(self, axes: Axes, scene: _Scene):
        self._scene = scene
        count, n = scene.x.shape[:2]
        self._tracked = np.arange(n)
        if n > MOST_TRAILS:
            self._tracked = np.sort(np.random.default_rng(0).choice(n, MOST_TRAILS, replace=False))
        self._graticule = _graticule()
        _add_ball(axes)
        is_dense = n > style.RASTERIZE_ABOVE
        self._layers: list[tuple[bool, LineCollection, LineCollection, Any]] = []
        for is_near in (False, True):
            z = 2.0 + 4 * is_near
            lines = LineCollection([], linewidths=0.5, zorder=z)
            trails = LineCollection([], zorder=z + 1, capstyle="butt")
            axes.add_collection(lines, autolim=False)
            axes.add_collection(trails, autolim=False)
            trails.set_rasterized(min(n, MOST_TRAILS) * count > style.RASTERIZE_ABOVE)
            dots = axes.scatter([], [], zorder=z + 2, rasterized=is_dense)
            self._layers.append((is_near, lines, trails, dots))
        (self._star,) = axes.plot([], [], linestyle="", **STAR)
        _add_rim(axes)

    def draw(self, k: int, camera: Camera, *, trail: int) -> None:
        """Shows the saved time `k` from `camera`, with the paths over the last `trail` saved times."""
        scene = self._scene
        piles = Piles.of(scene.x[k], scene.weights, 2.0)
        places, depths = camera.project(piles.points)
        # from the rim to the far pole: smaller and paler; towards the viewer: larger
        away, near = np.clip(-depths, 0, 1), np.clip(depths, 0, 1)
        areas = piles.areas * np.where(depths < 0, 0.75 - 0.20 * away, 0.8 + 0.3 * near)
        fading = np.where(depths < 0, 0.45 + 0.15 * away, 0.10 * (1 - near))
        colors = lighter(scene.groups.colors[piles.tokens], fading)
        order = np.argsort(np.round(20 * depths), kind="stable")  # among equals, the largest stay last
        segments, segment_depths, age, owner = self._trail_segments(k, camera, trail)
        grid, grid_depths = camera.project(self._graticule)
        for is_near, lines, trails, dots in self._layers:
            chosen = (grid_depths.mean(axis=1) >= 0) == is_near
            lines.set(segments=grid[chosen], color=GRID[is_near])
            chosen = (segment_depths >= 0) == is_near
            rgb = lighter(scene.groups.colors[owner[chosen]], 0.15 if is_near else 0.62)
            alpha = (1 - age[chosen]) * (0.55 if is_near else 0.40)
            trails.set(segments=segments[chosen], color=np.column_stack([rgb, alpha]))
            trails.set_linewidth(0.9 if is_near else 0.7)
            chosen = order[(depths[order] >= 0) == is_near]
            dots.set_offsets(places[chosen])
            dots.set_sizes(areas[chosen])
            dots.set_facecolor(np.column_stack([colors[chosen], np.ones(len(chosen))]))
            dots.set_edgecolor("white" if is_near else "none")
            dots.set_linewidth(0.3 if is_near else 0.0)
        if scene.groups.marked is not None:
            place, depth = camera.project(scene.x[k, [scene.groups.marked]])
            is_near = depth[0] >= 0
            self._star.set(data=place.T, zorder=8.5 if is_near else 4.5, alpha=1.0 if is_near else 0.5)
            self._star.set_markersize(10 if is_near else 8)

    def _trail_segments(self, k: int, camera: Camera, trail: int) -> tuple[np.ndarray, ...]:
        """Segments (m, 2, 2) of the paths up to time `k`, their depths, ages from 0 to 1, and tokens."""
        first = max(k - trail, 0)
        path = self._scene.x[first : k + 1, self._tracked]
        pieces = np.stack([path[:-1], path[1:]], axis=2)  # (time, token, end, 3)
        length = np.linalg.norm(pieces[..., 1, :] - pieces[..., 0, :], axis=-1)
        if trail < len(self._scene.x):
            age = np.broadcast_to((k - np.arange(first, k))[:, None] / (trail + 1), length.shape)
        else:
            # whole paths fade towards their start by length, since clocks say little about a flow that slows down
            total = np.maximum(length.sum(axis=0), 1e-12)
            age = 0.75 * (1 - np.cumsum(length, axis=0) / total)
        moved = length > SHORTEST
        places, depths = camera.project(pieces[moved])
        owner = np.broadcast_to(self._tracked, length.shape)[moved]
        return places, depths.mean(axis=1), age[moved], owner


def _graticule(step: float = 30.0, samples: int = 120) -> np.ndarray:
    """Short segments (m, 2, 3) along meridians and parallels every `step` degrees."""
    around = np.linspace(0, 2 * np.pi, samples + 1)
    curves = []
    for latitude in np.deg2rad(np.arange(-90 + step, 90, step)):
        ring = [
            np.cos(latitude) * np.cos(around),
            np.cos(latitude) * np.sin(around),
            np.full_like(around, np.sin(latitude)),
        ]
        curves.append(np.stack(ring, axis=1))
    for longitude in np.deg2rad(np.arange(0, 180, step)):
        ring = [np.cos(around) * np.cos(longitude), np.cos(around) * np.sin(longitude), np.sin(around)]
        curves.append(np.stack(ring, axis=1))
    return np.concatenate([np.stack([curve[:-1], curve[1:]], axis=1) for curve in curves])


def _add_rim(axes: Axes) -> None:
    axes.add_patch(Circle((0, 0), 1, fill=False, edgecolor="#9AA1AB", linewidth=0.8, zorder=9))


def _add_ball(axes: Axes) -> None:
    """Adds a disc shaded towards its rim, which makes it read as a ball."""
    u = np.linspace(-1, 1, 301)
    radius = np.hypot(*np.meshgrid(u + 0.25, u - 0.3))
    gray = np.clip(1.0 - 0.075 * radius**1.6, 0, 1)
    image = axes.imshow(
        np.dstack([gray * 0.992, gray * 0.996, gray]),
        extent=(-1, 1, -1, 1),
        origin="lower",
        interpolation="bilinear",
        zorder=1,
    )
    image.set_clip_path(Circle((0, 0), 1, transform=axes.transData))
    axes.set(xlim=(-1.06, 1.06), ylim=(-1.06, 1.06))
