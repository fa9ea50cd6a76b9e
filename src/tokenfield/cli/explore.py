"""The command `explore`: serves the explorer and opens it in a browser."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.interrupt import exit_code
from tokenfield._runtime.progress import Progress


def explore(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 0,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Others than this machine then reach it, with a token.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    token: Annotated[
        str | None, typer.Option(help="What everybody must show; by default a random one beyond this machine.")
    ] = None,
) -> None:
    """Open a page where tokens move, and change the model while they do. Ctrl-C ends it.

    The address of the page is printed. It answers to this machine only; with --host others need the token in it.
    """
    keep_compiled_code()
    with Progress("starting", at_once=True):
        from tokenfield.explorer.server import serve

    def ready(address: str) -> None:
        typer.echo(address)
        if browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # which is how it ends
        serve(host=host, port=port, token=token, ready=ready)
    sys.stdout.flush()
    os._exit(exit_code())  # a thread may be compiling, and Python would wait for it
