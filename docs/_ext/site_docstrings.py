"""Docstrings are plain text with backticks. In reStructuredText |x| and * would be markup, so they are escaped.

Names in backticks that the reference has become links, types are those that a user would write, and what a class has as
another one describes it is a line with links instead of the same words again.
"""

from __future__ import annotations

import enum
import functools
import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

from tokenfield.laws.masked import AnyDensity
from tokenfield.laws.masked_gaussian import AnyGaussian

# code in backticks, which stays; what reStructuredText would take for markup
_MARKUP = re.compile(r"(`[^`]*`)|(\||\*|(?<=\w)_(?!\w))")
_COLON = "\ue000"  # which stands for a colon while napoleon reads
_PAGE = re.compile(r"\bdocs/([\w/]+)\.md")
_CALL = re.compile(r"([A-Za-z_][\w.]*)(?:\([^`<>]*\))?")
# what JAX and NumPy accept as an array, written out
_ARRAY_LIKES = (
    "Array | ndarray | bool | number | bool | int | float | complex",
    "_Buffer | _SupportsArray[dtype[Any]] | _NestedSequence[_SupportsArray[dtype[Any]]] | complex | bytes | str | "
    "_NestedSequence[complex | bytes | str]",
)


def plain(lines: list[str], link: Callable[[str], str | None] = lambda code: None) -> list[str]:
    """`lines` with markup escaped, but for examples; and with links of code for which `link` has a target."""

    def escaped(found: re.Match[str]) -> str:
        if not found[1]:
            return "\\" + found[2]
        target = link(found[1][1:-1])
        return f":py:obj:`{found[1][1:-1]} <{target}>`" if target else found[1]

    out: list[str] = []
    is_example = False
    for line in lines:
        is_example = line.lstrip().startswith(">>>") or (is_example and bool(line.strip()))
        if is_example:
            out.append(line)
            continue
        out.append(_PAGE.sub(r":doc:`/\1`", _MARKUP.sub(escaped, line)))
    return out


# --- links ----------------------------------------------------------------------------------------------------------


@functools.cache
def places() -> dict[str, Any]:
    """The functions and classes of the reference by where it has them: tokenfield.theory.k_max."""
    from site_pages import MODULES, public_things

    return {
        f"{MODULES[page][0]}.{name}": thing
        for page, things in public_things().items()
        for name, thing in things.items()
    }


@functools.cache
def _origins() -> dict[str, str]:
    """Where the reference has what is defined elsewhere: tokenfield.geometry.Sphere is tokenfield.Sphere."""
    return {
        f"{thing.__module__}.{thing.__qualname__}": place
        for place, thing in places().items()
        if hasattr(thing, "__qualname__")
    }


def _member(place: str, name: str) -> str | None:
    """Where the reference describes the member `name` of the class at `place`, if it does."""
    owner = places().get(place)
    for base in inspect.getmro(owner) if inspect.isclass(owner) else ():
        member = vars(base).get(name)
        is_method = inspect.isroutine(member) or isinstance(member, (property, functools.cached_property))
        if is_method and getattr(member, "__doc__", None):
            described = _origins().get(f"{base.__module__}.{base.__qualname__}")
            return described and f"{described}.{name}"
    return None


def _target(code: str, near: str) -> str | None:
    """Where the reference has what `code` names in the docstring of the object at `near`."""
    found = _CALL.fullmatch(code)
    if not found:
        return None
    name = found[1].removeprefix("tokenfield.").removeprefix("tkf.")
    owner, _, last = name.rpartition(".")
    around = [".".join(near.split(".")[:count]) for count in range(near.count(".") + 1, 0, -1)]
    for scope in around:
        if f"{scope}.{name}" in places():
            return f"{scope}.{name}"
        member = _member(f"{scope}.{owner}" if owner else scope, last)
        if member:
            return member
    if found[1].startswith("tokenfield.") and found[1] in {place.rpartition(".")[0] for place in places()}:
        return found[1]
    elsewhere = [place for place in places() if place.rpartition(".")[2] == name and re.search("[A-Z_]", name)]
    return elsewhere[0] if len(elsewhere) == 1 else None


def _arguments(thing: Any) -> set[str]:
    try:
        return set(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return set()


def _as_elsewhere(name: str, owner: type) -> list[str]:
    """The members of a class that only another class describes, as lines with links."""
    lines: list[str] = []
    seen = {member for member in vars(owner) if getattr(vars(owner)[member], "__doc__", None)}
    for base in owner.__mro__[1:]:
        place = _origins().get(f"{base.__module__}.{base.__qualname__}")
        if not place:
            continue
        members = [
            m for m in vars(base) if not m.startswith("_") and m not in seen and _member(place, m) == f"{place}.{m}"
        ]
        seen |= set(members)
        if members:
            words = ", ".join(f":py:obj:`{m} <{place}.{m}>`" for m in members)
            lines += ["", f"As described at :py:obj:`{base.__name__} <{place}>`: {words}."]
    return lines


# --- what autodoc asks ----------------------------------------------------------------------------------------------


def _without_types(lines: list[str], *, is_property: bool) -> list[str]:
    """`lines` with another sign for the colons before which napoleon would look for a type of what is returned."""
    out: list[str] = []
    is_returned = is_property
    for line in lines:
        is_title = line.strip() in ("Returns:", "Yields:")
        is_returned = is_title or (is_returned and bool(line.strip()))
        out.append(line.replace(": ", f"{_COLON} ") if is_returned and not is_title else line)
    return out


def _process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = _without_types(lines, is_property=what == "property")
    own = _arguments(obj) | {name.rsplit(".", 1)[-1]}
    lines[:] = plain(lines, lambda code: None if code in own else _target(code, name))
    if what == "class":
        lines += [*_as_elsewhere(name, obj), ""]


def _type(text: str) -> str:
    """A type as a user writes it, with the place that the reference has for it."""
    for name, laws in (("AnyDensity", AnyDensity), ("AnyGaussian", AnyGaussian)):  # which are no public names
        text = re.sub(rf"~?\b(?:\w+\.)*{name}\b", stringify_annotation(laws, "smart"), text)
    text = re.sub(
        r"~?\b((?:\w+\.)+\w+)",
        lambda found: f"~{_origins()[found[1]]}" if found[1] in _origins() else found[1].rsplit(".", 1)[1],
        text,
    )
    for written_out in _ARRAY_LIKES:
        text = text.replace(written_out, "ArrayLike")
    text = re.sub(r"~?\bOfDepth\b", "Callable[[Array], ArrayLike]", text)  # which is made of what a user gives
    text = re.sub(r"(Callable\[.*) \| Callable\b(?!\[)", r"\1", text)  # said already, with what it takes
    return text.replace("Callable[[...],", "Callable[...,")


def _name_types(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, args: str | None, result: str | None
) -> tuple[str, str | None] | None:
    """After autodoc has noted types, which it shows beside the meaning of arguments. Defaults as one writes them."""
    noted = app.env.current_document.autodoc_annotations.get(name, {})
    if what == "class":
        noted |= _taken(obj, noted)
    for argument, annotation in noted.items():
        noted[argument] = _type(annotation)
    if args:
        args = re.sub(r"<function ([\w.]+)[^>]*>", r"\1", args).replace("<factory>", "...")
        args = re.sub(r"(?<=\d)e-0(\d)\b", r"e-\1", _with_values(args, obj))
    return args and (args, result)


def _taken(thing: type, noted: Mapping[str, str]) -> dict[str, str]:
    """The types of what a class is made from: autodoc has those of its attributes where both have one name."""
    made = vars(thing).get("__init__")
    if not inspect.isfunction(made):
        return {}
    try:
        hints = typing.get_type_hints(made)
    except NameError:  # a type that is imported for the checker only
        return {}
    found = {name: stringify_annotation(hints[name], "smart") for name in noted.keys() & hints.keys()}
    # a number or an array, which the class looks at by itself
    return {
        name: "ArrayLike" if text.endswith("Any") and "Array" in noted[name] else text
        for name, text in found.items()
        if not text.endswith("Any") or "Array" in noted[name]
    }


def _with_values(args: str, thing: Any) -> str:
    """A signature with the values of constants that are defaults, whose names a user does not know."""
    thing = inspect.unwrap(thing)
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    names = getattr(thing, "__globals__", None) or getattr(module, "__dict__", {})

    def value(found: re.Match[str]) -> str:
        constant = names.get(found[0])
        if not isinstance(constant, (int, float, str, tuple)) or isinstance(constant, enum.Enum):
            return found[0]
        return repr(constant)

    return re.sub(r"(?<==)_?[A-Z][A-Z_0-9]+(?=[,)])", value, args)


def _name_types_of_fields(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """After napoleon has written the types of fields."""
    for at, line in enumerate(lines):
        found = re.match(r"(\s*:vartype [^:]+: )(.*)", line)
        lines[at] = (f"{found[1]}{_type(found[2])}" if found else line).replace(_COLON, ":")


def _return_types(app: Sphinx, tree: nodes.document) -> None:
    """Puts what type is returned before what it is, as for arguments, unless the words have it already."""
    for fields in list(tree.findall(nodes.field_list)):
        if not len(fields):  # which would only leave a gap
            fields.parent.remove(fields)
            continue
        by_name = {field[0].astext(): field for field in fields}
        if "Return type" not in by_name or "Returns" not in by_name:
            continue
        returns, kind = by_name["Returns"][1], by_name["Return type"]
        words = kind[1].astext()
        if not re.search(rf"\b{re.escape(words)}\b", returns.astext()) and not words.startswith("Iterator[None"):
            returns[0].insert(0, [nodes.emphasis("", "", *kind[1][0].children), nodes.Text(" – ")])
        fields.remove(kind)


def _skip(app: Sphinx, what: str, name: str, obj: Any, is_skipped: bool, options: Any) -> bool | None:
    """Fields of a named tuple are in its list of variables."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Escapes before the sections of a docstring are read."""
    app.connect("autodoc-process-docstring", _process, priority=100)
    app.connect("autodoc-process-docstring", _name_types_of_fields, priority=900)
    app.connect("autodoc-process-signature", _name_types, priority=900)
    app.connect("autodoc-skip-member", _skip)
    app.connect("doctree-read", _return_types)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
