"""How far along the flow of the theory hidden states are: beta and time from the mean cosine by layer.

Layers are taken for equal steps in time. The curve c(beta, t) that fits best in the sense of least squares gives beta,
the time at which the first layer is, and the time T from there to the last. Intervals come from resampling prompts.

A curve that rises can be fitted to anything that rises. So the fit stands beside nulls that can fail: the same layers
in random order, and whatever else the caller hands over (the same shapes with random weights, prompts of random words).
These are placed on the curve of the states, with its beta: at another beta the same T is another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tokenfield._runtime.randomness import numpy_generator
from tokenfield.errors import InvalidInput
from tokenfield.layers.curves import LONGEST, Curve

FEWEST_LAYERS = 4  # three numbers are fitted
RESAMPLED, SHUFFLED = 200, 199
LEVEL = 0.95  # of the intervals
EARLIEST = -0.5  # where the first layer may be, in units of time
STARTS = (-0.2, 0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
SPANS = np.concatenate([[0.0], np.geomspace(0.04, LONGEST - 0.2, 20)])
ITERATIONS = 25
STILL = 1e-9  # of the sum of squares: who gains less in a step has arrived
DIFFERENCE = 1e-4  # of parameters, for derivatives
NOT_REJECTED = 0.05  # shuffled layers that fit as well as the true order more often than this

Interval = tuple[float, float]


@dataclass(frozen=True)
class Fit:
    """The part of the flow that fits the mean cosine by layer best; made by `fit`.

    Attributes:
        curve: "equiangular" or "simulated".
        n: the number of tokens of the curve.
        beta: the inverse temperature.
        time: the time T from the first layer to the last.
        start: the time of the first layer, counted from random tokens.
        residual: the root mean square of measured minus fitted cosines.
        shuffled: the part of random orders of the layers, the true one counted among them, that fit as well.
        is_ordered: whether the true order fits better than all but 5 % of random ones.
        fitted: the fitted cosine at each layer.
        times: the time at which the curve has the measured cosine of each layer; infinite where it never does.
        beta_interval: 95 % by resampling prompts; `None` for a single prompt, or if beta was given.
        time_interval: the same of T.
        draws: beta and T of each resampling, which two fits are compared by.

    >>> Fit("equiangular", 8, 1.0, 2.0, 0.0, 0.01, 0.005, True, (0.0, 0.5), (0.0, 2.0)).time
    2.0
    """

    curve: str
    n: int
    beta: float
    time: float
    start: float
    residual: float
    shuffled: float
    is_ordered: bool
    fitted: tuple[float, ...]
    times: tuple[float, ...]
    beta_interval: Interval | None = None
    time_interval: Interval | None = None
    draws: np.ndarray | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data, without the single resamplings."""
        return {key: value for key, value in asdict(self).items() if key != "draws"}


def fit(
    cosines: np.ndarray, curve: Curve, *, beta: float | None = None, seed: int = 0, resampled: int = RESAMPLED
) -> Fit:
    """The beta and the times at which the curve is nearest to the mean cosine by layer.

    Args:
        cosines: the mean cosine of each prompt at each layer, shape (prompts, layers), at least four layers.
        curve: the curve, as `curves.equiangular` or `curves.simulated` makes it.
        beta: the inverse temperature, if it is given; by default it is fitted too.
        seed: of resampled prompts and shuffled layers; by default 0.
        resampled: how often prompts are drawn anew; by default 200.

    Returns:
        The fit with intervals, and how often shuffled layers fit as well.

    Raises:
        InvalidInput: there are fewer than four layers, or a cosine is NaN.

    >>> from tokenfield.layers import curves
    >>> table = curves.equiangular(12)
    >>> layers = table.at(np.full(9, 2.0), np.linspace(0.5, 3.5, 9))
    >>> found = fit(layers[None], table)
    >>> round(found.beta, 2), round(found.time, 2), found.is_ordered
    (2.0, 3.0, True)
    """
    c = np.atleast_2d(np.asarray(cosines, np.float64))
    prompts, layers = c.shape
    if layers < FEWEST_LAYERS:
        raise InvalidInput(f"a place on the flow needs at least {FEWEST_LAYERS} layers, got {layers}")
    if not np.all(np.isfinite(c)):
        raise InvalidInput("a place on the flow needs a mean cosine at every layer")
    rng = numpy_generator(seed)
    mean = np.mean(c, axis=0)
    orders = np.stack([rng.permutation(layers) for _ in range(SHUFFLED)])
    draws = rng.integers(prompts, size=(resampled if prompts > 1 else 0, prompts))
    found, squares = _nearest(np.concatenate([mean[None], mean[orders], np.mean(c[draws], axis=1)]), curve, beta)
    best, shuffled, again = found[0], squares[1 : 1 + SHUFFLED], found[1 + SHUFFLED :]
    part = float((1 + np.sum(shuffled <= squares[0] * (1 + 1e-9))) / (1 + SHUFFLED))
    fitted, start, time = _in_time(best[None], curve)[0]
    numbers = _in_time(again, curve)[:, [0, 2]] if len(again) else None
    return Fit(
        curve=curve.kind,
        n=curve.n,
        beta=float(fitted),
        time=float(time),
        start=float(start),
        residual=float(np.sqrt(squares[0] / layers)),
        shuffled=part,
        is_ordered=part <= NOT_REJECTED,
        fitted=tuple(_cosines(best[None], curve, layers)[0].tolist()),
        times=tuple(curve.times(float(fitted), mean).tolist()),
        beta_interval=None if numbers is None or beta is not None else _interval(numbers[:, 0]),
        time_interval=None if numbers is None else _interval(numbers[:, 1]),
        draws=numbers,
    )


def against(found: Fit, null: Fit) -> dict[str, Any]:
    """The fit of a null beside that of the states: its T, and the interval of the difference.

    Args:
        found: the fit of the states at a given beta.
        null: the fit of what should not show the same, at the same beta.

    Returns:
        The null as plain data with `difference` of T, its `difference_interval`, and whether it `is_rejected`: whether
        the interval is above zero, or the order of the null's layers means nothing while that of the states does. The
        last two are `None` where one of both has a single prompt.

    >>> a = Fit("equiangular", 8, 1.0, 2.0, 0.0, 0.01, 0.005, True, (), (), draws=np.array([[1.0, 1.9], [1.0, 2.1]]))
    >>> b = Fit("equiangular", 8, 1.0, 0.5, 0.0, 0.01, 0.5, False, (), (), draws=np.array([[1.0, 0.4], [1.0, 0.6]]))
    >>> against(a, b)["is_rejected"], against(a, a)["is_rejected"]
    (True, False)
    """
    beside = null.to_dict() | {"difference": found.time - null.time, "difference_interval": None, "is_rejected": None}
    if found.draws is None or null.draws is None:
        return beside
    count = min(len(found.draws), len(null.draws))
    # shifted, so that a fit differs from itself by independent resamplings
    interval = _interval(found.draws[:count, 1] - np.roll(null.draws[:count, 1], count // 2))
    is_rejected = interval[0] > 0 or (found.is_ordered and not null.is_ordered)
    return beside | {"difference_interval": interval, "is_rejected": bool(is_rejected)}


def told(fits: Mapping[str, Fit], nulls: Mapping[str, Mapping[str, Any]], variant: str) -> list[str]:
    """What the fits say, in one sentence each.

    Args:
        fits: by the kind of their curve.
        nulls: as `against` returns them, by name.
        variant: in which the cosines were taken.

    Returns:
        Sentences.

    >>> one = Fit("equiangular", 8, 1.0, 2.0, 0.0, 0.01, 0.5, False, (), ())
    >>> told({"equiangular": one}, {}, "raw")[0][:58]
    'the cosines (raw) do not follow the order of the layers: 5'
    """
    found = []
    for kind, one in fits.items():
        if not one.is_ordered:
            found.append(
                f"the cosines ({variant}) do not follow the order of the layers: {100 * one.shuffled:.0f} % of random "
                f"orders fit the {kind} curve as well, so T means nothing"
            )
            continue
        span = f"T = {one.time:.3g}{_shown(one.time_interval)}, beta = {one.beta:.2g}{_shown(one.beta_interval)}"
        found.append(
            f"along the {kind} curve of {one.n} tokens the layers ({variant}) span {span}; cosines are off by "
            f"{one.residual:.2g}, and {100 * one.shuffled:.1g} % of random orders of the layers fit as well"
        )
    for name, null in nulls.items():
        short, meaning = compared(null)
        span = f"T = {null['time']:.3g}{_shown(null['time_interval'])}"
        found.append(f"compared with {name}, which have {span} at the same beta: {short}. {meaning}")
    return found


def compared(null: Mapping[str, Any]) -> tuple[str, str]:
    """What the comparison of the model with a null says: in a few words, and what that means.

    Args:
        null: as `against` returns it.

    Returns:
        Two texts.

    >>> compared({"is_rejected": False, "difference_interval": (-0.2, 0.3)})[0]
    'no difference of T is seen (-0.2 to 0.3)'
    """
    interval = null["difference_interval"]
    if interval is None:
        return "one prompt is not enough to compare", "Several prompts give an interval for the difference of T."
    low, high = interval
    if low > 0:
        short = f"the model goes {low:.2g} to {high:.2g} farther in T"
        return short, "So this much of its T does not come about by itself."
    if null["is_rejected"]:
        return (
            "its layers do not follow the curve, those of the model do",
            "So the model's order of layers means something.",
        )
    if high < 0:
        short = f"it goes {-high:.2g} to {-low:.2g} farther in T than the model"
        return short, "So tokens coming together is nothing that the model has learned; it keeps them apart."
    short = f"no difference of T is seen ({low:.2g} to {high:.2g})"
    return short, "So the T of the model is what one would also see without what this null takes away."


def _shown(interval: Interval | None) -> str:
    return "" if interval is None else f" ({interval[0]:.3g} to {interval[1]:.3g})"


def _interval(draws: np.ndarray) -> Interval:
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


# --- least squares ------------------------------------------------------------------------------------------------
# parameters are beta, and the start and the span in units of time at that beta


def _cosines(p: np.ndarray, curve: Curve, layers: int) -> np.ndarray:
    """The cosines (R, layers) of parameters (R, 3)."""
    tau = p[:, 1:2] + p[:, 2:3] * np.linspace(0.0, 1.0, layers)[None, :]
    return curve.in_units(np.broadcast_to(p[:, :1], tau.shape), tau)


def _in_time(p: np.ndarray, curve: Curve) -> np.ndarray:
    """beta, start and span (R, 3) in time."""
    unit = curve.unit(p[:, 0])
    return np.stack([p[:, 0], p[:, 1] * unit, p[:, 2] * unit], axis=1)


def _nearest(targets: np.ndarray, curve: Curve, given: float | None) -> tuple[np.ndarray, np.ndarray]:
    """The parameters (R, 3) nearest to cosines (R, layers), and the sums of squares (R,), for all R at once.

    With a `given` beta only the two others are free. Descends from the best point of a grid at each of several beta,
    since beta and the span nearly make up for each other: one start alone ends in a valley that is not the deepest.
    """
    layers, count = targets.shape[1], len(targets)
    pairs = np.array([(a, s) for a in STARTS for s in SPANS if a + s <= LONGEST])
    ends = []
    for beta in curve.betas[1::3] if given is None else [given]:
        grid = np.concatenate([np.full((len(pairs), 1), beta), pairs], axis=1)
        table = _cosines(grid, curve, layers)
        ends.append(grid[np.argmin(np.sum(table**2, axis=1)[:, None] - 2 * table @ targets.T, axis=0)])
    bounds = (0.0, curve.betas[-1]) if given is None else (given, given)
    p, squares = _descend(np.concatenate(ends), np.tile(targets, (len(ends), 1)), curve, bounds)
    best = np.argmin(squares.reshape(len(ends), count), axis=0) * count + np.arange(count)
    return p[best], squares[best]


def _descend(p: np.ndarray, targets: np.ndarray, curve: Curve, betas: Interval) -> tuple[np.ndarray, np.ndarray]:
    """Parameters (R, 3) after the steps of Levenberg and Marquardt within the bounds, and the sums of squares (R,)."""
    layers = targets.shape[1]
    low, high = np.array([betas[0], EARLIEST, 0.0]), np.array([betas[1], LONGEST, LONGEST])
    now = _cosines(p, curve, layers)
    squares, damping = np.sum((now - targets) ** 2, axis=1), np.full(len(p), 1e-3)
    moves = np.arange(len(p))  # the rows that have not arrived
    for _ in range(ITERATIONS):
        at, c, goal, before = p[moves], now[moves], targets[moves], squares[moves]
        slopes = _slopes(at, c, curve, high)
        gradient = np.einsum("rlk,rl->rk", slopes, c - goal)
        # a parameter that is at its bound and would leave stays there, and the others move without it
        is_free = ~(((at <= low) & (gradient > 0)) | ((at >= high) & (gradient < 0)))
        slopes, gradient = slopes * is_free[:, None, :], gradient * is_free
        normal = np.einsum("rlk,rlm->rkm", slopes, slopes)
        diagonal = damping[moves, None] * np.einsum("rkk->rk", normal) + 1e-12
        step = np.linalg.solve(normal + diagonal[:, :, None] * np.eye(3), gradient[..., None])[..., 0]
        tried = np.clip(at - step, low, high)
        reached = _cosines(tried, curve, layers)
        after = np.sum((reached - goal) ** 2, axis=1)
        better = after < before
        rows = moves[better]
        p[rows], now[rows], squares[rows] = tried[better], reached[better], after[better]
        damping[moves] = np.where(better, damping[moves] / 5, np.minimum(damping[moves] * 5, 1e6))
        moves = moves[np.where(better, before - after > STILL * before, damping[moves] < 1e6)]
        if not len(moves):
            break
    return p, squares


def _slopes(p: np.ndarray, now: np.ndarray, curve: Curve, high: np.ndarray) -> np.ndarray:
    """The derivatives (R, layers, 3) of the cosines, which are `now`, by the parameters; from inside the bounds."""
    found = []
    for k in (0, 1):
        shift = np.where(p[:, k] + DIFFERENCE > high[k], -DIFFERENCE, DIFFERENCE)
        moved = p.copy()
        moved[:, k] += shift
        found.append((_cosines(moved, curve, now.shape[1]) - now) / shift[:, None])
    # the part of the span that a layer is away from the first
    return np.stack([*found, found[1] * np.linspace(0.0, 1.0, now.shape[1])], axis=2)
