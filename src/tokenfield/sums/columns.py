"""Linear sums of e^{<u_i, y_j> - c_i} over tokens, and over queries, as JAX differentiates and transposes them.

The derivatives of fast sums are sums of the same kernel with numbers of any sign instead of weights:

    S(g)_i = sum_j g_j e^{<u_i, y_j> - c_i},    and its transpose    T(h)_j = sum_i h_i e^{<u_i, y_j> - c_i}.

Both go over modes in O(n), except at queries that are known to be out of reach, which are summed over pairs. Their own
derivatives are such sums again: `kernel_sums` can be differentiated any number of times, forwards and backwards, and
keeps nothing of size n times modes. It is a primitive of JAX, because the loops inside know no transposition.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tokenfield.sums import direct, fast, fourier_columns, harmonics_columns

# --- the sums themselves --------------------------------------------------------------------------------------------


def kernel_sums(
    queries: Array, points: Array, columns: Array, offsets: Array, is_bad: Array, *, expansions: tuple, over: str
) -> Array:
    """S(g) (m, p) of `columns` g (n, p) if `over` is "points"; T(h) (n, p) of h (m, p) if it is "queries".

    `queries` u (m, d), `points` y (n, d) on the circle or S^2, `offsets` c (m,). Rows of `is_bad` (m,) are summed over
    pairs. Linear in `columns`; `offsets` count as constants where derivatives are taken.
    """
    return _sums.bind(queries, points, columns, offsets, is_bad, expansions=expansions, over=over)


def _computed(
    queries: Array, points: Array, columns: Array, offsets: Array, is_bad: Array, *, expansions: tuple, over: str
) -> Array:
    dtype = columns.dtype
    queries, points, columns, offsets = (a.astype(jnp.float64) for a in (queries, points, columns, offsets))
    # where a row is bad, its factor may overflow
    factors = jnp.where(is_bad, 0.0, jnp.exp(jnp.where(is_bad, 0.0, _lengths(queries) - offsets)))[:, None]
    branches = [partial(_by_modes, expansion, over) for expansion in expansions]
    level = fast.first_that_reaches(queries, expansions)
    if over == "points":
        done = factors * lax.switch(level, branches, queries, points, columns)
    else:
        done = lax.switch(level, branches, queries, points, factors * columns)
    return _with_pairs(done, queries, points, columns, offsets, is_bad, over).astype(dtype)


def _by_modes(expansion: fast.Expansion, over: str, queries: Array, points: Array, columns: Array) -> Array:
    on = fourier_columns if points.shape[1] == 2 else harmonics_columns
    options = {"reach": expansion.reach, "is_uniform": expansion.is_uniform}
    if over == "points":
        return on.at_queries(on.of_points(points, columns, expansion.size), queries, **options)
    return on.at_points(on.of_queries(queries, columns, expansion.size, **options), points)


def _with_pairs(
    done: Array, queries: Array, points: Array, columns: Array, offsets: Array, is_bad: Array, over: str
) -> Array:
    """`done` with the queries of `is_bad` summed over pairs, `ROWS` at a time: put in their rows, or added."""
    m = queries.shape[0]
    rows = min(fast.ROWS, m)
    count = jnp.sum(is_bad)
    order = jnp.nonzero(is_bad, size=m + rows, fill_value=m)[0]  # m: no row

    def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        first, done = carry
        chosen = lax.dynamic_slice(order, (first,), (rows,))
        # the offset is one more coordinate
        u = jnp.concatenate([queries, -offsets[:, None]], axis=1).at[chosen].get(mode="fill", fill_value=0.0)
        y = jnp.concatenate([points, jnp.ones_like(points[:, :1])], axis=1)
        if over == "points":
            new = direct.weigh(u, y, columns, jnp.ones(y.shape[0]), jnp.exp).sums
            return first + rows, done.at[chosen].set(new, mode="drop")
        h = columns.at[chosen].get(mode="fill", fill_value=0.0)
        return first + rows, done + direct.weigh(y, u, h, jnp.ones(rows), jnp.exp).sums

    return lax.while_loop(lambda carry: carry[0] < count, some, (jnp.zeros((), count.dtype), done))[1]


def _lengths(vectors: Array) -> Array:
    return jnp.sqrt(jnp.sum(vectors * vectors, axis=1))


# --- what JAX needs to know -----------------------------------------------------------------------------------------

_sums = Primitive("tokenfield_kernel_sums")
_compiled = jax.jit(_computed, static_argnames=("expansions", "over"))
_sums.def_impl(_compiled)
mlir.register_lowering(_sums, mlir.lower_fun(_computed, multiple_results=False))


@_sums.def_abstract_eval
def _shape(queries: Any, points: Any, columns: Any, offsets: Any, is_bad: Any, *, expansions: tuple, over: str) -> Any:
    rows = queries if over == "points" else points
    return columns.update(shape=(rows.shape[0], columns.shape[1]))


def _jvp(primals: tuple, tangents: tuple, *, expansions: tuple, over: str) -> tuple[Array, Array]:
    queries, points, columns, offsets, is_bad = primals
    rows, others = (queries, points) if over == "points" else (points, queries)
    d_rows, d_others = tangents[:2] if over == "points" else tangents[1::-1]

    def sums(columns: Array) -> Array:
        """The sums of columns (n, ..., p), or (m, ..., p): along the other axis."""
        flat = kernel_sums(
            queries, points, columns.reshape(columns.shape[0], -1), offsets, is_bad, expansions=expansions, over=over
        )
        return flat.reshape(-1, *columns.shape[1:])

    out, terms = sums(columns), []
    if type(tangents[2]) is not ad.Zero:
        terms.append(sums(tangents[2]))
    if type(d_rows) is not ad.Zero:
        terms.append(jnp.einsum("ia,iap->ip", d_rows, sums(columns[:, None] * others[:, :, None])))
    if type(d_others) is not ad.Zero:
        terms.append(jnp.einsum("ia,iap->ip", rows, sums(columns[:, None] * d_others[:, :, None])))
    return out, sum(terms, start=jnp.zeros_like(out))


def _transposed(cotangent: Any, *args: Any, expansions: tuple, over: str) -> tuple:
    queries, points, columns, offsets, is_bad = args
    if type(cotangent) is ad.Zero:
        return None, None, ad.Zero(columns.aval), None, None
    other = "queries" if over == "points" else "points"
    back = kernel_sums(queries, points, cotangent, offsets, is_bad, expansions=expansions, over=other)
    return None, None, back, None, None


def _batched(args: tuple, axes: tuple[int | None, ...], **params: Any) -> tuple[Array, int]:
    """One after the other: a choice between numbers of modes stays a branch, and memory stays that of one."""
    is_mapped = [axis is not None for axis in axes]
    mapped = [jnp.moveaxis(arg, axis, 0) for arg, axis in zip(args, axes, strict=True) if axis is not None]

    def one(mapped: list[Array]) -> Array:
        rest = iter(mapped)
        return _sums.bind(*(next(rest) if m else arg for arg, m in zip(args, is_mapped, strict=True)), **params)

    return lax.map(one, mapped), 0


ad.primitive_jvps[_sums] = _jvp
ad.primitive_transposes[_sums] = _transposed
batching.primitive_batchers[_sums] = _batched
