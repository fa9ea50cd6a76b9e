"""The command `launch`: one run over the devices of several hosts."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from tokenfield.errors import ConfigError

PLAIN = {"ignore_unknown_options": True, "allow_interspersed_args": False}  # what follows belongs to the command


def launch(
    command: Annotated[
        list[str], typer.Argument(metavar="simulate [OPTION]...", help="The command, as one would type it.")
    ],
    hosts: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME,...",
            help="The hosts, the first one writes; one process each. Not with srun and mpirun, which know them.",
        ),
    ] = None,
    process: Annotated[
        int | None,
        typer.Option(help="Run only this process of the list, from 0 on, here; without it all are started, by ssh."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="The port of the first host where the others find it; by default 7531.")
    ] = None,
) -> None:
    """Run simulate over all devices of several hosts: tokens are spread over them.

    Every host keeps n/D of the n tokens for each of its devices, and writes checkpoints of its own. Results are those
    of one device up to rounding. Ctrl-C on any of them stops all, and --resume on the same hosts goes on.

    tokenfield launch --hosts node1,node2 simulate --n 1000000 --out runs/large

    srun tokenfield launch simulate --n 1000000 --out runs/large

    Exit codes: those of simulate; 128 and more when a process was killed.
    """
    from tokenfield._runtime import hosts as several

    names = [name.strip() for name in hosts.split(",")] if hosts is not None else []
    _check(command, names, process)
    if names and process is None:
        raise typer.Exit(several.start(names, command, port=port))
    number = several.join(names, process, port=port or several.PORT)
    from tokenfield.cli.root import app

    code = app(args=[*command, *(["--quiet"] if number else [])], standalone_mode=False) or 0
    if code and not several.is_exchange_over():
        # JAX would wait here for hosts that may be gone
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code))
    raise typer.Exit(code)


def _check(command: list[str], names: list[str], process: int | None) -> None:
    if command[0] != "simulate":
        raise ConfigError(f"launch runs simulate, not {command[0]}: sweeps and claims go to workers with --on")
    if "--out" not in command and not any(word.startswith("--out=") for word in command):
        raise ConfigError("launch needs --out after simulate: all hosts must know the folder")
    if "--explain" in command:
        raise ConfigError("launch does not explain: tokenfield simulate --devices all --explain does, on one host")
    if not all(names):
        raise ConfigError(f"--hosts needs names, such as node1,node2, got {','.join(names)!r}")
    if process is not None and not (names and 0 <= process < len(names)):
        raise ConfigError(f"--process must be the number of one of the {len(names)} --hosts, from 0 on, got {process}")
