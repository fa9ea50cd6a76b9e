"""Words, formulas and numbers as HTML and for people: LaTeX to MathML, 1.2 × 10⁻⁹, 3 min 20 s.

Everything that comes from outside is escaped here.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert

_FORMULA = re.compile(r"(\(?)\$([^$]+)\$([.,;:!?)]*)")
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_PARTS = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
_OPENING = tuple("([{⟨,=≤≥<>→∈≈∼⊆")  # after these a minus is a sign and not a difference
_LONG, _VERY_LONG = 26, 64  # characters: such formulas get a line of their own on a phone, or everywhere
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_THIN, _MINUS = "\u202f", "\u2212"


def escape(text: Any) -> str:
    """`text` safe between tags and within quotes."""
    return html.escape(str(text), quote=True)


# --- formulas -----------------------------------------------------------------------------------------------------


def prose(text: str) -> str:
    """A sentence with formulas between dollar signs as HTML: text is escaped, formulas become MathML."""
    parts, end = [], 0
    for match in _FORMULA.finditer(text):
        parts.append(escape(text[end : match.start()]))
        before, latex, after = match.groups()
        parts.append(formula(latex, before=before, after=after))
        end = match.end()
    return "".join([*parts, escape(text[end:])])


def formula(latex: str, *, before: str = "", after: str = "") -> str:
    """A formula in LaTeX as MathML, with the punctuation that clings to it; as code where it cannot be converted."""
    try:
        root = ElementTree.fromstring(convert(latex))
        _mend(root)
    except Exception:  # the converter raises many kinds of errors, and a report must not be lost to any of them
        return f"{escape(before)}<code>{escape(latex)}</code>{escape(after)}"
    length = len("".join(root.itertext()))
    size = " very long" if length > _VERY_LONG else " long" if length > _LONG else ""
    scroll = ' tabindex="0"' if size else ""  # what may scroll can be reached by the keyboard
    mathml = ElementTree.tostring(root, encoding="unicode", short_empty_elements=False).replace("ns0:", "")
    return f'<span class="formula{size}"{scroll}>{escape(before)}{mathml}{escape(after)}</span>'


def _mend(node: ElementTree.Element, before: str = "(", *, is_script: bool = False) -> None:
    """Corrects what browsers would show badly; raises `ValueError` for what the converter did not understand.

    `before` is the text that precedes the node, `is_script` whether it stands in an index or exponent.
    """
    node.tag = node.tag.removeprefix(_MATHML)
    text = node.text or ""
    if "\\" in text or len(node) != _PARTS.get(node.tag, len(node)):
        raise ValueError(text)
    if node.tag == "mi" and (text in ("~", "±") or (len(text) > 1 and text.isalpha())):  # also log, exp
        node.tag, node.text = "mo", text.replace("~", "∼")
    if node.tag == "mi" and text in tuple("ΓΔΘΛΞΠΣΦΨΩ"):  # upright, as LaTeX has them
        node.attrib.setdefault("mathvariant", "normal")
    if "bold" in node.attrib.get("mathvariant", ""):  # browsers know no other variant than "normal"
        node.attrib["style"] = "font-weight: bold"
    if node.tag == "mo":
        if len(text) > 1 and text.isalpha():  # conv, max: closer than a relation
            node.attrib |= {"lspace": "0.1em", "rspace": "0.12em"}
        elif text == "/" or (is_script and text != ",") or (text in ("−", "+", "±") and before in _OPENING):
            node.attrib |= {"lspace": "0", "rspace": "0"}
    has_scripts = node.tag in _PARTS and node.tag not in ("mfrac", "mroot")
    for position, child in enumerate(node):
        _mend(child, before, is_script=is_script or (has_scripts and position > 0))
        before = "".join(child.itertext())[-1:] if child.tag == "mo" else "x"


# --- numbers ------------------------------------------------------------------------------------------------------


def number(value: float | None, digits: int = 5) -> str:
    """A number for people, with `digits` significant digits.

    >>> number(0.123456), number(-3.0), number(1e-9), number(float("nan"))
    ('0.12346', '−3', '10⁻⁹', '–')
    """
    if value is None or math.isnan(value):  # as records in memory and on disk have it
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{_MINUS}∞"
    sign, size = _MINUS if value < 0 else "", abs(value)
    if size != 0 and not 1e-3 <= size < 1e6:
        mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
        return sign + (power if mantissa == "1" else f"{mantissa}{_THIN}×{_THIN}{power}")
    if size == int(size):
        return sign + _grouped(f"{int(size)}")
    decimals = max(digits - 1 - math.floor(math.log10(size)), 0)
    return sign + _grouped(f"{size:.{decimals}f}", is_decimal=decimals > 0)


def _grouped(digits: str, *, is_decimal: bool = False) -> str:
    whole, _, rest = digits.partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", _THIN)
    rest = rest.rstrip("0") if is_decimal else rest
    return f"{whole}.{rest}" if rest else whole


def tolerance(check: Mapping[str, Any]) -> str:
    """By how much the measured value may differ: ± for "=", + for "≤", − for "≥"."""
    allowed = check["tolerance"]
    if not allowed:
        return "none"
    sign = {"=": "±", "≤": "+", "≥": _MINUS}[check["relation"]]
    size = f"{number(100 * allowed, 3)}{_THIN}%" if check["is_relative"] else number(allowed, 3)
    return f"{sign}{_THIN}{size}"


def duration(seconds: float) -> str:
    """Seconds as a short text: 0.4 s, 12 s, 3 min 20 s, 2 h 1 min."""
    if seconds < 0.05:
        return f"&lt;{_THIN}0.1{_THIN}s"
    if seconds < 9.95:
        return f"{seconds:.1f}{_THIN}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{_THIN}s"
    if whole < 3600:
        return f"{whole // 60}{_THIN}min {whole % 60}{_THIN}s"
    return f"{whole // 3600}{_THIN}h {whole % 3600 // 60}{_THIN}min"


def parameter(value: Any) -> str:
    """The value of a parameter of an experiment, on one line."""
    if isinstance(value, (list, tuple)):
        shown = [parameter(v) for v in value[:12]]
        left = [f"… ({len(value)} values)"] if len(value) > 12 else []
        return f"({', '.join([*shown, *left])})"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return number(value, 6)
