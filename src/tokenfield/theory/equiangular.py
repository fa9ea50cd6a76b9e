"""Equiangular tokens: n tokens with one common pairwise cosine gamma, the exact reduction of a symmetric start.

From an orthonormal frame all cosines stay equal, and the whole flow is an ordinary differential equation for gamma
(arXiv 2312.10794), with the radius r beside it for normalizations that let it change (arXiv 2510.22026). In high
dimension random tokens follow the same curve.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy import integrate, optimize, special

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.theory.growth import IDENTITY
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.traveltime import LARGEST, exponential, log_travel_time

SCHEMES = ("softmax", "unnormalized", "post-ln", "pre-ln", "mix-ln", "peri-ln", "ngpt", "depth-scaled")
COLLAPSED = 800.0  # e^-800 is 0 in a double: the cosine is 1
HAS_RADIUS = ("pre-ln", "mix-ln", "peri-ln")
FRAME = "tokens start from an orthonormal frame (all cosines 0), or are random in a dimension that is large"
SOURCE = "arXiv 2312.10794, section 6"
NORMALIZED = "arXiv 2510.22026"


def _check(beta: float, n: int, scheme: str) -> None:
    if not np.isfinite(beta):
        raise InvalidInput(f"beta must be finite, got {beta}")
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens must be a whole number >= 2, got {n!r}")
    if scheme not in SCHEMES:
        raise InvalidInput(f"unknown scheme {scheme!r}{did_you_mean(str(scheme), SCHEMES)}")


def _weights(gamma: np.ndarray, beta: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The attention that a token pays to itself and to each other token; they never overflow."""
    gap = beta * (1 - gamma) - np.log(n - 1)
    return special.expit(gap), special.expit(-gap) / (n - 1)  # own: e^beta / (e^beta + (n-1) e^{beta gamma})


def _length(gamma: np.ndarray, own: np.ndarray, other: np.ndarray, n: int) -> np.ndarray:
    """|A|, the length of what attention returns."""
    return np.sqrt(own**2 + 2 * (n - 1) * gamma * own * other + (n - 1) * other**2 * (1 + (n - 2) * gamma))


def _check_scheme_options(radius: float, alpha: float, tau: float) -> None:
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
    _check(beta, n, scheme)
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


def equiangular_curve(
    ts: Sequence[float],
    beta: float,
    n: int,
    *,
    scheme: str = "softmax",
    gamma0: float = 0.0,
    radius: float = 1.0,
    alpha: float = 1.0,
    tau: float = 0.0,
) -> Prediction:
    """The common cosine gamma(t) at the times `ts`, from gamma(0) = gamma0, to about 1e-10.

    `scheme` is softmax (the same as post-ln), unnormalized, or a normalization; `radius`, `alpha` and `tau` are the
    initial radius, the rate of nGPT and the switch of Mix-LN.
    """
    _check(beta, n, scheme)
    _check_scheme_options(radius, alpha, tau)
    times = np.asarray(ts, float)
    if times.ndim != 1 or not len(times) or np.any(times < 0) or np.any(np.diff(times) < 0):
        raise InvalidInput("the times must be an increasing list of numbers >= 0")
    if not -1 / (n - 1) <= gamma0 < 1:
        raise InvalidInput(f"{n} tokens can share a cosine between -1/(n-1) and 1, got {gamma0}")

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
    return Prediction(
        found,
        f"all pairwise cosines equal gamma(t), which solves the equiangular equation ({scheme})",
        (IDENTITY, FRAME),
        SOURCE if scheme in ("softmax", "unnormalized") else NORMALIZED,
    )


def equiangular_time(
    beta: float,
    n: int,
    *,
    level: float = 0.999,
    scheme: str = "softmax",
    radius: float = 1.0,
    alpha: float = 1.0,
    tau: float = 0.0,
) -> Prediction:
    """The time at which the common cosine of n equiangular tokens, from 0, reaches `level`.

    By quadrature on a log scale where the speed depends on the cosine only (`log10` holds times like e^{beta} that are
    too long for a double); schemes with a radius are integrated, with the cosine in place of time as the variable.

    >>> round(float(equiangular_time(1.0, 32)), 3)
    5.27
    """
    _check(beta, n, scheme)
    _check_scheme_options(radius, alpha, tau)
    if not 0 < level < 1:
        raise InvalidInput(f"the level must be between 0 and 1, got {level}")
    log_time = _log_equiangular_time(beta, n, level, scheme, alpha)
    if scheme == "depth-scaled":  # int dt / sqrt(t + 1) = 2 (sqrt(t + 1) - 1) is the time of softmax
        half = np.logaddexp(0.0, log_time - np.log(2))
        log_time = 2 * half + np.log(-np.expm1(-2 * half))
    elif scheme in HAS_RADIUS:
        log_time = _log_equiangular_time_with_radius(beta, n, level, scheme, radius, tau)
    return Prediction(
        exponential(log_time),
        f"the equiangular cosine reaches {level:g} ({scheme})",
        (IDENTITY, FRAME),
        SOURCE if scheme in ("softmax", "unnormalized") else NORMALIZED,
        log10=float(log_time / np.log(10)),
    )


def _log_equiangular_time(beta: float, n: int, level: float, scheme: str, alpha: float) -> float:
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

    return log_travel_time(log_slowness, 0.0, -np.log1p(-level), scale=1 / max(1.0, abs(beta)))


def _log_equiangular_time_with_radius(
    beta: float, n: int, level: float, scheme: str, radius: float, tau: float
) -> float:
    """log of the time where the radius grows beside the cosine; infinite where even that overflows.

    With gamma = 1 - e^{-s} and q = e^{-s} / gamma' at radius 1: (log r)' = <theta, A> q and t' = r q (times |A| for
    Peri-LN), so that t is of the order of e^{time of softmax}. The state is log r and t / r, which stay moderate.
    """
    before, start, end = 0.0, 0.0, -np.log1p(-level)
    if scheme == "mix-ln" and tau > 0:
        gamma = float(equiangular_curve([tau], beta, n).value[0])
        if gamma >= level:
            return _log_equiangular_time(beta, n, level, "softmax", 1.0)
        before, start = tau, -np.log1p(-gamma)

    def slope(s: float, y: np.ndarray) -> list[float]:
        gamma = -np.expm1(-s)
        own, other = _weights(gamma, beta, n)
        slowness = 1 / (2 * (1 + (n - 1) * gamma) * other)
        growth = (own + (n - 1) * gamma * other) * slowness
        speed_factor = _length(gamma, own, other, n) if scheme == "peri-ln" else 1.0
        return [growth, slowness * speed_factor - growth * y[1]]

    if beta > LARGEST:
        return np.inf
    found = integrate.solve_ivp(slope, (start, end), [np.log(radius), 0.0], method="LSODA", rtol=1e-11, atol=1e-13)
    if not found.success:
        return np.inf
    log_time = float(found.y[0, -1] + np.log(found.y[1, -1]))
    return float(np.logaddexp(np.log(before), log_time)) if before else log_time


def phase_curve(times: Sequence[float], n: int, *, delta: float = 1e-3) -> Prediction:
    """Gamma: for each time the largest beta whose equiangular cosine has reached 1 - delta; NaN where none has.

    Above it in the (t, beta) diagram tokens have not yet collapsed (arXiv 2312.10794, figure 3).
    """
    _check(1.0, n, "softmax")
    if not 0 < delta < 1:
        raise InvalidInput(f"delta must be between 0 and 1, got {delta}")

    def late(beta: float, t: float) -> float:
        return float(_log_equiangular_time(beta, n, 1 - delta, "softmax", 1.0) - np.log(t))

    found = []
    for t in times:
        if not (np.isfinite(t) and t > 0) or late(0.0, t) > 0:
            found.append(np.nan)
            continue
        high = 1.0
        while late(high, t) < 0:
            high *= 2
        found.append(optimize.brentq(late, 0.0, high, args=(t,), xtol=1e-10))
    return Prediction(
        np.array(found),
        f"the curve gamma_beta(t) = {1 - delta:g} in the (t, beta) plane",
        (IDENTITY, FRAME, "softmax attention"),
        SOURCE,
    )


def initial_speed(
    beta: float, n: int, *, scheme: str = "softmax", radius: float = 1.0, alpha: float = 1.0
) -> Prediction:
    """gamma'(0) from an orthonormal frame: (1/s_j + 1/s_k)/(e^beta + n - 1), s the speed factor of the scheme.

    >>> round(float(initial_speed(1.0, 32)), 6), round(float(initial_speed(1.0, 32, scheme="ngpt")), 6)
    (0.059315, 0.322795)
    """
    _check_scheme_options(radius, alpha, 0.0)
    tau = np.inf if scheme == "mix-ln" else 0.0  # Mix-LN starts as Post-LN
    value, _ = speed(0.0, beta, n, scheme=scheme, r=radius, alpha=alpha, tau=tau)
    return Prediction(
        float(value), f"the cosine of orthonormal tokens starts at this rate ({scheme})", (IDENTITY, FRAME), NORMALIZED
    )


def tail(ts: Sequence[float], *, scheme: str = "softmax", beta: float = 1.0, alpha: float = 1.0) -> Prediction:
    """How 1 - cosine decays at the end, up to a constant: the shape at the times `ts`.

    e^{-2t} (Post-LN), t^{-2} (Pre-, Mix- and Peri-LN), e^{-2 alpha t} (nGPT), e^{-4 sqrt(t+1)} (depth-scaled),
    e^{-2 e^beta t} (unnormalized).
    """
    _check(beta, 2, scheme)
    _check_scheme_options(1.0, alpha, 0.0)
    times = np.asarray(ts, float)
    if not np.all(times > 0):
        raise InvalidInput("the times of a tail must be positive")
    if scheme in HAS_RADIUS:
        values = times**-2.0
    else:
        with np.errstate(over="ignore"):
            rates = {"unnormalized": 2 * np.exp(beta), "ngpt": 2 * alpha}
        exponent = 4 * np.sqrt(times + 1) if scheme == "depth-scaled" else rates.get(scheme, 2.0) * times
        values = np.exp(-exponent)
    return Prediction(
        values,
        f"1 - <x_i, x_j> decays in proportion to this ({scheme})",
        (IDENTITY, "tokens near one point"),
        NORMALIZED,
        status="asymptotic",
    )
