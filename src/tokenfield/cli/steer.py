"""The command `steer`: weights that send prompts to their targets, from a config to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield.cli.shared import OUTPUT, Json, note, print_summary


def steer(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A config with the section steer.")],
    steps: Annotated[int | None, typer.Option(help="Steps of the optimizer.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of prompts, targets and weights.")] = None,
    loss: Annotated[str | None, typer.Option(help="points, clusters, w2 or sinkhorn.")] = None,
    rank: Annotated[int | None, typer.Option(help="Rank of Q, K and V.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; by default runs/NAME-NUMBER.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.", rich_help_panel=OUTPUT)] = False,
    as_json: Json = False,
) -> None:
    """Train weights in depth that send prompts to their targets, and solve them again as a certificate.

    examples/steer has configs. Ctrl-C keeps the best weights so far, and exits with 130.
    """
    keep_compiled_code()
    from tokenfield.study import steer as steering

    given = {"steps": steps, "seed": seed, "loss": loss, "rank": rank}
    problem = steering.read_problem(config, {name: value for name, value in given.items() if value is not None})
    _, summary = steering.steer(
        problem,
        Path("runs") / config.stem if out is None else out,
        force=force,
        numbered=out is None,
        note=note,
    )
    print_summary(summary, steering.print_steering, as_json=as_json)
