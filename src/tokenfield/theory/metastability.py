"""Slow times: two clusters that merge, plateaus of the energy, and how escape times grow with beta."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import integrate, special

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY
from tokenfield.theory.prediction import Prediction

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
    beta: float, *, cosine: float = 0.0, masses: Sequence[float] = (0.5, 0.5), level: float = 0.999
) -> Prediction:
    """The time in which two clusters with masses a_1, a_2, at first at `cosine`, reach the cosine `level`.

    rho' = (1 - rho^2) sum_i a_j / (a_i e^{beta(1-rho)} + a_j), by quadrature (softmax attention; arXiv 2509.25040
    treats the pairing phase). Never overflows: times like e^{beta(1-rho)} are added up on a log scale.
    """
    a, b = _check_pair(beta, cosine, masses)
    if not cosine < level < 1:
        raise InvalidInput(f"the level must be between the initial cosine and 1, got {level}")

    def log_speed(rho: np.ndarray) -> np.ndarray:
        gap = beta * (1 - rho)
        first = -np.logaddexp(gap + np.log(a) - np.log(b), 0.0)
        second = -np.logaddexp(gap + np.log(b) - np.log(a), 0.0)
        return np.log1p(-(rho**2)) + np.logaddexp(first, second)

    # dt = drho / rho'; with rho = 1 - e^{-s} the slow start is a short interval in s: split where the integrand falls
    start, end = -np.log1p(-cosine), -np.log1p(-level)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    scale = 1 / max(1.0, beta * (1 - cosine))
    edges = np.concatenate([[start], start + np.geomspace(min(scale, (end - start) / 2) / 8, end - start, 60)])
    middles, halves = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    s = middles[:, None] + halves[:, None] * nodes
    logs = -s - log_speed(-np.expm1(-s)) + np.log(weights) + np.log(halves)[:, None]
    log_time = special.logsumexp(logs)
    return Prediction(
        float(np.exp(log_time)) if log_time < 709 else np.inf,
        f"clusters of masses {a:g} and {b:g} go from cosine {cosine:g} to {level:g} (log of the time {log_time:.6g})",
        (IDENTITY, "softmax attention", PAIR),
        "derived from the two-cluster equation of arXiv 2312.10794",
    )


def merge_time_asymptotic(beta: float, *, cosine: float = 0.0, masses: Sequence[float] = (0.5, 0.5)) -> Prediction:
    """The merge time for large beta: e^{beta(1-rho)} / (beta (1-rho^2) (a_j/a_i + a_i/a_j))."""
    a, b = _check_pair(beta, cosine, masses)
    log_time = beta * (1 - cosine) - np.log(beta * (1 - cosine**2) * (a / b + b / a))
    return Prediction(
        float(np.exp(log_time)) if log_time < 709 else np.inf,
        "merge time ~ e^(beta(1-rho)) / (beta (1-rho^2) (a_j/a_i + a_i/a_j)); equal masses: e^(..)/(2 beta (1-rho^2))",
        (IDENTITY, "softmax attention", PAIR, "beta (1 - rho) large"),
        "derived; the pairing phase of arXiv 2509.25040",
        status="asymptotic",
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
    if not beta > 0:
        raise InvalidInput(f"beta must be positive, got {beta}")
    value = float(np.arccos(2 * beta / (np.sqrt(1 + 4 * beta**2) + 1)))
    return Prediction(
        value,
        "tokens closer than this angle attract more the closer they are",
        ("on a great circle",),
        "arXiv 2601.21366",
    )


def scalar_collapse(beta: float, u0: float, c: float) -> Prediction:
    """A bound on the time in which u' = u(1-u)e^{beta(u-1)} reaches 1 - e^{-c beta}.

    It is e^{beta(1-u0)}/u0 + beta^2 c e/(beta-1).
    """
    if not (beta > 1 and 0 < u0 < 1 and c > 0):
        raise InvalidInput(f"the bound needs beta > 1, 0 < u0 < 1, c > 0, got {beta}, {u0}, {c}")
    return Prediction(
        float(np.exp(beta * (1 - u0)) / u0 + beta**2 * c * np.e / (beta - 1)),
        "u reaches 1 - e^(-c beta) before this time",
        ("the scalar comparison equation of one cap",),
        "arXiv 2410.06833",
    )


def scalar_collapse_time(beta: float, u0: float, c: float) -> float:
    """The exact time of `scalar_collapse`, by quadrature."""
    value, _ = integrate.quad(
        lambda s: np.exp(beta * np.exp(-s)) / -np.expm1(-s), -np.log1p(-u0), c * beta, limit=500, epsabs=0, epsrel=1e-10
    )
    return float(value)
