"""What narrow pages need: pictures that open in full, and words of code that break only if a line cannot hold them."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LINE = 36  # letters of code that a line of a phone holds


_COMMANDS = re.compile(r'<div class="highlight-(?:sh|bash) .*?</pre>', re.DOTALL)
_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_HYPHENATED = re.compile(rf"(?<!\S)(?!\S{{{LINE},}})\S*-\S*")


def whole_words(body: str) -> str:
    """A page on which commands, which are wrapped, do not break at the hyphens of --options."""
    mark = lambda text: _HYPHENATED.sub(r'<span class="whole">\g<0></span>', text[0])  # noqa: E731
    return _COMMANDS.sub(lambda block: _TEXT.sub(mark, block[0]), body)


def _keep_words(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    if "body" in context:
        context["body"] = whole_words(context["body"])


def _mark(app: Sphinx, tree: nodes.document, page: str) -> None:
    if app.builder.format != "html":
        return
    _link_pictures(app, tree, page)
    for literal in tree.findall(nodes.literal):
        if any(len(word) > LINE for word in literal.astext().split()):
            literal["classes"].append("long")


def _link_pictures(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Pictures are links to themselves: the letters of a wide figure are small on a narrow page.

    Not in the gallery, whose small pictures lead to examples; `site_gallery` links those of examples.
    """
    if page.startswith("gallery/"):
        return
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
    app.connect("html-page-context", _keep_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
