"""The command `models`: the catalog of kinds."""

from __future__ import annotations

from typing import Annotated

import typer

from tokenfield._runtime.json import to_json
from tokenfield.cli.shared import Json, console
from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.study import catalog


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
        typer.echo(to_json(catalog.as_json(kinds)))
        return
    from tokenfield.study import listing

    if name is None:
        listing.print_all(console())
    else:
        for kind in kinds:
            listing.print_one(kind, console())
