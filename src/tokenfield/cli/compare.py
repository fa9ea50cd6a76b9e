"""The command `compare`: n tokens against the mean field that they are drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield.cli.flags import Given, takes_config
from tokenfield.cli.shared import OUTPUT, Json, note, print_summary
from tokenfield.study import parse
from tokenfield.study.kinds import DENSITY


@takes_config(
    (
        "geometry.dim",
        "attention.kind",
        "attention.beta",
        "state.kind",
        "initial.kind",
        "initial.kernel",
        "initial.n",
        "solve.t1",
    ),
    file="A config; defaults if left out.",
    help={"state.kind": "density, or gaussian in R^d; by default density.", "initial.n": "Number of tokens to spread."},
)
def compare(
    given: Given,
    sizes: Annotated[str, typer.Option(help="Numbers of tokens.")] = "100,1000,10000",
    seeds: Annotated[int, typer.Option(help="Draws for each number of tokens.")] = 8,
    p: Annotated[int, typer.Option("--p", help="The Wasserstein distance W_p, 1 or 2.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; by default runs/compare-NUMBER.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.", rich_help_panel=OUTPUT)] = False,
    as_json: Json = False,
) -> None:
    """Compare n tokens with the mean field that they are drawn from: the distance between both, against n.

    The config must hold the law as a density or a Gaussian; --state density does. Ctrl-C keeps what is done.
    """
    config = given.config(otherwise={"state.kind": DENSITY}).resolved()
    keep_compiled_code()
    from tokenfield.study import compare as comparing

    _, summary = comparing.compare(
        config,
        Path("runs") / "compare" if out is None else out,
        sizes=parse.sizes(sizes, "--sizes"),
        seeds=seeds,
        p=p,
        force=force,
        numbered=out is None,
        note=note,
    )
    print_summary(summary, comparing.print_comparison, as_json=as_json)
