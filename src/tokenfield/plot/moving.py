"""Densities in R^1 and R^2 on nodes that move: a heat map of place against time with profiles, or maps. No physics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from tokenfield.plot import style, title
from tokenfield.plot.picture import Animation, Draw, Picture, frame_indices
from tokenfield.plot.style import PALETTE, TimeAxis, styled
from tokenfield.solver.trajectory import Trajectory

ROWS = 400  # of a heat map
PROFILES, MAPS = 5, 4
SEEN = 0.9995  # of the mass is inside of what is drawn
PEAKED = {1: 30.0, 2: 4.0}  # a largest density that exceeds the smallest peak by more wants a logarithmic scale
DECADES = 3.0


def moving_density(run: Trajectory) -> Picture:
    """The picture of a density in R^1 or R^2; see `tokenfield.plot.density`."""
    scene = _Scene(run)
    with styled():
        figure = scene.heat_map() if scene.d == 1 else scene.maps()
    return Picture(figure, Animation(scene.moving, len(frame_indices(len(scene.rho)))), "density")


class _Scene:
    """What is drawn: the density `rho` (T, m) at the points `x` (T, m, d)."""

    def __init__(self, run: Trajectory):
        self.run, self.d = run, run.final.d
        self.x = np.asarray(run.saved("points"), float)
        self.rho = np.asarray(run.saved("density"), float)
        masses = np.asarray(run.final.masses, float)
        middles, halves = [], []
        for points in self.x:
            limits = [_quantiles(points[:, k], masses) for k in range(self.d)]
            middles.append([(low + high) / 2 for low, high in limits])
            halves.append([(high - low) / 2 for low, high in limits])
        low = (np.array(middles) - np.array(halves)).min(axis=0)
        high = (np.array(middles) + np.array(halves)).max(axis=0)
        self.low, self.high = low - 0.05 * (high - low), high + 0.05 * (high - low)
        finite = np.where(np.isfinite(self.rho), self.rho, 0.0)
        self.tops = finite.max(axis=1)
        self.top = float(self.tops.max())

    @property
    def is_peaked(self) -> bool:
        return self.top > PEAKED[self.d] * float(self.tops.min())

    def norm(self) -> Normalize:
        return LogNorm(self.top * 10.0**-DECADES, self.top) if self.is_peaked else Normalize(0.0, self.top)

    def shown(self, values: np.ndarray) -> np.ndarray:
        return np.clip(values, self.top * 10.0**-DECADES, self.top) if self.is_peaked else values

    def chosen(self, count: int) -> np.ndarray:
        return np.unique(np.linspace(0, len(self.rho) - 1, count).round().astype(int))

    def on_line(self, k: int, at: np.ndarray) -> np.ndarray:
        """The density at the saved time `k` at the places `at`, zero outside of the nodes."""
        order = np.argsort(self.x[k, :, 0])
        return np.interp(at, self.x[k, order, 0], self.rho[k, order], left=0.0, right=0.0)

    def heat_map(self) -> Figure:
        figure = style.new_figure(7.0, 3.3)
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
        time = TimeAxis.of(self.run)
        edges = np.linspace(self.low[0], self.high[0], ROWS + 1)
        places = (edges[1:] + edges[:-1]) / 2
        rows = np.arange(len(self.rho))[time.kept]
        values = np.stack([self.on_line(int(k), places) for k in rows], axis=1)
        heat = left.pcolormesh(
            time.edges(), edges, self.shown(values), norm=self.norm(), cmap=style.HEAT, rasterized=True
        )
        time.apply(left)
        left.set_xlim(*time.edges()[[0, -1]])
        left.set_ylabel(self.place)
        self._color_bar(figure, heat, left)
        self._profiles(right)
        figure.suptitle(title.facts(self.run), fontsize=10.5)
        return figure

    @property
    def place(self) -> str:
        return "$z = e^{-tV} x$" if self.run.model.rescaled else "$x$"

    def _profiles(self, axes: Any) -> None:
        ts, chosen = np.asarray(self.run.ts, float), self.chosen(PROFILES)
        colors = matplotlib.colormaps[style.HEAT](np.linspace(0.0, 0.88, len(chosen)))
        at = np.linspace(self.low[0], self.high[0], 4 * ROWS)
        for k, color in zip(chosen, colors, strict=True):
            axes.plot(at, self.shown(self.on_line(int(k), at)), color=color, label=f"${style.number(_time(ts, k))}$")
        self._prepare(axes)
        axes.legend(title="$t$", title_fontsize=9.0, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)

    def _prepare(self, axes: Any) -> None:
        axes.set(xlim=(self.low[0], self.high[0]), xlabel=self.place)
        if self.is_peaked:
            axes.set_yscale("log")
            axes.set_ylim(1.02 * self.top * 10.0**-DECADES, 1.6 * self.top)
        else:
            axes.set_ylim(0, 1.06 * self.top)

    # --- maps of the plane ----------------------------------------------------------------------------------------

    def maps(self) -> Figure:
        chosen, ts = self.chosen(MAPS), np.asarray(self.run.ts, float)
        shape = float((self.high[1] - self.low[1]) / (self.high[0] - self.low[0]))
        figure = style.new_figure(7.0, 1.15 + 1.35 * np.clip(shape, 0.4, 2.0))
        panels = np.atleast_1d(figure.subplots(1, len(chosen), sharex=True, sharey=True))
        for axes, k in zip(panels, chosen, strict=True):
            heat = self._map(axes, int(k))
            axes.set_title(f"$t = {style.number(_time(ts, int(k)))}$")
        letter = "z" if self.run.model.rescaled else "x"
        panels[0].set_ylabel(f"${letter}_2$")
        for axes in panels:
            axes.set_xlabel(f"${letter}_1$")
        self._color_bar(figure, heat, list(panels))
        figure.suptitle(title.facts(self.run), fontsize=10.5)
        return figure

    def _map(self, axes: Any, k: int) -> Any:
        size = self.run.final.grid.size
        x, y = (self.x[k, :, axis].reshape(size, size) for axis in range(2))
        values = self.shown(np.nan_to_num(self.rho[k], posinf=self.top)).reshape(size, size)
        axes.set_facecolor(matplotlib.colormaps[style.HEAT](0.0))
        heat = axes.pcolormesh(x, y, values, norm=self.norm(), cmap=style.HEAT, shading="gouraud", rasterized=True)
        axes.set(xlim=(self.low[0], self.high[0]), ylim=(self.low[1], self.high[1]), aspect="equal")
        axes.grid(False)
        return heat

    def _color_bar(self, figure: Figure, heat: Any, panels: Any) -> None:
        letter = "z" if self.run.model.rescaled else "x"
        unit = "length" if self.d == 1 else "area"
        bar = figure.colorbar(heat, ax=panels, pad=0.02, label=f"density $\\rho(t, {letter})$ per {unit}")
        bar.outline.set_visible(False)
        bar.ax.minorticks_off()

    def moving(self) -> tuple[Figure, Draw]:
        """The figure of the animation and its drawing function."""
        figure = style.new_figure(5.4, 3.6)
        facts, ts, frames = title.facts(self.run), np.asarray(self.run.ts), frame_indices(len(self.rho))
        headline = figure.suptitle(facts, fontsize=10.5)
        axes = figure.add_subplot()
        show: Callable[[int], None]
        if self.d == 1:
            at = np.linspace(self.low[0], self.high[0], 4 * ROWS)
            (line,) = axes.plot(at, self.shown(self.on_line(0, at)), color=PALETTE[0])
            self._prepare(axes)
            axes.set_ylabel("density per length")

            def show(k: int) -> None:
                line.set_ydata(self.shown(self.on_line(k, at)))
        else:
            self._color_bar(figure, self._map(axes, 0), axes)

            def show(k: int) -> None:
                for old in list(axes.collections):
                    old.remove()
                self._map(axes, k)

        def draw(i: int) -> None:
            show(int(frames[i]))
            headline.set_text(f"{facts}\n{style.clock(ts, int(frames[i]))}")

        return figure, draw


def _quantiles(x: np.ndarray, masses: np.ndarray) -> tuple[float, float]:
    """Where all but (1 - SEEN) of the mass is, of which half is on each side."""
    order = np.argsort(x)
    totals = np.cumsum(masses[order])
    ends = np.searchsorted(totals / totals[-1], [(1 - SEEN) / 2, (1 + SEEN) / 2])
    return float(x[order][ends[0]]), float(x[order][min(ends[1], len(x) - 1)])


def _time(ts: np.ndarray, k: int) -> float:
    return float(f"{ts[k]:.3g}")
