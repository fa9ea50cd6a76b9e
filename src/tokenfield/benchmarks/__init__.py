"""Speed, memory and accuracy, side by side with the tools that one would use instead, in one run: `tokenfield bench`.

A benchmark is a module of this package that is named in `NAMES`: its docstring says what is measured (the first line is
its description), `run(*, options with defaults)` yields a `report.Table` as soon as one is known, and a module with a
figure has `draw(tables) -> Picture`. It prints nothing and imports peers only through `measure.peer`, so that a missing
one is said in the table and never an error. Nothing in this file needs JAX.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from tokenfield.errors import ConfigError, did_you_mean

NAMES = (
    "direct_sum",
    "causal",
    "sinkhorn",
    "solve",
    "memory",
    "fast_sums",
    "cost_curves",
    "end_to_end",
    "startup",
    "explorer",
    "long_times",
    "phase_diagram",
    "sweep",
    "devices",
    "circle_density",
    "sphere_density",
    "gpu",
    "pretrained",
    "steer",
)


def load(name: str) -> ModuleType:
    """The module of the benchmark `name`; raises `ConfigError` if there is none."""
    check(name)
    return importlib.import_module(f"{__name__}.{name}")


def check(name: str) -> None:
    """Raises `ConfigError` unless `name` is the name of a benchmark."""
    if name not in NAMES:
        raise ConfigError(f"unknown benchmark '{name}'{did_you_mean(name, NAMES)}")


def describe(name: str) -> str:
    """The first line of the docstring of the benchmark `name`, read from its source: no import, so no JAX."""
    found = importlib.util.find_spec(f"{__name__}.{name}")
    if found is None or found.origin is None:
        raise ConfigError(f"the benchmark '{name}' is not part of this installation")
    return (ast.get_docstring(ast.parse(Path(found.origin).read_text(encoding="utf-8"))) or "").partition("\n")[0]


def read_options(settings: list[str]) -> dict[str, dict[str, Any]]:
    """The options for each benchmark from texts NAME.OPTION=VALUE; what `run` does not take is a `ConfigError`."""
    options: dict[str, dict[str, Any]] = {}
    for setting in settings:
        path, equals, text = setting.partition("=")
        name, dot, option = path.strip().partition(".")
        if not (equals and dot and text.strip()):
            raise ConfigError(f"--set takes NAME.OPTION=VALUE, for example fast_sums.beta=25, got '{setting}'")
        known = {key: parameter.default for key, parameter in inspect.signature(load(name).run).parameters.items()}
        if option not in known:
            raise ConfigError(f"{name} has no option '{option}'{did_you_mean(option, known) if known else ''}")
        options.setdefault(name, {})[option] = _value(setting, text.strip(), known[option])
    return options


def _value(setting: str, text: str, default: Any) -> Any:
    """`text` as a value of the kind of `default`: a number, or several with commas between."""
    try:
        if isinstance(default, tuple):
            return tuple(_number(part, default[0]) for part in text.strip("()").split(",") if part.strip())
        return _number(text, default)
    except (ValueError, TypeError, IndexError) as error:
        raise ConfigError(f"--set {setting}: the value must be like {default!r}") from error


def _number(text: str, default: Any) -> Any:
    if isinstance(default, int):
        number = float(text)  # so that 1e6 is a whole number too
        if number != int(number):
            raise ValueError(text)
        return int(number)
    return type(default)(text)
