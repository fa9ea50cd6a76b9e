"""The commands about n = infinity: `predict`, what theory says, and `compare`, tokens against the mean field."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import jsonable
from tokenfield.cli.shared import INTERRUPTED, MODEL, OUTPUT, SOLVER, START, Json, note
from tokenfield.errors import ConfigError
from tokenfield.study import options
from tokenfield.study.config import Config, read_tables
from tokenfield.study.kinds import DENSITY
from tokenfield.study.sections import ATTENTIONS


def predict(
    config: Annotated[
        Path | None, typer.Argument(help="A config: for its model and its start; --dim and --beta if left out.")
    ] = None,
    dim: Annotated[int | None, typer.Option(help="Ambient dimension d: tokens on S^(d-1).")] = None,
    beta: Annotated[float | None, typer.Option(help="Inverse temperature.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="Number of tokens; 32 if left out.")] = None,
    attention: Annotated[str | None, typer.Option(help="softmax or unnormalized; softmax if left out.")] = None,
    kappa: Annotated[float | None, typer.Option(help="Also under noise sqrt(2/kappa) dW.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Also list what does not apply, and why.")] = False,
    as_json: Json = False,
) -> None:
    """Print what theory predicts, without simulating: rates, times, thresholds.

    For tokens on the sphere with --dim and --beta, or for the model and the start of a config, whose keys the options
    override. Each prediction comes with what it assumes and where it is from.
    """
    from tokenfield.study import predict as forecasts

    if config is not None:
        keep_compiled_code()
        tables = read_tables(config)
        flags: dict[str, dict[str, Any]] = {
            "geometry": {"dim": dim},
            "attention": {"kind": attention, "beta": beta},
            "initial": {"n": n},
            "noise": {"kappa": kappa},
        }
        options.override(tables, flags)
        forecast = forecasts.from_config(Config.from_dict(tables))
    else:
        if dim is None or beta is None:
            raise ConfigError("without a config the options --dim and --beta are needed")
        forecast = forecasts.from_flags(dim=dim, beta=beta, n=n, attention=attention or "softmax", kappa=kappa)
    if as_json:
        typer.echo(json.dumps(forecast.to_dict(), allow_nan=False, ensure_ascii=False))
        return
    from rich.console import Console

    forecasts.print_forecast(forecast, Console(file=sys.stdout, highlight=False), why=why)


def compare(
    config: Annotated[Path | None, typer.Argument(help="A config; defaults if left out.")] = None,
    dim: Annotated[int | None, typer.Option(help="Ambient dimension d.", rich_help_panel=MODEL)] = None,
    attention: Annotated[str | None, typer.Option(help=", ".join(ATTENTIONS), rich_help_panel=MODEL)] = None,
    beta: Annotated[float | None, typer.Option(help="Inverse temperature.", rich_help_panel=MODEL)] = None,
    state: Annotated[str | None, typer.Option(help="density or gaussian", rich_help_panel=MODEL)] = None,
    initial: Annotated[str | None, typer.Option(help="The initial law.", rich_help_panel=START)] = None,
    kernel: Annotated[
        float | None,
        typer.Option(help="Spread initial tokens into a density, with this concentration.", rich_help_panel=START),
    ] = None,
    n: Annotated[int | None, typer.Option("--n", help="Number of tokens to spread.", rich_help_panel=START)] = None,
    t1: Annotated[float | None, typer.Option("--t1", help="Final time.", rich_help_panel=SOLVER)] = None,
    sizes: Annotated[str, typer.Option(help="Numbers of tokens.")] = "100,1000,10000",
    seeds: Annotated[int, typer.Option(help="Draws for each number of tokens.")] = 8,
    p: Annotated[int, typer.Option("--p", help="The Wasserstein distance W_p, 1 or 2.")] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Any other key of the config; repeat."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; runs/compare-NUMBER if left out.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.", rich_help_panel=OUTPUT)] = False,
    as_json: Json = False,
) -> None:
    """Compare n tokens with the mean field that they are drawn from: the distance between both, against n.

    The config must hold the law as a density or a Gaussian; --state density does. Ctrl-C keeps what is done.
    """
    tables = {} if config is None else read_tables(config)
    given = tables.get("state")
    if state is None and not (isinstance(given, dict) and "kind" in given):
        state = DENSITY
    flags: dict[str, dict[str, Any]] = {
        "geometry": {"dim": dim},
        "state": {"kind": state},
        "attention": {"kind": attention, "beta": beta},
        "initial": {"kind": initial, "n": n, "kernel": kernel},
        "solve": {"t1": t1},
    }
    options.override(tables, flags)
    for setting in settings or ():
        options.set_key(tables, setting)
    settled = Config.from_dict(tables).resolved()
    keep_compiled_code()
    from tokenfield.study import compare as comparing

    _, summary = comparing.compare(
        settled,
        Path("runs") / "compare" if out is None else out,
        sizes=options.parse_sizes(sizes),
        seeds=seeds,
        p=p,
        force=force,
        numbered=out is None,
        progress=None,
        note=note,
    )
    if as_json:
        typer.echo(json.dumps(jsonable(summary), allow_nan=False))
    else:
        from rich.console import Console

        comparing.print_comparison(summary, Console(file=sys.stdout, highlight=False))
    if not summary["is_complete"]:
        raise typer.Exit(INTERRUPTED)
