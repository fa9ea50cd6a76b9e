"""Linear sums of e^{<u_i, y_j> - c_i} over tokens, and over queries, as JAX differentiates and transposes them.

The derivatives of fast sums are sums of the same kernel with numbers of any sign instead of weights:

    S(g)_i = sum_j g_j b_ij e^{<u_i, y_j> - c_i},    and its transpose    T(h)_j = sum_i h_i b_ij e^{<u_i, y_j> - c_i},

where b_ij is what a band lets query i see of token j, and 1 without one. Both go over modes in O(n), except at queries
that are known to be out of reach, which are summed over pairs. Their own derivatives are such sums again: `kernel_sums`
can be differentiated any number of times, forwards and backwards, and keeps nothing of size n times modes. It is a
primitive of JAX, because the loops inside know no transposition.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tokenfield.errors import SlowSums
from tokenfield.sums import direct, fast, fourier_columns, harmonics_columns, prefix_columns
from tokenfield.sums.band import Band, turned

# --- the sums themselves --------------------------------------------------------------------------------------------


def kernel_sums(
    queries: Array,
    points: Array,
    columns: Array,
    offsets: Array,
    is_bad: Array,
    *,
    expansions: tuple,
    over: str,
    band: Band | None = None,
    weights: Array | None = None,
) -> Array:
    """S(g) (m, p) of `columns` g (n, p) if `over` is "points"; T(h) (n, p) of h (m, p) if it is "queries".

    `queries` u (m, d), `points` y (n, d) on the circle or S^2, `offsets` c (m,). Rows of `is_bad` (m,) are summed over
    pairs. With a `band`, m = n, its positions are those of the same tokens, it has no offset, there is one expansion,
    and `weights` w (n,) say how much each y_j counts: where w_j T(h)_j could be wrong by more than the tolerance, for
    |h| <= 1, it is summed over pairs too.

    Linear in `columns`. Where derivatives are taken, `offsets` and `weights` count as constants. Those with respect to
    a slope, or to positions where there is one, go over all pairs, with a `SlowSums` warning.
    """
    others, structure = jax.tree.flatten((band, weights))
    return _sums.bind(
        queries, points, columns, offsets, is_bad, *others, expansions=expansions, over=over, structure=structure
    )


def _computed(
    queries: Array,
    points: Array,
    columns: Array,
    offsets: Array,
    is_bad: Array,
    *others: Array,
    expansions: tuple,
    over: str,
    structure: Any,
) -> Array:
    dtype, tolerance = columns.dtype, max(expansions[0].tolerance, fast._rounding(queries))
    queries, points, columns, offsets = (a.astype(jnp.float64) for a in (queries, points, columns, offsets))
    band, weights = jax.tree.unflatten(structure, others)
    # where a row is bad, its factor may overflow
    factors = jnp.where(is_bad, 0.0, jnp.exp(jnp.where(is_bad, 0.0, _lengths(queries) - offsets)))[:, None]
    by_modes = partial(_by_modes, expansions, over, queries, points)
    if over == "points":
        if band is None:
            done = factors * by_modes(columns)
        else:
            done = factors * prefix_columns.at_queries(queries, points, columns, band, expansions[0])
        return _put_pairs(done, queries, points, columns, offsets, is_bad, band, over).astype(dtype)
    if band is None:
        done = by_modes(factors * columns)
    else:
        weighted = jnp.concatenate([factors, factors * columns], axis=1)
        found, error = prefix_columns.at_points(queries, points, weighted, band, expansions[0])
        # A window hides queries by subtracting them, and a query that sees light tokens only may be one of them. What
        # a point should be exact to is relative to how much it is looked at, w_j sum_i b_ij e^{<u_i, y_j> - c_i}.
        is_wrong = ~(weights * error <= tolerance * (1 + weights * found[:, 0]))
        seen = jnp.where(is_bad[:, None], 0.0, columns)  # bad queries follow
        done = _put_pairs(found[:, 1:], queries, points, seen, offsets, is_wrong, band, over)
    return _add_pairs(done, queries, points, columns, offsets, is_bad, band).astype(dtype)


def _by_modes(expansions: tuple, over: str, queries: Array, points: Array, columns: Array) -> Array:
    branches = [partial(_by_expansion, expansion, over) for expansion in expansions]
    return lax.switch(fast.first_that_reaches(queries, expansions), branches, queries, points, columns)


def _by_expansion(expansion: fast.Expansion, over: str, queries: Array, points: Array, columns: Array) -> Array:
    on = fourier_columns if points.shape[1] == 2 else harmonics_columns
    options = {"reach": expansion.reach, "is_uniform": expansion.is_uniform}
    if over == "points":
        return on.at_queries(on.of_points(points, columns, expansion.size), queries, **options)
    return on.at_points(on.of_queries(queries, columns, expansion.size, **options), points)


def _put_pairs(
    done: Array,
    queries: Array,
    points: Array,
    columns: Array,
    offsets: Array,
    is_bad: Array,
    band: Band | None,
    over: str,
) -> Array:
    """`done` with the rows of `is_bad` summed over pairs instead, `ROWS` at a time."""
    rows, others, band = _sides(queries, points, offsets, band, over)

    def put(chosen: Array, done: Array) -> Array:
        here = None if band is None else band._replace(queries=_rows(band.queries, chosen))
        new = _over_pairs(_rows(rows, chosen), others, columns, jnp.ones(others.shape[0]), here)
        return done.at[chosen].set(new, mode="drop")

    return _by_rows(put, is_bad, done)


def _add_pairs(
    done: Array, queries: Array, points: Array, columns: Array, offsets: Array, is_bad: Array, band: Band | None
) -> Array:
    """`done` (n, p), and what the queries of `is_bad` add to it, pair by pair, `ROWS` of them at a time."""
    rows, others, band = _sides(queries, points, offsets, band, "queries")
    is_row = jnp.ones(others.shape[0])

    def add(chosen: Array, done: Array) -> Array:
        here = None if band is None else band._replace(keys=_rows(band.keys, chosen))
        return done + _over_pairs(rows, _rows(others, chosen), _rows(columns, chosen), _rows(is_row, chosen), here)

    return _by_rows(add, is_bad, done)


def _by_rows(step: Callable[[Array, Array], Array], is_bad: Array, done: Array) -> Array:
    """`done` after `step(chosen, done)` for all rows of `is_bad`, `ROWS` at a time; behind the last one come others
    that do not exist.
    """
    m = is_bad.shape[0]
    size = min(fast.ROWS, m)
    count = jnp.sum(is_bad)
    order = jnp.nonzero(is_bad, size=m + size, fill_value=m)[0]

    def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        first, done = carry
        return first + size, step(lax.dynamic_slice(order, (first,), (size,)), done)

    return lax.while_loop(lambda carry: carry[0] < count, some, (jnp.zeros((), count.dtype), done))[1]


def _rows(array: Array, chosen: Array) -> Array:
    return array.at[chosen].get(mode="fill", fill_value=0)


def _sides(
    queries: Array, points: Array, offsets: Array, band: Band | None, over: str
) -> tuple[Array, Array, Band | None]:
    """What the rows of the result belong to, what is summed over, and the band between them."""
    # the offset is one more coordinate
    queries = jnp.concatenate([queries, -offsets[:, None]], axis=1)
    points = jnp.concatenate([points, jnp.ones_like(points[:, :1])], axis=1)
    if over == "points":
        return queries, points, band
    return points, queries, None if band is None else turned(band)


def _over_pairs(rows: Array, others: Array, columns: Array, weights: Array, band: Band | None) -> Array:
    """sum_j b_ij w_j e^{<q_i, k_j>} g_j; the exponential and a decay by itself could overflow."""
    log_sum, mean = direct.attend(rows, others, columns, weights, band)
    return jnp.exp(log_sum)[:, None] * mean


def _lengths(vectors: Array) -> Array:
    return jnp.sqrt(jnp.sum(vectors * vectors, axis=1))


# --- what JAX needs to know -----------------------------------------------------------------------------------------

_sums = Primitive("tokenfield_kernel_sums")
_compiled = jax.jit(_computed, static_argnames=("expansions", "over", "structure"))
_sums.def_impl(_compiled)
mlir.register_lowering(_sums, mlir.lower_fun(_computed, multiple_results=False))


@_sums.def_abstract_eval
def _shape(queries: Any, points: Any, columns: Any, *others: Any, over: str, **params: Any) -> Any:
    rows = queries if over == "points" else points
    return columns.update(shape=(rows.shape[0], columns.shape[1]))


def _jvp(primals: tuple, tangents: tuple, *, over: str, **params: Any) -> tuple[Array, Array]:
    queries, points, columns, *constants = primals
    rows, others = (queries, points) if over == "points" else (points, queries)
    d_rows, d_others = tangents[:2] if over == "points" else tangents[1::-1]

    def sums(*parts: Array) -> list[Array]:
        """The sums of columns (n, ..., p), or (m, ..., p), of all parts at once: along the other axis."""
        flat = jnp.concatenate([part.reshape(part.shape[0], -1) for part in parts], axis=1)
        found = _sums.bind(queries, points, flat, *constants, over=over, **params)
        widths = np.cumsum([math.prod(part.shape[1:]) for part in parts])[:-1]
        pieces = jnp.split(found, widths, axis=1)
        return [piece.reshape(-1, *part.shape[1:]) for piece, part in zip(pieces, parts, strict=True)]

    # two sums, of what is known and of what is linear in tangents: backwards the one is kept, and the other transposed
    known, linear, terms = [columns], [], []
    if type(d_rows) is not ad.Zero:
        known.append(columns[:, None] * others[:, :, None])
    if type(tangents[2]) is not ad.Zero:
        linear.append((tangents[2], lambda found: found))
    if type(d_others) is not ad.Zero:
        linear.append((columns[:, None] * d_others[:, :, None], partial(jnp.einsum, "ia,iap->ip", rows)))
    out, *by_rows = sums(*known)
    terms += [jnp.einsum("ia,iap->ip", d_rows, found) for found in by_rows]
    if linear:
        parts, weighted = zip(*linear, strict=True)
        terms += [one(found) for one, found in zip(weighted, sums(*parts), strict=True)]
    band, d_band = (jax.tree.unflatten(params["structure"], leaves[5:])[0] for leaves in (primals, tangents))
    if moves(band, d_band):
        warn_of_pairs(rows.shape[0])

        def over_pairs(band: Band) -> Array:
            sides = _sides(queries, points, constants[0], band, over)
            return _over_pairs(*sides[:2], columns, jnp.ones_like(columns[:, 0]), sides[2])

        d_band = jax.tree.map(lambda a, da: jnp.zeros_like(a) if is_zero(da) else da, band, d_band)
        terms.append(jax.jvp(over_pairs, (band,), (d_band,))[1])
    return out, sum(terms, start=jnp.zeros_like(out))


def moves(band: Band | None, d_band: Band | None) -> bool:
    """Whether sums change along the tangents `d_band` of a band: bounds are all or nothing, a decay is smooth."""
    if band is None or band.slope is None or d_band is None:
        return False
    return not all(is_zero(tangent) for tangent in (d_band.queries, d_band.keys, d_band.slope))


def is_zero(tangent: Any) -> bool:
    """Whether a tangent is known to be zero before anything is computed."""
    return isinstance(tangent, ad.Zero | SymbolicZero) or tangent.dtype == jax.dtypes.float0


def warn_of_pairs(n: int) -> None:
    """Says that derivatives are not fast, and how they would be; called while they are traced."""
    warnings.warn(
        f"derivatives of a sum by position with respect to a slope, or to positions with a slope, go over all pairs of "
        f"its {n} tokens: where they are not needed, hold these fixed with jax.lax.stop_gradient",
        SlowSums,
        stacklevel=2,
    )


def _transposed(cotangent: Any, *args: Any, over: str, **params: Any) -> tuple:
    queries, points, columns, *constants = args
    if type(cotangent) is ad.Zero:
        back: Any = ad.Zero(columns.aval)
    else:
        other = "queries" if over == "points" else "points"
        back = _sums.bind(queries, points, cotangent, *constants, over=other, **params)
    return None, None, back, *(None for _ in constants)


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
