"""Repulsive tokens (V = -I) on the sphere spread to the sharp configurations that minimize the energy (2312.10794)."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tokenfield as tkf

TARGETS = {
    (4, 3): [-1 / 3],  # tetrahedron
    (6, 3): [0.0, -1.0],  # octahedron
    (12, 3): [1 / np.sqrt(5), -1 / np.sqrt(5), -1.0],  # icosahedron
    (5, 4): [-1 / 4],  # simplex
}


def distance_to_cosines(n: int, d: int, cosines, *, sign: float) -> float:
    """The largest distance of a pair cosine, at rest, to the nearest of `cosines`."""
    sphere = tkf.Sphere(d)
    start = sphere.uniform(jax.random.key(0), n)
    # beta = 4 separates neighbors faster than beta = 1, whose forces beyond degree two are weak
    model = tkf.Transformer(sphere, tkf.Softmax(4.0), V=sign * np.eye(d))
    run = tkf.solve(model, start, t1=2000.0, save="end", events=tkf.events.Steady(1e-6))
    assert run.result.name == "steady"
    x = np.asarray(run.final.points)
    found = (x @ x.T)[~np.eye(n, dtype=bool)]
    return float(np.max(np.min(np.abs(found[:, None] - np.asarray(cosines)), axis=1)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "d"), [pytest.param(n, d, marks=pytest.mark.slow) if n > 5 else (n, d) for n, d in TARGETS]
)
def test_2i_sharp_configurations(n, d):
    # speed 1e-6 with slowest rates of about 0.05: positions are good to some 1e-5
    assert distance_to_cosines(n, d, TARGETS[n, d], sign=-1.0) < 1e-3


def test_2i_fails_for_attraction():
    assert distance_to_cosines(4, 3, TARGETS[4, 3], sign=1.0) > 1
