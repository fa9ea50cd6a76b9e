"""A few claims can be watched: beside the page of claims lies a scene that plays by itself, made by the explorer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenfield._runtime.files import make_folder
from tokenfield.explorer import gallery

FOLDER = "scenes"
FRAMES = 150
# the scene of the gallery that shows what a claim says
SCENES = {
    "glpr25-circle-clusters": "circle",
    "gkpr24-staircase": "five-tokens",
    "kpr24-first-token": "causal",
}


def place_of(claim: str) -> str:
    """Where the scene of a claim lies, seen from the page."""
    return f"{FOLDER}/{claim}.html"


def write_scenes(folder: Path, claims: Iterable[str]) -> None:
    """Writes the scenes of those claims that have one and of which none is there yet; a few seconds each.

    Args:
        folder: The folder of the page.
        claims: The ids of the claims that were run.

    Raises:
        FileError: If a scene cannot be written.
    """
    missing = [claim for claim in claims if claim in SCENES and not (folder / place_of(claim)).exists()]
    if not missing:
        return
    from tokenfield.explorer.export import export_config  # JAX: only now

    make_folder(folder / FOLDER)
    for claim in missing:
        export_config(gallery.config_of(SCENES[claim]), folder / place_of(claim), frames=FRAMES)
