"""Small bandwidth (THEORY 5c): what the kernels e^{-|x - y|^2 / (2 eps)} do to a smooth density as eps -> 0.

The drift (1/eps) int k (y - x) dmu tends to (1/2) grad log rho for Sinkhorn, to grad log rho for rows that are
normalized once, and without normalization to grad rho (arXiv 2110.11773). Densities are weights on a regular grid, so
that sums are integrals to far better than any tolerance here, as long as the bandwidth is several spacings.
"""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tokenfield as tkf

EPS = (0.02, 0.01, 0.005)
N, HALF_WIDTH = 1000, 5.5
X = np.linspace(-HALF_WIDTH, HALF_WIDTH, N)  # the spacing 0.011 is a sixth of the smallest bandwidth
MIXTURE_MEAN, MIXTURE_SD = 1.5, 0.8


def normal():
    """The standard normal density on the grid and the derivative of its logarithm."""
    return np.exp(-(X**2) / 2) / np.sqrt(2 * np.pi), -X


def mixture():
    """Two equal normal laws at +-1.5 with standard deviation 0.8: neither Gaussian nor log-concave."""
    m, s = MIXTURE_MEAN, MIXTURE_SD
    left, right = (np.exp(-((X - c) ** 2) / (2 * s**2)) / (2 * s * np.sqrt(2 * np.pi)) for c in (-m, m))
    return left + right, (-(X + m) * left - (X - m) * right) / (s**2 * (left + right))


@jax.jit
def drift(attention, mu, eps):
    model = tkf.Transformer(tkf.Euclidean(1), attention, relative=True)
    return model.velocity(0.0, mu.points, mu)[:, 0] / eps


def drifts(make, rho):
    """The drifts (3, N) at the three bandwidths; beta = 1/(2 eps)."""
    mu = tkf.Measure(X[:, None], rho)
    return np.array([drift(make(1 / (2 * eps)), mu, eps) for eps in EPS])


def slopes(values, target, rho):
    """Least-squares slopes through the origin, where the density is more than 5% of its maximum."""
    bulk = rho > 0.05 * rho.max()
    return values[:, bulk] @ target[bulk] / np.sum(target[bulk] ** 2)


def row(beta):
    return tkf.L2(beta)


def scaled(beta):
    return tkf.Sinkhorn(beta, kernel="l2")


def test_normal_density_has_closed_forms():
    """N(0, 1): rows give -x/(1 + eps) and Sinkhorn (g - 1) x / eps with g of THEORY section 4 at a = 1/eps."""
    rho, score = normal()
    eps = np.array(EPS)
    g = (np.sqrt(1 + 4 / eps**2) - 1) / (2 / eps)
    bulk = np.abs(X) < 2.5
    # the grid ends at 5.5, where the density is 3e-7 of its maximum: that is all that is missing
    rows, both = drifts(row, rho), drifts(scaled, rho)
    np.testing.assert_allclose(rows[:, bulk], score[bulk] / (1 + eps[:, None]), rtol=0, atol=1e-5)
    np.testing.assert_allclose(both[:, bulk], ((1 - g) / eps)[:, None] * score[bulk], rtol=0, atol=1e-5)


def test_slopes_of_sinkhorn_and_of_rows():
    """The slopes measured for this project: .4953, .4976, .4988 (Sinkhorn) and .967, .983, .991 (rows) to 2%."""
    rho, score = mixture()
    both, rows = slopes(drifts(scaled, rho), score, rho), slopes(drifts(row, rho), score, rho)
    np.testing.assert_allclose(both, [0.4953, 0.4976, 0.4988], rtol=0.02)
    np.testing.assert_allclose(rows, [0.967, 0.983, 0.991], rtol=0.02)
    # this mixture comes within 0.1% of them, so that a wrong order in eps shows too
    np.testing.assert_allclose(both, [0.4953, 0.4976, 0.4988], rtol=1e-3)
    np.testing.assert_allclose(rows, [0.967, 0.983, 0.991], rtol=1e-3)
    for values, limit in ((both, 0.5), (rows, 1.0)):
        assert 1.8 < (limit - values[0]) / (limit - values[1]) < 2.2  # first order in eps
    # the controls: neither limit fits the other
    assert np.all(np.abs(both - rows) > 0.4)


@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_only_sinkhorn_is_insensitive_to_the_tilt_of_products(shift):
    """e^{x.y/eps} is e^{-|x-y|^2/(2 eps)} tilted by e^{|y|^2/(2 eps)}: Sinkhorn divides it out, softmax does not."""
    rho, score = mixture()
    mu, eps = tkf.Measure((X + shift)[:, None], rho), EPS[0]
    products, softmax = (
        np.asarray(drift(attention, mu, eps)) for attention in (tkf.Sinkhorn(1 / eps), tkf.Softmax(1 / eps))
    )
    distances = np.asarray(drift(tkf.Sinkhorn(1 / (2 * eps), kernel="l2"), mu, eps))
    bulk = rho > 0.05 * rho.max()
    # both are scaled to row sums of 1 within 1e-10, which is divided by eps
    np.testing.assert_allclose(products[bulk], distances[bulk], rtol=0, atol=1e-6)
    assert np.abs(softmax[bulk] - score[bulk]).max() > 1.0
