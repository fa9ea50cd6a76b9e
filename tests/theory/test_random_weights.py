"""Random weights in depth: the exact law of two tokens under white value matrices (THEORY 12.1, arXiv 2604.01978).

With Q = K = I and the entries of V white in depth, the cosine R of two tokens obeys
dR = (1 - R^2) {[-R + q(R + d - 2)] dt + sqrt(2(1 - q)) dB},  q = sech^2(beta(1 - R)/2) / 2.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.model import schedule


def half_sech2(R, beta):
    return 2 * np.exp(-2 * np.logaddexp(beta * (1 - R) / 2, -beta * (1 - R) / 2))


def drift(R, beta, d):
    return (1 - R**2) * (-R + half_sech2(R, beta) * (R + d - 2))


def variance(R, beta):
    return (1 - R**2) ** 2 * 2 * (1 - half_sech2(R, beta))


def pair(R, d) -> np.ndarray:
    """Two tokens of cosine R, written so that 1 + R keeps its digits near R = -1 and 1 - R near R = 1."""
    x = np.zeros((2, d))
    x[:, 0], x[:, 1] = np.sqrt((1 + R) / 2), [np.sqrt((1 - R) / 2), -np.sqrt((1 - R) / 2)]
    return x


def make_model(beta, d, *, period, key, law=schedule.ginibre):
    weights = schedule.Resampled(tkf.Softmax(beta), d, period=period, seed=key, logits=None, values=law, white=True)
    return tkf.Transformer(tkf.Sphere(d), weights)


def opposite(key, d):
    return -schedule.ginibre(key, d)


H, KEYS = 1e-4, 16_000


@partial(jax.jit, static_argnums=2)
def one_layer(beta, x, d):
    """|x - y|^2 / 2 = 1 - R and |x + y|^2 / 2 = 1 + R after one layer, for V and for -V: (2, 2, KEYS)."""

    def after(key, law):
        model = make_model(beta, d, period=H, key=key, law=law)
        a, b = model.layer(0.0, tkf.Measure(x), step=H).points
        return jnp.stack([jnp.sum((a - b) ** 2), jnp.sum((a + b) ** 2)]) / 2

    keys = jax.random.split(jax.random.key(0), KEYS)
    return jnp.stack([jax.vmap(partial(after, law=law), out_axes=1)(keys) for law in (schedule.ginibre, opposite)])


def error_in_se(samples, expected) -> float:
    return abs(np.mean(samples) - expected) / (np.std(samples) / np.sqrt(samples.size))


@pytest.mark.parametrize("d", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_one_layer_has_the_drift_and_variance_of_the_law(d):
    for R in (-0.9, -0.3, 0.0, 0.6):
        for beta in (0.5, 2.0, 6.0):
            moved = 1 - np.asarray(one_layer(beta, pair(R, d), d))[:, 0] - R
            # V and -V together leave no martingale: what is left is the drift, with errors of order H = 1e-4
            assert error_in_se(moved.mean(axis=0) / H, drift(R, beta, d)) < 4, (R, beta)
            assert error_in_se(moved[0] ** 2 / H, variance(R, beta)) < 4, (R, beta)


def test_a_wrong_law_fails():
    """Controls: private matrices (no q in the drift), a missing sqrt(period), or another beta are seen."""
    R, beta, d = 0.0, 2.0, 3
    moved = 1 - np.asarray(one_layer(beta, pair(R, d), d))[:, 0] - R
    means, squares = moved.mean(axis=0) / H, moved[0] ** 2 / H
    assert error_in_se(means, -R * (1 - R**2)) > 10
    assert error_in_se(means, drift(R, 1.5, d)) > 4
    assert error_in_se(squares, 2 * (1 - R**2) ** 2) > 4
    assert error_in_se(squares, H * variance(R, beta)) > 10


# --- where pairs end ----------------------------------------------------------------------------------------------

# THEORY has .0219 for d = 5, beta = 1, just above the threshold, where the scale function has a tail (1 + R)^{0.1}: cut
# off at the rounding of R, 1e-15, the quadrature gives that number, and .0212 without the cut.
ANTIPODAL = {
    (3, 1.0): 0.2224, (3, 2.0): 0.3364, (3, 4.0): 0.4068, (5, 1.0): 0.0212, (5, 2.0): 0.1893, (5, 4.0): 0.3308,
    (8, 2.0): 0.0929, (8, 4.0): 0.2758,
}  # fmt: skip


def antipodal_probability(d: int, beta: float, *, lowest: float = -100.0) -> float:
    """P(R -> -1 | R(0) = 0) = int_0^1 s' / int_{-1}^1 s', s' = exp(-int 2 drift / variance), trapezoidal rule.

    With R = tanh u, s' dR = exp(-int (-R + q(R+d-2)) / (1-q) du) sech^2 u du, smooth and of exponential decay.
    """
    u = np.linspace(-100, 100, 200_001)
    R = np.tanh(u)
    q = half_sech2(R, beta)
    slope = (-R + q * (R + d - 2)) / (1 - q)
    inner = np.concatenate([[0.0], np.cumsum((slope[1:] + slope[:-1]) / 2 * np.diff(u))])
    log_scale = inner[len(u) // 2] - inner - 2 * np.logaddexp(u, -u)
    scale = np.where(u < lowest, 0.0, np.exp(log_scale))
    middle = len(u) // 2
    return float((scale[middle] / 2 + np.sum(scale[middle + 1 :])) / np.sum(scale))


@pytest.mark.parametrize(("d", "beta"), ANTIPODAL)
def test_12_1_antipodal_probabilities_by_quadrature(d, beta):
    assert antipodal_probability(d, beta) == pytest.approx(ANTIPODAL[d, beta], abs=6e-5)  # four digits are given


def test_12_1_antipodal_probability_tends_to_one_half():
    # the region 1 - R < 1/beta, where tokens still attract, has a part beta^{-1/2} of the scale: extrapolated away
    first, second = antipodal_probability(5, 128.0), antipodal_probability(5, 512.0)
    assert first < second < 0.5
    assert 2 * second - first == pytest.approx(0.5, abs=2e-3)


def test_12_1_without_the_cut_at_rounding_the_tail_counts():
    assert antipodal_probability(5, 1.0, lowest=-17.0) == pytest.approx(0.0219, abs=2e-4)


# --- the antipodal threshold --------------------------------------------------------------------------------------


def threshold(d: int) -> float:
    return float(np.arccosh(np.sqrt((d - 1) / 2)))


def test_12_1_thresholds():
    table = {4: 0.6585, 5: 0.8814, 8: 1.2389, 16: 1.6655, 64: 2.4101, 512: 3.4638}
    for d, value in table.items():
        assert threshold(d) == pytest.approx(value, abs=5e-5)  # four digits are given
        # where the Lyapunov exponent 2(q(d-1) - 1) at R = -1 vanishes
        assert half_sech2(-1.0, value) * (d - 1) == pytest.approx(1, abs=2e-4)
