"""`approximate`: a neural ODE x' = w (<u, x> + b)_+ with explicit switches whose flow draws the graph of a function.

All pieces are shears, whose flow over one unit of depth is x + w (<u, x> + b)_+ exactly. The cells of a grid lie in
rows along the first coordinate. For each further coordinate a staircase of shears slides the rows along the first, till
all of them lie one behind the other; then one bend for each corner of a cell writes the values, as for a function of
one variable; then the rows slide back. Steps of a staircase are steep but not upright: in these gaps, which are as thin
as one likes, values are those of other cells (arXiv 2104.05278; the slides of arXiv 2305.05465).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked, shown
from tokenfield.control.construction import Construction, Piece, build
from tokenfield.errors import InvalidInput, TooLarge
from tokenfield.geometry import Euclidean

MOST = 8192  # pieces of depth: each is a step of the solver, and its slopes grow with the number of rows


@dataclass(frozen=True, eq=False)
class Approximation:
    """A neural ODE in R^(d + m) whose flow sends (x, 0) to (x, about f(x)) for x in a box of R^d.

    `construction` has the weights. The grid has `cells` in each coordinate of the `box`, shape (d, 2); `gaps` is the
    part of the box in which values may be those of other cells, and `spread` bounds the distance of two values.

    >>> Approximation(None, np.array([[0.0, 1.0], [0.0, 2.0]]), (4, 4), 0.01, 2.0).cell.tolist()
    [0.25, 0.5]
    """

    construction: Construction
    box: np.ndarray
    cells: tuple[int, ...]
    gaps: float
    spread: float

    @property
    def switches(self) -> int:
        """How often the weights change on the way."""
        return self.construction.switches

    @property
    def cell(self) -> np.ndarray:
        """The sides of a cell, shape (d,)."""
        return np.ptp(self.box, axis=1) / self.cells

    @checked
    def start(self, points: ArrayLike) -> np.ndarray:
        """Where the flow starts for points of the box: with zeros in the place of values.

        Args:
            points: Shape (k, d), or (k,) in one variable.

        Returns:
            Points of R^(d + m), shape (k, d + m).

        Raises:
            InvalidInput: If a point is not in the box.

        >>> approximate(np.sin, 4, box=(0.0, 3.0)).start([1.0, 2.0]).tolist()
        [[1.0, 0.0], [2.0, 0.0]]
        """
        d = len(self.cells)
        x = np.asarray(points, dtype=np.float64)
        x = x[:, None] if d == 1 and x.ndim == 1 else x
        if x.ndim != 2 or x.shape[1] != d:
            raise InvalidInput(f"points must have shape (k, {d}), got {x.shape}")
        if not (is_in := (x >= self.box[:, 0]) & (x <= self.box[:, 1])).all():
            outside = x[~is_in.all(axis=1)][0].tolist()
            raise InvalidInput(f"the function is approximated in its box {self.box.tolist()}, not at {shown(outside)}")
        return np.pad(x, ((0, 0), (0, self.construction.model.geometry.d - d)))

    @checked
    def values(self, points: ArrayLike) -> np.ndarray:
        """The values that the flow writes at points of the box.

        Args:
            points: Shape (k, d), or (k,) in one variable.

        Returns:
            The values, shape (k, m).

        Raises:
            InvalidInput: If a point is not in the box.

        >>> approximate(np.sin, 40, box=(0.0, 3.0)).values([1.0]).round(2).tolist()
        [[0.84]]
        """
        return np.asarray(self.construction.run(self.start(points)).final.points)[:, len(self.cells) :]

    @checked
    def bound(self, lipschitz: float) -> float:
        """What the root mean square error over the box is at most, for f with this Lipschitz constant.

        In a cell f oscillates by at most `lipschitz` times half its diagonal about what is written there; in a gap the
        error is at most that and the spread of all values.

        Args:
            lipschitz: |f(x) - f(y)| <= lipschitz |x - y|.

        Returns:
            The bound; times the root of the volume of the box it is one of the L^2 error.

        Raises:
            InvalidInput: If the constant is negative or not finite.

        >>> approximate(np.sin, 10, box=(0.0, 3.0)).bound(lipschitz=1.0)  # 3 / 10 / 2
        0.15
        """
        if not (np.isfinite(lipschitz) and lipschitz >= 0):
            raise InvalidInput(f"a Lipschitz constant is a number >= 0, got {lipschitz}")
        cell = lipschitz * float(np.linalg.norm(self.cell)) / 2
        return math.sqrt((1 - self.gaps) * cell**2 + self.gaps * (cell + self.spread) ** 2)


def approximate(
    function: Callable[[np.ndarray], ArrayLike],
    cells: int | Sequence[int],
    *,
    box: ArrayLike,
    gap: float | None = None,
) -> Approximation:
    """A neural ODE in R^(d + m) that approximates f: R^d -> R^m in L^2 on a box, with explicit switches.

    With p_i cells along coordinate i it has (p_1 + 1) p_2 ... p_d pieces that write values, one for each corner of a
    cell along its row, and 4 (p_i - 1) for each further coordinate that slide rows and bring them back. Along the first
    coordinate values are interpolated linearly, across the others they are those of the middle of a cell: the error
    falls like 1/p^2 for a smooth f of one variable, and like 1/p for a Lipschitz one of several. The slides of arXiv
    2305.05465 send cells to points instead, which are sent to their values.

    Args:
        function: f, of points (k, d), of numbers (k,) in one variable, with values (k,) or (k, m).
        cells: The cells along each coordinate: one number for all, or d of them.
        box: Where f is approximated: d pairs (low, high), or one pair in one variable.
        gap: The part of each coordinate but the first in which values are not those of its cell; by default 1/(2 p)^2,
            with which gaps and cells cost alike.

    Returns:
        The approximation, with its bound.

    Raises:
        InvalidInput: If there is no cell, no box, the gap is not a part, or f is not finite.
        TooLarge: If the grid has more corners than pieces of depth are built.

    >>> found = approximate(lambda x: x[:, 0] * x[:, 1], 8, box=[(0.0, 1.0), (0.0, 1.0)])
    >>> x = np.random.default_rng(0).uniform(size=(100, 2))
    >>> error = found.values(x)[:, 0] - x[:, 0] * x[:, 1]
    >>> found.switches, bool(np.sqrt(np.mean(error**2)) < found.bound(lipschitz=np.sqrt(2)))
    (99, True)
    """
    sides, counts = _checked(box, cells)
    shares = [_gap(gap, p) for p in counts[1:]]
    if gap is not None and not any(shares):
        raise InvalidInput("gaps part the rows of a grid, and there is only one: leave out gap")
    points = _corners(sides, counts)
    values = _values(function, points)
    d, space = len(counts), len(counts) + values.shape[1]
    period = float(np.ptp(sides[0])) * (1 + 1 / counts[0])  # one cell between two rows, in which values go over
    slides: list[Piece] = []
    for i, share in enumerate(shares, start=1):
        knots, slopes = _staircase(sides[i], counts[i], share, rise=period * math.prod(counts[1:i]))
        slides += _graph(f"slide rows by coordinate {i + 1}", i, knots, np.outer(slopes, np.eye(space)[0]))
    line = points[:, 0] + period * np.repeat(np.arange(math.prod(counts[1:])), counts[0] + 1)
    lift = np.pad(values, ((0, 0), (d, 0)))
    writes = [Piece("value at the start", lift[0], np.zeros(space), 1.0)]
    with np.errstate(over="ignore", invalid="ignore"):  # which `build` refuses
        writes += _graph("bend values", 0, line[:-1], np.diff(lift, axis=0) / np.diff(line)[:, None])
    back = [piece.reversed(piece.what.replace("slide", "bring back")) for piece in slides]
    construction = build([*slides, *writes, *back], Euclidean(space))
    gaps = 1 - math.prod(1 - share for share in shares)
    return Approximation(construction, sides, counts, gaps, float(np.linalg.norm(np.ptp(values, axis=0))))


def _corners(sides: np.ndarray, counts: tuple[int, ...]) -> np.ndarray:
    """Where f is asked, shape (k, d): at corners along the first coordinate, in the middle of cells across it.

    The first coordinate runs fastest, then the second: the order in which rows lie behind each other.
    """
    (low, high), *rest = sides.tolist()
    axes = [np.linspace(low, high, counts[0] + 1)]
    axes += [a + (b - a) * (np.arange(p) + 0.5) / p for (a, b), p in zip(rest, counts[1:], strict=True)]
    return np.stack([axis.ravel(order="F") for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _graph(what: str, axis: int, knots: np.ndarray, slopes: np.ndarray) -> list[Piece]:
    """Shears that add a function of coordinate `axis` that is zero up to the first knot; `slopes` begin at knots."""
    gate = np.eye(slopes.shape[1])[axis]
    bends = np.diff(slopes, axis=0, prepend=0.0)
    return [Piece(what, bend, gate, -float(knot)) for knot, bend in zip(knots, bends, strict=True)]


def _staircase(side: np.ndarray, cells: int, share: float, *, rise: float) -> tuple[np.ndarray, np.ndarray]:
    """Knots and slopes of a function that is flat in each cell and rises by `rise` around each edge between two."""
    if cells == 1:
        return np.zeros(0), np.zeros(0)
    length = float(np.ptp(side))
    wide = share * length / (cells - 1)
    edges = side[0] + length * np.arange(1, cells) / cells
    knots = np.stack([edges - wide / 2, edges + wide / 2], axis=1).ravel()
    return knots, np.tile([rise / wide, 0.0], cells - 1)


def _gap(gap: float | None, cells: int) -> float:
    """The part of a coordinate that its gaps take."""
    if cells == 1:
        return 0.0
    if gap is None:
        return 1 / (2 * cells) ** 2
    if not 0 < gap <= 0.5:
        raise InvalidInput(f"gap is a part of each coordinate, above 0 and at most 1/2, got {gap}")
    return gap


def _values(function: Callable[[np.ndarray], ArrayLike], points: np.ndarray) -> np.ndarray:
    """The values of a function at points, shape (k, m)."""
    count, d = points.shape
    try:
        values = np.asarray(function(points[:, 0] if d == 1 else points), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the function must take {count} points and give numbers: {error}") from error
    if values.ndim not in (1, 2) or len(values) != count:
        raise InvalidInput(
            f"the function must give a value or a row for each of its {count} points, got {values.shape}"
        )
    if not np.isfinite(values).all():
        raise InvalidInput("the function must be finite at the corners of cells")
    return values.reshape(count, -1)


def _checked(box: ArrayLike, cells: int | Sequence[int]) -> tuple[np.ndarray, tuple[int, ...]]:
    """The sides (d, 2) of the box and the cells along each, or an error."""
    sides = np.atleast_2d(np.asarray(box, dtype=np.float64))
    if sides.ndim != 2 or sides.shape[1] != 2 or not len(sides):
        raise InvalidInput(f"box must be pairs (low, high), one for each coordinate, got {shown(box)}")
    if not (np.isfinite(sides).all() and np.all(sides[:, 0] < sides[:, 1])):
        raise InvalidInput(f"each pair of the box must be finite, its low below its high, got {shown(box)}")
    each = np.ravel(cells).tolist()
    counts = tuple(int(p) for p in (each if len(each) > 1 else each * len(sides)))
    if len(counts) != len(sides) or min(counts) < 1:
        raise InvalidInput(f"cells must be a whole number >= 1, or {len(sides)} of them, got {shown(cells)}")
    needed = (counts[0] + 1) * math.prod(counts[1:]) + 4 * sum(p - 1 for p in counts[1:])
    if needed > MOST:
        grid = " x ".join(str(p) for p in counts)
        raise TooLarge(f"a grid of {grid} cells needs {needed} pieces of depth, at most {MOST} are built: take fewer")
    return sides, counts
