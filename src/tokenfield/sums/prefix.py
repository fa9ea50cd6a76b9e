"""Sums of e^{<u_i, y_j>} over the keys that a query sees by position, in O(n): prefix sums of moments.

Tokens, sorted by position, go in runs. What is summed over a run are its moments (`fourier_runs` on the circle,
`harmonics_runs` on S^2), and sums of them over all runs before a given one are the states. A decay with distance
multiplies states on the way; a window is a difference of two states, whose sums start anew so often that little
cancels. A query takes the runs that it sees entirely from a state, and the few that it sees in part, its own above all,
pair by pair. So the error is relative to the mass in the state alone, and the first tokens are as exact as the last.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.custom_derivatives import SymbolicZero

from tokenfield.sums import direct, fast, fourier_runs, harmonics_runs
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended
from tokenfield.sums.devices import device_count
from tokenfield.sums.runs import Arrays, Limits, Modes, Queries, sum_in_runs

EPS = 2.0**-52
DRIFT = 4.0  # roundings per unit of |u| in logarithms and means: those of <u, y> itself
TINIEST = 1e-280  # smaller sums may have lost terms to underflow
STRICT = float(np.finfo(np.float32).tiny)  # two different positions differ by more


def attend(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> Attended:
    """As `sums.attend`, for unit vectors `keys`, in O(n); queries whose error is too large are summed directly.

    `queries` (n, d) and `keys` (n, d) belong to the same tokens, whose positions are those of the band. Without a band
    all is seen. `values` None are the keys. Derivatives of any order, forwards and backwards, are O(n) too, with
    respect to queries, keys, values, weights and offsets; bounds and positions have none without a slope. Those with
    respect to a slope, or to positions where there is one, are those of the direct sum and cost as much, which a
    `SlowSums` warning says when they are traced; so are all of them on several devices, without a warning.
    """
    if band is None or band.offset is None:
        return Attended(*_attend(queries, keys, values, weights, band, expansion)[:2])
    log_sum, mean, _ = _attend(queries, keys, values, weights, band._replace(offset=None), expansion)
    return Attended(log_sum + band.offset.astype(queries.dtype), mean)


@partial(jax.custom_jvp, nondiff_argnums=(5,))
def _attend(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> tuple[Array, Array, Array]:
    """Log-sums (n,), means (n, p), and which queries were summed directly, (n,)."""
    found = estimate(queries, keys, values, weights, band, expansion)
    is_bad = ~(found.error <= max(expansion.tolerance, fast._rounding(queries))) | fast.are_off_sphere(keys)
    done = Attended(found.log_sum.astype(queries.dtype), found.mean.astype(queries.dtype))
    again = partial(fast._directly, queries, keys, weights, is_bad, values=values, band=band)
    return *lax.cond(jnp.any(is_bad), again, lambda done: done, done), is_bad


@partial(_attend.defjvp, symbolic_zeros=True)
def _attend_jvp(expansion: fast.Expansion, primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    from tokenfield.sums import columns  # here, because it needs this module

    def directly(queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None) -> Attended:
        return direct.attend(queries, keys, keys if values is None else values, weights, band)

    log_sum, mean, is_bad = _attend(*primals, expansion)
    u, y, v, w, band = primals
    moves = columns.moves(band, tangents[4])
    du, dy, dv, dw, _ = along = _arrays(primals, tangents)
    if moves or device_count() > 1:
        if moves:
            columns.warn_of_pairs(u.shape[0])
        change = jax.jvp(directly, primals, along)[1]
    else:
        values = None if v is None else (v, dv)
        dw = None if columns.is_zero(tangents[3]) else dw
        change = fast._change((u, y, w), (du, dy, dw), log_sum, mean, is_bad, (expansion,), values=values, band=band)
    return (log_sum, mean, is_bad), (*change, np.zeros(is_bad.shape, jax.dtypes.float0))


def _arrays(primals: Any, tangents: Any) -> Any:
    """The tangents with zeros that are arrays."""

    def array(primal: Array, tangent: Any) -> Any:
        if not isinstance(tangent, SymbolicZero):
            return tangent
        return np.zeros(primal.shape, tangent.dtype) if tangent.dtype == jax.dtypes.float0 else jnp.zeros_like(primal)

    return jax.tree.map(array, primals, tangents)


def estimate(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> fast.Fast:
    """What `attend` returns, from prefix sums alone, in float64, and how far to trust it."""
    u, y, v, w = (a.astype(float) for a in (queries, keys, keys if values is None else values, weights))
    seen_from, unit_keys = _polar(u), _polar(y).directions
    lengths, of_keys = seen_from.lengths, values is None
    columns = (w,) if of_keys else (w, *(w * column for column in v.T))
    module = fourier_runs if u.shape[1] == 2 else harmonics_runs
    modes: Modes = module.modes(expansion, lengths, of_keys=of_keys)
    positions = jnp.zeros_like(w) if band is None else band.keys
    (total, *sums), mass = _in_order(modes, seen_from, unit_keys, columns, positions, band)
    # a floor keeps means bounded where the sum is rounding only
    safe = jnp.maximum(total, jnp.maximum(modes.lost * mass, TINIEST))
    # the mass has rounding of its own, which is nothing next to the factor of two
    error = 2 * modes.lost * mass / safe + DRIFT * EPS * (1 + lengths)
    is_known = (total > 2 * modes.lost * mass) & (total > TINIEST) & (lengths <= expansion.reach * (1 + 1e-9))
    error = jnp.where(is_known, error, jnp.inf)
    if expansion.is_uniform:
        error = error + jnp.abs(lengths - jnp.max(lengths))
    mean = jnp.stack([part / safe for part in sums], axis=1) if sums else v
    return fast.Fast(lengths + jnp.log(safe), mean, error)


def seen_log_mass(weights: Array, band: Band) -> Array:
    """log sum_j b_ij w_j of the tokens of a band, in O(n), with b_ij as in `weigh`; -inf where nothing is seen.

    Args:
        weights: the weights w_j, shape (n,).
        band: what a token sees of the others by position; its queries are its keys.

    Returns:
        The logarithm of the mass that each token sees, shape (n,).

    Derivatives with respect to weights and offsets are O(n) too; those with respect to a slope, or to positions where
    there is one, are those of the direct sum and cost as much, with a `SlowSums` warning.

    >>> import jax.numpy as jnp
    >>> places = jnp.arange(3.0)
    >>> causal = Band(places, places, nearest=jnp.zeros(()))
    >>> jnp.exp(seen_log_mass(jnp.ones(3), causal)).round(9).tolist()
    [1.0, 2.0, 3.0]
    """
    mass = _seen_log_mass(weights, band._replace(offset=None))[0]
    return mass if band.offset is None else mass + band.offset.astype(weights.dtype)


@jax.custom_jvp
def _seen_log_mass(weights: Array, band: Band) -> tuple[Array, Array]:
    """The logarithms (n,), and which of them were summed directly, (n,)."""
    modes, columns = Mass(), (weights.astype(float),)
    (total,), mass = _in_order(modes, Queries((), jnp.zeros_like(columns[0])), (), columns, band.keys, band)
    is_bad = ~(modes.lost * mass <= MASS.tolerance * total) | ~(total > TINIEST)
    nothing = jnp.zeros((weights.shape[0], 1), weights.dtype)
    again = partial(fast._directly, nothing, nothing, weights, is_bad, values=nothing[:, :0], band=band)
    done = Attended(jnp.log(jnp.maximum(total, 0.0)).astype(weights.dtype), nothing[:, :0])
    return lax.cond(jnp.any(is_bad), again, lambda done: done, done).log_sum, is_bad


@partial(_seen_log_mass.defjvp, symbolic_zeros=True)
def _seen_log_mass_jvp(primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    from tokenfield.sums import columns  # here, because it needs this module

    weights, band = primals
    nothing = jnp.zeros((weights.shape[0], 1), weights.dtype)

    def directly(weights: Array, band: Band) -> Array:
        return direct.attend(nothing, nothing, nothing[:, :0], weights, band).log_sum

    log_mass, is_bad = _seen_log_mass(*primals)
    moves = columns.moves(band, tangents[1])
    dw, d_band = _arrays(primals, tangents)
    if moves or device_count() > 1:
        if moves:
            columns.warn_of_pairs(weights.shape[0])
        change = jax.jvp(directly, primals, (dw, d_band))[1]
    else:
        offsets, total = fast.offsets_and_totals(log_mass)
        options = {"expansions": (MASS,), "over": "points", "band": band, "weights": lax.stop_gradient(weights)}
        change = columns.kernel_sums(nothing, nothing, dw[:, None], offsets, is_bad, **options)[:, 0] / total
    return (log_mass, is_bad), (change, np.zeros(is_bad.shape, jax.dtypes.float0))


def _polar(vectors: Array) -> Queries:
    """The directions and lengths of `vectors` (n, d); that of zero is the first axis."""
    coordinates = [vectors[:, i] for i in range(vectors.shape[1])]  # a sum over a short axis would be slow
    lengths = jnp.sqrt(sum(column * column for column in coordinates))
    is_zero = lengths == 0
    scale = 1 / jnp.where(is_zero, 1.0, lengths)
    first, *others = (column * scale for column in coordinates)
    return Queries((jnp.where(is_zero, 1.0, first), *others), lengths)


class Mass(NamedTuple):
    """The kernel 1: its only moment of a column is the sum."""

    run: int = 64
    chunk: int = 128
    lost: float = 8 * EPS
    of_keys: bool = False

    def moments(self, keys: Arrays, columns: Arrays) -> Array:
        return jnp.stack([jnp.sum(column, axis=1) for column in columns], axis=1)

    def sums(self, states: Array, queries: Queries) -> Arrays:
        return tuple(jnp.broadcast_to(state[:, None], queries.lengths.shape) for state in states.T)


MASS = fast.Expansion("mass", 1, 0.0, True, tolerance=1e-12)


# --- order and sides ------------------------------------------------------------------------------------------------


def _in_order(
    modes: Modes, queries: Queries, keys: Arrays, columns: Arrays, positions: Array, band: Band | None
) -> tuple[Arrays, Array]:
    """The sums, (n,) for each column, and the mass behind their error (n,), for tokens at positions in any order."""
    places = positions

    def is_unsorted(arrays: Any) -> Array:
        return jnp.any(arrays[-1][1:] < arrays[-1][:-1])

    def sort(arrays: Any) -> Any:
        order = jnp.argsort(arrays[-1])
        return jax.tree.map(lambda a: a[order], arrays)

    # loops of at most one step, because a branch that changes nothing would still copy everything
    arrays = lax.while_loop(is_unsorted, sort, (queries, keys, columns, positions))
    queries, keys, columns, positions = arrays
    found = _both_sides(modes, queries, keys, columns, positions, band)

    def unsort(carry: tuple[Array, Any]) -> tuple[Array, Any]:
        # sorted once more, because an order carried along would be written also where there is nothing to sort; and in
        # terms of what is carried, because all else is computed before the loop, whether it runs or not
        order = jnp.argsort(jnp.where(carry[0], places, 0.0))
        return jnp.zeros((), bool), jax.tree.map(lambda a: jnp.zeros_like(a).at[order].set(a), carry[1])

    return lax.while_loop(lambda carry: carry[0], unsort, (is_unsorted((places,)), found))[1]


def _both_sides(
    modes: Modes, queries: Queries, keys: Arrays, columns: Arrays, positions: Array, band: Band | None
) -> tuple[Arrays, Array]:
    """As `_in_order`, for sorted positions. With a decay, tokens before and behind are summed apart."""
    if band is None or band.slope is None:
        limits = Limits() if band is None else Limits(band.nearest, band.farthest)
        return sum_in_runs(modes, queries, keys, columns, positions, limits)
    zero, strict = jnp.zeros((), positions.dtype), jnp.asarray(STRICT, positions.dtype)
    nearest = zero if band.nearest is None else jnp.maximum(band.nearest, 0)
    before = Limits(nearest, band.farthest, band.slope)
    found = sum_in_runs(modes, queries, keys, columns, positions, before)

    def add_behind(found: tuple[Arrays, Array]) -> tuple[Arrays, Array]:
        turned = jax.tree.map(lambda a: a[::-1], (queries, keys, columns, -positions))
        closest = strict if band.farthest is None else jnp.maximum(-band.farthest, strict)
        farthest = None if band.nearest is None else -band.nearest
        limits = Limits(closest, farthest, band.slope)
        behind = sum_in_runs(modes, turned[0], turned[1], turned[2], turned[3], limits)
        return jax.tree.map(lambda a, b: a + b[::-1], found, behind)

    if band.nearest is None:
        return add_behind(found)
    return lax.cond(band.nearest < 0, add_behind, lambda found: found, found)
