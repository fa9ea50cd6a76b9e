"""How far from their centers, and in which directions, random points of the sphere fall.

A point x near a unit vector c is held by its drop 1 - <c, x>, which keeps all digits for narrow laws, and a direction.
The rejection samplers are exact. These are the parts of the laws in `tokenfield.initial`, which check the arguments
and split one seed into the keys that are used here. All functions can be traced by JAX in the key.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array, lax

from tokenfield.geometry import Sphere

SMALLEST_SHARE = 1e-200  # a cap that is a smaller part of the sphere is sampled without its area, which may underflow


def cap_drops(key: Array, n: int, d: int, angle: float) -> Array:
    """The drops 1 - <center, x> of points that are uniform on a cap of S^{d-1}.

    Half of a drop is a Beta((d-1)/2, (d-1)/2) variable, truncated to [0, sin^2(angle/2)].

    Args:
        key: a JAX key.
        n: the number of points.
        d: the number of coordinates, at least 2.
        angle: the angular radius of the cap in radians, in (0, pi].

    Returns:
        Drops, shape (n,), from 0 to 2.

    >>> import jax
    >>> drops = cap_drops(jax.random.key(0), 100, 3, 0.1)
    >>> bool(drops.max() <= 1 - jax.numpy.cos(0.1))
    True
    """
    half = (d - 1) / 2
    highest = math.sin(angle / 2) ** 2
    share = float(scipy.special.betainc(half, half, highest))
    if share < SMALLEST_SHARE:
        return _thin_cap_drops(key, n, d, jnp.asarray(2 * highest))
    return 2 * _beta_quantile(share * jax.random.uniform(key, (n,)), half)


# compiled as a whole: a loop of its own would be compiled again at every call
@partial(jax.jit, static_argnames="d")
def vmf_drops(key: Array, kappas: Array, d: int) -> Array:
    """The drops 1 - <mean, x> of points of von Mises-Fisher laws on S^{d-1}.

    Rejection of Ulrich (1984) as corrected by Wood (1994), with every difference from 1 kept apart so that large
    concentrations lose no digits. In every dimension 65 % or more of the proposals are accepted.

    Args:
        key: a JAX key.
        kappas: the concentration of the law of each point, shape (n,), >= 0.
        d: the number of coordinates, at least 2.

    Returns:
        Drops, shape (n,), from 0 to 2.

    >>> import jax, jax.numpy as jnp
    >>> bool(vmf_drops(jax.random.key(0), jnp.full(100, 1e6), 3).max() < 1e-3)
    True
    """
    b = (d - 1) / (2 * kappas + jnp.sqrt(4 * kappas**2 + (d - 1) ** 2))
    mode, drop_of_mode = (1 - b) / (1 + b), 2 * b / (1 + b)

    def propose(key: Array) -> tuple[Array, Array]:
        beta_key, accept_key = jax.random.split(key)
        z = jax.random.beta(beta_key, (d - 1) / 2, (d - 1) / 2, kappas.shape)
        drop = 2 * b * z / (1 - (1 - b) * z)
        log_ratio = jnp.log((drop_of_mode + mode * drop) / (drop_of_mode * (1 + mode)))
        log_chance = kappas * (drop_of_mode - drop) + (d - 1) * log_ratio
        return drop, jnp.log(jax.random.uniform(accept_key, kappas.shape)) <= log_chance

    return _first_accepted(key, len(kappas), propose)


@partial(jax.jit, static_argnames=("n", "d"))
def _thin_cap_drops(key: Array, n: int, d: int, largest: Array) -> Array:
    """1 - <center, x> for x uniform on a cap of S^{d-1} where it is at most `largest` < 1, for large d.

    The density (s (2 - s))^{(d-3)/2} is log-concave: its tangent at the rim is an exponential that bounds it.
    """
    power = (d - 3) / 2
    rate = power * (1 / largest - 1 / (2 - largest))

    def propose(key: Array) -> tuple[Array, Array]:
        u, v = jax.random.uniform(key, (2, n))
        depth = -jnp.log1p(u * jnp.expm1(-rate * largest)) / rate
        log_chance = power * (jnp.log1p(-depth / largest) + jnp.log1p(depth / (2 - largest))) + rate * depth
        return largest - depth, jnp.log(v) <= log_chance

    return _first_accepted(key, n, propose)


def _first_accepted(key: Array, n: int, propose: Callable[[Array], tuple[Array, Array]]) -> Array:
    """`n` values, each the first accepted of its own proposals; `propose(key)` gives values (n,) and booleans (n,)."""

    def draw(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        key, values, is_done = carry
        key, now = jax.random.split(key)
        proposed, is_accepted = propose(now)
        return key, jnp.where(is_done, values, proposed), is_done | is_accepted

    start = (key, jnp.zeros(n), jnp.zeros(n, bool))
    return lax.while_loop(lambda carry: ~jnp.all(carry[2]), draw, start)[1]


def _beta_quantile(p: Array, a: float) -> Array:
    """The inverse of the distribution function of Beta(a, a), which JAX lacks; works while tracing."""

    def quantile(p: Array) -> np.ndarray:
        return scipy.special.betaincinv(a, a, np.asarray(p))

    return jax.pure_callback(quantile, jax.ShapeDtypeStruct(p.shape, p.dtype), p, vmap_method="expand_dims")


def points_around(key: Array, centers: Array, drops: Array) -> Array:
    """Points x_i with 1 - <centers_i, x_i> = drops_i, in uniformly random directions from their centers.

    Args:
        key: a JAX key.
        centers: unit vectors, shape (n, d).
        drops: how far from its center each point falls, shape (n,), from 0 to 2.

    Returns:
        Unit vectors, shape (n, d).

    >>> import jax, jax.numpy as jnp
    >>> x = points_around(jax.random.key(0), jnp.array([[0.0, 1.0]]), jnp.array([0.5]))
    >>> round(float(x[0, 1]), 12)
    0.5
    """
    n, d = centers.shape
    side = Sphere(d).to_manifold(jnp.pad(jax.random.normal(key, (n, d - 1)), ((0, 0), (1, 0))))
    radius = jnp.sqrt(jnp.maximum(drops * (2 - drops), 0.0))
    # A Householder reflection takes -sign(c_1) e_1 to the center c. Projecting a random vector on the tangent space
    # instead would cancel digits where it is nearly parallel to the center, which in low d is often.
    sign = jnp.where(centers[:, 0] < 0, -1.0, 1.0)
    y = (radius[:, None] * side).at[:, 0].set(-sign * (1 - drops))
    u = centers.at[:, 0].add(sign)
    return y - u * (jnp.sum(u * y, axis=1) / (1 + jnp.abs(centers[:, 0])))[:, None]
