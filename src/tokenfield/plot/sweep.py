"""Pictures of sweeps: curves with error bars over seeds, and maps over two axes. Numbers come as an `xarray.Dataset`.

What is neither along an axis of a picture nor told by color makes a panel of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.plot import style
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import HEAT, INK, PALETTE, styled

if TYPE_CHECKING:
    import xarray

WIDTH, HEIGHT = 3.5, 2.9  # of a panel
ACROSS = 3  # panels in a row
MOST_PANELS = 6
MOST_COLORED = 7  # curves that colors tell apart; more are shades
MARKED = 40  # points up to which a curve has marks and bars
NAMES = {
    "beta": r"$\beta$",
    "gamma": r"$\gamma$",
    "kappa": r"$\kappa$",
    "n": "number of tokens $n$",
    "dim": "dimension $d$",
    "t": "time $t$",
    "t1": "final time $t_1$",
}
THEORY = {  # predictions as legends call them
    "k_max": r"theory: fastest mode $k_{\max}$",
    "renyi_count_circle": "theory: Rényi centers",
    "stationary_order": "theory: stationary law",
    "equiangular_time": "theory: equiangular tokens",
}
LONGEST = 18  # characters of a value that is written out
FEW = 6  # values of an axis of a map up to which each has its tick


def sweep_curves(
    found: xarray.Dataset,
    y: str,
    *,
    x: str | None = None,
    by: str | None = None,
    theory: Mapping[str, Any] | None = None,
) -> Picture:
    """The picture of a measure along an axis of a sweep: means over seeds, with standard errors as bars.

    Args:
        found: what `tokenfield.sweep` returned.
        y: the measure.
        x: the axis along which it is drawn, or "t"; by default the first axis of numbers.
        by: the axis whose values are told by color; by default the next one.
        theory: predictions by name, arrays over all axes, drawn in black dashes; by default none.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: an axis or a measure has another name.

    >>> from tokenfield import sweep
    >>> base, over = {"initial": {"n": 4}, "solve": {"t1": 1.0}}, {"beta": [1.0, 4.0]}
    >>> found = sweep(base, over=over, seeds=3, measure="order")
    >>> sweep_curves(found, "order")
    Picture(order over beta, 3.5 x 2.9 inches)
    """
    axes = _axes(found)
    along = [*axes, *(["t"] if "t" in found[_measure(found, y)].dims else [])]
    x = _first(found) if x is None else _chosen(found, x, along, "x")
    left = [name for name in axes if name != x]
    by = _chosen(found, by, left, "by") if by else (left[0] if left else None)
    values = _at_end(found[y], keep=x)
    with styled():
        panels, draw = _panels(found, [name for name in axes if name not in (x, by)])
        figure = draw.figure
        for place, axes_ in panels:
            _draw_curves(axes_, values.sel(place), x, by, _theory_at(theory, place))
            axes_.set_xlabel(_label(x))
            axes_.set_title(_words(found, place))
        first = panels[0][1]
        first.set_ylabel(str(found[y].attrs.get("long_name", y)))
        if first.get_legend_handles_labels()[0]:  # many shades have a bar instead
            first.legend(title=None if by is None or _is_shaded(found, by) else _label(by), title_fontsize=9)
        if by is not None and _is_shaded(found, by):
            _bar_of_shades(figure, [p for _, p in panels], found, by)
    return Picture(figure, None, f"{y} over {x}")


def sweep_map(found: xarray.Dataset, value: str, *, x: str | None = None, y: str | None = None) -> Picture:
    """The picture of a measure over two axes of a sweep, as colors: means over seeds.

    Args:
        found: what `tokenfield.sweep` returned.
        value: the measure.
        x: the axis to the right, or "t"; by default the first axis of numbers.
        y: the axis upwards; by default the next axis of numbers.

    Returns:
        A picture that does not move.

    Raises:
        InvalidInput: an axis or a measure has another name, or there are no two axes of numbers.

    >>> from tokenfield import sweep
    >>> over = {"beta": [1.0, 4.0], "t1": [0.5, 1.0]}
    >>> sweep_map(sweep({"initial": {"n": 4}}, over=over, measure="order"), "order")
    Picture(order over beta and t1, 3.5 x 2.9 inches)
    """
    axes = _axes(found)
    offered = [*axes, *(["t"] if "t" in found[_measure(found, value)].dims else [])]
    numeric = [name for name in offered if _is_numeric(found, name) and found.sizes[name] > 1]
    x = _chosen(found, x, numeric, "x") if x else (numeric[0] if numeric else None)
    left = [name for name in numeric if name != x]
    y = _chosen(found, y, left, "y") if y else (left[0] if left else None)
    if x is None or y is None:
        raise InvalidInput("a map needs two axes of numbers: draw curves instead, or vary one more key")
    values = _at_end(found[value], keep=x if "t" in (x, y) else None)
    values = values.mean("seed", skipna=True) if "seed" in values.dims else values
    with styled():
        panels, draw = _panels(found, [name for name in axes if name not in (x, y)])
        low, high = float(values.min()), float(values.max())
        mesh: Any = None
        for place, axes_ in panels:
            grid = values.sel(place).transpose(y, x).values
            edges = [_edges(found[name].values.astype(float)) for name in (x, y)]
            mesh = axes_.pcolormesh(*edges, grid, cmap=HEAT, rasterized=True, vmin=low, vmax=high)
            _scale(axes_.xaxis, axes_.set_xscale, found[x].values)
            _scale(axes_.yaxis, axes_.set_yscale, found[y].values)
            for name, set_ticks in ((x, axes_.set_xticks), (y, axes_.set_yticks)):
                if found.sizes[name] <= FEW:
                    set_ticks(found[name].values.astype(float), [f"{v:g}" for v in found[name].values], minor=False)
            axes_.set_xlabel(_label(x))
            axes_.set_title(_words(found, place))
        panels[0][1].set_ylabel(_label(y))
        draw.figure.colorbar(mesh, ax=[p for _, p in panels], label=str(found[value].attrs.get("long_name", value)))
    return Picture(draw.figure, None, f"{value} over {x} and {y}")


class _Panels:
    """The figure of some panels."""

    def __init__(self, count: int) -> None:
        across = min(count, ACROSS)
        rows = math.ceil(count / across)
        self.figure = style.new_figure(WIDTH * across if across > 1 else WIDTH, HEIGHT * rows)
        self.axes = list(np.ravel(self.figure.subplots(rows, across, sharey=True, squeeze=False)))
        for axes in self.axes[count:]:
            axes.set_visible(False)


def _panels(found: xarray.Dataset, others: list[str]) -> tuple[list[tuple[dict[str, Any], Any]], _Panels]:
    """A panel for each combination of the other axes, up to a few, spread evenly over them."""
    places = [
        dict(zip(others, values, strict=True))
        for values in itertools.product(*(found[name].values.tolist() for name in others))
    ]
    if len(places) > MOST_PANELS:
        places = [places[k] for k in np.linspace(0, len(places) - 1, MOST_PANELS).round().astype(int)]
    drawn = _Panels(len(places))
    return list(zip(places, drawn.axes, strict=False)), drawn


def _draw_curves(axes: Any, values: xarray.DataArray, x: str, by: str | None, theory: Mapping[str, Any]) -> None:
    groups = [None] if by is None else values[by].values.tolist()
    is_named = not _is_numeric(values, x)
    positions = np.arange(values.sizes[x]) if is_named else values[x].values.astype(float)
    for k, group in enumerate(groups):
        row = values if group is None else values.sel({by: group})
        mean = row.mean("seed", skipna=True).values
        count = np.isfinite(row.transpose("seed", x).values).sum(axis=0)
        error = (
            row.std("seed", skipna=True, ddof=1).values / np.sqrt(np.maximum(count, 1))
            if row.sizes["seed"] > 1
            else None
        )
        color = _color(k, len(groups))
        few = len(positions) <= MARKED
        label = None if group is None else _labels(values, str(by))[group]
        if few:
            line = "none" if is_named else "-"
            axes.errorbar(
                positions,
                mean,
                yerr=error,
                color=color,
                marker="o",
                markersize=3,
                capsize=1.5,
                linestyle=line,
                linewidth=1.2,
                elinewidth=0.8,
                label=label if len(groups) <= MOST_COLORED else None,
            )
        else:
            axes.plot(positions, mean, color=color, label=label if len(groups) <= MOST_COLORED else None)
            if error is not None:
                axes.fill_between(positions, mean - error, mean + error, color=color, alpha=0.25, linewidth=0)
        for name, curve in theory.items():
            line_values = curve if group is None else curve.sel({by: group})
            if np.isfinite(line_values.values).any():
                dashes = {"linestyle": "--", "linewidth": 1.1}
                axes.plot(positions, line_values.values, color=INK if len(groups) == 1 else color, **dashes)
                if k == len(groups) - 1:  # one entry for all colors
                    axes.plot([], [], color=INK, label=THEORY.get(name, f"theory: {name}"), **dashes)
    if is_named:
        names = list(_labels(values, x).values())
        axes.set_xticks(positions, names, rotation=20 if len(positions) > 4 or max(map(len, names)) > 8 else 0)
    elif _is_log(positions):
        axes.set_xscale("log")
    finite = values.mean("seed", skipna=True).values
    finite = finite[np.isfinite(finite) & (finite > 0)]
    if len(finite) and finite.max() > 300 * finite.min():
        axes.set_yscale("log")


def _theory_at(theory: Mapping[str, Any] | None, place: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values.sel(place) for name, values in (theory or {}).items()}


def _bar_of_shades(figure: Any, axes: Any, found: xarray.Dataset, by: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    numbers = found[by].values.astype(float)
    figure.colorbar(ScalarMappable(Normalize(numbers.min(), numbers.max()), HEAT), ax=axes, label=_label(by))


def _color(k: int, count: int) -> Any:
    import matplotlib

    return PALETTE[k] if count <= MOST_COLORED else matplotlib.colormaps[HEAT](k / (count - 1))


def _is_shaded(found: xarray.Dataset, by: str) -> bool:
    return found.sizes[by] > MOST_COLORED and _is_numeric(found, by)


def _axes(found: xarray.Dataset) -> list[str]:
    return [str(name) for name in found.attrs["axes"]]


def _measure(found: xarray.Dataset, name: str) -> str:
    known = [str(v) for v in found.data_vars if v != "outcome"]
    if name not in known:
        raise InvalidInput(f"nothing called '{name}' was measured{did_you_mean(name, known)}")
    if extra := [d for d in found[name].dims if str(d).startswith(f"{name}_")]:
        raise InvalidInput(f"'{name}' is no single number: pick one of its {extra[0]} first, with isel")
    return name


def _chosen(found: xarray.Dataset, name: str, offered: list[str], what: str) -> str:
    keys = {str(found[a].attrs.get("key", "")): a for a in _axes(found)}
    name = keys.get(name, name)
    if name not in offered:
        raise InvalidInput(f"{what} cannot be '{name}'{did_you_mean(name, offered)}")
    return name


def _first(found: xarray.Dataset) -> str:
    axes = _axes(found)
    return next((name for name in axes if _is_numeric(found, name) and found.sizes[name] > 1), axes[0])


def _at_end(values: xarray.DataArray, *, keep: str | None) -> xarray.DataArray:
    return values.isel(t=-1) if "t" in values.dims and keep != "t" else values


def _is_numeric(found: Any, name: str) -> bool:
    return found[name].dtype.kind in "iuf"


def _is_log(numbers: np.ndarray) -> bool:
    """Whether values are in equal ratios rather than in equal steps."""
    if len(numbers) < 3 or np.any(numbers <= 0) or numbers.max() < 7 * numbers.min():
        return False
    logs, steps = np.diff(np.log(numbers)), np.diff(numbers)
    return bool(np.ptp(logs) / np.abs(logs).mean() < np.ptp(steps) / np.abs(steps).mean())


def _is_uneven(numbers: np.ndarray) -> bool:
    """Whether values are in neither equal steps nor equal ratios, such as 2, 3, 8: each then gets the same room."""
    if len(numbers) < 3:
        return False
    steps = np.diff(np.log(numbers)) if _is_log(numbers) else np.diff(numbers)
    return bool(np.ptp(steps) > 0.5 * np.abs(steps).max())


def _scale(axis: Any, set_scale: Any, values: np.ndarray) -> None:
    """The ticks of an axis whose cells have the borders of `_edges`."""
    numbers = values.astype(float)
    if _is_uneven(numbers):
        axis.set_ticks(np.arange(len(numbers)), [_value(value) for value in values.tolist()])
    elif _is_log(numbers):
        set_scale("log")


def _edges(values: np.ndarray) -> np.ndarray:
    """The borders of the cells around the values."""
    if _is_uneven(values):
        return np.arange(len(values) + 1) - 0.5
    x = np.log(values) if _is_log(values) else values
    middle = (x[1:] + x[:-1]) / 2
    borders = np.concatenate([[2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]])
    return np.exp(borders) if _is_log(values) else borders


def _label(name: str) -> str:
    return NAMES.get(name, name)


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _words(found: xarray.Dataset, place: Mapping[str, Any]) -> str:
    # of "number of tokens $n$" the letter is enough here
    parts = ((_label(name).split(" ")[-1], _labels(found, name)[value]) for name, value in place.items())
    return ", ".join(value if value.startswith(f"{name} ") else f"{name} = {value}" for name, value in parts)


def _labels(found: Any, name: str) -> dict[Any, str]:
    values = found[name].values.tolist()
    return dict(zip(values, value_labels(name, values), strict=True))


def value_labels(name: str, values: Sequence[Any]) -> list[str]:
    """The values of an axis as a figure calls them: matrices and other long texts by their number.

    >>> value_labels("beta", [1.0, 2.5]), value_labels("V", ["[[1, 0, 0], [0, 1, 0]]", "[[0, 0, 1], [0, 1, 0]]"])
    (['1', '2.5'], ['V 1', 'V 2'])
    """
    texts = [_value(value) for value in values]
    return texts if max(map(len, texts)) <= LONGEST else [f"{name} {k + 1}" for k in range(len(texts))]
