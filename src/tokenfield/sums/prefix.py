"""Sums of e^{<u_i, y_j>} over the keys that a query sees by position, in O(n): prefix sums of moments.

Tokens, sorted by position, go in runs. What is summed over a run are its moments (`fourier_runs` on the circle,
`harmonics_runs` on S^2), and sums of them over all runs before a given one are the states. A decay with distance
multiplies states on the way; a window is a difference of two states, whose sums start anew so often that little
cancels. A query takes the runs that it sees entirely from a state, and the few that it sees in part, its own above all,
pair by pair. So the error is relative to the mass in the state alone, and the first tokens are as exact as the last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.sums import direct, fast, fourier_runs, harmonics_runs
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended
from tokenfield.sums.fourier import _sum_exactly

PARTS = 4  # of the queries of a run, with loops of their own over its keys: a causal mask then leaves 5/8 of the pairs
EPS = 2.0**-52
DRIFT = 4.0  # roundings per unit of |u| in logarithms and means: those of <u, y> itself
TINIEST = 1e-280  # smaller sums may have lost terms to underflow
MASS_TOLERANCE = 1e-12  # relative error of masses
STRICT = float(np.finfo(np.float32).tiny)  # two different positions differ by more


Arrays = tuple[Array, ...]  # coordinates or columns one by one: a short last axis would keep loops from vectorizing


class Queries(NamedTuple):
    """Vectors u_i: unit vectors, coordinate by coordinate, and their lengths."""

    directions: Arrays
    lengths: Array


class Modes(Protocol):
    """What a kernel e^{<u, y> - |u|} is made of: moments of keys, and sums at queries from them, for many runs."""

    @property
    def run(self) -> int:
        """Tokens in a run."""

    @property
    def chunk(self) -> int:
        """Runs at a time: all that is kept of them stays in cache."""

    @property
    def lost(self) -> float:
        """The absolute error of a sum, relative to the mass of the keys."""

    @property
    def of_keys(self) -> bool:
        """Whether the columns are the weights and their products with the coordinates of the keys: only the first of
        them is then carried along.
        """

    def moments(self, keys: Arrays, columns: Arrays) -> Array:
        """The moments (r, M) of `columns` at unit vectors `keys`, (r, R) each. The first one is the sum of column 0."""

    def sums(self, states: Array, queries: Queries) -> Arrays:
        """sum_j e^{<u_i, y_j> - |u_i|} column_j, (r, R) each, from the moments `states` (r, M)."""


def attend(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> Attended:
    """As `sums.attend`, for unit vectors `keys`, in O(n); queries whose error is too large are summed directly.

    `queries` (n, d) and `keys` (n, d) belong to the same tokens, whose positions are those of the band. Without a band
    all is seen. `values` None are the keys. Derivatives are those of the direct sum, and cost as much.
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
    is_off = jnp.max(jnp.abs(jnp.sum(keys * keys, axis=1) - 1)) > 2 * max(fast.OFF_SPHERE, fast._rounding(keys))
    is_bad = ~(found.error <= max(expansion.tolerance, fast._rounding(queries))) | is_off
    done = Attended(found.log_sum.astype(queries.dtype), found.mean.astype(queries.dtype))
    again = partial(fast._directly, queries, keys, weights, is_bad, values=values, band=band)
    return lax.cond(jnp.any(is_bad), again, lambda done: done, done)


@_attend.defjvp
def _attend_jvp(expansion: fast.Expansion, primals: tuple, tangents: tuple) -> tuple[Attended, Attended]:
    def directly(queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None) -> Attended:
        return direct.attend(queries, keys, keys if values is None else values, weights, band)

    return _attend(*primals, expansion), jax.jvp(directly, primals, tangents)[1]


def estimate(
    queries: Array, keys: Array, values: Array | None, weights: Array, band: Band | None, expansion: fast.Expansion
) -> fast.Fast:
    """What `attend` returns, from prefix sums alone, in float64, and how far to trust it."""
    u, y, v, w = (a.astype(float) for a in (queries, keys, keys if values is None else values, weights))
    seen_from, unit_keys = _polar(u), _polar(y).directions
    lengths, of_keys = seen_from.lengths, values is None
    columns = (w,) if of_keys else (w, *(w * column for column in v.T))
    runs = fourier_runs if u.shape[1] == 2 else harmonics_runs
    modes: Modes = runs.modes(expansion, lengths, of_keys=of_keys)
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
    lengths = jnp.sqrt(jnp.sum(vectors * vectors, axis=1))
    is_zero = lengths == 0
    first, *others = (vectors / jnp.where(is_zero, 1.0, lengths)[:, None]).T
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
    count = jnp.arange(positions.shape[0])

    def is_unsorted(carry: tuple[Array, Any]) -> Array:
        return jnp.any(carry[1][-1][1:] < carry[1][-1][:-1])

    def sort(carry: tuple[Array, Any]) -> tuple[Array, Any]:
        order = jnp.argsort(carry[1][-1])
        return order, jax.tree.map(lambda a: a[order], carry[1])

    # loops of at most one step, because a branch that changes nothing would still copy everything
    order, arrays = lax.while_loop(is_unsorted, sort, (count, (queries, keys, columns, positions)))
    queries, keys, columns, positions = arrays
    found = _both_sides(modes, queries, keys, columns, positions, band)

    def unsort(carry: tuple[Array, Any]) -> tuple[Array, Any]:
        order, found = carry
        return count, jax.tree.map(lambda a: jnp.zeros_like(a).at[order].set(a), found)

    return lax.while_loop(lambda carry: jnp.any(carry[0] != count), unsort, (order, found))[1]


def _both_sides(
    modes: Modes, queries: Queries, keys: Arrays, columns: Arrays, positions: Array, band: Band | None
) -> tuple[Arrays, Array]:
    """As `_in_order`, for sorted positions. With a decay, tokens before and behind are summed apart."""
    if band is None or band.slope is None:
        limits = _Limits() if band is None else _Limits(band.nearest, band.farthest)
        return _one_side(modes, queries, keys, columns, positions, limits)
    zero, strict = jnp.zeros((), positions.dtype), jnp.asarray(STRICT, positions.dtype)
    nearest = zero if band.nearest is None else jnp.maximum(band.nearest, 0)
    before = _Limits(nearest, band.farthest, band.slope)
    found = _one_side(modes, queries, keys, columns, positions, before)

    def add_behind(found: tuple[Arrays, Array]) -> tuple[Arrays, Array]:
        turned = jax.tree.map(lambda a: a[::-1], (queries, keys, columns, -positions))
        closest = strict if band.farthest is None else jnp.maximum(-band.farthest, strict)
        farthest = None if band.nearest is None else -band.nearest
        limits = _Limits(closest, farthest, band.slope)
        behind = _one_side(modes, turned[0], turned[1], turned[2], turned[3], limits)
        return jax.tree.map(lambda a, b: a + b[::-1], found, behind)

    if band.nearest is None:
        return add_behind(found)
    return lax.cond(band.nearest < 0, add_behind, lambda found: found, found)


class _Limits(NamedTuple):
    """As in `Band`; with a slope, `nearest` is not negative."""

    nearest: Array | None = None
    farthest: Array | None = None
    slope: Array | None = None

    def is_old_enough(self, difference: Array) -> Array:
        """Whether p_i - p_j is large enough to be seen."""
        return jnp.ones_like(difference, bool) if self.nearest is None else difference >= self.nearest

    def is_too_old(self, difference: Array) -> Array:
        return jnp.zeros_like(difference, bool) if self.farthest is None else difference > self.farthest

    def decay(self, difference: Array) -> Array:
        """The weight at a distance p_i - p_j >= 0."""
        assert self.slope is not None
        return jnp.exp(-(self.slope * difference).astype(float))


# --- runs -------------------------------------------------------------------------------------------------------------


def _one_side(
    modes: Modes, queries: Queries, keys: Arrays, columns: Arrays, positions: Array, limits: _Limits
) -> tuple[Arrays, Array]:
    """As `_in_order`, for sorted positions and limits that are the same on both sides or one-sided."""
    n, size = positions.shape[0], modes.run
    count = -(-n // (size * modes.chunk)) * modes.chunk if n > size * modes.chunk else -(-n // size)
    chunk = min(modes.chunk, count)

    def in_runs(a: Array) -> Array:
        # more of the last token, at its position
        return a.reshape(count, size) if short == 0 else jnp.pad(a, (0, short), mode="edge").reshape(count, size)

    short = count * size - n
    runs = jax.tree.map(in_runs, _Runs(queries, keys, columns, positions))
    if short:  # which weighs nothing
        is_token = jnp.arange(count * size).reshape(count, size) < n
        runs = runs._replace(columns=tuple(jnp.where(is_token, column, 0.0) for column in runs.columns))
    seen = _seen_runs(runs.positions, n, limits)
    states = _States.of(modes, runs, seen, limits, chunk)

    def one(part: tuple[_Runs, _Seen]) -> tuple[Arrays, Array]:
        here, seen = part
        state, mass = states.at(seen)
        # a barrier, because the sums fused with what follows would be made in the order of that, which is slow
        sums = lax.optimization_barrier(modes.sums(state, here.queries))
        mass = jnp.broadcast_to(mass[:, None], here.positions.shape)
        if limits.slope is not None:
            # from the last key of the state to the query
            fade = limits.decay(here.positions - states.anchors[seen.end][:, None])
            sums, mass = jax.tree.map(lambda a: a * fade, (sums, mass))
        return _add_pairs(sums, runs, here, seen, limits, modes.of_keys), mass

    found = lax.map(one, _chunks((runs, seen), chunk))
    return jax.tree.map(lambda a: a.reshape(-1)[:n], found)


def _chunks(arrays: Any, size: int) -> Any:
    """All arrays (r, ...) as (r / size, size, ...)."""
    return jax.tree.map(lambda a: a.reshape(a.shape[0] // size, size, *a.shape[1:]), arrays)


class _Runs(NamedTuple):
    """Tokens in runs: all arrays are (r, R)."""

    queries: Queries
    keys: Arrays
    columns: Arrays
    positions: Array


class _Seen(NamedTuple):
    """What the queries of each run see of the runs of keys, (r,) each.

    Runs from `start` to before `end` are seen entirely by all of them. Some see something of the `low` runs from
    `low_start` on, and then of the runs from `end` on, `some` runs in all.
    """

    start: Array
    end: Array
    low_start: Array
    low: Array
    some: Array

    def partial(self, i: Array) -> Array:
        """The number of the i-th run that is seen in part."""
        return jnp.where(i < self.low, self.low_start + i, self.end + i - self.low)


def _seen_runs(positions: Array, n: int, limits: _Limits) -> _Seen:
    """What is seen of the first `n` tokens at sorted `positions` (r, R): those behind them only fill up the runs."""
    size, flat = positions.shape[1], positions.reshape(-1)
    first, last = positions[:, 0], positions[:, -1]

    def keys_before(query: Array, is_before: Callable[[Array], Array]) -> Array:
        """How many keys, from the first one on, have `is_before(p_i - p_j)`; bisection with the very test of a pair."""

        def halve(_: int, bounds: tuple[Array, Array]) -> tuple[Array, Array]:
            low, high = bounds
            middle = (low + high) // 2
            is_in = is_before(query - flat[jnp.minimum(middle, n - 1)]) & (middle < n)
            return jnp.where(is_in, middle + 1, low), jnp.where(is_in, high, middle)

        zero = jnp.zeros(query.shape, int)
        return lax.fori_loop(0, n.bit_length(), halve, (zero, zero + n))[0]

    ends = [keys_before(query, limits.is_old_enough) for query in (first, last)]
    starts = [keys_before(query, limits.is_too_old) for query in (first, last)]
    start, end = -(-starts[1] // size), ends[0] // size
    low_start, high_end = starts[0] // size, -(-ends[1] // size)
    is_empty = start >= end
    low = jnp.maximum(jnp.where(is_empty, high_end, start) - low_start, 0)
    some = low + jnp.where(is_empty, 0, high_end - end)
    return _Seen(jnp.where(is_empty, 0, start), jnp.where(is_empty, 0, end), low_start, low, some)


def _add_pairs(sums: Arrays, runs: _Runs, here: _Runs, seen: _Seen, limits: _Limits, of_keys: bool) -> Arrays:
    """`sums` and what the queries `here` see of the runs that are seen in part, pair by pair."""
    # tokens first, runs last: one key of each run at a time, for a part of the queries of all runs
    queries, positions, sums = jax.tree.map(jnp.transpose, (here.queries, here.positions, sums))
    size = positions.shape[0]
    parts = [slice(size * i // PARTS, size * (i + 1) // PARTS) for i in range(PARTS)]

    def add_run(i: Array, sums: Arrays) -> Arrays:
        chosen = jnp.minimum(seen.partial(i), runs.positions.shape[0] - 1)
        keys, columns, key_positions = jax.tree.map(lambda a: a[chosen].T, (runs.keys, runs.columns, runs.positions))
        is_there = i < seen.some
        columns = tuple(jnp.where(is_there, column, 0.0) for column in columns)
        if of_keys:
            columns = (columns[0], *(columns[0] * key for key in keys))

        def add_to(part: slice) -> Arrays:
            asking, places, found = jax.tree.map(lambda a: a[part], (queries, positions, sums))
            # keys that no run needs at this place: those that even the first query finds too old, the last one too new
            is_past = limits.is_too_old(places[0] - key_positions) | ~is_there
            is_reached = limits.is_old_enough(places[-1] - key_positions) & is_there
            first, end = jnp.sum(jnp.all(is_past, axis=1)), jnp.sum(jnp.any(is_reached, axis=1))

            def add_key(j: Array, found: Arrays) -> Arrays:
                y, column, place = jax.tree.map(lambda a: a[j], (keys, columns, key_positions))
                kernel = _kernel(asking, y, places - place, limits)
                return tuple(s + kernel * c for s, c in zip(found, column, strict=True))

            return lax.fori_loop(first, end, add_key, found)

        return tuple(jnp.concatenate(column) for column in zip(*map(add_to, parts), strict=True))

    sums = lax.fori_loop(0, jnp.max(seen.some), add_run, sums)
    return tuple(s.T for s in sums)


def _kernel(queries: Queries, key: Arrays, difference: Array, limits: _Limits) -> Array:
    """b_ij e^{<u_i, y_j> - |u_i|} at p_i - p_j = `difference`."""
    cosine_less_1 = sum((u * k for u, k in zip(queries.directions, key, strict=True)), start=-1.0)
    exponent = queries.lengths * cosine_less_1
    if limits.slope is not None:
        exponent = exponent - limits.slope * jnp.abs(difference)
    kernel = jnp.exp(exponent)
    if limits.nearest is not None:
        kernel = jnp.where(difference >= limits.nearest, kernel, 0.0)
    if limits.farthest is not None:
        kernel = jnp.where(difference <= limits.farthest, kernel, 0.0)
    return kernel


# --- states -----------------------------------------------------------------------------------------------------------


class _States(NamedTuple):
    """Sums of moments over the runs before a given one, as they are at the position of the last key before it.

    `sums` (r, M) and, over all runs, `total` (M,). They start anew behind every multiple of `segment` runs, if there is
    one: such a state itself is still the sum over the segment before it.
    """

    sums: Array
    total: Array
    anchors: Array  # (r + 1,)
    segment: Array | None
    limits: _Limits

    @classmethod
    def of(cls, modes: Modes, runs: _Runs, seen: _Seen, limits: _Limits, chunk: int) -> _States:
        anchors = jnp.concatenate([runs.positions[:1, 0], runs.positions[:, -1]])
        is_windowed = limits.farthest is not None
        # as long as the widest window: two of them cover any window, and not much more than it
        segment = jnp.maximum(jnp.max(seen.end - seen.start), 1) if is_windowed else None
        factors = None if limits.slope is None else limits.decay(anchors[1:] - anchors[:-1])
        if segment is not None:
            goes_on = (jnp.arange(anchors.size - 1) % segment != 0).astype(float)
            factors = goes_on if factors is None else factors * goes_on

        def moments(keys: Arrays, columns: Arrays, positions: Array) -> Array:
            if limits.slope is not None:
                fade = limits.decay(positions[:, -1:] - positions)
                columns = tuple(column * fade for column in columns)
            return modes.moments(keys, columns)

        def add(carry: tuple[Array, Array], part: tuple) -> tuple[tuple[Array, Array], Array]:
            *tokens, factors = part
            before = carry[0] + carry[1]
            if factors is None:
                sums = _partial_sums(moments(*tokens))
                states, carry = sums + before, _sum_exactly(carry, sums[-1])
            else:
                sums, f = _decaying_sums(moments(*tokens), factors[:, None])
                states, carry = sums + f * before, _sum_exactly((f[-1] * carry[0], f[-1] * carry[1]), sums[-1])
            return carry, jnp.concatenate([before[None], states[:-1]])

        *tokens, factors = _chunks((runs.keys, runs.columns, runs.positions, factors), chunk)
        shape = jax.eval_shape(moments, *jax.tree.map(lambda a: a[0], tokens)).shape
        zero = jnp.zeros(shape[1])
        carry, sums = lax.scan(add, (zero, zero), (*tokens, factors))
        return cls(sums.reshape(-1, shape[1]), carry[0] + carry[1], anchors, segment, limits)

    def at(self, seen: _Seen) -> tuple[Array, Array]:
        """The moments (r, M) of the runs that are seen entirely, and the mass (r,) that their error is relative to."""
        if self.segment is None:
            state = self._before(seen.end)
            return state, state[:, 0]
        first = seen.end // self.segment * self.segment  # where the segment of `end` begins
        ended = self._decayed(first, seen.end, seen.start < first)
        begun = self._decayed(seen.end, seen.end, seen.end > first)
        hidden = self._decayed(seen.start, seen.end, seen.start % self.segment != 0)
        return ended + begun - hidden, (ended + begun + hidden)[:, 0]

    def _decayed(self, run: Array, end: Array, counts: Array) -> Array:
        factor = counts.astype(float)
        if self.limits.slope is not None:
            factor = factor * self.limits.decay(self.anchors[end] - self.anchors[run])
        return self._before(run) * factor[:, None]

    def _before(self, run: Array) -> Array:
        last = self.sums.shape[0] - 1
        return jnp.where((run > last)[:, None], self.total, self.sums[jnp.minimum(run, last)])


def _partial_sums(moments: Array) -> Array:
    """The sums of the first 1, 2, ... rows of `moments` (b, M): within groups, then of groups, as matrix products."""
    count = moments.shape[0]
    width = int(np.ceil(np.sqrt(count)))
    grouped = jnp.pad(moments, ((0, width * width - count), (0, 0))).reshape(width, width, -1)
    ones = np.tril(np.ones((width, width)))
    product = partial(jnp.einsum, precision=lax.Precision.HIGHEST)
    within = product("ij,gjk->gik", ones, grouped)
    before = product("gh,hk->gk", ones - np.eye(width), within[:, -1])
    return (within + before[:, None]).reshape(width * width, -1)[:count]


def _decaying_sums(sums: Array, factors: Array) -> tuple[Array, Array]:
    """s_b = f_b s_{b-1} + m_b from 0 on, for rows m (b, M) in `sums`, and the products of the first 1, 2, ... f."""
    reach = 1
    while reach < sums.shape[0]:  # sums over 1, 2, 4, ... runs: few roundings, long vectors
        sums = sums + factors * jnp.pad(sums, ((reach, 0), (0, 0)))[:-reach]
        factors = factors * jnp.pad(factors, ((reach, 0), (0, 0)), constant_values=1.0)[:-reach]
        reach *= 2
    return sums, factors
