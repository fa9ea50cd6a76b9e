"""Exact Wasserstein distances where sorting is enough: on the line and on the circle, of points and of densities.

Quantiles are matched in order; on the circle the best place to cut it open is found first. NumPy on concrete arrays in
float64, O(n log n).
"""

from __future__ import annotations

import numpy as np
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure

FULL_CIRCLE = 2 * np.pi
EMPTY = 1e-30  # masses below this do not count in W_2


def check_power(p: float) -> None:
    """Raises `InvalidInput` unless W_p is a distance.

    >>> check_power(2)
    """
    if not 1 <= p < np.inf:
        raise InvalidInput(f"Wasserstein distances need p >= 1, got {p}")


def points_of(mu: Measure) -> np.ndarray:
    """The points of a measure in float64, shape (n, d).

    >>> from tokenfield import Measure
    >>> points_of(Measure([[1.0, 2.0]])).tolist()
    [[1.0, 2.0]]
    """
    return np.asarray(mu.points, np.float64)


def weights_of(mu: Measure) -> np.ndarray:
    """The weights of a measure in float64, shape (n,).

    >>> from tokenfield import Measure
    >>> weights_of(Measure([[1.0], [2.0]])).tolist()
    [0.5, 0.5]
    """
    return np.asarray(mu.weights, np.float64)


def angles_of(mu: Measure) -> np.ndarray:
    """The angles of tokens in R^2, from -pi to pi, shape (n,).

    >>> from tokenfield import Measure
    >>> angles_of(Measure([[1.0, 0.0], [-2.0, 0.0]])).round(6).tolist()
    [0.0, 3.141593]
    """
    x = points_of(mu)
    return np.arctan2(x[:, 1], x[:, 0])


def line_wasserstein(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, *, p: float = 1) -> float:
    """The distance W_p on the line between two sets of weighted points: quantiles are matched in order.

    Args:
        x: the first points, shape (n,), in any order.
        y: the second points, shape (m,), in any order.
        a: the weights of `x`, shape (n,); they are divided by their sum.
        b: the weights of `y`, shape (m,); they are divided by their sum.
        p: the power, >= 1; by default 1.

    Returns:
        The distance, in the unit of the points.

    Raises:
        InvalidInput: points and weights differ in shape, points are not finite, a weight is negative, or p < 1.

    >>> import numpy as np
    >>> line_wasserstein(np.array([0.0, 1.0]), np.array([3.0]), np.ones(2), np.ones(1))
    2.5
    """
    check_power(p)
    x, a = _sort(x, a)
    y, b = _sort(y, b)
    masses, middles = _common_levels(np.cumsum(a)[:-1], np.cumsum(b)[:-1])
    gaps = x[_quantile(a, middles)] - y[_quantile(b, middles)]
    return float(np.sum(masses * np.abs(gaps) ** p) ** (1 / p))


def circle_wasserstein(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, *, p: float = 1) -> float:
    """The distance W_p on the circle between two sets of weighted angles.

    For p = 1 the best cut is a weighted median of the difference of the distribution functions. For p > 1 it is the
    minimum of a convex function of the shift of quantiles (Delon, Salomon, Sobolevskii 2010), found to rounding.

    Args:
        x: the first angles in radians, shape (n,), in any order, modulo 2 pi.
        y: the second angles, shape (m,), likewise.
        a: the weights of `x`, shape (n,); they are divided by their sum.
        b: the weights of `y`, shape (m,); they are divided by their sum.
        p: the power, >= 1; by default 1.

    Returns:
        The distance, an angle in radians.

    Raises:
        InvalidInput: points and weights differ in shape, points are not finite, a weight is negative, or p < 1.

    >>> import numpy as np
    >>> one = np.ones(1)
    >>> round(circle_wasserstein(np.array([0.1]), np.array([6.2]), one, one), 6)
    0.183185
    """
    check_power(p)
    x, a = _sort(np.mod(x, FULL_CIRCLE), a)
    y, b = _sort(np.mod(y, FULL_CIRCLE), b)
    if p == 1:
        edges = np.concatenate([x, y])
        jumps = np.concatenate([a, -b])
        order = np.argsort(edges, kind="stable")
        edges, heights = edges[order], np.cumsum(jumps[order])
        lengths = np.diff(np.append(edges, edges[0] + FULL_CIRCLE))
        return float(np.sum(lengths * np.abs(heights - _weighted_median(heights, lengths))))
    return _best_shift(x, a, y, b, p, widths=(0.0, 0.0))


def density_wasserstein(values: ArrayLike, other: Measure | ArrayLike, *, p: int = 1) -> float:
    """The distance W_1 or W_2 on the circle between a density and tokens, or another density: no grid limits it.

    A density is constant on each of m equal cells, which are centered at 2 pi i / m. For such densities the distance
    is exact. Values of a smooth density at the centers differ from its means over the cells by O(1/m^2). (With the
    masses put at the centers, as in `wasserstein`, W_1 is off by up to pi/(2m) and W_2 by up to pi/(m sqrt(3)).)

    For p = 1 the distance is min over c of int |F - G - c|, F and G the distribution functions and c a median of F - G.

    Args:
        values: the density in each cell up to a common factor, shape (m,). Negative values within rounding, 1e-9 of
            the largest, count as zero.
        other: a `Measure` of tokens on the circle, or another density, with any number of cells.
        p: the power, 1 or 2; by default 1.

    Returns:
        The distance, an angle in radians.

    Raises:
        InvalidInput: p is neither 1 nor 2, the tokens are not in R^2, or the values are no density.

    >>> import numpy as np
    >>> from tokenfield import Measure
    >>> uniform, pole = np.ones(100), Measure([[1.0, 0.0]])
    >>> round(density_wasserstein(uniform, pole) / np.pi, 12)
    0.5
    """
    if p not in (1, 2):
        raise InvalidInput(f"distances of densities are for p = 1 and p = 2, got {p}")
    x, a, width = _cells(values)
    if isinstance(other, Measure):
        if other.d != 2:
            raise InvalidInput(f"tokens on the circle have d = 2, got {other.d}")
        # angles from the first edge on, as those of the cells
        y, b = _sort(np.mod(angles_of(other) + width / 2, FULL_CIRCLE) - width / 2, weights_of(other))
        widths = (width, 0.0)
    else:
        y, b, other_width = _cells(other)
        widths = (width, other_width)
    if p == 2:
        return _best_shift(x, a, y, b, p, widths=widths)
    first = x[0] - width / 2
    wrap = lambda t: np.mod(t - first, FULL_CIRCLE) + first  # noqa: E731
    corners = y if widths[1] == 0 else wrap(y - widths[1] / 2)
    knots = np.sort(np.concatenate([x - width / 2, corners, [first + FULL_CIRCLE]]))
    first_starts, first_ends = _distribution_at(knots, x, a, widths[0])
    second_starts, second_ends = _distribution_at(knots, y, b, widths[1])
    starts, ends = first_starts - second_starts, first_ends - second_ends
    return _integral_around_median(starts, ends, np.diff(knots))


def _distribution_at(knots: np.ndarray, x: np.ndarray, a: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """The distribution function just after the start and just before the end of each interval between knots.

    Of masses a at points x or, if width > 0, evenly over cells around x; all of the points are among the knots.
    """
    if width == 0:
        steps = np.append(0.0, np.cumsum(a))[np.searchsorted(x, knots[:-1], side="right")]
        return steps, steps
    edges, heights = np.append(x - width / 2, x[-1] + width / 2), np.append(0.0, np.cumsum(a))
    windings = np.floor((knots - edges[0]) / FULL_CIRCLE)
    values = np.interp(knots - FULL_CIRCLE * windings, edges, heights) + windings
    return values[:-1], values[1:]


def _integral_around_median(starts: np.ndarray, ends: np.ndarray, lengths: np.ndarray) -> float:
    """min over c of int |H - c|, for H that is linear on intervals, from `starts` to `ends`; c is a median of H."""
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    heights = np.where(high > low, high - low, 1.0)
    below, above = float(np.min(low)), float(np.max(high))
    for _ in range(60):  # halvings: the integral is flat in c at the median, so rounding of c does not matter
        c = (below + above) / 2
        part = np.where(high > low, np.clip((c - low) / heights, 0.0, 1.0), c >= low)
        below, above = (c, above) if np.sum(lengths * part) < np.sum(lengths) / 2 else (below, c)
    u, v = np.abs(starts - above), np.abs(ends - above)
    crosses = (starts - above) * (ends - above) < 0
    means = np.where(crosses, (u * u + v * v) / np.where(crosses, 2 * (u + v), 1.0), (u + v) / 2)
    return float(np.sum(lengths * means))


def _best_shift(
    x: np.ndarray, a: np.ndarray, y: np.ndarray, b: np.ndarray, p: float, *, widths: tuple[float, float]
) -> float:
    """W_p on the circle for p > 1: golden section over the shift of quantiles.

    Masses a are at the increasing angles x or, for p = 2, evenly over arcs of width `widths[0]` around them; so are b.
    """
    # empty cells have no quantile
    x, a, y, b = x[a > EMPTY], a[a > EMPTY], y[b > EMPTY], b[b > EMPTY]
    ends_a, ends_b = np.cumsum(a), np.cumsum(b)

    def cost(shift: float) -> float:
        """The cost when quantile s of x is matched with quantile s + shift of y on the unrolled circle."""
        masses, middles = _common_levels(ends_a[:-1], np.mod(ends_b - shift, 1.0))
        windings = np.floor(middles + shift)
        levels = middles + shift - windings
        i, j = _quantile(a, middles), _quantile(b, levels)
        gaps = x[i] - y[j] - FULL_CIRCLE * windings
        if widths == (0.0, 0.0):
            return float(np.sum(masses * np.abs(gaps) ** p))
        # within an arc the quantile is linear in the level: the mean of its square is that of its middle, plus 1/12
        gaps += widths[0] * _within(middles, ends_a[i], a[i]) - widths[1] * _within(levels, ends_b[j], b[j])
        spans = widths[0] * np.minimum(masses / a[i], 1.0) - widths[1] * np.minimum(masses / b[j], 1.0)
        return float(np.sum(masses * (gaps**2 + spans**2 / 12)))

    low, high = -1.0, 1.0
    golden = (np.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = cost(left), cost(right)
    while high - low > 1e-15:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = cost(right)
        if not low < left < right < high:
            break
    return float(min(at_left, at_right, cost(0.0)) ** (1 / p))


def _within(levels: np.ndarray, ends: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Where between -1/2 and 1/2 of its arc a level of the distribution function lies."""
    return np.clip((levels - ends) / masses + 0.5, -0.5, 0.5)


def _common_levels(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and middles of the pieces into which the levels of two distribution functions cut [0, 1]."""
    levels = np.sort(np.concatenate([first, second]))
    starts = np.concatenate([[0.0], levels])
    masses = np.append(levels, 1.0) - starts
    # slivers of mass are rounding of the cumulated weights: sent across, they would cost 1e-8 in W_2
    return np.where(masses > 8 * np.finfo(float).eps * len(masses), masses, 0.0), starts + masses / 2


def _quantile(a: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Which of the sorted points with masses `a` the quantiles at these levels are."""
    return np.minimum(np.searchsorted(np.cumsum(a), levels), len(a) - 1)


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


def _cells(values: ArrayLike) -> tuple[np.ndarray, np.ndarray, float]:
    """Centers, masses and width of the cells of a density."""
    v = np.asarray(values, np.float64)
    if v.ndim != 1 or len(v) == 0 or not np.all(np.isfinite(v)) or not np.max(v) > 0:
        raise InvalidInput("a density needs values of shape (m,), finite and not all zero")
    if np.min(v) < -1e-9 * np.max(v):
        raise InvalidInput(f"a density must not be negative, got {np.min(v):.3g} against a maximum of {np.max(v):.3g}")
    v = np.maximum(v, 0.0)
    return FULL_CIRCLE * np.arange(len(v)) / len(v), v / np.sum(v), FULL_CIRCLE / len(v)


def _sort(x: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points in increasing order, and their masses, of sum 1."""
    x, a = np.asarray(x, np.float64), np.asarray(a, np.float64)
    if x.ndim != 1 or x.shape != a.shape or not x.size:
        raise InvalidInput(f"points and weights need one shape (n,), n >= 1, got {x.shape} and {a.shape}")
    if not (np.all(np.isfinite(x)) and np.all(a >= 0) and 0 < np.sum(a) < np.inf):
        raise InvalidInput("points must be finite, weights not negative and with a finite sum that is not zero")
    order = np.argsort(x, kind="stable")
    return x[order], a[order] / a.sum()
