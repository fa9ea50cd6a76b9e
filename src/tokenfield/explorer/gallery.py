"""Ready scenes and the tour: what `gallery.toml` holds, as data for the page. No JAX.

A scene is {id, title, text, source, config}, a stop of the tour {scene, title, text, try}.
"""

from __future__ import annotations

import copy
import functools
import tomllib
from pathlib import Path
from typing import Any

from tokenfield.errors import InvalidInput, did_you_mean

FILE = Path(__file__).with_name("gallery.toml")


@functools.cache
def _read() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def listed() -> list[dict[str, Any]]:
    """The ready scenes, in the order of the page.

    >>> listed()[0]["id"]
    'two-tokens'
    """
    return copy.deepcopy(_read()["scene"])


def tour() -> list[dict[str, Any]]:
    """The stops of the tour, in order; `scene` is the id of one of the ready scenes.

    >>> len(tour())
    7
    """
    return copy.deepcopy(_read()["tour"])


def config_of(name: str) -> dict[str, Any]:
    """The tables of the config of a ready scene.

    Args:
        name: Its id.

    Returns:
        The tables.

    Raises:
        InvalidInput: If there is no such scene; the message has the nearest one.
    """
    scenes = {scene["id"]: scene["config"] for scene in listed()}
    if name not in scenes:
        raise InvalidInput(f"there is no scene '{name}' in the gallery{did_you_mean(name, scenes)}")
    return scenes[name]
