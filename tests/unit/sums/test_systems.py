"""Sums over many small systems, in both arrangements, against sums that are written out pair by pair."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield.sums.systems import SYSTEMS_FIRST, SYSTEMS_LAST

ARRANGEMENTS = {"first": SYSTEMS_FIRST, "last": SYSTEMS_LAST}


def tokens(n: int, d: int = 3, systems: int = 5) -> np.ndarray:
    """Unit vectors (S, n, d), some of them close to each other."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(systems, n, d))
    x[:, n // 2] = x[:, 0] + 0.01 * rng.normal(size=(systems, d))
    return x / np.linalg.norm(x, axis=2, keepdims=True)


@pytest.mark.parametrize("name", ARRANGEMENTS)
@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_against_pairs(name, n):
    """Also for even and odd rings, and beta < 0."""
    arrangement, x = ARRANGEMENTS[name], tokens(n)
    beta = np.array([-1.0, 0.0, 0.5, 3.0, 50.0])
    held = arrangement.arrange(jnp.asarray(x))
    np.testing.assert_array_equal(arrangement.arrange(held), x)
    sums, total = arrangement.kernel_sums(held, arrangement.per_system(jnp.asarray(beta)))
    sums = arrangement.arrange(sums)
    total = np.moveaxis(np.asarray(total), arrangement.axis, 0)[0]
    total = total if name == "first" else total.T
    for s in range(len(x)):
        for i in range(n):
            kernel = [np.exp(beta[s] * (x[s, i] @ x[s, j] - 1)) for j in range(n)]
            np.testing.assert_allclose(total[s, i], sum(kernel), rtol=1e-13)
            wanted = sum(k * x[s, j] for j, k in enumerate(kernel))
            np.testing.assert_allclose(sums[s, i], wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ARRANGEMENTS)
@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_pairs_above_a_level(name, n):
    arrangement, x = ARRANGEMENTS[name], tokens(n)
    held = arrangement.arrange(jnp.asarray(x))
    cosines = np.array([[[x[s, i] @ x[s, j] for j in range(n)] for i in range(n)] for s in range(len(x))])
    np.testing.assert_allclose(arrangement.cosines(held), cosines, rtol=0, atol=1e-15)
    others = ~np.eye(n, dtype=bool)
    for level in (-0.5, 0.3, 0.99):
        wanted = np.mean(cosines[:, others] > level, axis=1)
        np.testing.assert_allclose(arrangement.fraction_above(held, level), wanted, rtol=0, atol=1e-15)
    assert np.mean(cosines[:, others] > 0.99) > 0  # some are that close
