"""Curves and a heat map against time: energy, radii, number of clusters, pair cosines.

Everything that is drawn here is measured by `tokenfield.observables`.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.observables import pair_cosine_histograms, radius_statistics, sharpnesses
from tokenfield.observables.energy import has_energy
from tokenfield.plot import style, title
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import PALETTE, TimeAxis, styled
from tokenfield.solver.trajectory import Trajectory

WIDTH, HEIGHT = 4.8, 3.1
MOST_MARKS = 40  # merges beyond this number would hide the curve
LARGEST = 1e200  # beyond this an axis with its margins overflows


def energy(run: Trajectory) -> Picture:
    """The picture of the normalized energy of tokens against time, which on the sphere is at most 1 for Q = K = I.

    For softmax and unnormalized attention it is 2 beta e^{-|beta|} E; the axis says what it is for other kinds. On
    a plateau with clusters of masses m_c far apart it equals sum_c m_c^2. So the curve is a staircase that ends at 1
    with one cluster (arXiv 2410.06833). Circles mark where two clusters of 5 % of the mass or more join for good. At
    beta = 0 it is the limit, (1/2)|int x dmu|^2 for softmax. With several heads it is the sum, or the mean if the
    model averages them.

    Args:
        run: a run that saved its tokens.

    Returns:
        A picture that does not move.

    Raises:
        Unsupported: no energy drives the model.
        InvalidInput: the run kept no tokens, or the energy overflows at all saved times.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, plot, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> plot.energy(run)
    Picture(energy, 4.8 x 3.1 inches)
    """
    style.saved_tokens(run)
    if not has_energy(run.model):
        raise Unsupported(
            "no energy drives this model (hardmax, bounded confidence and models without attention have none): use "
            "plot.cluster_count or plot.histogram"
        )
    is_normalized = set(sharpnesses(run.model, style.last_time(run))) != {0.0}
    values = np.asarray(run.energy(normalized=is_normalized), dtype=float)
    values = np.where(np.abs(values) < LARGEST, values, np.nan)
    if np.isnan(values).all():
        raise InvalidInput("the energy overflows at all saved times: save earlier times, or plot.cluster_count instead")
    time = TimeAxis.of(run)
    with styled():
        figure = style.new_figure(WIDTH, HEIGHT)
        axes = figure.subplots()
        shown = values[time.kept]
        axes.plot(time.values, shown, color=PALETTE[0], marker="o" if len(shown) == 1 else "", zorder=3)
        if np.nanmin(shown) > 0 and np.nanmax(shown) > 1e3 * np.nanmin(shown):
            axes.set_yscale("log")
        if np.isnan(shown).any():
            last = time.values[~np.isnan(shown)][-1]
            axes.axvspan(last, time.values[-1], color="#F1F2F4", linewidth=0)
            axes.text(0.98, 0.5, "overflow", transform=axes.transAxes, ha="right", color="#6B7280")
        _mark_merges(axes, run, time, shown)
        time.apply(axes)
        axes.margins(y=0.06)
        axes.set_ylabel(title.energy_label(run.model, style.last_time(run), normalized=is_normalized))
        axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(title.facts(run))
    return Picture(figure, None, "energy")


def _mark_merges(axes: Axes, run: Trajectory, time: TimeAxis, shown: np.ndarray) -> None:
    """Marks on the curve `shown` where two large clusters become one, unless that happens all the time."""
    if len(run.ts) < 2:
        return
    merges = run.merge_tree().large_merges() - (time.kept.start or 0)
    merges = merges[merges >= 0]
    merges = merges[np.isfinite(shown[merges])]
    if not 0 < len(merges) <= MOST_MARKS:
        return
    axes.plot(
        time.values[merges],
        shown[merges],
        "o",
        markersize=4.2,
        markerfacecolor="white",
        markeredgecolor=PALETTE[1],
        markeredgewidth=1.1,
        zorder=4,
        label="two clusters become one",
    )
    axes.legend(loc="lower right" if shown[-1] >= shown[0] else "upper right")


def radii(run: Trajectory) -> Picture:
    """The picture of the lengths r of the residual stream against time, for Pre-LN, Mix-LN and Peri-LN.

    The line is their mean with the weights of the tokens. The dark band is one standard deviation around it, the pale
    band reaches from the smallest to the largest. (arXiv 2510.22026 has the equations of r.)

    Args:
        run: a run that saved its tokens, of a model whose normalization lets lengths change.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: the model does not change radii, or the run kept none.

    >>> from tokenfield import Measure, PreLN, Softmax, Sphere, Transformer, plot, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0), normalization=PreLN())
    >>> plot.radii(solve(model, Measure.polar([[1.0, 0.0], [0.0, 3.0]]), t1=1.0, save=3))
    Picture(radii, 4.8 x 3.1 inches)
    """
    style.check_single(run)
    found, time = radius_statistics(run), TimeAxis.of(run)
    mean, deviation = found.mean[time.kept], found.deviation[time.kept]
    low, high = found.smallest[time.kept], found.largest[time.kept]
    with styled():
        figure = style.new_figure(WIDTH, HEIGHT)
        axes = figure.subplots()
        axes.fill_between(time.values, low, high, color="#D6E6F2", linewidth=0, label="smallest to largest")
        band = np.maximum(mean - deviation, low), np.minimum(mean + deviation, high)
        axes.fill_between(time.values, *band, color="#9CC4E0", linewidth=0, label="standard deviation")
        axes.plot(time.values, mean, color=PALETTE[0], marker="o" if len(mean) == 1 else "", label="mean")
        if low.min() > 0 and high.max() > 100 * low.min():
            axes.set_yscale("log")
        time.apply(axes)
        axes.margins(y=0.06)
        axes.set_ylabel("radius $r$ of the residual stream")
        axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(loc="best", reverse=True)
        axes.set_title(title.facts(run))
    return Picture(figure, None, "radii")


def cluster_count(run: Trajectory, *, delta: float | None = None) -> Picture:
    """The picture of the number of clusters against time, as steps; the axis is logarithmic for large numbers.

    Args:
        run: a run that saved its tokens.
        delta: the scale of the clusters: an angle in radians on the sphere, a distance in R^d. By default that of the
            model; see `tokenfield.observables.clusters`.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: the run kept no tokens, or `delta` is not positive.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, plot, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> plot.cluster_count(run)
    Picture(number of clusters, 4.8 x 3.1 inches)
    """
    style.saved_tokens(run)
    counts = np.asarray(run.cluster_counts(delta=delta))
    scale = float(run.clusters(delta=delta).delta)
    time = TimeAxis.of(run)
    with styled():
        figure = style.new_figure(WIDTH, HEIGHT)
        axes = figure.subplots()
        shown = counts[time.kept]
        axes.step(time.values, shown, where="post", color=PALETTE[0], marker="o" if len(shown) == 1 else "")
        time.apply(axes)
        _count_axis(axes, shown)
        unit = " rad" if isinstance(run.model.geometry, Sphere) else ""
        axes.set_ylabel(f"number of clusters ($\\delta = {scale:.2g}${unit})")
        axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(title.facts(run))
        final = int(shown[-1])
        axes.annotate(
            str(final), (1, final), xycoords=axes.get_yaxis_transform(), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=9.5, color=PALETTE[0],
        )  # fmt: skip
    return Picture(figure, None, "number of clusters")


def _count_axis(axes: Axes, counts: np.ndarray) -> None:
    """Whole-number ticks on the vertical axis, logarithmic if the counts exceed 20."""
    most = int(counts.max())
    if most <= 20:
        axes.set_ylim(0, most * 1.08 + 0.4)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
        return
    axes.set_yscale("log")
    axes.set_ylim(0.85 * counts.min(), 1.25 * most)
    ticks = [m * 10**k for k in range(int(np.log10(most)) + 1) for m in (1, 2, 5)]
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in ticks if 0.85 * counts.min() <= tick <= 1.25 * most]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def histogram(run: Trajectory, *, bins: int | None = None) -> Picture:
    """The picture of the density of pair cosines <x_i, x_j>, i != j, over time: a heat map with a log color scale.

    A run of more than 2048 tokens is represented by random pairs, the same at all times, and the title says how many;
    see `tokenfield.observables.pair_cosine_histograms`.

    Args:
        run: a run of at least two tokens that saved them; in R^d the cosines are those of their directions.
        bins: the number of bins between -1 and 1; by default the number of tokens, but from 40 to 120.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: the run has one token, or kept none.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, plot, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> plot.histogram(run)
    Picture(histogram, 5.4 x 3.4 inches)
    """
    style.check_single(run)
    n, time = style.saved_tokens(run).shape[1], TimeAxis.of(run)
    if n < 2:
        raise InvalidInput("pair cosines need at least two tokens, this run has one")
    found = pair_cosine_histograms(run, bins=bins or int(np.clip(n, 40, 120)))
    edges, density = found.edges, found.density[time.kept]
    with styled():
        figure = style.new_figure(5.4, 3.4)
        axes = figure.subplots()
        top = max(float(density.max()), 10.0)  # so that a flat density is not shown as a peak
        norm = LogNorm(max(1e-3, 1e-5 * top), top)
        heat = axes.pcolormesh(
            time.edges(), edges, np.maximum(density.T, norm.vmin or 0.0), norm=norm, cmap=style.HEAT, rasterized=True
        )
        time.apply(axes)
        axes.set_xlim(*time.edges()[[0, -1]])
        axes.set_ylim(edges[0], edges[-1])
        cosine = r"\langle x_i, x_j \rangle" + ("" if isinstance(run.model.geometry, Sphere) else r" / |x_i| |x_j|")
        axes.set_ylabel(f"pair cosine ${cosine}$")
        bar = figure.colorbar(heat, ax=axes, pad=0.02, label="density of pairs")
        bar.outline.set_visible(False)
        bar.ax.minorticks_off()
        drawn = "" if found.pairs is None else f"\n{found.pairs:,} random pairs of tokens"
        axes.set_title(title.facts(run) + drawn)
    return Picture(figure, None, "histogram")
