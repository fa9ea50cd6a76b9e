"""`interpolate_points`: a neural ODE x' = w (<u, x> + b)_+ in R^d with explicit switches that sends points to targets.

With w across u the field moves x along w at a speed that does not change on the way: a shear, whose flow over one unit
of depth is x + w (<u, x> + b)_+ exactly. Sheared one after the other along a direction, points reach any coordinates
across it; a second row of shears sets what is left (arXiv 2104.05278; the slides of arXiv 2305.05465).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jax.typing import ArrayLike

from tokenfield.control.construction import Construction, Piece, build
from tokenfield.control.matching import same_rows
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean

DIRECTIONS = 500  # that are looked at for one along which points are apart


def interpolate_points(sources: ArrayLike, targets: ArrayLike) -> Construction:
    """A neural ODE that sends N points of R^d exactly to N targets: 2 N pieces, each of one neuron.

    Args:
        sources: The points, shape (N, d), d >= 2, all distinct.
        targets: Where they go, shape (N, d), all distinct: a flow joins no points.

    Returns:
        The construction; in every piece w is orthogonal to u.

    Raises:
        InvalidInput: If shapes do not fit or numbers are not finite.
        Unsupported: In one dimension, or if two points or two targets are equal.

    >>> import numpy as np
    >>> x, y = np.random.default_rng(0).normal(size=(2, 5, 2))
    >>> found = interpolate_points(x, y)
    >>> found.pieces, bool(np.abs(found.run(x).final.points - y).max() < 1e-9)
    (10, True)
    """
    x, y = (np.asarray(points, dtype=np.float64) for points in (sources, targets))
    if x.ndim != 2 or x.shape != y.shape or not len(x):
        raise InvalidInput(f"sources and targets must be points (N, d), one for one, got {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidInput("sources and targets must be finite")
    if x.shape[1] < 2:
        raise Unsupported("points on a line cannot pass each other: add a coordinate, d >= 2")
    for points, name in ((x, "sources"), (y, "targets")):
        if (pair := same_rows(points)) is not None:
            raise Unsupported(
                f"{name} {pair[0]} and {pair[1]} are the same point: a flow joins no points and parts none"
            )
    along, across = _directions(x, y)
    first, x = _shears(x, y, along, lambda move: move - np.outer(move @ along, along))
    second, _ = _shears(x, y, across, lambda move: np.outer(move @ along, along))
    return build([*first, *second], Euclidean(x.shape[1]))


def _directions(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A direction along which sources are well apart, and one across it along which targets are."""
    d = x.shape[1]
    pairs = np.random.default_rng(0).normal(size=(DIRECTIONS, d, 2))
    best, found = -1.0, None
    for pair in pairs:
        q, _ = np.linalg.qr(pair)
        least = min(_apart(x @ q[:, 0]), _apart(y @ q[:, 1]))
        if least > best:
            best, found = least, q
    assert found is not None
    return found[:, 0], found[:, 1]


def _apart(values: np.ndarray) -> float:
    """The least distance of two numbers, over the distance of the outermost."""
    ordered = np.sort(values)
    return float(np.min(np.diff(ordered), initial=np.inf) / max(np.ptp(ordered), 1e-300)) if len(values) > 1 else 1.0


def _shears(
    x: np.ndarray, y: np.ndarray, gate: np.ndarray, part: Callable[[np.ndarray], np.ndarray]
) -> tuple[list[Piece], np.ndarray]:
    """Shears gated along `gate` after which `part` of y - x is zero, and where the points then are.

    In the order of <gate, x>, each shear is closed for the points before its own, which are where they should be.
    """
    heights, pieces = x @ gate, []
    order = np.argsort(heights)
    span = max(float(np.ptp(heights)), 1.0)
    x = x.copy()
    for rank, i in enumerate(order):
        below = heights[order[rank - 1]] if rank else heights[i] - span
        move = part((y - x)[i : i + 1])[0] / (heights[i] - below)
        pieces.append(Piece(f"shear point {i}", move, gate, -float(below)))
        x += np.outer(np.maximum(heights - below, 0.0), move)
    return pieces, x
