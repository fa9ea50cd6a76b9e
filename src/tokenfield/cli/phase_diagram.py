"""The command `phase-diagram`: many systems over beta, gamma or kappa, as a table and a figure."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import to_json
from tokenfield.cli.shared import INTERRUPTED, MODEL, OUTPUT, SOLVER, START, Json, note
from tokenfield.errors import ConfigError
from tokenfield.study import options

MOST = 100_000  # values of one axis: more is taken for a mistake
# the axes of each diagram
DEFAULTS = {
    "beta": {"betas": "0.1:9:90"},
    "gamma": {"gammas": "0.1:3:30"},
    "kappa": {"betas": "0:4:9", "kappas": "0.5:8:16"},
}


def phase_diagram(
    dim: Annotated[int, typer.Option(help="Ambient dimension d: tokens on S^(d-1).", rich_help_panel=MODEL)] = 2,
    n: Annotated[int, typer.Option("--n", help="Number of tokens.", rich_help_panel=START)] = 32,
    systems: Annotated[int, typer.Option(help="Random starts for each value.", rich_help_panel=START)] = 256,
    seed: Annotated[int, typer.Option(help="Seed of the starts.", rich_help_panel=START)] = 0,
    attention: Annotated[str, typer.Option(help="softmax, unnormalized, l2", rich_help_panel=MODEL)] = "softmax",
    vary: Annotated[
        str, typer.Option(help="beta or gamma (beta = gamma log n) against time, or kappa (noise) against beta.")
    ] = "beta",
    betas: Annotated[str | None, typer.Option(help="FIRST:LAST:COUNT or values with commas; 0.1:9:90.")] = None,
    gammas: Annotated[str | None, typer.Option(help="For --vary gamma; 0.1:3:30.")] = None,
    kappas: Annotated[str | None, typer.Option(help="For --vary kappa; 0.5:8:16.")] = None,
    statistic: Annotated[
        str | None,
        typer.Option(help="pairs (together), clusters (their number), span (dimension), order (length of the mean)."),
    ] = None,
    delta: Annotated[float | None, typer.Option(help="Threshold of the statistic; as published if left out.")] = None,
    t1: Annotated[
        float | None, typer.Option("--t1", help="Final time; 30, or 1 if unnormalized.", rich_help_panel=SOLVER)
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="euler-normalise, rk4, tsit5; heun for noise.", rich_help_panel=SOLVER)
    ] = None,
    step: Annotated[float | None, typer.Option(help="Length of fixed steps; 0.1.", rich_help_panel=SOLVER)] = None,
    save: Annotated[
        str | None, typer.Option(help="Times: a count, times with commas, log:COUNT.", rich_help_panel=SOLVER)
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to write, or to continue.", rich_help_panel=OUTPUT)] = Path(
        "runs/phase-diagram"
    ),
    force: Annotated[
        bool, typer.Option("--force", help="Replace a folder with other settings.", rich_help_panel=OUTPUT)
    ] = False,
    as_json: Json = False,
) -> None:
    """Draw a phase diagram: how far tokens have clustered, over time and beta, from many random starts.

    The same command continues an unfinished folder. Ctrl-C keeps what is done.
    """
    axes = _parse_axes(vary, {"betas": betas, "gammas": gammas, "kappas": kappas})
    parsed = None if save is None else options.parse_save(save)
    keep_compiled_code()
    from tokenfield.study import phase_diagram as diagrams

    settings = diagrams.Diagram(
        dim=dim,
        n=n,
        systems=systems,
        attention=attention,
        vary=vary,
        **axes,
        t1=t1,
        save=parsed,
        statistic=statistic,
        delta=delta,
        method=method,
        step=step,
        seed=seed,
    )
    _, summary = diagrams.phase_diagram(settings, out, force=force, note=note)
    if as_json:
        typer.echo(to_json(summary))
    else:
        from rich.console import Console

        diagrams.print_diagram(summary, Console(file=sys.stdout, highlight=False))
    if not summary["is_complete"]:
        raise typer.Exit(INTERRUPTED)


def _parse_axes(vary: str, given: dict[str, str | None]) -> dict[str, tuple[float, ...]]:
    """The values of the axes, as given or as the diagram that varies `vary` has them."""
    texts = DEFAULTS.get(vary, DEFAULTS["kappa"]) | {name: text for name, text in given.items() if text}
    return {name: parse_range(text, name) for name, text in texts.items()}


def parse_range(text: str, name: str) -> tuple[float, ...]:
    """The values that a text such as 0.1:9:90 (first, last, count) or 1,2,4 stands for, increasing.

    >>> parse_range("0:1:3", "betas")
    (0.0, 0.5, 1.0)
    """
    parts = text.split(":")
    try:
        if len(parts) == 1:
            values = [float(part) for part in text.split(",")]
        else:
            first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
            if len(parts) != 3 or not 2 <= count <= MOST:
                raise ValueError
            values = [first + (last - first) * k / (count - 1) for k in range(count)]
    except (ValueError, IndexError):
        raise ConfigError(f"--{name} needs FIRST:LAST:COUNT, such as 0.1:9:90, or values 1,2,4, got '{text}'") from None
    if not all(a < b for a, b in itertools.pairwise(values)) or not all(abs(v) < 1e6 for v in values):
        raise ConfigError(f"--{name} must increase and be finite, got '{text}'")
    return tuple(values)
