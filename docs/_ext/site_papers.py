"""Papers that a page names, as "arXiv 2312.10794", are links to them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_PAPER = re.compile(r"arXiv[\s:]+(\d{4}\.\d{4,5}(?:v\d+)?)")
_ALONE = (nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.FixedTextElement)


def linked(text: str) -> list[nodes.Node]:
    """The text in pieces, of which the names of papers are links."""
    pieces: list[nodes.Node] = []
    end = 0
    for match in _PAPER.finditer(text):
        pieces += [
            nodes.Text(text[end : match.start()]),
            nodes.reference("", match[0], refuri=f"https://arxiv.org/abs/{match[1]}", internal=False),
        ]
        end = match.end()
    return [*pieces, nodes.Text(text[end:])]


def _link(app: Sphinx, tree: nodes.document, page: str) -> None:
    for text in list(tree.findall(nodes.Text)):
        above, is_alone = text.parent, False
        while above is not None and not is_alone:
            above, is_alone = above.parent, isinstance(above, _ALONE)
        if not is_alone and _PAPER.search(text):
            text.parent.replace(text, linked(str(text)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Adds the links when a page is written."""
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
