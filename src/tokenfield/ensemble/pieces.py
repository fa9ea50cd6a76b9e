"""How the work of an ensemble is cut: into pieces that fit the memory, and within a piece into blocks.

All numbers about caches and memory are here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax
import numpy as np

if TYPE_CHECKING:
    from tokenfield.ensemble.ensemble import Ensemble

CPU_SYSTEMS = 64  # systems of one piece on a CPU: tenths of a second of work between two looks at Ctrl-C
LOW_DIMENSION = 3  # up to here pairs of tokens one by one are faster on a CPU than products of small matrices
LINE = 1024  # pairs that a step over neighboring systems holds at a time, measured
CACHE_BYTES = 2**17  # tokens and cosines of the systems that share the cache of one core, measured
DEVICE_BYTES = 2**33  # of an accelerator
STATES = {"tsit5": 20, "rk4": 14}  # arrays of the size of the tokens that a step holds; fewer for other methods


class Piece(NamedTuple):
    """Columns and systems that are computed together.

    Attributes:
        columns: The numbers of the columns.
        systems: The numbers of the systems; the last ones may be more than the ensemble has.

    >>> from tokenfield.ensemble import Ensemble
    >>> Ensemble(n=4, d=3, betas=[1.0], systems=8, times=[1.0], seed=0).pieces()
    [Piece(columns=range(0, 1), systems=range(0, 8))]
    """

    columns: range
    systems: range


def cut(ensemble: Ensemble) -> list[Piece]:
    """The work, cut so that each piece fits the memory of the default device."""
    if not ensemble.is_plain or jax.default_backend() == "cpu":
        size, groups = CPU_SYSTEMS, [range(c, c + 1) for c in range(ensemble.columns)]
    else:
        size, groups = accelerator_pieces(ensemble)
    size = min(size, ensemble.systems)
    starts = range(0, ensemble.systems, size)
    return [Piece(columns, range(s, s + size)) for s in starts for columns in groups]


def accelerator_pieces(ensemble: Ensemble) -> tuple[int, list[range]]:
    """The number of systems of a piece, and groups of columns that can step together: those of one step length."""
    states = STATES.get(ensemble.method, 8)
    per_system = 8 * (3 * ensemble.n**2 + states * ensemble.n * ensemble.reduced_d + len(ensemble.times))
    size = max(1, min(ensemble.systems, DEVICE_BYTES // per_system))
    together = max(1, DEVICE_BYTES // (per_system * size))
    together = -(-ensemble.columns // -(-ensemble.columns // together))  # even groups: one shape to compile
    groups: list[range] = []
    for c in range(ensemble.columns):
        last = groups[-1] if groups else None
        if last and len(last) < together and ensemble.step_at(c) == ensemble.step_at(last[0]):
            groups[-1] = range(last.start, c + 1)
        else:
            groups.append(range(c, c + 1))
    return size, groups


def holds_systems_last(ensemble: Ensemble) -> bool:
    """Whether tokens are arranged with neighboring systems next to each other; see `tokenfield.sums.systems`."""
    return jax.default_backend() == "cpu" and ensemble.d <= LOW_DIMENSION


def block_size(ensemble: Ensemble) -> int:
    """How many systems move together: on a CPU as many as stay in its cache, elsewhere (0) the whole piece."""
    if jax.default_backend() != "cpu":
        return 0
    n, d = ensemble.n, ensemble.reduced_d
    many = LINE // (n // 2) if holds_systems_last(ensemble) else CACHE_BYTES // (8 * n * (n + d))
    return 2 ** int(np.log2(np.clip(many, 1, CPU_SYSTEMS)))
