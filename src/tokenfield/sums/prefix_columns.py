"""Sums of numbers of any sign times b_ij e^{<u_i, y_j> - |u_i|} over what tokens see by position, or are seen by.

What `columns` needs of `prefix`: several columns of numbers at a time, and the same sums in both directions. The sum
over the queries that see a key is one over prefixes again: the tokens go backwards, and their positions change signs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType

import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.sums import fast, fourier_runs, harmonics_runs, prefix
from tokenfield.sums.band import Band
from tokenfield.sums.runs import Arrays, Modes, Queries

COLUMNS = 4  # at a time: the states of all runs take 2 numbers per token and column on the circle, and 8 on S^2


def at_queries(queries: Array, points: Array, columns: Array, band: Band, expansion: fast.Expansion) -> Array:
    """sum_j b_ij e^{<u_i, y_j> - |u_i|} g_j, (n, p), for `columns` g (n, p)."""
    asking, keys = prefix._polar(queries), prefix._polar(points).directions
    modes = _modes(expansion, queries)
    return _by_groups(partial(prefix._in_order, modes, asking, keys, positions=band.keys, band=band), columns)[0]


def at_points(
    queries: Array, points: Array, columns: Array, band: Band, expansion: fast.Expansion
) -> tuple[Array, Array]:
    """sum_i b_ij e^{<u_i, y_j> - |u_i|} h_i, (n, p), for `columns` h (n, p), and its error (n,) in the first column.

    That column has no negative numbers.
    """
    seeing, lengths = prefix._polar(queries)
    lengths = jnp.minimum(lengths, expansion.reach)
    keys, shared = prefix._polar(points).directions, jnp.broadcast_to(jnp.max(lengths), lengths.shape)
    if expansion.is_uniform:
        modes = _modes(expansion, queries)
    else:
        modes, seeing = _on(queries).modes_of_keys(expansion), (*seeing, lengths)
    looked_at, seeing, columns = jax.tree.map(lambda a: a[::-1], (Queries(keys, shared), seeing, columns))
    sums_of = partial(prefix._in_order, modes, looked_at, seeing, positions=-band.keys[::-1], band=band)
    found, mass = _by_groups(sums_of, columns)
    return found[::-1], modes.lost * mass[::-1]


def _modes(expansion: fast.Expansion, queries: Array) -> Modes:
    if expansion == prefix.MASS:
        return prefix.Mass()
    return _on(queries).modes(expansion, prefix._polar(queries).lengths, of_keys=False)


def _on(queries: Array) -> ModuleType:
    return fourier_runs if queries.shape[1] == 2 else harmonics_runs


def _by_groups(sums_of: Callable[..., tuple[Arrays, Array]], columns: Array) -> tuple[Array, Array]:
    """The sums (n, p) of `columns` (n, p), `COLUMNS` at a time, and the mass (n,) behind the error of the first one."""
    n, p = columns.shape
    size = -(-p // -(-p // COLUMNS))  # groups as equal as can be
    groups = jnp.pad(columns, ((0, 0), (0, -p % size))).T.reshape(-1, size, n)

    def one(group: Array) -> tuple[Array, Array]:
        found, mass = sums_of(columns=tuple(group))
        return jnp.stack(found), mass

    found, masses = lax.map(one, groups)
    return found.reshape(-1, n)[:p].T, masses[0]
