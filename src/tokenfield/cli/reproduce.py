"""The commands `reproduce` and `cite`: published theorems and figures as executable claims, and their papers."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokenfield._runtime.cores import cores
from tokenfield._runtime.files import only_writer
from tokenfield._runtime.interrupt import exit_code
from tokenfield.cli.flags import takes
from tokenfield.cli.shared import OUTPUT, Json, note
from tokenfield.errors import ConfigError, FileError, InvalidInput
from tokenfield.study.toml import LARGEST_INTEGER, key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenfield.claims import Claim
    from tokenfield.claims.running import Plan, Record, State

DEFAULT_OUT = Path("runs/report")
MARKS = {"holds": ("✓", "green"), "fails": ("✗", "bold red"), "inconclusive": ("?", "yellow"), "not run": ("–", "dim")}


@dataclass(frozen=True)
class Work:
    """How claims are run."""

    full: bool = key(False, "The published parameters, or by default smaller systems in minutes", flag="--full/--quick")
    source: str | None = key(None, "Only claims of this paper, as in 2312.10794", flag="--source")
    group: str | None = key(None, "Only claims about real weights (real), or only others (theory)", flag="--group")
    jobs: int | None = key(None, "Claims at a time", flag="--jobs", unset="the number of cores, or 1 with a GPU")
    on: str = key("local", "Where: local, dask, tcp://HOST:PORT (a Dask scheduler), slurm", flag="--on")
    seed: int = key(0, "Seed of everything random", flag="--seed")
    seeds: int = key(1, "Run on so many seeds, from --seed on, and say on how many a claim holds", flag="--seeds")
    again: bool = key(False, "Run what is already there again", flag="--again")

    def __post_init__(self) -> None:
        for name, value, least in (("jobs", self.jobs, 1), ("seed", self.seed, 0), ("seeds", self.seeds, 1)):
            if value is not None and value < least:
                raise ConfigError(f"--{name} must be at least {least}, got {value}")
        if self.seed >= LARGEST_INTEGER:
            raise ConfigError(f"--seed must fit in 64 bits, got {self.seed}")


@takes(Work, {})
def reproduce(
    given: dict[str, Any],
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Claims; all if left out.")] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the claims and run none.")] = False,
    out: Annotated[Path, typer.Option(help="Folder to write, or to continue.", rich_help_panel=OUTPUT)] = DEFAULT_OUT,
    as_json: Json = False,
) -> None:
    """Run published theorems and figures as claims: prediction, measurement, tolerance, verdict and picture.

    Writes claims.json, figures and index.html, a page that can be mailed. Ctrl-C keeps what is finished, and the same
    command continues.

    Exit codes: 0 when no claim fails, 1 when one does, 130 when interrupted (143 and 129 by SIGTERM and
    SIGHUP), 2 for errors.
    """
    from tokenfield import claims

    how = Work(**given)
    chosen = claims.find(ids or [], source=how.source, group=how.group)
    if not chosen:
        raise InvalidInput("none of these claims is of that source and group: tokenfield reproduce --list")
    if show_list:
        _list(chosen, as_json=as_json)
        return
    from tokenfield import report
    from tokenfield.claims.running import Plan, counts, write_records

    jobs, mode = how.jobs or default_jobs(len(chosen)), "full" if how.full else "quick"
    plan = Plan(chosen, mode, how.seed, out, jobs, how.again, how.seeds, how.on, how.jobs)
    with only_writer(out):
        state = _work(plan, as_json=as_json)
        records = [state.records[claim.id] for claim in chosen if claim.id in state.records]
        everything = write_records(plan, state.records)
        if len(records) == len(chosen):
            report.write_scenes(out, [one["id"] for one in records if not (one["error"] or one["not_run"])])
        page = report.write(out, everything)
    if as_json:
        found = {"claims": records, "counts": counts(records), "page": str(page)}
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        _print_table(records, page, time.monotonic() - state.began)
    if len(records) < len(chosen):
        note(f"{len(chosen) - len(records)} of {len(chosen)} claims are left: the same command continues")
        raise typer.Exit(exit_code())
    if any(record["verdict"] == "fails" or record["error"] for record in records):
        raise typer.Exit(1)


def default_jobs(count: int) -> int:
    """As many claims at a time as there are cores; one where they would share a GPU."""
    if Path("/dev/nvidia0").exists() or os.environ.get("JAX_PLATFORMS", "cpu") not in ("", "cpu"):
        return 1
    return max(1, min(cores(), count))


def _work(plan: Plan, *, as_json: bool) -> State:
    from tokenfield.claims.running import work

    shown: set[str] = set()
    state: State | None = None
    with _display(is_quiet=as_json) as (say, update):
        for state in work(plan):
            for id, record in state.records.items():
                if id not in shown:
                    shown.add(id)
                    say(record)
            update(state)
    assert state is not None
    return state


@contextmanager
def _display(*, is_quiet: bool) -> Iterator[tuple[Callable[[Record], None], Callable[[State], None]]]:
    """Functions that show a finished claim, and what is running, on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=is_quiet, highlight=False)
    columns = (
        TextColumn("[bold]{task.completed:.0f}[/] of {task.total:.0f} claims"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[running]}", style="dim"),
    )
    bar = Progress(*columns, console=console, transient=True, disable=is_quiet or not console.is_terminal)
    task = bar.add_task("claims", total=1, left="", running="")

    def say(record: Record) -> None:
        mark, style = MARKS[record["verdict"]]
        took = "kept" if record["is_kept"] else f"{record['seconds']:.1f} s"
        words = record["error"] or record["not_run"] or record["title"]
        console.print(f"[{style}]{mark}[/] {record['id']:<40} {took:>8}  {words}", soft_wrap=True)

    def update(state: State) -> None:
        bar.update(
            task,
            total=len(state.plan.claims),
            completed=len(state.records),
            left=f"about {_duration(state.seconds_left)} left" if state.running else "",
            running=", ".join(state.running),
        )

    with bar:
        yield say, update


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _print_table(records: Sequence[Record], page: Path, seconds: float) -> None:
    from rich.console import Console
    from rich.table import Table

    from tokenfield.claims.running import counts, main_check, outcome, seeds_held

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("")
    has_seeds = any(seeds_held(record) for record in records)
    for name in ("claim", "main check", "measured", "", *(["seeds"] if has_seeds else [])):
        table.add_column(name, overflow="ellipsis", no_wrap=True)
    for record in records:
        mark, style = MARKS[record["verdict"]]
        check = main_check(record)
        cells = [record["error"] or record["not_run"] or "nothing was measured", "", ""]
        if check is not None:
            measured, expected = outcome(check, _number)
            cells = [check["what"], measured, f"({expected})"]
        table.add_row(f"[{style}]{mark}[/]", record["id"], *cells, *([seeds_held(record)] if has_seeds else []))
    if records:
        console.print(table)
    found = counts(records)
    summary = ", ".join(
        f"{count} {verdict}" for verdict, count in found.items() if count or verdict in ("holds", "fails")
    )
    console.print(f"\n[bold]{len(records)} claims: {summary}[/], in {_duration(seconds)}")
    console.print(f"Everything with figures and numbers: [bold]{page}[/] (open it in a browser)", soft_wrap=True)


def print_records(folder: Path, *, as_json: bool) -> None:
    """Prints the claims of a report as `reproduce` did."""
    from tokenfield.claims.running import counts
    from tokenfield.study.store import ClaimsFolder

    records, page = ClaimsFolder(folder).read_all(), folder / "index.html"
    try:
        if as_json:
            typer.echo(json.dumps({"claims": records, "counts": counts(records), "page": str(page)}))
        else:
            _print_table(records, page, sum(record["seconds"] for record in records))
    except (KeyError, TypeError) as error:
        raise FileError(f"{folder} is damaged: {error!r}") from error


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _list(chosen: Sequence[Claim], *, as_json: bool) -> None:
    from tokenfield.claims.papers import PAPERS

    if as_json:
        keys = ("id", "title", "statement", "paper", "where", "status")
        found = [{key: getattr(c, key) for key in keys} | {"arxiv": PAPERS[c.paper].arxiv} for c in chosen]
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), header_style="bold")
    for name in ("id", "source", "status", "title"):
        table.add_column(name, no_wrap=name in ("id", "status"))
    for claim in chosen:
        table.add_row(claim.id, PAPERS[claim.paper].arxiv, claim.status, claim.title)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    console.print(table)
    quick, full = (sum(claim.setting(mode).seconds for claim in chosen) for mode in ("quick", "full"))
    jobs = default_jobs(len(chosen))
    console.print(
        f"\n{len(chosen)} claims; about {_duration(quick / jobs)} with --quick, {_duration(full / jobs)} with --full"
    )


def cite(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Claims; all if left out.")] = None,
    run: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="The claims that were run into this folder.")
    ] = None,
) -> None:
    """Print BibTeX for the papers behind claims, and for tokenfield itself."""
    from tokenfield import claims
    from tokenfield.claims.papers import bibtex, software
    from tokenfield.study.store import ClaimsFolder

    if run is not None:
        ids = [*(ids or []), *(record["id"] for record in ClaimsFolder(run).read_all())]
    keys = dict.fromkeys(claim.paper for claim in claims.find(ids or []))
    typer.echo(f"{bibtex(keys)}\n\n{software()}")
