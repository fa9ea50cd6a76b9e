"""Where the order of tokens matters: Renyi centers, lost in the middle, rotary positions on a ring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory.bessel import bessel_ratios, log_bessel
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.traveltime import exponential

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


def center_time(beta: float, position: int, *, c: float, eps: float) -> Prediction:
    """A time up to which the Renyi center at `position` (1, 2, ...) moves by less than eps c beta^{-1/2} on the circle.

    T = (eps/position) e^{c^2/2 - c^4/(24 beta)} for centers that are c (1 + 2 eps) beta^{-1/2} apart, c > 1.
    """
    check(beta, 2)
    if not (beta > 0 and c > 1 and eps > 0) or int(position) != position or position < 1:
        raise InvalidInput(
            f"this needs beta > 0, c > 1, eps > 0 and a position 1, 2, ..., got {beta}, {c}, {eps}, {position}"
        )
    return Prediction(
        exponential(np.log(eps / position) + c**2 / 2 - c**4 / (24 * beta)),
        "up to this time the center moves by less than eps c beta^(-1/2)",
        (IDENTITY, "causal softmax attention on the circle", "centers c (1 + 2 eps) beta^(-1/2) apart"),
        "arXiv 2411.04990, Lemma 5.1",
        status="bound",
    )


def memory_profile(
    s0: Sequence[float] | float, *, beta: float, lam: float, t: float, M: float, modes: int = 20
) -> Prediction:
    """S_t(s0): how much the last token remembers of the token at position s0 in (0, 1) (lost in the middle).

    S_t = sum_n e^{-pi^2 n^2 / 2 M^2} g_{a_n}(t, 1; s0), a_n = n^2 I_n(beta), with
    g_a = k sqrt(a t / Y) I_1(2 sqrt(a t Y)), k = lam e^{-lam (1 - s0)} / (1 - e^{-lam}) and
    Y = log((e^{lam} - 1)/(e^{lam s0} - 1)). Infinite where it exceeds what a double holds.

    >>> round(float(memory_profile(0.5, beta=1.0, lam=1.0, t=2.0, M=10.0)), 3)
    3.45
    """
    s = np.asarray(s0, float)
    if not np.all((s > 0) & (s < 1)):
        raise InvalidInput("positions must lie strictly between 0 and 1")
    if not (lam > 0 and t > 0 and M > 0 and beta > 0) or modes < 1:
        raise InvalidInput("beta, lam, t, M and modes must be positive")
    Y = lam * (1 - s) + np.log(-np.expm1(-lam)) - np.log(-np.expm1(-lam * s))
    log_kernel = np.log(lam) - lam * (1 - s) - np.log(-np.expm1(-lam))
    total = np.zeros_like(s)
    with np.errstate(over="ignore"):
        for n, log_a in enumerate(_log_rates(beta, modes) + np.log(t), start=1):
            z = np.minimum(2 * np.exp((log_a + np.log(Y)) / 2), 1e300)
            log_bessel_1 = np.where(z < 1e8, np.log(special.ive(1, np.minimum(z, 1e8))), -np.log(2 * np.pi * z) / 2) + z
            log_term = (log_a - np.log(Y)) / 2 + log_bessel_1
            total = total + np.exp(log_term + log_kernel - (np.pi * n) ** 2 / (2 * M**2))
    return Prediction(
        total,
        "the response of the last token to the initial token at s0 diverges at 0, rises at 1, is least in between",
        ("causal attention with ALiBi decay e^(-lam (s - s'))", "many tokens, near the uniform law", "V = beta I"),
        "arXiv 2605.09213",
    )


def _log_rates(beta: float, modes: int) -> np.ndarray:
    """log a_n, a_n = n^2 I_n(beta), n = 1, ..., modes."""
    logs = log_bessel(0.0, beta) + np.cumsum(np.log(bessel_ratios(0.0, modes, beta)))
    return 2 * np.log(np.arange(1, modes + 1)) + logs


def critical_time(*, beta: float, lam: float, M: float, modes: int = 20) -> Prediction:
    """The time at which `memory_profile` stops rising towards the last token, and so loses its interior minimum.

    t = 2 (1 - e^{-lam}) sum_n c_n a_n / sum_n c_n a_n^2, c_n = e^{-pi^2 n^2 / 2 M^2}, a_n = n^2 I_n(beta): the slope of
    S_t at s0 = 1 vanishes.

    >>> round(float(critical_time(beta=1.0, lam=1.0, M=8.0)), 6)
    2.457489
    """
    if not (lam > 0 and M > 0 and beta > 0) or modes < 1:
        raise InvalidInput("beta, lam, M and modes must be positive")
    logs = _log_rates(beta, modes)
    log_c = -((np.pi * np.arange(1, modes + 1)) ** 2) / (2 * M**2)
    log_time = np.log(-2 * np.expm1(-lam)) + special.logsumexp(log_c + logs) - special.logsumexp(log_c + 2 * logs)
    return Prediction(
        exponential(log_time),
        "the slope of the memory profile at the last token changes sign",
        ("causal attention with ALiBi decay", "many tokens, near the uniform law"),
        "derived from arXiv 2605.09213; its published values are reproduced",
        log10=float(log_time / np.log(10)),
    )


def ring_rate(beta: float, n: int, *, mode: int = 1) -> Prediction:
    """The decay rate of a mode of perturbations of consensus under RoPE on a ring: 1 - sum_l I_{m+ln} / sum_l I_{ln}.

    n tokens turn by 2 pi/n each, and consensus lies in the plane that turns; mode 1 is the slowest.

    >>> round(float(ring_rate(1.0, 16)), 5), round(float(ring_rate(4.0, 16)), 5)
    (0.55361, 0.13648)
    """
    check(beta, 2)
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens must be a whole number >= 2, got {n!r}")
    if int(mode) != mode or mode < 0:
        raise InvalidInput(f"the mode must be a whole number >= 0, got {mode!r}")
    # the aliased Bessel sums are the discrete Fourier transform of the kernel e^{beta cos} on the ring
    angles = 2 * np.pi * np.arange(n) / n
    weights = np.exp(beta * (np.cos(angles) - 1))
    value = 2 * np.sum(weights * np.sin(mode * angles / 2) ** 2) / np.sum(weights)
    return Prediction(
        float(value),
        "perturbations of consensus of mode m decay at the rate 1 - sum_l I_{m+ln}(beta) / sum_l I_{ln}(beta)",
        ("Q = K = V = I", "rotary positions with frequency 2 pi/n, consensus in the rotating plane"),
        "derived; arXiv 2607.24502",
    )


def _check(delta: float, d: int) -> None:
    if not 0 < delta < np.pi:
        raise InvalidInput(f"delta is an angle between 0 and pi, got {delta}")
    if int(d) != d or d < 2:
        raise InvalidInput(f"the dimension d of S^(d-1) must be a whole number >= 2, got {d!r}")
