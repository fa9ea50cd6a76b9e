"""Fast sums of e^{<u_i, y_j>} over unit vectors y_j of the circle or of S^2, with a bound on their own error.

`fourier` and `harmonics`, and their twins `nufft` and `harmonics_nufft`, sum moments of the tokens once and evaluate
them at every query, in O(n) for a given number of modes. Their error is absolute, relative to the largest that a sum
can be; a query that points away from all tokens has a tiny sum, whose relative error is then large. They say so, and
those queries are summed directly here. All of them compute in float64, also for float32 tokens; where there is none
they are refused.
"""

from __future__ import annotations

import warnings
from functools import partial
from importlib import import_module
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.custom_batching import custom_vmap

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput, SlowSums, Unsupported
from tokenfield.sums import direct
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended
from tokenfield.sums.devices import device_count
from tokenfield.sums.rounding import has_float64

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


class Expansion(NamedTuple):
    """The expansion of e^{<u, y>} that a fast sum uses; `choose` makes it. It is static: compiled code depends on it.

    Attributes:
        algorithm: "fourier" or "nufft" on the circle, "harmonics" or "harmonics_nufft" on S^2.
        size: the number of Fourier modes, or the degree of the spherical harmonics.
        reach: the largest |u| for which that many are enough.
        is_uniform: whether all |u_i| are equal.
        tolerance: the relative error above which a query is summed again, directly.

    >>> from tokenfield.sums import choose
    >>> choose(100_000, 100_000, 2, reach=9.0, is_uniform=True).expansion.size
    31
    """

    algorithm: str
    size: int
    reach: float
    is_uniform: bool
    tolerance: float


Expansions = Expansion | tuple[Expansion, ...]


def attend(
    queries: Array,
    points: Array,
    weights: Array,
    expansion: Expansions,
    *,
    values: Array | None = None,
    band: Band | None = None,
) -> Attended:
    """For each query the log-sum-exp of <u_i, y_j> over unit vectors y_j, and their mean under the softmax, in O(n).

    The same as `attend(queries, points, points, weights)` up to the tolerance of the expansion: queries whose error
    would be larger, and all of them if the points are not on the sphere, are summed directly. Derivatives of any order,
    forwards and backwards, are fast in the same way and as exact; on several devices they are those of the direct sum.

    Args:
        queries: the vectors u_i, shape (m, d) with d = 2 or 3. They should not be longer than `expansion.reach`.
        points: the unit vectors y_j, shape (n, d).
        weights: the weights of the points, shape (n,), not negative.
        expansion: what `choose(m, n, d, reach=..., ...)` found, in its `expansion`: one, or several of increasing
            reach, of which the first is used that reaches all queries. Queries beyond the last are summed directly, and
            a `SlowSums` warning says so when it happens; but not where JAX keeps compiled programs between runs,
            because it keeps none that may call back.
        values: the vectors that are averaged, shape (n, p); by default the points. As with a band, queries are then
            those of the tokens themselves: m = n.
        band: what a token sees of the others by their positions, which are the same for queries and keys; by default
            everything.

    Returns:
        `Attended(log_sum, mean)` of shapes (m,) and (m, d), or (m, p) with `values`, in the precision of the queries.

    Raises:
        InvalidInput: if the arrays do not fit together, or there is no expansion.
        Unsupported: if JAX is told not to use float64, in which fast sums compute.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> from tokenfield.sums import attend_on_sphere, choose
    >>> angles = 2 * jnp.pi * jnp.arange(1000) / 1000
    >>> points = jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)
    >>> choice = choose(10_000, 10_000, 2, reach=1.0, is_uniform=True)
    >>> fast = jax.jit(attend_on_sphere, static_argnums=3)
    >>> found = fast(points, points, jnp.full(1000, 0.001), choice.expansion)
    >>> round(float(found.log_sum[0]), 6)  # log I_0(1)
    0.235914
    """
    expansions = (expansion,) if isinstance(expansion, Expansion) else expansion
    if not (isinstance(expansions, tuple) and expansions and all(isinstance(one, Expansion) for one in expansions)):
        raise InvalidInput(f"a fast sum needs the expansion of choose(...), got {shown(expansion)}: sum directly else")
    direct.check_shapes(queries, points, values, weights)
    if expansions is expansion and not jax.config.values["jax_compilation_cache_dir"]:
        longest = _longest(lax.stop_gradient(queries))
        warn = partial(jax.debug.callback, partial(_warn, expansions[-1], queries.shape), longest)
        lax.cond(longest > expansions[-1].reach, warn, lambda: None)
    if values is None and band is None:
        return Attended(*_attend(queries, points, weights, expansions)[:2])
    from tokenfield.sums import prefix  # here, because it returns `Fast`

    branches = [partial(prefix.attend, queries, points, values, weights, band, one) for one in expansions]
    return lax.switch(first_that_reaches(queries, expansions), branches)


@partial(jax.custom_jvp, nondiff_argnums=(3,))
def _attend(
    queries: Array, points: Array, weights: Array, expansions: tuple[Expansion, ...]
) -> tuple[Array, Array, Array]:
    """Log-sums (m,), means (m, d), and which queries were summed directly, (m,)."""
    fast, is_bad = _by_modes(queries, points, weights, expansions)
    done = Attended(fast.log_sum.astype(queries.dtype), fast.mean.astype(queries.dtype))
    again = partial(_directly, queries, points, weights, is_bad)
    return *lax.cond(jnp.any(is_bad), again, lambda done: done, done), is_bad


def _by_modes(queries: Array, points: Array, weights: Array, expansions: tuple[Expansion, ...]) -> tuple[Fast, Array]:
    """The sums over modes, and for which queries they are not good enough, (m,)."""
    branches = [partial(_modes_alone, expansion) for expansion in expansions]
    fast = lax.switch(first_that_reaches(queries, expansions), branches, queries, points, weights)
    tolerance = max(expansions[0].tolerance, _rounding(queries))
    return fast, ~(fast.error <= tolerance) | are_off_sphere(points)


def share_summed_directly(queries: Array, points: Array, weights: Array, expansion: Expansions) -> Array:
    """The share of the queries that `attend` would sum directly, a scalar; nothing is summed directly here."""
    expansions = (expansion,) if isinstance(expansion, Expansion) else expansion
    return jnp.mean(_by_modes(queries, points, weights, expansions)[1])


@_attend.defjvp
def _attend_jvp(expansions: tuple[Expansion, ...], primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    log_sum, mean, is_bad = _attend(*primals, expansions)
    if device_count() > 1:
        change = jax.jvp(lambda u, y, w: direct.attend(u, y, y, w), primals, tangents)[1]
    else:
        change = _change(primals, tangents, log_sum, mean, is_bad, expansions)
    return (log_sum, mean, is_bad), (*change, np.zeros(is_bad.shape, jax.dtypes.float0))


def _change(
    primals: tuple,
    tangents: tuple,
    log_sum: Array,
    mean: Array,
    is_bad: Array,
    expansions: tuple[Expansion, ...],
    *,
    values: tuple[Array, Array] | None = None,
    band: Band | None = None,
) -> Attended:
    """The derivatives of log-sums and means along `tangents`: means of products, under the softmax of each query.

    `values` v (n, p) and their tangents are by default those of the points. The tangent of the weights may be None: 0.
    """
    from tokenfield.sums.columns import kernel_sums  # here, because it needs the expansions

    (u, y, w), (du, dy, dw) = primals, tangents
    v, dv = (y, dy) if values is None else values
    offsets, total = offsets_and_totals(log_sum)
    sums = partial(kernel_sums, expansions=expansions, over="points")
    if band is not None:
        sums = partial(sums, band=band, weights=lax.stop_gradient(w))

    def means(columns: Array) -> Array:
        flat = columns.reshape(columns.shape[0], -1)
        found = sums(u, y, flat, offsets, is_bad) / total[:, None]
        return found.reshape(-1, *columns.shape[1:])

    v_1 = jnp.concatenate([jnp.ones_like(v[:, :1]), v], axis=1)  # 1 and v
    # of w dy_1, ..., w dy_d, and dw, times 1 and v; and of w dv, if it is not among them
    moving = [w[:, None] * dy] if dw is None else [w[:, None] * dy, dw[:, None]]
    moved = jnp.concatenate(moving, axis=1)[:, :, None] * v_1[:, None, :]
    d, flat = y.shape[1], moved.reshape(moved.shape[0], -1)
    found = means(flat if values is None else jnp.concatenate([flat, w[:, None] * dv], axis=1))
    moved, by_values = found[:, : flat.shape[1]].reshape(-1, *moved.shape[1:]), found[:, flat.shape[1] :]
    if values is None:
        by_values = moved[:, :d, 0]
    by_tokens = jnp.einsum("ia,iab->ib", u, moved[:, :d]) + jnp.sum(moved[:, d:], axis=1)
    # of y times 1 and v, or only v if it is y
    second = means(w[:, None, None] * (v if values is None else v_1)[:, :, None] * y[:, None, :])
    mean_point, second = (mean, second) if values is None else (second[:, 0], second[:, 1:])
    along = jnp.sum(du * mean_point, axis=1)
    by_queries = jnp.einsum("iab,ib->ia", second, du) - along[:, None] * mean
    return Attended(along + by_tokens[:, 0], by_queries + by_tokens[:, 1:] + by_values - by_tokens[:, :1] * mean)


def offsets_and_totals(log_sum: Array) -> tuple[Array, Array]:
    """Constants c_i = `log_sum`, or 0 where nothing is seen, and e^{log_sum - c}, which is 1 but not so its derivative.

    Where nothing is seen that is 0.
    """
    finite = jnp.where(log_sum == -jnp.inf, 0.0, log_sum)
    offsets = lax.stop_gradient(finite)
    return offsets, jnp.exp(finite - offsets)


def _modes_alone(expansion: Expansion, queries: Array, points: Array, weights: Array) -> Fast:
    if device_count() > 1:
        from tokenfield.sums import sharded  # here, because it needs `moments` and `evaluate`

        return sharded.attend_on_sphere(queries, points, weights, expansion)
    return evaluate(moments(points, weights, expansion), queries, expansion)


def first_that_reaches(queries: Array, expansions: tuple[Expansion, ...]) -> Array | int:
    """The index of the first expansion that reaches all queries, or of the last one."""
    if len(expansions) == 1:
        return 0
    reaches = jnp.asarray([expansion.reach for expansion in expansions[:-1]])
    return jnp.sum(_longest(lax.stop_gradient(queries)) > reaches)


@custom_vmap
def _longest(vectors: Array) -> Array:
    """The largest length of the rows of `vectors`; under `vmap` that of the whole batch, for one branch is taken."""
    return jnp.sqrt(jnp.max(jnp.sum(vectors * vectors, axis=1).astype(jnp.float64)))


@_longest.def_vmap
def _longest_of_batch(size: int, is_batched: list[bool], vectors: Array) -> tuple[Array, bool]:
    return _longest(vectors.reshape(-1, vectors.shape[-1])), False


def _warn(largest: Expansion, shape: tuple[int, ...], longest: Array) -> None:
    """Says that queries are summed directly, and how they would not be; called while compiled code runs."""
    n, d = shape
    farthest = import_module(f"tokenfield.sums.{'fourier' if d == 2 else 'harmonics'}").FARTHEST
    reach = min(int(1.1 * longest) + 1, farthest)
    way_out = (
        f"model.with_sums((sums.choose({n}, {n}, {d}, reach={reach:g}), ...)), a choice for each head, settles one for "
        "them before compiling"
        if longest <= farthest
        else f"no fast sum reaches further than {farthest:g}; take a smaller beta or fewer tokens"
    )
    warnings.warn(
        f"compiled code sums queries of length up to {longest:.4g} directly: its fast sum, made for a model whose "
        f"numbers were not known, reaches {largest.reach:.4g}; {way_out}",
        SlowSums,
        stacklevel=2,
    )


def moments(points: Array, weights: Array, expansion: Expansion) -> Array:
    """What is summed over the tokens: linear in the weights, so that parts of the tokens may be summed apart."""
    return _module(expansion).moments(points, weights, expansion.size)


def evaluate(moments: Array, queries: Array, expansion: Expansion) -> Fast:
    """The sums at `queries` from the moments of the tokens."""
    return _module(expansion).evaluate(moments, queries, reach=expansion.reach, is_uniform=expansion.is_uniform)


def _module(expansion: Expansion):
    if not has_float64():
        raise Unsupported("fast sums compute in float64, which JAX is told not to use: sum directly")
    return import_module(f"tokenfield.sums.{expansion.algorithm}")  # here, because these modules return `Fast`


def _directly(
    queries: Array,
    points: Array,
    weights: Array,
    is_bad: Array,
    done: Attended,
    *,
    values: Array | None = None,
    band: Band | None = None,
) -> Attended:
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
        rows_band = None if band is None else band._replace(queries=band.queries[chosen])
        again = direct.attend(queries[chosen], points, points if values is None else values, weights, rows_band)
        log_sum, mean = done.log_sum.at[chosen].set(again.log_sum), done.mean.at[chosen].set(again.mean)
        return first + rows, Attended(log_sum, mean)

    return lax.while_loop(lambda carry: carry[0] < count, some, (jnp.zeros((), count.dtype), done))[1]


def are_off_sphere(points: Array) -> Array:
    """Whether one of the `points` (n, d) is no unit vector."""
    # a sum along the axis: coordinate by coordinate it took 26 ms more for 2^20 tokens, a quarter of a fast sum
    return jnp.max(jnp.abs(jnp.sum(points * points, axis=1) - 1)) > 2 * max(OFF_SPHERE, _rounding(points))


def _rounding(array: Array) -> float:
    """What cannot be asked of numbers in the precision of `array`."""
    return 16 * float(jnp.finfo(array.dtype).eps)
