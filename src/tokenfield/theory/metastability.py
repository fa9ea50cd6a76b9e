"""Slow times: two clusters that merge, plateaus of the energy, and how escape times grow with beta."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import integrate

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.traveltime import exponential, log_travel_time

PAIR = "two clusters, each collapsed to a point"


def _check_pair(beta: float, cosine: float, masses: Sequence[float]) -> np.ndarray:
    a = np.asarray(masses, float)
    if not (np.isfinite(beta) and beta >= 0):
        raise InvalidInput(f"beta must be a finite number >= 0, got {beta}")
    if not -1 < cosine < 1:
        raise InvalidInput(f"the cosine of the two clusters must be between -1 and 1, got {cosine}")
    if a.shape != (2,) or not np.all(a > 0):
        raise InvalidInput(f"two positive masses are needed, got {masses!r}")
    return a / a.sum()


def merge_time(
    beta: float,
    *,
    cosine: float = 0.0,
    masses: Sequence[float] = (0.5, 0.5),
    level: float = 0.999,
    attention: str = "softmax",
) -> Prediction:
    """The time in which two clusters with masses a_1, a_2, at first at `cosine`, reach the cosine `level`.

    rho' = (1 - rho^2) sum_i a_j / (a_i e^{beta(1-rho)} + a_j) for softmax attention, (1 - rho^2) e^{beta rho} for
    unnormalized, by quadrature (arXiv 2509.25040 treats the pairing phase). Times like e^{beta(1-rho)} are added up on
    a log scale; `log10` holds those that are too long for a double.
    """
    a, b = _check_pair(beta, cosine, masses)
    check(beta, 2, attention)
    if not cosine < level < 1:
        raise InvalidInput(f"the level must be between the initial cosine and 1, got {level}")

    def log_slowness(s: np.ndarray) -> np.ndarray:
        # rho = 1 - e^{-s}: the slow start is a short interval in s, and the end is smooth
        gap, log_rise = beta * np.exp(-s), np.log1p(-np.expm1(-s))  # beta (1 - rho), log(1 + rho)
        if attention == "unnormalized":
            return gap - beta - log_rise
        first = -np.logaddexp(gap + np.log(a) - np.log(b), 0.0)
        second = -np.logaddexp(gap + np.log(b) - np.log(a), 0.0)
        return -log_rise - np.logaddexp(first, second)

    start, end = -np.log1p(-cosine), -np.log1p(-level)
    log_time = log_travel_time(log_slowness, start, end, scale=1 / max(1.0, beta * (1 - cosine)))
    return Prediction(
        exponential(log_time),
        f"clusters of masses {a:g} and {b:g} go from cosine {cosine:g} to {level:g}",
        (IDENTITY, f"{attention} attention", PAIR),
        "derived from the two-cluster equation of arXiv 2312.10794",
        log10=log_time / np.log(10),
    )


def merge_time_asymptotic(
    beta: float, *, cosine: float = 0.0, masses: Sequence[float] = (0.5, 0.5), attention: str = "softmax"
) -> Prediction:
    """The merge time for large beta: e^{beta(1-rho)} / (beta (1-rho^2) (a_j/a_i + a_i/a_j)).

    Unnormalized attention: e^{-beta rho} / (beta (1-rho^2)), whatever the masses.
    """
    a, b = _check_pair(beta, cosine, masses)
    check(beta, 2, attention)
    if beta == 0:
        raise InvalidInput("the merge time for large beta needs beta > 0")
    statement = "merge time ~ e^(beta(1-rho)) / (beta (1-rho^2) (a_j/a_i + a_i/a_j))"
    log_time = beta * (1 - cosine) - np.log(beta * (1 - cosine**2) * (a / b + b / a))
    if attention == "unnormalized":
        statement = "merge time ~ e^(-beta rho) / (beta (1-rho^2))"
        log_time = -beta * cosine - np.log(beta * (1 - cosine**2))
    return Prediction(
        exponential(log_time),
        statement,
        (IDENTITY, f"{attention} attention", PAIR, "beta (1 - rho) large"),
        "derived; the pairing phase of arXiv 2509.25040",
        status="asymptotic",
        log10=float(log_time / np.log(10)),
    )


def metastability_bounds(beta: float, n: int, *, eps: float, alpha: float, lam: float) -> Prediction:
    """[T1, T2]: from T1 to T2 tokens that start in separated caps have collapsed within them and not left them.

    T1 <= 2 n e^{8 eps beta} + e n lam beta^2/(beta-1) and T2 >= (eps/n) e^{(1-alpha) beta}: on [0, T2] each token stays
    in its cap <x, w_q> >= 1 - 2 eps, and on [T1, T2] |x_i - x_j|^2 <= 2 e^{-lam beta} within a cap. Here `alpha` is
    the largest cosine between two of the caps of size 2 eps; in the mean-field version n is the number of caps.

    Errors: `InvalidInput` unless eps < 1/16, 0 < lam < 1 - alpha, beta > 1 and
    1 - alpha - 8 eps - log(2 n^2/eps)/beta > 0 (the separation that the theorem asks for).
    """
    check(beta, 2)
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens (or caps) must be a whole number >= 2, got {n!r}")
    if not (0 < eps < 1 / 16 and -1 <= alpha < 1 and beta > 1):
        raise InvalidInput(f"this needs 0 < eps < 1/16, -1 <= alpha < 1, beta > 1, got {eps}, {alpha}, {beta}")
    if not 0 < lam < 1 - alpha:
        raise InvalidInput(f"lam must be between 0 and 1 - alpha = {1 - alpha:g}, got {lam}")
    separation = 1 - alpha - 8 * eps - np.log(2 * n**2 / eps) / beta
    if separation <= 0:
        needed = np.log(2 * n**2 / eps) / (1 - alpha - 8 * eps) if 1 - alpha > 8 * eps else np.inf
        raise InvalidInput(
            f"the caps are not separated enough at beta = {beta:g}: the theorem needs beta > {needed:.4g}"
        )
    log_first = np.logaddexp(np.log(2 * n) + 8 * eps * beta, 1 + np.log(n * lam * beta**2 / (beta - 1)))
    logs = np.array([log_first, np.log(eps / n) + (1 - alpha) * beta])
    return Prediction(
        np.array([exponential(value) for value in logs]),
        "tokens stay in their caps up to T2, and within a cap |x_i - x_j|^2 <= 2 e^(-lam beta) from T1 on",
        (IDENTITY, "softmax attention", "tokens start in caps <x, w_q> >= 1 - eps", "lam < 1 - alpha - O(1/beta)"),
        "arXiv 2410.06833",
        status="bound",
        log10=logs / np.log(10),
    )


def plateau(masses: Sequence[float]) -> Prediction:
    """The normalized energy 2 beta e^{-beta} E of well separated clusters: sum_q a_q^2, 1/k for k equal ones."""
    a = np.asarray(masses, float)
    if a.ndim != 1 or not len(a) or not np.all(a > 0):
        raise InvalidInput("plateau needs a list of positive masses")
    a = a / a.sum()
    return Prediction(
        float(np.sum(a**2)),
        "the normalized energy rests at the sum of squared masses; merging a_i and a_j raises it by 2 a_i a_j",
        ("clusters collapsed to points", "e^(-beta (1 - alpha)) small, alpha the largest cosine between clusters"),
        "derived from the energy of arXiv 2410.06833",
    )


def escape_slope(largest_cosine: float) -> Prediction:
    """The slope of log(escape time) against beta: 1 - alpha, alpha the largest cosine between clusters."""
    if not -1 <= largest_cosine < 1:
        raise InvalidInput(f"the largest cosine must be in [-1, 1), got {largest_cosine}")
    return Prediction(
        1 - float(largest_cosine),
        "tokens stay in their clusters for times e^((1-alpha) beta)",
        (IDENTITY, "separated clusters with largest cosine alpha", "beta large"),
        "arXiv 2410.06833",
    )


def critical_angle(beta: float) -> Prediction:
    """The angle below which e^{beta cos} is concave: arccos((sqrt(1+4 beta^2) - 1)/(2 beta)) ~ beta^{-1/2}."""
    check(beta, 2)
    value = float(np.arccos(2 * beta / (np.sqrt(1 + 4 * beta**2) + 1)))
    return Prediction(
        value,
        "radians; closer tokens hold together (the kernel e^(beta cos) is concave), about beta^(-1/2)",
        ("tokens on a great circle",),
        "arXiv 2601.21366",
    )


def scalar_collapse(beta: float, u0: float, c: float) -> Prediction:
    """A bound on the time in which u' = u(1-u)e^{beta(u-1)} reaches 1 - e^{-c beta}.

    It is e^{beta(1-u0)}/u0 + beta^2 c e/(beta-1).
    """
    if not (beta > 1 and 0 < u0 < 1 and c > 0):
        raise InvalidInput(f"the bound needs beta > 1, 0 < u0 < 1, c > 0, got {beta}, {u0}, {c}")
    return Prediction(
        exponential(beta * (1 - u0) - np.log(u0)) + beta**2 * c * np.e / (beta - 1),
        "u reaches 1 - e^(-c beta) before this time",
        ("the scalar comparison equation of one cap",),
        "arXiv 2410.06833",
        status="bound",
    )


def scalar_collapse_time(beta: float, u0: float, c: float) -> float:
    """The exact time of `scalar_collapse`, by quadrature."""
    value, _ = integrate.quad(
        lambda s: np.exp(beta * np.exp(-s)) / -np.expm1(-s), -np.log1p(-u0), c * beta, limit=500, epsabs=0, epsrel=1e-10
    )
    return float(value)
