"""Weights that are written down instead of trained: pieces in depth, each with constant weights of rank one.

A `Piece` lasts one unit of depth; a `Construction` is the transformer of several, with the count of its switches. What
a piece is for is its `what`. Nothing here knows a theorem: those are in the modules that put pieces together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry
from tokenfield.measure import Measure
from tokenfield.model.exponential import Softmax
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import PerLayer
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve
from tokenfield.solver.trajectory import Trajectory

RTOL, ATOL = 1e-12, 1e-14  # constructions land exactly, so that what is seen of an error is that of the solver


@dataclass(frozen=True, eq=False)
class Piece:
    """One unit of depth with constant weights: x' = P_x (attention mean(mu) + drive (<gate, x> + bias)_+).

    The strength of the drive, and `attention`, the number before the mean of the prompt's tokens, are times as well:
    twice the weights in one unit of depth are what the weights do in two.
    """

    what: str
    drive: np.ndarray
    gate: np.ndarray
    bias: float
    attention: float = 0.0

    def reversed(self, what: str) -> Piece:
        """The piece that undoes this one: flipped signs, the flow run backwards."""
        return Piece(what, -self.drive, self.gate, self.bias, -self.attention)


def attention_piece(what: str, d: int, strength: float) -> Piece:
    """A piece of attention alone: each token moves towards the mean of its prompt, x' = strength P_x mean(mu)."""
    return Piece(what, np.zeros(d), np.zeros(d), 0.0, strength)


@dataclass(frozen=True, eq=False)
class Construction:
    """Weights written down, piece by piece, and the transformer that has them.

    `model` acts on depths from 0 to `t1`, `steps` says what each unit of depth is for. There are as many `pieces` of
    constant weights; `switches` counts the depths at which weights change, as arXiv 2411.04551 does: one less.

    >>> from tokenfield.control import match
    >>> match([[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]).steps
    ('corridor of point 0',)
    """

    model: Transformer
    t1: float
    steps: tuple[str, ...]

    @property
    def pieces(self) -> int:
        """The number of pieces of depth with constant weights."""
        return len(self.steps)

    @property
    def switches(self) -> int:
        """How often the weights change on the way."""
        return self.pieces - 1

    @property
    def parameters(self) -> int:
        """The numbers that were written down: of each piece w, u and b, or the strength of its attention."""
        (*heads, perceptron) = self.model.schedule.layers  # type: ignore[attr-defined]
        driven = int(np.sum(np.any(np.asarray(perceptron.W) != 0, axis=(1, 2))))
        attending = sum(int(np.sum(np.any(np.asarray(head.V) != 0, axis=(1, 2)))) for head in heads)
        return driven * (2 * self.model.geometry.d + 1) + attending

    @property
    def effort(self) -> float:
        """The integral over depth of |w| |(u, b)|, summed over neurons, and of |V| of heads."""
        return effort_of(self.model.schedule)

    def run(self, start: Measure | Any, *, save: Any = "end", rtol: float = RTOL, atol: float = ATOL) -> Trajectory:
        """Where the construction brings `start`.

        Args:
            start: Points (n, d) or a `Measure`.
            save: What is kept; by default the end.
            rtol: The tolerance of the solver, by default as tight as float64 allows.
            atol: Its absolute part.

        Returns:
            The trajectory.

        >>> import numpy as np
        >>> from tokenfield.control import match
        >>> bool(np.allclose(match([[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]).run([[1.0, 0.0, 0.0]]).final.points,
        ...                  [[0.0, 1.0, 0.0]], atol=1e-10))
        True
        """
        return solve(
            self.model, start, t1=self.t1, method="dopri8", rtol=rtol, atol=atol, save=save, progress=False
        )  # fmt: skip


def effort_of(schedule: Any) -> float:
    """The integral over depth of |w| |(u, b)|, summed over neurons, and of the norm of V of heads.

    It does not change with the speed of depth, nor with how the size of a neuron is shared between w and (u, b).
    """
    total = 0.0
    for part in schedule.layers:
        if isinstance(part, Head):
            total += float(np.linalg.norm(np.asarray(part.V), axis=(1, 2)).mean())
        else:
            W, A, b = (np.asarray(matrix) for matrix in (part.W, part.A, part.b))
            neurons = np.linalg.norm(W, axis=1) * np.sqrt(np.sum(A**2, axis=2) + b**2)
            total += float(neurons.sum(axis=1).mean())
    return schedule.t1 * total


def build(pieces: Sequence[Piece], geometry: Geometry) -> Construction:
    """The construction of `pieces` in a space; with attention if one of them has it.

    Raises `InvalidInput` if a weight is beyond float64.
    """
    drives, gates = (np.stack([getattr(piece, name) for piece in pieces]) for name in ("drive", "gate"))
    biases, strengths = (np.array([getattr(piece, name) for piece in pieces]) for name in ("bias", "attention"))
    if not all(np.isfinite(weights).all() for weights in (drives, gates, biases, strengths)):
        raise InvalidInput("a weight of the construction is beyond float64: take smaller or less crowded points")

    def layer(drive: Array, gate: Array, bias: Array, strength: Array) -> list[Head | Perceptron]:
        perceptron = Perceptron(drive[:, None], gate[None], bias[None])
        if not strengths.any():
            return [perceptron]
        return [Head(Softmax(jnp.asarray(0.0)), V=strength * jnp.eye(geometry.d)), perceptron]

    count = len(pieces)
    stacked = PerLayer.stacked(
        jax.vmap(layer)(*map(jnp.asarray, (drives, gates, biases, strengths))), count, t1=float(count)
    )
    return Construction(Transformer(geometry, stacked), float(count), tuple(piece.what for piece in pieces))
