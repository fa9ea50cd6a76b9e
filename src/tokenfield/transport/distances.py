"""Distances between measures: exact, entropic (Sinkhorn) and sliced Wasserstein distances.

`wasserstein` is the entry point and chooses; the others are there to set their options. Concrete arrays in, one float
out; masses may be unequal; distances on the sphere are angles. Everything is float64, whatever the tokens are.
"""

from __future__ import annotations

import numpy as np
from jax.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist

from tokenfield.errors import InvalidInput, Unsupported, did_you_mean
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure

METHODS = ("exact", "sinkhorn", "sliced")
SLICES = 256
ASSIGNED = 4_000_000  # pairs up to which an assignment is solved: n = 2000 takes a second and 32 MB
PROGRAMMED = 100_000  # pairs up to which a linear program is solved: n = 300 takes half a second
BLUR = 0.01  # default epsilon of Sinkhorn, as a part of the mean cost between the measures
TILE = 256  # rows of Sinkhorn's cost that exist at a time
EMPTY = 1e-30  # masses below this do not count in W_2
TURN = 2 * np.pi


def wasserstein(mu: Measure, nu: Measure, geometry: Geometry, *, p: float = 1, method: str | None = None) -> float:
    """The Wasserstein distance W_p between two measures: (inf over couplings of E distance(x, y)^p)^{1/p}.

    `method` is one of
    - "exact": to rounding. On the circle and the line by sorting, O(n log n), any masses. Elsewhere an assignment if
      both have n equal masses (n <= 2000: a second), else a linear program (n m <= 10^5 pairs: half a second).
    - "sinkhorn": entropic and debiased, O(n m) time per sweep, O(n + m) memory. At the
      default epsilon, W_2 is about 1 % off and W_1 5 % low where measures are far apart compared with the blur, a
      tenth of the typical distance; more is missing between nearer ones. See `sinkhorn_divergence`.
    - "sliced": a mean over 256 random views, O(n log n). Another distance, never larger in R^d: only for comparisons
      with itself. See `sliced_wasserstein`.
    - `None`: "exact" where it is offered, else "sinkhorn".

    A density held as masses on a grid of spacing h is off by up to h/2; on the circle `density_wasserstein` is not.
    Raises `InvalidInput` for measures of other dimensions, p < 1 or unknown methods, `Unsupported` for exact distances
    that would take too long.

    >>> from tokenfield import Sphere
    >>> east, north = Measure([[1.0, 0.0, 0.0]]), Measure([[0.0, 1.0, 0.0]])
    >>> wasserstein(east, north, Sphere(3))
    1.5707963267948966
    """
    _check(mu, nu, geometry, p)
    if method is None:
        method = "exact" if _has_exact(mu, nu, geometry) else "sinkhorn"
    if method == "sinkhorn":
        return sinkhorn_divergence(mu, nu, geometry, p=p)
    if method == "sliced":
        return sliced_wasserstein(mu, nu, geometry, p=p)
    if method != "exact":
        raise InvalidInput(f"unknown method {method!r}{did_you_mean(str(method), METHODS)}")
    if not _has_exact(mu, nu, geometry):
        raise Unsupported(
            f"the exact distance between {mu.n} and {nu.n} points in this geometry takes too long: use "
            "method='sinkhorn', or fewer points"
        )
    if _is_circle(geometry):
        return circle_wasserstein(_angles(mu), _angles(nu), _weights(mu), _weights(nu), p=p)
    if geometry.d == 1:
        return line_wasserstein(_points(mu)[:, 0], _points(nu)[:, 0], _weights(mu), _weights(nu), p=p)
    return _by_program(mu, nu, geometry, p)


def sinkhorn_divergence(
    mu: Measure,
    nu: Measure,
    geometry: Geometry,
    *,
    p: float = 2,
    epsilon: float | None = None,
    tolerance: float = 1e-4,
    max_iterations: int = 10_000,
    batch_size: int = TILE,
) -> float:
    """The debiased entropic distance S_epsilon(mu, nu)^{1/p}, by ott-jax; it tends to W_p as epsilon -> 0.

    S = OT(mu, nu) - (OT(mu, mu) + OT(nu, nu)) / 2 (arXiv 1810.08278), where OT(mu, nu) is the minimum over couplings
    of int distance^p dpi + epsilon KL(pi | mu x nu). S >= 0 for p = 1 and p = 2 in R^d, and S(mu, mu) = 0.

    `epsilon` has the unit of distance^p and defaults to 1 % of the mean of distance^p between the measures. For smooth
    laws and p = 2 the error of S is O(epsilon^2), for few points and for p = 1 it is O(epsilon). What is finer than
    epsilon^{1/p} is blurred: at the default, W_2 = 0.126 between two samples of 1000 uniform tokens on S^2 is given as
    0.105 (0.121 at epsilon = 0.003). Lower `epsilon` to resolve more.
    The number of sweeps grows like 1/epsilon, from some hundred at the default; a sweep of 10^4 against 10^4 points
    takes some two seconds on two cores. Only `batch_size` rows of the cost exist at a time.

    Sweeps end when the masses of the coupling are right to `tolerance` in total variation, which makes S right to
    about a hundredth of `tolerance` times the mean cost. If `max_iterations` are not enough, raises `InvalidInput`
    instead of returning a wrong number.
    """
    _check(mu, nu, geometry, p)
    _check_sinkhorn(epsilon, tolerance, max_iterations, batch_size)
    x, y = _points(mu), _points(nu)
    if not isinstance(geometry, Sphere):
        # squares of distances are expanded: around a common center they lose no digits
        center = (np.mean(x, axis=0) + np.mean(y, axis=0)) / 2
        x, y = x - center, y - center
    a, b = (w / np.sum(w) for w in (_weights(mu), _weights(nu)))
    # importing ott takes two seconds
    from tokenfield.transport import entropic

    cost = entropic.Power(isinstance(geometry, Sphere), float(p))
    if epsilon is None:
        epsilon = BLUR * float(entropic.mean_cost(x, a, y, b, cost, batch_size))
        if epsilon == 0:
            return 0.0  # all points of both are one point
    divergence, converged, sweeps = entropic.divergence(
        x, a, y, b, epsilon, tolerance, cost, max_iterations, batch_size
    )
    if not (bool(converged) and np.isfinite(divergence)):
        raise InvalidInput(
            f"Sinkhorn did not converge to {tolerance:g} in {int(sweeps)} sweeps at epsilon = {epsilon:.3g}: use a "
            "larger epsilon, tolerance or max_iterations"
        )
    return float(max(float(divergence), 0.0) ** (1 / p))


def sliced_wasserstein(
    mu: Measure, nu: Measure, geometry: Geometry, *, p: float = 2, slices: int = SLICES, seed: int = 0
) -> float:
    """The sliced distance: the p-mean over random one-dimensional views of the exact W_p.

    In R^d a view is the projection on a random direction; on the sphere the projection on a random great circle, as
    angles (arXiv 2206.08780).
    """
    _check(mu, nu, geometry, p)
    if slices < 1:
        raise InvalidInput(f"the number of slices must be at least 1, got {slices}")
    rng = np.random.default_rng(seed)
    x, y, a, b = _points(mu), _points(nu), _weights(mu), _weights(nu)
    total = 0.0
    for _ in range(slices):
        if isinstance(geometry, Sphere):
            plane, _ = np.linalg.qr(rng.normal(size=(geometry.d, 2)))
            first, second = (np.arctan2(*(z @ plane).T[::-1]) for z in (x, y))
            total += circle_wasserstein(first, second, a, b, p=p) ** p
        else:
            direction = rng.normal(size=geometry.d)
            direction /= np.linalg.norm(direction)
            total += line_wasserstein(x @ direction, y @ direction, a, b, p=p) ** p
    return float((total / slices) ** (1 / p))


def line_wasserstein(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, *, p: float = 1) -> float:
    """W_p on the line between points x with weights a and y with weights b: quantiles are matched in order."""
    x, a = _sorted(x, a)
    y, b = _sorted(y, b)
    masses, middles = _common_levels(np.cumsum(a)[:-1], np.cumsum(b)[:-1])
    gaps = x[_quantile(a, middles)] - y[_quantile(b, middles)]
    return float(np.sum(masses * np.abs(gaps) ** p) ** (1 / p))


def circle_wasserstein(x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, *, p: float = 1) -> float:
    """W_p on the circle between angles x with weights a and y with weights b.

    For p = 1 the best cut is a weighted median of the difference of the distribution functions; for p > 1 it is the
    minimum of a convex function of the shift of quantiles (Delon, Salomon, Sobolevskii 2010), found to rounding.
    """
    x, a = _sorted(np.mod(x, TURN), a)
    y, b = _sorted(np.mod(y, TURN), b)
    if p == 1:
        edges = np.concatenate([x, y])
        jumps = np.concatenate([a, -b])
        order = np.argsort(edges, kind="stable")
        edges, heights = edges[order], np.cumsum(jumps[order])
        lengths = np.diff(np.append(edges, edges[0] + TURN))
        return float(np.sum(lengths * np.abs(heights - _weighted_median(heights, lengths))))
    return _best_shift(x, a, y, b, p, widths=(0.0, 0.0))


def density_wasserstein(values: ArrayLike, other: Measure | ArrayLike, *, p: int = 1) -> float:
    """W_1 or W_2 on the circle between a density and tokens, or another density, not limited by the grid.

    `values` (m,) are proportional to the masses of m equal cells centered at 2 pi i / m, in which the density is
    constant; so are `other`'s, unless it is a `Measure` of tokens. For such densities the distance is exact. Point
    values of a smooth density are off from the means over cells by O(1/m^2). (Masses at the centers instead, as in
    `wasserstein`, are off by up to W_1 = pi/(2m), W_2 = pi/(m sqrt(3)).) Negative values within rounding, 1e-9 of the
    largest, count as zero.

    For p = 1 the distance is min over c of int |F - G - c|, F piecewise linear, with c a median of F - G.
    """
    if p not in (1, 2):
        raise InvalidInput(f"distances of densities are for p = 1 and p = 2, got {p}")
    x, a, width = _cells(values)
    if isinstance(other, Measure):
        if other.d != 2:
            raise InvalidInput(f"tokens on the circle have d = 2, got {other.d}")
        # angles from the first edge on, as those of the cells
        y, b = _sorted(np.mod(_angles(other) + width / 2, TURN) - width / 2, _weights(other))
        widths = (width, 0.0)
    else:
        y, b, other_width = _cells(other)
        widths = (width, other_width)
    if p == 2:
        return _best_shift(x, a, y, b, p, widths=widths)
    first = x[0] - width / 2
    wrap = lambda t: np.mod(t - first, TURN) + first  # noqa: E731
    corners = y if widths[1] == 0 else wrap(y - widths[1] / 2)
    knots = np.sort(np.concatenate([x - width / 2, corners, [first + TURN]]))
    starts, ends = (
        f - g for f, g in zip(_cumulated(knots, x, a, widths[0]), _cumulated(knots, y, b, widths[1]), strict=True)
    )
    return _integral_around_median(starts, ends, np.diff(knots))


def _cumulated(knots: np.ndarray, x: np.ndarray, a: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """The distribution function just after the start and just before the end of each interval between knots.

    Of masses a at points x, or (width > 0) spread over cells around x; all of the points are among the knots.
    """
    if width == 0:
        steps = np.append(0.0, np.cumsum(a))[np.searchsorted(x, knots[:-1], side="right")]
        return steps, steps
    edges, heights = np.append(x - width / 2, x[-1] + width / 2), np.append(0.0, np.cumsum(a))
    turns = np.floor((knots - edges[0]) / TURN)
    values = np.interp(knots - TURN * turns, edges, heights) + turns
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

    Masses a are at the increasing angles x or, for p = 2, spread over arcs of width `widths[0]` around them; so are b.
    """
    # empty cells have no quantile
    x, a, y, b = x[a > EMPTY], a[a > EMPTY], y[b > EMPTY], b[b > EMPTY]
    ends_a, ends_b = np.cumsum(a), np.cumsum(b)

    def cost(shift: float) -> float:
        """The cost when quantile s of x is matched with quantile s + shift of y on the unrolled circle."""
        masses, middles = _common_levels(ends_a[:-1], np.mod(ends_b - shift, 1.0))
        turns = np.floor(middles + shift)
        levels = middles + shift - turns
        i, j = _quantile(a, middles), _quantile(b, levels)
        gaps = x[i] - y[j] - TURN * turns
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
    return np.minimum(np.searchsorted(np.cumsum(a), levels), len(a) - 1)


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


def _by_program(mu: Measure, nu: Measure, geometry: Geometry, p: float) -> float:
    """W_p by an assignment if masses are equal, else by a linear program over all couplings."""
    x, y = _points(mu), _points(nu)
    near = cdist(x, y)
    cost = (2 * np.arctan2(near, cdist(x, -y)) if isinstance(geometry, Sphere) else near) ** p
    if _are_equal(mu, nu):
        return float(np.mean(cost[linear_sum_assignment(cost)]) ** (1 / p))
    n, m = cost.shape
    a, b = (w / np.sum(w) for w in (_weights(mu), _weights(nu)))
    rows = sparse.kron(sparse.eye_array(n), np.ones((1, m)))
    columns = sparse.kron(np.ones((1, n)), sparse.eye_array(m))
    # of n + m equations one follows from the others, and would contradict them by rounding
    equations = sparse.vstack([rows, columns]).tocsr()[:-1]
    found = linprog(cost.ravel(), A_eq=equations, b_eq=np.concatenate([a, b])[:-1], method="highs")
    if not found.success:
        raise Unsupported(f"the linear program was not solved ({found.message}): use method='sinkhorn'")
    return float(max(found.fun, 0.0) ** (1 / p))


def _has_exact(mu: Measure, nu: Measure, geometry: Geometry) -> bool:
    pairs = mu.n * nu.n
    is_sorted = _is_circle(geometry) or geometry.d == 1
    return is_sorted or pairs <= PROGRAMMED or (pairs <= ASSIGNED and _are_equal(mu, nu))


def _are_equal(mu: Measure, nu: Measure) -> bool:
    """Whether both have the same number of tokens, all of the same mass up to rounding."""
    return mu.n == nu.n and all(np.ptp(w) <= 1e-12 * np.max(w) for w in (_weights(mu), _weights(nu)))


def _cells(values: ArrayLike) -> tuple[np.ndarray, np.ndarray, float]:
    """Centers, masses and width of the cells of a density."""
    v = np.asarray(values, np.float64)
    if v.ndim != 1 or len(v) == 0 or not np.all(np.isfinite(v)) or not np.max(v) > 0:
        raise InvalidInput("a density needs values of shape (m,), finite and not all zero")
    if np.min(v) < -1e-9 * np.max(v):
        raise InvalidInput(f"a density must not be negative, got {np.min(v):.3g} against a maximum of {np.max(v):.3g}")
    v = np.maximum(v, 0.0)
    return TURN * np.arange(len(v)) / len(v), v / np.sum(v), TURN / len(v)


def _sorted(x: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(x, kind="stable")
    a = np.asarray(a, np.float64)
    return np.asarray(x, np.float64)[order], a[order] / a.sum()


def _points(mu: Measure) -> np.ndarray:
    return np.asarray(mu.points, np.float64)


def _weights(mu: Measure) -> np.ndarray:
    return np.asarray(mu.weights, np.float64)


def _angles(mu: Measure) -> np.ndarray:
    x = _points(mu)
    return np.arctan2(x[:, 1], x[:, 0])


def _is_circle(geometry: Geometry) -> bool:
    return isinstance(geometry, Sphere) and geometry.d == 2


def _check(mu: Measure, nu: Measure, geometry: Geometry, p: float) -> None:
    if mu.d != geometry.d or nu.d != geometry.d:
        raise InvalidInput(f"both measures must have dimension {geometry.d}, got {mu.d} and {nu.d}")
    if not (np.isfinite(p) and p >= 1):
        raise InvalidInput(f"Wasserstein distances need p >= 1, got {p}")


def _check_sinkhorn(epsilon: float | None, tolerance: float, max_iterations: int, batch_size: int) -> None:
    for name, value in (("epsilon", 1.0 if epsilon is None else epsilon), ("tolerance", tolerance)):
        if not (np.isfinite(value) and value > 0):
            raise InvalidInput(f"{name} must be positive, got {value}")
    for name, count in (("max_iterations", max_iterations), ("batch_size", batch_size)):
        if count < 1:
            raise InvalidInput(f"{name} must be at least 1, got {count}")
