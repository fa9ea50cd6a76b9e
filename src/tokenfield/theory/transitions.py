"""Thresholds: noise against attraction, synchronization on the circle, random weights in depth."""

from __future__ import annotations

import numpy as np
from scipy import integrate, optimize

from tokenfield.errors import InvalidInput
from tokenfield.theory.bessel import bessel_ratios
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.harmonics import log_couplings
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.stationary import NOISY


def noise_thresholds(beta: float, d: int, *, count: int = 6) -> Prediction:
    """kappa_k: below it the noise damps perturbations of degree k of the uniform law, k = 1, ..., count.

    kappa_k = beta / (Gamma(d/2) (2/beta)^nu I_{k+nu}(beta)), nu = d/2 - 1; on the circle beta / I_k(beta). At beta = 0
    only degree 1 has a finite one, d.

    >>> noise_thresholds(1.0, 2, count=2).value.round(3).tolist()
    [1.769, 7.367]
    """
    check(beta, d)
    logs = -log_couplings(beta, d, count)
    with np.errstate(over="ignore"):
        values = np.exp(logs)
    return Prediction(
        values,
        "a perturbation of degree k grows at the rate k(k+d-2)(1/kappa_k - 1/kappa)",
        (IDENTITY, NOISY, "near the uniform law"),
        "derived by linearization; arXiv 2412.14813",
        log10=logs / np.log(10),
    )


def noisy_growth_rates(beta: float, d: int, kappa: float, *, count: int = 6) -> Prediction:
    """k(k+d-2)(1/kappa_k - 1/kappa), k = 1, ..., count: growth of degree k of the uniform law under noise."""
    check(beta, d)
    if not (isinstance(kappa, (int, float, np.number)) and np.isfinite(kappa) and kappa > 0):
        raise InvalidInput(f"kappa must be a finite number > 0, got {kappa!r}")
    k = np.arange(1, count + 1)
    with np.errstate(over="ignore"):
        rates = k * (k + d - 2) * (np.exp(log_couplings(beta, d, count)) - 1 / kappa)
    return Prediction(
        rates,
        "a perturbation of degree k grows at the rate k(k+d-2)(1/kappa_k - 1/kappa)",
        (IDENTITY, NOISY, "near the uniform law"),
        "derived by linearization; arXiv 2412.14813",
    )


def continuous_threshold(beta: float, d: int) -> Prediction:
    """K_# = beta^{d/2} / (2^{d/2} Gamma(d/2) I_{d/2}(beta)) = kappa_1 / 2: where a continuous transition takes place.

    >>> round(float(continuous_threshold(float(critical_beta(2)), 2)), 5)
    0.51014
    """
    check(beta, d)
    log_value = -float(log_couplings(beta, d, 1)[0]) - np.log(2)
    return Prediction(
        float(np.exp(log_value)),
        "kappa_1/2: the uniform law is unstable beyond; for beta <= beta_* the global transition is here",
        (IDENTITY, NOISY),
        "arXiv 2606.05140; equal to kappa_1/2 by the formula",
        log10=float(log_value / np.log(10)),
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
    z = beta * np.exp(-u - np.logaddexp(u, -u))  # beta (1 - R) / 2 without the rounding of 1 - R
    q = 2 * np.exp(-2 * np.logaddexp(z, -z))
    drift = (-R + q * (R + d - 2)) / (1 - q)
    log_density = -integrate.cumulative_simpson(drift, x=u, initial=0) - 2 * np.logaddexp(u, -u)
    scale = integrate.cumulative_simpson(np.exp(log_density - log_density.max()), x=u, initial=0)
    below = np.interp(np.arctanh(cosine), u, scale)
    return Prediction(float(1 - below / scale[-1]), statement, assumptions, "derived")
