"""The picture of a phase diagram: a statistic over time and beta (linear and logarithmic time), or kappa and beta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.patheffects import Normal, Stroke

from tokenfield import theory
from tokenfield.plot import style
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import HEAT, styled

if TYPE_CHECKING:
    from tokenfield.study.diagram import Diagram

WIDTH, HEIGHT = 7.4, 3.3
BOX: dict[str, Any] = {"frameon": True, "framealpha": 0.9, "edgecolor": "none", "fancybox": False}
LABELS = {
    "pairs": "fraction of pairs together",
    "clusters": "number of clusters (median)",
    "span": "dimension of the span",
    "order": "length of the mean token",
}
NAMES = {"beta": r"$\beta$", "gamma": r"$\gamma = \beta/\log n$", "kappa": r"$\kappa$"}


def phase_diagram(settings: Diagram, times: np.ndarray, values: np.ndarray) -> Picture:
    """The picture of the mean (for clusters the median, as published) over systems, `values` (columns, times).

    The line is Gamma, where equiangular tokens reach the cosine 1 - delta (arXiv 2312.10794), the limit of high
    dimension; for noise and unnormalized attention it is kappa_1, where the uniform law loses its stability.
    """
    name = str(settings.statistic)
    with styled():
        if settings.vary == "kappa":
            figure = style.new_figure(WIDTH * 0.62, HEIGHT)
            panels = [figure.subplots()]
            _over_noise(panels[0], settings, values[:, -1])
        else:
            figure = style.new_figure(WIDTH, HEIGHT)
            panels = list(figure.subplots(1, 2, sharey=True))
            for axes, is_log in zip(panels, (False, True), strict=True):
                _over_time(axes, settings, times, values, is_log=is_log)
            panels[1].set_ylabel("")
        mesh = panels[-1].collections[0]
        bar = figure.colorbar(mesh, ax=panels, label=LABELS[name], pad=0.02)
        if name in ("clusters", "span"):
            bar.ax.yaxis.set_major_formatter("{x:g}")
            bar.ax.yaxis.set_minor_formatter("")
            bar.set_ticks([k for k in (1, 2, 3, 4, 5, 10, 20, 50, 100, 1000) if k <= settings.n])
        figure.suptitle(_title(settings), fontsize=10)
    return Picture(figure, None, "phase diagram")


def _scale(settings: Diagram) -> dict[str, Any]:
    """Fractions from 0 to 1; counts up to all that there can be, on a log scale, where 1, 2 and 3 differ."""
    if settings.statistic in ("pairs", "order"):
        return {"vmin": 0.0, "vmax": 1.0}
    most = settings.n if settings.statistic == "clusters" else min(settings.n, settings.dim)
    return {"norm": LogNorm(1, most)}


def _draw_curve(axes: Any, curve: tuple[np.ndarray, np.ndarray], label: str) -> None:
    """A white line with a dark edge, so that it shows on all colors."""
    edge = [Stroke(linewidth=2.8, foreground=style.INK), Normal()]
    axes.plot(*curve, color="white", linewidth=1.5, label=label, path_effects=edge)


def _over_time(axes: Any, settings: Diagram, times: np.ndarray, values: np.ndarray, *, is_log: bool) -> None:
    ys = np.asarray(settings.axes[settings.vary])
    kept = slice(1, None) if is_log and times[0] <= 0 else slice(None)
    x = times[kept]
    # cells are drawn as an image inside vector files, where thousands of squares would show seams
    axes.pcolormesh(
        _edges(x, is_log=is_log), _edges(ys), values[:, kept], cmap=HEAT, rasterized=True, **_scale(settings)
    )
    if is_log:
        axes.set_xscale("log")
    curve = _gamma(settings, ys)
    if curve is not None:
        _draw_curve(axes, curve, r"$\Gamma$ ($d \to \infty$)")
        if is_log:
            axes.legend(loc="upper left", **BOX)
    if len(x) > 1:
        axes.set_xlim(x[0], x[-1])
    if len(ys) > 1:
        axes.set_ylim(ys[0], ys[-1])
    axes.set_xlabel("time $t$")
    axes.set_ylabel(NAMES[settings.vary])


def _over_noise(axes: Any, settings: Diagram, values: np.ndarray) -> None:
    kappas, betas = np.asarray(settings.kappas), np.asarray(settings.betas)
    grid = values.reshape(len(kappas), len(betas)).T
    axes.pcolormesh(_edges(kappas), _edges(betas), grid, cmap=HEAT, rasterized=True, **_scale(settings))
    if settings.attention == "unnormalized" and len(betas) > 1:
        fine = np.linspace(betas[0], betas[-1], 100)
        first = [float(np.asarray(theory.noise_thresholds(b, settings.dim, count=1).value)[0]) for b in fine]
        _draw_curve(axes, (np.asarray(first), fine), r"$\kappa_1$ ($n \to \infty$)")
        axes.legend(loc="lower left", **BOX)
    axes.set_xlim(*(_edges(kappas)[[0, -1]]))
    axes.set_ylim(*(_edges(betas)[[0, -1]]))
    axes.set_xlabel(NAMES["kappa"])
    axes.set_ylabel(NAMES["beta"])


def _gamma(settings: Diagram, ys: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The curve (t, y) on which the equiangular cosine reaches 1 - delta; `None` where it says nothing."""
    if settings.attention not in ("softmax", "unnormalized") or len(ys) < 2:
        return None
    delta = settings.delta if settings.statistic == "pairs" and settings.delta is not None else 1e-3
    fine = np.linspace(ys[0], ys[-1], 200)
    betas = fine * np.log(settings.n) if settings.vary == "gamma" else fine
    times = [
        float(theory.equiangular_time(float(b), settings.n, level=1 - delta, scheme=settings.attention)) for b in betas
    ]
    return np.asarray(times), fine


def _edges(values: np.ndarray, *, is_log: bool = False) -> np.ndarray:
    """The borders of the cells around the values; the outer ones end at the values themselves."""
    x = np.log(values) if is_log else np.asarray(values, float)
    if len(x) == 1:
        half = 0.5 * max(abs(float(x[0])), 1.0)
        borders = np.array([x[0] - half, x[0] + half])
    else:
        borders = np.concatenate([x[:1], (x[1:] + x[:-1]) / 2, x[-1:]])
    return np.exp(borders) if is_log else borders


def _title(settings: Diagram) -> str:
    return (
        f"{settings.attention} attention, $n = {settings.n}$ tokens on $S^{{{settings.dim - 1}}}$, "
        f"{settings.systems} systems ({settings.method})"
    )
