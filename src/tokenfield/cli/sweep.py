"""The command `sweep`: any key of a config over any range, and seeds, as a folder with a dataset and a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import to_json
from tokenfield._runtime.progress import Progress
from tokenfield.cli.flags import Given, takes_config
from tokenfield.cli.shared import OUTPUT, Json, console, note, print_summary
from tokenfield.errors import ConfigError
from tokenfield.study.sweep.axes import read_axes, read_seeds
from tokenfield.study.sweep.quantities import read_quantities

SWEEP = "Sweep"
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="How many workers are started, with --on dask or slurm.", rich_help_panel=SWEEP),
]


@takes_config(file="A config that every run shares; defaults if left out.")
def sweep(
    given: Given,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="An axis: any key of the config, such as attention.beta=0.1:9:30, solve.t1=log:1:100:5, "
            "initial.n=32,64, attention.kind=softmax,l2, attention.V=a.npy,b.npy or heads.0.beta=1,2; repeat.",
            rich_help_panel=SWEEP,
        ),
    ] = None,
    seeds: Annotated[
        str, typer.Option(help="Seeds of each cell: 0:64 is 0 to 63; or 1,5,9.", rich_help_panel=SWEEP)
    ] = "0:1",
    measure: Annotated[
        str,
        typer.Option(
            help="What is measured, with commas between: pairs, clusters, span, order (with a threshold: pairs:0.01), "
            "observables, of whole runs vertices, share-at-vertices, attention-rank, late-speed, turning-rate, period, "
            "times of events (consensus, steady:1e-6, hitting_time), file.py:function.",
            rich_help_panel=SWEEP,
        ),
    ] = "clusters",
    on: Annotated[
        str,
        typer.Option(help="Where: local, dask, tcp://HOST:PORT (a Dask scheduler), slurm.", rich_help_panel=SWEEP),
    ] = "local",
    workers: Workers = None,
    dry: Annotated[
        bool, typer.Option("--dry", help="Only list the cells, and why some cannot be.", rich_help_panel=SWEEP)
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Only say how many pieces there are and what they cost.", rich_help_panel=SWEEP),
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out cells that cannot be.", rich_help_panel=SWEEP)
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder to write, or to continue.", rich_help_panel=OUTPUT)] = Path(
        "runs/sweep"
    ),
    force: Annotated[
        bool, typer.Option("--force", help="Replace a folder with another sweep.", rich_help_panel=OUTPUT)
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a config at every point of some axes and for every seed, and measure each run.

    Writes sweep.zarr (which xarray opens), sweep.json, figures and report.html. Ctrl-C and even kill -9 cost only the
    pieces under way: the same command goes on, and with more values or seeds it computes only what is new.

    Exit codes: 0 when all runs are done, 130 when interrupted (143 and 129 by SIGTERM and SIGHUP), 2 for errors.
    """
    if not over:
        raise ConfigError("a sweep needs an axis, such as --over attention.beta=0.1:9:30")
    config, axes = given.config(), read_axes(over)
    chosen, quantities = read_seeds(seeds), read_quantities(measure)
    keep_compiled_code()
    from tokenfield.study.sweep import costs, listing, running
    from tokenfield.study.sweep.plan import Sweep

    plan = Sweep(config.to_dict(), axes, chosen, quantities)
    if dry:
        cells = running.cells_of(plan, running.look(plan))
        if as_json:
            typer.echo(to_json(cells))
        else:
            listing.print_cells(cells, console())
        return
    if explain:
        found = costs.explain(plan, out=out, on=on, workers=workers)
        if as_json:
            typer.echo(to_json(found))
        else:
            listing.print_plan(found, console())
        return
    from tokenfield import report

    with Progress("starting", at_once=True):
        numbers = running.run(plan, out, on=on, workers=workers, skip_bad=skip_bad, force=force, note=note)
        report.write_sweep(out)
    print_summary(numbers, listing.print_sweep, as_json=as_json)
