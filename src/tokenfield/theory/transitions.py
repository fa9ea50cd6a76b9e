"""Thresholds: noise against attraction, and synchronization on the circle."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from tokenfield.theory import conditions
from tokenfield.theory.bessel import bessel_ratios
from tokenfield.theory.growth import IDENTITY, check, leading_degrees, log_growth_rates
from tokenfield.theory.harmonics import log_couplings
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.stationary import NOISE, NOISY, check_kappa

LINEAR = "derived by linearization; arXiv 2412.14813"
NEAR = "near the uniform law"


def noise_thresholds(beta: float, d: int, *, count: int = 6) -> Prediction:
    """The values kappa_k up to which noise sqrt(2/kappa) dW damps perturbations of degree k of the uniform law.

    Under unnormalized attention such a perturbation grows at the rate k(k+d-2)(1/kappa_k - 1/kappa), with
    kappa_k = beta / (Gamma(d/2) (2/beta)^nu I_{k+nu}(beta)) and nu = d/2 - 1, which is beta / I_k(beta) on the circle.
    At beta = 0 only degree 1 has a finite one, d. Derived by linearization; see arXiv 2412.14813.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.
        count: How many degrees k = 1, ..., count to return.

    Returns:
        A `Prediction` with an array (count,); `log10` holds those that overflow.

    Raises:
        InvalidInput: If beta is negative or not finite, or d < 2.

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
        (IDENTITY, NOISY, NEAR),
        LINEAR,
        log10=logs / np.log(10),
    )


def noisy_growth_rates(
    beta: float, d: int, kappa: float, *, count: int = 6, attention: str = "unnormalized"
) -> Prediction:
    """The rates at which perturbations of the uniform law grow under noise, for the degrees 1, ..., count.

    Noise sqrt(2/kappa) dW takes k(k+d-2)/kappa from each of the `growth_rates`. For unnormalized attention that makes
    k(k+d-2)(1/kappa_k - 1/kappa) with the `noise_thresholds` kappa_k. Derived by linearization; see arXiv 2412.14813.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.
        kappa: The noise is sqrt(2/kappa) dW; a finite number > 0, small for strong noise.
        count: How many degrees to return.
        attention: "unnormalized" or "softmax".

    Returns:
        A `Prediction` with an array (count,) of rates, in units of 1/time; negative ones decay.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> noisy_growth_rates(4.0, 2, 1.0, count=3).value.round(3).tolist()
    [1.44, 2.422, -1.491]
    """
    check(beta, d, attention)
    check_kappa(kappa)
    k = np.arange(1, count + 1)
    with np.errstate(over="ignore"):
        if attention == "unnormalized":
            statement = "a perturbation of degree k grows at the rate k(k+d-2)(1/kappa_k - 1/kappa)"
            rates = k * (k + d - 2) * (np.exp(log_couplings(beta, d, count)) - 1 / kappa)
        else:
            statement = "a perturbation of degree k grows at its rate without noise, less k(k+d-2)/kappa"
            rates = np.exp(log_growth_rates(beta, d, count=count)) - k * (k + d - 2) / kappa
    return Prediction(
        rates,
        statement,
        (IDENTITY, f"{attention} attention with {NOISE}", NEAR),
        LINEAR,
    )


def growing_degrees(beta: float, d: int, kappa: float, *, attention: str = "unnormalized") -> Prediction:
    """The number of degrees that grow from the uniform law under noise: those with `noisy_growth_rates` above zero.

    They are the first ones, 1, 2, ..., because a higher degree needs a larger kappa (derived by linearization; see
    arXiv 2412.14813).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.
        kappa: The noise is sqrt(2/kappa) dW; a finite number > 0.
        attention: "unnormalized" or "softmax".

    Returns:
        A `Prediction` with a whole number; 0 if the uniform law is stable.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> growing_degrees(4.0, 2, 1.0).value
    2
    """
    rates = _rates_past_growth(beta, d, kappa, attention)
    return Prediction(
        int(np.sum(rates.value > 0)),
        "degrees 1 up to this one grow from the uniform law; 0: the uniform law is stable",
        rates.assumptions,
        rates.source,
    )


def _rates_past_growth(beta: float, d: int, kappa: float, attention: str) -> Prediction:
    """`noisy_growth_rates` of so many degrees that the last one decays: 8, 16, 32, ..."""
    count = 8
    rates = noisy_growth_rates(beta, d, kappa, count=count, attention=attention)
    while rates.value[-1] > 0:  # the growing degrees are the first ones
        count *= 2
        rates = noisy_growth_rates(beta, d, kappa, count=count, attention=attention)
    return rates


def continuous_threshold(beta: float, d: int) -> Prediction:
    """The value K_# = kappa_1/2 at which a continuous transition from uniform to concentrated takes place.

    K_# = beta^{d/2} / (2^{d/2} Gamma(d/2) I_{d/2}(beta)) in the units of arXiv 2606.05140, half of the first of the
    `noise_thresholds`. For beta up to `critical_beta` the global transition is here.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with K_#; `log10` where it underflows.

    Raises:
        InvalidInput: If beta is negative or not finite, or d < 2.

    >>> round(float(continuous_threshold(float(critical_beta(2)), 2)), 5)
    0.51014
    """
    check(beta, d)
    log_value = -float(log_couplings(beta, d, 1)[0]) - np.log(2)
    return Prediction(
        float(np.exp(log_value)),
        "K_# of the paper's K = kappa/2: the uniform law is unstable beyond; for beta <= beta_* "
        "the global transition is here",
        (IDENTITY, NOISY),
        "arXiv 2606.05140; equal to kappa_1/2 by the formula",
        log10=float(log_value / np.log(10)),
    )


def critical_beta(d: int) -> Prediction:
    """The inverse temperature beta_* up to which the transition in kappa is continuous, and beyond which it jumps.

    It solves I_{d/2+1}(beta) / I_{d/2}(beta) = 1/d (arXiv 2606.05140; d = 2: arXiv 2604.16288).

    Args:
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with beta_*.

    Raises:
        InvalidInput: If d < 2.

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
    """The value -2/3 of beta below which three clusters at 120 degrees on the circle are stable.

    Unnormalized attention on the circle synchronizes for beta >= -0.16 and fails to for beta < -2/3 (arXiv 2507.22857;
    the stability of three clusters is derived).

    Returns:
        A `Prediction` with -2/3.

    >>> round(float(synchronization_threshold()), 6)
    -0.666667
    """
    return Prediction(
        -2 / 3,
        "the circle synchronizes for beta >= -0.16 and fails to for beta < -2/3",
        (IDENTITY, "unnormalized attention on the circle"),
        "arXiv 2507.22857; the stability of three clusters is derived",
    )


# --- when they apply ------------------------------------------------------------------------------------------------


def noisy_model(setting: Setting, kinds: tuple[str, ...] = ("unnormalized",)) -> tuple[float, int]:
    """(beta, d) of a model on the sphere with Q = K = V = I to which noise is, or may be, added; many tokens."""
    beta, d = conditions.plain(setting, kinds, allowing=("noise",))
    conditions.bessel_range(beta, d)
    check(beta, d)
    conditions.many_tokens(setting)
    return beta, d


def _near_uniform(setting: Setting, kinds: tuple[str, ...]) -> tuple[float, int]:
    beta, d = noisy_model(setting, kinds)
    conditions.near_uniform(setting, leading_degrees(beta, d))
    return beta, d


def noise_thresholds_for(setting: Setting) -> Prediction:
    beta, d = _near_uniform(setting, ("unnormalized",))
    return noise_thresholds(beta, d)


def noisy_growth_rates_for(setting: Setting) -> Prediction:
    beta, d = _near_uniform(setting, conditions.EXPONENTIAL)
    return _rates_past_growth(beta, d, conditions.noise_level(setting), str(setting.attention))


def growing_degrees_for(setting: Setting) -> Prediction:
    beta, d = _near_uniform(setting, conditions.EXPONENTIAL)
    return growing_degrees(beta, d, conditions.noise_level(setting), attention=str(setting.attention))


def continuous_threshold_for(setting: Setting) -> Prediction:
    beta, d = noisy_model(setting)
    return continuous_threshold(beta, d)


def critical_beta_for(setting: Setting) -> Prediction:
    _, d = noisy_model(setting)
    return critical_beta(d)


def synchronization_threshold_for(setting: Setting) -> Prediction:
    _, d = conditions.plain(setting, ("unnormalized",))
    if d != 2:
        raise DoesNotApply("it is about the circle, d = 2")
    conditions.only_tokens(setting)
    return synchronization_threshold()
