"""Tokens as dots: which are drawn (`Drawn`), what their colors mean (`Groups`), how those that coincide become one dot
(`Piles`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.model.position import Causal
from tokenfield.plot.style import HEAT, INK, PALETTE, REST, check_single
from tokenfield.solver.trajectory import Trajectory

COLORS = ("cluster", "position")
MOST_DRAWN = 20_000  # more dots would cover each other
STAR: dict[str, Any] = {"marker": "*", "markerfacecolor": "white", "markeredgecolor": INK, "markeredgewidth": 0.9}


@dataclass(frozen=True)
class Groups:
    """How tokens are told apart by color: by their cluster at the end of the run, or by their position.

    Attributes:
        colors: the color of each token, shape (n, 3).
        entries: what the legend lists: a color and the mass of a cluster, or a color and a position.
        count: the number of clusters, or of entries.
        marked: the index of a token that is marked by a star, the first of the sequence; `None` for clusters.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> run = solve(Transformer(Sphere(2), Softmax(1.0)), initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> Groups.of(run, "position").marked
    0
    """

    colors: np.ndarray
    entries: tuple[tuple[str, float], ...]
    count: int
    marked: int | None = None

    @staticmethod
    def of(run: Trajectory, color: str | None = None) -> Groups:
        """The groups of the tokens of a run.

        The largest clusters get a color each, the others share a gray. Where no two tokens are together, clusters
        would say nothing: then all tokens get the first color.

        Args:
            run: a run of tokens.
            color: "cluster" or "position"; by default "position" if the model is causal, else "cluster".

        Returns:
            The colors of the tokens and the entries of the legend.

        Raises:
            InvalidInput: `color` is unknown.
        """
        if color not in (None, *COLORS):
            raise InvalidInput(f"cannot color by {color!r}{did_you_mean(str(color), COLORS)}")
        if color is None:
            color = "position" if any(isinstance(kind, Causal) for kind in run.model.position) else "cluster"
        return Groups._by_position(run) if color == "position" else Groups._by_cluster(run)

    @staticmethod
    def _by_cluster(run: Trajectory) -> Groups:
        found = run.clusters()
        labels = np.asarray(found.labels)
        if found.count == len(labels) > 1:
            return Groups(np.tile(to_rgb(PALETTE[0]), (len(labels), 1)), (), found.count)
        masses = np.asarray(found.masses, dtype=float)
        palette = np.array([to_rgb(color) for color in (*PALETTE, REST)])
        entries = [(color, float(mass)) for color, mass in zip(PALETTE, masses, strict=False)]
        if found.count > len(PALETTE):
            entries.append((REST, float(masses[len(PALETTE) :].sum())))
        return Groups(palette[np.minimum(labels, len(PALETTE))], tuple(entries), found.count)

    @staticmethod
    def _by_position(run: Trajectory) -> Groups:
        positions = np.asarray(run.final.positions, dtype=float)
        low, extent = positions.min(), max(float(np.ptp(positions)), 1e-12)
        # without the palest end, which a white page hides
        heat = matplotlib.colormaps[HEAT]
        colors = np.asarray(heat(0.92 * (positions - low) / extent))[:, :3]
        order = np.argsort(positions, kind="stable")
        shown = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), 5)).round().astype(int))]
        entries = tuple((to_hex(colors[i]), float(positions[i])) for i in shown)
        return Groups(colors, entries, len(entries), marked=int(order[0]))

    def add_legend(self, figure: Figure) -> None:
        """Adds a row of colored dots below the panels of a figure: clusters with their masses, or positions.

        Args:
            figure: the figure of matplotlib that gets the legend.
        """
        if not self.entries:
            return
        handles, names = [], []
        for color, value in self.entries:
            handles.append(Line2D([], [], marker="o", linestyle="", color=color, markersize=5, markeredgewidth=0))
            rest = f"{self.count - len(PALETTE)} others " if color == REST else ""
            names.append(f"{value:g}" if self.marked is not None else f"{rest}{_percent(value)}")
        if self.marked is not None:
            handles.insert(0, Line2D([], [], linestyle="", **STAR, markersize=8))
            names.insert(0, "first token")
        columns = len(handles) if len(handles) <= len(PALETTE) else 4
        # matplotlib fills columns first, readers read rows
        order = [i for column in range(columns) for i in range(column, len(handles), columns)]
        title = "mass of each cluster" if self.count > 1 else "one cluster"
        figure.legend(
            [handles[i] for i in order],
            [names[i] for i in order],
            loc="outside lower center",
            ncols=columns,
            title=title if self.marked is None else "position in the sequence",
            title_fontsize=9.0,
            handletextpad=0.1,
            columnspacing=1.0,
            borderaxespad=0.2,
        )


def _percent(mass: float) -> str:
    return f"{100 * mass:.0f}%" if mass >= 0.0095 else f"{100 * mass:.1g}%"


@dataclass(frozen=True)
class Drawn:
    """The tokens of a run that a picture shows: all, or a random sample of 20,000, the same at all times.

    Attributes:
        x: the tokens over time, shape (T, m, d), in float64.
        weights: their weights, shape (m,), of sum 1.
        groups: their colors; the legend is that of all tokens.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> run = solve(Transformer(Sphere(2), Softmax(1.0)), initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> Drawn.of(run).x.shape
    (5, 8, 2)
    """

    x: np.ndarray
    weights: np.ndarray
    groups: Groups

    @property
    def count(self) -> int:
        """The number of tokens that are drawn."""
        return len(self.weights)

    @staticmethod
    def of(run: Trajectory, color: str | None = None) -> Drawn:
        """The tokens of a run, or a sample of them, with their colors.

        Args:
            run: a run that saved its tokens.
            color: "cluster" or "position"; by default "position" if the model is causal, else "cluster".

        Returns:
            What is to be drawn. A token that is marked is always among it.

        Raises:
            InvalidInput: the run kept no tokens, or `color` is unknown.
        """
        check_single(run)
        points, weights = run.saved_points, np.asarray(run.weights, dtype=float)
        groups, n = Groups.of(run, color), len(weights)
        if n <= MOST_DRAWN:
            return Drawn(np.asarray(points, np.float64), weights, groups)
        chosen = np.random.default_rng(0).choice(n, MOST_DRAWN, replace=False)
        if groups.marked is not None:
            chosen[0] = groups.marked
        chosen = np.unique(chosen)
        marked = None if groups.marked is None else int(np.searchsorted(chosen, groups.marked))
        groups = replace(groups, colors=groups.colors[chosen], marked=marked)
        x = np.stack([np.asarray(at_one_time)[chosen] for at_one_time in np.asarray(points)])
        return Drawn(x.astype(np.float64), weights[chosen] / np.sum(weights[chosen]), groups)


@dataclass(frozen=True)
class Piles:
    """Tokens that coincide at the size of the picture: each pile of them is drawn as one dot.

    The largest piles come last, so that the crumbs around a cluster are drawn below it.

    Attributes:
        points: where the dots are, shape (m, d).
        areas: their areas in points squared, shape (m,).
        tokens: the index of one token of each pile, shape (m,).

    >>> import numpy as np
    >>> Piles.of(np.array([[0.0, 0.0], [0.0, 1e-9], [1.0, 0.0]]), np.full(3, 1 / 3), 2.0).tokens.tolist()
    [2, 0]
    """

    points: np.ndarray
    areas: np.ndarray
    tokens: np.ndarray

    @staticmethod
    def of(points: np.ndarray, weights: np.ndarray, extent: float) -> Piles:
        """The piles of tokens in a picture.

        Areas grow with the mass alone. So a token of weight 2 looks like two tokens, and a cluster of 2000 tokens like
        one of 20.

        Args:
            points: the tokens, shape (n, d).
            weights: their weights, shape (n,).
            extent: the length that the picture shows; tokens within some 1/150 of it make a pile.

        Returns:
            One entry for each pile.
        """
        cell = extent / 150
        _, tokens, pile = np.unique(_cells(points / cell), return_index=True, return_inverse=True)
        masses = np.bincount(pile, weights)
        places = np.stack([np.bincount(pile, weights * x) for x in points.T], axis=1) / masses[:, None]
        # a pile that straddles a border of the grid keeps its size: some shifted grid has it in one cell
        largest = weights.copy()
        for shift in (0.0, 0.25, 0.5, 0.75):
            shifted = np.unique(_cells(points / cell + shift), return_inverse=True)[1]
            largest = np.maximum(largest, np.bincount(shifted, weights)[shifted])
        areas = np.maximum(400 * largest[tokens] ** 0.55, 0.8)
        order = np.argsort(areas, kind="stable")
        return Piles(places[order], areas[order], tokens[order])


def _cells(scaled: np.ndarray) -> np.ndarray:
    """One whole number for each unit cell that the points (n, d) lie in."""
    cells = np.floor(scaled).astype(np.int64)
    cells -= cells.min(axis=0)
    return np.ravel_multi_index(tuple(cells.T), tuple(cells.max(axis=0) + 1))
