"""How far tokens are from where they should be: losses of `steer`, traced by JAX, with gradients in the tokens.

A loss is a function of arrived points (n, d), their weights and the target's points and weights. Distances are chords,
also on the sphere: their squares are smooth everywhere. Plans of transport are constants for the gradient, which the
envelope theorem allows.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy.optimize import linear_sum_assignment

Loss = Callable[[Array, Array, Array, Array], Array]
SWEEPS = 2000  # of Sinkhorn at most


def points(x: Array, a: Array, y: Array, b: Array) -> Array:
    """The mean squared distance of each token to its own target, or of all tokens to the only one."""
    return jnp.sum(a * jnp.sum((x - y) ** 2, axis=-1))


def clusters(x: Array, a: Array, y: Array, b: Array) -> Array:
    """The mean squared distance of tokens to the nearest point of the target."""
    return a @ jax.lax.map(lambda x_i: jnp.min(jnp.sum((x_i - y) ** 2, axis=-1)), x)


def w2(x: Array, a: Array, y: Array, b: Array) -> Array:
    """The squared Wasserstein distance W_2^2 of equally many tokens of equal weights: an assignment, exactly."""
    order = jax.pure_callback(
        _assignment, jax.ShapeDtypeStruct(x.shape[:1], np.int64), jax.lax.stop_gradient(x), y, vmap_method="sequential"
    )
    return jnp.sum(a * jnp.sum((x - jnp.asarray(y)[order]) ** 2, axis=-1))


def sinkhorn(x: Array, a: Array, y: Array, b: Array) -> Array:
    """The Sinkhorn divergence of squared distances, with an entropy of 5% of the variance of the target."""
    from tokenfield.transport.entropic import Power, divergence  # ott, which other losses do without

    spread = jnp.sum(b[:, None] * (y - b @ y) ** 2)
    epsilon = jax.lax.stop_gradient(0.05 * spread + 1e-3)
    return divergence(x, a, y, b, epsilon, 1e-5, Power(False, 2.0), SWEEPS, 256)[0]


LOSSES: dict[str, Loss] = {"points": points, "clusters": clusters, "w2": w2, "sinkhorn": sinkhorn}


def _assignment(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """For each row of x its row of y in the assignment of least squared distance."""
    costs = np.sum((np.asarray(x)[:, None] - np.asarray(y)) ** 2, axis=-1)
    return linear_sum_assignment(costs)[1].astype(np.int64)
