"""The first instability of the uniform law on the sphere: growth rates of harmonics, and how many clusters they make.

A perturbation of degree k of the uniform law on S^{d-1} grows like e^{gamma_k t}; all harmonics of one degree share
the rate (arXiv 2410.23228; the factor pi in the rates of its notebook is an error, see `growth_rates`).
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.theory.bessel import bessel_ratios, log_kernel_mean
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.traveltime import exponential

ATTENTIONS = ("softmax", "unnormalized")
SOURCE = "arXiv 2410.23228, with the rate derived anew"
UNIFORM = "tokens near the uniform law on the sphere, in the limit of many tokens"
IDENTITY = "Q = K = V = I"


def check(beta: float, d: int, attention: str = "softmax") -> None:
    """Raises `InvalidInput` unless beta >= 0 is finite, d >= 2 and the attention is one of the two of this file."""
    if not (isinstance(beta, (int, float, np.number)) and np.isfinite(beta) and beta >= 0):
        raise InvalidInput(f"beta must be a finite number >= 0, got {beta!r}")
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)) or d < 2:
        raise InvalidInput(f"the dimension d of S^(d-1) must be a whole number >= 2, got {d!r}")
    if attention not in ATTENTIONS:
        raise InvalidInput(f"unknown attention {attention!r}{did_you_mean(str(attention), ATTENTIONS)}")


def log_growth_rates(beta: float, d: int, *, count: int, attention: str = "softmax") -> np.ndarray:
    """log gamma_k for k = 1, ..., count: unlike the rates themselves these never overflow (beta up to 1e4 and more)."""
    check(beta, d, attention)
    k = np.arange(1, count + 1)
    with np.errstate(divide="ignore"):
        if beta == 0:
            rates = np.where(k == 1, (d - 1) / d, 0.0)
            return np.log(rates)
        log_ratio = np.cumsum(np.log(bessel_ratios(d / 2 - 1, count, beta)))  # log of I_{k+nu} / I_nu
        logs = np.log(k * (k + d - 2.0)) - np.log(beta) + log_ratio
    return logs + (log_kernel_mean(beta, d) if attention == "unnormalized" else 0.0)


def growth_rates(beta: float, d: int, *, count: int = 12, attention: str = "softmax") -> Prediction:
    """The growth rates gamma_1, ..., gamma_count of harmonics at the uniform law on S^{d-1}.

    Softmax: gamma_k = k(k+d-2) I_{k+nu}(beta) / (beta I_nu(beta)), nu = d/2 - 1; unnormalized attention: that times
    int e^{beta <x,y>} dsigma, which on the circle is k^2 I_k(beta)/beta. (The notebook of arXiv 2410.23228 has
    another 1/pi, which its own particles do not obey.)

    >>> growth_rates(5.0, 2, attention="unnormalized").value[:3].round(3).tolist()
    [4.867, 14.004, 18.596]
    """
    logs = log_growth_rates(beta, d, count=count, attention=attention)
    with np.errstate(over="ignore"):
        rates = np.exp(logs)
    formula = "k(k+d-2) I_{k+nu}(beta) / (beta I_nu(beta))"
    if attention == "unnormalized":
        formula += " * int e^(beta<x,y>) dsigma"
    return Prediction(
        rates,
        f"a perturbation of degree k grows at the rate {formula}, nu = d/2 - 1",
        (IDENTITY, UNIFORM),
        SOURCE,
        log10=logs / np.log(10),
    )


def k_max(beta: float, d: int) -> Prediction:
    """The degree of the fastest growing harmonics: on the circle, the number of the first clusters.

    It is the same for softmax and unnormalized attention, and close to sqrt(2 beta) for large beta.

    >>> int(k_max(5.0, 2).value), int(k_max(7.0, 2).value)
    (3, 4)
    """
    check(beta, d)
    count = 8
    while True:
        logs = log_growth_rates(beta, d, count=count)
        best = int(np.argmax(logs)) + 1
        if best < count:
            break
        count *= 2
    return Prediction(
        best,
        "the fastest growing degree; on the circle the number of first clusters of many tokens",
        (IDENTITY, UNIFORM),
        SOURCE,
    )


def threshold(d: int, k: int) -> float:
    """The beta at which degree k + 1 overtakes degree k, k >= 1."""
    check(1.0, d)

    def gap(beta: float) -> float:
        ratio = bessel_ratios(d / 2 - 1 + k, 1, beta)[0]  # I_{k+1+nu} / I_{k+nu}
        return (k + 1) * (k + d - 1.0) * ratio - k * (k + d - 2.0)

    high = 2.0
    while gap(high) < 0:
        high *= 2
    return float(optimize.brentq(gap, high / 2 if high > 2 else 1e-9, high, xtol=1e-13, rtol=1e-14))


def thresholds(d: int, *, count: int = 6) -> Prediction:
    """The beta at which the fastest degree changes from k to k + 1, for k = 1, ..., count.

    >>> thresholds(2, count=3).value.round(4).tolist()
    [1.0445, 3.1654, 6.2113]
    """
    return Prediction(
        np.array([threshold(d, k) for k in range(1, count + 1)]),
        "the inverse temperature beta at which degree k+1 overtakes degree k",
        (IDENTITY, UNIFORM),
        SOURCE,
    )


def cluster_angles(angles: np.ndarray, k: int, *, weights: np.ndarray | None = None) -> Prediction:
    """Where k clusters form on the circle: (2 pi j - arg muhat_k)/k, muhat_k = sum_j w_j e^{-ik theta_j}."""
    theta = np.asarray(angles, float)
    if theta.ndim != 1 or not len(theta) or not np.all(np.isfinite(theta)):
        raise InvalidInput("cluster_angles needs a list of finite angles")
    if int(k) != k or k < 1:
        raise InvalidInput(f"the number of clusters must be a whole number >= 1, got {k!r}")
    w = np.full(len(theta), 1 / len(theta)) if weights is None else np.asarray(weights, float)
    moment = np.sum(w * np.exp(-1j * k * theta))
    found = np.sort((2 * np.pi * np.arange(k) - np.angle(moment)) / k % (2 * np.pi))
    return Prediction(
        found,
        "clusters form at the maxima of the k-th Fourier mode of the start",
        (IDENTITY, "many tokens, independent and uniform at the start", "k is the fastest growing degree"),
        SOURCE,
        status="heuristic",
    )


def exit_time(beta: float, d: int, n: int, *, attention: str = "softmax") -> Prediction:
    """The time at which n independent uniform tokens leave the uniform law: log(sqrt n) / gamma_max."""
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens must be a whole number >= 2, got {n!r}")
    degree = int(k_max(beta, d).value)
    log_rate = float(log_growth_rates(beta, d, count=degree, attention=attention)[-1])
    log_time = np.log(np.log(float(n)) / 2) - log_rate
    return Prediction(
        exponential(log_time),
        "fluctuations of size n^(-1/2) reach order one after log(sqrt n) / gamma_kmax",
        (IDENTITY, "n independent uniform tokens, n large", "up to a time of order 1/gamma_kmax"),
        SOURCE,
        status="heuristic",
        log10=float(log_time / np.log(10)),
    )
