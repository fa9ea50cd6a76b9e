"""Every public name explains itself: each argument, what is returned, and an example that is executed.

`help(name)` has to be enough to use it. Sections are in Google style: `Args:` (for classes also `Attributes:`) and
`Returns:`. Examples are run by `pytest --doctest-modules`.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import tokenfield

MODULES = (
    "initial",
    "observables",
    "transport",
    "plot",
    "laws",
    "theory",
    "sums",
    "ensemble",
    "layers",
    "events",
    "schedule",
    "position",
    "normalization",
    "pretrained",
)


# --- what is public -----------------------------------------------------------------------------------------------


def public_names(module: ModuleType) -> list[str]:
    """The names in `__all__`, or else those that are defined in the module and do not start with an underscore."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return list(getattr(module, "__all__", [name for name in own if not name.startswith("_")]))


def public_things() -> dict[str, Any]:
    """Public functions and classes by the name that users type after `tokenfield.`, each once.

    Constants and types are not among them, nor are exceptions: their arguments are messages.
    """
    found: dict[str, Any] = {}
    for prefix in ("", *MODULES):
        module = getattr(tokenfield, prefix) if prefix else tokenfield
        for name in public_names(module):
            thing = getattr(module, name)
            is_ours = getattr(thing, "__module__", "").startswith("tokenfield")
            is_error = inspect.isclass(thing) and issubclass(thing, Exception)
            if callable(thing) and is_ours and not is_error and not any(thing is known for known in found.values()):
                found[f"{prefix}.{name}".lstrip(".")] = thing
    return found


def public_methods(owner: type) -> dict[str, Any]:
    """The public methods and properties of a class, or of a base that is not public; docstrings may be inherited."""
    public = public_things().values()
    bases = [base for base in owner.__mro__[1:] if base.__module__.startswith("tokenfield") and base not in public]
    names = [name for kind in (owner, *bases) for name in vars(kind) if not name.startswith("_")]
    found = {name: getattr(owner, name) for name in names}
    return {name: value for name, value in found.items() if inspect.isfunction(value) or isinstance(value, property)}


# --- what a docstring has to say ----------------------------------------------------------------------------------


def section(doc: str, *titles: str) -> str:
    """The lines of the first section with one of the titles, without the title; empty if there is none."""
    lines = iter(inspect.cleandoc(doc).splitlines())
    for line in lines:
        if line.rstrip(":") in titles and line.endswith(":"):
            return "\n".join(_indented(lines))
    return ""


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line and not line.startswith(" "):
            return
        yield line


def entries(text: str) -> set[str]:
    """The names that a section explains: `name: words`, several as `Q, K, V: words`."""
    heads = re.findall(r"^ {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \([^)]*\))?: +\S", text, flags=re.MULTILINE)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def arguments(thing: Any) -> list[str]:
    if inspect.isclass(thing) and issubclass(thing, enum.Enum):
        return []
    names = inspect.signature(thing).parameters
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def returns_something(thing: Any) -> bool:
    annotation = str(inspect.signature(thing).return_annotation)
    return annotation not in ("None", "NoReturn", "Iterator[None]")


def own_docstring(thing: Any) -> str:
    """The docstring of a function, or of a class and its constructor; not what `dataclass` writes by itself."""
    if not inspect.isclass(thing):
        return inspect.getdoc(thing) or ""
    doc = vars(thing).get("__doc__") or ""
    init = getattr(vars(thing).get("__init__"), "__doc__", None) or ""
    return "" if doc.startswith(f"{thing.__name__}(") else f"{inspect.cleandoc(doc)}\n{inspect.cleandoc(init)}"


def complaints(thing: Any, doc: str, *, needs_example: bool) -> list[str]:
    """What the docstring does not say."""
    if not doc.strip():
        return ["no docstring"]
    titles = ("Args", "Attributes") if inspect.isclass(thing) else ("Args",)
    missing = [name for name in arguments(thing) if name not in entries(section(doc, *titles))]
    found = [f"Args: does not explain {', '.join(missing)}"] if missing else []
    if not inspect.isclass(thing) and returns_something(thing) and not section(doc, "Returns"):
        found.append("no Returns:")
    if needs_example and ">>>" not in doc:
        found.append("no example")
    return found


def complaints_about_methods(owner: type) -> list[str]:
    """As for functions, without the example; a property and a method without arguments need one sentence only."""
    found = []
    for name, method in public_methods(owner).items():
        doc = inspect.getdoc(method) or ""
        is_plain = isinstance(method, property) or not arguments(method)
        wrong = ([] if doc else ["no docstring"]) if is_plain else complaints(method, doc, needs_example=False)
        found += [f"{name}: {complaint}" for complaint in wrong]
    return found


THINGS = public_things()
CLASSES = {name: thing for name, thing in THINGS.items() if inspect.isclass(thing)}


@pytest.mark.parametrize("name", THINGS)
def test_public_names_explain_themselves(name):
    found = complaints(THINGS[name], own_docstring(THINGS[name]), needs_example=True)
    assert not found, f"help(tokenfield.{name}): {'; '.join(found)}"


@pytest.mark.parametrize("name", CLASSES)
def test_methods_of_public_classes_explain_themselves(name):
    found = complaints_about_methods(CLASSES[name])
    assert not found, f"help(tokenfield.{name}): {'; '.join(found)}"


# --- the checks themselves ----------------------------------------------------------------------------------------


def good(x: float, *, power: int = 2) -> float:
    """x to a power.

    Args:
        x: a number.
        power: the power; by default 2.

    Returns:
        The power.

    >>> good(3.0)
    9.0
    """
    return x**power


def without_an_argument(x: float, *, power: int = 2) -> float:
    """x to a power.

    Args:
        x: a number; power: is not explained on a line of its own.

    Returns:
        The power.

    >>> without_an_argument(3.0)
    9.0
    """
    return x**power


def without_sections(x: float) -> float:
    """The square of x."""
    return x**2


def test_checks_can_fail():
    assert complaints(good, good.__doc__, needs_example=True) == []
    assert complaints(without_an_argument, without_an_argument.__doc__, needs_example=True) == [
        "Args: does not explain power"
    ]
    missing = complaints(without_sections, without_sections.__doc__, needs_example=True)
    assert missing == ["Args: does not explain x", "no Returns:", "no example"]
    assert complaints(good, "", needs_example=True) == ["no docstring"]
