"""The picture of one real layer repeated: what each layer does to the words of a sentence, and to many sentences.

A row is a layer. Its color says what becomes of the sentence, from rest (blue) to motion (orange); shades and numbers
say which words end in one cluster. Beside it: how many sentences have which fate, mean cosines and Lyapunov exponents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from tokenfield.claims.figures import INK, PALETTE
from tokenfield.claims.repeated import FATES, WHICH, Repeated
from tokenfield.plot.style import lighter, new_figure

# blue for what rests, orange for what moves: told apart by all, also in gray
COLORS = dict(zip(FATES, ("#084081", "#4292C6", "#E3D26F", "#F4A259", "#B5390B"), strict=True))
MARKS = dict(zip(WHICH, (("o", INK), ("<", PALETTE[0]), (">", PALETTE[1])), strict=True))


def summary(runs: Mapping[tuple[str, int], list[Repeated]], words: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What the picture needs of the runs of each part of each layer; `words` are those of each sentence."""
    fates = {key: [run.fate for run in found] for key, found in runs.items()}
    layers = sorted({k for _, k in runs})
    # the sentence to show is one that shares its fate with most others in most layers
    common = [[fates[WHICH[0], k].count(fates[WHICH[0], k][i]) for k in layers] for i in range(len(words))]
    shown = int(np.argmax(np.sum(common, axis=1)))
    return {
        "words": words[shown],
        "shown": shown,
        "layers": layers,
        "labels": {key: found[shown].labels for key, found in runs.items()},
        "fates": fates,
        "periods": {key: [run.period for run in found] for key, found in runs.items()},
        "clusters": {key: [run.cluster_sizes for run in found] for key, found in runs.items()},
        "cosines": {key: np.asarray([run.cosines[-1] for run in found]) for key, found in runs.items()},
        "exponents": {key: np.asarray([run.exponent for run in found]) for key, found in runs.items()},
    }


def draw_fates(data: Mapping[str, Any], *, unit: str) -> Figure:
    """The picture; `unit` is that of time."""
    parts = [which for which in WHICH if (which, data["layers"][0]) in data["fates"]]
    rows, columns = len(data["layers"]), len(data["words"])
    figure = new_figure(12.0, 1.9 + 0.24 * max(rows, 8))
    ratios = [0.26 * columns, *[1.0] * len(parts), 1.0, 1.5, 1.7]
    axes = figure.subplots(1, 4 + len(parts), sharey=True, width_ratios=ratios)
    _words(axes[0], data)
    for ax, which in zip(axes[1:-3], parts, strict=True):
        _shares(ax, data, which)
    _sizes(axes[-3], data)
    _means(axes[-2], data, parts, "cosines")
    axes[-2].set(title="tokens\napart | together", xlim=(-0.15, 1.05), xticks=[0, 1], xticklabels=["0", "1"])
    axes[-2].set_xlabel("mean cosine at the end", fontsize=8.5)
    axes[-1].axvline(0, color=INK, linewidth=0.8)
    _means(axes[-1], data, parts, "exponents")
    axes[-1].set_title("differences\nshrink | grow")
    axes[-1].set_xlabel(f"exponent per {unit}", fontsize=8.5)
    axes[0].set(ylabel="layer that is repeated", ylim=(rows - 0.5, -0.5), yticks=range(rows))
    axes[0].set_yticklabels(data["layers"])
    for ax in axes[1:]:
        ax.tick_params(left=False)
    handles = [Patch(color=COLORS[fate], label=fate) for fate in FATES]
    handles += axes[-1].get_legend_handles_labels()[0] if len(parts) > 1 else []
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), handlelength=1.0)
    return figure


def _words(ax: Axes, data: Mapping[str, Any]) -> None:
    for row, k in enumerate(data["layers"]):
        which = WHICH[0]
        color = np.asarray(to_rgb(COLORS[data["fates"][which, k][data["shown"]]]))
        labels = data["labels"][which, k]
        sizes = np.bincount(labels)
        for column, label in enumerate(labels):
            shade = lighter(color, min(0.3 * label, 0.75))
            ax.add_patch(
                Rectangle((column - 0.5, row - 0.46), 1, 0.92, facecolor=shade, edgecolor="white", linewidth=0.6)
            )
            if len(sizes) > 1 and sizes[label] > 1:
                ink = "white" if shade @ (0.3, 0.6, 0.1) < 0.55 else INK
                ax.text(column, row, label + 1, ha="center", va="center", fontsize=6.5, color=ink)
    ax.set(xlim=(-0.5, len(data["words"]) - 0.5), xticks=range(len(data["words"])))
    ax.set_xticklabels(data["words"], rotation=60, ha="left", rotation_mode="anchor", fontsize=8.5)
    ax.xaxis.set_ticks_position("top")
    ax.set_xlabel("words with the same number end in one cluster", fontsize=8.5)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _shares(ax: Axes, data: Mapping[str, Any], which: str) -> None:
    for row, k in enumerate(data["layers"]):
        fates, start = data["fates"][which, k], 0.0
        for fate in FATES:
            share = fates.count(fate) / len(fates)
            ax.barh(row, share, left=start, height=0.92, color=COLORS[fate], linewidth=0)
            start += share
    ax.set(xlim=(0, 1), xticks=[0, 1], xticklabels=["0", "1"], title=which.replace(" ", "\n"))
    ax.set_xlabel("of sentences", fontsize=8.5)


def _sizes(ax: Axes, data: Mapping[str, Any]) -> None:
    """Bars of the mean share of tokens in the largest cluster, the second, the third, and all others."""
    for row, k in enumerate(data["layers"]):
        shares = np.asarray([_largest(sizes) for sizes in data["clusters"][WHICH[0], k]]).mean(axis=0)
        starts = np.cumsum([0.0, *shares[:-1]])
        for share, start, gray in zip(shares, starts, ("0.35", "0.6", "0.78", "0.92"), strict=True):
            ax.barh(row, share, left=start, height=0.92, color=gray, linewidth=0)
    ax.set(xlim=(0, 1), xticks=[0, 1], xticklabels=["0", "1"], title="clusters\nby size")
    ax.set_xlabel("of tokens", fontsize=8.5)


def _largest(sizes: tuple[int, ...]) -> np.ndarray:
    shares = np.asarray([*sizes, 0, 0, 0]) / sum(sizes)
    return np.asarray([*shares[:3], shares[3:].sum()])


def _means(ax: Axes, data: Mapping[str, Any], parts: list[str], name: str) -> None:
    """For each layer and part the mean of a number over sentences, with its standard error."""
    for which in parts:
        marker, color = MARKS[which]
        values = [data[name][which, k] for k in data["layers"]]
        means = [np.mean(v) for v in values]
        errors = [np.std(v, ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0 for v in values]
        style = {"color": color, "markersize": 4, "linewidth": 0.9, "markeredgewidth": 0.8}
        fill = color if which == WHICH[0] else "white"
        ax.errorbar(means, range(len(means)), xerr=errors, fmt=marker, markerfacecolor=fill, label=which, **style)
