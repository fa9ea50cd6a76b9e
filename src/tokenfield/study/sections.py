"""The sections of a config: which keys there are, of which type, with which default. Which kinds there are is up to
`tokenfield.study.catalog`; which keys go with which kind is checked when the model is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokenfield.study import catalog, toml
from tokenfield.study.kinds import TOKENS
from tokenfield.study.toml import boolean, choice, integer, key, matrix, names, number, number_or_vector, text, vector

GEOMETRIES = catalog.names_of("geometry")
STATES = catalog.names_of("state")
GRIDS = catalog.names_of("grid")
ATTENTIONS = catalog.names_of("attention")
NORMALIZATIONS = catalog.names_of("normalization")
ACTIVATIONS = catalog.names_of("perceptron")
POTENTIALS = catalog.names_of("potential")
SCHEDULES = catalog.names_of("schedule")
METHODS = catalog.names_of("method")
POSITIONINGS = ("index", "even")
MATRICES = ("Q", "K", "V", "O")  # of a head
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
    "spectrum",
)
EVENTS = ("consensus", "steady", "cosine-level")


@dataclass(frozen=True)
class GeometrySection:
    """Where the tokens live; `dim` is the ambient dimension d."""

    kind: str = key("sphere", choice(*GEOMETRIES))
    dim: int = key(3, integer)


@dataclass(frozen=True)
class StateSection:
    """How the law of the tokens is held: as tokens, as a density on a `grid` of `nodes`, or as a Gaussian.

    On the grid "harmonics", `nodes` is the number of degrees.
    """

    kind: str = key(TOKENS, choice(*STATES))
    grid: str | None = key(None, choice(*GRIDS))
    nodes: int | None = key(None, integer)


@dataclass(frozen=True)
class HeadSection:
    """One head of [[heads]]; `kind` and its parameters default to those of [attention].

    Of `beta` to `max_sweeps` a head takes those that its kind has.
    """

    kind: str | None = key(None, choice(*(name for name in ATTENTIONS if name != "none")))
    beta: float | None = key(None, number)
    bias: float | None = key(None, number)
    tolerance: float | None = key(None, number)
    radius: float | None = key(None, number)
    sweeps: int | None = key(None, integer)
    kernel: str | None = key(None, choice("dot", "l2"))
    max_sweeps: int | None = key(None, integer)
    Q: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    K: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    V: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    O: tuple[tuple[float, ...], ...] | None = key(None, matrix)  # noqa: E741


@dataclass(frozen=True)
class AttentionSection(HeadSection):
    """The single head, or what all heads share; how heads add up; whether they see y or y - x; the frame in R^d.

    `kind = "none"` is a model without attention.
    """

    kind: str | None = key(None, choice(*ATTENTIONS))
    average: bool = key(False, boolean)
    relative: bool = key(False, boolean)
    rescaled: bool = key(False, boolean)


@dataclass(frozen=True)
class LayerSection(HeadSection):
    """One layer of [[schedule.layers]]: a single head, or several in `heads`."""

    heads: tuple[HeadSection, ...] = key((), toml.sections(HeadSection))


@dataclass(frozen=True)
class PositionSection:
    """What breaks exchangeability: any of a `causal` mask, a `window`, the slope `alibi`, and `rope`."""

    causal: bool = key(False, boolean)
    strict: bool | None = key(None, boolean)
    window: float | None = key(None, number)
    alibi: float | tuple[float, ...] | None = key(None, number_or_vector)
    rope: bool = key(False, boolean)
    base: float | None = key(None, number)
    frequencies: float | tuple[float, ...] | None = key(None, number_or_vector)


@dataclass(frozen=True)
class NormalizationSection:
    """The scheme, with its parameters; `radius` is the length of the residual stream at the start."""

    kind: str = key("post-ln", choice(*NORMALIZATIONS))
    tau: float | None = key(None, number)
    alpha: float | None = key(None, number)
    gain: tuple[float, ...] | None = key(None, vector)
    radius: float | None = key(None, number)


@dataclass(frozen=True)
class PerceptronSection:
    """A perceptron W sigma(A x + b): with given matrices, or random of `width` neurons."""

    activation: str = key("relu", choice(*ACTIVATIONS))
    W: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    A: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    b: tuple[float, ...] | None = key(None, vector)
    width: int | None = key(None, integer)
    seed: int | None = key(None, integer)
    scale: float | None = key(None, number)


@dataclass(frozen=True)
class PotentialSection:
    """An external potential: quadratic with `strength`, or linear with `direction`."""

    kind: str = key("quadratic", choice(*POTENTIALS))
    strength: float | tuple[float, ...] | None = key(None, number_or_vector)
    direction: tuple[float, ...] | None = key(None, vector)


@dataclass(frozen=True)
class NoiseSection:
    """Noise sqrt(2/kappa) dW, one for each token or a common one."""

    kappa: float | None = key(None, number)
    common: bool = key(False, boolean)
    seed: int | None = key(None, integer)


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
    white: bool | None = key(None, boolean)
    layers: tuple[LayerSection, ...] = key((), toml.sections(LayerSection))


@dataclass(frozen=True)
class InitialSection:
    """The initial law by its name in `tokenfield.initial.LAWS`, or file or points, and its parameters.

    `positions` are 0, 1, 2, ... ("index") or (i + 1)/n ("even"). Densities start from a law by its formula, or from
    tokens of any law, each spread by a von Mises-Fisher kernel of concentration `kernel`.
    """

    kind: str | None = key(None, text)
    n: int | None = key(None, integer)
    seed: int | None = key(None, integer)
    path: str | None = key(None, text)
    mean: tuple[float, ...] | None = key(None, vector)
    concentration: float | None = key(None, number)
    means: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    concentrations: float | tuple[float, ...] | None = key(None, number_or_vector)
    masses: tuple[float, ...] | None = key(None, vector)
    center: tuple[float, ...] | None = key(None, vector)
    angle: float | None = key(None, number)
    covariance: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    low: float | tuple[float, ...] | None = key(None, number_or_vector)
    high: float | tuple[float, ...] | None = key(None, number_or_vector)
    folds: int | None = key(None, integer)
    degree: int | None = key(None, integer)
    amplitude: float | None = key(None, number)
    points: tuple[tuple[float, ...], ...] | None = key(None, matrix)
    weights: tuple[float, ...] | None = key(None, vector)
    positions: str | None = key(None, choice(*POSITIONINGS))
    kernel: float | None = key(None, number)


def _save_times(value: Any, where: str) -> int | str | tuple[float, ...]:
    if isinstance(value, str):
        return value
    return vector(value, where) if isinstance(value, (list, tuple)) else integer(value, where)


def _merge(value: Any, where: str) -> bool | float:
    return boolean(value, where) if isinstance(value, bool) else number(value, where)


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
    """The arguments of `tokenfield.solve`; `events` and `observables` by name, `dtype` of the state.

    `merge` is true, or the distance at which tokens of a collapsed cluster join; `speed` goes with clock = "distance".
    """

    t1: float = key(30.0, number)
    t0: float = key(0.0, number)
    method: str | None = key(None, text)
    step: float | None = key(None, number)
    layers: int | None = key(None, integer)
    rtol: float | None = key(None, number)
    atol: float | None = key(None, number)
    norm: str | None = key(None, choice("rms", "max"))
    merge: bool | float | None = key(None, _merge)
    clock: str = key("time", choice("time", "distance"))
    speed: float | None = key(None, number)
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
