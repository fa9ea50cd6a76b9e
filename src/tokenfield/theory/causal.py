"""Causal attention: Renyi centers, and how early tokens are remembered (lost in the middle)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory.prediction import Prediction

PARKING = 0.7475979202534114  # Renyi's parking constant


def strong_renyi_count(delta: float, d: int) -> Prediction:
    """The expected number of strong Renyi centers of an infinite uniform sequence: 1 / sigma(cap of angle delta).

    pi/delta on the circle and 1/sin^2(delta/2) on S^2. (A circulating note has 1/(3 sin^2(delta/2)), wrong by 3.)
    """
    _check(delta, d)
    # the cap's share of the sphere; the regularized incomplete beta function counts half of it up to a right angle
    share = 0.5 * special.betainc((d - 1) / 2, 0.5, np.sin(delta) ** 2)
    share = share if delta <= np.pi / 2 else 1 - share
    return Prediction(
        float(1 / share),
        "a token is a strong center if no earlier token is within delta; their expected number is 1/sigma(B_delta)",
        ("infinitely many independent uniform tokens",),
        "arXiv 2411.04990, Lemma C.1",
    )


def renyi_count_circle(delta: float) -> Prediction:
    """The number of ordinary Renyi centers on the circle for small delta: 0.7476 * 2 pi / delta (parking)."""
    _check(delta, 2)
    return Prediction(
        PARKING * 2 * np.pi / delta,
        "a token is a center if no earlier center is within delta: random sequential parking of arcs",
        ("infinitely many independent uniform tokens on the circle", "delta small"),
        "Renyi 1958; arXiv 2411.04990",
        status="asymptotic",
    )


def memory_profile(
    s0: Sequence[float] | float, *, beta: float, lam: float, t: float, M: float, modes: int = 20
) -> Prediction:
    """S_t(s0): how much the last token remembers of the token at position s0 in (0, 1) (lost in the middle).

    S_t = sum_n e^{-pi^2 n^2 / 2 M^2} g_{a_n}(t, 1; s0), a_n = n^2 I_n(beta), with
    g_a = k sqrt(a t / Y) I_1(2 sqrt(a t Y)), k = lam e^{-lam (1 - s0)} / (1 - e^{-lam}) and
    Y = log((e^{lam} - 1)/(e^{lam s0} - 1)).

    >>> round(float(memory_profile(0.5, beta=1.0, lam=1.0, t=2.0, M=10.0)), 3)
    3.45
    """
    s = np.asarray(s0, float)
    if not np.all((s > 0) & (s < 1)):
        raise InvalidInput("positions must lie strictly between 0 and 1")
    if not (lam > 0 and t > 0 and M > 0 and beta > 0):
        raise InvalidInput("beta, lam, t and M must be positive")
    Y = np.log(np.expm1(lam) / np.expm1(lam * s))
    kernel = lam * np.exp(-lam * (1 - s)) / -np.expm1(-lam)
    total = np.zeros_like(s)
    for n in range(1, modes + 1):
        a = n**2 * special.iv(n, beta) * t
        total = total + np.exp(-((np.pi * n) ** 2) / (2 * M**2)) * np.sqrt(a / Y) * special.iv(1, 2 * np.sqrt(a * Y))
    return Prediction(
        kernel * total,
        "the response of the last token to the initial token at s0 diverges at 0, rises at 1, is least in between",
        ("causal attention with ALiBi decay e^(-lam (s - s'))", "many tokens, near the uniform law", "V = beta I"),
        "arXiv 2605.09213",
    )


def critical_time(*, beta: float, lam: float, M: float, modes: int = 20) -> Prediction:
    """The time at which `memory_profile` stops rising towards the last token, and so loses its interior minimum.

    t = 2 (1 - e^{-lam}) sum_n c_n a_n / sum_n c_n a_n^2, c_n = e^{-pi^2 n^2 / 2 M^2}, a_n = n^2 I_n(beta): the slope of
    S_t at s0 = 1 vanishes.

    >>> round(float(critical_time(beta=1.0, lam=1.0, M=8.0)), 6)
    2.457489
    """
    if not (lam > 0 and M > 0 and beta > 0):
        raise InvalidInput("beta, lam and M must be positive")
    n = np.arange(1, modes + 1)
    a, c = n**2 * special.iv(n, beta), np.exp(-((np.pi * n) ** 2) / (2 * M**2))
    return Prediction(
        float(-2 * np.expm1(-lam) * np.sum(c * a) / np.sum(c * a**2)),
        "the slope of the memory profile at the last token changes sign",
        ("causal attention with ALiBi decay", "many tokens, near the uniform law"),
        "derived from arXiv 2605.09213; its published values are reproduced",
    )


def _check(delta: float, d: int) -> None:
    if not 0 < delta < np.pi:
        raise InvalidInput(f"delta is an angle between 0 and pi, got {delta}")
    if int(d) != d or d < 2:
        raise InvalidInput(f"the dimension d of S^(d-1) must be a whole number >= 2, got {d!r}")
