"""The picture of a steering: tokens before and after training, with their targets, and the loss by step.

Paths come from the models of the steering, solved here for the picture alone; on S^2 they are drawn on a globe, in the
plane and on the circle as they are, and elsewhere in the two directions in which starts and targets spread most.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tokenfield.geometry import Sphere
from tokenfield.plot import style
from tokenfield.plot.on_sphere import Camera, add_globe, best_azimuth
from tokenfield.plot.picture import Picture
from tokenfield.solver.solve import solve

if TYPE_CHECKING:
    from tokenfield.control.steering import Steering

DEPTHS = 81  # at which paths are drawn
WIDTH, HEIGHT = 9.6, 3.7
FEW = 24  # tokens; of more, dots and lines are finer
MOST_NAMED = 6  # prompts in the legend


def steering(found: Steering, *, labels: list[np.ndarray] | None = None) -> Picture:
    """The picture of what `tokenfield.control.steer` found: the flow before and after training, and the loss.

    Args:
        found: What `steer` returned.
        labels: For each prompt the numbers of the colors of its tokens, shape (n,); by default one for each prompt.

    Returns:
        A picture that does not move.

    >>> from tokenfield import Euclidean, Perceptron, Transformer
    >>> from tokenfield.control import steer
    >>> model = Transformer(Euclidean(2), Perceptron())
    >>> steering(steer(model, [[0.0, 0.0]], [[1.0, 1.0]], t1=1.0, seed=0, steps=20, pieces=2))
    Picture(steering, 9.6 x 3.7 inches)
    """
    before, after = (_paths(found, which) for which in ("untrained", "model"))
    targets = [np.asarray(target.points) for target in found.targets]
    colors = [np.full(path.shape[1], i) for i, path in enumerate(after)] if labels is None else labels
    with style.styled():
        figure = style.new_figure(WIDTH, HEIGHT)
        axes = figure.subplots(1, 3, width_ratios=[1, 1, 0.85])
        show = _view(found, before, after, targets)
        for panel, shown, title in zip(axes, (before, after), ("random weights", "trained weights"), strict=False):
            places, depths, target_places = show(panel, shown)
            _mark(panel, places, depths, target_places, colors)
            panel.set_title(title)
        _draw_loss(axes[2], found)
        _add_legend(figure, len(after) if labels is None else 0)
    return Picture(figure, None, "steering")


def _paths(found: Steering, which: str) -> list[np.ndarray]:
    model = getattr(found, which)
    t1 = float(model.schedule.t1)
    return [np.asarray(solve(model, source, t1=t1, save=DEPTHS, progress=False).points) for source in found.sources]


def _view(
    found: Steering, before: list[np.ndarray], after: list[np.ndarray], targets: list[np.ndarray]
) -> Callable[..., Any]:
    """A function of axes and paths: it draws what is behind, and returns places, depths and places of targets."""
    geometry = found.model.geometry
    if isinstance(geometry, Sphere) and geometry.d == 3:
        marks = np.concatenate([*(path[0] for path in after), *targets])
        camera = Camera(best_azimuth(marks, np.full(len(marks), 1 / len(marks)), 20.0), 20.0)

        def on_globe(axes: Axes, shown: list[np.ndarray]):
            add_globe(axes, camera)
            seen = [camera.project(path) for path in shown]
            return [s[0] for s in seen], [s[1] for s in seen], [camera.project(target) for target in targets]

        return on_globe
    everything = np.concatenate([path.reshape(-1, geometry.d) for path in (*before, *after)] + targets)
    basis, names = np.eye(2), ("$x_1$", "$x_2$")
    if geometry.d != 2:
        ends = np.concatenate([*(path[0] for path in after), *targets])
        basis = np.linalg.svd(ends - ends.mean(axis=0), full_matrices=True)[2][:2].T
        names = ("first principal direction", "second principal direction")
    flat = everything @ basis
    middle, half = (flat.max(axis=0) + flat.min(axis=0)) / 2, 0.55 * max(np.ptp(flat, axis=0).max(), 1e-9)

    flat_targets = [(target @ basis, np.ones(len(target))) for target in targets]

    def in_plane(axes: Axes, shown: list[np.ndarray]):
        axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal")
        axes.set(xlabel=names[0], ylabel=names[1])
        return [path @ basis for path in shown], [np.ones(path.shape[:2]) for path in shown], flat_targets

    return in_plane


def _mark(axes: Axes, places, depths, targets, labels) -> None:
    """Draws starts as rings, paths as lines, ends as dots, targets as squares; what is behind the globe is paler."""
    count = sum(path.shape[1] for path in places)
    size, width, alpha = (30.0, 1.3, 0.8) if count <= FEW else (14.0, 0.7, 0.35)
    palette = np.array([to_rgb(color) for color in style.PALETTE])
    scatter: Any = axes.scatter  # whose stubs know no arrays of colors
    for path, depth, label, (boxes, behind) in zip(places, depths, labels, targets, strict=True):
        own = palette[np.asarray(label) % len(palette)]

        def shade(d: np.ndarray, own: np.ndarray = own) -> np.ndarray:
            return style.lighter(own, np.where(d >= 0, 0.0, 0.55))

        for k in range(len(path) - 1):
            segments = np.stack([path[k], path[k + 1]], axis=1)
            lines = LineCollection(list(segments), colors=shade(depth[k + 1]), linewidths=width, alpha=alpha, zorder=10)
            axes.add_collection(lines, autolim=False)
        scatter(*path[0].T, s=size, c="white", edgecolors=shade(depth[0]), linewidths=1.1, zorder=11)
        scatter(*path[-1].T, s=size, c=shade(depth[-1]), edgecolors="white", linewidths=0.4, zorder=12)
        edges = shade(behind) if len(boxes) == len(own) else style.lighter(own[:1], np.where(behind >= 0, 0.0, 0.55))
        scatter(*boxes.T, s=72, marker="s", c="none", edgecolors=edges, linewidths=1.3, zorder=13)


def _draw_loss(axes: Axes, found: Steering) -> None:
    steps = np.arange(len(found.losses))
    axes.plot(steps, found.losses, color=style.PALETTE[2], marker="o" if len(steps) == 1 else "", label="training")
    axes.axhline(found.certificate.loss, color=style.INK, linestyle="--", linewidth=0.9, label="certificate")
    axes.set_yscale("log")
    axes.set(xlabel="optimizer step", title="loss")
    axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)
    axes.legend()


def _add_legend(figure: Figure, prompts: int) -> None:
    dot = partial(Line2D, [], [], linestyle="", markersize=5.5)
    handles = [
        dot(marker="o", color=style.PALETTE[i % len(style.PALETTE)], markeredgewidth=0, label=f"prompt {i}")
        for i in range(min(prompts, MOST_NAMED))
    ]
    gray: dict[str, Any] = {"color": style.INK, "markeredgewidth": 1.0}
    handles.append(dot(marker="o", markerfacecolor="white", label="start", **gray))
    handles.append(dot(marker="o", label="end", **gray))
    handles.append(dot(marker="s", markerfacecolor="none", label="target", **gray))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), handletextpad=0.2, columnspacing=1.4)
