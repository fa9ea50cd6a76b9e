"""What a reader must not meet on a page: markup that was not rendered, pictures without words, what the network has.

The built pages are read, so that it does not matter whether Markdown, a docstring or an extension was at fault.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# roles, backticks, bold, escapes and formulas as they are written
_RAW = re.compile(
    r":(?:math|func|class|meth|mod|ref|doc):|`|\*\*|\\[_*|a-zA-Z]|\$[^$\s][^$]*\$|<\w+ object at |Alias for field"
)
_VERBATIM = ("pre", "script", "style", "annotation")
# the name of a file, or of an example, is not what a picture shows
_NO_WORDS = re.compile(r"\S*\.(?:png|webp|svg|jpg)|plot [a-z ]+")


class _Page(HTMLParser):
    """What is wrong on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        self.verbatim += tag in _VERBATIM
        if tag == "img" and (has.get("alt") is None or _NO_WORDS.fullmatch(has["alt"] or "")):
            self.found.append(f"picture without words: {has.get('src')}")
        loads = has.get("src") if tag != "link" else has.get("href") if has.get("rel") == "stylesheet" else None
        if loads and re.match(r"(?:https?:)?//", loads):
            self.found.append(f"loads {loads}")

    def handle_endtag(self, tag: str) -> None:
        self.verbatim -= tag in _VERBATIM

    def handle_data(self, data: str) -> None:
        if not self.verbatim and (raw := _RAW.search(data)):
            self.found.append(f"raw markup: {data[max(0, raw.start() - 20) : raw.end() + 20].strip()!r}")


def marks(site: Path) -> list[str]:
    """What the pages under `site` show that they should not, as "page: what"."""
    found = []
    for path in sorted(site.rglob("*.html")):
        if path.parent.name in ("scenes", "_static"):  # pages of scripts, each whole in itself
            continue
        page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site)}: {what}" for what in page.found]
    return found


def _check(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html" and (found := marks(Path(app.outdir))):
        raise ExtensionError(f"{len(found)} marks on the pages of the site:\n" + "\n".join(found))


def setup(app: Sphinx) -> dict[str, Any]:
    """Checks after everything else is written."""
    app.connect("build-finished", _check, priority=901)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
