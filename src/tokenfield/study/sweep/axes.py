"""What a sweep goes over: axes of config keys, and seeds. Texts of the command line become plain data here. No JAX.

attention.beta=0.1:9:30        30 values from 0.1 to 9, both included
solve.t1=log:1:1000:4          4 values in equal ratios
initial.n=32,64,128            values, one by one
attention.kind=softmax,l2      words
attention.V=[[1,0],[0,1]],[[0,1],[1,0]]      matrices, as TOML writes them
attention.V=a.npy,b.npy        or from files, whose numbers are read here: who computes needs no such file
heads.0.beta=1,2               of one head of [[heads]], counted from 0; of all that share it, attention.beta
heads=[{beta=1},{beta=4}],[{beta=2}]         all heads at once
potential.strength.0=0.1:0.5:9 one entry of a vector that the config gives, counted from 0
"""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.study import toml
from tokenfield.study.config import SECTIONS, resolve_files
from tokenfield.study.options import HEADS
from tokenfield.study.parse import MOST
from tokenfield.study.sections import HeadSection, Vector

SEED = "initial.seed"
PATH = "initial.path"
RESERVED = ("seed", "t", "outcome", "t_end")  # names of the dataset of a sweep
_KEYS = {f"{name}.{key}": section for name, section in SECTIONS.items() for key in toml.keys_of(section)}


@dataclass(frozen=True)
class Axis:
    """One dimension of a sweep: the values that one key of the config takes, or several keys together.

    `points` has the value of each of the `keys` at each point; `values` is what the axis shows there.
    """

    name: str
    keys: tuple[str, ...]
    points: tuple[tuple[Any, ...], ...]
    values: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, which a figure can have along an axis."""
        return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values)

    def given(self, point: int) -> dict[str, Any]:
        """The values of the keys at a point."""
        return dict(zip(self.keys, self.points[point], strict=True))


def read_axes(over: Mapping[Any, Any] | Sequence[str]) -> tuple[Axis, ...]:
    """The axes of `over`: texts KEY=VALUES, or a mapping from keys to values or to such texts.

    A key may be a tuple of keys that vary together; each value is then a tuple as well.
    """
    if not isinstance(over, (Mapping, Sequence)) or isinstance(over, str):
        raise ConfigError(f"axes are a dict of keys and their values, or a list of texts KEY=VALUES, got {over!r}")
    if not isinstance(over, Mapping):
        pairs: list[tuple[Any, Any]] = [_split(text) for text in over]
    else:
        pairs = list(over.items())
    keys = [tuple(_full_key(part) for part in (key if isinstance(key, tuple) else (key,))) for key, _ in pairs]
    flat = [part for group in keys for part in group]
    for part in flat:
        if flat.count(part) > 1:
            raise ConfigError(f"{part} is varied twice: give it one --over with all its values")
        if part == SEED:
            raise ConfigError("the seed is varied by --seeds, such as --seeds 0:64")
    names = _names(keys)
    return tuple(_axis(name, key, values) for name, key, (_, values) in zip(names, keys, pairs, strict=True))


def named_axis(name: str, given: Mapping[str, Sequence[Any]], values: Sequence[Any]) -> Axis:
    """An axis under a name of its own: `values` is what it shows, `given` what each key is at its points."""
    return Axis(name, tuple(given), tuple(zip(*given.values(), strict=True)), tuple(values))


def read_seeds(seeds: int | str | Sequence[int]) -> tuple[int, ...]:
    """The seeds of a sweep, from a list, a count, or a text such as 0:64 (0 to 63) or 1,5,9.

    >>> read_seeds("2:5"), read_seeds(3), read_seeds("7,9")
    ((2, 3, 4), (0, 1, 2), (7, 9))
    """
    wanted = "seeds are FIRST:END, such as 0:64 for 0 to 63, or a list such as 1,5,9"
    try:
        if isinstance(seeds, str) and ":" in seeds:
            first, end = (int(part) for part in seeds.split(":"))
            found: Sequence[Any] = range(first, end)
        elif isinstance(seeds, str):
            found = [int(part) for part in seeds.split(",")]
            found = range(found[0]) if len(found) == 1 else found
        else:
            found = range(seeds) if isinstance(seeds, int) else seeds
        kept = tuple(int(seed) for seed in itertools.islice(found, MOST + 1))
    except (TypeError, ValueError):
        raise ConfigError(f"{wanted}, got '{seeds}'") from None
    if not kept or len(kept) > MOST or any(not -(2**63) <= seed < 2**63 for seed in kept):
        raise ConfigError(f"{wanted}; between 1 and {MOST} of them, of 64 bits, got '{seeds}'")
    if len(set(kept)) < len(kept):
        raise ConfigError(f"each seed can be there once only, got '{seeds}'")
    return kept


def shown(value: Any) -> Any:
    """What an axis shows for a value: numbers and words as they are, anything else as TOML writes it."""
    return value if isinstance(value, (int, float, str)) and not isinstance(value, bool) else toml.format_value(value)


def _split(text: str) -> tuple[Any, str]:
    key, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise ConfigError(f"--over needs KEY=VALUES, such as attention.beta=0.1:9:30 or initial.n=32,64, got '{text}'")
    return key.strip(), values.strip()


def _full_key(key: Any) -> str:
    """The key with its section, which can be left out where only one has it."""
    if not isinstance(key, str):
        raise ConfigError(f"a key of a config is a text such as attention.beta, got {key!r}")
    if key in _KEYS or key == HEADS:
        return key
    homes = [full for full in _KEYS if full.partition(".")[2] == key]
    if len(homes) == 1:
        return homes[0]
    section, _, name = key.partition(".")
    if section in SECTIONS and name in toml.other_names(SECTIONS[section]):
        return key  # a parameter of a registered kind
    if found := re.fullmatch(rf"{HEADS}\.\d+\.(\w+)", key):
        names = (*toml.keys_of(HeadSection), *toml.other_names(HeadSection))
        if found[1] in names:
            return key
        raise ConfigError(f"a head has no '{found[1]}'{did_you_mean(found[1], names)}")
    vector, _, number = key.rpartition(".")
    if number.isdecimal() and vector in _KEYS and Vector in toml.types_of(_KEYS[vector])[vector.partition(".")[2]]:
        return key
    if homes:
        raise ConfigError(f"'{key}' is a key of several sections: write {' or '.join(homes)}")
    raise ConfigError(f"a sweep can go over keys of the config; there is no '{key}'{did_you_mean(key, _KEYS)}")


def _names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Short names of the axes where they are unique, such as beta for attention.beta."""
    short = [group[0] if group[0].startswith(HEADS) else group[0].partition(".")[2] for group in keys]
    return [
        group[0] if name in RESERVED or short.count(name) > 1 else name for name, group in zip(short, keys, strict=True)
    ]


def _axis(name: str, keys: tuple[str, ...], values: Any) -> Axis:
    label = f"--over {keys[0]}"
    if isinstance(values, str):
        values = _read_values(values, label)
    points = [plain(value) for value in values]
    if not 1 <= len(points) <= MOST:
        raise ConfigError(f"{label} needs between 1 and {MOST} values, got {len(points)}")
    rows = [tuple(point) if len(keys) > 1 and isinstance(point, list) else (point,) for point in points]
    if any(len(row) != len(keys) for row in rows):
        raise ConfigError(f"{', '.join(keys)} vary together: each value is a tuple of {len(keys)}")
    typed = [tuple(_typed(key, value, label) for key, value in zip(keys, row, strict=True)) for row in rows]
    coordinates = tuple(shown(row[0]) for row in typed)
    if len(set(coordinates)) < len(coordinates):
        raise ConfigError(f"{label}: each value can be there once only")
    read = tuple(tuple(_read(key, value) for key, value in zip(keys, row, strict=True)) for row in typed)
    return Axis(name, keys, read, coordinates)


def plain(value: Any) -> Any:
    """A value as a config has it: arrays and tuples become lists, numbers of NumPy those of Python."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _section(key: str) -> tuple[type | None, str]:
    """The section that has a key, if its keys have types, and the name of the key in it."""
    name = key.rpartition(".")[2]
    section = HeadSection if key.startswith(f"{HEADS}.") else _KEYS.get(key)
    return (section if section is not None and name in toml.keys_of(section) else None), name


def _read(key: str, value: Any) -> Any:
    """The value with the numbers of the files that it names, relative to here; tokens, which are many, stay there."""
    section, name = _section(key)
    if key == PATH and isinstance(value, str):
        return str(Path(value).absolute())
    if isinstance(value, str) and section is not None and name in toml.array_keys(section):
        return plain(toml.read_value(section, name, value, key))
    if isinstance(value, list):  # tables, such as those of heads
        resolve_files(value, Path.cwd())
    return value


def _typed(key: str, value: Any, label: str) -> Any:
    """The value with whole numbers as integers where the key is one, so that 32:128:4 is a range of them."""
    section, name = _section(key)
    kinds = () if section is None else toml.types_of(section)[name]
    if isinstance(value, float) and not isinstance(value, bool) and kinds[:1] == (int,) and float not in kinds:
        if value != int(value):
            raise ConfigError(f"{label} needs whole numbers, got {value:g}")
        return int(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and kinds[:1] == (float,) else value


def _read_values(text: str, label: str) -> list[Any]:
    parts = text.split(":")
    is_log = parts[0].strip() == "log"
    if len(parts) > 1 and _are_numbers(parts[1:] if is_log else parts):
        return _range(
            [float(part) for part in parts[1:] if is_log] if is_log else list(map(float, parts)), is_log, label
        )
    try:
        return list(tomllib.loads(f"values = [{text}]")["values"])
    except tomllib.TOMLDecodeError:
        return [_word(part.strip()) for part in text.split(",")]


def _word(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _are_numbers(parts: Sequence[str]) -> bool:
    try:
        return all(math.isfinite(float(part)) for part in parts)
    except ValueError:
        return False


def _range(numbers: list[float], is_log: bool, label: str) -> list[float]:
    wanted = f"{label} needs FIRST:LAST:COUNT, such as 0.1:9:30, or log:1:1000:4"
    if len(numbers) != 3 or numbers[2] != int(numbers[2]) or not 2 <= numbers[2] <= MOST:
        raise ConfigError(f"{wanted}, with 2 to {MOST} values")
    first, last, count = numbers[0], numbers[1], int(numbers[2])
    if is_log and not (first > 0 and last > 0):
        raise ConfigError(f"{wanted}; a range of equal ratios has positive ends")
    parts = [k / (count - 1) for k in range(count)]
    if is_log:
        return [first, *(first * (last / first) ** part for part in parts[1:-1]), last]
    return [first + (last - first) * part for part in parts]
