"""From a config file and the options of the command line to a `Config`. No JAX."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tokenfield.errors import ConfigError
from tokenfield.study import catalog
from tokenfield.study.config import Config, read_tables
from tokenfield.study.kinds import TOKENS

HEADS = "heads"  # the list of tables, and what keys of one of them begin with, such as heads.0.beta
# whose steps are chosen by tolerances
ADAPTIVE_METHODS = tuple(kind.name for kind in catalog.kinds_of("method") if kind.has("rtol"))


def read_config(
    path: Path | None,
    given: Mapping[str, Any],
    *,
    settings: Iterable[str] = (),
    otherwise: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
) -> Config:
    """The config of a file, or of `tables`, or of defaults, with the options of the command line over it.

    `given` has values by dotted keys, such as "solve.t1", and `settings` are those of --set. `otherwise` are given too
    unless they stand in the file.
    """
    tables = dict(tables or {}) if path is None else read_tables(path)
    missing = {key: value for key, value in (otherwise or {}).items() if not _is_set(tables, key)}
    _override(tables, {**missing, **given})
    for setting in settings:
        _set_key(tables, setting)
    return Config.from_dict(tables)


def _is_set(tables: dict[str, Any], key: str) -> bool:
    section, _, name = key.partition(".")
    table = tables.get(section)
    return isinstance(table, dict) and name in table


def _override(tables: dict[str, Any], flags: Mapping[str, Any]) -> None:
    """Puts the flags that were given over the tables of the file, and drops what they make obsolete."""
    given: dict[str, dict[str, Any]] = defaultdict(dict)
    for key, value in flags.items():
        section, _, name = key.partition(".")
        if section != HEADS:
            vector, _, number = name.partition(".")
            if number:
                value = _with_entry(given[section].get(vector) or tables.get(section), key, value)
            given[section][vector] = value
    _set_heads(tables, {key: value for key, value in flags.items() if key.partition(".")[0] == HEADS})
    if "path" in given["initial"]:
        if (kind := given["initial"].get("kind", "file")) != "file":
            raise ConfigError(f"--tokens and --initial {kind} both say where tokens start: leave out one of them")
        given["initial"]["kind"] = "file"
    for name in tables.keys() - {HEADS}:
        if not isinstance(tables[name], dict):
            return  # not a table: Config.from_dict has the words for it
    initial = tables.get("initial", {})
    if given["initial"].get("kind", initial.get("kind")) != initial.get("kind"):
        # the parameters of the file's law mean nothing to another one
        kept = () if given["initial"]["kind"] == "file" else ("n", "seed", "positions")
        tables["initial"] = {name: value for name, value in initial.items() if name in kept}
    _drop_of_state(tables, given["state"].get("kind"), is_spread="kernel" in given["initial"])
    solve = tables.get("solve", {})
    for category in ("attention", "normalization"):
        _drop_parameters(tables, category, given[category].get("kind"))
    if "layers" in given["solve"]:
        obsolete: tuple[str, ...] = ("method", "step")
    elif given["solve"].get("method") in ADAPTIVE_METHODS:
        obsolete = ("layers", "step")
    else:
        obsolete = ("layers",) if {"method", "step"} & given["solve"].keys() else ()
    if obsolete:
        tables["solve"] = {name: value for name, value in solve.items() if name not in obsolete}
    for name in ("schedule", "noise", "perceptron"):
        table = tables.get(name)
        if "seed" in given["initial"] and isinstance(table, dict) and "seed" in table:
            tables[name] = table | {"seed": given["initial"]["seed"]}
    if given["position"].get("causal") is False and isinstance(tables.get("position"), dict):
        tables["position"].pop("strict", None)
    for name, keys in given.items():
        if keys:
            tables[name] = tables.get(name, {}) | keys


def _with_entry(found: Any, key: str, value: Any) -> list[Any]:
    """The vector, or that of a section, with another number in one place, for keys such as potential.strength.0."""
    _, name, number = key.split(".")
    vector = found.get(name) if isinstance(found, dict) else found
    if not isinstance(vector, (list, tuple)) or int(number) >= len(vector):
        raise ConfigError(f"{key} needs a config whose {name} is a vector with an entry {number}, counted from 0")
    return [value if k == int(number) else entry for k, entry in enumerate(vector)]


def _set_heads(tables: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Puts `heads` as a whole, and keys of single heads such as heads.0.beta, over the tables."""
    if HEADS in given:
        tables[HEADS] = given[HEADS]
    for key in given.keys() - {HEADS}:
        number, _, name = key.partition(".")[2].partition(".")
        heads = tables.get(HEADS, [])
        if not isinstance(heads, (list, tuple)) or int(number) >= len(heads):
            raise ConfigError(
                f"there is no head {number} for {key}: heads are counted from 0, and there are {len(heads)}"
            )
        tables[HEADS] = [{**head, name: given[key]} if k == int(number) else head for k, head in enumerate(heads)]


def _drop_of_state(tables: dict[str, Any], kind: str | None, *, is_spread: bool) -> None:
    """Drops from the file's tables what another `kind` of state than the file's has no use for."""
    if kind in (None, tables.get("state", {}).get("kind", TOKENS)):
        return
    dropped: dict[str, tuple[str, ...]] = {
        "state": ("grid", "nodes", "positions"),
        "solve": ("method", "step", "layers"),
    }
    if kind == TOKENS:
        dropped["initial"] = ("kernel", "last_mean")
    else:
        dropped |= {"initial": ("kernel", "positions", *(() if is_spread else ("n",))), "noise": ("seed",)}
    for name, keys in dropped.items():
        if isinstance(tables.get(name), dict):
            tables[name] = {key: value for key, value in tables[name].items() if key not in keys}


def _drop_parameters(tables: dict[str, Any], category: str, kind: str | None) -> None:
    """Drops from the file's table what another `kind` than the file's does not have: no beta for hardmax."""
    table = tables.get(category, {})
    if kind in (None, table.get("kind")) or kind not in catalog.names_of(category):
        return
    parameters = {p.name for entry in catalog.kinds_of(category) for p in entry.parameters}
    dropped = {name for name in parameters if not catalog.find(category, str(kind)).has(name)}
    tables[category] = {name: value for name, value in table.items() if name not in dropped}


def _set_key(tables: dict[str, Any], setting: str) -> None:
    """Applies one `--set section.key=value`; the value is TOML, or else a plain word."""
    name, equals, value = setting.partition("=")
    path = [part.strip() for part in name.split(".")]
    if not equals or len(path) > 2 or not all(path):
        raise ConfigError(f"--set needs section.key=value, for example --set initial.low=-5, got '{setting}'")
    try:
        found = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        found = {"value": value.strip()}
    parsed = found.pop("value")
    if found or (isinstance(parsed, str) and "\n" in parsed):
        raise ConfigError(f"--set takes one key: repeat it for others, got {setting!r}")
    table = tables if len(path) == 1 else tables.setdefault(path[0], {})
    if not isinstance(table, dict):
        raise ConfigError(f"--set cannot reach inside the list '{path[0]}': set {path[0]}=[...] as a whole")
    if path == ["initial", "path"]:
        parsed = str(Path(str(parsed)).absolute())
    table[path[-1]] = parsed
