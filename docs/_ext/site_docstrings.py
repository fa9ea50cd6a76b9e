"""Docstrings are plain text with backticks. In reStructuredText |x| and * would be markup, so they are escaped."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

# code in backticks, which stays; what reStructuredText would take for markup
_MARKUP = re.compile(r"(`[^`]*`)|(\||\*|(?<=\w)_(?!\w))")
_ARXIV = re.compile(r"arXiv (\d{4}\.\d{5})")


def plain(lines: list[str]) -> list[str]:
    """`lines` with markup escaped, but for examples, and ids of arXiv as links."""
    out: list[str] = []
    is_example = False
    for line in lines:
        is_example = line.lstrip().startswith(">>>") or (is_example and bool(line.strip()))
        if is_example:
            out.append(line)
            continue
        text = _MARKUP.sub(lambda found: found[1] or "\\" + found[2], line)
        out.append(_ARXIV.sub(r"`arXiv \1 <https://arxiv.org/abs/\1>`__", text))
    return out


def _process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if what == "property" and lines:  # before a colon napoleon would look for a type
        lines[0] = re.sub(r"(`[^`]*`)|: ", lambda found: found[1] or " -- ", lines[0])
    lines[:] = plain(lines)


def _skip(app: Sphinx, what: str, name: str, obj: Any, is_skipped: bool, options: Any) -> bool | None:
    """Fields of a named tuple are in its list of variables."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Escapes before the sections of a docstring are read."""
    app.connect("autodoc-process-docstring", _process, priority=100)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
