"""`Config`: everything that decides a run, as plain data. TOML in, TOML out, and `build` makes the objects.

No arrays live in a config and no strings in a model. A config is checked in two steps: names and types when it is
read, without JAX; meaning (dimensions, ranges) when it is built, by the constructors of the library.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield.errors import ConfigError, FileError, did_you_mean
from tokenfield.study import toml
from tokenfield.study.toml import boolean, choice, integer, key, matrix, names, number, text, vector

if TYPE_CHECKING:
    from tokenfield.measure import Measure
    from tokenfield.model import Transformer

GEOMETRIES = ("sphere", "euclidean")
ATTENTIONS = ("softmax", "unnormalized")
SCHEDULES = ("constant", "per-layer", "resampled")
MATRIX_LAWS = ("identity", "ginibre", "ginibre-product", "wigner", "gram")
DTYPES = ("float64", "float32")
FORMATS = ("png", "pdf", "svg")
OBSERVABLES = (
    "energy",
    "normalized-energy",
    "dissipation",
    "order-parameter",
    "smallest-cosine",
    "mean-cosine",
    "effective-rank",
)
EVENTS = ("consensus", "steady", "cosine-level")


@dataclass(frozen=True)
class GeometrySection:
    """Where the tokens live; `dim` is the ambient dimension d."""

    kind: str = key("sphere", choice(*GEOMETRIES))
    dim: int = key(3, integer)


@dataclass(frozen=True)
class HeadSection:
    """One head of [[heads]]; `kind` and `beta` default to those of [attention]."""

    kind: str | None = key(None, choice(*ATTENTIONS))
    beta: float | None = key(None, number)
    Q: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    K: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    V: tuple[tuple[float, ...], ...] | None = key(None, matrix)


@dataclass(frozen=True)
class AttentionSection(HeadSection):
    """The single head, or what all heads share; how heads add up; the frame in R^d."""

    average: bool = key(False, boolean)
    rescaled: bool = key(False, boolean)


@dataclass(frozen=True)
class LayerSection(HeadSection):
    """One layer of [[schedule.layers]]: a single head, or several in `heads`."""

    heads: tuple[HeadSection, ...] = key((), toml.sections(HeadSection))


@dataclass(frozen=True)
class ScheduleSection:
    """Weights in depth: constant, layer after layer over [0, solve.t1], or random and redrawn every `period`."""

    kind: str = key("constant", choice(*SCHEDULES))
    period: float | None = key(None, number)
    seed: int | None = key(None, integer)
    logits: str | None = key(None, choice(*MATRIX_LAWS))
    values: str | None = key(None, choice(*MATRIX_LAWS))
    tied: int | None = key(None, integer)
    count: int | None = key(None, integer)
    layers: tuple[LayerSection, ...] = key((), toml.sections(LayerSection))


@dataclass(frozen=True)
class InitialSection:
    """The initial law by its name in `tokenfield.initial.LAWS`, and its parameters."""

    kind: str = key("uniform", text)
    n: int | None = key(None, integer)
    seed: int | None = key(None, integer)
    path: str | None = key(None, text)
    mean: tuple[float, ...] | None = key(None, vector)
    concentration: float | None = key(None, number)
    means: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    concentrations: float | tuple[float, ...] | None = key(None, toml.number_or_vector)
    masses: tuple[float, ...] | None = key(None, vector)
    center: tuple[float, ...] | None = key(None, vector)
    angle: float | None = key(None, number)
    covariance: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    low: float | tuple[float, ...] | None = key(None, toml.number_or_vector)
    high: float | tuple[float, ...] | None = key(None, toml.number_or_vector)
    folds: int | None = key(None, integer)
    degree: int | None = key(None, integer)
    amplitude: float | None = key(None, number)


def _save_times(value: Any, where: str) -> int | str | tuple[float, ...]:
    if isinstance(value, str):
        return value
    return vector(value, where) if isinstance(value, (list, tuple)) else integer(value, where)


def _observables(value: Any, where: str) -> tuple[str, ...]:
    # functions are spelled with underscores in Python: accept both
    found = tuple(name.replace("_", "-") for name in names(value, where))
    return tuple(choice(*OBSERVABLES)(name, where) for name in found)


def _events(value: Any, where: str) -> tuple[str, ...]:
    found = names(value, where)
    for spec in found:
        choice(*EVENTS)(spec.partition(":")[0], where)
    return found


@dataclass(frozen=True)
class SolveSection:
    """The arguments of `tokenfield.solve`; `events` and `observables` by name, `dtype` of the tokens."""

    t1: float = key(30.0, number)
    t0: float = key(0.0, number)
    method: str | None = key(None, text)
    step: float | None = key(None, number)
    layers: int | None = key(None, integer)
    rtol: float | None = key(None, number)
    atol: float | None = key(None, number)
    norm: str = key("rms", choice("rms", "max"))
    save: int | str | tuple[float, ...] | None = key(None, _save_times)
    save_tokens: bool = key(True, boolean)
    observables: tuple[str, ...] = key((), _observables)
    events: tuple[str, ...] = key((), _events)
    max_steps: int = key(1_000_000, integer)
    dtype: str = key("float64", choice(*DTYPES))


@dataclass(frozen=True)
class OutputSection:
    """What is drawn into the run folder."""

    figures: bool = key(True, boolean)
    format: str = key("png", choice(*FORMATS))


_SECTIONS: dict[str, type] = {
    "geometry": GeometrySection,
    "attention": AttentionSection,
    "schedule": ScheduleSection,
    "initial": InitialSection,
    "solve": SolveSection,
    "output": OutputSection,
}
# where a misplaced key belongs, for keys that only one section has
_ALL_KEYS = [(name, section) for section, cls in _SECTIONS.items() for name in toml.keys_of(cls)]
_HOMES = {name: f"[{section}]" for name, section in _ALL_KEYS if [n for n, _ in _ALL_KEYS].count(name) == 1}


@dataclass(frozen=True)
class Config:
    """A run as plain data; see the classes of the sections for their keys.

    >>> config = Config.from_dict({"attention": {"beta": 4}, "solve": {"t1": 10}})
    >>> config.attention.beta, config.solve.t1, config.geometry.kind
    (4.0, 10.0, 'sphere')
    """

    geometry: GeometrySection = GeometrySection()
    attention: AttentionSection = AttentionSection()
    heads: tuple[HeadSection, ...] = ()
    schedule: ScheduleSection = ScheduleSection()
    initial: InitialSection = InitialSection()
    solve: SolveSection = SolveSection()
    output: OutputSection = OutputSection()

    @staticmethod
    def from_dict(tables: Mapping[str, Any]) -> Config:
        """A config from nested dictionaries; raises `ConfigError` that names the section and the nearest right key."""
        for name in tables:
            if name not in _SECTIONS and name != "heads":
                hint = f"; it belongs in {_HOMES[name]}" if name in _HOMES else None
                raise ConfigError(f"unknown section or key '{name}'{hint or did_you_mean(name, [*_SECTIONS, 'heads'])}")
        values: dict[str, Any] = {
            name: toml.read_section(section, tables[name], name, homes=_HOMES)
            for name, section in _SECTIONS.items()
            if name in tables
        }
        if "heads" in tables:
            values["heads"] = toml.sections(HeadSection)(tables["heads"], "heads")
        return Config(**values)

    @staticmethod
    def from_toml(path: str | Path) -> Config:
        """A config from a TOML file; a relative `initial.path` is taken from the file's folder."""
        return Config.from_dict(read_tables(path))

    def to_dict(self) -> dict[str, Any]:
        """Nested dictionaries without the keys that are `None` or empty."""
        tables: dict[str, Any] = {name: _plain(getattr(self, name)) for name in _SECTIONS}
        if self.heads:
            tables["heads"] = [_plain(head) for head in self.heads]
        return tables

    def to_toml(self) -> str:
        """The config as TOML text; `from_toml` gives the same config back."""
        tables = self.to_dict()
        heads = [toml.format_table("[[heads]]", head) for head in tables.pop("heads", [])]
        return "\n".join([*(toml.format_table(f"[{name}]", table) for name, table in tables.items()), *heads])

    def resolved(self) -> Config:
        """The config with every default that depends on other keys written out; running it gives the same run."""
        from tokenfield.study.build import resolve

        return resolve(self)

    def build(self) -> tuple[Transformer, Measure]:
        """The model and the initial tokens; raises a `TokenfieldError` where the config makes no sense."""
        from tokenfield.study.build import build_model, build_tokens

        config = self.resolved()
        model = build_model(config)
        return model, build_tokens(config, model.geometry)


def read_tables(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file, with a relative `initial.path` made absolute; errors name the file and the line."""
    path = Path(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read the config {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a text file in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    initial = tables.get("initial")
    if isinstance(initial, dict) and isinstance(initial.get("path"), str):
        initial["path"] = str(path.resolve().parent / initial["path"])
    return tables


def _plain(section: Any) -> dict[str, Any]:
    """The keys of a section that are set, nested sections as dictionaries."""
    values = {name: getattr(section, name) for name in toml.keys_of(type(section))}
    for name, value in values.items():
        if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
            values[name] = tuple(_plain(entry) for entry in value)
    return {name: value for name, value in values.items() if value is not None and value != ()}
