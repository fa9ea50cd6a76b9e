"""The sections of a config: which keys there are, each with its type, default, help and flag.

Which kinds there are is up to `tokenfield.study.catalog`, and the options of the solver to `tokenfield.solver.options`.
Which keys go with which kind is checked when the model is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokenfield.solver.options import MAX_STEPS, Adaptive, Clock, FixedStep, Layers, Merge
from tokenfield.study import catalog, parse
from tokenfield.study.kinds import TOKENS
from tokenfield.study.toml import (
    Matrix,
    Names,
    Vector,
    choice,
    key,
    key_of,
    names,
    number_or_rows,
    other_keys,
    rows,
    text,
)

GEOMETRIES = catalog.names_of("geometry")
STATES = catalog.names_of("state")
GRIDS = catalog.names_of("grid")
ATTENTIONS = catalog.names_of("attention")
NORMALIZATIONS = catalog.names_of("normalization")
NORMS = catalog.names_of("norm")
PLACES = ("pre", "post", "around")  # of a norm: before a sublayer, after the sum, before it and of what is added
PAIRINGS = ("adjacent", "halves")  # of coordinates that RoPE turns together
OPERANDS = ("tokens", "attention", "heads")  # what a perceptron acts on
ACTIVATIONS = catalog.names_of("perceptron")
POTENTIALS = catalog.names_of("potential")
SCHEDULES = catalog.names_of("schedule")
METHODS = catalog.names_of("method")
POSITIONINGS = ("index", "even")
MATRICES = ("Q", "K", "V", "O")  # of a head
BIASES = ("q", "k", "v", "o")  # that go with them in a block
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
# what stands for a key that is left out, where that depends on other keys
DEFAULT_ATTENTION = "softmax"
DEFAULT_LAW = "uniform"
DEFAULT_N = 1000
DEFAULT_SEED = 0
DEFAULT_STEP = 0.01  # with noise, where no tolerance can choose one
_BETA = "{:g}, for linear attention {:g}".format(
    *(catalog.find("attention", kind).default("beta") for kind in (DEFAULT_ATTENTION, "linear"))
)


@dataclass(frozen=True)
class GeometrySection:
    """Where the tokens live; `dim` is the ambient dimension d."""

    kind: str = key("sphere", "Where tokens live", flag="--geometry", choices=GEOMETRIES)
    dim: int = key(3, "Ambient dimension d", flag="--dim")


@dataclass(frozen=True)
class StateSection:
    """How the law of the tokens is held: as tokens, as a density on a `grid` of `nodes`, or as a Gaussian.

    On the grid "harmonics", `nodes` is the number of degrees; on "moving", which is for R^1 and R^2, the number of
    nodes along an axis. With `positions` there is a density, or with linear attention a Gaussian, for each of so many
    cells of positions in [0, 1], for position.causal = true.
    """

    kind: str = key(TOKENS, "How the law of the tokens is held", flag="--state", choices=STATES)
    grid: str | None = key(None, "Nodes of a density", flag="--grid", unset="that of the dimension", choices=GRIDS)
    nodes: int | None = key(None, "How many nodes a density has", flag="--nodes", unset="as many as the grid needs")
    positions: int | None = key(
        None, "Positions of a causal mask, each with its density or Gaussian", flag="--positions"
    )


# parameters of attention kinds that have a key with a type of its own
_OWN_KEYS = frozenset({"beta", "bias", "tolerance", "radius", "sweeps", "kernel", "max_sweeps"})


@dataclass(frozen=True)
class HeadSection:
    """One head of [[heads]]; `kind` and its parameters default to those of [attention].

    A head takes those parameters that its kind has; registered kinds bring keys of their own. With `block.heads`, the
    matrices Q, K, V hold those of all heads one below the other, O beside each other, and q, k, v, o are their biases.
    """

    kind: str | None = key(
        None,
        "Weights that a token gives to others",
        choices=lambda: [name for name in catalog.names_of("attention") if name != "none"],
    )
    beta: float | None = key(None, "Inverse temperature", flag="--beta", unset=_BETA)
    bias: float | None = None
    tolerance: float | None = None
    radius: float | None = None
    sweeps: int | None = None
    kernel: str | None = key(None, choices=("dot", "l2"))
    max_sweeps: int | None = None
    Q: Matrix | None = key(None, "Query matrix (d_k, d); none: the identity")
    K: Matrix | None = key(None, "Key matrix (d_k, d); none: the identity")
    V: Matrix | None = key(None, "Value matrix (d, d); none: the identity")
    O: Matrix | None = key(None, "Output matrix (d, d_v); none: the identity")  # noqa: E741
    q: Vector | None = key(None, "Bias of the queries")
    k: Vector | None = key(None, "Bias of the keys")
    v: Vector | None = key(None, "Bias of the values")
    o: Vector | None = key(None, "Bias of the output")
    parameters: tuple[tuple[str, Any], ...] = other_keys(lambda: catalog.parameters_of("attention") - _OWN_KEYS)


@dataclass(frozen=True)
class AttentionSection(HeadSection):
    """The single head, or what all heads share; how heads add up; whether they see y or y - x; the frame in R^d.

    `kind = "none"` is a model without attention.
    """

    kind: str | None = key(
        None,
        "Weights that a token gives to others",
        flag="--attention",
        unset=DEFAULT_ATTENTION,
        choices=lambda: catalog.names_of("attention"),
    )
    average: bool = key(False, "Heads are averaged, not summed")
    relative: bool = key(False, "Heads see y - x instead of y")
    rescaled: bool = key(False, "Follow z = e^{-tV} x in R^d", flag="--rescaled/--not-rescaled")


@dataclass(frozen=True)
class LayerSection(HeadSection):
    """One layer of [[schedule.layers]]: a single head, or several in `heads`."""

    heads: tuple[HeadSection, ...] = ()


@dataclass(frozen=True)
class PositionSection:
    """What breaks exchangeability: any of a `causal` mask, a `window`, the slope `alibi`, and `rope`.

    Absolute positions are added to the tokens at the start: sinusoidal ones, by their amplitude, or rows of a table.
    """

    causal: bool = key(False, "A token sees itself and those before it", flag="--causal/--not-causal")
    strict: bool | None = None
    window: float | None = None
    alibi: float | Vector | None = None
    rope: bool = key(False, "Rotary positions")
    base: float | None = None
    frequencies: float | Vector | None = None
    pairing: str | None = key(None, choices=PAIRINGS)
    dims: int | None = None
    sinusoidal: float | None = key(None, "Amplitude of sinusoidal positions, added at the start")
    learned: Matrix | None = key(None, "Table of positions, a row for each token, added at the start")


@dataclass(frozen=True)
class NormalizationSection:
    """The scheme, with its parameters; `radius` is the length of the residual stream at the start.

    A `gain` of several rows is one for each of so many layers over [0, solve.t1].
    """

    kind: str = key("post-ln", "Where a layer normalizes", flag="--normalization", choices=NORMALIZATIONS)
    tau: float | None = None
    alpha: float | None = None
    gain: Vector | Matrix | None = key(None, reader=rows)
    radius: float | None = None


@dataclass(frozen=True)
class BlockSection:
    """The layer of a real network: attention and perceptron as sublayers that act in turn, each with its norm.

    `gain` and `bias` of the norms are one number, a vector, or a table with a row for each layer. `heads` is a number
    of heads at once, which share `kv_heads` keys and values: with the matrices of [attention], or random ones. `layers`
    is the number of layers over [0, solve.t1], each with random weights of its own; without it all layers are the same.
    With `final` the run also keeps the tokens after one more norm.
    """

    norm: str = key("layer-norm", "Norm of the sublayers", choices=NORMS)
    place: str | None = key(None, choices=PLACES)
    eps: float | None = None
    gain: float | Vector | Matrix | None = key(None, reader=number_or_rows)
    bias: float | Vector | Matrix | None = key(None, reader=number_or_rows)
    final: bool = False
    heads: int | None = None
    kv_heads: int | None = None
    biases: bool | None = None
    seed: int | None = None
    scale: float | None = None
    layers: int | None = None


@dataclass(frozen=True)
class PerceptronSection:
    """A perceptron W σ(A x + b) + c: with given matrices, or random of `width` neurons.

    With a `gate` G it is W (σ(G x + gate_bias) * (A x + b)) + c; for random weights `gate = true`. It acts `of`
    tokens, or is composed with attention: of what attention gives, or of what each head gives.
    """

    activation: str = key("relu", "The function σ", choices=ACTIVATIONS)
    W: Matrix | None = None
    A: Matrix | None = None
    b: Vector | None = None
    c: Vector | None = None
    gate: Matrix | bool | None = None
    gate_bias: Vector | None = None
    of: str = key("tokens", choices=OPERANDS)
    width: int | None = None
    seed: int | None = None
    scale: float | None = None


@dataclass(frozen=True)
class PotentialSection:
    """An external potential: quadratic with `strength`, or linear with `direction`."""

    kind: str = key("quadratic", "The potential", choices=POTENTIALS)
    strength: float | Vector | None = None
    direction: Vector | None = None


@dataclass(frozen=True)
class NoiseSection:
    """Noise sqrt(2/kappa) dW, one for each token or a common one."""

    kappa: float | None = key(None, "Adds noise sqrt(2/kappa) dW", flag="--kappa", unset="none")
    common: bool = key(False, "One Brownian motion for all tokens")
    seed: int | None = None


@dataclass(frozen=True)
class ScheduleSection:
    """Weights in depth: constant, layer after layer over [0, solve.t1], or random and redrawn every `period`."""

    kind: str = key("constant", "How weights change in depth", choices=SCHEDULES)
    period: float | None = None
    seed: int | None = None
    logits: str | None = key(None, choices=MATRIX_LAWS)
    values: str | None = key(None, choices=MATRIX_LAWS)
    tied: int | None = None
    count: int | None = None
    white: bool | None = None
    layers: tuple[LayerSection, ...] = ()


@dataclass(frozen=True)
class InitialSection:
    """The initial law by its name in `tokenfield.initial.LAWS`, or file or points, and its parameters.

    `positions` are 0, 1, 2, ... ("index") or (i + 1)/n ("even"). Densities start from a law by its formula, or from
    tokens of any law, each spread by a von Mises-Fisher kernel of concentration `kernel`. With state.positions the law
    has the mean `mean` at the first position, `last_mean` at the last, and means between them on the way.
    """

    kind: str | None = key(None, "Law of the initial tokens", flag="--initial", unset=DEFAULT_LAW)
    n: int | None = key(None, "Number of tokens", flag="--n", unset=f"{DEFAULT_N}")
    seed: int | None = key(None, "Seed of the tokens, random weights and noise", flag="--seed", unset=f"{DEFAULT_SEED}")
    path: str | None = key(
        None, "Initial tokens from a .npy, .npz or .csv file", flag="--tokens", parse=parse.absolute_path
    )
    mean: Vector | None = key(None, "Mean of the law; of von Mises-Fisher its direction")
    last_mean: Vector | None = key(None, "Mean at the last position, with state.positions")
    concentration: float | None = key(None, "How narrow a von Mises-Fisher law is")
    means: Matrix | None = key(None, "Directions of a mixture, a row for each")
    concentrations: float | Vector | None = key(None, "How narrow they are, one number or one for each")
    masses: Vector | None = key(None, "Chance of a token to belong to each; none: equal")
    center: Vector | None = key(None, "Middle of a cap or a ball")
    angle: float | None = key(None, "Angular radius of a cap, in radians")
    radius: float | None = key(None, "Radius of a ball")
    reach: float | None = key(None, "Standard deviations that nodes of a Gaussian cover, with grid = moving; none: 8")
    covariance: Matrix | None = key(None, "Covariance of a Gaussian; none: the identity")
    low: float | Vector | None = key(None, "Lower bounds of a box")
    high: float | Vector | None = key(None, "Upper bounds of a box")
    folds: int | None = key(None, "Order of the rotational symmetry")
    degree: int | None = key(None, "Degree of the harmonic that perturbs the uniform law")
    amplitude: float | None = key(None, "Size of the perturbation")
    points: Matrix | None = key(None, "The tokens themselves, a row for each")
    weights: Vector | None = key(None, "Their masses; none: equal")
    positions: str | None = key(None, "Positions of the tokens: 0, 1, 2, ... or (i + 1)/n", choices=POSITIONINGS)
    kernel: float | None = key(None, "Spread initial tokens into a density, with this concentration", flag="--kernel")


def _observables(value: Any, where: str) -> Names:
    # functions are spelled with underscores in Python: accept both
    found = tuple(name.replace("_", "-") for name in names(value, where))
    return tuple(choice(*OBSERVABLES)(name, where) for name in found)


def _events(value: Any, where: str) -> Names:
    found = names(value, where)
    for spec in found:
        choice(*EVENTS)(spec.partition(":")[0], where)
    return found


@dataclass(frozen=True)
class SolveSection:
    """The arguments of `tokenfield.solve`; `events` and `observables` by name, `dtype` of the state.

    `merge` is true, or the distance at which tokens of a collapsed cluster join; `speed` goes with clock = "distance".
    Times of `save` are a list in a file: [0, 1, 2.5]. `devices` is a number of them or "all", over which tokens are
    spread.
    """

    t1: float = key(30.0, "Final time", flag="--t1")
    t0: float = key(0.0, "Initial time", flag="--t0")
    method: str | None = key_of(Adaptive, "method", flag="--method", choices=METHODS, reader=text)
    step: float | None = key_of(FixedStep, "step", flag="--step")
    layers: int | None = key_of(Layers, "count", flag="--layers")
    rtol: float | None = key_of(Adaptive, "rtol", flag="--rtol")
    atol: float | None = key_of(Adaptive, "atol", flag="--atol")
    norm: str | None = key_of(Adaptive, "norm", flag="--norm")
    merge: float | bool | None = key_of(Merge, "distance", flag="--merge/--no-merge")
    clock: str = key_of(Clock, "kind", flag="--clock")
    speed: float | None = key_of(Clock, "speed", flag="--speed")
    save: int | str | Vector | None = key(
        None,
        "Times to keep, such as a count, end, log:COUNT, or 0,1,2.5",
        flag="--save",
        unset="101 of them",
        parse=parse.save_times,
    )
    save_tokens: bool = key(True, "Keep the tokens at the saved times, not only what is observed")
    observables: Names = key((), "Also keep", flag="--observable", choices=OBSERVABLES, reader=_observables)
    events: Names = key((), "Stop early", flag="--events --event", choices=EVENTS, reader=_events)
    max_steps: int = key(MAX_STEPS, "Give up after so many steps", flag="--max-steps")
    dtype: str = key("float64", "Precision", flag="--dtype", choices=DTYPES)
    devices: int | str | None = key(
        None, "Spread tokens over so many devices, or all", flag="--devices", unset="1", parse=parse.devices
    )


@dataclass(frozen=True)
class OutputSection:
    """What is drawn into the run folder, and how often a long run writes down from where it can go on."""

    figures: bool = key(True, "Draw figures", flag="--figures/--no-figures")
    format: str = key("png", "Format of the figures", choices=FORMATS)
    checkpoint: str = key("10min", "How often a run is kept on disk while it is solved, or off", flag="--checkpoint")
