"""The figures of a sweep: a curve for each measure, a map where two axes are numbers, and what theory says beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.files import make_folder
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.solver.events import Consensus, CosineLevel
from tokenfield.study.builders import build_model
from tokenfield.study.builders.events import build_event
from tokenfield.study.config import Config
from tokenfield.study.sweep.computing import event_of
from tokenfield.study.sweep.plan import Sweep
from tokenfield.study.sweep.quantities import TIME, Quantity

if TYPE_CHECKING:
    import xarray

    from tokenfield.study.store import SweepFolder

MOST_PREDICTIONS = 200  # cells that theory is asked about: each has its model built
# which predictions are of which measure, the first that applies; of times of events `TIMES`
TIMES = "equiangular_time"
PREDICTIONS = {
    "clusters": ("k_max", "renyi_count_circle"),
    "order": ("stationary_order",),
    "order-parameter": ("stationary_order",),
}
OF_MODELS = ("k_max", "renyi_count_circle", "stationary_order")  # about infinitely many tokens: the start is not asked


def draw(
    folder: SweepFolder,
    plan: Sweep,
    *,
    format: str = "png",
    out: Path | None = None,
    note: Callable[[str], None] = lambda message: None,
) -> list[Path]:
    """The figures of the folder, drawn; a measure of which nothing is known is left out."""
    from tokenfield.plot.sweep import sweep_curves, sweep_map

    target = folder.figures if out is None else out
    drawn: list[Path] = []
    try:
        with folder.dataset() as found:
            make_folder(target)
            for quantity in plan.quantities:
                values = found[quantity.name]
                if any(str(dim).startswith(f"{quantity.name}_") for dim in values.dims):
                    continue
                if not np.isfinite(values.values).any():
                    note(f"{quantity.name} is nowhere a number: it is not drawn")
                    continue
                theory = predictions(plan, found, quantity.name)
                x = None if "t" not in values.dims or plan.cells > 1 else "t"
                picture = sweep_curves(found, quantity.name, x=x, theory=theory)
                drawn.append(picture.save(target / f"{_name(quantity.name)}.{format}"))
                numeric = [axis.name for axis in plan.axes if axis.is_numeric and len(axis) > 1]
                numeric += ["t"] if "t" in values.dims else []
                if len(numeric) > 1:
                    x, y = ("t", numeric[0]) if "t" in values.dims else (numeric[0], numeric[1])
                    map_ = sweep_map(found, quantity.name, x=x, y=y)
                    drawn.append(map_.save(target / f"{_name(quantity.name)}-map.{format}"))
    except (FileError, OSError) as error:  # a disk that fills up now must not cost the numbers
        note(f"the remaining figures were not drawn: {error}")
    return drawn


def one(
    folder: SweepFolder, plan: Sweep, *, x: str | None, y: str | None, by: str | None, out: Path | None, format: str
) -> Path:
    """The figure that a user asks for: the measure `y` against `x`, by color `by`."""
    from tokenfield.plot.sweep import sweep_curves

    target = folder.figures if out is None else out
    name = y or plan.quantities[0].name
    with folder.dataset() as found:
        picture = sweep_curves(found, name, x=x, by=by, theory=predictions(plan, found, name) if x != "t" else None)
        make_folder(target)
        parts = [name, *(["over", x] if x else []), *(["by", by] if by else [])]
        return picture.save(target / f"{_name('-'.join(parts))}.{format}")


def predictions(plan: Sweep, found: xarray.Dataset, name: str) -> Mapping[str, Any] | None:
    """What theory predicts for a measure in each cell, where it does; `None` where it says nothing."""
    import xarray

    quantity = next((q for q in plan.quantities if q.name == name), None)
    if quantity is None or plan.cells > MOST_PREDICTIONS:
        return None
    for wanted in (TIMES,) if quantity.kind == TIME else PREDICTIONS.get(quantity.of, ()):
        values = np.full(plan.cells, np.nan)
        for cell in range(plan.cells):
            try:
                values[cell] = _predicted(plan.config(cell, plan.seeds[0]), wanted, quantity)
            except (TokenfieldError, KeyError, TypeError, ValueError):
                continue  # a bad cell, or one that the theorem is not about
        if np.isfinite(values).any():
            axes = [axis.name for axis in plan.axes]
            coordinates = {name: found[name] for name in axes}
            return {wanted: xarray.DataArray(values.reshape(plan.shape), dims=axes, coords=coordinates)}
    return None


def _predicted(config: Config, name: str, quantity: Quantity) -> float:
    """One prediction for a cell, as `tokenfield.predict` has it, without the others, which take seconds."""
    from tokenfield.theory.reading import read
    from tokenfield.theory.registry import TOPICS
    from tokenfield.theory.setting import DoesNotApply

    adapter: Any = next(found[name] for found in TOPICS.values() if name in found)
    model = build_model(config)
    try:
        if name in OF_MODELS:
            return float(adapter(read(model))) if config.initial.kind == "uniform" else np.nan
        level = _level(build_event(event_of(quantity, config), model, config.state.kind), int(config.initial.n or 0))
        return np.nan if level is None else float(adapter(read(*config.build()), level=level))
    except DoesNotApply:
        return np.nan


def _level(event: Any, n: int) -> float | None:
    """The common cosine of n tokens at which an event happens; `None` if that is no matter of cosines.

    The mean m of tokens with the common cosine c has |m|^2 = (1 + (n - 1) c)/n, and each is at the angle arccos |m| of
    it, which is half of the delta of a consensus.
    """
    if isinstance(event, CosineLevel):
        return float(event.level)
    if not isinstance(event, Consensus) or n < 2 or event.delta >= np.pi:
        return None
    return (n * np.cos(float(event.delta) / 2) ** 2 - 1) / (n - 1)


def _name(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in text)
