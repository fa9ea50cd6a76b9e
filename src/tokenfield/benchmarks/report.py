"""What a benchmark hands back, and the ways to print it: a table on the terminal, Markdown, JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """Rows whose keys are the columns (a row may leave some out), under a title, with notes on how to read them."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = field(default=())

    @property
    def columns(self) -> list[str]:
        """Every key of every row, in the order in which they first appear."""
        return list(dict.fromkeys(column for row in self.rows for column in row))

    def texts(self) -> list[list[str]]:
        """The cells as they are shown, row by row."""
        return [[text(row.get(column)) for column in self.columns] for row in self.rows]

    def show(self, console: Console) -> None:
        """Prints the table and its notes on the terminal."""
        from rich.table import Table as Shown
        from rich.text import Text

        shown = Shown()
        for column in self.columns:
            shown.add_column(Text(column), justify="right", overflow="fold")
        for cells in self.texts():
            shown.add_row(*(Text(cell) for cell in cells))
        console.print(Text(self.title, style="bold"))  # a title of its own would be broken at the width of the table
        console.print(shown)
        for note in self.notes:
            console.print(Text(note, style="dim"))

    def markdown(self) -> str:
        """The table as Markdown, its title in bold above, the notes below."""
        lines = [self.columns, ["---"] * len(self.columns), *self.texts()]
        table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)
        return "\n\n".join([f"**{self.title}**", table, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON; numbers are as measured, not as shown."""
        return {"title": self.title, "rows": [dict(row) for row in self.rows], "notes": list(self.notes)}


def text(value: Any) -> str:
    """`value` as it stands in a table: three digits, and a dash for what was not measured.

    >>> text(0.012345), text(float("nan")), text(1048576), text("Fourier")
    ('0.0123', '-', '1,048,576', 'Fourier')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if 1000 <= abs(value) < 1e7:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"
