"""Typed values out of TOML files and tables, and tables back to TOML. Knows nothing of what the keys mean.

A section is a frozen dataclass: the annotation of a field is the type of the key, and `key` gives it a line of help, a
flag of the command line or the names that it can be. A reader takes a TOML value and its dotted name, and returns plain
immutable data (numbers, strings, nested tuples) or raises `ConfigError`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import tomllib
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tokenfield.errors import ConfigError, FileError, did_you_mean

Reader = Callable[[Any, str], Any]
Section = TypeVar("Section")

Choices = Sequence[str] | Callable[[], Sequence[str]]

Vector = tuple[float, ...]
Matrix = tuple[tuple[float, ...], ...]
Names = tuple[str, ...]

ARRAY_FILES = (".npy", ".csv", ".txt")  # that vectors and matrices can be read from
LARGEST_INTEGER = 2**63


def read_file(path: Path) -> dict[str, Any]:
    """The tables of a config file; errors name the file and the line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileError(f"cannot read the config {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a text file in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def key(
    default: Any = None,
    help: str = "",
    *,
    flag: str = "",
    unset: str = "",
    choices: Choices = (),
    reader: Reader | None = None,
    parse: Reader | None = None,
) -> Any:
    """A field of a section that has more to it than a type and a default.

    Args:
        default: Its default.
        help: What the key does, in a few words.
        flag: The names of its flag on the command line, such as "--events --event" or "--merge/--no-merge", if any.
        unset: What a default of `None` stands for.
        choices: The names that it can be, or a function that says so at each time.
        reader: How its value is read, by default as its type says.
        parse: How the text of its flag becomes the value of a config; it takes the text and the name of the flag.
    """
    metadata = {
        "help": help,
        "flag": flag,
        "unset": unset,
        "choices": choices if callable(choices) else tuple(choices),
        "reader": reader,
        "parse": parse,
    }
    return dataclasses.field(default=default, metadata=metadata)


def key_of(
    owner: type,
    name: str,
    *,
    default: Any = dataclasses.MISSING,
    flag: str = "",
    unset: str = "",
    choices: Choices = (),
    reader: Reader | None = None,
) -> Any:
    """The field of a section that takes over the field `name` of `owner`, an options object or another section.

    Default, help, flag and so on are those of `owner`, except for what is given.
    """
    found = next(field for field in dataclasses.fields(owner) if field.name == name)
    taken = found.metadata
    if default is dataclasses.MISSING:
        default = None if found.default is dataclasses.MISSING else found.default
    return key(
        default,
        taken["help"],
        flag=flag or taken.get("flag", ""),
        unset=unset or taken["unset"],
        choices=choices or taken["choices"],
        reader=reader or taken.get("reader"),
        parse=taken.get("parse"),
    )


def other_keys(names: Callable[[], Iterable[str]]) -> Any:
    """The field of a section that holds keys which are not known when it is written: pairs of a name and a value.

    `names` says at each time which names those are.
    """
    return dataclasses.field(default=(), metadata={"names": names})


def keys_of(section: type) -> tuple[str, ...]:
    """The keys that a section understands, but for those of `other_keys`."""
    return tuple(field.name for field in dataclasses.fields(section) if "names" not in field.metadata)


def other_names(section: type) -> tuple[str, ...]:
    """The names that the `other_keys` of a section can have, now."""
    found = _field_of_others(section)
    return () if found is None else tuple(found.metadata["names"]())


def value_of(section: Any, name: str) -> Any:
    """The value of a key of a section, also of one among its `other_keys`; `None` if it is not set."""
    field = _field_of_others(type(section))
    if field is None or name in keys_of(type(section)):
        return getattr(section, name)
    return dict(getattr(section, field.name)).get(name)


def with_values(section: Any, values: Mapping[str, Any]) -> Any:
    """The section with other values, also of `other_keys`."""
    known, field = keys_of(type(section)), _field_of_others(type(section))
    own = {name: value for name, value in values.items() if name in known}
    if field is not None:
        others = {name: value for name, value in values.items() if name not in known}
        own[field.name] = tuple((name, value) for name, value in others.items() if value is not None)
    return dataclasses.replace(section, **own)


def set_values(section: Any) -> dict[str, Any]:
    """The values of all keys of a section, with `other_keys` among them."""
    field = _field_of_others(type(section))
    others = () if field is None else getattr(section, field.name)
    return {name: getattr(section, name) for name in keys_of(type(section))} | dict(others)


def _field_of_others(section: type) -> dataclasses.Field[Any] | None:
    return next((field for field in dataclasses.fields(section) if "names" in field.metadata), None)


def read_section(section: type[Section], table: Any, where: str, *, homes: Mapping[str, str] | None = None) -> Section:
    """A `section` from a TOML table; raises `ConfigError` for unknown keys and wrong types.

    `where` is the name of the table, and `homes` says for keys of other sections where they belong.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"[{where}] must be a table of keys, got {describe(table)}")
    readers = _readers_of(section)  # type: ignore[arg-type]
    others = _field_of_others(section)
    if others is not None:
        found = tuple((name, _plain_value(table[name])) for name in table if name in set(others.metadata["names"]()))
        table = {name: value for name, value in table.items() if name not in dict(found)}
        read: Section = _read_known(section, readers, table, where, homes)
        return dataclasses.replace(read, **{others.name: found})  # type: ignore[type-var]
    return _read_known(section, readers, table, where, homes)


def _read_known(
    section: type[Section], readers: Mapping[str, Reader], table: Mapping[str, Any], where: str, homes: Any
) -> Section:
    """The section of a table in which every key has a reader."""
    for name in table:
        if name not in readers:
            home = (homes or {}).get(name)
            hint = f"; it belongs in {home}" if home else did_you_mean(name, readers)
            raise ConfigError(f"unknown key '{name}' in [{where}]{hint}")
    return section(**{name: readers[name](value, f"{where}.{name}") for name, value in table.items()})


def _plain_value(value: Any) -> Any:
    return tuple(map(_plain_value, value)) if isinstance(value, list) else value


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
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        raise ConfigError(f"{where} must be a number, got one beyond float64") from None


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
    """A tuple of floats from a list of numbers, or from a file of them, by its name."""
    if isinstance(value, str):
        value = _read_array(Path(value), where, ndim=1)
    return tuple(number(entry, f"{where}[{i}]") for i, entry in enumerate(_listed(value, where, "a list of numbers")))


def matrix(value: Any, where: str) -> tuple[tuple[float, ...], ...]:
    """A tuple of rows from a list of lists of numbers, all of one length, or from a file of them, by its name."""
    if isinstance(value, str):
        value = _read_array(Path(value), where, ndim=2)
    wanted = "a matrix, written as a list of rows such as [[1.0, 0.0], [0.0, 1.0]], or the name of a .npy or .csv file"
    rows = tuple(
        vector(_listed(row, where, wanted), f"{where}[{i}]") for i, row in enumerate(_listed(value, where, wanted))
    )
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ConfigError(f"{where} must be a matrix: its rows have lengths {[len(row) for row in rows]}")
    return rows


def rows(value: Any, where: str) -> tuple[float, ...] | tuple[tuple[float, ...], ...]:
    """A vector, or a matrix with a row for each layer, as it is written or from a file."""
    if isinstance(value, str):
        value = _read_array(Path(value), where, ndim=1, most=2)
    is_matrix = isinstance(value, (list, tuple)) and any(isinstance(row, (list, tuple)) for row in value)
    return matrix(value, where) if is_matrix else vector(value, where)


def number_or_rows(value: Any, where: str) -> float | tuple[float, ...] | tuple[tuple[float, ...], ...]:
    """One number, a vector, or a matrix with a row for each layer."""
    return rows(value, where) if isinstance(value, (list, tuple, str)) else number(value, where)


def _read_array(path: Path, where: str, *, ndim: int, most: int | None = None) -> Any:
    """The numbers of a .npy, .csv or .txt file as nested lists, of `ndim` axes, or up to `most`.

    Raises `ConfigError` that names the key.
    """
    import numpy as np

    suffix = path.suffix.lower()
    if suffix not in ARRAY_FILES:
        raise ConfigError(f"{where} must be numbers, or a file that ends in {', '.join(ARRAY_FILES)}, got '{path}'")
    try:
        if suffix == ".npy":
            with path.open("rb") as file:
                array = np.load(file, allow_pickle=False)
        else:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
            array = np.loadtxt(lines, delimiter="," if suffix == ".csv" else None, ndmin=ndim)  # type: ignore[call-overload]
    except OSError as error:
        raise ConfigError(f"{where}: cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # damaged bytes make the parsers of NumPy raise nearly anything
        raise ConfigError(f"{where}: {path} holds no numbers: {str(error).partition(chr(10))[0]}") from error
    if array.dtype.kind not in "iuf" or not ndim <= array.ndim <= (most or ndim):
        wanted = "a matrix of numbers" if ndim == 2 else "a list of numbers" + " or a matrix" * bool(most)
        raise ConfigError(f"{where} must be {wanted}: {path} holds {array.dtype} of shape {array.shape}")
    return array.astype(float).tolist()


def names(value: Any, where: str) -> tuple[str, ...]:
    """A tuple of strings from a list, or from one string."""
    if isinstance(value, str):
        return (value,)
    wanted = "a list of strings"
    return tuple(text(entry, f"{where}[{i}]") for i, entry in enumerate(_listed(value, where, wanted)))


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


# the reader of each type, and the Python types by which one of several alternatives is recognized
_READERS: dict[Any, tuple[Reader, type | tuple[type, ...]]] = {
    bool: (boolean, bool),
    int: (integer, int),
    float: (number, (int, float)),
    str: (text, str),
    Vector: (vector, (list, tuple, str)),
    Matrix: (matrix, (list, tuple, str)),
    Names: (names, (list, tuple)),
}


@functools.cache
def types_of(section: type) -> dict[str, tuple[Any, ...]]:
    """The types that each key of a section can have; the first one is the usual one.

    >>> from tokenfield.study.sections import SolveSection
    >>> types_of(SolveSection)["merge"]
    (<class 'float'>, <class 'bool'>)
    """
    hints = typing.get_type_hints(section)
    return {name: _alternatives(hints[name]) for name in keys_of(section)}


def _alternatives(hint: Any) -> tuple[Any, ...]:
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    return tuple(part for part in parts if part is not types.NoneType)


def array_keys(section: type) -> frozenset[str]:
    """The keys of a section that hold vectors or matrices, where a string is the name of a file with their numbers."""
    kinds = types_of(section)
    return frozenset(name for name, kind in kinds.items() if {Vector, Matrix} & set(kind) and str not in kind)


def read_value(section: type, name: str, value: Any, where: str) -> Any:
    """A value as the section holds it under this key; raises `ConfigError`, in which `where` is what it is called."""
    return _readers_of(section)[name](value, where)


@functools.cache
def _readers_of(section: type) -> dict[str, Reader]:
    kinds = types_of(section)
    known = keys_of(section)
    return {f.name: _reader_of(f, kinds[f.name]) for f in dataclasses.fields(section) if f.name in known}


def names_in(choices: Choices) -> tuple[str, ...]:
    """The names to choose from, now."""
    return tuple(choices() if callable(choices) else choices)


def choices_of(section: type, name: str) -> tuple[str, ...]:
    """The names that a key of a section can be, now; none if it is no name."""
    found = next(field for field in dataclasses.fields(section) if field.name == name)
    return names_in(found.metadata.get("choices", ()))


def _reader_of(field: dataclasses.Field[Any], kinds: tuple[Any, ...]) -> Reader:
    if field.metadata.get("reader"):
        return field.metadata["reader"]
    if field.metadata.get("choices"):
        choices = field.metadata["choices"]
        return lambda value, where: choice(*names_in(choices))(value, where)  # the names of now
    usual, *others = kinds
    if usual not in _READERS:
        return sections(typing.get_args(usual)[0])

    def read(value: Any, where: str) -> Any:
        # a value that is none of the others gets the words of the usual type
        kind = next((kind for kind in others if isinstance(value, _READERS[kind][1])), usual)
        return _READERS[kind][0](value, where)

    return read


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
