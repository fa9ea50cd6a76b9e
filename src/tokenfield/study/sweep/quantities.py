"""What a sweep measures in each run: statistics, observables, times of events, functions of the user. No JAX up here.

pairs clusters span order           how far tokens have clustered; a threshold may follow, as in pairs:0.01
energy effective-rank ...           the observables that a config can name
consensus steady:1e-6 ...           the time at which that event happens, NaN if it does not by t1
hitting_time                        the time of the first of solve.events, or else of consensus
vertices turning-rate ...           numbers of a whole run, by `of_runs`
file.py:name  module:name           a function of the run, a `Trajectory`, to a number or an array
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenfield.errors import ConfigError, FileError, did_you_mean
from tokenfield.study.sections import EVENTS, OBSERVABLES
from tokenfield.study.sweep import of_runs
from tokenfield.study.sweep.axes import RESERVED, plain
from tokenfield.study.sweep.of_runs import OF_RUNS

STATISTICS = ("pairs", "clusters", "span", "order")
HITTING_TIME = "hitting_time"
STATISTIC, OBSERVABLE, TIME, FUNCTION = "statistic", "observable", "time", "function"
LABELS = {
    "pairs": "fraction of pairs together",
    "clusters": "number of clusters",
    "span": "dimension of the span",
    "order": "length of the mean token",
    "energy": "energy",
    "normalized-energy": "normalized energy",
    "dissipation": "dissipation",
    "order-parameter": "order parameter",
    "smallest-cosine": "smallest cosine of two tokens",
    "mean-cosine": "mean cosine of two tokens",
    "effective-rank": "effective rank",
    HITTING_TIME: "time of the event",
    "consensus": "time of consensus",
    "steady": "time of rest",
    "cosine-level": "time at which all cosines reach the level",
    **OF_RUNS,
}


@dataclass(frozen=True)
class Quantity:
    """One thing that is measured: its `name` in the dataset, of which kind it is, and what defines it.

    `of` names the statistic, the observable or the event whose time is taken; `detail` is the threshold of a statistic,
    or the source of a function from a file.
    """

    name: str
    kind: str
    of: str = ""
    detail: Any = None
    function: Callable[..., Any] | None = field(default=None, compare=False)

    @property
    def identity(self) -> str:
        """What tells this quantity from others of the same name."""
        return f"{self.name}|{self.kind}|{self.of}|{self.detail}"

    @property
    def label(self) -> str:
        """The quantity in words, as a figure shows it."""
        return LABELS.get(self.of.partition(":")[0], self.name)

    def call(self, run: Any) -> Any:
        """The value of a function of the user for a run."""
        return (self.function or _loaded(self.name, str(self.detail)))(run)


def read_quantities(measure: str | Callable[..., Any] | Iterable[Any] | Mapping[str, Any]) -> tuple[Quantity, ...]:
    """The quantities that `measure` names: texts, functions, a list of both, or functions by name."""
    if isinstance(measure, str):
        measure = [part.strip() for part in measure.split(",") if part.strip()]
    if callable(measure):
        measure = [measure]
    named = measure.items() if isinstance(measure, Mapping) else ((None, entry) for entry in measure)
    found = tuple(_quantity(name, entry) for name, entry in named)
    if not found:
        raise ConfigError(f"a sweep needs something to measure: {', '.join(STATISTICS)}, {', '.join(OBSERVABLES)}, ...")
    names = [quantity.name for quantity in found]
    for name in names:
        if names.count(name) > 1 or name in RESERVED:
            raise ConfigError(f"two measures would be called '{name}': give one of them another name")
    return found


def _quantity(name: str | None, entry: Any) -> Quantity:
    if callable(entry):
        return Quantity(name or str(getattr(entry, "__name__", "function")), FUNCTION, "", _source(entry), entry)
    if not isinstance(entry, str):
        raise ConfigError(f"a measure is a name or a function of a run, got {entry!r}")
    head, colon, rest = entry.partition(":")
    word = head.replace("_", "-")
    if re.fullmatch(r"[\w./\\-]+\.py|[A-Za-z_][\w.]*", head) and colon and not _is_number(rest):
        return _of_file(name, head, rest)
    if head == HITTING_TIME:
        return Quantity(name or HITTING_TIME, TIME, rest or HITTING_TIME)
    if head in STATISTICS:
        return Quantity(name or head, STATISTIC, head, _threshold(entry, rest) if colon else None)
    if word in OBSERVABLES and not colon:
        return Quantity(name or word, OBSERVABLE, word)
    if word in OF_RUNS and not colon:
        found = getattr(of_runs, word.replace("-", "_"))
        return Quantity(name or word, FUNCTION, word, _source(found), found)
    if word in EVENTS:
        return Quantity(name or word, TIME, f"{word}{colon}{rest}")
    known = [*STATISTICS, *OBSERVABLES, *OF_RUNS, *EVENTS, HITTING_TIME]
    raise ConfigError(f"unknown measure '{entry}'{did_you_mean(head, known)}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _threshold(entry: str, text: str) -> float:
    if not _is_number(text):
        raise ConfigError(f"a measure is written as name or name:threshold, got '{entry}'")
    return float(text)


def _of_file(name: str | None, place: str, function: str) -> Quantity:
    """A function by its place, file.py or a module, which is loaded now, so that mistakes are known at once."""
    if place.endswith(".py"):
        try:
            source = Path(place).read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot read {place}: {error.strerror or error}") from error
        _loaded(function, source)
        return (
            Quantity(name or function, FUNCTION, "", source)
            if name in (None, function)
            else _renamed(name, function, source)
        )
    try:
        found = getattr(importlib.import_module(place), function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"there is no measure '{place}:{function}': {error}") from error
    return Quantity(name or function, FUNCTION, "", _source(found), found)


def _renamed(name: str, function: str, source: str) -> Quantity:
    return Quantity(name, FUNCTION, "", f"{source}\n{name} = {function}\n")


_known: dict[tuple[str, str], Callable[..., Any]] = {}


def _loaded(name: str, source: str) -> Callable[..., Any]:
    """The function `name` of a source text, which travels with the work: other machines need not have the file."""
    if (name, source) not in _known:
        names: dict[str, Any] = {"__name__": f"measure_{name}"}
        try:
            exec(compile(source, f"<measure {name}>", "exec"), names)
        except Exception as error:
            raise ConfigError(f"the file of the measure '{name}' cannot be run: {error!r}") from error
        if not callable(names.get(name)):
            raise ConfigError(f"the file of the measure '{name}' has no function of that name")
        _known[name, source] = names[name]
    return _known[name, source]


def _source(function: Callable[..., Any]) -> str:
    """What tells a function from an earlier version of it: its name and a checksum of its text and of what it holds."""
    digest = hashlib.blake2b(_text(function).encode(), digest_size=8).hexdigest()
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')} {digest}"


def _text(value: Any, seen: tuple[Any, ...] = ()) -> str:
    """A function as text with the values that it holds: defaults, names around it, arguments of `functools.partial`.

    Of anything else its numbers or its `repr`. Addresses in memory are left out: they tell nothing.
    """
    if not callable(value) or any(value is other for other in seen):
        value = sorted(value.items()) if isinstance(value, dict) else value
        return re.sub(r" at 0x[0-9a-f]+", "", repr(plain(value)))
    held = [getattr(value, name, None) for name in ("__defaults__", "__kwdefaults__", "__dict__")]
    held += [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    if isinstance(value, functools.partial):
        held += [value.func, *value.args, *sorted(value.keywords.items())]
    try:
        source = inspect.getsource(value)
    except (OSError, TypeError):  # an object that is called, or what was typed at a prompt
        code = getattr(value, "__code__", None)
        source = type(value).__qualname__ if code is None else f"{code.co_code!r} {code.co_consts}"
    return re.sub(r" at 0x[0-9a-f]+", "", source) + "".join(_text(part, (*seen, value)) for part in held)
