"""The command `phase-diagram`: many systems over beta, gamma or kappa, as a table and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield.cli.flags import takes
from tokenfield.cli.shared import MODEL, OUTPUT, SOLVER, START, Json, note, print_summary
from tokenfield.study.diagram import Diagram

PANELS = (
    dict.fromkeys(("dim", "attention"), MODEL)
    | dict.fromkeys(("n", "systems", "seed"), START)
    | dict.fromkeys(("t1", "method", "step", "save"), SOLVER)
)


@takes(Diagram, PANELS)
def phase_diagram(
    given: dict[str, Any],
    out: Annotated[Path, typer.Option(help="Folder to write, or to continue.", rich_help_panel=OUTPUT)] = Path(
        "runs/phase-diagram"
    ),
    on: Annotated[
        str,
        typer.Option(help="Where: local, dask, tcp://HOST:PORT (a Dask scheduler), slurm.", rich_help_panel=OUTPUT),
    ] = "local",
    force: Annotated[
        bool, typer.Option("--force", help="Replace a folder with other settings.", rich_help_panel=OUTPUT)
    ] = False,
    as_json: Json = False,
) -> None:
    """Draw a phase diagram: how far tokens have clustered, over time and beta, from many random starts.

    It is a short way to write a sweep, see tokenfield sweep, with a picture of its own. The same command continues an
    unfinished folder, and with more systems it computes only those that are new. Ctrl-C keeps what is done.
    """
    keep_compiled_code()
    from tokenfield.study import phase_diagram as diagrams

    _, summary = diagrams.phase_diagram(Diagram(**given), out, on=on, force=force, note=note)
    print_summary(summary, diagrams.print_diagram, as_json=as_json)
