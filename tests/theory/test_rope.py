"""Rotary positions: consensus and its rates on a ring (arXiv 2607.24502), logits of differences, hemispheres."""

from __future__ import annotations

import equinox as eqx
import jax
import numpy as np
import pytest
from scipy.special import iv

import tokenfield as tkf

N, D = 16, 3
RING = 2 * np.pi / N


def ring_model(beta: float, frequency: float = RING) -> tkf.Transformer:
    return tkf.Transformer(tkf.Sphere(D), tkf.Softmax(beta), position=tkf.RoPE([frequency]))


def ring_rate(m: int, beta: float) -> float:
    """1 - sum_l I_{m+ln}/sum_l I_{ln}: the decay of mode m of a perturbation of consensus on the ring n w = 2 pi."""
    wraps = N * np.arange(-20, 21)
    return float(1 - np.sum(iv(np.abs(m + wraps), beta)) / np.sum(iv(np.abs(wraps), beta)))


def consensus(x: np.ndarray) -> tkf.Measure:
    return tkf.Measure(np.tile(x, (N, 1)))


@eqx.filter_jit
def velocity_and_jacobian(model: tkf.Transformer, mu: tkf.Measure) -> tuple[jax.Array, jax.Array]:
    field = lambda y: model.velocity(0.0, y, mu.at(y))  # noqa: E731
    return field(mu.points), jax.jacfwd(field)(mu.points)


def transverse_rates(model: tkf.Transformer, x: np.ndarray) -> np.ndarray:
    """The eigenvalues, sorted, of the flow linearized at consensus, for perturbations tangent at x."""
    mu = consensus(x)
    velocity, jacobian = velocity_and_jacobian(model, mu)
    np.testing.assert_allclose(velocity, 0, atol=1e-15)  # consensus is an equilibrium
    frame = np.linalg.svd(x[None])[2][1:]  # orthonormal, orthogonal to x
    tangent = np.einsum("ac,icjd,bd->iajb", frame, np.asarray(jacobian), frame)
    values = np.linalg.eigvals(tangent.reshape(N * (D - 1), N * (D - 1)))
    return values[np.lexsort((values.imag, values.real.round(9)))]


def literal_attention(x: np.ndarray, beta: float, frequency: float) -> np.ndarray:
    """A_ij = softmax_j beta <x, R_{j-i} x>."""
    logits = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            c, s = np.cos(frequency * (j - i)), np.sin(frequency * (j - i))
            R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            logits[i, j] = beta * np.dot(x, R @ x)
    kernel = np.exp(logits)
    return kernel / kernel.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("x", "frequency"), [((1.0, 0.0, 0.0), RING), ((0.48, 0.6, 0.64), 0.3)])
def test_rates_at_consensus_are_those_of_attention(x, frequency):
    x, beta = np.array(x), 4.0
    expected = np.repeat(np.linalg.eigvals(literal_attention(x, beta, frequency)) - 1, D - 1)
    expected = expected[np.lexsort((expected.imag, expected.real.round(9)))]
    # eigenvalues of matrices close to symmetric ones are good to rounding times their condition
    np.testing.assert_allclose(transverse_rates(ring_model(beta, frequency), x), expected, atol=1e-10)
    # without rotations A is uniform, and all rates but one are -1
    assert np.max(np.abs(expected - transverse_rates(ring_model(beta, 0.0), x))) > 0.1


@pytest.mark.parametrize(("beta", "printed"), [(1.0, 0.55361), (4.0, 0.13648)])
def test_ring_rates_are_bessel_sums(beta, printed):
    rates = -transverse_rates(ring_model(beta), np.array([1.0, 0.0, 0.0])).real
    expected = sorted(ring_rate(m, beta) for m in range(N) for _ in range(D - 1))
    np.testing.assert_allclose(np.sort(rates), expected, atol=1e-12)  # a circulant matrix: rounding
    slowest = expected[D - 1]  # after one zero for each direction in which all move together
    assert slowest == pytest.approx(ring_rate(1, beta), rel=1e-12)
    assert slowest == pytest.approx(printed, abs=5e-6)  # the printed digits
    assert abs(slowest - (1 - iv(1, 2 * beta) / iv(0, 2 * beta))) > 0.01  # a wrong beta would show


def test_twisted_states_see_everything_alike():
    # th_j = c - j w: turned by their positions all tokens agree, so logits are equal and attention is uniform
    angles = 0.7 - RING * np.arange(N)
    x = np.stack([np.cos(angles), np.sin(angles), np.zeros(N)], axis=1)
    matrix = eqx.filter_jit(lambda mu: ring_model(4.0).attention_matrices(0.0, mu)[0])
    np.testing.assert_allclose(matrix(tkf.Measure(x)), 1 / N, atol=1e-15)  # rounding
    # their mean is zero on the ring: another equilibrium
    np.testing.assert_allclose(velocity_and_jacobian(ring_model(4.0), tkf.Measure(x))[0], 0, atol=1e-15)
    assert np.max(np.abs(matrix(tkf.Measure(x[::-1])) - 1 / N)) > 0.01


@pytest.mark.parametrize("kinds", [[tkf.RoPE([RING])], [tkf.RoPE([RING]), tkf.Causal(), tkf.ALiBi(0.1)]])
def test_only_differences_of_positions_matter(kinds):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(N, D))
    p = rng.permutation(N).astype(float)
    Q, K = rng.normal(size=(2, D, D))
    model = tkf.Transformer(tkf.Euclidean(D), tkf.Softmax(1.0), Q=Q, K=K, position=kinds)
    velocity = eqx.filter_jit(lambda mu: model.velocity(0.0, mu.points, mu))
    here, there, stretched = (velocity(tkf.Measure(x, positions=q)) for q in (p, p - 37.0, 2 * p))
    # angles up to 20 are rounded to 4e-15, and logits are of order 10
    np.testing.assert_allclose(there, here, atol=1e-12)
    assert np.max(np.abs(stretched - here)) > 1e-2
