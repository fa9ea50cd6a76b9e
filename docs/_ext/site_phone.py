"""What narrow pages need: pictures that open in full, and lines that break only where a reader expects it."""

from __future__ import annotations

import html
import posixpath
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LINE = 36  # letters of code that a line of a phone holds
HALF = LINE // 2
CELL = 15  # letters of code in the first column of a table
NAME = 30  # letters of code that also fit where the line is indented

_COMMANDS = re.compile(r'<div class="highlight-(?:sh|bash) .*?</pre>', re.DOTALL)
_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_HYPHENATED = re.compile(rf"(?<!\S)(?!\S{{{LINE},}})\S*-\S*")

# what is read as it stands, and tags; between them is text
_PIECES = re.compile(
    r"""(<!--.*?-->|<(pre|script|style|svg|math|textarea)\b.*?</\2>|<(?:[^>"']|"[^"]*"|'[^']*')*>)""", re.DOTALL
)
_WORD = re.compile(r"\S+")
_NAMES = re.compile(r"(?<=[A-Za-z_]\.)(?=[A-Za-z_])")
_PARTS = re.compile(r"(?<=[A-Za-z][._])(?=[A-Za-z])")
_FOLDERS = re.compile(r"(?<=[A-Za-z]/)(?=[A-Za-z_])")
_SHORT = r"\s(?=[^\s=]{1,4}(?:\s|$))"
_AROUND = re.compile(  # the spaces of d ≥ 2
    rf"(?<!\w\w)(?<=\w)\s(?=(?:[=≥≤≠≈~→]|&[lg]t;){_SHORT})|(?:(?<=[=≥≤≠≈~→×])|(?<=&[lg]t;)){_SHORT}"
    r"|(?<=\d)\s(?=%)|(?<=[∫∬])\s|(?<=⟨\w,)\s|(?<=⟨\w\w,)\s"  # and those of 5 %, ∫ f and ⟨x, y⟩
    r"|(?<=arXiv)\s(?=\d{4}\.\d)"
)
_SUM = re.compile(r"(?<=\w)\s([-+−])\s(?=\d\b)")  # 2m + 1
_SHAPE = re.compile(r"\(\w{1,2}(?:,\s\w{1,2}){1,3}\)")  # (n, d)
_MATH = re.compile(r"<math\b(?:(?!</math>).)*</math>[.,;:!?)]+", re.DOTALL)
_AFTER_INDEX = re.compile(rf"\s(?=(?:[=≥≤≠≈~→]|&[lg]t;){_SHORT})")  # the first space of k₁ = 1, after the index
_CODE = re.compile(r'(?<=<span class="pre">)[^<]+')
_SIGNATURE = re.compile(r'<span class="sig-(?:paren">\(|prename descclassname"><span class="pre">[^<]*</span>)</span>')


def whole_words(body: str) -> str:
    """A page on which commands, which are wrapped, do not break at the hyphens of --options."""
    mark = lambda text: _HYPHENATED.sub(r'<span class="whole">\g<0></span>', text[0])  # noqa: E731
    return _COMMANDS.sub(lambda block: _TEXT.sub(mark, block[0]), body)


def better_breaks(body: str) -> str:
    """A page whose text does not break inside 1e-6, (d-1)/2, Pre-LN or (n, d), nor around the signs of n ≥ 0 and m + 1.

    A formula and the comma after it stay together. Names in code break after their dots, in cells also after _, and
    paths there after /. Signatures break after ( rather than before a comma.
    """
    body = _MATH.sub(r'<span class="whole">\g<0></span>', _SIGNATURE.sub(r"\g<0><wbr>", body))
    pieces, in_code, in_cell = _PIECES.split(body), False, False
    for k, piece in enumerate(pieces):
        if k % 3 == 0 and piece.strip():  # text; then tags, and the names of what stays as it is
            words = piece if in_code else _together(piece)
            if k and pieces[k - 2] in ("</sub>", "</sup>") and _AFTER_INDEX.match(piece):
                words = "\N{NO-BREAK SPACE}" + words[1:]
            words += "\N{WORD JOINER}" * words.endswith("⟩")  # before the exponent of ⟨x, y⟩²
            pieces[k] = _WORD.sub(lambda word: _broken(word[0], in_code, in_cell), words)  # noqa: B023
        elif k % 3 == 1:
            in_code = piece.startswith("<code") or (in_code and not piece.startswith("</code"))
            in_cell = piece.startswith("<td") or (in_cell and not piece.startswith("</td"))
    return "".join(piece for k, piece in enumerate(pieces) if k % 3 < 2)


def _together(text: str) -> str:
    """Text with no-break spaces in what is read as one: d ≥ 2, 2m + 1, (n, d)."""
    text = _SUM.sub("\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", _AROUND.sub("\N{NO-BREAK SPACE}", text))
    return _SHAPE.sub(lambda shape: re.sub(r"\s", "\N{NO-BREAK SPACE}", shape[0]), text)


def _broken(word: str, in_code: bool, in_cell: bool) -> str:
    """A word with marks where it breaks, or that it does not: short parts of a word are hard to read alone."""
    plain = html.unescape(word)
    parts = [part.strip("()[]\"',.;:") for part in re.split("[-/]", plain)]
    if 1 < len(plain) <= HALF and len(parts) > 1 and (in_code or min(map(len, parts)) < 3):
        return f'<span class="whole">{word}</span>'
    if in_code and in_cell and len(plain) > CELL:
        return (_FOLDERS if "/" in plain else _PARTS).sub("<wbr>", word)
    return _NAMES.sub("<wbr>", word) if in_code and len(plain) > NAME else word


def _keep_words(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    if "body" in context:
        context["body"] = better_breaks(whole_words(context["body"]))
    if "toc" in context:  # names in the list of what is on the page break after _, where they are too long for it
        context["toc"] = _CODE.sub(lambda name: name[0].replace("_", "_<wbr>"), context["toc"])


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
