"""Sums of e^{<u_i, y_j>} over the keys that a query sees by position, in O(n): prefix sums of moments.

Tokens, sorted by position, go in runs. What is summed over a run are its moments (`fourier_runs` on the circle,
`harmonics_runs` on S^2), and sums of them over all runs before a given one are the states. A decay with distance
multiplies states on the way; a window is a difference of two states, whose sums start anew so often that little
cancels. A query takes the runs that it sees entirely from a state, and the few that it sees in part, its own above all,
pair by pair. So the error is relative to the mass in the state alone, and the first tokens are as exact as the last.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.errors import SlowSums
from tokenfield.sums import direct, fast, fourier_runs, harmonics_runs
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended
from tokenfield.sums.runs import Arrays, Limits, Modes, Queries, sum_in_runs

EPS = 2.0**-52
DRIFT = 4.0  # roundings per unit of |u| in logarithms and means: those of <u, y> itself
TINIEST = 1e-280  # smaller sums may have lost terms to underflow
MASS_TOLERANCE = 1e-12  # relative error of masses
STRICT = float(np.finfo(np.float32).tiny)  # two different positions differ by more


def attend(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> Attended:
    """As `sums.attend`, for unit vectors `keys`, in O(n); queries whose error is too large are summed directly.

    `queries` (n, d) and `keys` (n, d) belong to the same tokens, whose positions are those of the band. Without a band
    all is seen. `values` None are the keys. Derivatives are those of the direct sum and cost as much, which a
    `SlowSums` warning says when they are traced.
    """
    if band is None or band.offset is None:
        return _attend(queries, keys, values, weights, band, expansion)
    attended = _attend(queries, keys, values, weights, band._replace(offset=None), expansion)
    return attended._replace(log_sum=attended.log_sum + band.offset.astype(queries.dtype))


@partial(jax.custom_jvp, nondiff_argnums=(5,))
def _attend(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> Attended:
    found = estimate(queries, keys, values, weights, band, expansion)
    is_bad = ~(found.error <= max(expansion.tolerance, fast._rounding(queries))) | fast.are_off_sphere(keys)
    done = Attended(found.log_sum.astype(queries.dtype), found.mean.astype(queries.dtype))
    again = partial(fast._directly, queries, keys, weights, is_bad, values=values, band=band)
    return lax.cond(jnp.any(is_bad), again, lambda done: done, done)


@_attend.defjvp
def _attend_jvp(expansion: fast.Expansion, primals: tuple, tangents: tuple) -> tuple[Attended, Attended]:
    def directly(queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None) -> Attended:
        return direct.attend(queries, keys, keys if values is None else values, weights, band)

    warnings.warn(
        f"derivatives of a sum by position go over all pairs of its {primals[0].shape[0]} tokens, as only its values "
        "are sums over prefixes: take fewer tokens, or no positions, where derivatives are needed",
        SlowSums,
        stacklevel=2,
    )
    return _attend(*primals, expansion), jax.jvp(directly, primals, tangents)[1]


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
    """log sum_j b_ij w_j of the tokens of a band, in O(n); -inf where nothing is seen.

    Args:
        weights: the weights w_j, shape (n,).
        band: what a token sees of the others by position; its queries are its keys.

    Returns:
        The logarithm of the mass that each token sees, shape (n,).

    Derivatives are those of the direct sum, and cost as much.

    >>> places = jnp.arange(3.0)
    >>> jnp.exp(seen_log_mass(jnp.ones(3), Band(places, places, nearest=jnp.zeros(())))).round(9).tolist()
    [1.0, 2.0, 3.0]
    """
    mass = _seen_log_mass(weights, band._replace(offset=None))
    return mass if band.offset is None else mass + band.offset.astype(weights.dtype)


@jax.custom_jvp
def _seen_log_mass(weights: Array, band: Band) -> Array:
    columns = (weights.astype(float),)
    (total,), mass = _in_order(_Mass(), Queries((), jnp.zeros_like(columns[0])), (), columns, band.keys, band)
    is_bad = ~(8 * EPS * mass <= MASS_TOLERANCE * total) | ~(total > TINIEST)
    nothing = jnp.zeros((weights.shape[0], 1), weights.dtype)
    again = partial(fast._directly, nothing, nothing, weights, is_bad, values=nothing[:, :0], band=band)
    done = Attended(jnp.log(jnp.maximum(total, 0.0)).astype(weights.dtype), nothing[:, :0])
    return lax.cond(jnp.any(is_bad), again, lambda done: done, done).log_sum


@_seen_log_mass.defjvp
def _seen_log_mass_jvp(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    def directly(weights: Array, band: Band) -> Array:
        nothing = jnp.zeros((weights.shape[0], 1), weights.dtype)
        return direct.attend(nothing, nothing, nothing[:, :0], weights, band).log_sum

    return _seen_log_mass(*primals), jax.jvp(directly, primals, tangents)[1]


def _polar(vectors: Array) -> Queries:
    """The directions and lengths of `vectors` (n, d); that of zero is the first axis."""
    coordinates = [vectors[:, i] for i in range(vectors.shape[1])]  # a sum over a short axis would be slow
    lengths = jnp.sqrt(sum(column * column for column in coordinates))
    is_zero = lengths == 0
    scale = 1 / jnp.where(is_zero, 1.0, lengths)
    first, *others = (column * scale for column in coordinates)
    return Queries((jnp.where(is_zero, 1.0, first), *others), lengths)


class _Mass(NamedTuple):
    """The kernel 1: its only moment is the mass."""

    run: int = 64
    chunk: int = 128
    lost: float = 0.0
    of_keys: bool = False

    def moments(self, keys: Arrays, columns: Arrays) -> Array:
        return jnp.sum(columns[0], axis=1, keepdims=True)

    def sums(self, states: Array, queries: Queries) -> Arrays:
        return (jnp.broadcast_to(states, queries.lengths.shape),)


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
