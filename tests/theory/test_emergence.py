"""Softmax attention in R^d without normalization, in the rescaled frame z = e^{-tV} x (arXiv 2305.05465).

What the paper proves about it is in tests/claims/test_emergence_of_clusters.py and test_emergence_limits.py; here is
the frame itself, which those claims stand on.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial import ConvexHull

import tokenfield as tkf

SAVE = 51  # the same in both tests: the rescaled flow is compiled once


def distance_to_limit_set(z):
    """max_i | |z_i|^2 - max_v <z_i, v> | over the vertices v of the hull: 0 on the set of possible limits."""
    vertices = z[ConvexHull(z).vertices]
    return np.max(np.abs(np.sum(z**2, axis=1) - np.max(z @ vertices.T, axis=1)))


@pytest.mark.slow
def test_rescaled_frame_is_the_unscaled_flow():
    """z = e^{-tV} x along a whole run, for a V that is neither symmetric nor diagonal."""
    V = np.array([[0.64709742, 0.81911926], [0.61210449, 0.63263484]])
    start = np.random.default_rng(1).uniform(-1, 1, size=(20, 2))
    ends = []
    for rescaled in (False, True):
        model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=V, rescaled=rescaled)
        run = tkf.solve(model, start, t1=1.0, save=SAVE, rtol=1e-9, atol=1e-11)
        ends.append(np.asarray(run.points)[[SAVE // 2, -1]])
    x, z = ends
    for k, t in enumerate((0.5, 1.0)):
        # some dozen steps at rtol = 1e-9
        np.testing.assert_allclose(z[k] @ expm(t * V).T, x[k], rtol=0, atol=1e-7)


def test_t_50_in_the_rescaled_frame_is_finite():
    """At t = 50 the unscaled logits would be e^{100}."""
    start = np.random.default_rng(0).uniform(-5, 5, size=(20, 2))
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=np.eye(2), rescaled=True)
    run = tkf.solve(model, start, t1=50.0, save=SAVE, rtol=1e-9, atol=1e-11)
    assert run.result.name == "finished"
    assert np.all(np.isfinite(np.asarray(run.points)))
    assert distance_to_limit_set(np.asarray(run.final.points)) < 1e-6
