"""Which keys of a section were given, and whether its kind has them. Plain data in, `ConfigError` out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenfield.errors import ConfigError
from tokenfield.study import toml
from tokenfield.study.catalog import Kind


def first(*values: Any) -> Any:
    """The first of the values that is not `None`."""
    return next((value for value in values if value is not None), None)


def check_kind(section: Any, kind: Kind, keys: Sequence[str], where: str) -> None:
    """Raises `ConfigError` for keys that are given but that the kind does not have, and for those that it needs."""
    for name in (*keys, *dict(getattr(section, "parameters", ()))):
        if toml.value_of(section, name) is not None and not kind.has(name):
            has = ", ".join(p.name for p in kind.parameters) or "no parameters"
            raise ConfigError(f"{where}.{name} has no effect: {kind.name} has no {name}; it has {has}")
    for p in kind.parameters:
        if p.is_required and toml.value_of(section, p.name) is None:
            raise ConfigError(f"{kind.name} needs {where}.{p.name}: {p.meaning}")
