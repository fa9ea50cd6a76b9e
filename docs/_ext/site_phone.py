"""What a phone needs: pictures that open in full, and words of code that break only if a line cannot hold them."""

from __future__ import annotations

import posixpath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LINE = 36  # letters of code that a line of a phone holds


def _mark(app: Sphinx, tree: nodes.document, page: str) -> None:
    if app.builder.format != "html":
        return
    _link_pictures(app, tree, page)
    for literal in tree.findall(nodes.literal):
        if any(len(word) > LINE for word in literal.astext().split()):
            literal["classes"].append("long")


def _link_pictures(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Pictures are links to themselves: the letters of a wide figure are small on a narrow page."""
    up = posixpath.relpath("_images", posixpath.dirname(app.builder.get_target_uri(page)) or ".")
    for image in list(tree.findall(nodes.image)):
        name = app.env.images.get(image["uri"])
        if name is None or isinstance(image.parent, nodes.reference):
            continue
        link = nodes.reference("", "", internal=True, refuri=posixpath.join(up, name[1]))
        image.replace_self(link)
        link.append(image)


def setup(app: Sphinx) -> dict[str, Any]:
    """Marks pages after their links and pictures are known."""
    app.connect("doctree-resolved", _mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
