"""Pictures of what was measured of hidden states: by layer, in four variants. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tokenfield.errors import InvalidInput
from tokenfield.layers import Layers
from tokenfield.layers.result import over_prompts
from tokenfield.layers.variants import CENTERED, NO_ROGUES, NO_SINKS, RAW, VARIANTS
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import FAINT, HEAT, INK, PALETTE, REST, new_figure, styled

# hollow marks of different sizes on lines of different width: variants that agree are all seen
MARKS: dict[str, dict[str, Any]] = {
    RAW: {"color": REST, "linewidth": 4.5, "alpha": 0.55, "solid_capstyle": "round"},
    NO_SINKS: {"color": PALETTE[0], "marker": "o", "markersize": 5.5, "markerfacecolor": "white"},
    CENTERED: {"color": PALETTE[2], "marker": "s", "markersize": 3.5, "linestyle": "--"},
    NO_ROGUES: {"color": PALETTE[1], "marker": "x", "markersize": 5.0, "linestyle": ":"},
}
PANELS = 12  # histograms of one figure
FRAMES = 6  # layers at which tokens are drawn
MOST_WORDS = 40  # words that are tried in one panel; those that would cover others are left out


def all_of(found: Layers) -> dict[str, Picture]:
    """Every picture of what was measured, by name; those without numbers are left out.

    Args:
        found: what `layers.measure` returned.

    Returns:
        Pictures: "cosines", "numbers", "tokens", "similarity", "attention" if it was given, and "flow" if there are
        layers enough.

    >>> from tokenfield.layers import measure
    >>> list(all_of(measure(np.random.default_rng(0).normal(size=(3, 6, 8)))))
    ['cosines', 'numbers', 'tokens', 'similarity']
    """
    drawn: dict[str, Callable[[Layers], Picture]] = {
        "cosines": cosines,
        "numbers": numbers,
        "tokens": tokens,
        "similarity": similarity,
    }
    if "attention_entropy" in found.dataset:
        drawn["attention"] = attention
    if _fits(found):
        drawn["flow"] = flow
    return {name: draw(found) for name, draw in drawn.items()}


def cosines(found: Layers) -> Picture:
    """Histograms of the cosines of pairs of tokens, layer by layer, without the diagonal.

    The pairs of a token with itself, which published histograms of this kind contain, are left out: they put a peak
    at 1 that says nothing. With many layers, twelve are drawn.

    Args:
        found: what `layers.measure` returned.

    Returns:
        A picture that does not move.

    >>> from tokenfield.layers import measure
    >>> cosines(measure(np.random.default_rng(0).normal(size=(3, 6, 8))))
    Picture(cosines, 7.4 x 2.6 inches)
    """
    shown = _chosen(len(found.tags), PANELS)
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    edges, density = found.dataset["edge"].values, found.dataset["cosine_density"].values
    with styled():
        figure = new_figure(7.4, 0.9 + 1.7 * rows)
        panels = np.ravel(figure.subplots(rows, columns, squeeze=False))
        for place, (panel, k) in enumerate(zip(panels, shown, strict=False)):
            raw = density[k, 0]
            panel.stairs(raw, edges, fill=True, color=FAINT, label=RAW)
            for variant in (NO_SINKS, CENTERED, NO_ROGUES):
                values = density[k, VARIANTS.index(variant)]
                style = MARKS[variant]
                # a variant that leaves nothing out is the raw one
                if not np.array_equal(values, raw, equal_nan=True) and np.any(np.isfinite(values)):
                    line = {"color": style["color"], "linestyle": style.get("linestyle", "-"), "linewidth": 1.2}
                    panel.stairs(values, edges, baseline=None, label=variant, **line)
            panel.set_title(found.tags[k])
            panel.set_yticks([])
            panel.spines["left"].set_visible(False)
            panel.set_xlim(-1, 1)
            panel.set_xticks([-1, 0, 1])
            if place + columns >= len(shown):
                panel.set_xlabel("cosine")
            else:
                panel.set_xticklabels([])
            panel.axvline(0, color=FAINT, linewidth=0.6, zorder=0)
        for panel in panels[len(shown) :]:
            panel.set_axis_off()
        _legend_below(figure, panels[: len(shown)])
        figure.suptitle(f"{found.facts['name']}: cosines of pairs of tokens, without the diagonal", fontsize=11)
    return Picture(figure, None, "cosines")


def numbers(found: Layers) -> Picture:
    """Cosines, ranks, norms and clusters by layer in the four variants, averaged over prompts.

    Args:
        found: what `layers.measure` returned.

    Returns:
        A picture that does not move.

    >>> from tokenfield.layers import measure
    >>> numbers(measure(np.random.default_rng(0).normal(size=(3, 6, 8))))
    Picture(numbers, 7.8 x 5.2 inches)
    """
    rows = (
        ("mean_cosine", "mean cosine", False),
        ("effective_rank", "effective rank", True),
        ("stable_rank", "stable rank", True),
        ("median_norm", "median norm", True),
        ("largest_norm", "largest norm", True),
        ("clusters", "clusters", True),
    )
    with styled():
        figure = new_figure(7.8, 5.2)
        panels = np.ravel(figure.subplots(2, 3, sharex=True))
        for panel, (name, label, is_log) in zip(panels, rows, strict=True):
            drawn = []
            for variant in VARIANTS:
                values = found.mean(name, variant)
                if is_log:
                    values = np.where(values > 0, values, np.nan)
                drawn.append(values)
                panel.plot(np.arange(len(values)), values, label=variant, **MARKS[variant])
            panel.set_title(label)
            if is_log and np.any(np.isfinite(drawn)):
                _log_axis(panel, np.asarray(drawn))
            _layer_axis(panel, len(found.tags))
        for panel in panels[3:]:
            panel.set_xlabel("layer")
        _legend_below(figure, panels[:1])
        figure.suptitle(f"{found.facts['name']}: {_size(found)}", fontsize=11)
    return Picture(figure, None, "numbers")


def tokens(found: Layers) -> Picture:
    """The tokens of the first prompt at several layers with their words, in one plane that is the same for all.

    Directions are projected to the plane in which those of all layers together spread most. Sinks are squares.

    Args:
        found: what `layers.measure` returned.

    Returns:
        A picture that does not move.

    >>> from tokenfield.layers import measure
    >>> tokens(measure(np.random.default_rng(0).normal(size=(3, 6, 8))))
    Picture(tokens, 7.8 x 3.2 inches)
    """
    shown = _chosen(len(found.tags), FRAMES)
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    places = found.dataset["projection"].values
    words = found.facts["words"] or [str(k) for k in range(places.shape[1])]
    low, high = (edge(places, axis=(0, 1)) for edge in (np.min, np.max))
    middle, reach = (low + high) / 2, 0.56 * float(np.max(high - low)) or 1.0
    with styled():
        figure = new_figure(7.8, 0.6 + 2.6 * rows)
        panels = np.ravel(figure.subplots(rows, columns, squeeze=False))
        for panel, k in zip(panels, shown, strict=False):
            sinks = [s["token"] for s in found.facts["sinks"] if s["layer"] == k and s["prompt"] == 0]
            order = np.arange(places.shape[1])
            panel.scatter(*places[k].T, c=order, cmap=HEAT, s=14, linewidths=0, zorder=2)
            if sinks:
                panel.scatter(*places[k, sinks].T, s=60, marker="s", facecolors="none", edgecolors=PALETTE[1], zorder=3)
            panel.set_title(found.tags[k])
            panel.set(xlim=(middle[0] - reach, middle[0] + reach), ylim=(middle[1] - reach, middle[1] + reach))
            panel.set(xticks=[], yticks=[], aspect="equal")
            for spine in panel.spines.values():
                spine.set(visible=True, color=FAINT)
        for panel in panels[len(shown) :]:
            panel.set_axis_off()
        part = 100 * found.facts["shown_variance"]
        title = f"{found.facts['name']}: directions of tokens in one plane ({part:.0f} % of their variance)"
        figure.suptitle(title, fontsize=11)
        figure.draw_without_rendering()  # words are placed where the layout has put the panels
        for panel, k in zip(panels, shown, strict=False):
            _write_words(panel, places[k], words)
    return Picture(figure, None, "tokens")


def similarity(found: Layers) -> Picture:
    """How alike layers are (CKA without bias), and how far tokens move from each layer to the next.

    Args:
        found: what `layers.measure` returned.

    Returns:
        A picture that does not move.

    >>> from tokenfield.layers import measure
    >>> similarity(measure(np.random.default_rng(0).normal(size=(3, 6, 8))))
    Picture(similarity, 7.4 x 3.2 inches)
    """
    variant = NO_SINKS
    with styled():
        figure = new_figure(7.4, 3.2)
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
        image = left.imshow(
            found.dataset["cka"].values[VARIANTS.index(variant)], cmap=HEAT, vmin=0, vmax=1, origin="lower"
        )
        left.set(xlabel="layer", ylabel="layer", title=f"similarity of layers (CKA), {variant}")
        for axis in (left.xaxis, left.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True, nbins=7))
        figure.colorbar(image, ax=left, shrink=0.85)
        layers = np.arange(len(found.tags))
        right.plot(layers, found.mean("moved", variant), color=PALETTE[0], marker="o", markersize=4, label="each token")
        right.plot(
            layers,
            found.mean("transported", variant),
            color=PALETTE[1],
            marker="s",
            markersize=3.5,
            linestyle="--",
            label="best matching of tokens",
        )
        right.set(title=f"angle moved from the layer before, {variant}", ylabel="radians", xlabel="layer")
        right.set_ylim(bottom=0)
        _layer_axis(right, len(layers))
        right.legend()
    return Picture(figure, None, "similarity")


def attention(found: Layers) -> Picture:
    """Attention by block and head: its entropy, what the sink gets, and the inverse temperature that fits.

    Args:
        found: what `layers.measure` returned, of states with attention.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: no attention was given.

    >>> from tokenfield.layers import measure
    >>> x = np.random.default_rng(0).normal(size=(3, 6, 8))
    >>> attention(measure(x, attention=np.full((2, 4, 6, 6), 1 / 6)))
    Picture(attention, 7.8 x 2.9 inches)
    """
    if "attention_entropy" not in found.dataset:
        raise InvalidInput("there is no attention to draw: give attention to measure")
    share, mass, beta = (
        over_prompts(found.dataset[name].values) for name in ("attention_share", "sink_mass", "attention_beta")
    )
    beta = np.where(np.isfinite(beta), beta, np.nan)
    panels_of = (
        (share, "entropy / that of even attention", (0.0, 1.0)),
        (mass, "mass on the token with most of it", (0.0, 1.0)),
        (beta, r"$\beta$ of random tokens, same entropy", (0.0, float(np.nanmax(beta, initial=1e-9)) or 1.0)),
    )
    with styled():
        figure = new_figure(7.8, 2.4 + min(0.09 * max(len(share) - 4, 0), 2.0) + 0.5)
        for panel, (values, title, (low, high)) in zip(figure.subplots(1, 3, sharey=True), panels_of, strict=True):
            # blocks go up, as layers do elsewhere
            extent = (-0.5, values.shape[1] - 0.5, 0.5, values.shape[0] + 0.5)
            image = panel.imshow(values, cmap=HEAT, vmin=low, vmax=high, origin="lower", aspect="auto", extent=extent)
            panel.set_title(title, fontsize=9.5)
            panel.set_xlabel("head")
            panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
            panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
            panel.set_facecolor("#E7E9ED")
            figure.colorbar(image, ax=panel, shrink=0.9)
            if panel.get_subplotspec().is_first_col():
                panel.set_ylabel("block")
    return Picture(figure, None, "attention")


def flow(found: Layers) -> Picture:
    """The measured cosine by layer with the curves that fit best, and the times at which they have that cosine.

    If layers are equal steps along the flow, times lie on a straight line.

    Args:
        found: what `layers.measure` returned, of at least four layers.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: there is no fit.

    >>> from tokenfield.layers import measure
    >>> flow(measure(np.random.default_rng(0).normal(size=(5, 6, 8))))
    Picture(flow, 7.6 x 3.6 inches)
    """
    fits = _fits(found)
    if not fits:
        raise InvalidInput("there is no place on the flow to draw: it needs four layers and a cosine at each")
    assert found.flow is not None
    layers, each = np.arange(len(found.tags)), found.dataset["mean_cosine"].values[:, :, VARIANTS.index(NO_SINKS)]
    with styled():
        figure = new_figure(7.6, 3.6)
        left, right = figure.subplots(1, 2)
        if len(each) > 1:
            left.plot(layers, each[:50].T, color=PALETTE[0], alpha=0.15, linewidth=0.6)
        left.plot(layers, over_prompts(each), "o", color=PALETTE[0], markersize=4.5, label="measured", zorder=3)
        for k, (name, null) in enumerate(found.flow["nulls"].items()):
            left.plot(null["cosines"], color=REST, marker="sv^"[k % 3], markersize=3, linewidth=0.8, label=name)
        for (kind, one), line in zip(fits.items(), ("--", ":"), strict=False):
            words = rf"{kind}: $\beta = {one['beta']:.2g}$, $T = {one['time']:.3g}$"
            left.plot(layers, one["fitted"], color=INK, linestyle=line, label=words)
            times = np.array([np.nan if t is None else t for t in one["times"]], float)
            marks = {"color": PALETTE[1 if line == "--" else 2], "markersize": 4.5}
            right.plot(layers, np.where(np.isfinite(times), times, np.nan), "o" if line == "--" else "s", **marks)
            ends = [one["start"], one["start"] + one["time"]]
            right.plot([0, layers[-1]], ends, color=INK, linestyle=line)
        left.set(xlabel="layer", title=f"mean cosine, {NO_SINKS}")
        right.set(xlabel="layer", title="time on the curve with the same cosine")
        for panel in (left, right):
            _layer_axis(panel, len(layers))
        # below, since curves and points may be anywhere
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8.5)
    return Picture(figure, None, "flow")


# --- parts --------------------------------------------------------------------------------------------------------


def _chosen(count: int, most: int) -> np.ndarray:
    """At most `most` of `count` layers, evenly, with the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def _fits(found: Layers) -> dict[str, Any]:
    """The fits of the main variant by the kind of their curve, if there are any."""
    return {} if found.flow is None else found.flow["variants"].get(NO_SINKS, {})


def _size(found: Layers) -> str:
    tokens, d = found.facts["tokens"], found.facts["d"]
    many = f"{len(tokens)} prompts, " if len(tokens) > 1 else ""
    low, high = min(tokens), max(tokens)
    return f"{many}$n = {low}$" + (f" to ${high}$" if high > low else "") + f", $d = {d}$"


def _layer_axis(panel: Axes, count: int) -> None:
    panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    panel.set_xlim(-0.3, count - 0.7)
    panel.grid(axis="y", color="#E7E9ED", linewidth=0.6)
    panel.set_axisbelow(True)


def _log_axis(panel: Axes, values: np.ndarray) -> None:
    """A logarithmic axis where numbers differ by more than a factor of three; else a linear one from zero."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if high > 3 * low:
        panel.set_yscale("log")
        panel.set_ylim(low / 1.3, high * 1.3)
    else:
        panel.set_ylim(0, 1.15 * high)


def _legend_below(figure: Figure, panels: Iterable[Axes]) -> None:
    """One legend for all panels, outside of them."""
    entries: dict[str, Any] = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    names = sorted(entries, key=VARIANTS.index)
    figure.legend([entries[name] for name in names], names, loc="outside lower center", ncols=len(names))


def _write_words(panel: Axes, places: np.ndarray, words: Sequence[str]) -> None:
    """Writes words beside their tokens, those that stand alone first, and none over another word or over the border."""
    frame = panel.get_window_extent()
    taken: list[Any] = []
    dots = panel.transData.transform(places)
    gaps = np.linalg.norm(dots[:, None] - dots[None, :], axis=2)
    np.fill_diagonal(gaps, np.inf)
    for k in np.argsort(-np.min(gaps, axis=1))[:MOST_WORDS]:
        for offset, sides in (((4, 2), ("left", "bottom")), ((-4, 2), ("right", "bottom")), ((4, -3), ("left", "top"))):
            text = panel.annotate(
                _short(words[k]),
                places[k],
                offset,
                textcoords="offset points",
                fontsize=7,
                color=INK,
                ha=sides[0],
                va=sides[1],
            )
            text.set_in_layout(False)
            box = text.get_window_extent()
            covers = np.any(np.all((dots > [box.x0, box.y0]) & (dots < [box.x1, box.y1]), axis=1))
            is_inside = box.x0 > frame.x0 and box.x1 < frame.x1 and box.y0 > frame.y0 and box.y1 < frame.y1
            if is_inside and not covers and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            text.remove()


def _short(word: str) -> str:
    """A word as it can be drawn: without the marks of tokenizers, and not as mathematics."""
    plain = word.replace("Ġ", "").replace("▁", "").replace("Ċ", "\\n").strip() or word.strip() or "space"
    plain = "".join(letter if letter.isprintable() else "?" for letter in plain).replace("$", r"\$")
    return plain if len(plain) <= 14 else plain[:13] + "…"
