"""The command `measure`: how tokens of a real model move through its layers, from its hidden states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenfield._runtime.json import to_json
from tokenfield.cli.shared import OUTPUT, Json, console, note
from tokenfield.errors import InvalidInput


def measure(
    states: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Hidden states (layers, tokens, d): .npz, .npy, .safetensors, or a run folder; or several."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Or a real model, as in tokenfield pretrained list, or its folder or file.")
    ] = None,
    text: Annotated[Path | None, typer.Option(help="A text for the model to read, cut into prompts.")] = None,
    tokens: Annotated[int, typer.Option(help="The most tokens of a prompt of that text.")] = 128,
    name: Annotated[str | None, typer.Option(help="What these are states of, for titles.")] = None,
    sink_ratio: Annotated[float, typer.Option(help="A sink has this many times the median norm.")] = 5.0,
    rogue_ratio: Annotated[float, typer.Option(help="A rogue coordinate has this many times 1/d.")] = 25.0,
    delta: Annotated[float, typer.Option(help="Angle within which tokens are one cluster.")] = 0.3,
    null: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="States that should not show the same, as random-weights=FILE; repeat."),
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Also compare with simulated tokens; for tens of tokens.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of random samples.")] = 0,
    figures: Annotated[bool, typer.Option(help="Draw figures and the page.", rich_help_panel=OUTPUT)] = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; by default runs/layers-NUMBER.", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.", rich_help_panel=OUTPUT)] = False,
    as_json: Json = False,
) -> None:
    """Measure hidden states of any model, layer by layer: whether, where and how fast its tokens collapse.

    Every number is there in four variants, because one massive token or a few large coordinates fool it. Writes
    layers.json, layers.zarr (xarray opens it), figures and index.html, a page that can be mailed.
    """
    from tokenfield import report
    from tokenfield.study import measure as measuring

    if (model is None) != (text is None):
        raise InvalidInput("a model needs a text, and a text a model: --model minilm --text FILE")
    if bool(states) == (model is not None):
        raise InvalidInput("give hidden states to measure, or --model NAME --text FILE")
    nulls = measuring.read_nulls(null or [])
    if model is not None and text is not None:
        from tokenfield.study.reading import read_model, read_text

        source, own = read_model(model, read_text(text), tokens=tokens, seed=seed)
        nulls = {**own, **nulls}
    else:
        source = measuring.read_source(states or [], name=name)
    options = {"sink_ratio": sink_ratio, "rogue_ratio": rogue_ratio, "delta": delta, "simulate": simulate, "seed": seed}
    folder, found = measuring.measure(
        source,
        Path("runs") / "layers" if out is None else out,
        nulls=nulls,
        options=options,
        figures=figures,
        force=force,
        numbered=out is None,
        note=note,
    )
    page = report.write_layers(folder, found) if figures else None
    if as_json:
        typer.echo(to_json({**found.to_dict(), "out": str(folder), "page": None if page is None else str(page)}))
    else:
        measuring.print_layers(found, console(), out=folder if page is None else page)
