"""Fast sums of e^{<u_i, y_j>} over unit vectors y_j of the circle or of S^2, with a bound on their own error.

`fourier` and `harmonics`, and their twins `nufft` and `harmonics_nufft`, sum moments of the tokens once and evaluate
them at every query, in O(n) for a given number of modes. Their error is absolute, relative to the largest that a sum
can be; a query that points away from all tokens has a tiny sum, whose relative error is then large. They say so, and
those queries are summed directly here.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import direct
from tokenfield.sums.dense import Attended
from tokenfield.sums.devices import device_count

ROWS = 512  # queries that are summed directly at a time
OFF_SPHERE = 1e-9  # tokens further from the sphere than this are not on it


class Fast(NamedTuple):
    """A fast sum and how far to trust it, for each query i.

    `log_sum` (m,) and `mean` (m, d) as in `Attended`; `error` (m,) bounds the error of both, absolute in `log_sum` and
    in every entry of `mean`. It is infinite where the sum was not made for such a query.
    """

    log_sum: Array
    mean: Array
    error: Array


class Modes(NamedTuple):
    """A fast sum made to measure; static, so that it is one compilation.

    `way` is the name of a module; `size` its number of modes, or its degree; `reach` the largest |u| that they are
    enough for; `is_uniform` says that all |u_i| are equal; `tolerance` is the error from which on the sum of a
    query is done again directly.
    """

    way: str
    size: int
    reach: float
    is_uniform: bool
    tolerance: float


@partial(jax.custom_jvp, nondiff_argnums=(3,))
def attend(queries: Array, points: Array, weights: Array, modes: Modes) -> Attended:
    """The log-sum-exp of <u_i, y_j> and the mean of the y_j, to `modes.tolerance`.

    `queries` u_i (m, d) of any length, `points` y_j (n, d) unit vectors, d = 2 or 3, `weights` (n,). Derivatives are
    those of the direct sum, and cost as much.
    """
    if device_count() > 1:
        from tokenfield.sums import sharded  # here, because it needs `moments` and `evaluate`

        fast = sharded.attend_on_sphere(queries, points, weights, modes)
    else:
        fast = evaluate(moments(points, weights, modes), queries, modes)
    is_off = jnp.max(jnp.abs(jnp.sum(points * points, axis=1) - 1)) > 2 * max(OFF_SPHERE, _rounding(points))
    tolerance = max(modes.tolerance, _rounding(queries))
    is_bad = ~(fast.error <= tolerance) | is_off
    done = Attended(fast.log_sum.astype(queries.dtype), fast.mean.astype(queries.dtype))
    again = partial(_directly, queries, points, weights, is_bad)
    return lax.cond(jnp.any(is_bad), again, lambda done: done, done)


@attend.defjvp
def _attend_jvp(modes: Modes, primals: tuple, tangents: tuple) -> tuple[Attended, Attended]:
    def directly(queries: Array, points: Array, weights: Array) -> Attended:
        return direct.attend(queries, points, points, weights)

    return attend(*primals, modes), jax.jvp(directly, primals, tangents)[1]


def moments(points: Array, weights: Array, modes: Modes) -> Array:
    """What is summed over the tokens: linear in the weights, so that parts of the tokens may be summed apart."""
    return _module(modes).moments(points, weights, modes.size)


def evaluate(moments: Array, queries: Array, modes: Modes) -> Fast:
    """The sums at `queries` from the moments of the tokens."""
    return _module(modes).evaluate(moments, queries, reach=modes.reach, is_uniform=modes.is_uniform)


def _module(modes: Modes):
    return import_module(f"tokenfield.sums.{modes.way}")  # here, because these modules return `Fast`


def _directly(queries: Array, points: Array, weights: Array, is_bad: Array, done: Attended) -> Attended:
    """`done` with the rows of `is_bad` summed directly, `ROWS` at a time."""
    m = queries.shape[0]
    rows = min(ROWS, m)
    count = jnp.sum(is_bad)
    # behind the last bad row its index repeats, which does the same row again and harms nothing
    last = jnp.max(jnp.where(is_bad, jnp.arange(m), 0))
    order = jnp.nonzero(is_bad, size=m + rows, fill_value=last)[0]

    def some(carry: tuple[Array, Attended]) -> tuple[Array, Attended]:
        first, done = carry
        chosen = lax.dynamic_slice(order, (first,), (rows,))
        again = direct.attend(queries[chosen], points, points, weights)
        log_sum, mean = done.log_sum.at[chosen].set(again.log_sum), done.mean.at[chosen].set(again.mean)
        return first + rows, Attended(log_sum, mean)

    return lax.while_loop(lambda carry: carry[0] < count, some, (jnp.zeros((), count.dtype), done))[1]


def _rounding(array: Array) -> float:
    """What cannot be asked of numbers in the precision of `array`."""
    return 16 * float(jnp.finfo(array.dtype).eps)
