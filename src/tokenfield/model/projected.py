"""What an attention sees of the tokens, and the sums that the kinds of attention share.

`Projected` holds queries, keys and weights; `OnSphere` the same inner products in the words of the fast sums. No kind
of attention is known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeGuard

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield import sums
from tokenfield.sums import Attended, Band, Expansion

MANY_PAIRS = 2**20  # from here on a mass that is seen is summed over prefixes


class OnSphere(NamedTuple):
    """The same inner products <Qx_i, Ky_j> = <u_i, y_j> with unit vectors y_j: what fast sums see.

    `queries` (m, d) are the u_i = K^T Q x_i, `own` (n, d) those of the tokens themselves, `points` (n, d) the y_j, and
    `back` (n, d) the Q^T K y_j of the transposed kernel. Where positions turn queries and keys, `keys` (n, d) stand for
    the y_j in the products, and `points` are the values.
    With a `gain` (d,), tokens are read as diag(gain) y, in u and as values. `expansion` is the fast sum to use,
    or several, as in `Choice`.
    """

    queries: Array
    own: Array
    back: Array
    points: Array
    gain: Array | None
    expansion: Expansion | tuple[Expansion, ...]
    keys: Array | None = None


class Projected(NamedTuple):
    """What an attention sees: `queries` Q x_i (m, k), `keys` K y_j (n, k), `weights` (n,), and by position a `band`.

    `own` are the queries Q y_j (n, k) of the tokens of the measure themselves; usually the same as `queries`.
    `sphere` is the same in other words where a fast sum was chosen.
    """

    queries: Array
    keys: Array
    weights: Array
    own: Array
    band: Band | None = None
    sphere: OnSphere | None = None


def among_themselves(projected: Projected) -> Projected:
    """What the tokens of the measure see of each other, whatever the queries were, and without positions."""
    sphere = None if projected.sphere is None else projected.sphere._replace(queries=projected.sphere.own)
    return Projected(projected.own, projected.keys, projected.weights, projected.own, None, sphere)


def no_values(projected: Projected) -> Array:
    """Values with no columns (n, 0), for sums of which only the total is wanted."""
    return projected.keys[:, :0]


def seen_log_mass(projected: Projected) -> Array:
    """log of the mass of mu that each query sees, shape (m,); 0 where it sees everything."""
    band, n = projected.band, projected.weights.shape[0]
    if band is not None and band.queries is band.keys and n * n > MANY_PAIRS and sums.can_be_fast():
        return sums.seen_log_mass(projected.weights, band)
    queries, keys = (jnp.zeros((a.shape[0], 1), a.dtype) for a in (projected.queries, projected.keys))
    return sums.attend(queries, keys, keys[:, :0], projected.weights, projected.band).log_sum


def relative_to_seen_mass(attended: Attended, projected: Projected) -> Attended:
    """`attended` with weights divided by the mass that the query sees: mu_i is a probability measure."""
    if projected.band is None:
        return attended
    mass = seen_log_mass(projected)
    sees = mass > -jnp.inf
    return attended._replace(log_sum=jnp.where(sees, attended.log_sum - jnp.where(sees, mass, 0.0), -jnp.inf))


def with_bounded_decay(projected: Projected) -> Projected:
    """`projected` with decaying weights divided by the mass that the query sees, so that they do not all underflow."""
    if projected.band is None or projected.band.slope is None:
        return projected
    mass = seen_log_mass(projected)
    return projected._replace(band=projected.band._replace(offset=-jnp.where(mass > -jnp.inf, mass, 0.0)))


def attend_dot(beta: Array, projected: Projected, values: Array) -> Attended:
    """Log-sum-exp and mean under the kernel e^{beta <Qx, Ky>}."""
    q, k, w, _, band, sphere = projected
    if is_fast(sphere, values):
        return _attend_on_sphere(beta, sphere, w, values, band)
    return sums.attend(beta.astype(q.dtype) * q, k, values, w, band)


def is_fast(sphere: OnSphere | None, values: Array) -> TypeGuard[OnSphere]:
    """Whether a fast sum was chosen and gives what is asked: no values, or the tokens themselves."""
    # other values, such as the columns of the attention matrix, would cost a sum each
    return sphere is not None and values.shape[1] in (0, sphere.points.shape[1]) and values.shape[1] < len(values)


def _attend_on_sphere(exponent: Array, sphere: OnSphere, weights: Array, values: Array, band: Band | None) -> Attended:
    """Log-sum-exp of c <u_i, y_j> and the mean of the tokens, by the fast sum that was chosen."""
    queries = exponent.astype(sphere.queries.dtype) * sphere.queries
    keys, own_values = (sphere.points, None) if sphere.keys is None else (sphere.keys, sphere.points)
    attended = sums.attend_on_sphere(queries, keys, weights, sphere.expansion, values=own_values, band=band)
    mean = attended.mean if sphere.gain is None else attended.mean * sphere.gain.astype(queries.dtype)
    return attended._replace(mean=mean[:, : values.shape[1]])


def attend_distance(beta: Array, projected: Projected, values: Array) -> Attended:
    """Log-sum-exp and mean under the kernel e^{-beta |Qx - Ky|^2}."""
    if is_fast(projected.sphere, values):
        q_squared, k_squared = (jnp.sum(a * a, axis=1) for a in (projected.queries, projected.keys))
        beta = beta.astype(projected.keys.dtype)
        shift = jnp.min(beta * k_squared)
        weights = projected.weights * jnp.exp(shift - beta * k_squared)
        attended = _attend_on_sphere(2 * beta, projected.sphere, weights, values, projected.band)
        return attended._replace(log_sum=attended.log_sum - shift - beta * q_squared)
    q, k = features_of_distance(projected)
    offset = q[:, -1]
    beta = beta.astype(q.dtype)
    q = (beta * q).at[:, -1].set(0.0)  # the query's own -beta |q|^2 is the same for all keys: add it at the end
    attended = sums.attend(q, k, values, projected.weights, projected.band)
    return attended._replace(log_sum=attended.log_sum + beta * offset)


def attend_kernel(
    kernel: Callable[[Array], Array], projected: Projected, values: Array, *, of_distance: bool
) -> Attended:
    """Log-total and mean under the weights kernel(<Qx, Ky>), or kernel(|Qx - Ky|^2) if `of_distance`."""
    projected = with_bounded_decay(projected)
    q, k = features_of_distance(projected) if of_distance else (projected.queries, projected.keys)
    # inner products of these features are minus the squared distances, below zero only by rounding
    of_products = (lambda u: kernel(jnp.maximum(-u, 0.0))) if of_distance else kernel
    return mean_of(sums.weigh(q, k, values, projected.weights, of_products, band=projected.band))


def features_of_distance(projected: Projected) -> tuple[Array, Array]:
    """Vectors (m, k + 2) and (n, k + 2) whose inner products are -|Qx_i - Ky_j|^2.

    Both are taken relative to the mean key: distances do not change, and a cloud far from the origin loses no digits.
    """
    center = jax.lax.stop_gradient(jnp.mean(projected.keys, axis=0))
    q, k = projected.queries - center, projected.keys - center
    q_squared, k_squared = (jnp.sum(a * a, axis=1, keepdims=True) for a in (q, k))
    ones = [jnp.ones_like(a) for a in (q_squared, k_squared)]
    return jnp.concatenate([2 * q, ones[0], -q_squared], axis=1), jnp.concatenate([k, -k_squared, ones[1]], axis=1)


def mean_of(weighed: sums.Weighed) -> Attended:
    """The log of the total and the mean; where the total is zero, -inf and 0."""
    is_positive = weighed.total > 0
    total = jnp.where(is_positive, weighed.total, 1.0)
    mean = jnp.where(is_positive[:, None], weighed.sums / total[:, None], 0.0)
    return Attended(jnp.where(is_positive, jnp.log(total), -jnp.inf), mean)
