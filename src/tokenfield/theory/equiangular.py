"""Equiangular tokens: n tokens with one common pairwise cosine gamma, the exact reduction of a symmetric start.

From an orthonormal frame all cosines stay equal, and the whole flow is an ordinary differential equation for gamma
(arXiv 2312.10794), with the radius r beside it for normalizations that let it change (arXiv 2510.22026). In high
dimension random tokens follow the same curve. The equation itself is in `equiangular_flow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.equiangular_flow import (
    HAS_RADIUS,
    SCHEMES,
    check_scheme,
    check_scheme_options,
    cosines_at,
    log_time,
    log_time_with_radius,
    speed,
)
from tokenfield.theory.growth import IDENTITY
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.traveltime import exponential

__all__ = ["SCHEMES", "equiangular_curve", "equiangular_time", "initial_speed", "phase_curve", "speed", "tail"]

FRAME = "tokens start from an orthonormal frame (all cosines 0), or are random in a dimension that is large"
SOURCE = "arXiv 2312.10794, section 6"
NORMALIZED = "arXiv 2510.22026"
LEVEL = 0.999
CURVE_POINTS = 9  # times at which `tokenfield.predict` lists the curve


def _source(scheme: str) -> str:
    return SOURCE if scheme in ("softmax", "unnormalized") else NORMALIZED


def equiangular_curve(
    ts: ArrayLike,
    beta: float,
    n: int,
    *,
    scheme: str = "softmax",
    gamma0: float = 0.0,
    radius: float = 1.0,
    alpha: float = 1.0,
    tau: float = 0.0,
) -> Prediction:
    """The cosine gamma(t) that all pairs of n equiangular tokens share, at the times `ts`, to about 1e-10.

    It solves gamma' = (2/s) e^{beta gamma} (1 - gamma)(1 + (n-1) gamma) / Z with Z = e^beta + (n-1) e^{beta gamma};
    unnormalized attention has n in place of Z (arXiv 2312.10794). The factor s is 1, or that of the normalization:
    r, r |A|, |A|/alpha or sqrt(t + 1), with r the radius of the tokens (arXiv 2510.22026).

    Args:
        ts: Increasing times >= 0, (T,).
        beta: Inverse temperature, a finite number.
        n: Number of tokens, n >= 2.
        scheme: "softmax" (the same as "post-ln"), "unnormalized", "pre-ln", "mix-ln", "peri-ln", "ngpt" or
            "depth-scaled".
        gamma0: The cosine at time 0, from -1/(n-1) up to 1; 0 is an orthonormal frame.
        radius: The length of the tokens at time 0, for pre-ln, mix-ln and peri-ln.
        alpha: The rate of ngpt, positive.
        tau: The time at which mix-ln switches from post-ln to pre-ln.

    Returns:
        A `Prediction` with an array (T,) of cosines.

    Raises:
        InvalidInput: If the times are not increasing numbers >= 0, or another argument is out of its range.

    >>> equiangular_curve([0.0, 2.0, 4.0], beta=1.0, n=32).value.round(3).tolist()
    [0.0, 0.59, 0.987]
    """
    check_scheme(beta, n, scheme)
    check_scheme_options(radius, alpha, tau)
    times = np.asarray(ts, float)
    if times.ndim != 1 or not len(times) or np.any(times < 0) or np.any(np.diff(times) < 0):
        raise InvalidInput("the times must be an increasing list of numbers >= 0")
    if not -1 / (n - 1) <= gamma0 < 1:
        raise InvalidInput(f"{n} tokens can share a cosine between -1/(n-1) and 1, got {gamma0}")
    return Prediction(
        cosines_at(times, beta, n, scheme, gamma0, radius, alpha, tau),
        f"all pairwise cosines equal gamma(t), which solves the equiangular equation ({scheme})",
        (IDENTITY, FRAME),
        _source(scheme),
    )


def equiangular_time(
    beta: float,
    n: int,
    *,
    level: float = LEVEL,
    scheme: str = "softmax",
    radius: float = 1.0,
    alpha: float = 1.0,
    tau: float = 0.0,
) -> Prediction:
    """The time at which the common cosine of n tokens that start orthogonal to each other reaches `level`.

    It is int_0^level dgamma / gamma', with gamma' from `equiangular_curve` (arXiv 2312.10794, section 6; arXiv
    2510.22026 for the normalizations): by quadrature where gamma' depends on gamma alone, and integrated with the
    cosine as the variable in place of time for schemes with a radius.

    Args:
        beta: Inverse temperature, a finite number.
        n: Number of tokens, n >= 2.
        level: The cosine to reach, between 0 and 1; by default 0.999.
        scheme: As for `equiangular_curve`.
        radius: The length of the tokens at time 0, for pre-ln, mix-ln and peri-ln.
        alpha: The rate of ngpt, positive.
        tau: The time at which mix-ln switches from post-ln to pre-ln.

    Returns:
        A `Prediction` with a time. For softmax attention and ngpt it grows like e^beta, for the other normalizations
        faster: `log10` holds times that are too long for a double.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> round(float(equiangular_time(1.0, 32)), 3)
    5.27
    """
    check_scheme(beta, n, scheme)
    check_scheme_options(radius, alpha, tau)
    if not 0 < level < 1:
        raise InvalidInput(f"the level must be between 0 and 1, got {level}")
    log_value = log_time(beta, n, level, scheme, alpha)
    if scheme == "depth-scaled":  # int dt / sqrt(t + 1) = 2 (sqrt(t + 1) - 1) is the time of softmax
        half = np.logaddexp(0.0, log_value - np.log(2))
        log_value = 2 * half + np.log(-np.expm1(-2 * half))
    elif scheme in HAS_RADIUS:
        log_value = log_time_with_radius(beta, n, level, scheme, radius, tau)
    return Prediction(
        exponential(log_value),
        f"the equiangular cosine reaches {level:g} ({scheme})",
        (IDENTITY, FRAME),
        _source(scheme),
        log10=float(log_value / np.log(10)),
    )


def phase_curve(times: Sequence[float], n: int, *, delta: float = 1e-3) -> Prediction:
    """For each time, the largest beta whose equiangular cosine has reached 1 - delta: the curve Gamma.

    In the diagram of t and beta (arXiv 2312.10794, figure 3) tokens above it have not yet collapsed.

    Args:
        times: Times > 0, (T,).
        n: Number of tokens, n >= 2.
        delta: How far from 1 the cosine may be, between 0 and 1.

    Returns:
        A `Prediction` with an array (T,) of inverse temperatures; NaN at times when not even beta = 0 has arrived.

    Raises:
        InvalidInput: If n < 2 or delta is not between 0 and 1.

    >>> phase_curve([30.0], 32).value.round(3).tolist()
    [6.906]
    """
    check_scheme(1.0, n, "softmax")
    if not 0 < delta < 1:
        raise InvalidInput(f"delta must be between 0 and 1, got {delta}")

    def late(beta: float, t: float) -> float:
        return float(log_time(beta, n, 1 - delta, "softmax", 1.0) - np.log(t))

    found = []
    for t in times:
        if not (np.isfinite(t) and t > 0) or late(0.0, t) > 0:
            found.append(np.nan)
            continue
        high = 1.0
        while late(high, t) < 0:
            high *= 2
        found.append(optimize.brentq(late, 0.0, high, args=(t,), xtol=1e-10))
    return Prediction(
        np.array(found),
        f"the curve gamma_beta(t) = {1 - delta:g} in the (t, beta) plane",
        (IDENTITY, FRAME, "softmax attention"),
        SOURCE,
    )


def initial_speed(
    beta: float, n: int, *, scheme: str = "softmax", radius: float = 1.0, alpha: float = 1.0
) -> Prediction:
    """The rate gamma'(0) at which the cosine of two tokens of an orthonormal frame starts to grow.

    It is 2 / (s (e^beta + n - 1)), with s the speed factor of the scheme at the start: 1 for softmax and Post-LN, the
    radius r for Pre-LN, r |A| for Peri-LN, |A|/alpha for nGPT (arXiv 2510.22026). For unnormalized attention it is 2/n.

    Args:
        beta: Inverse temperature, a finite number.
        n: Number of tokens, n >= 2.
        scheme: As for `equiangular_curve`; mix-ln starts as post-ln.
        radius: The length of the tokens, for pre-ln and peri-ln.
        alpha: The rate of ngpt, positive.

    Returns:
        A `Prediction` with a rate, in units of 1/time.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> [round(float(initial_speed(1.0, 32, scheme=name)), 6) for name in ("softmax", "ngpt")]
    [0.059315, 0.322795]
    """
    check_scheme_options(radius, alpha, 0.0)
    tau = np.inf if scheme == "mix-ln" else 0.0  # Mix-LN starts as Post-LN
    value, _ = speed(0.0, beta, n, scheme=scheme, r=radius, alpha=alpha, tau=tau)
    return Prediction(
        float(value), f"the cosine of orthonormal tokens starts at this rate ({scheme})", (IDENTITY, FRAME), NORMALIZED
    )


def tail(ts: Sequence[float], *, scheme: str = "softmax", beta: float = 1.0, alpha: float = 1.0) -> Prediction:
    """The shape in which 1 - cosine decays at the end, up to a constant factor, at the times `ts`.

    e^{-2t} (softmax and Post-LN), t^{-2} (Pre-, Mix- and Peri-LN), e^{-2 alpha t} (nGPT), e^{-4 sqrt(t+1)}
    (depth-scaled) and e^{-2 e^beta t} (unnormalized), from arXiv 2510.22026 and arXiv 2312.10794.

    Args:
        ts: Positive times, (T,).
        scheme: As for `equiangular_curve`.
        beta: Inverse temperature, which only unnormalized attention looks at.
        alpha: The rate of ngpt, positive.

    Returns:
        A `Prediction` with an array (T,), to which 1 - <x_i, x_j> becomes proportional.

    Raises:
        InvalidInput: If a time is not positive or another argument is out of its range.

    >>> tail([1.0, 2.0], scheme="pre-ln").value.tolist()
    [1.0, 0.25]
    """
    check_scheme(beta, 2, scheme)
    check_scheme_options(1.0, alpha, 0.0)
    times = np.asarray(ts, float)
    if not np.all(times > 0):
        raise InvalidInput("the times of a tail must be positive")
    if scheme in HAS_RADIUS:
        values = times**-2.0
    else:
        with np.errstate(over="ignore"):
            rates = {"unnormalized": 2 * np.exp(beta), "ngpt": 2 * alpha}
        exponent = 4 * np.sqrt(times + 1) if scheme == "depth-scaled" else rates.get(scheme, 2.0) * times
        values = np.exp(-exponent)
    return Prediction(
        values,
        f"1 - <x_i, x_j> decays in proportion to this ({scheme})",
        (IDENTITY, "tokens near one point"),
        NORMALIZED,
        status="asymptotic",
    )


# --- when they apply ------------------------------------------------------------------------------------------------


def _scheme(setting: Setting) -> tuple[float, str]:
    """(beta, scheme) of a model with Q = K = V = I on the sphere, with or without a normalization."""
    beta, _ = conditions.plain(setting, allowing=("normalization",))
    if setting.attention == "unnormalized" and setting.scheme != "post-ln":
        raise DoesNotApply(
            f"with {setting.scheme} it is about softmax attention, this model has unnormalized attention"
        )
    return beta, str(setting.attention) if setting.scheme == "post-ln" else setting.scheme


def _is_too_many(setting: Setting) -> bool:
    """Whether a start that is not known cannot be orthogonal, because it has more tokens than dimensions."""
    return setting.start is None and setting.n is not None and setting.n > setting.d


def _check_dimension(setting: Setting) -> None:
    if _is_too_many(setting):
        raise DoesNotApply(f"{setting.n} tokens cannot be orthogonal in R^{setting.d}")


def equiangular_time_for(setting: Setting, *, level: float = LEVEL) -> Prediction:
    beta, scheme = _scheme(setting)
    n, is_exact = conditions.token_count(setting), conditions.orthogonal(setting, beta)
    if not is_exact and scheme != "softmax":
        raise DoesNotApply(f"with {scheme} it is about tokens that are exactly orthogonal, those of the start are not")
    radius = conditions.common_radius(setting)
    options = {"radius": radius, "alpha": setting.alpha, "tau": setting.tau}
    found = equiangular_time(beta, n, level=level, scheme=scheme, **options)
    if _is_too_many(setting):
        # published phase diagrams draw it in low dimension too, as what high dimension would do
        note = f"{n} tokens cannot be orthogonal in R^{setting.d}: read it as the time for d >= {n}"
        found = replace(found, assumptions=(*found.assumptions, note))
    return found if is_exact else replace(found, status="asymptotic")


def equiangular_curve_for(setting: Setting, *, points: int = CURVE_POINTS) -> Prediction:
    beta, scheme = _scheme(setting)
    _check_dimension(setting)
    n, gamma0 = conditions.token_count(setting), conditions.equiangular(setting)
    if not 0 <= gamma0 < LEVEL:
        raise DoesNotApply(f"its times run from a cosine >= 0 up to {LEVEL:g}: call theory.equiangular_curve(ts, ...)")
    radius, alpha, tau = conditions.common_radius(setting), setting.alpha, setting.tau
    # from gamma0 > 0 the cosine arrives earlier
    end = float(equiangular_time(beta, n, scheme=scheme, radius=radius, alpha=alpha, tau=tau))
    if not np.isfinite(end):
        raise DoesNotApply("its times are too long for a double: call theory.equiangular_curve(ts, ...)")
    ts = np.linspace(0.0, end, points)
    found = equiangular_curve(ts, beta, n, scheme=scheme, gamma0=gamma0, radius=radius, alpha=alpha, tau=tau)
    return replace(found, statement=f"{found.statement}; here at {len(ts)} equal times from 0 to {end:.6g}")


def initial_speed_for(setting: Setting) -> Prediction:
    beta, scheme = _scheme(setting)
    _check_dimension(setting)
    n = conditions.token_count(setting)
    if conditions.equiangular(setting) != 0:
        raise DoesNotApply("it is about orthogonal tokens, those of the start have another common cosine")
    radius = conditions.common_radius(setting)
    if setting.scheme == "mix-ln" and setting.tau == 0:
        scheme = "pre-ln"
    return initial_speed(beta, n, scheme=scheme, radius=radius, alpha=setting.alpha)
