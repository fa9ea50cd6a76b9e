"""The page of a sweep: what was varied, how runs ended, figures, a table of the means, and the config."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield._runtime.files import write_text
from tokenfield.plot.sweep import value_labels
from tokenfield.report.frame import environment as environment_now
from tokenfield.report.frame import facts_list, framed, machine, versions
from tokenfield.report.picture import figure, read_picture
from tokenfield.report.text import duration, escape
from tokenfield.study.config import Config
from tokenfield.study.store.folder import FIGURES, SWEEP_PAGE
from tokenfield.study.sweep.plan import Sweep
from tokenfield.study.sweep.running import check_folder

INTRODUCTION = """Every combination of the values below was run for every seed, and each run was measured. Curves show
means over seeds, bars their standard errors; dashes are what theory says, where it says something. Runs that blew up or
stopped early are counted, not hidden."""
MOST_ROWS = 200


def write_sweep(folder: Path | str) -> Path:
    """Writes the page of a sweep to `folder`/report.html, complete or not at all, and returns its path.

    Numbers and figures are read from the folder. Raises `FileError` if they cannot be, or the page cannot be written.
    """
    path = Path(folder) / SWEEP_PAGE
    found, plan, _ = check_folder(Path(folder))
    write_text(path, sweep_page(plan, found.read_numbers(), folder, environment=environment_now()))
    return path


def sweep_page(plan: Sweep, numbers: Mapping[str, Any], folder: Path | str, *, environment: Mapping[str, Any]) -> str:
    """The page as HTML; its figures are read from `folder` and embedded."""
    title = f"{', '.join(numbers['measures'])} over {', '.join(numbers['axes'])}"
    return framed(
        title[0].upper() + title[1:],
        skip=("figures", "Skip to the figures"),
        header=f'<p class="introduction">{INTRODUCTION}</p>\n{_circumstances(numbers, environment)}',
        main=f"""<section aria-labelledby="axes"><h2 id="axes">What was varied</h2>
{_axes(plan)}</section>
{_ends(plan, numbers)}
<section id="figures" aria-labelledby="pictures"><h2 id="pictures">Figures</h2>
{_figures(plan, Path(folder) / FIGURES)}</section>
<section aria-labelledby="means"><h2 id="means">Means over seeds</h2>
{_table(plan, numbers)}</section>
<section aria-labelledby="config"><h2 id="config">What all runs share</h2>
<pre class="box">{escape(Config.from_dict(dict(plan.tables)).to_toml().strip())}</pre></section>""",
        footer=versions(environment),
        environment=environment,
    )


def _circumstances(numbers: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    created = datetime.fromisoformat(environment["created"])
    facts = {
        "Runs": f"{numbers['done']} of {numbers['runs']}",
        "Cells": numbers["cells"],
        "Seeds": numbers["seeds"],
        "Took": duration(numbers["wall_s"]),
        "Made": f"{created.day} {created:%B %Y, %H:%M}",
        "On": machine(environment),
    }
    return facts_list(facts, "circumstances")


def _axes(plan: Sweep) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(axis.name)}</th><td>{escape(", ".join(axis.keys))}</td>'
        f"<td>{len(axis)}</td><td>{escape(_values(axis.name, axis.values))}</td></tr>"
        for axis in plan.axes
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("axis", "key of the config", "values", ""))
    return _in_table(f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>")


def _in_table(content: str) -> str:
    return f'<div class="scroll" tabindex="0"><table class="layers">{content}</table></div>'


def _values(name: str, values: Any) -> str:
    shown = [f"{v:.5g}" if isinstance(v, float) else str(v) for v in values]
    labels = value_labels(name, values)
    if labels[0] == f"{name} 1":  # what figures call it
        shown = [f"{label} = {text}" for label, text in zip(labels, shown, strict=True)]
    return ", ".join(shown) if len(shown) <= 8 else f"{', '.join(shown[:3])}, …, {shown[-1]}"


def _ends(plan: Sweep, numbers: Mapping[str, Any]) -> str:
    """How runs ended, if not all finished, and cells that cannot be."""
    lines = []
    outcomes = numbers.get("outcomes") or {}
    if set(outcomes) - {"finished"}:
        lines.append(", ".join(f"{count} runs: {what}" for what, count in outcomes.items()))
    lines += [f"{cell}: {why}" for cell, why in (numbers.get("bad") or {}).items()][:20]
    if not numbers["is_complete"]:
        lines.append("The sweep is not finished: the same command continues it")
    if not lines:
        return ""
    items = "".join(f"<li>{escape(line)}.</li>" for line in lines)
    return f"""<section aria-labelledby="ends"><h2 id="ends">What to know</h2>
<div class="box note"><ul>{items}</ul></div></section>"""


def _figures(plan: Sweep, folder: Path) -> str:
    labels = {quantity.name: quantity.label for quantity in plan.quantities}
    paths = sorted(folder.glob("*.png"), key=lambda path: (path.stem.removesuffix("-map"), path.stem))
    parts = []
    for path in paths:
        picture = read_picture(path)
        if picture is not None:
            name = path.stem.removesuffix("-map")
            words = f"{labels.get(name, name.replace('-', ' '))}, mean over {len(plan.seeds)} seeds"
            words += " as colors" if path.stem.endswith("-map") else ", with standard errors"
            parts.append(f'{figure(picture, words)}<p class="caption">{escape(words[0].upper() + words[1:])}.</p>')
    return "\n".join(parts) or '<p class="missing">No figures were drawn.</p>'


def _table(plan: Sweep, numbers: Mapping[str, Any]) -> str:
    """The means of all measures, a row for each cell, up to a few hundred."""
    columns = {
        name: np.ravel(np.array(means, float))
        for name, means in (numbers.get("means") or {}).items()
        if means is not None
    }
    if not columns and numbers.get("done"):
        return f'<p class="missing">The dataset sweep.zarr has the means of the {plan.cells} cells.</p>'
    if not columns:
        return '<p class="missing">Nothing was measured yet.</p>'
    picked = np.unique(np.linspace(0, plan.cells - 1, min(MOST_ROWS, plan.cells)).round().astype(int))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in (*(a.name for a in plan.axes), *columns))
    rows = []
    for cell in picked:
        place = np.unravel_index(int(cell), plan.shape)
        points = "".join(f"<td>{escape(_one(a.values[k]))}</td>" for a, k in zip(plan.axes, place, strict=True))
        values = "".join(f"<td>{_number(column[cell])}</td>" for column in columns.values())
        rows.append(f"<tr>{points}{values}</tr>")
    caption = (
        "" if len(picked) == plan.cells else f"<caption>{len(picked)} of {plan.cells} cells, evenly spread.</caption>"
    )
    return _in_table(f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>")


def _one(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)


def _number(value: float) -> str:
    return "–" if not np.isfinite(value) else f"{value:.4g}".replace("-", "−")
