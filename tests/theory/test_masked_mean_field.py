"""The masked mean field (arXiv 2501.18322): a joint measure on (position in [0, 1], token), weights of tau <= s only.

Gamma(s, x) = int V y e^{Ax.y} 1_{tau <= s} / int e^{Ax.y} 1_{tau <= s}, and positions do not move. Particles that
share a position see each other. That is what lets joint measures with atoms in s, and so limits of particles, exist.
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ndtri

import tokenfield as tkf

Q, K, V = np.random.default_rng(3).normal(size=(3, 2, 2)) / 2
MODEL = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.5), Q=Q, K=K, V=V, position=tkf.Causal())


@eqx.filter_jit
def velocity(x, mu, s):
    return MODEL.velocity(0.0, x, mu, positions=s)


def masked_field(s, x, mu, *, tau=None) -> np.ndarray:
    """Gamma(s_i, x_i), literally: one integral over mu after the other; `tau` are other positions for the mask."""
    y, w = np.asarray(mu.points), np.asarray(mu.weights)
    tau = np.asarray(mu.positions) if tau is None else tau
    out = np.empty_like(x)
    for i in range(len(x)):
        above, below = np.zeros(2), 0.0
        for j in range(len(y)):
            if tau[j] <= s[i]:
                kernel = w[j] * np.exp(1.5 * (K.T @ Q @ x[i]) @ y[j])
                above, below = above + kernel * (V @ y[j]), below + kernel
        out[i] = above / below
    return out


def joint_measure(n: int = 12) -> tkf.Measure:
    """Tokens of unequal weights, three at each of n/3 positions of [0, 1], in no order."""
    rng = np.random.default_rng(0)
    positions = rng.permutation(np.repeat(np.linspace(0.1, 0.9, n // 3), 3))
    return tkf.Measure(rng.normal(size=(n, 2)), rng.uniform(0.5, 2.0, n), positions=positions)


ROUNDING = 1e-13  # sums of a dozen terms of order one


def test_field_is_the_masked_integral():
    mu = joint_measure()
    x, s = np.asarray(mu.points), np.asarray(mu.positions)
    found = np.asarray(velocity(mu.points, mu, mu.positions))
    np.testing.assert_allclose(found, masked_field(s, x, mu), atol=ROUNDING)
    # and at (s, x) off the measure, between its positions
    elsewhere, between = x + 0.3, np.clip(s + 0.05, 0.0, 1.0)
    off = np.asarray(velocity(jnp.asarray(elsewhere), mu, jnp.asarray(between)))
    np.testing.assert_allclose(off, masked_field(between, elsewhere, mu), atol=ROUNDING)
    # the controls: no mask, and a mask by index, as if equal positions did not see each other
    assert np.abs(found - masked_field(s, x, mu, tau=np.zeros(12))).max() > 0.1
    by_index = s + 1e-6 * np.arange(12)
    assert np.abs(found - masked_field(by_index, x, mu, tau=by_index)).max() > 0.1


def test_block_of_one_position_is_exchangeable():
    mu = joint_measure()
    found = np.asarray(velocity(mu.points, mu, mu.positions))
    order = np.random.default_rng(1).permutation(12)
    shuffled = tkf.Measure(mu.points[order], mu.weights[order], positions=mu.positions[order])
    again = np.asarray(velocity(shuffled.points, shuffled, shuffled.positions))
    np.testing.assert_allclose(again, found[order], atol=ROUNDING)


def test_block_of_one_position_can_be_merged():
    """Three equal tokens at one position are one token of three times the mass; at three positions they are not."""
    mu = joint_measure()
    x, w, s = (np.array(a) for a in (mu.points, mu.weights, mu.positions))
    block = s == s[0]
    x[block] = x[0]
    split = tkf.Measure(x, w, positions=s)
    # the merged token has the mass of the block, and what is left of the block next to nothing, to keep the shape
    heavy = np.where(block, 1e-30, w)
    heavy[0] = w[block].sum()
    merged = tkf.Measure(x, heavy, positions=s)
    both = [np.asarray(velocity(nu.points, nu, nu.positions)) for nu in (split, merged)]
    np.testing.assert_allclose(*both, atol=ROUNDING)
    apart = tkf.Measure(x, w, positions=s + np.where(block, 0.25 * np.arange(12), 0.0))
    assert np.abs(np.asarray(velocity(apart.points, apart, apart.positions)) - both[0]).max() > 1e-2


def test_without_dependence_on_position_the_mask_does_nothing():
    """mu = (any law of s) x (any law of x): every s sees the same law of x, so the flow is the unmasked one."""
    rng = np.random.default_rng(2)
    x, w, levels, masses = rng.normal(size=(4, 2)), rng.uniform(0.5, 2, 4), [0.2, 0.5, 0.8], np.array([1.0, 3.0, 2.0])
    mu = tkf.Measure(np.tile(x, (3, 1)), np.outer(masses, w).ravel(), positions=np.repeat(levels, 4))
    alone = tkf.Measure(x, w, positions=np.zeros(4))
    expected = masked_field(np.zeros(4), x, alone)
    found = np.asarray(velocity(mu.points, mu, mu.positions)).reshape(3, 4, 2)
    np.testing.assert_allclose(found, np.broadcast_to(expected, (3, 4, 2)), atol=ROUNDING)


# --- flows ----------------------------------------------------------------------------------------------------------

N = 256
SIZES, SEEDS, T1 = (16, 64, 256), 4, 1.5


@eqx.filter_jit
def flows(x, positions):
    """The ends (b, N, 2) of b systems on the circle, and their positions."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0), position=tkf.Causal())

    def one(points, s):
        return tkf.solve(model, tkf.Measure(points, positions=s), t1=T1, method="rk4", step=0.1, save="end").final

    final = jax.vmap(one)(x, positions)
    return final.points, final.positions, final.weights


def padded(s: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """N tokens: those given, and others at the position 2, which nobody in [0, 1] sees: one shape for all sizes."""
    missing = N - len(s)
    theta = np.concatenate([theta, np.linspace(0, 6, missing)])
    return np.concatenate([s, np.full(missing, 2.0)]), np.stack([np.cos(theta), np.sin(theta)], axis=1)


def law(s: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Angles from uniform u: normal of standard deviation 1/2 around 2.5 s, so that tokens depend on positions."""
    return 2.5 * s + 0.5 * ndtri(u)


def lattice(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A golden lattice of (s, theta): integrals to O(log n / n)."""
    i = np.arange(n) + 0.5
    s = i / n
    return s, law(s, (i * (np.sqrt(5) - 1) / 2) % 1.0)


@cache
def ends() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """(start, end, positions, weights) of every system of this file, solved as one batch."""
    rng = np.random.default_rng(7)
    systems = {"lattice": padded(*lattice(N))}
    for n in SIZES:
        for seed in range(SEEDS):
            s, u = rng.uniform(size=(2, n))
            systems[f"iid {n} {seed}"] = padded(s, law(s, u))
    s, theta = lattice(N)
    systems["other future"] = padded(s, np.where(s > 0.5, rng.uniform(0, 6, N), theta))
    systems["product"] = padded(np.repeat(np.linspace(0.1, 0.9, 16), 16), np.tile(theta[:16], 16))
    systems["unmasked"] = padded(np.zeros(16), theta[:16])
    s, x = (np.array([system[k] for system in systems.values()]) for k in (0, 1))
    found, positions, weights = (np.asarray(a) for a in flows(jnp.asarray(x), jnp.asarray(s)))
    return {name: (x[i], found[i], positions[i], weights[i]) for i, name in enumerate(systems)}


@pytest.mark.slow
def test_flow_keeps_the_law_of_positions():
    rng = np.random.default_rng(7)
    for n in SIZES:
        for seed in range(SEEDS):
            start, end, positions, weights = ends()[f"iid {n} {seed}"]
            s, _ = rng.uniform(size=(2, n))  # as drawn: each token has kept its own position and mass
            np.testing.assert_array_equal(positions, np.append(s, np.full(N - n, 2.0)))
            np.testing.assert_array_equal(weights, np.full(N, 1 / N))
            assert np.abs(end[:n] - start[:n]).max() > 0.1


@pytest.mark.slow
def test_prefix_up_to_s_does_not_depend_on_the_rest():
    s, _ = lattice(N)
    one, other = ends()["lattice"][1], ends()["other future"][1]
    # rounding over 15 steps; what is not seen is multiplied by zero, so that it is nearly exact
    np.testing.assert_allclose(one[s <= 0.5], other[s <= 0.5], atol=1e-13)
    assert np.abs(one[s > 0.5] - other[s > 0.5]).max() > 0.1


@pytest.mark.slow
def test_product_measure_stays_a_product():
    product, alone = ends()["product"][1].reshape(16, 16, 2), ends()["unmasked"][1][:16]
    np.testing.assert_allclose(product, np.broadcast_to(alone, (16, 16, 2)), atol=1e-12)  # rounding over 15 steps
    assert np.abs(alone - ends()["unmasked"][0][:16]).max() > 0.3  # it moved
