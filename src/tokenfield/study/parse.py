"""Texts of the command line as values of a config: --save, --tokens, --betas, --sizes. No JAX.

Each function takes the text and the name of its flag, which its errors name.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

from tokenfield.errors import ConfigError

_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
MOST = 100_000  # values of one axis: more is taken for a mistake


def absolute_path(text: str, flag: str) -> str:
    """The path of a file, wherever the config is read from later."""
    return str(Path(text).absolute())


def duration(text: str, name: str) -> float | None:
    """A time span in seconds; `None` for "off".

    >>> duration("10min", "--checkpoint"), duration("90", "--checkpoint"), duration("off", "--checkpoint")
    (600.0, 90.0, None)
    """
    if text.strip() == "off":
        return None
    number = text.strip().rstrip("abcdefghijklmnopqrstuvwxyz").strip()
    unit = _UNITS.get(text.strip()[len(number) :].strip())
    try:
        seconds = float(number) * (unit or math.nan)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ConfigError(f"{name} needs a time such as 30s, 10min or 2h, or off, got '{text}'")
    return seconds


def devices(text: str, flag: str) -> int | str:
    """How many devices, or all of them.

    >>> devices("8", "--devices"), devices("all", "--devices")
    (8, 'all')
    """
    if text.strip() == "all":
        return "all"
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"{flag} needs a number of devices or all, got '{text}'") from None


def save_times(text: str, flag: str) -> int | str | tuple[float, ...]:
    """The times to save: a count, a word, or times.

    >>> save_times("0, 1.5", "--save"), save_times("11", "--save"), save_times("log:5", "--save")
    ((0.0, 1.5), 11, 'log:5')
    """
    try:
        return int(text)
    except ValueError:
        pass
    if "," not in text:
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(f"{flag} needs a count, 'end', 'log:COUNT' or times such as 0,1,2.5, got '{text}'") from None


def sizes(text: str, flag: str) -> tuple[int, ...]:
    """Numbers of tokens.

    >>> sizes("100, 1e3", "--sizes")
    (100, 1000)
    """
    try:
        numbers = [float(part) for part in text.split(",")]
        if any(number != int(number) for number in numbers):
            raise ValueError
    except (ValueError, OverflowError):
        raise ConfigError(f"{flag} are numbers of tokens such as 100,1000,10000, got '{text}'") from None
    return tuple(int(number) for number in numbers)


def value_range(text: str, flag: str) -> tuple[float, ...]:
    """The values that a text such as 0.1:9:90 (first, last, count) or 1,2,4 stands for, increasing.

    >>> value_range("0:1:3", "--betas")
    (0.0, 0.5, 1.0)
    """
    parts = text.split(":")
    try:
        if len(parts) == 1:
            values = [float(part) for part in text.split(",")]
        else:
            first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
            if len(parts) != 3 or not 2 <= count <= MOST:
                raise ValueError
            values = [first + (last - first) * k / (count - 1) for k in range(count)]
    except (ValueError, IndexError):
        raise ConfigError(f"{flag} needs FIRST:LAST:COUNT, such as 0.1:9:90, or values 1,2,4, got '{text}'") from None
    if not all(a < b for a, b in itertools.pairwise(values)) or not all(abs(v) < 1e6 for v in values):
        raise ConfigError(f"{flag} must increase and be finite, got '{text}'")
    return tuple(values)
