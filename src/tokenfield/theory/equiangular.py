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

SCHEMES = ("softmax", "unnormalized", "post-ln", "pre-ln", "mix-ln", "peri-ln", "ngpt", "depth-scaled")
HAS_RADIUS = ("pre-ln", "mix-ln", "peri-ln")
FRAME = "tokens start from an orthonormal frame (all cosines 0), or are random in a dimension that is large"
SOURCE = "arXiv 2312.10794, section 6"


def _check(beta: float, n: int, scheme: str) -> None:
    if not np.isfinite(beta):
        raise InvalidInput(f"beta must be finite, got {beta}")
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens must be a whole number >= 2, got {n!r}")
    if scheme not in SCHEMES:
        raise InvalidInput(f"unknown scheme {scheme!r}{did_you_mean(str(scheme), SCHEMES)}")


def _weights(gamma: np.ndarray, beta: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The attention that a token pays to itself and to each other token; they never overflow."""
    own = special.expit(beta * (1 - gamma) - np.log(n - 1))  # e^beta / (e^beta + (n-1) e^{beta gamma})
    return own, (1 - own) / (n - 1)


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
    own, other = _weights(g, beta, n)
    rise = 2 * (1 - g) * (1 + (n - 1) * g)
    zero = np.zeros_like(g)
    if scheme == "unnormalized":
        return rise * np.exp(beta * g) / n, zero
    along = own + (n - 1) * g * other  # <theta, A>
    length = np.sqrt(own**2 + 2 * (n - 1) * g * own * other + (n - 1) * other**2 * (1 + (n - 2) * g))  # |A|
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
    times = np.asarray(ts, float)
    if times.ndim != 1 or not len(times) or np.any(times < 0) or np.any(np.diff(times) < 0):
        raise InvalidInput("the times must be an increasing list of numbers >= 0")
    if not -1 / (n - 1) <= gamma0 < 1:
        raise InvalidInput(f"{n} tokens can share a cosine between -1/(n-1) and 1, got {gamma0}")

    def rhs(t: float, y: np.ndarray) -> list[float]:
        # the state is the defect 1 - gamma on a log scale, so that gamma near 1 keeps its digits
        gamma = -np.expm1(y[0])
        rise, growth = speed(gamma, beta, n, scheme=scheme, r=y[1], t=t, alpha=alpha, tau=tau)
        return [-float(rise) / np.exp(y[0]), float(growth)]

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
        solution = integrate.solve_ivp(piece, (start, end), y, method="DOP853", t_eval=grid, rtol=1e-12, atol=1e-13)
        found[inside] = -np.expm1(solution.y[0, np.searchsorted(grid, times[inside])])
        y = list(solution.y[:, -1])
    return Prediction(
        found,
        f"all pairwise cosines equal gamma(t), which solves the equiangular equation ({scheme})",
        (IDENTITY, FRAME),
        SOURCE if scheme in ("softmax", "unnormalized") else "arXiv 2510.22026",
    )


def hitting_time(beta: float, n: int, *, level: float = 0.999, scheme: str = "softmax") -> Prediction:
    """The time at which the common cosine of n equiangular tokens, from 0, reaches `level`.

    >>> round(float(hitting_time(1.0, 32)), 3)
    5.27
    """
    _check(beta, n, scheme)
    if scheme not in ("softmax", "post-ln", "unnormalized"):
        raise InvalidInput("hitting times by quadrature are for softmax (post-ln) and unnormalized attention")
    if not 0 < level < 1:
        raise InvalidInput(f"the level must be between 0 and 1, got {level}")
    nodes, weights = np.polynomial.legendre.leggauss(200)
    # with gamma = 1 - e^{-s} the integrand of dt = dgamma / gamma' stays smooth although gamma' vanishes at 1
    end = -np.log1p(-level)
    s = end / 2 * (nodes + 1)
    rate, _ = speed(-np.expm1(-s), beta, n, scheme=scheme)
    return Prediction(
        float(end / 2 * np.sum(weights * np.exp(-s) / rate)),
        f"the equiangular cosine reaches {level:g}",
        (IDENTITY, FRAME),
        SOURCE,
    )


def phase_curve(times: Sequence[float], n: int, *, delta: float = 1e-3) -> Prediction:
    """Gamma: for each time the largest beta whose equiangular cosine has reached 1 - delta; NaN where none has.

    Above it in the (t, beta) diagram tokens have not yet collapsed (arXiv 2312.10794, figure 3).
    """
    _check(1.0, n, "softmax")

    def late(beta: float, t: float) -> float:
        return float(np.log(hitting_time(beta, n, level=1 - delta)) - np.log(t))

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


def consensus_rate(beta: float, *, attention: str = "softmax") -> Prediction:
    """The rate of 1 - cos at consensus: 1 - <x_i, x_j> ~ e^{-rate t}; 2 for softmax, 2 e^beta unnormalized."""
    if attention not in ("softmax", "unnormalized"):
        raise InvalidInput(f"unknown attention {attention!r}{did_you_mean(attention, ('softmax', 'unnormalized'))}")
    rate = 2.0 if attention == "softmax" else 2 * float(np.exp(beta))
    return Prediction(
        rate, "1 - <x_i, x_j> decays like e^(-rate t) near one cluster", (IDENTITY, "tokens near one point"), SOURCE
    )


def common_hemisphere(n: int, d: int) -> Prediction:
    """The probability that n uniform tokens of S^{d-1} lie in one hemisphere: 2^{-(n-1)} sum_{k<d} C(n-1, k) (Wendel).

    Tokens in an open hemisphere collapse to one cluster exponentially fast, for any Q, K.

    >>> round(float(common_hemisphere(32, 16)), 12)
    0.5
    """
    if n < 1 or d < 1:
        raise InvalidInput(f"Wendel's formula needs n >= 1 and d >= 1, got n = {n}, d = {d}")
    probability = float(special.bdtr(min(d - 1, n - 1), n - 1, 0.5)) if d < n else 1.0
    return Prediction(
        probability,
        "n independent uniform points lie in a common hemisphere with probability 2^-(n-1) sum_{k<d} C(n-1, k)",
        ("tokens independent and uniform",),
        "Wendel 1962; cone collapse: arXiv 2312.10794",
    )
