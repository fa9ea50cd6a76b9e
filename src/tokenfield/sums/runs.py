"""Sums over what each of many sorted tokens sees of the others, from moments of runs of them.

`sum_in_runs` is the work behind `prefix`, which says how it is done. No positions in any order, no logarithms and no
errors here: tokens are sorted, and sums are those of e^{<u, y> - |u|}.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.sums.fourier import _sum_exactly

PARTS = 4  # of the queries of a run, with loops of their own over its keys: a causal mask then leaves 5/8 of the pairs

Arrays = tuple[Array, ...]  # coordinates or columns one by one: a short last axis would keep loops from vectorizing


class Queries(NamedTuple):
    """Vectors u_i: unit vectors, coordinate by coordinate, and their lengths."""

    directions: Arrays
    lengths: Array


class Modes(Protocol):
    """What a kernel e^{<u, y> - |u|} is made of: moments of keys, and sums at queries from them, for many runs.

    Keys may be the vectors u, and queries the unit vectors y. The coordinates of directions are then followed by |u|
    among the keys; if not, the lengths are those of the queries.
    """

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
        """The moments (r, M) of `columns` at `keys`, (r, R) each. The first one is the sum of column 0."""

    def sums(self, states: Array, queries: Queries) -> Arrays:
        """sum_j e^{<u_i, y_j> - |u_i|} column_j, (r, R) each, from the moments `states` (r, M)."""


class Limits(NamedTuple):
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


def sum_in_runs(
    modes: Modes, queries: Queries, keys: Arrays, columns: Arrays, positions: Array, limits: Limits
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
        mass = mass[:, None]
        if limits.slope is not None:
            # from the last key of the state to the query
            fade = limits.decay(here.positions - states.anchors[seen.end][:, None])
            sums, mass = jax.tree.map(lambda a: a * fade, (sums, mass))
        return _add_pairs(sums, runs, here, seen, limits, modes.of_keys), mass

    sums, mass = lax.map(one, _chunks((runs, seen), chunk))
    mass = jnp.broadcast_to(mass, sums[0].shape)  # here, where nothing is written for it
    return jax.tree.map(lambda a: a.reshape(-1)[:n], (sums, mass))


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


def _seen_runs(positions: Array, n: int, limits: Limits) -> _Seen:
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


def _add_pairs(sums: Arrays, runs: _Runs, here: _Runs, seen: _Seen, limits: Limits, of_keys: bool) -> Arrays:
    """`sums` and what the queries `here` see of the runs that are seen in part, pair by pair."""
    # tokens first, runs last: one key of each run at a time, for a part of the queries of all runs
    queries, positions, sums = jax.tree.map(jnp.transpose, (here.queries, here.positions, sums))

    def add_run(i: Array, sums: Arrays) -> Arrays:
        chosen = jnp.minimum(seen.partial(i), runs.positions.shape[0] - 1)
        keys, columns, key_positions = jax.tree.map(lambda a: a[chosen].T, (runs.keys, runs.columns, runs.positions))
        is_there = i < seen.some
        columns = tuple(jnp.where(is_there, column, 0.0) for column in columns)
        if of_keys:
            columns = (columns[0], *(columns[0] * key for key in keys))

        def add_to(part: tuple[Queries, Array, Arrays]) -> Arrays:
            asking, places, found = part
            # keys that no run needs at this place: those that even the first query finds too old, the last one too new
            is_past = limits.is_too_old(places[0] - key_positions) | ~is_there
            is_reached = limits.is_old_enough(places[-1] - key_positions) & is_there
            first, end = jnp.sum(jnp.all(is_past, axis=1)), jnp.sum(jnp.any(is_reached, axis=1))

            def add_key(j: Array, found: Arrays) -> Arrays:
                y, column, place = jax.tree.map(lambda a: a[j], (keys, columns, key_positions))
                kernel = _kernel(asking, y, places - place, limits)
                return tuple(s + kernel * c for s, c in zip(found, column, strict=True))

            return lax.fori_loop(first, end, add_key, found)

        return _by_parts(add_to, (queries, positions, sums), is_once=of_keys)

    sums = lax.fori_loop(0, jnp.max(seen.some), add_run, sums)
    return tuple(s.T for s in sums)


def _by_parts(step: Callable[[Any], Arrays], arrays: Any, *, is_once: bool) -> Arrays:
    """What `step` makes of `PARTS` parts of the first axis of all arrays, put together again.

    Derivatives compile all of this for each of their sums: a loop over the parts halves that, and takes an eighth
    longer to run than parts that are written down one after the other, as for what is there only once.
    """
    parts = jax.tree.map(lambda a: a.reshape(PARTS, -1, *a.shape[1:]), arrays)
    if not is_once:
        return tuple(column.reshape(-1, *column.shape[2:]) for column in lax.map(step, parts))
    found = [step(jax.tree.map(lambda a, i=i: a[i], parts)) for i in range(PARTS)]
    return tuple(jnp.concatenate(column) for column in zip(*found, strict=True))


def _kernel(queries: Queries, key: Arrays, difference: Array, limits: Limits) -> Array:
    """b_ij e^{<u_i, y_j> - |u_i|} at p_i - p_j = `difference`."""
    d = len(queries.directions)
    cosine_less_1 = sum((u * k for u, k in zip(queries.directions, key[:d], strict=True)), start=-1.0)
    exponent = (key[d] if len(key) > d else queries.lengths) * cosine_less_1
    if limits.slope is not None:
        exponent = exponent - limits.slope * jnp.abs(difference)
    # before the exponential: after it, each sum that uses the kernel would look at the positions again
    is_seen = limits.is_old_enough(difference) & ~limits.is_too_old(difference)
    return jnp.exp(jnp.where(is_seen, exponent, -jnp.inf))


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
    limits: Limits

    @classmethod
    def of(cls, modes: Modes, runs: _Runs, seen: _Seen, limits: Limits, chunk: int) -> _States:
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
