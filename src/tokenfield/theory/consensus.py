"""Consensus: when it is certain, how fast it is reached at the end, and how fast two solutions can part before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import integrate, special

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.traveltime import exponential

SOURCE = "arXiv 2312.10794"
NEAR = "tokens near one point"


def _check_tokens(n: int) -> None:
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens must be a whole number >= 2, got {n!r}")


def consensus_rate(beta: float, *, attention: str = "softmax") -> Prediction:
    """The rate of 1 - cos at consensus: 1 - <x_i, x_j> ~ e^{-rate t}; 2 for softmax, 2 e^beta unnormalized."""
    check(beta, 2, attention)
    log_rate = np.log(2) + (beta if attention == "unnormalized" else 0.0)
    return Prediction(
        exponential(log_rate),
        "1 - <x_i, x_j> decays like e^(-rate t) near one cluster",
        (IDENTITY, NEAR),
        f"{SOURCE}, section 6",
        log10=float(log_rate / np.log(10)),
    )


def wasserstein_rate(beta: float = 0.0, *, attention: str = "unnormalized") -> Prediction:
    """The rate at which W2(mu_t, Dirac) decays at the end: half of `consensus_rate`; 1 at beta = 0.

    The theorem of arXiv 2504.14697 has e^{-t/100} for small |beta| and a density with a mean.
    """
    rate = consensus_rate(beta, attention=attention)
    return Prediction(
        rate.value / 2,
        "W2(mu_t, Dirac) ~ e^(-rate t)",
        (IDENTITY, NEAR, "many tokens or finitely many"),
        "derived; arXiv 2504.14697 proves at least 1/100 for small beta",
        status="asymptotic",
        log10=rate.log10 - np.log10(2),
    )


def cone_collapse_rate(beta: float, n: int) -> Prediction:
    """1/(2 n e^{2 beta}): tokens in an open hemisphere have 1 - alpha(t) <= e^{-rate (t - t0)}/2, for any Q and K.

    alpha is the smallest cosine to the limit; the proof's constant, far from sharp (compare `consensus_rate`).
    """
    check(beta, 2)
    _check_tokens(n)
    log_rate = -np.log(2 * n) - 2 * beta
    return Prediction(
        exponential(log_rate),
        "tokens in an open hemisphere collapse to one cluster at least this fast",
        ("V = I, softmax attention, |Q^T K| <= 1", "all tokens in an open hemisphere"),
        SOURCE,
        status="bound",
        log10=float(log_rate / np.log(10)),
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
        f"Wendel 1962; cone collapse: {SOURCE}",
    )


def stability_rate(beta: float, *, attention: str = "softmax") -> Prediction:
    """L in Dobrushin's estimate W1(mu_t, nu_t) <= e^{L t} W1(mu_0, nu_0) on the sphere, in geodesic distance.

    The velocity's covariant derivative is at most 1 + beta, and e^{beta<x,y>}(y - A)/Z is Lipschitz in y with constant
    e^{2 beta}(1 + 2 beta): softmax has L = 1 + beta + e^{2 beta}(1 + 2 beta), unnormalized L = 2 e^beta (1 + beta).
    """
    check(beta, 2, attention)
    if attention == "softmax":
        log_rate = np.logaddexp(np.log1p(beta), 2 * beta + np.log1p(2 * beta))
    else:
        log_rate = np.log(2) + beta + np.log1p(beta)
    return Prediction(
        exponential(log_rate),
        "W1(mu_t, nu_t) <= e^(L t) W1(mu_0, nu_0)",
        (IDENTITY, "any two initial laws on the sphere"),
        f"Dobrushin's estimate ({SOURCE}), with the constant derived",
        status="bound",
        log10=float(log_rate / np.log(10)),
    )


def sampling_rate(d: int) -> Prediction:
    """The exponent p in E W1(mu_n, mu) ~ n^{-p} for n independent tokens on S^{d-1}: 1/(d-1), at most 1/2.

    On S^2 (d = 3), where the two meet, a factor sqrt(log n) comes on top.
    """
    check(1.0, d)
    return Prediction(
        1 / max(2, d - 1),
        "the empirical measure of n independent tokens is at distance W1 ~ n^(-p) from its law, and stays so",
        ("n independent tokens with a density on S^(d-1)",),
        f"{SOURCE} (Dobrushin and the rate of empirical measures)",
    )


def support_radius(
    t: float, V: float | np.ndarray | Callable[[float], float | np.ndarray], *, radius: float = 1.0
) -> Prediction:
    """A bound on |x| at time t in R^d: R(t) <= e^{int_0^t |V|} R(0), with |V| the spectral norm.

    `V` is a matrix, its norm, or a function of time that returns either.
    """
    if not (np.isfinite(t) and t >= 0 and np.isfinite(radius) and radius >= 0):
        raise InvalidInput(f"this needs t >= 0 and radius >= 0, got t = {t}, radius = {radius}")
    total = integrate.quad(lambda s: _norm(V(s)), 0.0, t, limit=200)[0] if callable(V) else t * _norm(V)
    log_radius = total + np.log(radius) if radius > 0 else -np.inf
    return Prediction(
        exponential(log_radius),
        "tokens stay in the ball of radius R(t) <= e^(int |V|) R(0)",
        ("attention in R^d that averages values: softmax, L2, Sinkhorn", "tokens start in the ball of radius R(0)"),
        "arXiv 2501.18322",
        status="bound",
    )


def _norm(V: float | np.ndarray) -> float:
    V = np.asarray(V, float)
    if V.ndim not in (0, 2) or not np.all(np.isfinite(V)):
        raise InvalidInput("V must be a finite number >= 0 or a matrix")
    return float(np.linalg.norm(V, 2)) if V.ndim else abs(float(V))
