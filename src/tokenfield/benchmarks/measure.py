"""How the benchmarks time, report and describe the machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from typing import Any


def best_times(
    contestants: Mapping[str, Callable[[], Any]], *, rounds: int = 5, budget_s: float = 20.0
) -> dict[str, float]:
    """Seconds of the best call of each contestant. They take turns; a turn is an unmeasured call and two measured ones.

    The unmeasured call and a pause before it keep one contestant's spinning threads and cold caches from being
    charged to the next. A contestant takes no more turns once it has used `budget_s` in total.
    """
    best = dict.fromkeys(contestants, float("inf"))
    spent = dict.fromkeys(contestants, 0.0)
    for _ in range(rounds):
        for name, run in contestants.items():
            if spent[name] > budget_s:
                continue
            time.sleep(0.2)
            began = time.perf_counter()
            run()
            if time.perf_counter() - began > budget_s:  # so slow that one call must do
                best[name] = spent[name] = time.perf_counter() - began
                continue
            for _ in range(2):
                start = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - start)
            spent[name] += time.perf_counter() - began
    return best


def hardware() -> str:
    """One line about the machine and the libraries."""
    import jax
    import numpy

    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as lines:
            model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    devices = ", ".join(sorted({device.device_kind for device in jax.devices()}))
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}, "
        f"JAX {jax.__version__} on {devices}, NumPy {numpy.__version__}"
    )


def table(title: str, rows: list[dict[str, Any]], note: str = "") -> None:
    """Prints the rows, whose keys are the columns, as a table."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=140)
    shown = Table(title=title, title_justify="left", caption=note, caption_justify="left")
    for column in rows[0]:
        shown.add_column(column, justify="right")
    for row in rows:
        shown.add_row(*(_text(value) for value in row.values()))
    console.print(shown)


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
