"""`Config`: everything that decides a run, as plain data. TOML in, TOML out, and `build` makes the objects.

No arrays live in a config and no strings in a model. A config is checked in two steps: names and types when it is
read, without JAX; meaning (dimensions, ranges) when it is built, by the constructors of the library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.study import toml
from tokenfield.study.sections import (
    AttentionSection,
    BlockSection,
    GeometrySection,
    HeadSection,
    InitialSection,
    NoiseSection,
    NormalizationSection,
    OutputSection,
    PerceptronSection,
    PositionSection,
    PotentialSection,
    ScheduleSection,
    SolveSection,
    StateSection,
)

if TYPE_CHECKING:
    from tokenfield.laws.masked import AnyDensity
    from tokenfield.laws.masked_gaussian import AnyGaussian
    from tokenfield.measure import Measure
    from tokenfield.model.transformer import Transformer

SECTIONS: dict[str, type] = {
    "geometry": GeometrySection,
    "state": StateSection,
    "attention": AttentionSection,
    "position": PositionSection,
    "normalization": NormalizationSection,
    "block": BlockSection,
    "perceptron": PerceptronSection,
    "potential": PotentialSection,
    "noise": NoiseSection,
    "schedule": ScheduleSection,
    "initial": InitialSection,
    "solve": SolveSection,
    "output": OutputSection,
}
# where a misplaced key belongs, for keys that only one section has
_ALL_KEYS = [(name, section) for section, cls in SECTIONS.items() for name in toml.keys_of(cls)]
FILE_KEYS = frozenset({"path"}).union(*map(toml.array_keys, (*SECTIONS.values(), HeadSection)))
_HOMES = {name: f"[{section}]" for name, section in _ALL_KEYS if [n for n, _ in _ALL_KEYS].count(name) == 1}


@dataclass(frozen=True)
class Config:
    """A run as plain data; see the classes of `tokenfield.study.sections` for the keys. A section that is `None`, such
    as `noise`, is a part that the model does not have.

    >>> config = Config.from_dict({"attention": {"beta": 4}, "solve": {"t1": 10}})
    >>> config.attention.beta, config.solve.t1, config.geometry.kind
    (4.0, 10.0, 'sphere')
    """

    geometry: GeometrySection = field(default_factory=GeometrySection)
    state: StateSection = field(default_factory=StateSection)
    attention: AttentionSection = field(default_factory=AttentionSection)
    heads: tuple[HeadSection, ...] = ()
    position: PositionSection | None = None
    normalization: NormalizationSection | None = None
    block: BlockSection | None = None
    perceptron: PerceptronSection | None = None
    potential: PotentialSection | None = None
    noise: NoiseSection | None = None
    schedule: ScheduleSection = field(default_factory=ScheduleSection)
    initial: InitialSection = field(default_factory=InitialSection)
    solve: SolveSection = field(default_factory=SolveSection)
    output: OutputSection = field(default_factory=OutputSection)

    @staticmethod
    def from_dict(tables: Mapping[str, Any]) -> Config:
        """A config from nested dictionaries; raises `ConfigError` that names the section and the nearest right key."""
        for name in tables:
            if name not in SECTIONS and name != "heads":
                is_key = name in _HOMES and not isinstance(tables[name], Mapping)
                hint = f"; it belongs in {_HOMES[name]}" if is_key else None
                raise ConfigError(f"unknown section or key '{name}'{hint or did_you_mean(name, [*SECTIONS, 'heads'])}")
        values: dict[str, Any] = {
            name: toml.read_section(section, tables[name], name, homes=_HOMES)
            for name, section in SECTIONS.items()
            if name in tables
        }
        if "heads" in tables:
            values["heads"] = toml.sections(HeadSection)(tables["heads"], "heads")
        return Config(**values)

    @staticmethod
    def from_toml(path: str | Path) -> Config:
        """A config from a TOML file; names of files in it are relative to its folder."""
        return Config.from_dict(read_tables(path))

    def to_dict(self) -> dict[str, Any]:
        """Nested dictionaries without the keys that are `None` or empty."""
        sections = {name: getattr(self, name) for name in SECTIONS}
        tables: dict[str, Any] = {name: _plain(section) for name, section in sections.items() if section is not None}
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
        from tokenfield.study.resolve import resolve

        return resolve(self)

    def build(self) -> tuple[Transformer, Measure | AnyDensity | AnyGaussian]:
        """The model and the law it starts from; raises a `TokenfieldError` where the config makes no sense."""
        from tokenfield.study.builders import build_model, build_start

        config = self.resolved()
        model = build_model(config)
        return model, build_start(config, model.geometry)


def read_tables(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file, with relative names of files made absolute; errors name the file and the line."""
    path = Path(path)
    tables = toml.read_file(path)
    resolve_files(tables, path.resolve().parent)
    return tables


def resolve_files(tables: Any, folder: Path) -> None:
    """Makes the names of files in nested `tables` absolute, where they are relative to `folder`."""
    for name, value in tables.items() if isinstance(tables, dict) else enumerate(tables):
        if isinstance(value, (dict, list)):
            resolve_files(value, folder)
        elif isinstance(value, str) and name in FILE_KEYS:
            tables[name] = str(folder / value)


def _plain(section: Any) -> dict[str, Any]:
    """The keys of a section that are set, nested sections as dictionaries."""
    values = toml.set_values(section)
    for name, value in values.items():
        if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
            values[name] = tuple(_plain(entry) for entry in value)
    return {name: value for name, value in values.items() if value is not None and value != ()}
