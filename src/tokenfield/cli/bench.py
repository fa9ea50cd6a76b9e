"""The command `bench`: runs benchmarks by name and prints tables, Markdown or JSON."""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from tokenfield import benchmarks
from tokenfield._runtime.files import only_writer
from tokenfield._runtime.interrupt import exit_code
from tokenfield._runtime.json import to_json
from tokenfield.benchmarks.report import Table
from tokenfield.cli.shared import OUTPUT, Json, note
from tokenfield.errors import TokenfieldError
from tokenfield.study.store import BenchmarksFolder

WIDTH = 150  # of tables that go to a file or a pipe


def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="All if left out.")] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the benchmarks and run none.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.OPTION=VALUE", help="An option, as in fast_sums.beta=25; repeat."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.", rich_help_panel=OUTPUT)
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Also write benchmarks.json, benchmarks.md and figures here.", rich_help_panel=OUTPUT),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure speed, memory and accuracy, beside PyTorch, KeOps, NumPy and SciPy where they do the same.

    Each time stands beside the error of its result. Ctrl-C keeps what is done.

    Exit codes: 0 when all ran, 1 when one failed, 130 when interrupted, 2 for errors.
    """
    chosen = tuple(names or benchmarks.NAMES)
    for name in chosen:
        benchmarks.check(name)
    if show_list:
        _list(chosen, as_json=as_json)
        return
    options = benchmarks.read_options(settings or [])
    for name in options.keys() - set(chosen):
        note(f"--set {name}... has no effect: {name} is not among the benchmarks to run")
    folder = None if out is None else BenchmarksFolder(out)
    with contextlib.nullcontext() if folder is None else only_writer(folder.path):
        if folder is not None:
            folder.make()
        results = _run(chosen, options, markdown=markdown, as_json=as_json, folder=folder)
    if as_json:
        typer.echo(to_json(results))
    if results["is_interrupted"]:
        raise typer.Exit(exit_code())
    if any(found["error"] for found in results["benchmarks"].values()):
        raise typer.Exit(1)


def _list(names: tuple[str, ...], *, as_json: bool) -> None:
    found = {name: benchmarks.describe(name) for name in names}
    if as_json:
        typer.echo(to_json(found))
        return
    width = max(map(len, found))
    for name, description in found.items():
        typer.echo(f"{name:{width}}  {description}")


def _run(
    names: tuple[str, ...],
    options: dict[str, dict[str, Any]],
    *,
    markdown: bool,
    as_json: bool,
    folder: BenchmarksFolder | None,
) -> dict[str, Any]:
    """What the benchmarks found; prints each table when it is known and rewrites the `folder` after each name.

    A benchmark that fails keeps its tables and leaves its traceback on standard error; the next one starts.
    """
    from tokenfield._runtime.hardware import hardware, hardware_line

    results: dict[str, Any] = {"hardware": hardware(), "benchmarks": {}, "is_interrupted": False}
    page = _Page(sys.stdout, markdown=markdown, is_silent=as_json)
    page.add(hardware_line(results["hardware"]))
    for name in names:
        page.add(f"## {name}\n\n{benchmarks.describe(name)}", is_heading=True)
        tables: list[Table] = []
        found: dict[str, Any] = {"options": options.get(name, {}), "error": None}
        began = time.perf_counter()
        try:
            with contextlib.redirect_stdout(sys.stderr):  # peers like to print, and standard output may be JSON
                for table in benchmarks.load(name).run(**options.get(name, {})):
                    tables.append(table)
                    page.add(table)
        except KeyboardInterrupt:
            results["is_interrupted"] = True
        except Exception as error:  # hours of other results must not be lost to one benchmark
            found["error"] = f"{type(error).__name__}: {error}"
            if not isinstance(error, TokenfieldError):
                traceback.print_exc()
            note(f"{name} failed: {found['error']}")
        found |= {"seconds": time.perf_counter() - began, "tables": [table.to_dict() for table in tables]}
        results["benchmarks"][name] = found
        if folder is not None:
            is_whole = not (found["error"] or results["is_interrupted"])
            found["figures"] = [str(path) for path in _draw(name, tables, folder.path)] if is_whole else []
            folder.write(results, page.text())
        if results["is_interrupted"]:
            break
    return results


def _draw(name: str, tables: list[Table], out: Path) -> Iterator[Path]:
    """Writes the figure of a benchmark that has one, for screens and for papers."""
    module = benchmarks.load(name)
    if tables and hasattr(module, "draw"):
        picture = module.draw(tables)
        for ending in ("png", "pdf"):
            yield picture.save(out / f"{name}.{ending}")


class _Page:
    """Tables and texts in order, each printed to `file` when it comes; `text` is all of them in Markdown."""

    def __init__(self, file: TextIO, *, markdown: bool, is_silent: bool) -> None:
        from rich.console import Console

        # where no terminal says how wide it is, no table is broken
        self.console = Console(file=file, highlight=False, width=None if file.isatty() else WIDTH)
        self.markdown, self.is_silent = markdown, is_silent
        self.parts: list[str] = []

    def add(self, what: str | Table, *, is_heading: bool = False) -> None:
        """Adds a table or a text; a heading is printed in Markdown only, as tables have titles."""
        self.parts.append(what if isinstance(what, str) else what.markdown())
        if self.is_silent or (is_heading and not self.markdown):
            return
        if self.markdown or isinstance(what, str):
            self.console.file.write(self.parts[-1] + "\n")
        else:
            what.show(self.console)
        self.console.file.write("\n")
        self.console.file.flush()

    def text(self) -> str:
        return "\n\n".join(self.parts) + "\n"
