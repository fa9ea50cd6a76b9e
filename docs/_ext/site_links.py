"""Every link inside the built site leads somewhere: a page, a file or an anchor that is missing fails the build."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


class _Page(HTMLParser):
    """What a page links to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "link":
                self.links.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """The links of all pages under `site` that lead to no file or no anchor of it, as "page: link"."""
    pages: dict[Path, _Page] = {}
    for path in sorted(site.rglob("*.html")):
        if path.parent.name in ("scenes", "_static"):  # pages of scripts, each whole in itself
            continue
        pages[path.resolve()] = page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_there = target.exists() and (
                not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors
            )
            if not is_there:
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    return broken


def _check(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html" and (broken := broken_links(Path(app.outdir))):
        raise ExtensionError(f"{len(broken)} broken links inside the site:\n" + "\n".join(broken))


def setup(app: Sphinx) -> dict[str, Any]:
    """Checks after everything else is written."""
    app.connect("build-finished", _check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
