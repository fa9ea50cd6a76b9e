"""The flow of clusters: the time until two tokens meet, pair by pair in extended precision."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.clusters import CONTACT, ClusterFlow


def literal(x: np.ndarray, v: np.ndarray, w: np.ndarray) -> float:
    """0.9 times the smallest |x_i - x_j|^2 / -<x_i - x_j, v_i - v_j> of pairs that approach each other."""
    x, v = np.asarray(x, np.longdouble), np.asarray(v, np.longdouble)
    times = [np.inf]
    for i in range(len(x)):
        for j in range(i):
            apart, closing = x[i] - x[j], -(x[i] - x[j]) @ (v[i] - v[j])
            if w[i] > 0 and w[j] > 0 and closing > 0:
                times.append((apart @ apart + CONTACT**2) / closing)
    return float(0.9 * min(times))


@pytest.mark.parametrize("gap", [0.3, 1e-5, 1e-9, 1e-12])
def test_steps_end_where_tokens_meet(gap):
    """Also for tokens much closer than the root of rounding, where inner products have lost all digits."""
    angles = np.array([0.0, gap, 1.5, 2.0, 2.0 - gap / 10])
    x = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    # the last row is left over: the token next to it moves towards it and will not meet it
    w = np.array([0.3, 0.3, 0.2, 0.2, 0.0])
    mu = eqx.tree_at(lambda mu: mu.weights, tkf.Measure(x), jnp.asarray(w))
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0))
    flow = ClusterFlow(model, mu, jnp.zeros(()), jnp.asarray(1.0), True)
    v = np.asarray(flow.velocity(jnp.zeros(()), flow.start))
    assert float(flow.largest_step(jnp.zeros(()), flow.start)) == pytest.approx(literal(x, v, w), rel=1e-9)


def test_resting_tokens_never_meet():
    mu = tkf.Measure(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    flow = ClusterFlow(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0)), mu, jnp.zeros(()), None, True)
    assert float(flow.largest_step(jnp.zeros(()), flow.start)) == np.inf
