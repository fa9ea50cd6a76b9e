"""Measures of a whole run that a sweep knows by name: numbers of its polytope, and of what it does at late times."""

from __future__ import annotations

from typing import Any

MODULE = __name__
OF_RUNS = {
    "vertices": "vertices of the polytope",
    "share-at-vertices": "share of tokens at vertices",
    "attention-rank": "rank of the attention matrix",
    "late-speed": "largest speed of a token at the end",
    "turning-rate": "angular velocity of a rotation",
    "period": "period of a rotation or cycle",
}


def vertices(run: Any) -> float:
    """How many vertices the polytope of the last state has, see `observables.polytope`."""
    return float(_polytope(run).count)


def share_at_vertices(run: Any) -> float:
    """The mass of tokens at its vertices."""
    return float(_polytope(run).shares["vertex"])


def attention_rank(run: Any) -> float:
    """The numerical rank of the last attention matrix."""
    return float(_polytope(run).rank)


def late_speed(run: Any) -> float:
    """The largest speed at the end, see `observables.fate`."""
    return float(_fate(run).speed)


def turning_rate(run: Any) -> float:
    """The angular velocity, 0 unless tokens turn rigidly."""
    return float(_fate(run).rate)


def period(run: Any) -> float:
    """After what time the state is there again; infinite if it is not."""
    return float(_fate(run).period)


def _polytope(run: Any) -> Any:
    from tokenfield.observables import polytope

    return polytope(run)


def _fate(run: Any) -> Any:
    from tokenfield.observables import fate

    return fate(run)
