"""`match`: points of the sphere sent exactly to targets by at most six pieces of rank-one ReLU weights for each.

After proposition 4.2 of arXiv 2411.04551: the other points are gathered, the gate of a corridor is open for the one
that moves and closed for them, and gathering with flipped signs restores them. Here they gather at the two poles of a
plane that parts them from the moving point, which makes every time of a piece an integral in one variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jax.typing import ArrayLike
from scipy.integrate import quad

from tokenfield.control.construction import Construction, Piece, attention_piece, build
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere

MOST = 6  # pieces for one point
CANDIDATES = 1500  # planes that are looked at for each point
ASIDE = 100  # and ways to step aside
WIDEST = 2 * np.pi / 3  # a longer corridor is made of two
SAME = 1e-9  # points nearer than this are one point
NEAREST = 1e-5  # of another point to the plane: nearer ones would have to be gathered for too long
CLEAR = 100 * NEAREST  # of a target from other points: nearer ones count as occupying it
LARGEST = np.log(1e8)  # stretching: the solver's 1e-12 must not become visible


def match(sources: ArrayLike, targets: ArrayLike) -> Construction:
    """Weights that send each point to its target, and nothing else is left moved: at most 6 switches for each point.

    The field is P_x W (U x + b)_+ with W and U of rank one (proposition 4.1 of arXiv 2411.04551). A point whose target
    another one still occupies waits for it; where points change places in circles, one piece first moves all of them
    a little: at most 6 N + 1 pieces, which are 6 N switches.

    Args:
        sources: N points of the sphere, shape (N, d), d >= 3.
        targets: Where they go, shape (N, d); distinct, since a flow joins no points.

    Returns:
        The construction: `construction.run(sources).final.points` are the targets to the tolerance of the solver.

    Raises:
        InvalidInput: If points are not on the sphere, or shapes do not fit.
        Unsupported: If the theorem does not reach the targets: on a circle, or two points with one target; or if points
            are so near each other that float64 does not part them.

    >>> import numpy as np
    >>> x, y = np.eye(3), -np.eye(3)[[1, 2, 0]]
    >>> found = match(x, y)
    >>> found.switches <= 6 * 3, bool(np.abs(found.run(x).final.points - y).max() < 1e-8)
    (True, True)
    """
    x, y = _checked(sources, targets)
    return build(pieces_of(x, y), Sphere(x.shape[1]))


def pieces_of(x: np.ndarray, y: np.ndarray) -> list[Piece]:
    """The pieces that send rows of `x` to rows of `y`, one after the other: at most 6 for each and one more."""
    pieces = []
    order = _order(x, y)
    if order is None:
        step, x = _aside(x, y)
        pieces.append(step)
        order = _order(x, y, clear=0.0)
        assert order is not None
    now = x.copy()
    for i in order:
        pieces += _move(i, now, y[i])
        now[i] = y[i]
    return pieces or [attention_piece("rest", x.shape[1], 0.0)]


def _order(x: np.ndarray, y: np.ndarray, clear: float = CLEAR) -> list[int] | None:
    """Whose turn it is: always the point whose target is clearest of those that still wait; `None` for a circle."""
    far = np.linalg.norm(y[:, None] - x, axis=-1)
    np.fill_diagonal(far, np.inf)
    waiting = np.linalg.norm(x - y, axis=1) > SAME
    order = []
    while waiting.any():
        clearance = np.where(waiting, np.min(far, axis=1, where=waiting, initial=np.inf), -np.inf)
        i = int(np.argmax(clearance))
        if clearance[i] < clear:
            return None
        waiting[i] = False
        order.append(i)
    return order


def _aside(x: np.ndarray, y: np.ndarray) -> tuple[Piece, np.ndarray]:
    """A piece x' = P_x drive that takes all points off all targets, and where they then are.

    With |drive| = s and its direction w, x goes to (x + (sinh s + (cosh s - 1) <w, x>) w) / (cosh s + sinh s <w, x>).
    """
    rng = np.random.default_rng(1)
    best, found = -1.0, None
    for w in rng.normal(size=(ASIDE, x.shape[1])):
        s = float(rng.uniform(0.1, 1.0))
        w = w / np.linalg.norm(w)
        h = (x @ w)[:, None]
        moved = (x + (np.sinh(s) + (np.cosh(s) - 1) * h) * w) / (np.cosh(s) + np.sinh(s) * h)
        nearest = float(np.min(np.linalg.norm(moved[:, None] - y, axis=-1)))
        if nearest > best:
            best, found = nearest, (Piece("step aside", s * w, np.zeros(len(w)), 1.0), moved)
    assert found is not None
    return found


# --- one point ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plane:
    """The plane {<normal, p> = level} through the start and the end of a corridor.

    `gap` is the distance of the nearest other point, `angle` the turn from start to end around the axis of the poles.
    """

    normal: np.ndarray
    level: float
    gap: float
    angle: float


def _move(i: int, now: np.ndarray, goal: np.ndarray) -> list[Piece]:
    """At most six pieces that send point `i` to `goal` and bring all others back."""
    start, others = now[i], np.delete(now, i, axis=0)
    plane = _best_plane(start, goal, others, i)
    via = _stations(start, goal, plane)
    corridors = [_corridor(a, b, plane, f"corridor of point {i}") for a, b in pairwise(via)]
    slack = min(slack for _, slack in corridors)
    gathers = [_gather(sign, plane, others, slack, i) for sign in (1.0, -1.0)]
    there = [piece for piece in gathers if piece is not None]
    back = [piece.reversed(piece.what.replace("gather", "restore")) for piece in reversed(there)]
    return [*there, *(piece for piece, _ in corridors), *back]


def _best_plane(start: np.ndarray, goal: np.ndarray, others: np.ndarray, i: int) -> _Plane:
    """Of many planes through `start` and `goal`, the one from which the other points are gathered and restored best."""
    rng = np.random.default_rng(0)
    chord = (goal - start) / np.linalg.norm(goal - start)
    normals = rng.normal(size=(CANDIDATES, len(start)))
    normals -= np.outer(normals @ chord, chord)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    levels = normals @ start
    gaps = np.min(np.abs(others @ normals.T - levels), axis=0, initial=1.0)
    radii2 = np.maximum(1 - levels**2, 1e-300)
    angles = np.arccos(np.clip((start @ goal - levels**2) / radii2, -1.0, 1.0))
    sights = np.sqrt(radii2) * np.cos(np.where(angles <= WIDEST, angles, angles / 2) / 2)
    stretches = np.maximum(*(_stretch(sign * normals, sign * levels, gaps, sights, others) for sign in (1, -1)))
    cost = stretches - np.log(np.maximum(sights, 1e-300))
    best = int(np.argmin(np.where((gaps >= NEAREST) & (stretches <= LARGEST), cost, np.inf)))
    if gaps[best] < NEAREST or stretches[best] > LARGEST:
        near = min(float(np.min(np.linalg.norm(others - end, axis=1))) for end in (start, goal))
        raise Unsupported(
            f"point {i} cannot be parted from the others on its way: one of them is {near:.1g} from its start or its "
            "target, and float64 does not restore what is gathered from so near; move the points apart, or give them "
            "one target as a cluster"
        )
    return _Plane(normals[best], float(levels[best]), float(gaps[best]), float(angles[best]))


def _stretch(
    poles: np.ndarray, levels: np.ndarray, gaps: np.ndarray, sights: np.ndarray, others: np.ndarray
) -> np.ndarray:
    """The logarithm of what restoring multiplies errors by, for each of many planes: contraction at the pole."""
    h = others @ poles.T
    away = 1 - np.min(np.where(h > levels, h, np.inf), axis=0, initial=np.inf)
    close = _near_pole(sights / 2)
    is_gathered = away > close  # nobody is minus infinity away
    a, away = np.where(is_gathered, levels + gaps / 2, 0.0), np.where(is_gathered, away, close)
    return np.where(is_gathered, (1 - a) * time_between(a, away, close), 0.0)


def _stations(start: np.ndarray, goal: np.ndarray, plane: _Plane) -> list[np.ndarray]:
    """Start and end of the corridor, with a point half way round the axis if they are far apart."""
    if plane.angle <= WIDEST:
        return [start, goal]
    a, b = start - plane.level * plane.normal, goal - plane.level * plane.normal
    radius, middle = np.linalg.norm(a), a + b
    if np.linalg.norm(middle) < 1e-6 * radius:  # opposite: any direction across will do
        across = np.eye(len(a))[np.argmin(np.abs(plane.normal) + np.abs(a) / radius)]
        basis = np.stack([plane.normal, a / radius], axis=1)
        middle = across - basis @ (basis.T @ across)
    return [start, plane.level * plane.normal + radius * middle / np.linalg.norm(middle), goal]


def _corridor(start: np.ndarray, goal: np.ndarray, plane: _Plane, what: str) -> tuple[Piece, float]:
    """The piece that moves `start` along its great circle to `goal`, and how near the axis it leaves points alone."""
    middle = start + goal - 2 * plane.level * plane.normal
    gate = middle / np.linalg.norm(middle)
    slack = 0.5 * min(float(gate @ start), float(gate @ goal))
    turn = _angle(start, goal)
    tangent = goal - np.cos(turn) * start
    tangent /= np.linalg.norm(tangent)
    beyond = (np.pi + turn) / 2  # the drive points past the goal, so that the point passes it at speed
    drive = np.cos(beyond) * start + np.sin(beyond) * tangent

    def slowness(phi: float) -> float:
        here = np.cos(phi) * start + np.sin(phi) * tangent
        return 1 / ((gate @ here - slack) * np.sin(beyond - phi))

    time = quad(slowness, 0.0, turn, epsabs=0.0, epsrel=1e-13, limit=200)[0]
    return Piece(what, time * drive, gate, -slack), slack


def _gather(sign: float, plane: _Plane, others: np.ndarray, slack: float, i: int) -> Piece | None:
    """The piece that brings the points on one side of the plane so near its pole that corridors do not move them.

    With h = <pole, x>, h' = (h - a)(1 - h^2), a between the plane and the nearest point; its time is an integral.
    """
    pole, level = sign * plane.normal, sign * plane.level
    h = others @ pole
    h = h[h > level]
    near_pole = float(_near_pole(slack))
    if not len(h) or 1 - h.min() <= near_pole:
        return None
    threshold = level + plane.gap / 2
    time = float(time_between(threshold, 1 - float(h.min()), near_pole))
    side = "+" if sign > 0 else "-"
    return Piece(f"gather the others at {side}pole for point {i}", time * pole, pole, -threshold)


def _near_pole(slack: Any) -> Any:
    """1 - h of points so near the axis that a corridor with this slack does not move them."""
    return 1 - np.sqrt(1 - (0.9 * slack) ** 2)


def time_between(a: Any, away: Any, close: Any) -> Any:
    """The time in which h' = (h - a)(1 - h^2) takes 1 - h from `away` to `close`, an integral; also of arrays."""

    def primitive(k: Any) -> Any:  # at h = 1 - k
        return np.log(1 - k - a) / (1 - a * a) - np.log(k) / (2 * (1 - a)) - np.log(2 - k) / (2 * (1 + a))

    return primitive(close) - primitive(away)


# --- points -------------------------------------------------------------------------------------------------------


def _checked(sources: ArrayLike, targets: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    x, y = points_on_sphere(sources, "sources"), points_on_sphere(targets, "targets")
    if x.shape != y.shape:
        raise InvalidInput(f"each source needs one target: sources have shape {x.shape}, targets {y.shape}")
    if x.shape[1] < 3:
        raise Unsupported(
            "match needs d >= 3 (proposition 4.1 of arXiv 2411.04551): points on a circle cannot pass each other"
        )
    for points, name in ((x, "sources"), (y, "targets")):
        if (pair := same_rows(points)) is not None:
            i, j = pair
            raise Unsupported(
                f"{name} {i} and {j} are the same point: a flow neither joins points nor parts equal ones; "
                "for one target take cluster, or give distinct points"
            )
    return x, y


def points_on_sphere(points: ArrayLike, name: str) -> np.ndarray:
    """Points as float64 unit vectors (n, d), or `InvalidInput`."""
    try:
        x = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be points (n, d), got {type(points).__name__}") from error
    if x.ndim != 2 or not x.size:
        raise InvalidInput(f"{name} must be points (n, d), got shape {x.shape}")
    lengths = np.linalg.norm(x, axis=1)
    if not np.all(np.abs(lengths - 1) < 1e-6):
        raise InvalidInput(
            f"{name} must be on the unit sphere: one has length {lengths[np.argmax(abs(lengths - 1))]:g}"
        )
    return x / lengths[:, None]


def same_rows(points: np.ndarray) -> tuple[int, int] | None:
    """The first two rows that are one point."""
    order = np.lexsort(points.T[::-1])
    for i, j in pairwise(order):
        if _distance(points[i], points[j]) <= SAME:
            return int(min(i, j)), int(max(i, j))
    return None


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b))


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """The angle between unit vectors, exact for near ones too."""
    return float(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))
