"""Flags of the command line, made of the keys of a section: its type, default, help and name stand there, once.

A command that is decorated with `takes_config` or `takes` has a parameter `given`. In its place the command line gets
one flag for each key, and `given` has the values of those that were used. JAX is not imported.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tokenfield.cli.shared import MODEL, OUTPUT, SOLVER, START
from tokenfield.study import toml
from tokenfield.study.config import SECTIONS, Config
from tokenfield.study.options import read_config

Command = Callable[..., None]

_PANELS = dict.fromkeys(SECTIONS, MODEL) | {"initial": START, "solve": SOLVER, "output": OUTPUT}
_PANELS |= {"solve.save": OUTPUT, "solve.observables": OUTPUT}


@dataclass(frozen=True)
class Flag:
    """One key as an option of the command line; `parse` makes the value of the key of its text."""

    names: tuple[str, ...]
    type: Any
    help: str
    panel: str | None = None
    parse: toml.Reader | None = None

    def parameter(self, name: str) -> inspect.Parameter:
        """The flag as a parameter that typer understands; `None` says that it was not used."""
        option = typer.Option(*self.names, help=self.help, rich_help_panel=self.panel)
        return _parameter(name, Annotated[self.type | None, option])

    def value(self, given: Any) -> Any:
        """The value of the key; raises `ConfigError` for a text that makes no sense."""
        return given if self.parse is None else self.parse(given, self.names[0])


@dataclass(frozen=True)
class Given:
    """What the command line says about a config: a file, keys by their flags, and any others by --set."""

    file: Path | None
    keys: dict[str, Any]
    settings: list[str]

    def config(self, otherwise: Mapping[str, Any] | None = None, *, tables: Mapping[str, Any] | None = None) -> Config:
        """The config; `otherwise` has keys for when neither flags nor the file have them.

        Flags are put over the file, or over `tables` in its place.
        """
        return read_config(self.file, self.keys, settings=self.settings, otherwise=otherwise, tables=tables)


def flags_of(section: type, panels: Mapping[str, str]) -> dict[str, Flag]:
    """The flags of a section by their keys; `panels` has those under which the help shows them."""
    types, flags = toml.types_of(section), {}
    for field in dataclasses.fields(section):
        if field.metadata.get("flag"):
            flags[field.name] = _flag(field, types[field.name][0], panels.get(field.name))
    return flags


def _flag(field: dataclasses.Field[Any], type: Any, panel: str | None) -> Flag:
    names, parse = field.metadata["flag"], field.metadata["parse"]
    if "/" in names:
        type = bool
    elif parse is not None:
        type = str
    elif type == toml.Names:
        type = list[str]
    return Flag(tuple(names.split()), type, _help(field, is_list=type == list[str]), panel, parse)


def _help(field: dataclasses.Field[Any], *, is_list: bool = False) -> str:
    """What the key does, the names that it can be, and its default.

    >>> _help(toml.key(3, "Ambient dimension d"))
    'Ambient dimension d; by default 3.'
    """
    default, choices = field.default, toml.names_in(field.metadata["choices"])
    text = field.metadata["help"] + (f": {', '.join(choices)}" if choices else "")
    if is_list:
        return f"{text}; repeat."
    shown = field.metadata["unset"] if default in (None, ()) else default_text(default)
    return f"{text}; by default {shown}." if shown else f"{text}."


def default_text(default: Any) -> str:
    """A default as the help shows it; empty for what a flag turns on."""
    if isinstance(default, bool):
        return "yes" if default else ""
    return f"{default:g}" if isinstance(default, float) else str(default)


CONFIG_FLAGS: dict[str, Flag] = {
    f"{name}.{key}": flag
    for name, section in SECTIONS.items()
    for key, flag in flags_of(
        section, {key: _PANELS.get(f"{name}.{key}", _PANELS[name]) for key in toml.keys_of(section)}
    ).items()
}


def takes_config(
    keys: Iterable[str] = CONFIG_FLAGS,
    *,
    file: str = "Options in a file.",
    help: Mapping[str, str] | None = None,
    has_settings: bool = True,
) -> Callable[[Command], Command]:
    """A decorator: the command takes a config file, flags for these `keys` of it, and --set, as one `Given`.

    `help` replaces the help of keys that mean something else to this command.
    """
    flags = {key: CONFIG_FLAGS[key] for key in keys}
    flags |= {key: dataclasses.replace(flags[key], help=text) for key, text in (help or {}).items()}
    argument = typer.Argument(metavar="CONFIG.toml", help=file)
    setting = typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Any other key of the config; repeat.")
    before = [_parameter("file", Annotated[Path | None, argument])]
    after = [_parameter("settings", Annotated[list[str] | None, setting])] if has_settings else []

    def collect(values: dict[str, Any]) -> Given:
        return Given(values["file"], _used(flags, values), values.get("settings") or [])

    return _taking([*before, *_parameters(flags), *after], collect)


def takes(section: type, panels: Mapping[str, str]) -> Callable[[Command], Command]:
    """A decorator: the command takes the flags of a `section`, and gets the keys that were given."""
    flags = flags_of(section, panels)
    return _taking(_parameters(flags), functools.partial(_used, flags))


def _parameters(flags: Mapping[str, Flag]) -> list[inspect.Parameter]:
    return [flag.parameter(_name(key)) for key, flag in flags.items()]


def _used(flags: Mapping[str, Flag], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the flags that were used, by their keys."""
    found = {key: values[_name(key)] for key in flags}
    return {key: flags[key].value(value) for key, value in found.items() if value is not None and value != []}


def _name(key: str) -> str:
    return key.replace(".", "_")


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _taking(added: list[inspect.Parameter], collect: Callable[[dict[str, Any]], Any]) -> Callable[[Command], Command]:
    """A decorator that puts the `added` parameters in the place of `given`; `collect` makes `given` of their values."""

    def decorate(command: Command) -> Command:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != "given"
        ]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            given = collect({parameter.name: values.pop(parameter.name) for parameter in added})
            command(given=given, **values)

        parameters = [*added, *own]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate
