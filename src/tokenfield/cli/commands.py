"""The command line. Thin: reads options, calls the library once, prints. JAX is imported inside the commands only.

Errors of the user's making are one line on standard error and exit code 2; an interrupted run exits with 130.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from tokenfield import __version__
from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import jsonable
from tokenfield.cli.bench import bench
from tokenfield.cli.mean_field import compare, predict
from tokenfield.cli.phase_diagram import phase_diagram
from tokenfield.cli.reproduce import cite, reproduce
from tokenfield.cli.shared import INTERRUPTED, MODEL, OUTPUT, SOLVER, START, Json, note
from tokenfield.errors import ConfigError, TokenfieldError, did_you_mean
from tokenfield.study import catalog, options
from tokenfield.study.config import Config, read_tables
from tokenfield.study.kinds import TOKENS
from tokenfield.study.sections import (
    ATTENTIONS,
    DTYPES,
    EVENTS,
    FORMATS,
    GEOMETRIES,
    GRIDS,
    METHODS,
    NORMALIZATIONS,
    OBSERVABLES,
    STATES,
)
from tokenfield.study.store import RunFolder

if TYPE_CHECKING:
    from rich.console import Console

MOVIE_FORMATS = ("mp4", "gif")


# click's UsageError, under whatever name the installed typer carries click
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]


class _OneLineErrors(TyperGroup):
    """A group of commands whose errors are one line on standard error instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except _USAGE_ERROR as error:
            _fail(f"{error.format_message().rstrip('.')}; tokenfield --help lists commands and options")  # type: ignore[attr-defined]
        except (TokenfieldError, OSError, MemoryError) as error:
            _fail(str(error) or type(error).__name__)
        except KeyboardInterrupt:
            _fail("interrupted: nothing was written", code=INTERRUPTED)
        except RuntimeError as error:
            if "RESOURCE_EXHAUSTED" not in str(error):
                raise
            _fail("out of memory: use fewer tokens, or save fewer times with --save")


def _fail(message: str, *, code: int = 2) -> None:
    typer.echo(f"tokenfield: error: {' '.join(message.split())}", err=True)
    raise typer.Exit(code)


app = typer.Typer(
    name="tokenfield",
    cls=_OneLineErrors,
    help="Simulate how tokens move through a transformer: interacting particles on the sphere or in R^d.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Runs the command line."""
    # nobody else's arrays live in this process: float32 is an option of a run, not of the environment
    os.environ["JAX_ENABLE_X64"] = "1"
    app()


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"tokenfield {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def simulate(
    config: Annotated[Path | None, typer.Argument(metavar="CONFIG.toml", help="Options in a file.")] = None,
    geometry: Annotated[str | None, typer.Option(help=" or ".join(GEOMETRIES), rich_help_panel=MODEL)] = None,
    dim: Annotated[int | None, typer.Option(help="Ambient dimension d.", rich_help_panel=MODEL)] = None,
    attention: Annotated[str | None, typer.Option(help=", ".join(ATTENTIONS), rich_help_panel=MODEL)] = None,
    beta: Annotated[float | None, typer.Option(help="Inverse temperature.", rich_help_panel=MODEL)] = None,
    causal: Annotated[
        bool | None,
        typer.Option("--causal/--not-causal", help="A token sees itself and those before it.", rich_help_panel=MODEL),
    ] = None,
    normalization: Annotated[str | None, typer.Option(help=", ".join(NORMALIZATIONS), rich_help_panel=MODEL)] = None,
    kappa: Annotated[float | None, typer.Option(help="Adds noise sqrt(2/kappa) dW.", rich_help_panel=MODEL)] = None,
    rescaled: Annotated[
        bool | None,
        typer.Option("--rescaled/--not-rescaled", help="Follow z = e^{-tV} x in R^d.", rich_help_panel=MODEL),
    ] = None,
    state: Annotated[
        str | None, typer.Option(help=f"{', '.join(STATES)}: how their law is held.", rich_help_panel=MODEL)
    ] = None,
    grid: Annotated[
        str | None, typer.Option(help=f"Nodes of a density: {', '.join(GRIDS)}.", rich_help_panel=MODEL)
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="How many nodes a density has.", rich_help_panel=MODEL)] = None,
    initial: Annotated[
        str | None, typer.Option(help="Law of the initial tokens, for example uniform.", rich_help_panel=START)
    ] = None,
    kernel: Annotated[
        float | None,
        typer.Option(help="Spread initial tokens into a density, with this concentration.", rich_help_panel=START),
    ] = None,
    tokens: Annotated[
        Path | None, typer.Option(help="Initial tokens from a .npy, .npz or .csv file.", rich_help_panel=START)
    ] = None,
    n: Annotated[int | None, typer.Option("--n", help="Number of tokens.", rich_help_panel=START)] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the tokens, random weights and noise.", rich_help_panel=START)
    ] = None,
    t1: Annotated[float | None, typer.Option("--t1", help="Final time.", rich_help_panel=SOLVER)] = None,
    t0: Annotated[float | None, typer.Option("--t0", help="Initial time.", rich_help_panel=SOLVER)] = None,
    method: Annotated[str | None, typer.Option(help=", ".join(METHODS), rich_help_panel=SOLVER)] = None,
    step: Annotated[float | None, typer.Option(help="Step of a fixed-step method.", rich_help_panel=SOLVER)] = None,
    layers: Annotated[
        int | None, typer.Option(help="Run as a residual network of this many layers.", rich_help_panel=SOLVER)
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.", rich_help_panel=SOLVER)] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance.", rich_help_panel=SOLVER)] = None,
    norm: Annotated[
        str | None, typer.Option(help="Errors in the mean (rms) or of every token (max).", rich_help_panel=SOLVER)
    ] = None,
    merge: Annotated[
        bool | None,
        typer.Option("--merge/--no-merge", help="Join collapsed clusters: for long times.", rich_help_panel=SOLVER),
    ] = None,
    clock: Annotated[
        str | None, typer.Option(help="time, or distance travelled (with --merge).", rich_help_panel=SOLVER)
    ] = None,
    speed: Annotated[
        float | None, typer.Option(help="Distance per unit of time, with --clock distance.", rich_help_panel=SOLVER)
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="Give up after so many steps.", rich_help_panel=SOLVER)] = None,
    events: Annotated[
        list[str] | None,
        typer.Option("--events", "--event", help=f"Stop early: {', '.join(EVENTS)}; repeat.", rich_help_panel=SOLVER),
    ] = None,
    dtype: Annotated[str | None, typer.Option(help=" or ".join(DTYPES), rich_help_panel=SOLVER)] = None,
    save: Annotated[
        str | None, typer.Option(help="Times to keep: a count, end, log:COUNT, or 0,1,2.5.", rich_help_panel=OUTPUT)
    ] = None,
    observable: Annotated[
        list[str] | None, typer.Option(help=f"Also keep: {', '.join(OBSERVABLES)}; repeat.", rich_help_panel=OUTPUT)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Any other key of the config; repeat."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder to write; runs/NAME-NUMBER if left out.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing run folder.", rich_help_panel=OUTPUT)
    ] = False,
    figures: Annotated[
        bool | None, typer.Option("--figures/--no-figures", help="Draw figures.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.", rich_help_panel=OUTPUT)] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Only say how it would be computed, and why.", rich_help_panel=OUTPUT),
    ] = False,
) -> None:
    """Simulate tokens, a density or a Gaussian, and write a run folder. Options override the config file.

    tokenfield models lists the kinds of attention and so on, and their parameters for --set and for config files.

    Ctrl-C keeps what is done.

    Exit codes: 0 when the run folder is written, 130 when the run was interrupted, 2 for errors.

    With 0, the summary has the result: finished, the name of an event, out-of-steps, stuck, blew-up or under-resolved.
    """
    tables = {} if config is None else read_tables(config)
    flags: dict[str, dict[str, Any]] = {
        "geometry": {"kind": geometry, "dim": dim},
        "state": {"kind": state, "grid": grid, "nodes": nodes},
        "attention": {"kind": attention, "beta": beta, "rescaled": rescaled},
        "position": {"causal": causal},
        "normalization": {"kind": normalization},
        "noise": {"kappa": kappa},
        "initial": {"kind": initial, "n": n, "seed": seed, "kernel": kernel},
        "solve": {
            "t1": t1,
            "t0": t0,
            "method": method,
            "step": step,
            "layers": layers,
            "rtol": rtol,
            "atol": atol,
            "norm": norm,
            "merge": merge,
            "clock": clock,
            "speed": speed,
        }
        | {"max_steps": max_steps, "events": events or None, "observables": observable or None, "dtype": dtype}
        | {"save": None if save is None else options.parse_save(save)},
        "output": {"figures": figures},
    }
    if tokens is not None:
        flags["initial"] |= {"kind": "file", "path": str(tokens.absolute())}
    options.override(tables, flags)
    for setting in settings or ():
        options.set_key(tables, setting)
    settled = Config.from_dict(tables)
    what = settled.state.kind if settled.state.kind != TOKENS else settled.initial.kind or "uniform"
    name = config.stem if config is not None else f"{settled.geometry.kind}-{what}"
    keep_compiled_code()
    if explain:
        from tokenfield.study.simulate import explain_config

        lines = explain_config(settled.resolved()).explanation
        typer.echo(json.dumps(lines) if as_json else "\n".join(f"{about}: {text}" for about, text in lines.items()))
        return
    from tokenfield.study.simulate import simulate as run_config

    folder = run_config(
        settled,
        Path("runs") / name if out is None else out,
        force=force,
        numbered=out is None,
        progress=False if quiet else None,
        note=(lambda message: None) if quiet else note,
    )
    _report(folder, as_json=as_json, quiet=quiet)
    if folder.summary["result"] == "interrupted":
        raise typer.Exit(INTERRUPTED)


@app.command(name="plot")
def plot_run(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    format: Annotated[str, typer.Option(help=" or ".join(FORMATS))] = "png",
    animate: Annotated[str | None, typer.Option(help=f"Also a movie: {' or '.join(MOVIE_FORMATS)}.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the figures; RUN/figures if left out.")] = None,
) -> None:
    """Redraw the figures of a run from its folder."""
    for value, known in ((format, FORMATS), (animate, (*MOVIE_FORMATS, None))):
        if value not in known:
            raise ConfigError(f"unknown format '{value}'{did_you_mean(str(value), [o for o in known if o])}")
    folder = RunFolder.open(run)
    keep_compiled_code()
    from tokenfield.study.figures import draw

    target = folder.figures if out is None else out
    for path in draw(folder.trajectory(), target, format=format, animate=animate, note=note):
        typer.echo(path)


@app.command()
def show(run: Annotated[Path, typer.Argument(help="A run folder.")], as_json: Json = False) -> None:
    """Print the summary of a run from its folder."""
    _report(RunFolder.open(run), as_json=as_json)


@app.command()
def models(
    name: Annotated[str | None, typer.Argument(help="One kind in full, for example sinkhorn.")] = None,
    as_json: Json = False,
) -> None:
    """List every kind of attention, position, normalization and so on, and what does not go together."""
    kinds = catalog.kinds()
    if name is not None:
        kinds = tuple(kind for kind in kinds if name.lower() in (kind.name, kind.class_name.lower()))
        if not kinds:
            raise ConfigError(f"unknown kind '{name}'{did_you_mean(name, {kind.name for kind in catalog.kinds()})}")
    if as_json:
        typer.echo(json.dumps(catalog.as_json(kinds), ensure_ascii=False))
        return
    from rich.console import Console

    from tokenfield.study import listing

    console = Console(file=sys.stdout, highlight=False)
    if name is None:
        listing.print_all(console)
    else:
        for kind in kinds:
            listing.print_one(kind, console)


app.command()(predict)
app.command()(compare)
app.command(name="phase-diagram")(phase_diagram)
app.command()(bench)
app.command()(reproduce)
app.command()(cite)


# --- printing -----------------------------------------------------------------------------------------------------


def _report(folder: RunFolder, *, as_json: bool, quiet: bool = False) -> None:
    summary = folder.summary
    if as_json:
        typer.echo(json.dumps(jsonable(summary), allow_nan=False))
    elif not quiet:
        from rich.console import Console

        _print_summary(summary, folder, Console(file=sys.stdout, highlight=False))


def _print_summary(summary: dict[str, Any], folder: RunFolder, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from tokenfield.study import listing

    try:
        rows = listing.summary_rows(summary)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"the summary of {folder.path} is damaged: {error!r}") from error
    style = "bold green" if summary.get("is_complete") else "bold yellow"
    console.print(Text(summary["message"], style=style))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(label, Text(text))
    table.add_row("where", Text(str(folder.path)))
    if folder.figures.is_dir():
        names = sorted(path.name for path in folder.figures.iterdir())
        table.add_row("figures", Text(", ".join(names) or "none"))
    console.print(table)
