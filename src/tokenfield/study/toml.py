"""Typed values out of TOML files and tables, and tables back to TOML. Knows nothing of what the keys mean.

A section is a frozen dataclass whose fields are declared with `key(default, reader)`. A reader takes a TOML value and
its dotted name, and returns plain immutable data (numbers, strings, nested tuples) or raises `ConfigError`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from tokenfield.errors import ConfigError, FileError, did_you_mean

Reader = Callable[[Any, str], Any]
Section = TypeVar("Section")

LARGEST_INTEGER = 2**63


def read_file(path: Path) -> dict[str, Any]:
    """The tables of a config file; errors name the file and the line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read the config {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a text file in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def key(default: Any, reader: Reader) -> Any:
    """A field of a section: its default and how its value is read."""
    return dataclasses.field(default=default, metadata={"reader": reader})


def keys_of(section: type) -> tuple[str, ...]:
    """The keys that a section understands."""
    return tuple(field.name for field in dataclasses.fields(section))


def read_section(section: type[Section], table: Any, where: str, *, homes: Mapping[str, str] | None = None) -> Section:
    """A `section` from a TOML table; raises `ConfigError` for unknown keys and wrong types.

    `where` is the name of the table, and `homes` says for keys of other sections where they belong.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"[{where}] must be a table of keys, got {describe(table)}")
    readers = {field.name: field.metadata["reader"] for field in dataclasses.fields(section)}  # type: ignore[arg-type]
    for name in table:
        if name not in readers:
            home = (homes or {}).get(name)
            hint = f"; it belongs in {home}" if home else did_you_mean(name, readers)
            raise ConfigError(f"unknown key '{name}' in [{where}]{hint}")
    return section(**{name: readers[name](value, f"{where}.{name}") for name, value in table.items()})


def describe(value: Any) -> str:
    """What a TOML value is, in the words of an error message."""
    for kind, words in ((bool, "a boolean"), (int, "an integer"), (float, "a number"), (str, "a string")):
        if isinstance(value, kind):
            return f"{words} ({format_value(value)})"
    return "a table" if isinstance(value, Mapping) else "a list" if isinstance(value, (list, tuple)) else repr(value)


def _wrong(where: str, wanted: str, value: Any) -> ConfigError:
    return ConfigError(f"{where} must be {wanted}, got {describe(value)}")


def boolean(value: Any, where: str) -> bool:
    """A boolean."""
    if not isinstance(value, bool):
        raise _wrong(where, "true or false", value)
    return value


def integer(value: Any, where: str) -> int:
    """An integer of 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(where, "an integer", value)
    if not -LARGEST_INTEGER <= value < LARGEST_INTEGER:
        raise _wrong(where, "an integer of 64 bits", value)
    return value


def number(value: Any, where: str) -> float:
    """A float; integers are numbers too."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(where, "a number", value)
    return float(value)


def text(value: Any, where: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise _wrong(where, "a string", value)
    return value


def choice(*options: str) -> Reader:
    """A reader of one of several names."""

    def read(value: Any, where: str) -> str:
        if text(value, where) not in options:
            raise ConfigError(f"unknown {where} '{value}'{did_you_mean(value, options)}")
        return value

    return read


def vector(value: Any, where: str) -> tuple[float, ...]:
    """A tuple of floats from a list of numbers."""
    return tuple(number(entry, f"{where}[{i}]") for i, entry in enumerate(_listed(value, where, "a list of numbers")))


def matrix(value: Any, where: str) -> tuple[tuple[float, ...], ...]:
    """A tuple of rows from a list of lists of numbers, all of one length."""
    wanted = "a matrix, written as a list of rows such as [[1.0, 0.0], [0.0, 1.0]]"
    rows = tuple(
        vector(_listed(row, where, wanted), f"{where}[{i}]") for i, row in enumerate(_listed(value, where, wanted))
    )
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ConfigError(f"{where} must be a matrix: its rows have lengths {[len(row) for row in rows]}")
    return rows


def names(value: Any, where: str) -> tuple[str, ...]:
    """A tuple of strings from a list, or from one string."""
    if isinstance(value, str):
        return (value,)
    wanted = "a list of strings"
    return tuple(text(entry, f"{where}[{i}]") for i, entry in enumerate(_listed(value, where, wanted)))


def number_or_vector(value: Any, where: str) -> float | tuple[float, ...]:
    """A float or a tuple of floats."""
    return vector(value, where) if isinstance(value, (list, tuple)) else number(value, where)


def sections(section: type[Section], *, homes: Mapping[str, str] | None = None) -> Reader:
    """A reader of a list of tables."""

    def read(value: Any, where: str) -> tuple[Section, ...]:
        tables = _listed(value, where, f"a list of tables, written as [[{where}]]")
        return tuple(read_section(section, table, where, homes=homes) for table in tables)

    return read


def _listed(value: Any, where: str, wanted: str) -> Iterable[Any]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(where, wanted, value)
    return value


def format_value(value: Any) -> str:
    """A value as TOML writes it.

    >>> format_value((1.0, "a", True))
    '[1.0, "a", true]'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, (int, float)):
        return repr(value)  # the shortest digits that read back as the same float
    if isinstance(value, str):
        # JSON strings are TOML strings, except that TOML also wants DEL escaped
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(format_value(entry) for entry in value)}]"
    return "{ " + ", ".join(f"{name} = {format_value(entry)}" for name, entry in value.items()) + " }"


def format_table(header: str, table: Mapping[str, Any]) -> str:
    """A TOML table under its `header`, such as `[solve]` or `[[heads]]`, without the keys that are `None`."""
    lines = [f"{name} = {format_value(value)}" for name, value in table.items() if value is not None]
    return "\n".join([header, *lines]) + "\n"
