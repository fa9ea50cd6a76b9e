"""`Scene`: a config that came from a page. Checked, limited, resolved, and as TOML and Python that reproduce it.

Nothing in it names a file: whoever can open the page must not be able to read what is on the disk of its server.
"""

from __future__ import annotations

import json
import math
import pprint
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tokenfield.errors import ConfigError, TokenfieldError, TooLarge
from tokenfield.study import catalog
from tokenfield.study.config import FILE_KEYS, Config
from tokenfield.study.kinds import DENSITY, END_OF_RUN, TOKENS
from tokenfield.study.sections import HeadSection
from tokenfield.study.toml import ARRAY_FILES

# The most that one scene may ask for, each with its reason
LIMITS: dict[str, tuple[float, str]] = {
    "n": (20_000, "a page draws no more tokens at 30 frames a second"),
    "d": (128, "what is seen of more dimensions is a projection"),
    "heads": (16, "each one is a sum over all pairs"),
    "nodes": (4096, "a page draws no finer density"),
    "width": (4096, "frames would come too slowly"),
    "layers": (10_000, "weights of all layers are held at once"),
    "steps": (1_000_000, "the times of fixed steps are held at once"),
    "sweeps": (10_000, "a frame could not be interrupted"),
    "changes": (1000, "each one begins a new run; the program of a scene takes any number"),
    "products": (2e9, "a step would take longer than a second; tokenfield simulate takes any number"),
}
SYSTEMS = 2  # side by side
LONGEST_MESSAGE = 1_048_576  # bytes
LONGEST_NAME = 64  # letters of a text in a config
DEEPEST = 6  # tables and lists inside each other
LAWS_FROM_FILES = ("file", END_OF_RUN)
FRAMES = 300  # of a run, by default
SINKHORN, SWEEPS = "sinkhorn", 20  # a kind that sums many times, and about how often unless the config says so
FIRST_TIME = 0.01  # of a logarithmic clock: the first motion is at times of order one


@dataclass(frozen=True)
class Scene:
    """A resolved config that may be run for somebody who watches it; made by `Scene.of`.

    Args:
        config: The resolved config.
        given: The tables that it was made of.

    >>> scene = Scene.of({"geometry": {"dim": 2}, "initial": {"n": 32}, "solve": {"t1": 3.0}})
    >>> scene.clock, scene.speed
    ('linear', 0.01)
    """

    config: Config
    given: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(tables: Any) -> Scene:
        """The scene of the tables of a config, as JSON has them.

        Tokens are computed in float32 unless the config says otherwise: what is looked at needs no more digits. With
        merging, whose times need them, they are computed in float64.

        Args:
            tables: The tables, from anywhere.

        Returns:
            The scene.

        Raises:
            ConfigError: If the tables are no config, or name a file.
            TooLarge: If they ask for more than `LIMITS`; the message says why.
        """
        _check_plain(tables)
        config = Config.from_dict(tables)
        _check_numbers(config)
        solve = tables.get("solve", {})
        if "dtype" not in solve and config.state.kind == TOKENS and not config.solve.merge:
            config = Config.from_dict({**tables, "solve": {**solve, "dtype": "float32"}})
        scene = Scene(config.resolved(), tables)
        _check_sizes(scene.config)
        return scene

    @property
    def clock(self) -> str:
        """How the time of frames grows: "log" with merging, else "linear"."""
        solve = self.config.solve
        return "log" if solve.merge and solve.clock == "time" else "linear"

    @property
    def speed(self) -> float:
        """The speed at which the run takes 300 frames: units of time, or with a logarithmic clock a factor."""
        solve = self.config.solve
        if self.clock == "log":
            span = max((solve.t1 - solve.t0) / FIRST_TIME, 10.0)
            return math.exp(math.log(span) / FRAMES)
        return (solve.t1 - solve.t0) / FRAMES

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The resolved config as nested dictionaries that JSON can hold."""
        return json.loads(json.dumps(self.config.to_dict()))

    @property
    def toml(self) -> str:
        """The scene as a config file, for `tokenfield simulate`."""
        return self.config.to_toml()

    @property
    def python(self) -> str:
        """The scene as a program."""
        tables = pprint.pformat(self.tables, width=100, sort_dicts=False)
        return (
            "from tokenfield.study import Config\n"
            "from tokenfield.study.simulate import solve_config\n\n"
            f"config = Config.from_dict(\n{tables}\n)\n"
            "run, start = solve_config(config)\nprint(run)\n"
        )

    def goes_on_as(self, other: Scene) -> None:
        """Raises `ConfigError` unless tokens of this scene can go on as those of the `other`.

        Args:
            other: The scene that is to take over.

        Raises:
            ConfigError: If where tokens live or where they started differs; the message says what to do.
        """
        for name in ("geometry", "state", "initial"):
            if _started(self.config, name) != _started(other.config, name):
                raise ConfigError(f"[{name}] is where tokens start: send it with 'start' instead of 'change'")
        if self.config.solve.dtype != other.config.solve.dtype or self.config.solve.t0 != other.config.solve.t0:
            raise ConfigError("solve.dtype and solve.t0 are those of the start: send them with 'start'")


def _started(config: Config, name: str) -> Any:
    """A section that says where tokens start; tokens are numbered whether or not the model looks at the numbers."""
    section = getattr(config, name)
    return replace(section, positions=section.positions or "index") if name == "initial" else section


def limits() -> dict[str, Any]:
    """What a page may ask for, with the reasons."""
    return {name: most for name, (most, _) in LIMITS.items()} | {
        "systems": SYSTEMS,
        "message_bytes": LONGEST_MESSAGE,
        "reasons": {name: why for name, (_, why) in LIMITS.items()},
    }


def kinds() -> dict[str, Any]:
    """The catalog of kinds for a page: with their titles, equations, parameters and what they exclude."""
    listed = catalog.as_json()
    return {"categories": dict(catalog.CATEGORIES), "kinds": json.loads(json.dumps(listed))}


# --- checks ---------------------------------------------------------------------------------------------------------


def _check_plain(tables: Any) -> None:
    """Refuses what is no config at all, and everything that could be the name of a file."""
    if not isinstance(tables, Mapping):
        raise ConfigError("a config is an object of tables, such as {'attention': {'beta': 4}}")
    for name, value in _entries(tables, DEEPEST):
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"'{_short(name)}' must be a finite number")
        if not isinstance(value, str):
            continue
        if not is_text(value):
            raise ConfigError(f"'{_short(name)}' is no text: it has half a letter")
        if name in FILE_KEYS or value.lower().endswith(ARRAY_FILES) or "/" in value or "\\" in value:
            raise ConfigError(f"'{_short(name)}' would be a file: the explorer reads none, give the numbers instead")
        if len(value) > LONGEST_NAME:
            raise ConfigError(f"'{_short(name)}' is a text of {len(value)} letters: names are shorter")
    law = tables.get("initial", {})
    if isinstance(law, Mapping) and str(law.get("kind")).replace("_", "-") in LAWS_FROM_FILES:
        raise ConfigError(f"initial.kind = '{law['kind']}' reads a file: the explorer reads none; use 'points'")


def _entries(value: Any, depth: int, name: str = "") -> Iterator[tuple[str, Any]]:
    """All numbers and texts of nested tables and lists, each with the key that it stands under."""
    if depth < 0:
        raise ConfigError(f"'{_short(name)}' has tables inside tables inside tables")
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if not isinstance(key, str) or not is_text(key):
                raise ConfigError("the keys of a config are texts")
            yield from _entries(entry, depth - 1, key)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _entries(entry, depth - 1, name)
    else:
        yield name, value


def is_text(value: str) -> bool:
    """Whether a text can be written anywhere: JSON can hold halves of letters, which UTF-8 cannot.

    >>> is_text("β"), is_text(chr(0xD800))
    (True, False)
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."


def check_limit(name: str, value: float | None, what: str) -> None:
    """Raises `TooLarge` if `value` is more than the limit called `name`.

    Args:
        name: A key of `LIMITS`.
        value: What is asked for; `None` for nothing.
        what: What it is, in words.

    Raises:
        TooLarge: With the limit and its reason.
    """
    most, why = LIMITS[name]
    if value is not None and value > most:
        raise TooLarge(f"{what} = {value:g} is too much for the explorer, which takes at most {most:g}: {why}")


def _check_numbers(config: Config) -> None:
    """Refuses numbers that would be too much before anything is made of them."""
    solve, weights = config.solve, config.schedule
    check_limit("n", config.initial.n, "initial.n")
    check_limit("d", config.geometry.dim, "geometry.dim")
    check_limit("heads", len(config.heads), "the number of heads")
    check_limit("heads", weights.count, "schedule.count")
    check_limit("layers", len(weights.layers), "the number of layers")
    check_limit("layers", solve.layers, "solve.layers")
    check_limit("nodes", config.state.nodes, "state.nodes")
    if config.perceptron is not None:
        check_limit("width", config.perceptron.width, "perceptron.width")
    for head in (config.attention, *config.heads, *weights.layers):
        for name in ("sweeps", "max_sweeps"):
            check_limit("sweeps", getattr(head, name), f"attention.{name}")
    span = abs(solve.t1 - solve.t0)
    for name, length in (("solve.step", solve.step), ("schedule.period", weights.period)):
        if length is not None and length > 0:
            check_limit("steps", span / length, f"(t1 - t0) / {name}")


def _check_sizes(config: Config) -> None:
    """Refuses what is fine part by part but would take too long together."""
    d, n = config.geometry.dim, config.initial.n or len(config.initial.points or ())
    passes = sum(_passes(head, config) for head in config.heads or (config.attention,))
    is_fast = config.geometry.kind == "sphere" and d <= 3 and config.solve.dtype == "float64"
    if config.state.kind == TOKENS and _is_masked_sinkhorn(config):
        check_limit(
            "products", float(n) ** 3 * d * passes, f"the work of {n} prefixes with a scaling each, n^3 d sweeps"
        )
    elif config.state.kind != DENSITY and not is_fast:
        check_limit("products", float(n) ** 2 * d * passes, f"the work of {n} tokens in R^{d}, n^2 d heads")
    if config.state.kind == DENSITY and config.state.grid == "harmonics" and (config.state.nodes or 0) > 64:
        raise TooLarge("state.nodes is the number of degrees on S^2: the explorer takes at most 64")
    if config.noise is not None and config.solve.step is not None:
        check_limit("steps", (config.solve.t1 - config.solve.t0) / config.solve.step, "(t1 - t0) / solve.step")


def _passes(head: HeadSection, config: Config) -> int:
    """How often a head sums over all pairs: once, or for each sweep of Sinkhorn's."""
    kind = head.kind or config.attention.kind
    return 1 if kind != SINKHORN else head.sweeps or SWEEPS


def _is_masked_sinkhorn(config: Config) -> bool:
    """Whether each token has a scaling of its own, of those that it sees."""
    position = config.position
    is_masked = position is not None and (position.causal or (position.window, position.alibi) != (None, None))
    return is_masked and SINKHORN in (config.attention.kind, *(head.kind for head in config.heads))


def one_line(error: BaseException) -> str:
    """What to tell people about an error: our own words, or for others that something unexpected happened.

    Args:
        error: The error.

    Returns:
        One line.
    """
    if isinstance(error, TokenfieldError):
        return str(error)
    if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in str(error):
        return "out of memory: use fewer tokens"
    return f"something unexpected happened ({type(error).__name__}); the server's terminal has the details"
