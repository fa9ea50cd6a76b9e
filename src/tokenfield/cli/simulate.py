"""The command `simulate`: from a config and flags to a run folder."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.interrupt import exit_code
from tokenfield._runtime.progress import Progress
from tokenfield.cli.flags import Given, takes_config
from tokenfield.cli.shared import OUTPUT, START, Json, note
from tokenfield.cli.show import print_run
from tokenfield.errors import ConfigError, TokenfieldError, Unfinished
from tokenfield.study.config import Config
from tokenfield.study.kinds import TOKENS
from tokenfield.study.sections import DEFAULT_LAW
from tokenfield.study.store import RunFolder


@takes_config()
def simulate(
    given: Given,
    out: Annotated[
        Path | None, typer.Option(help="Run folder to write; by default runs/NAME-NUMBER.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing run folder.", rich_help_panel=OUTPUT)
    ] = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.", rich_help_panel=OUTPUT)] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Only say how it would be computed, and why.", rich_help_panel=OUTPUT),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Finish the run in --out that was interrupted or killed.", rich_help_panel=OUTPUT
        ),
    ] = False,
    continue_from: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="Start where the run of this folder ended; needs --t1.", rich_help_panel=START
        ),
    ] = None,
) -> None:
    """Simulate tokens, a density or a Gaussian, and write a run folder. Options override the config file.

    tokenfield models lists the kinds of attention and so on, and their parameters for --set and for config files.

    Ctrl-C, SIGTERM and SIGHUP keep what is done; --resume goes on from there.

    Exit codes: 0 when the run folder is written, 130 when the run was interrupted (143 and 129 by SIGTERM and SIGHUP),
    2 for errors.

    With 0, the summary has the result: finished, the name of an event, out-of-steps, stuck, blew-up or under-resolved.
    """
    with Progress("starting", shown=False if quiet else None, at_once=True):
        if _is_launched() and _process() > 0:
            _follow(out)
            return
        with _together():
            if resume:
                _check_resume(given, out, is_alone=not (force or explain or continue_from is not None))
            else:
                config = given.config() if continue_from is None else _continued(given, continue_from)
        keep_compiled_code()
        if resume:
            assert out is not None
            folder = _resume(out, quiet=quiet)
        else:
            if explain:
                _explain(config, as_json=as_json)
                return
            from tokenfield.study.simulate import simulate as run_config

            folder = run_config(
                config,
                Path("runs") / _name(given, config) if out is None else out,
                force=force,
                numbered=out is None,
                progress=False if quiet else None,
                note=(lambda message: None) if quiet else note,
            )
    if as_json or not quiet:
        print_run(folder, as_json=as_json)
    if folder.summary["result"] == "interrupted":
        if not quiet:
            note(f"tokenfield simulate --resume --out {folder.path} goes on; tokenfield plot draws what there is")
        raise typer.Exit(exit_code())


def _is_launched() -> bool:
    """Whether this is one of several processes; `tokenfield launch` then has imported JAX."""
    return "jax" in sys.modules and sys.modules["jax"].distributed.is_initialized()


def _process() -> int:
    return int(sys.modules["jax"].process_index())


def _together() -> AbstractContextManager[None]:
    """For what may fail before the run begins: if several processes were launched, the others learn of it."""
    if not _is_launched():
        return nullcontext()
    from tokenfield.study.spread import all_ready

    return all_ready()


def _follow(out: Path | None) -> None:
    """What all but the first of several processes do: the settings are those of the first."""
    keep_compiled_code()
    from tokenfield.study.simulate import follow

    who = f"process {_process()}"
    try:
        is_complete = follow(out or Path(), progress=False, note=lambda message: note(f"{who}: {message}"))
    except TokenfieldError as error:
        raise type(error)(f"{who}: {error}", **({"run": None} if isinstance(error, Unfinished) else {})) from error
    if not is_complete:
        raise typer.Exit(exit_code())


def _check_resume(given: Given, out: Path | None, *, is_alone: bool) -> None:
    if out is None:
        raise ConfigError("--resume needs --out, the folder of the run that is to go on")
    if not is_alone or given.file is not None or given.keys or given.settings:
        raise ConfigError("--resume goes on with the settings of the run: give --out and nothing else")


def _resume(out: Path, *, quiet: bool) -> RunFolder:
    from tokenfield.study.simulate import resume as go_on

    return go_on(out, progress=False if quiet else None, note=(lambda message: None) if quiet else note)


def _continued(given: Given, run: Path) -> Config:
    from tokenfield.study.continuing import tables_after

    if given.file is not None or "solve.t1" not in given.keys:
        raise ConfigError("--continue-from takes everything from the run but --t1, which it needs, and other options")
    return given.config(tables=tables_after(run, layers=given.keys.get("solve.layers")))


def _name(given: Given, config: Config) -> str:
    """The name of the run folder: that of the config file, or else what is simulated."""
    if given.file is not None:
        return given.file.stem
    what = config.state.kind if config.state.kind != TOKENS else config.initial.kind or DEFAULT_LAW
    return f"{config.geometry.kind}-{what}"


def _explain(config: Config, *, as_json: bool) -> None:
    from tokenfield.study.simulate import explain_config

    lines = explain_config(config.resolved()).explanation
    typer.echo(json.dumps(lines) if as_json else "\n".join(f"{about}: {text}" for about, text in lines.items()))
