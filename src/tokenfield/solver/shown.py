"""How a run shows itself: its numbers in words, and a scene or a picture in notebooks."""

from __future__ import annotations

import base64
import html
import importlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory


def numbers(run: Trajectory) -> dict[str, str]:
    """What there is to say about `run`, in a few words each."""
    ts = np.asarray(run.ts)
    stats = run.stats
    steps = f"{int(stats.accepted)} steps, {int(stats.rejected)} rejected, in {float(stats.wall_s):.3g} s"
    return {
        "model": repr(run.model),
        "final": repr(run.final),
        "saved": f"{len(ts)} times from t = {ts[0]:g} to {ts[-1]:g}"
        + ("" if run.states is not None else ", observables only"),
        **({"observables": ", ".join(run.observables)} if run.observables else {}),
        "result": str(run.result),
        "solver": steps,
        **{f"note {i}": note for i, note in enumerate(run.notes, 1)},
    }


def in_html(run: Trajectory) -> str:
    """A scene that plays, or a picture, above the numbers of `run`."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(words)}"
        "</td></tr>"
        for name, words in numbers(run).items()
    )
    return f"<div>{_drawn(run)}<table>{rows}</table></div>"


def _drawn(run: Trajectory) -> str:
    # by name: solving must not need matplotlib, and layers above this one are not imported here
    scene = importlib.import_module("tokenfield.explorer.export").in_notebook(run)
    if scene is not None:
        return scene
    picture = importlib.import_module("tokenfield.plot").overview(run)
    drawn = "" if picture is None else base64.b64encode(picture._repr_png_()).decode()
    return f"<img alt='the run' style='max-width:480px' src='data:image/png;base64,{drawn}'>" if drawn else ""
