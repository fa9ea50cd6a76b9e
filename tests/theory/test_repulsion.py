"""Repulsive tokens (V = -I) on the sphere spread to the sharp configurations that minimize the energy (2312.10794)."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf

TARGETS = {
    (12, 3): [1 / np.sqrt(5), -1 / np.sqrt(5), -1.0],  # icosahedron
    (5, 4): [-1 / 4],  # simplex
}  # tetrahedron and octahedron, and the control with attraction, are the claim glpr25-sharp-configurations


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d"), TARGETS)
def test_2i_sharp_configurations(n, d):
    sphere = tkf.Sphere(d)
    start = sphere.uniform_points(n, seed=0)
    # beta = 4 separates neighbors faster than beta = 1, whose forces beyond degree two are weak
    model = tkf.Transformer(sphere, tkf.Softmax(4.0), V=-np.eye(d))
    run = tkf.solve(model, start, t1=2000.0, save="end", events=tkf.events.Steady(1e-6))
    assert run.result.name == "steady"
    x = np.asarray(run.final.points)
    found = (x @ x.T)[~np.eye(n, dtype=bool)]
    # the largest distance of a pair cosine to the nearest target; speed 1e-6 with slowest rates of about 0.05:
    # positions are good to some 1e-5
    assert np.max(np.min(np.abs(found[:, None] - np.asarray(TARGETS[n, d])), axis=1)) < 1e-3
