"""Densities: where the mass is against time, the strength of each harmonic degree, and the energy. No physics.

Strengths come from `observables.degrees`, rates from `theory`; what is computed here is where to draw them.
On the circle and for zonal densities space is one axis, so a run is one heat map; on S^2 it is a few maps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MultipleLocator, NullFormatter

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.observables.degrees import degree_amplitudes, linear_until, strongest_degrees
from tokenfield.observables.energy import has_energy
from tokenfield.plot import over_time, style, title
from tokenfield.plot.masked import masked_density
from tokenfield.plot.moving import moving_density
from tokenfield.plot.picture import Animation, Draw, Picture, frame_indices
from tokenfield.plot.style import PALETTE, TimeAxis, styled
from tokenfield.solver.trajectory import Trajectory

PROFILES = 5  # times whose profiles are drawn
MAPS = 4
MOST_ROWS = 512  # finer than this a heat map is finer than a page
SMOOTH = 256  # nodes that look like a curve
ROWS, COLUMNS = 120, 240  # of a map
DECADES = 3.0  # below the largest density by more than this is empty
DEGREES = 6
DASHES = (0, (4, 2.5))


def density(run: Trajectory) -> Picture:
    """The picture of a density against time: per length in R or on circles, per area in R^2, else over the uniform law.

    On the circle a heat map of angle against time beside profiles at a few times; for zonal densities the same with
    <x, e_1> for the angle, and on the line with x; on S^2 maps in the projection of Mollweide, in R^2 maps of the
    plane. On spheres times are spread evenly in the logarithm of the largest density.

    Args:
        run: A run that kept its densities.

    Returns:
        The picture, which also moves.

    Raises:
        InvalidInput: Unless `run` kept a density.

    >>> import tokenfield as tkf
    >>> model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta=2.0))
    >>> rho = tkf.Density.perturbed_uniform(tkf.laws.Fourier(32), degree=2, amplitude=0.1)
    >>> density(tkf.solve(model, rho, t1=0.1, save=3)).name
    'density'
    """
    if isinstance(run, Trajectory) and hasattr(run.final, "shares"):
        return masked_density(run)
    values = _values_along(run)
    if hasattr(run.final, "masses"):
        return moving_density(run)
    scene = _Scene.of(run, values)
    with styled():
        figure = scene.maps() if scene.is_surface else scene.heat_map()
    return Picture(figure, Animation(scene.moving, len(frame_indices(len(values)))), "density")


def _values_along(run: Trajectory) -> np.ndarray:
    """The saved densities (T, m)."""
    style.check_single(run)
    if hasattr(run.final, "shares"):
        raise Unsupported("a masked density is one for each position: use plot.density, or run.state(k).values")
    if run.kind != "density":
        raise InvalidInput(f"this is the run of {run.kind}, not of a density: use plot.circle, sphere or space")
    return np.asarray(run.saved("density"), dtype=np.float64)


@dataclass(frozen=True)
class _Scene:
    """What is drawn: `rho` (T, m) at `place` (m,) between `edges` (m + 1,), or (T, latitudes, longitudes) on S^2."""

    run: Trajectory
    rho: np.ndarray
    place: np.ndarray
    edges: np.ndarray
    label: str
    symbol: str
    flat: float  # the uniform density

    @staticmethod
    def of(run: Trajectory, values: np.ndarray) -> _Scene:
        grid = run.final.grid
        if grid.d == 2:
            rho = _binned(values if grid.is_positive else _between_nodes(values)) / (2 * np.pi)
            cut = int(np.argmin(rho[-1]))  # no peak is cut in two
            rho = np.roll(rho, -cut, axis=1)
            bins = np.arange(len(rho[0]) + 1) + cut - (len(rho[0]) if 4 * cut > len(rho[0]) else 0)
            # a bin of several nodes begins half a node before the first of them
            edges = 2 * np.pi * bins / len(rho[0]) - np.pi / max(values.shape[1], len(rho[0]))
            place = (edges[1:] + edges[:-1]) / 2
            return _Scene(run, rho, place, edges, r"angle $\theta$", r"\rho(t, \theta)", 1 / (2 * np.pi))
        if grid.is_orbit:
            t = np.asarray(grid.points)[:, 0]
            edges = _edges(t, -1.0, 1.0)
            return _Scene(run, values, t, edges, r"$\langle x, e_1 \rangle$", r"\rho / \rho_{\mathrm{uniform}}", 1.0)
        z = np.asarray(grid.points)[:, 2]
        rows = len(np.unique(z.round(12)))
        maps = values.reshape(len(values), rows, -1)
        latitudes = np.arcsin(np.clip(z.reshape(rows, -1)[:, 0], -1, 1))
        edges = _edges(latitudes, -np.pi / 2, np.pi / 2)
        return _Scene(run, maps, latitudes, edges, "", r"\rho / \rho_{\mathrm{uniform}}", 1.0)

    @property
    def is_surface(self) -> bool:
        return self.rho.ndim == 3

    @property
    def is_circle(self) -> bool:
        return self.run.final.grid.d == 2

    @property
    def is_peaked(self) -> bool:
        """Whether the range is so large that a linear scale would show the highest peak alone."""
        return float(self.rho.max()) > 8 * self.flat

    def norm(self) -> Normalize:
        top = float(self.rho.max())
        if self.is_peaked:
            return LogNorm(max(float(self.rho.min()), top * 10.0**-DECADES), top)
        low, high = float(self.rho.min()), top
        # a density that stays flat must not look like one that does not
        spread = max(high - low, 0.02 * self.flat)
        middle = (high + low) / 2
        return Normalize(middle - spread / 2, middle + spread / 2)

    def shown(self, k: int | slice) -> np.ndarray:
        """The densities at the saved time `k`; what is empty gets the lowest color."""
        floor = float(self.norm().vmin or 0.0)
        return np.maximum(self.rho[k], floor) if self.is_peaked else self.rho[k]

    def chosen(self, count: int) -> np.ndarray:
        """Indices of saved times, spread evenly in the logarithm of the largest density so far."""
        peaks = np.log(np.maximum.accumulate(self.rho.reshape(len(self.rho), -1).max(axis=1)))
        last = len(peaks) - 1
        if peaks[-1] - peaks[0] < 1e-3:
            return np.unique(np.linspace(0, last, count).round().astype(int))
        levels = np.linspace(peaks[0], peaks[-1], count)
        return np.unique(np.concatenate([[0], np.searchsorted(peaks, levels[1:-1]), [last]]).clip(0, last))

    # --- one axis of space ----------------------------------------------------------------------------------------

    def heat_map(self) -> Figure:
        figure = style.new_figure(7.0, 3.3)
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
        time = TimeAxis.of(self.run)
        heat = left.pcolormesh(
            time.edges(), self.edges, self.shown(time.kept).T, norm=self.norm(), cmap=style.HEAT, rasterized=True
        )
        time.apply(left)
        left.set_xlim(*time.edges()[[0, -1]])
        left.set_ylim(self.edges[0], self.edges[-1])
        left.set_ylabel(self.label)
        self._color_bar(figure, heat, left)
        self._profiles(right)
        if self.is_circle:
            _angles(left.yaxis)
            _angles(right.xaxis)
        figure.suptitle(title.facts(self.run), fontsize=10.5)
        return figure

    def _profiles(self, axes: Axes) -> None:
        ts = np.asarray(self.run.ts, dtype=float)
        chosen = self.chosen(PROFILES)
        # without the palest end, which a white page hides
        colors = matplotlib.colormaps[style.HEAT](np.linspace(0.0, 0.88, len(chosen)))
        for k, color in zip(chosen, colors, strict=True):
            axes.plot(self.place, self._line(self.rho[k]), color=color, label=f"${style.number(round_time(ts, k))}$")
        self._prepare_profile(axes)
        axes.legend(title="$t$", title_fontsize=9.0, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)

    def _line(self, rho: np.ndarray) -> np.ndarray:
        return np.maximum(rho, self._floor / 10) if self.is_peaked else rho

    @property
    def _floor(self) -> float:
        return max(float(self.rho.min()), float(self.rho.max()) * 10.0**-DECADES)

    def _prepare_profile(self, axes: Axes) -> None:
        axes.axhline(self.flat, color=style.FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
        axes.set_xlim(self.edges[0], self.edges[-1])
        axes.set_xlabel(self.label)
        if self.is_peaked:
            axes.set_yscale("log")
            axes.set_ylim(self._floor, 1.6 * float(self.rho.max()))
            axes.yaxis.set_minor_formatter(NullFormatter())

    # --- maps of S^2 ----------------------------------------------------------------------------------------------

    def maps(self) -> Figure:
        chosen, ts = self.chosen(MAPS), np.asarray(self.run.ts, dtype=float)
        rows = 1 if len(chosen) == 1 else 2
        columns = -(-len(chosen) // rows)
        figure = style.new_figure(7.0, 1.75 * rows + 0.5)
        panels: list[Any] = []
        for i, k in enumerate(chosen):
            axes: Any = figure.add_subplot(rows, columns, i + 1, projection="mollweide")
            heat = self._map(axes, int(k))
            axes.set_title(f"$t = {style.number(round_time(ts, int(k)))}$")
            panels.append(axes)
        self._color_bar(figure, heat, panels)
        figure.suptitle(title.facts(self.run), fontsize=10.5)
        return figure

    def _map(self, axes: Any, k: int) -> Any:
        axes.grid(False)
        axes.set(xticks=[], yticks=[])
        axes.spines["geo"].set(linewidth=0.6, edgecolor=style.INK)
        longitudes, latitudes = (np.linspace(-size, size, n + 1) for size, n in ((np.pi, COLUMNS), (np.pi / 2, ROWS)))
        shown = self._between_nodes(k)
        return axes.pcolormesh(longitudes, latitudes, shown, norm=self.norm(), cmap=style.HEAT, rasterized=True)

    def _between_nodes(self, k: int) -> np.ndarray:
        """The density at the saved time `k` on a fine map (ROWS, COLUMNS) from -pi to pi, linear between nodes."""
        rho = self.shown(k)
        longitudes = (np.arange(COLUMNS) + 0.5) * 2 * np.pi / COLUMNS - np.pi
        latitudes = (np.arange(ROWS) + 0.5) * np.pi / ROWS - np.pi / 2
        around = 2 * np.pi * np.arange(rho.shape[1]) / rho.shape[1]
        rows = np.stack([np.interp(longitudes, around, row, period=2 * np.pi) for row in rho])
        return np.stack([np.interp(latitudes, self.place, column) for column in rows.T], axis=1)

    def _color_bar(self, figure: Figure, heat: Any, panels: Any) -> None:
        shrink = 0.8 if self.is_surface else 1.0
        bar = figure.colorbar(heat, ax=panels, pad=0.02, shrink=shrink, label=f"density ${self.symbol}$")
        bar.outline.set_visible(False)
        bar.ax.minorticks_off()
        low, high = float(heat.norm.vmin), float(heat.norm.vmax)
        if self.is_peaked and high < 100 * low:
            ticks = [m * 10.0**k for k in range(-9, 9) for m in (1, 2, 5) if low <= m * 10.0**k <= high]
            bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks])

    # --- moving ---------------------------------------------------------------------------------------------------

    def moving(self) -> tuple[Figure, Draw]:
        """The figure of the animation and its drawing function."""
        figure = style.new_figure(5.4, 3.6)
        facts, ts, frames = title.facts(self.run), np.asarray(self.run.ts), frame_indices(len(self.rho))
        headline = figure.suptitle(facts, fontsize=10.5)
        show: Callable[[int], None]
        if self.is_surface:
            axes: Any = figure.add_subplot(projection="mollweide")
            heat = self._map(axes, 0)
            self._color_bar(figure, heat, axes)

            def show(k: int) -> None:
                heat.set_array(self._between_nodes(k))
        else:
            axes = figure.add_subplot()
            (line,) = axes.plot(self.place, self._line(self.rho[0]), color=PALETTE[0])
            self._prepare_profile(axes)
            axes.set_ylabel(f"density ${self.symbol}$")
            if not self.is_peaked:
                axes.set_ylim(0, 1.06 * float(self.rho.max()))
            if self.is_circle:
                _angles(axes.xaxis)

            def show(k: int) -> None:
                line.set_ydata(self._line(self.rho[k]))

        def draw(i: int) -> None:
            show(int(frames[i]))
            headline.set_text(f"{facts}\n{style.clock(ts, int(frames[i]))}")

        return figure, draw


def round_time(ts: np.ndarray, k: int) -> float:
    """The time ts[k] with three digits of the largest one: a title is no table."""
    digits = 2 - int(np.floor(np.log10(max(float(np.abs(ts).max()), 1e-300))))
    return round(float(ts[k]), digits) if not style.is_log_spaced(ts) else float(f"{ts[k]:.3g}")


def _between_nodes(values: np.ndarray) -> np.ndarray:
    """The trigonometric polynomials through `values` (T, m) on at least `SMOOTH` nodes: nothing but what is there."""
    m = values.shape[1]
    times = max(-(-SMOOTH // m), 1)
    return values if times == 1 else np.fft.irfft(np.fft.rfft(values, axis=1), n=times * m, axis=1) * times


def _binned(values: np.ndarray) -> np.ndarray:
    """`values` (T, m) averaged over neighbors until at most `MOST_ROWS` are left."""
    m = values.shape[1]
    size = next((s for s in range(-(-m // MOST_ROWS), m + 1) if m % s == 0), 1)
    # a prime number of cells has no bins: then all are drawn
    return values if m // size < MOST_ROWS // 4 else values.reshape(len(values), -1, size).mean(axis=2)


def _edges(middles: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.concatenate([[low], (middles[1:] + middles[:-1]) / 2, [high]])


def _angles(axis: Any) -> None:
    names = {0: "$0$", 1: r"$\pi/2$", 2: r"$\pi$", 3: r"$3\pi/2$", 4: r"$2\pi$", 5: r"$5\pi/2$", 6: r"$3\pi$"}
    negative = {-k: f"$-{name[1:]}" for k, name in names.items() if k}
    axis.set_major_locator(MultipleLocator(np.pi / 2))
    axis.set_major_formatter(FuncFormatter(lambda value, _: (names | negative).get(round(2 * value / np.pi), "")))


# --- harmonics and energy against time ----------------------------------------------------------------------------


def spectrum(run: Trajectory) -> Picture:
    """The picture of the amplitude of the strongest harmonic degrees against time, on a logarithmic axis.

    The amplitude is the root mean square of the part of that degree. Where attention is softmax or unnormalized with
    Q = K = V = I, dashed lines grow from the start at the rates predicted at the uniform law (arXiv 2410.23228), less
    k(k + d - 2)/kappa with noise, as long as harmonics are weak.

    Args:
        run: A run that kept its densities.

    Returns:
        The picture.

    Raises:
        InvalidInput: Unless `run` kept a density.

    >>> import tokenfield as tkf
    >>> model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta=2.0))
    >>> rho = tkf.Density.perturbed_uniform(tkf.laws.Fourier(32), degree=2, amplitude=0.1)
    >>> spectrum(tkf.solve(model, rho, t1=0.1, save=3)).name
    'spectrum'
    """
    from tokenfield.theory.model_growth import model_growth_rates  # here, because only this figure needs theory

    values = _values_along(run)
    if hasattr(run.final, "masses"):
        raise Unsupported("a density in R^d has no harmonic degrees: its spectrum is for spheres")
    time = TimeAxis.of(run, is_log=False)
    found = degree_amplitudes(run.final.grid, values)[:, 1:]
    degrees = strongest_degrees(found, DEGREES)
    predicted = model_growth_rates(run.model, t=float(np.asarray(run.ts)[0]), count=int(degrees.max()))
    with styled():
        figure = style.new_figure(4.8, 3.3)
        axes = figure.subplots()
        top, handles = float(found.max()), []
        weak = time.values[: linear_until(found)]
        rates = None if predicted is None or len(weak) < 2 else np.asarray(predicted.value)
        floor = max(float(found[:, degrees - 1].min()), 1e-7 * top, 1e-14)
        for degree, color in zip(degrees, PALETTE, strict=False):
            curve = np.maximum(found[:, degree - 1], floor / 10)
            (line,) = axes.plot(time.values, curve, color=color, marker="o" if len(curve) == 1 else "", zorder=3)
            line.set_label(f"$k = {degree}$")
            handles.append(line)
            if rates is not None:
                curve = found[0, degree - 1] * np.exp(rates[degree - 1] * (weak - weak[0]))
                axes.plot(weak, curve, color=style.INK, linewidth=0.8, linestyle=DASHES, zorder=4)
        axes.set_yscale("log")
        axes.set_ylim(floor / 1.5, 2.0 * top)
        time.apply(axes)
        axes.set_ylabel("amplitude of degree $k$")
        if rates is not None:
            handles.append(Line2D([], [], color=style.INK, linewidth=0.8, linestyle=DASHES, label="predicted"))
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
        axes.set_title(title.facts(run))
    return Picture(figure, None, "spectrum")


def energy(run: Trajectory) -> Picture:
    """The picture of the normalized energy against time, of tokens or of a density.

    For softmax and unnormalized attention it is 2 beta e^{-|beta|} E, at most 1 on the sphere with Q = K = I. On a
    plateau with clusters of masses m_c far apart it equals sum_c m_c^2 (arXiv 2410.06833). Circles mark where two
    clusters of tokens of 5 % of the mass or more join for good.

    Args:
        run: A run that kept its tokens or densities.

    Returns:
        The picture.

    Raises:
        InvalidInput: If `run` kept neither.
        Unsupported: If no energy drives the model.

    >>> import tokenfield as tkf
    >>> model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta=2.0))
    >>> rho = tkf.Density.perturbed_uniform(tkf.laws.Fourier(32), degree=2, amplitude=0.1)
    >>> energy(tkf.solve(model, rho, t1=0.1, save=3)).name
    'energy'
    """
    if not isinstance(run, Trajectory) or run.kind != "density":
        return over_time.energy(run)
    _values_along(run)
    if not has_energy(run.model):
        raise Unsupported("no energy drives this model (hardmax, bounded confidence, or no attention)")
    if not isinstance(run.model.geometry, Sphere):
        raise Unsupported("energies of densities are drawn on spheres: in R^d use run.along(observables.energy)")
    betas = {float(b) for head in run.model.heads(style.last_time(run)) if (b := head.attention.sharpness) is not None}
    is_normalized, time = betas != {0.0}, TimeAxis.of(run)
    values = run.energy(normalized=is_normalized)[time.kept]
    with styled():
        figure = style.new_figure(over_time.WIDTH, over_time.HEIGHT)
        axes = figure.subplots()
        axes.plot(time.values, values, color=PALETTE[0], marker="o" if len(values) == 1 else "", zorder=3)
        time.apply(axes)
        axes.margins(y=0.06)
        axes.set_ylabel(title.energy_label(run.model, style.last_time(run), normalized=is_normalized))
        axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(title.facts(run))
    return Picture(figure, None, "energy")
