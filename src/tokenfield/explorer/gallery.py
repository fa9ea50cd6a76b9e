"""Ready scenes and the tour, as data."""

from __future__ import annotations

from typing import Any


def listed() -> list[dict[str, Any]]:
    return []


def tour() -> list[dict[str, Any]]:
    return []
