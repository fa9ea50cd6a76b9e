"""Masked laws: maps of place against position at a few times on the circle and the line, and bands of Gaussians."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from tokenfield.errors import Unsupported
from tokenfield.plot import style, title
from tokenfield.plot.picture import Animation, Draw, Picture, frame_indices
from tokenfield.plot.style import styled
from tokenfield.solver.trajectory import Trajectory

MAPS = 4
AXES = 2  # of a Gaussian, the first
BINS = 240  # of the line
VISIBLE = 0.005  # of the largest density


def masked_density(run: Trajectory) -> Picture:
    """The picture of a masked density on the circle or the line; see `tokenfield.plot.density`."""
    is_moving = hasattr(run.final, "masses")
    if run.final.d != (1 if is_moving else 2):
        raise Unsupported("masked densities are drawn on the circle and the line: elsewhere use run.state(k).means")
    values, faces = _on_the_line(run) if is_moving else _on_the_circle(run)
    name, letter = ("$x$", "x") if is_moving else (r"angle $\theta$ (rad)", r"\theta")
    places = np.linspace(0, 1, values.shape[1] + 1)
    norm = Normalize(0.0, float(values.max()))

    def draw_map(axes: Any, k: int) -> Any:
        axes.set(xlabel="position $s$", ylabel=name)
        return axes.pcolormesh(places, faces, values[k].T, norm=norm, cmap=style.HEAT, rasterized=True)

    def moving() -> tuple[Figure, Draw]:
        figure = style.new_figure(5.4, 3.6)
        facts, ts, frames = title.facts(run), np.asarray(run.ts), frame_indices(len(values))
        headline, axes = figure.suptitle(facts, fontsize=10.5), figure.add_subplot()
        heat = draw_map(axes, 0)
        _color_bar(figure, heat, axes, letter)

        def draw(i: int) -> None:
            heat.set_array(values[int(frames[i])].T)
            headline.set_text(f"{facts}\n{style.clock(ts, int(frames[i]))}")

        return figure, draw

    chosen, ts = np.unique(np.linspace(0, len(values) - 1, MAPS).round().astype(int)), np.asarray(run.ts, float)
    with styled():
        figure = style.new_figure(7.6, 2.7)
        panels = np.atleast_1d(figure.subplots(1, len(chosen), sharex=True, sharey=True))
        for axes, k in zip(panels, chosen, strict=True):
            heat = draw_map(axes, int(k))
            axes.set_title(f"$t = {style.number(float(f'{ts[k]:.3g}'))}$")
            axes.label_outer()
        _color_bar(figure, heat, list(panels), letter)
        figure.suptitle(title.facts(run), fontsize=10.5)
    return Picture(figure, Animation(moving, len(frame_indices(len(values)))), "density")


def masked_gaussian(run: Trajectory) -> Picture:
    """The picture of a Gaussian for each position: means and standard deviations of the first axes at a few times."""
    means, covariances = (np.asarray(run.saved(f"masked_{name}"), float) for name in ("mean", "covariance"))
    widths = np.sqrt(np.maximum(np.diagonal(covariances, axis1=-2, axis2=-1), 0.0))
    k, ts = means.shape[1], np.asarray(run.ts, float)
    places = (np.arange(k) + 0.5) / k
    chosen = np.unique(np.linspace(0, len(means) - 1, MAPS).round().astype(int))
    with styled():
        figure = style.new_figure(7.6, 2.7)
        panels = np.atleast_1d(figure.subplots(1, len(chosen), sharex=True, sharey=True))
        for axes, at in zip(panels, chosen, strict=True):
            for axis, color in zip(range(min(means.shape[2], AXES)), style.PALETTE, strict=False):
                mean, width = means[at, :, axis], widths[at, :, axis]
                axes.fill_between(places, mean - width, mean + width, color=color, alpha=0.25, linewidth=0)
                axes.plot(places, mean, color=color, label=f"$x_{axis + 1}$")
            axes.set(xlabel="position $s$", ylabel="mean ± standard deviation", xlim=(0, 1), xticks=[0, 0.5, 1])
            axes.set_title(f"$t = {style.number(float(f'{ts[at]:.3g}'))}$")
            axes.label_outer()
        panels[0].legend(fontsize=8)
        figure.suptitle(title.facts(run), fontsize=10.5)
    return Picture(figure, None, "Gaussian")


def _on_the_circle(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """The densities (T, k, m) and the angles (m + 1,) between which they are drawn."""
    values = np.asarray(run.saved("masked"), float) / (2 * np.pi)
    # no peak is cut in two: angles begin where the last densities are lowest
    cut = int(np.argmin(values[-1].max(axis=0)))
    values = np.roll(values, -cut, axis=2)
    m = values.shape[2]
    first = cut - (m if 4 * cut > m else 0)
    return values, 2 * np.pi * (np.arange(m + 1) + first - 0.5) / m


def _on_the_line(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """The densities (T, k, BINS) on a common part of the line, which holds what is seen of any, and its (BINS + 1,)."""
    points, values = (np.asarray(run.saved(name), float) for name in ("masked_points", "masked"))
    points = points[..., 0]
    seen = points[values > VISIBLE * values.max()]
    faces = np.linspace(seen.min(), seen.max(), BINS + 1)
    middles = (faces[1:] + faces[:-1]) / 2
    rows = zip(points.reshape(-1, points.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
    drawn = [np.interp(middles, x, rho, left=0.0, right=0.0) for x, rho in rows]
    return np.reshape(drawn, (*points.shape[:2], BINS)), faces


def _color_bar(figure: Figure, heat: Any, panels: Any, letter: str) -> None:
    bar = figure.colorbar(heat, ax=panels, pad=0.02, label=rf"density $\rho_s(t, {letter})$")
    bar.outline.set_visible(False)
