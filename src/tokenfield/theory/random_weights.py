"""Random weights in depth: two tokens under value matrices that are redrawn at each layer (arXiv 2601.21942)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import integrate

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.growth import check
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting

LARGEST_TURN = 0.1  # (d - 1) times the period, the squared angle by which one layer turns a token: the bias of a layer


def antipodal_threshold(d: int) -> Prediction:
    """The inverse temperature beta_c beyond which two tokens under white random value matrices can end antipodal.

    R = -1 attracts exactly for cosh^2(beta) > (d-1)/2, so beta_c = arccosh sqrt((d-1)/2), and 0 for d <= 3; on the
    circle at beta = 0 too (derived; compare arXiv 2601.21942).

    Args:
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with beta_c.

    Raises:
        InvalidInput: If d < 2.

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
    """The probability that two tokens under white random value matrices end antipodal instead of together.

    Their cosine R obeys dR = (1-R^2){[-R + q(R+d-2)] dt + sqrt(2(1-q)) dB} with q = (1/2) sech^2(beta(1-R)/2) exactly;
    the probability follows from its scale function (derived).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.
        cosine: The cosine of the two tokens at time 0, between -1 and 1.

    Returns:
        A `Prediction` with a probability; 0 up to `antipodal_threshold`, but on the circle above 0 for all beta.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> round(float(antipodal_probability(2.0, 3)), 4)
    0.3364
    """
    check(beta, d)
    if not -1 < cosine < 1:
        raise InvalidInput(f"the cosine must be between -1 and 1, got {cosine}")
    statement = "the chance to be absorbed at R = -1, from the scale function of the exact two-token law"
    assumptions = ("two tokens, Q = K = I", "V white in depth with unit variance")
    if d > 2 and beta <= float(antipodal_threshold(d)):  # on the circle R = -1 attracts at beta = 0 too
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


# --- when they apply ------------------------------------------------------------------------------------------------


def _two_tokens(setting: Setting) -> tuple[float, float]:
    """(beta, cosine) of two tokens of equal weight under white random value matrices with Q = K = I."""
    beta = conditions.head(setting, ("softmax",), geometry="sphere", allowing=("white values",))
    conditions.identity_logits(setting)
    if setting.period is None:
        raise DoesNotApply("it is about value matrices that are redrawn at each layer: schedule.Resampled, white=True")
    longest = LARGEST_TURN / (setting.d - 1)
    if setting.period > longest:
        raise DoesNotApply(f"it needs value matrices that are white in depth: here a period of {longest:.3g} at most")
    if setting.start is None:
        return beta, 0.0
    if conditions.token_count(setting) != 2:
        raise DoesNotApply(f"it is about two tokens, the start has {setting.n}")
    cosine, _ = conditions.two_clusters(setting)
    if abs(cosine) > 1 - conditions.SAME_COSINE:
        raise DoesNotApply("it is about two tokens that are neither at one point nor opposite")
    return beta, cosine


def antipodal_threshold_for(setting: Setting) -> Prediction:
    _two_tokens(setting)
    return antipodal_threshold(setting.d)


def antipodal_probability_for(setting: Setting) -> Prediction:
    beta, cosine = _two_tokens(setting)
    found = antipodal_probability(beta, setting.d, cosine=cosine)
    return replace(found, statement=f"{found.statement}; here from the cosine {cosine:.6g}")
