"""Causal attention (arXiv 2411.04990): the prefix property, collapse to the first token."""

from __future__ import annotations

import numpy as np
import pytest

import oracles_position as oracle
import tokenfield as tkf

N, K_TOKENS, D = 8, 5, 4
ATTENTIONS = {
    "softmax": tkf.Softmax(2.0),
    "unnormalized": tkf.Unnormalized(1.3),
    "l2": tkf.L2(0.7),
    "sigmoid": tkf.Sigmoid(1.5, -0.4),
    "linear": tkf.Linear(1.7),
    "hardmax": tkf.Hardmax(),
    "krause": tkf.Krause(1.2),
    "sinkhorn": tkf.Sinkhorn(1.5),
    "sinkhorn-2": tkf.Sinkhorn(1.5, 2),
}
POSITIONS = {
    "causal": tkf.Causal(),
    "causal-alibi": [tkf.Causal(), tkf.ALiBi(0.4)],
    "causal-rope": [tkf.Causal(), tkf.RoPE()],
    "causal-window": [tkf.Causal(), tkf.Window(2.0)],
}
# rounding: the sums of the long and the short system have different lengths, so they are blocked and vectorized
# differently, and weights divided by sum_1^n w are not bitwise those divided by sum_1^k w; hence not bitwise equal
ROUNDING = 1e-13
SINKHORN = 3e-10  # scaled until row sums are good to 1e-10, after numbers of sweeps that may differ


def prompt(n: int, d: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Points on the sphere and unequal weights."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True), rng.uniform(0.5, 2.0, n)


def causal_or_not(attention: tkf.Attention, position) -> tkf.Transformer:
    """A model with arbitrary matrices: with Q = K = I every token's hardmax is itself, and nothing moves."""
    Q, K, V = np.random.default_rng(1).normal(size=(3, D, D)) / 2
    return tkf.Transformer(tkf.Sphere(D), attention, Q=Q, K=K, V=V, position=position)


def prefix_gap(model: tkf.Transformer) -> float:
    """How much the first tokens' velocities change when the later tokens are dropped.

    The short system's weights are w_1..w_k divided by their own sum. This is what query i <= k sees anyway: mu_i is
    the part of mu at or before p_i divided by its mass, for every attention, so unequal weights need no correction.
    """
    x, w = prompt(N, D)
    whole, part = tkf.Measure(x, w), tkf.Measure(x[:K_TOKENS], w[:K_TOKENS])
    long, short = (np.asarray(model.velocity(0.0, mu.points, mu)) for mu in (whole, part))
    assert np.max(np.abs(short)) > 0.1
    return float(np.max(np.abs(long[:K_TOKENS] - short)))


QUICK = {("softmax", position) for position in POSITIONS}
QUICK |= {(attention, "causal") for attention in ("unnormalized", "sigmoid", "hardmax", "sinkhorn-2")}
# fixed sweeps stand for Sinkhorn elsewhere: its loop to a tolerance takes long to compile
PAIRS = [
    pytest.param(a, b, marks=[] if (a, b) in QUICK else pytest.mark.slow)
    for a in ATTENTIONS
    for b in POSITIONS
    if a != "sinkhorn" or b == "causal"
]


@pytest.mark.slow
@pytest.mark.parametrize(("attention", "position"), PAIRS)
def test_prefix_property_of_the_velocity(attention, position):
    model = causal_or_not(ATTENTIONS[attention], POSITIONS[position])
    assert prefix_gap(model) < (SINKHORN if attention == "sinkhorn" else ROUNDING)


@pytest.mark.parametrize("position", [None, tkf.Window(2.0), tkf.ALiBi(0.4)])
def test_without_a_mask_the_future_matters(position):
    assert prefix_gap(causal_or_not(tkf.Softmax(2.0), position)) > 1e-2


def test_masked_then_scaled_sinkhorn_sees_the_future():
    # why causal Sinkhorn is defined by prefixes: column sums of the masked kernel run over the future
    x, w = prompt(N, D)
    part = w[:K_TOKENS] / w[:K_TOKENS].sum()
    for sweeps, gap in ((1, 0.0), (3, 1e-2)):
        long = oracle.masked_sinkhorn(x, w / w.sum(), 1.5, sweeps)[:K_TOKENS, :K_TOKENS]
        short = oracle.masked_sinkhorn(x[:K_TOKENS], part, 1.5, sweeps)
        # one sweep is causal softmax, which keeps the property
        assert (np.max(np.abs(long - short)) > gap) if gap else np.allclose(long, short, atol=1e-14)
    # and it tends to the identity, like 1/sweeps: tokens would no longer interact
    assert np.max(np.abs(oracle.masked_sinkhorn(x, w / w.sum(), 1.5, 20_001) - np.eye(N))) < 1e-2


@pytest.mark.parametrize(
    ("attention", "position"),
    [
        ("softmax", [tkf.Causal(), tkf.ALiBi(0.4), tkf.RoPE()]),
        ("unnormalized", tkf.Causal()),
        ("sinkhorn-2", tkf.Causal()),
    ],
)
@pytest.mark.slow
def test_prefix_property_along_a_flow(attention, position):
    model = causal_or_not(ATTENTIONS[attention], position)
    x, w = prompt(N, D)
    # with fixed steps: an adaptive step is chosen by all tokens together, also by the later ones
    long, short = (
        np.asarray(tkf.solve(model, tkf.Measure(x[:k], w[:k]), t1=2.0, method="rk4", step=0.1, save="end").final.points)
        for k in (N, K_TOKENS)
    )
    np.testing.assert_allclose(long[:K_TOKENS], short, atol=1e-13)  # rounding, over 20 steps
    assert np.max(np.abs(long[:K_TOKENS] - x[:K_TOKENS])) > 0.1


# --- 7a: V = I, every token goes to x_1(0) --------------------------------------------------------------------------


EARLY = 2.0


def points_along(model: tkf.Transformer, mu: tkf.Measure, t1: float) -> np.ndarray:
    """The tokens (2, n, d) at a time when they are still apart, and at the end."""
    run = tkf.solve(model, mu, t1=t1, rtol=1e-6, save=[EARLY, t1])
    assert run.result.name == "finished"
    return np.asarray(run.points)


def causal_model(beta: float, *, seed: int | None = None) -> tkf.Transformer:
    """Causal attention with V = I; with a seed, Q and K are arbitrary."""
    Q, K = (np.eye(3), np.eye(3)) if seed is None else np.random.default_rng(seed).normal(size=(2, 3, 3))
    return tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta), Q=Q, K=K, position=tkf.Causal())


@pytest.mark.slow
def test_without_a_mask_tokens_meet_elsewhere():
    x, _ = prompt(16, 3, seed=2)
    # equal positions see each other: nothing is hidden
    _, end = points_along(causal_model(1.0), tkf.Measure(x, positions=np.zeros(16)), 400.0)
    assert np.min(end @ end[0]) > 1 - 1e-6
    assert end[0] @ x[0] < 0.99


def test_first_is_by_position_and_not_by_index():
    x, w = prompt(16, 3, seed=2)
    order = np.random.default_rng(0).permutation(16)
    assert order[0] != 0
    model = causal_model(1.0)
    early, _ = points_along(model, tkf.Measure(x, w), 400.0)
    shuffled_early, shuffled_end = points_along(model, tkf.Measure(x[order], w[order], positions=order), 400.0)
    assert np.min(shuffled_end @ x[0]) > 1 - 1e-6
    # the same steps up to rounding, which the controller may turn into steps that differ within its tolerance
    np.testing.assert_allclose(shuffled_early, early[order], atol=1e-7)
    unordered, _ = points_along(model, tkf.Measure(x[order], w[order]), 400.0)
    assert np.max(np.abs(unordered - early[order])) > 0.1
