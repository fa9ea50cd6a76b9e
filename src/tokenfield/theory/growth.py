"""The first instability of the uniform law on the sphere: growth rates of harmonics, and how many clusters they make.

A perturbation of degree k of the uniform law on S^{d-1} grows like e^{gamma_k t}; all harmonics of one degree share
the rate (arXiv 2410.23228; the factor pi in the rates of its notebook is an error, see `growth_rates`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.theory import conditions
from tokenfield.theory.bessel import bessel_ratios, log_kernel_mean
from tokenfield.theory.harmonics import check_count
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.traveltime import exponential

ATTENTIONS = ("softmax", "unnormalized")
SOURCE = "arXiv 2410.23228, with the rate derived anew"
UNIFORM = "tokens near the uniform law on the sphere, in the limit of many tokens"
IDENTITY = "Q = K = V = I"
SLOW = 0.1  # degrees that grow at less than this part of the fastest rate do not matter to the first clusters
MOST_THRESHOLDS = 24  # that `tokenfield.predict` lists
NO_MODE = 1e-10  # amplitudes of this size are rounding


def check(beta: float, d: int, attention: str = "softmax") -> None:
    """Raises `InvalidInput` unless beta >= 0 is finite, d >= 2 and the attention is one of the two of this file."""
    if not (isinstance(beta, (int, float, np.number)) and np.isfinite(beta) and beta >= 0):
        raise InvalidInput(f"beta must be a finite number >= 0, got {beta!r}")
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)) or d < 2:
        raise InvalidInput(f"the dimension d of S^(d-1) must be a whole number >= 2, got {d!r}")
    if attention not in ATTENTIONS:
        raise InvalidInput(f"unknown attention {attention!r}{did_you_mean(str(attention), ATTENTIONS)}")


def check_tokens(n: float) -> None:
    """Raises `InvalidInput` unless n >= 2 is a whole number."""
    if isinstance(n, bool) or not np.isfinite(n) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens must be a whole number >= 2, got {n!r}")


def log_growth_rates(beta: float, d: int, *, count: int, attention: str = "softmax") -> np.ndarray:
    """log gamma_k for k = 1, ..., count: unlike the rates themselves these never overflow (beta up to 1e4 and more)."""
    check(beta, d, attention)
    check_count(count)
    k = np.arange(1, count + 1)
    with np.errstate(divide="ignore"):
        if beta == 0:
            rates = np.where(k == 1, (d - 1) / d, 0.0)
            return np.log(rates)
        log_ratio = np.cumsum(np.log(bessel_ratios(d / 2 - 1, count, beta)))  # log of I_{k+nu} / I_nu
        logs = np.log(k * (k + d - 2.0)) - np.log(beta) + log_ratio
    return logs + (log_kernel_mean(beta, d) if attention == "unnormalized" else 0.0)


def growth_rates(beta: float, d: int, *, count: int = 12, attention: str = "softmax") -> Prediction:
    """The rates gamma_1, ..., gamma_count at which perturbations of the uniform law on S^{d-1} grow.

    Add a harmonic of degree k to the uniform law: its amplitude grows like e^{gamma_k t} as long as it is small. With
    nu = d/2 - 1 and I the modified Bessel functions,

        gamma_k = k (k + d - 2) I_{k+nu}(beta) / (beta I_nu(beta))        for softmax attention,

    and unnormalized attention has that times int e^{beta <x, y>} dsigma(y), which on the circle makes
    k^2 I_k(beta) / beta. The rates are those of arXiv 2410.23228, derived anew: its notebook has another factor 1/pi,
    which its own particles do not obey.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2; tokens live on S^{d-1}, so d = 2 is the circle.
        count: How many degrees to return, starting with degree 1.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with an array (count,) of rates, in units of 1/time. Its `log10` stays finite where the rates of
        unnormalized attention, which grow like e^beta, overflow.

    Raises:
        InvalidInput: If beta, d or attention is not one of those.

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
    """The degree whose harmonics grow fastest: on the circle, the number of the first clusters of many tokens.

    It maximizes `growth_rates` over k, is the same for softmax and unnormalized attention, and is close to
    sqrt(2 beta) for large beta (arXiv 2410.23228).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with a whole number >= 1.

    Raises:
        InvalidInput: If beta is negative or not finite, or d < 2.

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
    """The values of beta at which the fastest growing degree changes from k to k + 1, for k = 1, ..., count.

    They solve gamma_k(beta) = gamma_{k+1}(beta), with the `growth_rates` of arXiv 2410.23228.

    Args:
        d: Dimension of the ambient space, d >= 2.
        count: How many thresholds to return.

    Returns:
        A `Prediction` with an increasing array (count,).

    Raises:
        InvalidInput: If d < 2.

    >>> thresholds(2, count=3).value.round(4).tolist()
    [1.0445, 3.1654, 6.2113]
    """
    return Prediction(
        np.array([threshold(d, k) for k in range(1, count + 1)]),
        "the inverse temperature beta at which degree k+1 overtakes degree k",
        (IDENTITY, UNIFORM),
        SOURCE,
    )


def k_max_window(beta: float, d: int) -> Prediction:
    """The interval of inverse temperatures around `beta` in which the fastest growing degree stays the same.

    Its ends are the `thresholds` of k_max - 1 and of k_max; the lower one is 0 for k_max = 1.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with an array (2,): the lower and the upper end.

    Raises:
        InvalidInput: If beta is negative or not finite, or d < 2.

    >>> k_max_window(5.0, 2).value.round(4).tolist()
    [3.1654, 6.2113]
    """
    fastest = k_max(beta, d)
    k = int(fastest.value)
    return Prediction(
        np.array([threshold(d, k - 1) if k > 1 else 0.0, threshold(d, k)]),
        f"k_max = {k} between these two values of beta",
        fastest.assumptions,
        SOURCE,
    )


def cluster_angles(angles: ArrayLike, k: int, *, weights: ArrayLike | None = None) -> Prediction:
    """The angles at which k clusters form on the circle, read off the k-th Fourier mode of the start.

    They are the maxima of that mode: (2 pi j - arg muhat_k) / k with muhat_k = sum_j w_j e^{-ik theta_j}
    (arXiv 2410.23228).

    Args:
        angles: The angles of the tokens at the start, in radians, (n,).
        k: The number of clusters, for example `k_max`.
        weights: The masses of the tokens, (n,); equal if left out.

    Returns:
        A `Prediction` with k increasing angles in [0, 2 pi).

    Raises:
        InvalidInput: If the angles are not a list of finite numbers or k is not a whole number >= 1.

    >>> cluster_angles([0.1, 0.3, 3.2, 3.4], 2).value.round(3).tolist()
    [0.179, 3.321]
    """
    theta = np.asarray(angles, float)
    if theta.ndim != 1 or not len(theta) or not np.all(np.isfinite(theta)):
        raise InvalidInput("cluster_angles needs a list of finite angles")
    if int(k) != k or k < 1:
        raise InvalidInput(f"the number of clusters must be a whole number >= 1, got {k!r}")
    w = np.full(len(theta), 1 / len(theta)) if weights is None else np.asarray(weights, float)
    if w.shape != theta.shape:
        raise InvalidInput(f"weights need the shape {theta.shape} of the angles, got {w.shape}")
    moment = np.sum(w * np.exp(-1j * k * theta))
    found = np.sort((2 * np.pi * np.arange(k) - np.angle(moment)) / k % (2 * np.pi))
    return Prediction(
        found,
        "clusters form at the maxima of the k-th Fourier mode of the start",
        (IDENTITY, "many tokens, independent and uniform at the start", "k is the fastest growing degree"),
        SOURCE,
        status="heuristic",
    )


def exit_time(beta: float, d: int, n: float, *, attention: str = "softmax") -> Prediction:
    """The time at which n independent uniform tokens leave the neighborhood of the uniform law.

    Fluctuations of size n^{-1/2} grow at the fastest of the `growth_rates` and reach order one at
    log(sqrt(n)) / gamma_max (arXiv 2410.23228).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.
        n: Number of tokens, n >= 2; the formula is meant for many.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with a time; right up to some multiple of 1/gamma_max.

    Raises:
        InvalidInput: If an argument is not one of those.

    >>> round(float(exit_time(5.0, 2, 20_000, attention="unnormalized")), 4)
    0.2663
    """
    check_tokens(n)
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


# --- when they apply ------------------------------------------------------------------------------------------------


def leading_degrees(beta: float, d: int) -> int:
    """The last degree that grows at a tenth of the fastest rate or more: further ones do not shape the start."""
    fastest = int(k_max(beta, d).value)
    logs = log_growth_rates(beta, d, count=2 * fastest + 8)
    return int(np.flatnonzero(logs >= logs.max() + np.log(SLOW))[-1]) + 1


def unstable_uniform(setting: Setting) -> tuple[float, int, str]:
    """(beta, d, attention) of a model on the sphere with Q = K = V = I whose start is near the uniform law."""
    beta, d = conditions.plain(setting)
    conditions.bessel_range(beta, d)
    check(beta, d)
    conditions.near_uniform(setting, leading_degrees(beta, d))
    return beta, d, str(setting.attention)


def growth_rates_for(setting: Setting) -> Prediction:
    beta, d, attention = unstable_uniform(setting)
    return growth_rates(beta, d, count=max(8, 2 * int(k_max(beta, d).value) + 2), attention=attention)


def k_max_for(setting: Setting) -> Prediction:
    beta, d, _ = unstable_uniform(setting)
    return k_max(beta, d)


def thresholds_for(setting: Setting) -> Prediction:
    beta, d, _ = unstable_uniform(setting)
    return thresholds(d, count=min(max(6, int(k_max(beta, d).value) + 1), MOST_THRESHOLDS))


def k_max_window_for(setting: Setting) -> Prediction:
    beta, d, _ = unstable_uniform(setting)
    return k_max_window(beta, d)


def exit_time_for(setting: Setting) -> Prediction:
    beta, d, attention = unstable_uniform(setting)
    n = conditions.independent_uniform(setting, leading_degrees(beta, d))
    return exit_time(beta, d, n, attention=attention)


def cluster_angles_for(setting: Setting) -> Prediction:
    beta, d, attention = unstable_uniform(setting)
    if d != 2:
        raise DoesNotApply("it is about the circle, d = 2")
    start = setting.start
    if start is None or start.points is None or start.weights is None or start.powers is None:
        raise DoesNotApply("it needs the angles of the tokens: give a start")
    k, count = int(k_max(beta, d).value), leading_degrees(beta, d)
    amplitudes = np.sqrt(np.maximum(start.powers(count), 0.0))
    if amplitudes[k - 1] < NO_MODE:
        raise DoesNotApply(f"the start has nothing in the mode k_max = {k}, which would grow fastest")
    # a mode of amplitude a reaches order one at log(1/a) / rate
    log_waits = np.log(-np.log(np.clip(amplitudes, NO_MODE, 1 - NO_MODE)))
    first = int(np.argmin(log_waits - log_growth_rates(beta, d, count=count, attention=attention))) + 1
    if first != k:
        raise DoesNotApply(f"mode {first} of the start reaches order one before the mode k_max = {k}")
    return cluster_angles(np.arctan2(start.points[:, 1], start.points[:, 0]), k, weights=start.weights)
