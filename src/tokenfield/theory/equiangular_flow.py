"""The equiangular equation: how the common cosine gamma of n tokens moves, and their radius r beside it.

gamma' and r' for every scheme, their integration in time, and times on a log scale. Plain numbers in and out: the
predictions made of them are in `equiangular`.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy import integrate, special

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.theory.growth import check_tokens
from tokenfield.theory.traveltime import LARGEST, exponential, log_travel_time

SCHEMES = ("softmax", "unnormalized", "post-ln", "pre-ln", "mix-ln", "peri-ln", "ngpt", "depth-scaled")
HAS_RADIUS = ("pre-ln", "mix-ln", "peri-ln")
COLLAPSED = 800.0  # e^-800 is 0 in a double: the cosine is 1
FAR = 1e8  # of log r: beyond it steps have errors of 1e-9 or no end, and what a quadrature leaves out is as small


def check_scheme(beta: float, n: int, scheme: str) -> None:
    """Raises `InvalidInput` unless beta is finite, n >= 2 and the scheme is one of `SCHEMES`."""
    if not np.isfinite(beta):
        raise InvalidInput(f"beta must be finite, got {beta}")
    check_tokens(n)
    if scheme not in SCHEMES:
        raise InvalidInput(f"unknown scheme {scheme!r}{did_you_mean(str(scheme), SCHEMES)}")


def _weights(gamma: np.ndarray, beta: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The attention that a token pays to itself and to each other token; they never overflow."""
    gap = beta * (1 - gamma) - np.log(n - 1)
    return special.expit(gap), special.expit(-gap) / (n - 1)  # own: e^beta / (e^beta + (n-1) e^{beta gamma})


def _length(gamma: np.ndarray, own: np.ndarray, other: np.ndarray, n: int) -> np.ndarray:
    """|A|, the length of what attention returns."""
    return np.sqrt(own**2 + 2 * (n - 1) * gamma * own * other + (n - 1) * other**2 * (1 + (n - 2) * gamma))


def check_scheme_options(radius: float, alpha: float, tau: float) -> None:
    """Raises `InvalidInput` unless radius and alpha are positive and tau is not negative."""
    if not (np.isfinite(radius) and radius > 0 and np.isfinite(alpha) and alpha > 0 and tau >= 0):
        raise InvalidInput(f"this needs radius > 0, alpha > 0 and tau >= 0, got {radius}, {alpha}, {tau}")


def speed(
    gamma: np.ndarray | float,
    beta: float,
    n: int,
    *,
    scheme: str = "softmax",
    r: np.ndarray | float = 1.0,
    t: float = 0.0,
    alpha: float = 1.0,
    tau: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """(gamma', r'), the right-hand side of the reduction.

    gamma' = (2/s) e^{beta gamma} (1-gamma)(1+(n-1)gamma) / Z with Z = e^beta + (n-1) e^{beta gamma} and s the speed
    factor of the scheme; unnormalized attention has n in place of Z.
    """
    check_scheme(beta, n, scheme)
    g = np.asarray(gamma, float)
    rate, growth = _relative_speed(g, beta, n, scheme, r, t, alpha, tau)
    return (1 - g) * rate, growth


def _relative_speed(
    g: np.ndarray | float,
    beta: float,
    n: int,
    scheme: str,
    r: np.ndarray | float,
    t: float,
    alpha: float,
    tau: float,
) -> tuple[np.ndarray, np.ndarray]:
    """(gamma' / (1 - gamma), r'): the first is the rate at which the defect 1 - gamma decays."""
    g = np.asarray(g, float)
    own, other = _weights(g, beta, n)
    rise = 2 * (1 + (n - 1) * g)
    zero = np.zeros_like(g)
    if scheme == "unnormalized":
        return rise * np.exp(np.minimum(beta * g, LARGEST - 50)) / n, zero  # as good as infinite there
    along = own + (n - 1) * g * other  # <theta, A>
    length = _length(g, own, other, n)
    if scheme == "mix-ln":
        scheme = "post-ln" if t < tau else "pre-ln"
    factor, growth = {
        "softmax": (1.0, zero),
        "post-ln": (1.0, zero),
        "pre-ln": (r, along),
        "peri-ln": (r * length, along / length),
        "ngpt": (length / alpha, zero),
        "depth-scaled": (np.sqrt(t + 1), zero),
    }[scheme]
    return rise * other / factor, growth


def cosines_at(
    times: np.ndarray, beta: float, n: int, scheme: str, gamma0: float, radius: float, alpha: float, tau: float
) -> np.ndarray:
    """gamma at the increasing `times`, from gamma0 and the radius at time 0, to about 1e-10."""

    def rhs(t: float, y: np.ndarray) -> list[float]:
        # the state is the defect 1 - gamma on a log scale, so that gamma near 1 keeps its digits
        rate, growth = _relative_speed(-np.expm1(y[0]), beta, n, scheme, y[1], t, alpha, tau)
        return [-float(rate), float(growth)]

    def is_collapsed(t: float, y: np.ndarray) -> float:
        return y[0] + COLLAPSED

    is_collapsed.terminal = True  # type: ignore[attr-defined]

    y = [np.log1p(-gamma0), radius]
    found = np.empty(len(times))
    # the switch of Mix-LN is a kink: integrate up to it and on from there
    pieces = [0.0, *([tau] if scheme == "mix-ln" and 0 < tau < times[-1] else []), max(times[-1], 1e-300)]
    for start, end in itertools.pairwise(pieces):
        inside = (times >= start) & ((times < end) | (end == pieces[-1]))
        middle = (start + end) / 2

        def piece(t: float, y: np.ndarray, middle: float = middle) -> list[float]:
            return rhs(middle if scheme == "mix-ln" else t, y)

        grid = np.union1d(times[inside], [end])
        with np.errstate(over="ignore", invalid="ignore"):  # trial steps at rates like e^beta
            solution = integrate.solve_ivp(
                piece, (start, end), y, method="DOP853", t_eval=grid, rtol=1e-12, atol=1e-13, events=is_collapsed
            )
        # past the end of the solution the tokens have collapsed; it also ends where the rate e^beta leaves no step
        defects = np.full(len(grid), -np.inf)
        defects[: solution.y.shape[1]] = solution.y[0]
        found[inside] = 0.0 - np.expm1(defects[np.searchsorted(grid, times[inside])])
        y = list(solution.y[:, -1]) if solution.status == 0 else [-COLLAPSED, radius]
        if solution.status != 0:
            found[times >= end] = 1.0
            break
    return found


def _scale(beta: float, n: int) -> float:
    """How near 0 the speed changes: e^{beta gamma} and 1 + (n-1) gamma do."""
    return 1 / max(1.0, abs(beta), n - 1)


def log_time(beta: float, n: int, level: float, scheme: str, alpha: float) -> float:
    """log of the time for radius 1. With gamma = 1 - e^{-s}, dt = e^{-s} ds / gamma' is smooth up to gamma = 1."""

    def log_slowness(s: np.ndarray) -> np.ndarray:
        gamma = -np.expm1(-s)
        log_factor = np.log(2) + np.log1p((n - 1) * gamma)
        if scheme == "unnormalized":
            return np.log(n) - beta * gamma - log_factor
        gap = beta * (1 - gamma)
        log_slow = np.logaddexp(gap, np.log(n - 1)) - log_factor  # log Z - beta gamma
        if scheme == "ngpt":
            own, other = _weights(gamma, beta, n)
            log_slow = log_slow + np.log(_length(gamma, own, other, n)) - np.log(alpha)
        return log_slow

    return log_travel_time(log_slowness, 0.0, -np.log1p(-level), scale=_scale(beta, n))


def log_time_with_radius(beta: float, n: int, level: float, scheme: str, radius: float, tau: float) -> float:
    """log of the time where the radius grows beside the cosine; infinite where even that overflows.

    With gamma = 1 - e^{-s} and q = e^{-s} / gamma' at radius 1: (log r)' = <theta, A> q and t' = r q (times |A| for
    Peri-LN), so that t is of the order of e^{time of softmax}. The state is log r and t / r, which stay moderate;
    beyond `FAR` log r is found by quadrature, and log(t / r), which is of order one, is left out.
    """
    before, start, end = 0.0, 0.0, -np.log1p(-level)
    if scheme == "mix-ln" and tau > 0:
        gamma = float(cosines_at(np.array([tau]), beta, n, "softmax", 0.0, 1.0, 1.0, 0.0)[0])
        if gamma >= level:
            return log_time(beta, n, level, "softmax", 1.0)
        before, start = tau, -np.log1p(-gamma)

    def log_growth(s: np.ndarray) -> np.ndarray:
        gamma = -np.expm1(-s)
        gap = beta * (1 - gamma)  # own / other = e^gap
        return np.logaddexp(gap, np.log((n - 1) * gamma)) - np.log(2) - np.log1p((n - 1) * gamma)

    def slope(s: float, y: np.ndarray) -> list[float]:
        gamma = -np.expm1(-s)
        own, other = _weights(gamma, beta, n)
        slowness = 1 / (2 * (1 + (n - 1) * gamma) * other)
        growth = (own + (n - 1) * gamma * other) * slowness
        speed_factor = _length(gamma, own, other, n) if scheme == "peri-ln" else 1.0
        return [growth, slowness * speed_factor - growth * y[1]]

    growth = exponential(log_travel_time(log_growth, start, end, scale=_scale(beta, n)))
    if growth > FAR:
        return float(np.log(radius) + growth)
    found = integrate.solve_ivp(slope, (start, end), [np.log(radius), 0.0], method="LSODA", rtol=1e-11, atol=1e-13)
    if not found.success:
        return np.inf
    log_rest = float(found.y[0, -1] + np.log(found.y[1, -1]))
    return float(np.logaddexp(np.log(before), log_rest)) if before else log_rest
