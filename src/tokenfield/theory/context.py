"""Long contexts: how the inverse temperature must grow with the number n of tokens for attention to stay selective.

Two scalings that answer different questions: beta ~ log n for equiangular tokens (arXiv 2510.05554) and
beta ~ n^{2/(d-1)} for a query among independent uniform keys (arXiv 2605.08505).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.traveltime import exponential

KEYS = "a fixed query among n independent uniform keys on S^(d-1)"
MAX_DIM = 12  # beyond it so many keys share the attention that the Poisson sums have no digits left


def context_cosine(rho: float, gain: float, n: float, *, residual: bool = False) -> Prediction:
    """The common cosine of n equiangular tokens after one layer of attention with beta = gain log n.

    Exact at finite n, from the attention 1/(1 + (n-1) n^{-gain (1-rho)}) that a token pays to itself. For
    n -> infinity it is 1 below the critical gain 1/(1-rho), 4 rho/(1+3 rho) at it and rho above (arXiv 2510.05554).
    With the residual connection it is 4 rho/(1+3 rho) below, 16 rho/(9+7 rho) at it and rho above (derived).

    Args:
        rho: The cosine of all pairs of tokens before the layer, at least 0 and below 1.
        gain: beta / log n.
        n: Number of tokens, n > 1.
        residual: Whether the layer adds attention to the tokens, instead of replacing them by it.

    Returns:
        A `Prediction` with a cosine.

    Raises:
        InvalidInput: If rho, gain or n is out of its range.

    >>> [round(float(context_cosine(0.5, gain, 1e4)), 4) for gain in (1.0, 2.0, 3.0)]
    [0.9999, 0.8, 0.505]
    """
    if not 0 <= rho < 1 or not n > 1 or not np.isfinite(gain):
        raise InvalidInput(f"this needs 0 <= rho < 1, n > 1, a finite gain, got rho = {rho}, n = {n}, gain = {gain}")
    gap = gain * (1 - rho) * np.log(n) - np.log(n - 1)
    own, other = special.expit(gap), special.expit(-gap) / (n - 1)
    own_total = own + (1.0 if residual else 0.0)
    # y_i = (own - other) x_i + other * sum_k x_k
    a, b = own_total - other, other
    total = 1 + (n - 1) * rho
    mixed = 2 * a * (b * total) + (b * n) * (b * total)  # b^2 alone is zero for n = 1e200
    same, cross = a**2 + mixed, a**2 * rho + mixed
    return Prediction(
        float(cross / same),
        "one layer of attention on equiangular tokens with beta = gain * log n; critical gain 1/(1-rho)",
        (IDENTITY, "equiangular tokens"),
        "arXiv 2510.05554",
    )


def critical_gain(rho: float) -> Prediction:
    """The gain 1/(1-rho) up to which attention with beta = gain log n averages equiangular tokens of cosine rho.

    In the limit n -> infinity one layer sends their cosine to 1 below this gain and keeps it above (arXiv 2510.05554).

    Args:
        rho: The cosine of all pairs of tokens, at least 0 and below 1.

    Returns:
        A `Prediction` with the gain beta / log n.

    Raises:
        InvalidInput: If rho is out of its range.

    >>> float(critical_gain(0.5))
    2.0
    """
    if not 0 <= rho < 1:
        raise InvalidInput(f"the cosine rho must be in [0, 1), got {rho}")
    return Prediction(
        1 / (1 - float(rho)),
        "beta = gain log n: one layer sends the cosine to 1 below this gain and keeps it above",
        (IDENTITY, "equiangular tokens", "n -> infinity"),
        "arXiv 2510.05554",
    )


def nearest_key_constant(d: int) -> Prediction:
    """The constant c_d in the probability c_d s^{(d-1)/2} that a uniform key is within s of a query.

    P(1 - <q, k> <= s) ~ c_d s^{(d-1)/2} for small s, with c_d = Gamma(d/2) 2^{(d-3)/2} / (sqrt(pi) Gamma((d+1)/2))
    (derived).

    Args:
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with a positive number; `log10` where it underflows.

    Raises:
        InvalidInput: If d < 2.

    >>> [round(float(nearest_key_constant(d)), 4) for d in (2, 3)]
    [0.4502, 0.5]
    """
    check(1.0, d)
    log = special.gammaln(d / 2) - special.gammaln((d + 1) / 2) + (d - 3) / 2 * np.log(2) - np.log(np.pi) / 2
    return Prediction(
        exponential(log),
        "P(1 - <q, k> <= s) ~ c_d s^((d-1)/2)",
        ("a uniform key k on S^(d-1)", "s small"),
        "derived",
        log10=float(log / np.log(10)),
    )


def critical_context_beta(n: float, d: int) -> Prediction:
    """The inverse temperature beta* around which a query stops averaging its n keys and starts copying the nearest.

    beta* = (n c_d)^{2/(d-1)} with the `nearest_key_constant` c_d: far below it a query averages, far above it copies,
    and around it finitely many keys share the attention (arXiv 2605.08505, with the constant derived).

    Args:
        n: Number of independent uniform keys on S^{d-1}, n >= 1.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with an inverse temperature.

    Raises:
        InvalidInput: If n < 1 or d < 2.

    >>> round(float(critical_context_beta(2000, 3)), 6)
    1000.0
    """
    check(1.0, d)
    if not (np.isfinite(n) and n >= 1):
        raise InvalidInput(f"the number of keys must be at least 1, got {n}")
    log = 2 / (d - 1) * (np.log(n) + float(nearest_key_constant(d).log10) * np.log(10))
    return Prediction(
        exponential(log),
        "around beta* = (n c_d)^(2/(d-1)) finitely many keys share the attention",
        (KEYS, "n -> infinity"),
        "arXiv 2605.08505, with the constant derived",
        status="asymptotic",
    )


def largest_weight(ratio: float, d: int) -> Prediction:
    """The expected largest attention weight of one query among many uniform keys, at beta = ratio * beta*.

    The weights are those of the Poisson limit, proportional to exp(-ratio g_i^{2/(d-1)}) with g_i the arrivals of a
    Poisson process of rate 1. With S the sum of the others relative to the largest, E 1/(1+S) is the integral of
    e^{-u} E e^{-uS} over u > 0, and E e^{-uS} is the mean over g_1 of an exponential of an integral (Campbell).
    Derived; the regime is that of arXiv 2605.08505.

    Args:
        ratio: beta divided by `critical_context_beta`, positive; for d = 3 it is 2 beta/n.
        d: Dimension of the ambient space, from 2 to 12.

    Returns:
        A `Prediction` with a number between 0 and 1.

    Raises:
        InvalidInput: If the ratio is not positive or d is out of its range.

    >>> [round(float(largest_weight(ratio, 3)), 3) for ratio in (0.2, 1.0, 5.0)]
    [0.179, 0.561, 0.875]
    """
    check(1.0, d)
    if not (np.isfinite(ratio) and ratio > 0):
        raise InvalidInput(f"the ratio beta/beta* must be positive, got {ratio}")
    if d > MAX_DIM:
        raise InvalidInput(f"the Poisson limit is computed for d up to {MAX_DIM}, got {d}")
    power = (d - 1) / 2
    first, first_weights = _panels(1e-6, 40.0, 16)  # the first arrival g
    u, u_weights = _panels(1e-9, 40.0, 16)
    y, y_weights = _panels(1e-9, 60.0, 24)
    # x = (g^{1/power} + y/ratio)^power: int_g^inf 1 - exp(-u e^{-ratio (x^{1/power} - g^{1/power})}) dx
    root = first[:, None] ** (1 / power) + y / ratio
    jacobian = power / ratio * root ** (power - 1)
    shared = -np.expm1(-u[:, None] * np.exp(-y))
    exponent = (jacobian * y_weights) @ shared.T
    inner = np.exp(-exponent) @ (u_weights * np.exp(-u))
    return Prediction(
        float(np.sum(first_weights * np.exp(-first) * inner)),
        "the expected largest attention weight, in the Poisson limit of the nearest keys",
        (KEYS, "n -> infinity with beta/beta* fixed"),
        "derived; the regime is that of arXiv 2605.08505",
    )


def context_fluctuation(beta: float, d: int) -> Prediction:
    """The mean square of the velocity that n independent uniform tokens give to another token, times n.

    With infinitely many of them the token does not move. With n of them its velocity is P_x sum_j a_j y_j, and by the
    central limit theorem n E|velocity|^2 tends to (d-1) Z(2 beta) r(2 beta) / (2 beta Z(beta)^2), where Z(beta) is the
    mean of e^{beta <x, y>} and r = I_{d/2} / I_{d/2-1} (derived; the rate n^{-1/2} is that of arXiv 2605.16747).

    Args:
        beta: Inverse temperature, positive.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with a positive number.

    Raises:
        InvalidInput: If beta is not positive or d < 2.

    >>> round(float(context_fluctuation(1.0, 3)), 4)
    0.7055
    """
    check(beta, d)
    if beta == 0:
        raise InvalidInput("beta must be positive")
    mean, mean_of_square = (special.hyp0f1(d / 2, (b / 2) ** 2) for b in (beta, 2 * beta))
    ratio = special.ive(d / 2, 2 * beta) / special.ive(d / 2 - 1, 2 * beta)
    return Prediction(
        float((d - 1) * mean_of_square * ratio / (2 * beta * mean**2)),
        "n E|velocity|^2 of a token that sees n others",
        ("softmax attention, Q = K = V = I", "n independent uniform tokens on S^(d-1)", "n -> infinity"),
        "derived; the rate is that of arXiv 2605.16747",
        status="asymptotic",
    )


def _panels(smallest: float, largest: float, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on panels that double from `smallest`, and on [0, smallest]."""
    edges = np.concatenate([[0.0], np.geomspace(smallest, largest, int(np.ceil(np.log2(largest / smallest))) + 1)])
    x, w = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(edges)[:, None] / 2
    return ((edges[1:, None] + edges[:-1, None]) / 2 + half * x).ravel(), (half * w).ravel()


# --- when they apply ------------------------------------------------------------------------------------------------

# The other functions of this file are about a query that is not one of the keys. A token of a model always sees
# itself, at cosine 1: they are listed by `tokenfield.predict` as needing a query of their own.


def _one_layer(setting: Setting) -> tuple[float, float, int]:
    """(beta, rho, n) of equiangular tokens of cosine rho >= 0 in a softmax model with Q = K = V = I."""
    beta, _ = conditions.plain(setting, ("softmax",))
    if setting.start is None:
        raise DoesNotApply("it needs the cosine that all tokens share: give a start")
    n, rho = conditions.token_count(setting), conditions.equiangular(setting)
    if not 0 <= rho < 1 - conditions.SAME_COSINE:
        raise DoesNotApply(f"it is about a common cosine from 0 up to 1, that of the start is {rho:.6g}")
    return beta, rho, n


def context_cosine_for(setting: Setting) -> Prediction:
    beta, rho, n = _one_layer(setting)
    gain = beta / float(np.log(n))
    found = context_cosine(rho, gain, n)
    return replace(found, statement=f"{found.statement}; here gain = {gain:.6g}, and no residual connection")


def critical_gain_for(setting: Setting) -> Prediction:
    _, rho, _ = _one_layer(setting)
    return critical_gain(rho)
