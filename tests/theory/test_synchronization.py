"""The threshold beta = -2/3 of synchronization on the circle (THEORY 11d, arXiv 2507.22857).

Unnormalized attention, th_i' = -(1/n) sum_j f(th_i - th_j) with f(u) = e^{beta cos u} sin u. Three equal clusters at
120 degrees are an equilibrium at which every displacement of the clusters with mean zero moves at the rate
-f'(120 deg) = e^{-beta/2} (1/2 + 3 beta/4): unstable above -2/3, stable below. Random starts do not see the threshold
(they synchronize far below it), so the runs start close to the three clusters.
What becomes of them is in tests/claims/test_newer.py.
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import theory

BETAS = np.array([-0.62, -0.65, -0.68, -0.72])
COPIES, DISPLACEMENT, T1 = 3, 1e-3, 400.0
TIMES = np.linspace(0.0, T1, 41)
CORNERS = 2 * np.pi * np.arange(3) / 3


@eqx.filter_jit
def flows(betas, x):
    def one(beta):
        model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta))
        return tkf.solve(model, tkf.Measure(x), t1=T1, method="rk4", step=0.5, save=TIMES).points

    return jax.vmap(one)(betas)


@cache
def angles() -> np.ndarray:
    """(4, T, 3, 3): angles of three clusters of three tokens from 120 degrees, all displaced by about 1e-3."""
    start = np.repeat(CORNERS, COPIES) + DISPLACEMENT * np.random.default_rng(0).normal(size=3 * COPIES)
    x = np.asarray(flows(jnp.asarray(BETAS), jnp.asarray(np.stack([np.cos(start), np.sin(start)], axis=1))))
    return np.arctan2(x[..., 1], x[..., 0]).reshape(len(BETAS), len(TIMES), 3, COPIES)


def displacement(theta: np.ndarray) -> np.ndarray:
    """The size of the displacement of the cluster means from 120 degrees, less their common rotation, (..., T)."""
    moved = np.angle(np.exp(1j * (theta - CORNERS[:, None]))).mean(axis=-1)
    return np.linalg.norm(moved - moved.mean(axis=-1, keepdims=True), axis=-1)


def test_11d_rates_vanish_at_minus_two_thirds():
    linear = TIMES <= 30.0
    found = np.array([np.polyfit(TIMES[linear], np.log(size[linear]), 1)[0] for size in displacement(angles())])
    expected = np.exp(-BETAS / 2) * (1 / 2 + 3 * BETAS / 4)
    # displacements of up to 2e-3 change the rate by their own size, since f'' is of order one
    np.testing.assert_allclose(found, expected, atol=1e-3)
    # the rate is nearly linear in beta here: its zero by a parabola through the four is good to the rates' own error
    roots = np.roots(np.polyfit(BETAS, found, 2))
    root = roots[np.argmin(np.abs(roots + 0.67))].real
    assert root == pytest.approx(float(theory.synchronization_threshold()), abs=2e-3)
    # the control: at a threshold of -0.62 or -0.72 the rate is far from zero
    assert np.all(np.abs(found[[0, -1]]) > 0.03)
