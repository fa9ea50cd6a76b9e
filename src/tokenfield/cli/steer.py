"""The command `steer`: weights that send prompts to their targets, from a config to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield.cli.shared import OUTPUT, Json, note, print_summary
from tokenfield.errors import ConfigError


def steer(
    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="A config with the section steer.", show_default=False)
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of the optimizer.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of prompts, targets and weights.")] = None,
    loss: Annotated[str | None, typer.Option(help="points, clusters, w2 or sinkhorn.")] = None,
    rank: Annotated[int | None, typer.Option(help="Rank of Q, K and V.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; by default runs/NAME-NUMBER.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.", rich_help_panel=OUTPUT)] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Finish the training in --out that was interrupted or killed.", rich_help_panel=OUTPUT
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Train weights in depth that send prompts to their targets, and solve them again as a certificate.

    examples/steer has configs. Ctrl-C keeps the best weights so far, and exits with 130; --resume goes on from there,
    or from the last checkpoint (output.checkpoint in the config, by default every 10 minutes) of a killed training.
    """
    given = {"steps": steps, "seed": seed, "loss": loss, "rank": rank}
    given = {name: value for name, value in given.items() if value is not None}
    if resume and (out is None or config is not None or given or force):
        raise ConfigError(
            "--resume goes on with the settings of the training: give --out, its folder, and nothing else"
        )
    if not resume and config is None:
        raise ConfigError("give a config with the section [steer]: examples/steer has some")
    keep_compiled_code()
    from tokenfield.study import steer as steering

    if resume:
        assert out is not None
        _, summary = steering.resume(out, note=note)
        print_summary(summary, steering.print_steering, as_json=as_json)
        return
    assert config is not None
    problem = steering.read_problem(config, given)
    _, summary = steering.steer(
        problem,
        Path("runs") / config.stem if out is None else out,
        force=force,
        numbered=out is None,
        note=note,
    )
    print_summary(summary, steering.print_steering, as_json=as_json)
