"""Streams that take any character: what their encoding lacks is spelled in ASCII."""

from __future__ import annotations

import codecs
import io
import unicodedata
from typing import TextIO

_SPELLED = {"→": "->", "…": "...", "✓": "+", "✗": "x", "−": "-", "⁻": "^-", "¹": "1", "ᵀ": "^T", "∂": "d"}


def print_anything(stream: TextIO) -> None:
    """Lets `stream` take characters that its encoding lacks: they are spelled, or else a question mark."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="spelled")


def _spell_all(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(_spell, error.object[error.start : error.end])), error.end


def _spell(character: str) -> str:
    """The character in ASCII.

    >>> _spell("β"), _spell("→"), _spell("語")
    ('beta', '->', '?')
    """
    name = unicodedata.name(character, "")
    return name.split()[-1].lower() if name.startswith("GREEK") else _SPELLED.get(character, "?")


codecs.register_error("spelled", _spell_all)
