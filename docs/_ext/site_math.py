"""Formulas as MathML, which browsers draw by themselves: no script and no network."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

MATHML = "http://www.w3.org/1998/Math/MathML"
FUNCTIONS = {"arg", "cos", "cosh", "cot", "det", "div", "exp", "log", "sin", "sinh", "tan", "tanh"}
CLOSING = {")", "]", "}", "|", "\u27e9"}
THIN = "0.167em"

ElementTree.register_namespace("", MATHML)


def mathml(tex: str, display: str = "inline") -> str:
    """A formula as MathML, with the spaces and bars of TeX: log t, not logt, and |x| with bars of one height."""
    root = ElementTree.fromstring(convert(tex, display=display))
    for row in list(root.iter()):
        if row.tag in (f"{{{MATHML}}}math", f"{{{MATHML}}}mrow"):
            _pair_bars(row)
            _space_functions(row)
    return ElementTree.tostring(root, encoding="unicode")


def _core(element: ElementTree.Element) -> ElementTree.Element:
    """What carries the scripts of `element`, if it has any."""
    is_script = element.tag.rpartition("}")[2] in ("msup", "msub", "msubsup")
    return element[0] if is_script else element


def _is_operator(element: ElementTree.Element) -> bool:
    return _core(element).tag == f"{{{MATHML}}}mo"


def _pair_bars(row: ElementTree.Element) -> None:
    """Bars open and close in turn; a browser takes each for an operator between its neighbors."""
    bars = [_core(child) for child in row if _is_operator(child) and _core(child).text == "|"]
    if len(bars) % 2:
        return
    for i, bar in enumerate(bars):
        form = "postfix" if i % 2 else "prefix"
        bar.attrib.update(form=form, stretchy="false", symmetric="false", lspace="0", rspace="0")


def _space_functions(row: ElementTree.Element) -> None:
    """A thin space around the name of a function, but for a bracket or an operator beside it."""
    children = list(row)
    for i, child in reversed(list(enumerate(children))):
        if _core(child).tag != f"{{{MATHML}}}mi" or _core(child).text not in FUNCTIONS:
            continue
        if i + 1 < len(children) and not _is_operator(children[i + 1]):
            row.insert(i + 1, ElementTree.Element(f"{{{MATHML}}}mspace", width=THIN))
        if i and (not _is_operator(children[i - 1]) or _core(children[i - 1]).text in CLOSING):
            row.insert(i, ElementTree.Element(f"{{{MATHML}}}mspace", width=THIN))


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _display(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{mathml(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Makes "mathml" the renderer of formulas."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.config.html_math_renderer = "mathml"  # type: ignore[attr-defined]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
