"""Sinkhorn sweeps by fast sums equal those by direct sums: any Q, K, kernel, number of sweeps, weights, outliers."""

import jax
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import sums
from tokenfield.model.summing import choose_sums

N = 700
CASES = {
    "until converged": (2, tkf.Sinkhorn(4.0), {}),
    "until converged, any Q and K": (2, tkf.Sinkhorn(0.5, kernel="l2"), {"Q": [[1.0, 0.5], [0.0, 1.0]]}),
    "even, any Q and K": (2, tkf.Sinkhorn(1.5, 4), {"Q": [[1.0, 2.0], [0.0, 1.0]], "K": [[0.5, 0.0], [1.0, 1.0]]}),
    "odd, distances, S^2": (3, tkf.Sinkhorn(0.7, 3, kernel="l2"), {"K": np.diag([1.0, 0.5, 0.8])}),
}


@pytest.mark.parametrize("case", [pytest.param(c, marks=[pytest.mark.slow] * ("any" in c)) for c in CASES])
def test_fast_sweeps_equal_direct_ones(case, few_are_many):
    d, attention, matrices = CASES[case]
    model, rng = tkf.Transformer(tkf.Sphere(d), attention, **matrices), np.random.default_rng(0)
    x = rng.normal(size=(N, d)) + np.where(np.arange(N) == 5, -3.0, 3.0)[:, None]  # one token far from the others
    mu = tkf.Measure(x / np.linalg.norm(x, axis=1, keepdims=True), rng.uniform(0.1, 1, N) ** 4, geometry=model.geometry)
    assert choose_sums(model, mu)[0].expansion is not None

    def compute(mu):
        return model.velocity(0.0, mu.points, mu), attention.energy(model.pairs(0.0, mu)[0])

    found = jax.jit(lambda mu: compute(mu))(mu)
    with sums.forced("direct"):
        expected = jax.jit(lambda mu: compute(mu))(mu)
    for got, want in zip(found, expected, strict=True):
        # each sum is good to 1e-10, and so are converged rows; a few sweeps add a few of those
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-9)


def test_with_positions_scalings_stay_direct():
    causal = tkf.Transformer(tkf.Sphere(2), tkf.Sinkhorn(1.0), position=tkf.Causal())
    bare = tkf.Transformer(tkf.Sphere(2), tkf.Sinkhorn(1.0))
    mu = tkf.initial.uniform(tkf.Sphere(2), n=5000, seed=0)
    assert choose_sums(causal, mu)[0].name == "tiled" and choose_sums(bare, mu)[0].name == "fourier"
