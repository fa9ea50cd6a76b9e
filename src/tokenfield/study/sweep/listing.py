"""Sweeps as they are printed: what would be done, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.memory import size_in_words

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 24  # of a printed table
COUNTS = {1: "one", 2: "two"}


def print_plan(found: Mapping[str, Any], console: Console) -> None:
    """Prints what `costs.explain` found."""
    bad = f", {found['bad_cells']} of them cannot be: --dry lists them" if found["bad_cells"] else ""
    console.print(f"cells    {found['cells']}{bad}")
    left = "" if found["runs_left"] == found["runs"] else f", {found['runs_left']} of them left to do"
    console.print(f"runs     {found['runs']}{left}")
    kinds = f"{found['pieces_together']} of systems that move together, {found['pieces_alone']} of single runs"
    console.print(f"pieces   {found['pieces']}: {kinds}")
    least, most = found["piece_s"]["least"], found["piece_s"]["most"]
    span = duration(least) if duration(least) == duration(most) else f"{duration(least)} to {duration(most)}"
    console.print(f"a piece  {span}, measured on {COUNTS.get(found['measured'], found['measured'])} of them")
    workers = f", {found['workers']} pieces at a time" if found["workers"] > 1 else ""
    programs = f"{found['programs']} program{'s' * (found['programs'] != 1)}"
    compiling = f", and about {duration(found['compile_s'])} to compile {programs}" if found["compile_s"] > 1 else ""
    console.print(f"in all   {duration(found['total_s'])}{workers}{compiling}")
    console.print(f"disk     about {size_in_words(found['disk_bytes'])}, less where numbers compress well")


def print_cells(cells: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Prints every cell, with the reason why it cannot be."""
    from rich.text import Text

    for cell in cells:
        bad = cell["bad"]
        line = Text("✗ " if bad else "✓ ", style="bold red" if bad else "green")
        line.append(cell["cell"], style="default")
        if bad:
            line.append(f"  {bad}", style="red")
        console.print(line, soft_wrap=True)
    count = sum(1 for cell in cells if cell["bad"])
    console.print(f"{len(cells)} cells, {count} of them cannot be" if count else f"{len(cells)} cells, all can be")


def print_sweep(numbers: Mapping[str, Any], console: Console) -> None:
    """Prints the numbers of a sweep: how runs ended, and the means of the first measure along the first axes."""
    axes = numbers["axes"]
    over = " x ".join(f"{name} ({len(values)})" for name, values in axes.items())
    console.print(f"{', '.join(numbers['measures'])} over {over}, {numbers['seeds']} seeds: {numbers['runs']} runs")
    outcomes = numbers.get("outcomes") or {}
    if set(outcomes) - {"finished"}:
        console.print(", ".join(f"{count} {what}" for what, count in outcomes.items()))
    for name in numbers["measures"]:
        _print_means(name, numbers, console)
    if numbers["bad_cells"]:
        console.print(f"{numbers['bad_cells']} cells cannot be and were left out", style="yellow")
    if not numbers["is_complete"]:
        left = numbers["runs"] - numbers["done"] - numbers["bad_cells"] * numbers["seeds"]
        console.print(f"interrupted with {left} runs left: run the same command again to continue", style="bold yellow")
    console.print(f"where  {numbers['out']}  ({numbers['wall_s']:.1f} s)", style="dim")


def _print_means(name: str, numbers: Mapping[str, Any], console: Console) -> None:
    """A table of the means at the end: the first axis downwards, the second to the right, others at their middle."""
    from rich.table import Table
    from rich.text import Text

    means = (numbers.get("means") or {}).get(name)
    if means is None:
        return  # arrays, or too many to be listed: the dataset has them
    axes = list(numbers["axes"].items())
    values = np.array(means, float)  # None is a mean of nothing
    fixed = [(axis, len(points) // 2, points) for axis, points in axes[2:]]
    for _ in fixed:
        values = np.take(values, fixed[values.ndim - 3][1], axis=-1)
    values = values.reshape(len(axes[0][1]), -1)
    at = "".join(f", at {axis} = {_text(points[k])}" for axis, k, points in fixed)
    columns = [_text(v) for v in axes[1][1]] if len(axes) > 1 else ["mean"]
    rows = np.unique(np.linspace(0, len(axes[0][1]) - 1, min(MOST_ROWS, len(axes[0][1]))).round().astype(int))
    shown = np.unique(np.linspace(0, len(columns) - 1, min(8, len(columns))).round().astype(int))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(axes[0][0], header_style="bold")
    for k in shown:
        label = columns[k] if len(axes) == 1 else f"{axes[1][0]} = {columns[k]}"
        table.add_column(Text(label), header_style="bold", justify="right")
    for row in rows:
        cells = ("-" if not np.isfinite(values[row, k]) else f"{values[row, k]:.4g}" for k in shown)
        table.add_row(_text(axes[0][1][row]), *cells)
    console.print(Text(f"{name}, mean over seeds{at}", style="bold"))
    console.print(table)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    """A time span to be read.

    >>> duration(0.02), duration(75), duration(7300)
    ('20 ms', '1 min 15 s', '2 h 01 min')
    """
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
