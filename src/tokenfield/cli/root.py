"""The command `tokenfield` itself: its commands, and how errors end.

Errors of the user's making are one line on standard error and exit code 2; a command that is interrupted exits with
130 after Ctrl-C, 143 after SIGTERM and 129 after SIGHUP.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tokenfield import __version__
from tokenfield._runtime.interrupt import exit_code, is_interrupted
from tokenfield.cli.bench import bench
from tokenfield.cli.compare import compare
from tokenfield.cli.completion import completion
from tokenfield.cli.explore import explore
from tokenfield.cli.export import export
from tokenfield.cli.launch import PLAIN, launch
from tokenfield.cli.measure import measure
from tokenfield.cli.models import models
from tokenfield.cli.next import next_
from tokenfield.cli.parting import parting
from tokenfield.cli.phase_diagram import phase_diagram
from tokenfield.cli.plot import plot
from tokenfield.cli.predict import predict
from tokenfield.cli.pretrained import pretrained
from tokenfield.cli.reproduce import cite, reproduce
from tokenfield.cli.show import show
from tokenfield.cli.simulate import simulate
from tokenfield.cli.steer import steer
from tokenfield.cli.sweep import sweep
from tokenfield.errors import TokenfieldError

# click's UsageError, under whatever name the installed typer carries click
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]


NARROW = 72  # columns; below, the columns of the panels would cut the names of options


class _ReadableHelp(TyperCommand):
    """A command whose help has panels, or on a narrow terminal the description of an option below its name."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        columns = shutil.get_terminal_size().columns
        if columns < NARROW:
            self.rich_markup_mode, formatter.width = None, columns - 1
            formatter.write_dl = partial(formatter.write_dl, col_max=4)
        super().format_help(ctx, formatter)


class _OneLineErrors(TyperGroup):
    """A group of commands whose errors are one line on standard error instead of a traceback."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        try:
            return super().make_context(*arguments, **options)
        except KeyboardInterrupt:  # which typer would call "Aborted", with exit code 1
            _fail("interrupted: nothing was written", code=exit_code())

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            _fail(f"interrupted: {str(error) or 'nothing was written'}", code=exit_code())
        except (BrokenPipeError, typer.Exit):
            raise
        except _USAGE_ERROR as error:
            _fail(f"{error.format_message().rstrip('.')}; tokenfield --help lists commands and options")  # type: ignore[attr-defined]
        except (TokenfieldError, OSError, MemoryError) as error:
            # a terminal that is closed interrupts, and then cannot be written to
            _fail(str(error) or type(error).__name__, code=exit_code() if is_interrupted() else 2)
        except (RuntimeError, ValueError) as error:
            if is_interrupted():  # a callback of compiled code turned it into an error of its own
                _fail("interrupted", code=exit_code())
            if "RESOURCE_EXHAUSTED" not in str(error):
                raise
            _fail("out of memory: use fewer tokens, or save fewer times with --save")


def _fail(message: str, *, code: int = 2) -> None:
    with suppress(OSError):  # the terminal may be closed, which is what ended the command
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
COMMANDS = (
    *(simulate, plot, show, models, predict, compare, parting, sweep, phase_diagram, steer),
    *(next_, measure, explore, export),
    *(bench, reproduce, cite, completion),
)
for command in COMMANDS:
    app.command(name=command.__name__.strip("_").replace("_", "-"), cls=_ReadableHelp)(command)
app.command(name="launch", cls=_ReadableHelp, context_settings=PLAIN)(launch)
app.add_typer(pretrained)


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
