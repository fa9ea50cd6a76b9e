"""A text through a real model, for the page: placeholder until the panel is there."""

from __future__ import annotations

from typing import Any

from tokenfield.errors import Unsupported
from tokenfield.pretrained import catalog

LONGEST_TEXT = 2000


def models() -> list[dict[str, Any]]:
    """The real models: which are fetched, and how to get the others."""
    return [
        {
            "name": entry.name,
            "title": entry.title,
            "fetched": entry.is_there,
            "how": f"tokenfield pretrained fetch {entry.name}",
        }
        for entry in catalog.entries()
    ]


def through(text: str, model: str) -> dict[str, Any]:
    raise Unsupported("this server cannot read sentences yet")
