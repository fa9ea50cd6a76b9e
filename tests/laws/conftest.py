"""The registries that the laws run over: a new attention or geometry is tested by adding it to one of these lists.

A test that asks for `kind` runs for every attention, `beta_kind` for those with a beta, `energy_kind` for those driven
by an energy, `mover` for every attention and every real layer; `case` adds the geometries of the kind and `flow_case`
the few on which whole flows are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

import equinox as eqx
import jax
import numpy as np
import pytest

import oracles
import tokenfield as tkf

N = 7
BIAS, RADIUS = -0.5, 1.3
POWER, SOFTENING = 1.5, 0.3

GEOMETRIES = (tkf.Sphere(2), tkf.Sphere(3), tkf.Sphere(5), tkf.Euclidean(1), tkf.Euclidean(2), tkf.Euclidean(3))
BOTH = (tkf.Sphere(3), tkf.Euclidean(2))

velocity_compiled = eqx.filter_jit(lambda model, x, mu: model.velocity(0.0, x, mu))


class Kind(NamedTuple):
    """An attention, as a function of its number, with its oracles: the unprojected field, and for Q = K = V = I the
    energy and dE/dt.

    `at_zero` is the factor of the mean that the field is at beta = 0; None for kinds without a beta.
    `is_smooth`: the weights are continuous, so an adaptive step makes sense. `rounding`: how well library and oracle
    agree, relative to the field. `has_slow_flow`: its laws along flows are marked slow, for the time of compilation.
    """

    name: str
    attention: Callable[[float], tkf.Attention]
    field: oracles.Field
    energy: Callable[[np.ndarray, np.ndarray, float], float] | None = None
    dissipation: Callable[[np.ndarray, np.ndarray, float, np.ndarray], float] | None = None
    at_zero: float | None = 1.0
    is_smooth: bool = True
    is_iterative: bool = False
    rounding: float = 1e-12
    geometries: Sequence[tkf.Geometry] = GEOMETRIES
    flow_geometries: Sequence[tkf.Geometry] = (tkf.Sphere(3),)
    has_slow_flow: bool = False

    @property
    def betas(self) -> tuple[float, ...]:
        """Numbers to try; kinds without a beta ignore them."""
        return (1.0,) if self.at_zero is None else (0.0, 1.0, -1.0) if self.is_iterative else (0.0, 1.0, 3.0, -1.0)

    def model(self, geometry: tkf.Geometry, beta: float, **options) -> tkf.Transformer:
        """The model of one such head; `options` are those of `Transformer`."""
        return tkf.Transformer(geometry, self.attention(beta), **options)

    def velocity(self, model: tkf.Transformer, x, mu: tkf.Measure) -> np.ndarray:
        # a loop is compiled anew at each call outside jit; everything else is faster without
        return np.asarray(velocity_compiled(model, x, mu) if self.is_iterative else model.velocity(0.0, x, mu))

    def assert_close(self, actual, expected) -> None:
        size = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=self.rounding * size)


class Block(NamedTuple):
    """A real layer, as a function of the dimension and beta; for what the laws ask it is like a `Kind`."""

    name: str
    layer: Callable[[int, float], Sequence[tkf.Sublayer]]
    geometries: Sequence[tkf.Geometry] = (tkf.Sphere(3), tkf.Euclidean(3))
    flow_geometries: Sequence[tkf.Geometry] = (tkf.Euclidean(3),)
    is_smooth: bool = True
    is_iterative: bool = False
    has_slow_flow: bool = True
    rounding: float = 1e-12

    def model(self, geometry: tkf.Geometry, beta: float, **options) -> tkf.Transformer:
        """The model of the layer, which has matrices of its own."""
        options.pop("V", None)
        return tkf.Transformer(geometry, list(self.layer(geometry.d, beta)), **options)

    velocity, assert_close = Kind.velocity, Kind.assert_close


class Case(NamedTuple):
    """A geometry with `N` tokens on it, of unequal weights."""

    geometry: tkf.Geometry
    x: np.ndarray
    w: np.ndarray

    @property
    def mu(self) -> tkf.Measure:
        return tkf.Measure(self.x, self.w, geometry=self.geometry)

    def velocity(self, field: oracles.Field, heads: Sequence[oracles.HeadMatrices]) -> np.ndarray:
        """The oracle's velocity of the tokens."""
        values = field(self.x, self.w, heads)
        return oracles.on_sphere(values, self.x) if isinstance(self.geometry, tkf.Sphere) else values


def sinkhorn(name: str, geometries: Sequence[tkf.Geometry], **options) -> Kind:
    """A kind of Sinkhorn; to convergence it has an energy. Each geometry costs some compilations, hence few of them."""
    weights = partial(oracles.sinkhorn_weights, **options)
    has_energy = "sweeps" not in options
    return Kind(
        name,
        # two loops that stop at 1e-13 of unit row sums: their limits agree to 1e-11
        lambda beta: tkf.Sinkhorn(beta, tolerance=1e-13, max_sweeps=20_000, **options),
        oracles.field_of(weights),
        partial(oracles.sinkhorn_energy, kernel=options.get("kernel", "dot")) if has_energy else None,
        oracles.usa_dissipation if has_energy else None,
        is_iterative=True,
        rounding=1e-11,
        geometries=geometries,
        # on the sphere the flow with distances is that with products at 2 beta
        flow_geometries=(tkf.Sphere(3),) if has_energy and "kernel" not in options else (),
        has_slow_flow=True,
    )


KINDS = [
    Kind("Softmax", tkf.Softmax, oracles.sa_field, oracles.energy, oracles.sa_dissipation, flow_geometries=BOTH),
    Kind(
        "Unnormalized",
        tkf.Unnormalized,
        oracles.usa_field,
        oracles.energy,
        oracles.usa_dissipation,
        flow_geometries=BOTH,
    ),
    Kind(
        "L2",
        tkf.L2,
        oracles.field_of(oracles.l2_weights),
        oracles.l2_energy,
        oracles.l2_dissipation,
        has_slow_flow=True,
    ),
    Kind(
        "Sigmoid",
        lambda beta: tkf.Sigmoid(beta, BIAS),
        oracles.field_of(partial(oracles.sigmoid_weights, bias=BIAS)),
        partial(oracles.sigmoid_energy, bias=BIAS),
        oracles.usa_dissipation,
        at_zero=float(1 / (1 + np.exp(-BIAS))),
        has_slow_flow=True,
    ),
    Kind(
        "Linear",
        tkf.Linear,
        oracles.field_of(oracles.linear_weights),
        oracles.linear_energy,
        oracles.usa_dissipation,
        at_zero=0.0,
        has_slow_flow=True,
    ),
    Kind(
        "Hardmax",
        lambda _: tkf.Hardmax(),
        oracles.field_of(lambda q, k, w, _: oracles.hardmax_weights(q, k, w)),
        at_zero=None,
        is_smooth=False,
        # on the sphere every token attends to itself and stays where it is
        flow_geometries=(tkf.Euclidean(2),),
    ),
    Kind(
        "Krause",
        lambda _: tkf.Krause(RADIUS),
        oracles.field_of(lambda q, k, w, _: oracles.krause_weights(q, k, w, RADIUS)),
        at_zero=None,
        is_smooth=False,
    ),
    Kind(
        "Riesz",
        lambda _: tkf.Riesz(POWER, softening=SOFTENING),
        oracles.field_of(lambda q, k, w, _: oracles.riesz_weights(q, k, w, POWER, SOFTENING)),
        at_zero=None,
        is_smooth=False,  # a token does not feel one at its own place
        has_slow_flow=True,
    ),
    sinkhorn("Sinkhorn", (tkf.Sphere(3),)),
    sinkhorn("Sinkhorn-l2", (tkf.Euclidean(2),), kernel="l2"),
    sinkhorn("Sinkhorn-4-sweeps", (tkf.Sphere(3),), sweeps=4),
]


def weights(*shape: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def heads_at_once(d: int, beta: float) -> tkf.MultiHead:
    """Four heads that share two keys and values, with all biases."""
    shapes = {"Q": (4, 2, d), "K": (2, 2, d), "V": (2, 3, d), "O": (4, d, 3)}
    shapes |= {"q": (4, 2), "k": (2, 2), "v": (2, 3), "o": (d,)}
    return tkf.MultiHead(tkf.Softmax(beta), **{n: weights(*shapes[n], seed=i) for i, n in enumerate(shapes)})


def bare_heads(d: int, beta: float) -> list[tkf.Head]:
    return [tkf.Head(tkf.Softmax(beta), V=V) for V in weights(2, d, d, seed=10)]


def perceptron(d: int, *, gated: bool = False, activation: str = "gelu") -> tkf.Perceptron:
    W, A = weights(d, 5, seed=11), weights(5, d, seed=12)
    gate = {"gate": weights(5, d, seed=13), "gate_bias": weights(5, seed=14)} if gated else {}
    return tkf.Perceptron(W, A, weights(5, seed=15), c=weights(d, seed=16), activation=activation, **gate)


def layer_norm(d: int) -> tkf.LayerNorm:
    return tkf.LayerNorm(weights(d, seed=17), weights(d, seed=18))


def around(part, d: int, **options) -> tkf.Sublayer:
    return tkf.Sublayer(part, before=tkf.RMSNorm(weights(d, seed=19)), inside=tkf.RMSNorm(), **options)


BLOCKS = [
    Block(
        "Pre-LN-gated",
        lambda d, beta: (
            tkf.Sublayer(heads_at_once(d, beta), before=layer_norm(d)),
            tkf.Sublayer(perceptron(d, gated=True, activation="silu"), before=layer_norm(d)),
        ),
    ),
    Block(
        "Post-LN",
        lambda d, beta: (
            tkf.Sublayer(heads_at_once(d, beta), after=layer_norm(d)),
            tkf.Sublayer(perceptron(d), after=layer_norm(d)),
        ),
        geometries=(tkf.Euclidean(3),),  # the sphere normalizes by itself
        flow_geometries=(),
    ),
    Block("norms-around", lambda d, beta: (around(bare_heads(d, beta), d), around(perceptron(d), d))),
    Block("composed", lambda d, beta: (tkf.Sublayer(bare_heads(d, beta), then=perceptron(d), average=True),)),
    Block(
        "composed-per-head",
        lambda d, beta: (tkf.Sublayer(bare_heads(d, beta), then=[perceptron(d), perceptron(d, gated=True)]),),
        flow_geometries=(),
    ),
]
OF_FIXTURE: dict[str, list] = {
    "mover": [*KINDS, *BLOCKS],
    "kind": KINDS,
    "beta_kind": [kind for kind in KINDS if kind.at_zero is not None],
    "energy_kind": [kind for kind in KINDS if kind.energy is not None],
}


@cache
def make_case(geometry: tkf.Geometry) -> Case:
    points_key, weights_key = jax.random.split(jax.random.key(geometry.d))
    x = geometry.to_manifold(jax.random.normal(points_key, (N, geometry.d)))
    w = np.asarray(jax.random.uniform(weights_key, (N,), minval=0.5, maxval=2.0))
    return Case(geometry, np.asarray(x), w / w.sum())


def make_flow_case(geometry: tkf.Geometry) -> Case:
    case = make_case(geometry)
    # in R^d unnormalized attention blows up in finite time: start close to the origin
    return case if isinstance(geometry, tkf.Sphere) else case._replace(x=0.15 * case.x)


def is_slow(kind: Kind | Block, kinds: str, cases: str) -> bool:
    """Flows of most kinds, and gradients through loops, take long to compile."""
    return kind.has_slow_flow if cases == "flow_case" else kind.is_iterative and kinds == "energy_kind"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every kind with its geometries, where a test asks for both; otherwise each alone, unless a test has its own."""
    given = [name for mark in metafunc.definition.iter_markers("parametrize") for name in str(mark.args[0]).split(",")]
    names = [name for name in metafunc.fixturenames if name not in (g.strip() for g in given)]
    kinds = next((name for name in OF_FIXTURE if name in names), None)
    cases = next((name for name in ("case", "flow_case") if name in names), None)
    make = make_flow_case if cases == "flow_case" else make_case
    if kinds and cases:
        pairs = [
            pytest.param(
                kind,
                make(geometry),
                id=f"{kind.name}-{type(geometry).__name__}{geometry.d}",
                marks=[pytest.mark.slow] * is_slow(kind, kinds, cases),
            )
            for kind in OF_FIXTURE[kinds]
            for geometry in (kind.flow_geometries if cases == "flow_case" else kind.geometries)
        ]
        metafunc.parametrize((kinds, cases), pairs)
    elif kinds:
        metafunc.parametrize(kinds, OF_FIXTURE[kinds], ids=lambda kind: kind.name)
    elif cases:
        geometries = BOTH if cases == "flow_case" else GEOMETRIES
        metafunc.parametrize(cases, [make(g) for g in geometries], ids=[f"{type(g).__name__}{g.d}" for g in geometries])
