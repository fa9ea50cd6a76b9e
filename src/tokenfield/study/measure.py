"""From hidden states to a folder of what was measured: measure, write, draw, print."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.files import make_folder
from tokenfield._runtime.interrupt import Interrupted, Interrupts
from tokenfield.errors import FileError, InvalidInput
from tokenfield.layers import Layers, Source, as_source
from tokenfield.layers import measure as measure_layers
from tokenfield.layers.files import read_states
from tokenfield.layers.variants import CENTERED, NO_ROGUES, NO_SINKS, RAW
from tokenfield.plot import layers as pictures
from tokenfield.study.figures import Note
from tokenfield.study.manifest import environment
from tokenfield.study.store import LAYERS, RUN, Draft, kind_of, load
from tokenfield.study.store.folder import FIGURES, LAYERS_NUMBERS, LAYERS_TABLE, read_dataset

if TYPE_CHECKING:
    from rich.console import Console


def read_source(paths: Sequence[str | Path], *, name: str | None = None) -> Source:
    """The hidden states in files and run folders, together: each holds prompts that went through the same layers."""
    sources = [_read(Path(path)) for path in paths]
    if not sources:
        raise InvalidInput("there are no hidden states to measure: name a file or a run folder")
    together = tuple(passage for source in sources for passage in source.passages)
    return Source(together, sources[0].tags, sources[0].name if name is None else name)


def read_nulls(given: Sequence[str]) -> dict[str, Source]:
    """The states to compare with, from texts like "random-weights=states.npz"; dashes of the name become spaces."""
    found = {}
    for text in given:
        name, is_pair, path = text.partition("=")
        if not (is_pair and name and path):
            raise InvalidInput(f"--null takes NAME=FILE, as random-weights=states.npz, got '{text}'")
        found[name.replace("-", " ")] = _read(Path(path))
    return found


def _read(path: Path) -> Source:
    if not path.is_dir():
        return read_states(path)
    if (kind := kind_of(path)) != RUN.name:
        raise FileError(f"{path} is a {kind}: hidden states come from a file, or from a run that saved its tokens")
    return as_source(load(path), name=path.name)


def measure(
    source: Source,
    out: str | Path,
    *,
    nulls: Mapping[str, Source] | None = None,
    options: Mapping[str, Any] | None = None,
    figures: bool = True,
    format: str = "png",
    force: bool = False,
    numbered: bool = False,
    note: Note = lambda message: None,
) -> tuple[Path, Layers]:
    """The folder with everything that was measured of `source`, and the numbers themselves.

    `options` are those of `tokenfield.layers.measure`. Raises `FileError` if the folder cannot be written.
    """
    started, folder = time.perf_counter(), None
    try:
        with Draft(out, LAYERS, force=force, numbered=numbered) as draft, Interrupts(holds=False):
            found = measure_layers(source, nulls=nulls, **(options or {}))
            manifest = {
                **environment(),
                "seed": found.facts["options"]["seed"],
                "wall_s": time.perf_counter() - started,
            }
            draft.write(
                manifest=manifest, others={LAYERS_NUMBERS: found.to_dict()}, datasets={LAYERS_TABLE: _plain(found)}
            )
            if figures:
                try:
                    draw(found, draft.figures, format=format)
                except (FileError, OSError) as error:  # a full disk must not cost the numbers, which are written
                    note(f"not all figures were drawn: {error}")
            folder = draft.finish()
    except KeyboardInterrupt as error:
        if folder is None:
            raise
        raise Interrupted(f"{folder} is written") from error
    return folder, found


def _plain(found: Layers) -> Any:
    """The dataset without names of variants: text has no settled form in Zarr."""
    return found.to_xarray().drop_vars("variant")


def read(folder: Path) -> Layers:
    """What was measured, from its folder; raises `FileError` if it is damaged."""
    try:
        return Layers.from_xarray(read_dataset(folder, LAYERS_TABLE))
    except InvalidInput as error:
        raise FileError(f"{folder} is damaged: {error}") from error


def draw(found: Layers, folder: Path, *, format: str = "png") -> list[Path]:
    """The figures of what was measured, drawn into a folder."""
    return [picture.save(folder / f"{name}.{format}") for name, picture in pictures.all_of(found).items()]


def redraw(folder: Path, target: Path | None = None, *, format: str = "png") -> list[Path]:
    """The figures of the measured layers in `folder`, drawn again into `target`, by default where they were."""
    found = read(folder)
    target = folder / FIGURES if target is None else target
    make_folder(target)
    return draw(found, target, format=format)


# --- printing -----------------------------------------------------------------------------------------------------

COLUMNS = (
    ("cosine\nraw", "mean_cosine", RAW, "{:.2f}"),
    ("no\nsinks", "mean_cosine", NO_SINKS, "{:.2f}"),
    ("no\nrogues", "mean_cosine", NO_ROGUES, "{:.2f}"),
    ("rank\nraw", "effective_rank", RAW, "{:.1f}"),
    ("no\nsinks", "effective_rank", NO_SINKS, "{:.1f}"),
    ("cen-\ntered", "effective_rank", CENTERED, "{:.1f}"),
    ("\nmoved", "moved", NO_SINKS, "{:.2f}"),
    ("clus-\nters", "clusters", NO_SINKS, "{:.0f}"),
)


def print_layers(found: Layers, console: Console, *, out: Path) -> None:
    """Prints the main numbers by layer, what to know about them, and where the rest is."""
    from rich.table import Table
    from rich.text import Text

    facts = found.facts
    console.print(repr(found).removeprefix("Layers(").partition(";")[0], style="bold")
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("\nlayer", no_wrap=True)
    for title, *_ in COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("largest norm\n/ median", no_wrap=True)
    values = [found.mean(name, variant) for _, name, variant, _ in COLUMNS]
    for k, tag in enumerate(found.tags):
        cells = ["-" if x[k] != x[k] else form.format(x[k]) for x, (*_, form) in zip(values, COLUMNS, strict=True)]
        largest = facts["largest"][k]
        table.add_row(Text(tag), *cells, Text(f"{largest['times_median']:.3g} {largest['word']}"))
    console.print(table)
    for sentence in found.notes:
        console.print(f"note   {sentence}", style="dim", markup=False)
    console.print(f"where  {out}", style="dim", markup=False)
