"""How far two runs of the same tokens part: a network of layers, and the flow that is its continuous limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from tokenfield.errors import InvalidInput

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

SAME_TIME = 1e-6  # of the span: how closely two saved times agree, also in float32


@dataclass(frozen=True, eq=False)
class Parting:
    """The distances between two runs at T common times; made by `parting`.

    Attributes:
        ts: the times, shape (T,); for a network of layers of length one, the number of the layer.
        distances: how far each token of one run is from the same token of the other, shape (T, n).
        moved: how far each token of the flow is from its start, shape (T, n).
        weights: the weights of the tokens, shape (n,).

    >>> import numpy as np
    >>> one = np.ones((1, 2))
    >>> found = Parting(np.ones(1), distances=3 * one, moved=6 * one, weights=one[0] / 2)
    >>> found.relative.tolist()
    [0.5]
    """

    ts: np.ndarray
    distances: np.ndarray
    moved: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.ts)

    def __repr__(self) -> str:
        return f"Parting({self.distances.shape[1]} tokens, {len(self)} times, at the end {self.mean[-1]:.3g} apart)"

    @property
    def mean(self) -> np.ndarray:
        """The root of the mean square of the distances, with the weights of the tokens, shape (T,)."""
        return np.sqrt(self.distances**2 @ self.weights)

    @property
    def largest(self) -> np.ndarray:
        """The largest of the distances, shape (T,)."""
        return self.distances.max(axis=1)

    @property
    def relative(self) -> np.ndarray:
        """`mean` over the way that the tokens of the flow went, in the same mean; 0 where nothing moved, shape (T,)."""
        moved = np.sqrt(self.moved**2 @ self.weights)
        return np.divide(self.mean, moved, out=np.zeros_like(moved), where=moved > 0)


def parting(network: Trajectory, flow: Trajectory) -> Parting:
    """How far a network and its flow part, layer by layer: the distance of each token at all times that both saved.

    The network is `solve(model, tokens, t1=L, layers=L, save=L + 1)`, the flow the same without `layers`: its weights
    are piecewise constant in depth. With layers of length h the distance falls like h. Tokens with radii are compared
    as vectors r theta, others by the distance of the geometry (on the sphere an angle).

    Args:
        network: a run of tokens, usually with `layers=L`.
        flow: another run of the same tokens.

    Returns:
        The distances, with their mean, largest, and size relative to the way that the flow went.

    Raises:
        InvalidInput: the runs have different tokens, kept none, or saved fewer than two common times.

    >>> import tokenfield as tkf
    >>> identity = tkf.Perceptron(activation="identity")  # x' = x
    >>> model = tkf.Transformer(tkf.Euclidean(1), identity)
    >>> hows = ({"layers": 1}, {"rtol": 1e-10})
    >>> runs = [tkf.solve(model, [[1.0]], t1=1.0, save=2, **how) for how in hows]
    >>> parting(*runs).mean.round(6).tolist()  # e - 2
    [0.0, 0.718282]
    """
    first, second = _vectors(network), _vectors(flow)
    if first.shape[1:] != second.shape[1:]:
        raise InvalidInput(
            f"the runs have tokens of shapes {first.shape[1:]} and {second.shape[1:]}: they must be the same tokens"
        )
    mine, theirs = _common(np.asarray(network.ts, float), np.asarray(flow.ts, float))
    has_radii = network.radii is not None or flow.radii is not None
    x, y = first[mine], second[theirs]
    return Parting(
        np.asarray(network.ts, float)[mine],
        _distance(network, x, y, has_radii),
        _distance(network, np.broadcast_to(second[:1], y.shape), y, has_radii),
        np.asarray(flow.weights, float),
    )


def _vectors(run: Trajectory) -> np.ndarray:
    """The saved tokens (T, n, d), with their lengths where these change."""
    points = np.asarray(run.saved_points, float)
    return points if run.radii is None else points * np.asarray(run.radii, float)[:, :, None]


def _distance(run: Trajectory, x: np.ndarray, y: np.ndarray, has_radii: bool) -> np.ndarray:
    if has_radii:
        return np.linalg.norm(x - y, axis=-1)
    return np.asarray(run.model.geometry.distance(*map(jnp.asarray, (x, y))))


def _common(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The indices of the times that both have."""
    nearest = np.abs(first[:, None] - second).argmin(axis=1)
    span = max(np.ptp(first), np.ptp(second))
    mine = np.flatnonzero(np.abs(first - second[nearest]) <= SAME_TIME * span)
    if len(mine) < 2:
        raise InvalidInput("the runs saved fewer than two common times: solve both with the same save=, such as L + 1")
    return mine, nearest[mine]
