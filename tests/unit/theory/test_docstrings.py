"""The help of every function of `tokenfield.theory`: what is returned, each argument, errors, and an example."""

from __future__ import annotations

import inspect
import re

import pytest

from tokenfield import theory

FUNCTIONS = sorted(name for name in theory.__all__ if inspect.isfunction(getattr(theory, name)))


def section(text: str, title: str) -> str:
    found = re.search(rf"^{title}:\n((?:    .*\n|\n)+)", text + "\n", flags=re.MULTILINE)
    return found.group(1) if found else ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_is_complete(name):
    function = getattr(theory, name)
    text = inspect.getdoc(function)
    first, _, rest = text.partition("\n")
    assert first[0].isupper() or first.startswith("["), first
    assert first.endswith(".") and rest.startswith("\n"), "one sentence, then a blank line"
    arguments = re.findall(r"^    (\w+): \S", section(text, "Args"), flags=re.MULTILINE)
    assert arguments == list(inspect.signature(function).parameters), "each argument in the order of the signature"
    assert section(text, "Returns").strip().startswith("A `Prediction`")
    if arguments:
        assert "InvalidInput: " in section(text, "Raises")
    assert f">>> {name}" in text or f"{name}(" in text.split(">>>", 1)[1], "an example that calls it"


def test_every_function_returns_a_prediction():
    for name in FUNCTIONS:
        assert inspect.signature(getattr(theory, name)).return_annotation == "Prediction", name
