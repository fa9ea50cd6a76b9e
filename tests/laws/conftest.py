"""The registries that the laws run over: a new attention or geometry is tested by adding it to one of these lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import numpy as np
import pytest

import oracles
import tokenfield as tkf

N = 7


class Kind(NamedTuple):
    """An attention with its oracles: the unprojected field, and dE/dt for Q = K = V = I."""

    attention: type[tkf.Attention]
    field: oracles.Field
    dissipation: Callable[[np.ndarray, np.ndarray, float, np.ndarray], float]


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


ATTENTIONS = [
    Kind(tkf.Softmax, oracles.sa_field, oracles.sa_dissipation),
    Kind(tkf.Unnormalized, oracles.usa_field, oracles.usa_dissipation),
]
GEOMETRIES = [tkf.Sphere(2), tkf.Sphere(3), tkf.Sphere(5), tkf.Euclidean(1), tkf.Euclidean(2), tkf.Euclidean(3)]


def make_case(geometry: tkf.Geometry) -> Case:
    points_key, weights_key = jax.random.split(jax.random.key(geometry.d))
    x = geometry.to_manifold(jax.random.normal(points_key, (N, geometry.d)))
    w = np.asarray(jax.random.uniform(weights_key, (N,), minval=0.5, maxval=2.0))
    return Case(geometry, np.asarray(x), w / w.sum())


@pytest.fixture(params=ATTENTIONS, ids=lambda kind: kind.attention.__name__)
def kind(request) -> Kind:
    return request.param


@pytest.fixture(params=GEOMETRIES, ids=lambda g: f"{type(g).__name__}{g.d}")
def case(request) -> Case:
    return make_case(request.param)


@pytest.fixture(params=[tkf.Sphere(3), tkf.Euclidean(2)], ids=lambda g: f"{type(g).__name__}{g.d}")
def flow_case(request) -> Case:
    """One sphere and one R^d, for laws along whole flows: each costs a compilation."""
    case = make_case(request.param)
    # in R^d unnormalized attention blows up in finite time: start close to the origin
    return case if isinstance(case.geometry, tkf.Sphere) else case._replace(x=0.15 * case.x)
