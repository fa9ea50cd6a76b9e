"""The command `next`: the law of the next word after a text, by a real model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import to_json
from tokenfield.cli.shared import OUTPUT, Json, console

if TYPE_CHECKING:
    from rich.console import Console

    from tokenfield.pretrained.vocabulary import NextWords


def next_(
    text: Annotated[str, typer.Argument(help="The text that goes in.")],
    model: Annotated[
        str, typer.Option("--model", help="A fetched model, a folder or a .gguf file; see tokenfield pretrained list.")
    ] = "smollm2",
    top: Annotated[int, typer.Option(help="How many of the likeliest words are shown.", min=1)] = 10,
    temperature: Annotated[float, typer.Option(help="Small ones favor the likeliest word.")] = 1.0,
    depth: Annotated[
        bool, typer.Option("--depth", help="Show also what the model would say at each layer, and draw it.")
    ] = False,
    out: Annotated[
        Path, typer.Option(help="The figure that --depth writes (.png, .pdf, .svg).", rich_help_panel=OUTPUT)
    ] = Path("next.png"),
    as_json: Json = False,
) -> None:
    """Say what word comes next after a text, with probabilities: "The capital of France is" -> " Paris"."""
    keep_compiled_code()
    from tokenfield._runtime.progress import Progress
    from tokenfield.pretrained import Prompt, load, next_words

    with Progress(f"loading {model}", at_once=True) as progress:
        loaded = load(model)
        progress.stage("running the model")
        found = next_words(Prompt.from_text(text, loaded), top=top, temperature=temperature)
    if depth:
        from tokenfield import plot

        plot.next_words(found).save(out)
    if as_json:
        typer.echo(to_json(found.as_dict(depth=depth) | ({"figure": str(out)} if depth else {})))
        return
    _print_next(found, console())
    if depth:
        _print_depth(found, console())
        typer.echo(f"\nfigure: {out}")


def _print_next(found: NextWords, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("next", header_style="bold")
    table.add_column("probability", header_style="bold", justify="right")
    for word, probability in found.top:
        table.add_row(Text(_shown(word)), f"{probability:.4f}")
    console.print(table)
    console.print(Text(f"entropy {found.entropies[-1]:.3f} nats"), style="dim")


def _print_depth(found: NextWords, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("state", header_style="bold")
    for title in ("entropy", "distance"):
        table.add_column(title, header_style="bold", justify="right")
    table.add_column("likeliest words there", header_style="bold", overflow="fold")
    for tag, entropy, distance, words in zip(found.tags, found.entropies, found.distances, found.words, strict=True):
        table.add_row(tag, f"{entropy:.2f}", f"{distance:.2f}", Text("  ".join(_shown(word) for word in words[:4])))
    console.print()
    console.print(table)


def _shown(word: str) -> str:
    """A word with its space in front made visible."""
    return "␣" + word[1:] if word.startswith(" ") else word
