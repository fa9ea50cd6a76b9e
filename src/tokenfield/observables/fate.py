"""What tokens do at late times: rest, turn as a rigid body, go around a cycle, or none of these.

From saved tokens alone: a rotation is a linear map that takes every late state to the next one; a cycle is a state
that comes back. NumPy on concrete arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from tokenfield.errors import InvalidInput

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

SPANNED = 1e-3  # directions in which the late states are smaller than this, relatively, do not turn
FEWEST = 8  # late times
NEWTON = 4  # steps, each of which squares the error


@dataclass(frozen=True)
class Fate:
    """What a run does at late times; made by `fate`.

    Attributes:
        kind: "rest", "rotation" (distances stay), "cycle" (they come back), "settling" (ever slower) or "wandering".
        speed: the largest speed of a token at the end, in units of the space per unit of time.
        rate: the angular velocity of a rotation, in radians per unit of time; 0 otherwise.
        period: after what time the state is there again, of a rotation or a cycle; infinite otherwise.

    >>> Fate("rest", 0.0, 0.0, float("inf")).kind
    'rest'
    """

    kind: str
    speed: float
    rate: float
    period: float


def fate(run: Trajectory, *, late: float = 0.5, tolerance: float = 1e-3) -> Fate:
    """What the tokens of a run do at late times: their kind of motion, its speed and its period.

    Tokens rest if none moves by more than `tolerance`. They turn rigidly if one orthogonal matrix takes every late
    state to the next, up to `tolerance`: its fastest angle in the space that they span gives rate and period, also of a
    rotation that is slower than the window. They go around a cycle if the state comes back to within `tolerance` of the
    last one after it had left. Else they settle, if the speed has halved since the window began, or wander.

    Args:
        run: A run that saved its tokens at equally spaced times, closer than a quarter of a period.
        late: The part of the times, from the end, that is looked at; by default the last half.
        tolerance: Distances that count as none, times the largest length of a token; by default 0.001.

    Returns:
        The fate.

    Raises:
        InvalidInput: Times are not equally spaced, or fewer than 8 are late; or an option is out of its range.

    >>> from tokenfield import Softmax, Sphere, Transformer, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0), V=[[1.0, -0.5], [0.5, 1.0]])
    >>> found = fate(solve(model, [[1.0, 0.0], [0.0, 1.0]], t1=40.0, save=201))
    >>> found.kind, round(float(found.rate), 4), round(float(found.period), 3)
    ('rotation', 0.5, 12.566)
    """
    return fate_of(np.asarray(run.ts, float), np.asarray(run.saved_points, np.float64), late=late, tolerance=tolerance)


def fate_of(ts: np.ndarray, x: np.ndarray, *, late: float = 0.5, tolerance: float = 1e-3) -> Fate:
    """The fate of tokens (T, n, d) at times (T,); see `fate`."""
    if not 0 < late <= 1 or not tolerance > 0:
        raise InvalidInput(f"fate needs 0 < late <= 1 and a positive tolerance, got {late} and {tolerance}")
    first = int(np.floor((1 - late) * (len(ts) - 1)))
    ts, x = ts[first:], x[first:]
    if len(ts) < FEWEST or not np.allclose(np.diff(ts), ts[1] - ts[0], rtol=1e-6):
        raise InvalidInput(f"fate needs at least {FEWEST} late times, equally spaced; save more of them")
    dt, scale = ts[1] - ts[0], max(float(np.linalg.norm(x, axis=-1).max()), np.finfo(float).tiny)
    near = tolerance * scale
    steps = np.linalg.norm(np.diff(x, axis=0), axis=-1).max(axis=1)
    speed = float(steps[-1] / dt)
    if np.linalg.norm(x - x[-1], axis=-1).max() <= near:
        return Fate("rest", speed, 0.0, np.inf)
    turn, misfit = _turn(x)
    if turn > 0 and misfit <= near * min(1.0, 10 * steps.max() / scale):
        return Fate("rotation", speed, turn / dt, 2 * np.pi * dt / turn)
    back = _return(np.linalg.norm(x - x[-1], axis=-1).max(axis=1), near)
    if back:
        return Fate("cycle", speed, 0.0, _between(x, back) * dt)
    return Fate("settling" if steps[-1] < steps[0] / 2 else "wandering", speed, 0.0, np.inf)


def _turn(x: np.ndarray) -> tuple[float, float]:
    """The fastest angle of the rotation that takes states (T, n, d) to the next ones, and how far it misses."""
    before, after = x[:-1].reshape(-1, x.shape[-1]), x[1:].reshape(-1, x.shape[-1])
    _, sizes, axes = scipy.linalg.svd(x.reshape(-1, x.shape[-1]), full_matrices=False)
    axes = axes[sizes > SPANNED * sizes[0]]
    a, b = before @ axes.T, after @ axes.T
    u, _, v = scipy.linalg.svd(a.T @ b)
    rotation = u @ v
    misfit = float(np.abs(a @ rotation - b).max())
    return float(np.abs(np.angle(np.linalg.eigvals(rotation))).max()), misfit


def _return(distances: np.ndarray, near: float) -> int:
    """After how many steps, counted back from the end, the state is first there again; 0 if it is not."""
    back = distances[::-1]
    left = np.flatnonzero(back > 4 * near)
    if not len(left):
        return 0
    rest = back[left[0] :]
    # a minimum between two saved times may be as far as half a step
    low = np.flatnonzero((rest[1:-1] <= rest[:-2]) & (rest[1:-1] <= rest[2:])) + 1
    reach = near + np.abs(np.diff(back)).max()
    found = [int(k) for k in low if rest[k] <= reach and rest[k] < 0.2 * back.max()]
    return int(left[0] + found[0]) if found else 0


def _between(x: np.ndarray, steps: int) -> float:
    """How many steps before the end the states (T, n, d) are nearest to the last one, close to a whole number of them.

    The way between three saved times is taken for a parabola.
    """
    before, at, after = x[len(x) - 2 - steps : len(x) + 1 - steps]
    slope, bend, s = (after - before) / 2, after - 2 * at + before, 0.0
    for _ in range(NEWTON):
        way = slope + s * bend
        s -= float(np.sum((at + s * slope + s**2 / 2 * bend - x[-1]) * way) / np.sum(way**2))
    return steps - s
