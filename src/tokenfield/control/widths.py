"""Widths that change with depth: a residual network x_(k+1) = P_k x_k + h f_k(x_k) in R^(d_k), held in one R^D.

P_k pads with zeros where the network widens, and drops the last coordinates where it narrows. The same network runs in
one space if every piece of depth sees and moves its own coordinates only: what is dropped rests unseen, and what is
padded takes coordinates that no piece has moved yet. So a network of changing width is a flow of R^D with zeros in its
weights, and everything that solves, trains and certifies flows serves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure

SEES = frozenset("QKVA")  # matrices that act on a token: their columns are coordinates of it
MOVES = frozenset("VW")  # matrices whose rows are coordinates of what moves


@dataclass(frozen=True)
class Widths:
    """The widths d_k of the pieces of depth, and which of the D coordinates each piece has."""

    each: tuple[int, ...]

    @staticmethod
    def of(widths: Sequence[int] | None, d: int, pieces: int) -> Widths:
        """The widths that were given; without them all pieces have d coordinates. Raises `InvalidInput`."""
        if widths is None:
            return Widths((d,) * pieces)
        found = Widths(tuple(int(width) for width in widths))
        if not found.each or min(found.each) < 1 or any(width != int(width) for width in widths):
            raise InvalidInput(f"widths are whole numbers >= 1, one for each piece of depth, got {widths!r}")
        if found.dim != d:
            shown = ", ".join(map(str, found.each))
            raise InvalidInput(
                f"widths {shown} need {found.dim} coordinates, the model has {d}: give it Euclidean({found.dim})"
            )
        return found

    @cached_property
    def coordinates(self) -> tuple[tuple[int, ...], ...]:
        """The coordinates of each piece: narrowing drops the last ones, widening takes ones that are still zero."""
        own, used, found = list(range(self.each[0])), self.each[0], []
        for width in self.each:
            missing = width - len(own)
            own = own[:width] + list(range(used, used + missing))
            used += max(missing, 0)
            found.append(tuple(own))
        return tuple(found)

    @property
    def dim(self) -> int:
        """D, the coordinates of all pieces together."""
        return 1 + max(max(own) for own in self.coordinates)

    @property
    def last(self) -> list[int]:
        """The coordinates that the network gives out."""
        return list(self.coordinates[-1])

    @property
    def is_constant(self) -> bool:
        return len(set(self.each)) == 1

    def masked(self, name: str, matrices: Any) -> Any:
        """The matrices of this name of all pieces, with zeros where a piece has no coordinates."""
        if self.is_constant:
            return matrices
        mask = np.array([np.isin(np.arange(self.dim), own) for own in self.coordinates], dtype=np.float64)
        if name in SEES:
            matrices = matrices * mask[:, None, :]
        return matrices * mask[:, :, None] if name in MOVES else matrices

    def padded(self, x: Any, piece: int) -> Any:
        """Points or a `Measure` of the width of a piece, in R^D; what is there already comes back as it is.

        Raises `InvalidInput` where points are neither.
        """
        if self.is_constant:
            return x
        if isinstance(x, Measure):
            return Measure(self.padded(x.points, piece), x.weights, positions=x.positions)
        points = np.asarray(x, dtype=np.float64)
        if points.shape[-1:] == (self.dim,):
            return points
        if points.shape[-1:] != (self.each[piece],):
            raise InvalidInput(f"at width {self.each[piece]} points are (n, {self.each[piece]}), got {points.shape}")
        out = np.zeros((*points.shape[:-1], self.dim))
        out[..., self.coordinates[piece]] = points
        return out
