"""Formulas of docstrings are plain text: beta_c, e^{-2 t}. The reference shows them as one writes them by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

_LETTERS = (
    "alpha α beta β gamma γ delta δ epsilon ε eps ε zeta ζ eta η theta θ kappa κ lambda λ lam λ mu μ nu ν xi ξ pi π "
    "rho ρ sigma σ tau τ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω"
)
_GREEK = dict(re.findall(r"(\w+) (\w)", _LETTERS))
_SIGNS = {
    r"\bsum_": "Σ_",
    r"\bd_t(?=\s)": "∂_t",
    r"\bint(?=_|\s)": "∫",
    r"\biint(?=_|\s)": "∬",
    r"\bsqrt(?=\()": "√",
    r"\+-(?=[\w(])": "±",
    r"(?<=\}) o (?=dW)": " ∘ ",
    "-> infinity": "→ ∞",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "->": "→",
    " <- ": " ← ",
    " -- ": " – ",
    r"\bRenyi\b": "Rényi",
}
_NAMES = re.compile(rf'(?<![A-Za-z`."])(?<!--)(d?)({"|".join(_GREEK)})(hat)?(?![A-Za-z"])')
_PRODUCT = re.compile(r"<([^<>=\n]{1,30}?,\s[^<>=]{1,30}?)>")
# what may have an index: a letter, a sign, or one of these words; words as indices are few
_INDEX = re.compile(
    r"(?:(?<![A-Za-z])(?:d?[A-Za-z]|[A-Z]x|Gam|id|points|weights|argmax)|(?<=[Σ∫∂α-ωΓ-Ω)\u0302]))_"
    r"(?:\{(?P<group>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|(?P<word>max|min|fold|degree|count|[*#+]|[0-9]+|[A-Za-zα-ω][A-Za-z0-9]?)(?![A-Za-z_]))"
)
_POWER = re.compile(
    r"(?<=[\w)|\]}⟩\u0302])\^"
    r"(?:\{(?P<group>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|\((?P<round>[^()]*)\)|(?P<word>-?\w+|[*+]))"
)
_PRINTED = ("benchmarks", "changes", "claims")  # pages with tables of a program, or that are read as plain text too
_VERBATIM = (
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.strong,
    nodes.math,
    nodes.raw,
    addnodes.desc_signature,
    addnodes.literal_emphasis,
    addnodes.literal_strong,
)


def _signs(text: str, has_letters: bool) -> str:
    text = _PRODUCT.sub(r"⟨\1⟩", text)
    for plain, sign in _SIGNS.items():
        text = re.sub(plain, sign, text)
    if has_letters:
        text = _NAMES.sub(lambda found: found[1] + _GREEK[found[2]] + ("\u0302" if found[3] else ""), text)
    return re.sub(r"√\((\w)\)", r"√\1", text)


def _parts(text: str) -> Iterator[nodes.Node]:
    at = 0
    while at < len(text):
        found = min(
            filter(None, (_INDEX.search(text, at), _POWER.search(text, at))), key=lambda m: m.start(), default=None
        )
        if found is None:
            yield nodes.Text(text[at:])
            return
        is_index = found.re is _INDEX
        mark = text.index("_" if is_index else "^", found.start())
        if mark > at:  # a line may break after ), but not before an exponent
            yield nodes.Text(text[at:mark] + "\N{WORD JOINER}" * (text[mark - 1] == ")" and not is_index))
        inner = next(part for part in found.groupdict().values() if part is not None)
        kind = nodes.subscript if is_index else nodes.superscript
        yield kind("", "", *_parts(inner))
        at = found.end()


def formula(text: str, *, has_letters: bool = True) -> list[nodes.Node]:
    """`text` with indices and powers, and with Greek letters unless their names are what one types."""
    return list(_parts(_signs(text, has_letters)))


def _typeset(app: Sphinx, tree: nodes.document) -> None:
    if not app.env.docname.startswith(("reference/", *_PRINTED)):
        return
    has_letters = app.env.docname not in ("reference/commands", "reference/configs", *_PRINTED)
    for text in list(tree.findall(nodes.Text)):
        node, is_verbatim = text.parent, False
        while node is not None and not is_verbatim:
            is_verbatim = isinstance(node, _VERBATIM)
            node = node.parent
        if is_verbatim:
            continue
        parts = formula(text.astext(), has_letters=has_letters)  # which is without the marks of escapes
        if [part.astext() for part in parts] != [text.astext()] and parts:
            text.parent.replace(text, parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Typesets pages after they are read."""
    app.connect("doctree-read", _typeset)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
