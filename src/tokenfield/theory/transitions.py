"""Phase transitions: noise against attraction, synchronization on the circle, random weights, long contexts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import integrate, optimize, special

from tokenfield.errors import InvalidInput
from tokenfield.theory.bessel import bessel_ratios, log_bessel, log_kernel_mean
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.prediction import Prediction

NOISY = "unnormalized attention with noise sqrt(2/kappa) dW, in the limit of many tokens"


def noise_thresholds(beta: float, d: int, *, count: int = 6) -> Prediction:
    """kappa_k: below it the noise damps perturbations of degree k of the uniform law, k = 1, ..., count.

    kappa_k = beta / (Gamma(d/2) (2/beta)^nu I_{k+nu}(beta)), nu = d/2 - 1; on the circle beta / I_k(beta). At beta = 0
    only degree 1 has a finite one, d.

    >>> noise_thresholds(1.0, 2, count=2).value.round(3).tolist()
    [1.769, 7.367]
    """
    check(beta, d)
    if beta == 0:
        values = np.where(np.arange(1, count + 1) == 1, float(d), np.inf)
    else:
        logs = np.cumsum(np.log(bessel_ratios(d / 2 - 1, count, beta)))
        with np.errstate(over="ignore"):
            values = np.exp(np.log(beta) - log_kernel_mean(beta, d) - logs)
    return Prediction(
        values,
        "a perturbation of degree k grows at the rate k(k+d-2)(1/kappa_k - 1/kappa)",
        (IDENTITY, NOISY, "near the uniform law"),
        "derived by linearization; arXiv 2412.14813",
    )


def critical_beta(d: int) -> Prediction:
    """beta_*: up to it the transition in kappa is continuous, beyond it discontinuous: I_{d/2+1}/I_{d/2} = 1/d.

    >>> round(float(critical_beta(2)), 5)
    2.44692
    """
    check(1.0, d)
    value = optimize.brentq(lambda b: bessel_ratios(d / 2, 1, b)[0] - 1 / d, 1e-9, 10.0 + d, xtol=1e-14)
    return Prediction(
        float(value),
        "the transition from uniform to concentrated is continuous for beta <= beta_*, discontinuous above",
        (IDENTITY, NOISY),
        "arXiv 2606.05140; d = 2: arXiv 2604.16288",
    )


def synchronization_threshold() -> Prediction:
    """-2/3: three clusters at 120 degrees on the circle are stable exactly for beta < -2/3."""
    return Prediction(
        -2 / 3,
        "the circle synchronizes for beta >= -0.16 and fails to for beta < -2/3",
        (IDENTITY, "unnormalized attention on the circle"),
        "arXiv 2507.22857; the stability of three clusters is derived",
    )


def antipodal_threshold(d: int) -> Prediction:
    """beta_c: two tokens under white random value matrices can end antipodal exactly for beta > beta_c.

    beta_c = arccosh sqrt((d-1)/2); 0 for d <= 3.

    >>> round(float(antipodal_threshold(8)), 4)
    1.2389
    """
    check(1.0, d)
    value = float(np.arccosh(np.sqrt((d - 1) / 2))) if d > 3 else 0.0
    return Prediction(
        value,
        "R = -1 attracts iff cosh^2(beta) > (d-1)/2",
        ("two tokens, Q = K = I", "V redrawn at each layer with Gaussian entries of variance one per unit time"),
        "derived; compare arXiv 2601.21942",
    )


def antipodal_probability(beta: float, d: int, *, cosine: float = 0.0) -> Prediction:
    """The probability that two tokens under white random value matrices end antipodal, from the scale function.

    dR = (1-R^2){[-R + q(R+d-2)] dt + sqrt(2(1-q)) dB}, q = (1/2) sech^2(beta(1-R)/2).
    """
    check(beta, d)
    if not -1 < cosine < 1:
        raise InvalidInput(f"the cosine must be between -1 and 1, got {cosine}")
    statement = "the chance to be absorbed at R = -1, from the scale function of the exact two-token law"
    assumptions = ("two tokens, Q = K = I", "V white in depth with unit variance")
    if beta <= float(antipodal_threshold(d)):
        return Prediction(0.0, statement, assumptions, "derived")

    # with R = tanh u the scale density e^{-int 2 b / sigma^2 dR} dR has no singular factors, however close R is to 1
    u = np.linspace(-400, 400, 200_001)
    R = np.tanh(u)
    q = 0.5 / np.cosh(beta * (1 - R) / 2) ** 2
    drift = (-R + q * (R + d - 2)) / (1 - q)
    log_density = -integrate.cumulative_simpson(drift, x=u, initial=0) - 2 * np.logaddexp(u, -u)
    scale = integrate.cumulative_simpson(np.exp(log_density - log_density.max()), x=u, initial=0)
    below = np.interp(np.arctanh(cosine), u, scale)
    return Prediction(float(1 - below / scale[-1]), statement, assumptions, "derived")


def context_cosine(rho: float, gain: float, n: float, *, residual: bool = False) -> Prediction:
    """The cosine after one attention layer of n equiangular tokens of cosine rho, with beta = gain log n.

    For n -> infinity: 1 below the critical gain 1/(1-rho), 4 rho/(1+3 rho) at it, rho above (16 rho/(9+7 rho) at it
    with the residual connection).
    """
    if not 0 <= rho < 1 or not n > 1:
        raise InvalidInput(f"this needs 0 <= rho < 1 and n > 1, got rho = {rho}, n = {n}")
    own = 1 / (1 + (n - 1) * n ** (-gain * (1 - rho)))
    other = (1 - own) / (n - 1)
    own_total = own + (1.0 if residual else 0.0)
    # y_i = (own - other) x_i + other * sum_k x_k
    a, b = own_total - other, other
    total = 1 + (n - 1) * rho
    same = a**2 + 2 * a * b * total + b**2 * n * total
    cross = a**2 * rho + 2 * a * b * total + b**2 * n * total
    return Prediction(
        float(cross / same),
        "one layer of attention on equiangular tokens with beta = gain * log n; critical gain 1/(1-rho)",
        (IDENTITY, "equiangular tokens"),
        "arXiv 2510.05554",
    )


def nearest_key_constant(d: int) -> float:
    """c_d in P(1 - <q, k> <= s) ~ c_d s^{(d-1)/2} for a uniform key k; long contexts scale as beta ~ n^{2/(d-1)}."""
    check(1.0, d)
    log = special.gammaln(d / 2) - special.gammaln((d + 1) / 2) + (d - 3) / 2 * np.log(2) - np.log(np.pi) / 2
    return float(np.exp(log))
