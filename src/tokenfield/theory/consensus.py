"""Consensus: when it is certain, how fast it is reached at the end, and how fast two solutions can part before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import integrate, special

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.growth import IDENTITY, check, check_tokens
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.traveltime import exponential

SOURCE = "arXiv 2312.10794"
NEAR = "tokens near one point"
AVERAGES = ("softmax", "l2", "sinkhorn")
NO_MEAN = 1e-9  # a mean this short is rounding


def consensus_rate(beta: float, *, attention: str = "softmax") -> Prediction:
    """The rate at which 1 - <x_i, x_j> decays at the end, when all tokens are near one point.

    1 - <x_i, x_j> ~ e^{-rate t} with the rate 2 for softmax and 2 e^beta for unnormalized attention (arXiv 2312.10794,
    section 6).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with a rate, in units of 1/time; `log10` where 2 e^beta overflows.

    Raises:
        InvalidInput: If beta or attention is not one of those.

    >>> float(consensus_rate(9.0))
    2.0
    """
    check(beta, 2, attention)
    log_rate = np.log(2) + (beta if attention == "unnormalized" else 0.0)
    return Prediction(
        exponential(log_rate),
        "1 - <x_i, x_j> decays like e^(-rate t) near one cluster",
        (IDENTITY, NEAR),
        f"{SOURCE}, section 6",
        log10=float(log_rate / np.log(10)),
    )


def wasserstein_rate(beta: float = 0.0, *, attention: str = "unnormalized") -> Prediction:
    """The rate at which the Wasserstein distance W2 of the law to its limit, a Dirac, decays at the end.

    W2(mu_t, Dirac) ~ e^{-rate t} with half of the `consensus_rate`: 1 for softmax attention and e^beta for unnormalized
    attention. The theorem of arXiv 2504.14697 has e^{-t/100}, for small |beta| and a density whose mean is not zero.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with a rate, in units of 1/time.

    Raises:
        InvalidInput: If beta or attention is not one of those.

    >>> float(wasserstein_rate())
    1.0
    """
    rate = consensus_rate(beta, attention=attention)
    return Prediction(
        rate.value / 2,
        "W2(mu_t, Dirac) ~ e^(-rate t)",
        (IDENTITY, NEAR, "many tokens or finitely many"),
        "derived; arXiv 2504.14697 proves at least 1/100 for small beta",
        status="asymptotic",
        log10=rate.log10 - np.log10(2),
    )


def cone_collapse_rate(beta: float, n: int) -> Prediction:
    """A rate at which tokens that start in an open hemisphere collapse to one point, for V = I and any Q and K.

    With alpha(t) the smallest cosine between a token and the limit, 1 - alpha(t) <= e^{-rate (t - t0)}/2 and
    rate = 1/(2 n e^{2 beta}), if |Q^T K| <= 1. This is the constant of the proof (arXiv 2312.10794) and far from sharp:
    compare `consensus_rate`.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        n: Number of tokens, n >= 2.

    Returns:
        A `Prediction` with a lower bound on the rate, in units of 1/time.

    Raises:
        InvalidInput: If beta is negative or not finite, or n < 2.

    >>> float(cone_collapse_rate(0.0, 2))
    0.25
    """
    check(beta, 2)
    check_tokens(n)
    log_rate = -np.log(2 * n) - 2 * beta
    return Prediction(
        exponential(log_rate),
        "tokens in an open hemisphere collapse to one cluster at least this fast",
        ("V = I, softmax attention, |Q^T K| <= 1", "all tokens in an open hemisphere"),
        SOURCE,
        status="bound",
        log10=float(log_rate / np.log(10)),
    )


def common_hemisphere(n: int, d: int) -> Prediction:
    """The probability that n independent uniform tokens of S^{d-1} lie in one hemisphere.

    It is 2^{-(n-1)} sum_{k<d} C(n-1, k) (Wendel 1962). Tokens in an open hemisphere collapse to one cluster
    exponentially fast, for V = I and any Q and K (arXiv 2312.10794).

    Args:
        n: Number of tokens, n >= 1.
        d: Dimension of the ambient space, d >= 1.

    Returns:
        A `Prediction` with a probability; 1 for d >= n.

    Raises:
        InvalidInput: If n < 1 or d < 1.

    >>> round(float(common_hemisphere(32, 16)), 12)
    0.5
    """
    if n < 1 or d < 1:
        raise InvalidInput(f"Wendel's formula needs n >= 1 and d >= 1, got n = {n}, d = {d}")
    probability = float(special.bdtr(min(d - 1, n - 1), n - 1, 0.5)) if d < n else 1.0
    return Prediction(
        probability,
        "n independent uniform points lie in a common hemisphere with probability 2^-(n-1) sum_{k<d} C(n-1, k)",
        ("tokens independent and uniform",),
        f"Wendel 1962; cone collapse: {SOURCE}",
    )


def stability_rate(beta: float, *, attention: str = "softmax") -> Prediction:
    """The constant L in Dobrushin's estimate W1(mu_t, nu_t) <= e^{L t} W1(mu_0, nu_0) on the sphere.

    W1 is measured with the geodesic distance. The covariant derivative of the velocity is at most 1 + beta, and
    e^{beta <x, y>} (y - A)/Z is Lipschitz in y with the constant e^{2 beta}(1 + 2 beta): softmax attention has
    L = 1 + beta + e^{2 beta}(1 + 2 beta), unnormalized attention L = 2 e^beta (1 + beta). The estimate is that of arXiv
    2312.10794, with the constant derived.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with an upper bound on the rate at which two solutions part, in units of 1/time.

    Raises:
        InvalidInput: If beta or attention is not one of those.

    >>> float(stability_rate(0.0)), float(stability_rate(0.0, attention="unnormalized"))
    (2.0, 2.0)
    """
    check(beta, 2, attention)
    if attention == "softmax":
        log_rate = np.logaddexp(np.log1p(beta), 2 * beta + np.log1p(2 * beta))
    else:
        log_rate = np.log(2) + beta + np.log1p(beta)
    return Prediction(
        exponential(log_rate),
        "W1(mu_t, nu_t) <= e^(L t) W1(mu_0, nu_0)",
        (IDENTITY, "any two initial laws on the sphere"),
        f"Dobrushin's estimate ({SOURCE}), with the constant derived",
        status="bound",
        log10=float(log_rate / np.log(10)),
    )


def sampling_rate(d: int) -> Prediction:
    """The exponent p with which n independent tokens approach their law: E W1(mu_n, mu) ~ n^{-p} on S^{d-1}.

    p = 1/(d-1), but at most 1/2 (arXiv 2312.10794: Dobrushin's estimate and the rate of empirical measures). On S^2
    (d = 3), where the two meet, a factor sqrt(log n) comes on top.

    Args:
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with an exponent.

    Raises:
        InvalidInput: If d < 2.

    >>> float(sampling_rate(2)), float(sampling_rate(5))
    (0.5, 0.25)
    """
    check(1.0, d)
    return Prediction(
        1 / max(2, d - 1),
        "the empirical measure of n independent tokens is at distance W1 ~ n^(-p) from its law, and stays so",
        ("n independent tokens with a density on S^(d-1)",),
        f"{SOURCE} (Dobrushin and the rate of empirical measures)",
    )


def support_radius(
    t: float, V: float | np.ndarray | Callable[[float], float | np.ndarray], *, radius: float = 1.0
) -> Prediction:
    """A bound on the length |x| of all tokens in R^d at time t.

    R(t) <= e^{int_0^t |V|} R(0), with |V| the spectral norm, because the attention averages (arXiv 2501.18322).

    Args:
        t: The time, t >= 0.
        V: The value matrix (d, d), its norm, or a function of time that returns either.
        radius: A bound R(0) on the length of all tokens at time 0.

    Returns:
        A `Prediction` with an upper bound R(t).

    Raises:
        InvalidInput: If t or the radius is negative or not finite, or V is not a finite matrix.

    >>> round(float(support_radius(1.0, 2.0, radius=3.0)), 3)
    22.167
    """
    if not (np.isfinite(t) and t >= 0 and np.isfinite(radius) and radius >= 0):
        raise InvalidInput(f"this needs t >= 0 and radius >= 0, got t = {t}, radius = {radius}")
    total = integrate.quad(lambda s: _norm(V(s)), 0.0, t, limit=200)[0] if callable(V) else t * _norm(V)
    log_radius = total + np.log(radius) if radius > 0 else -np.inf
    return Prediction(
        exponential(log_radius),
        "tokens stay in the ball of radius R(t) <= e^(int |V|) R(0)",
        ("attention in R^d that averages values: softmax, L2, Sinkhorn", "tokens start in the ball of radius R(0)"),
        "arXiv 2501.18322",
        status="bound",
    )


def _norm(V: float | np.ndarray) -> float:
    try:
        V = np.asarray(V, float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"V must be a finite number, a matrix, or a function of t, got {shown(V)}") from None
    if V.ndim not in (0, 2) or not np.all(np.isfinite(V)):
        raise InvalidInput("V must be a finite number >= 0 or a matrix")
    return float(np.linalg.norm(V, 2)) if V.ndim else abs(float(V))


# --- when they apply ------------------------------------------------------------------------------------------------


def consensus_rate_for(setting: Setting) -> Prediction:
    beta, _ = conditions.plain(setting)
    conditions.in_hemisphere(setting)  # then consensus is certain
    return consensus_rate(beta, attention=str(setting.attention))


def wasserstein_rate_for(setting: Setting) -> Prediction:
    beta, d = conditions.plain(setting)
    start = setting.start
    if start is not None and start.kind == "density":
        # At beta = 0 the mean alone decides; the theorem for beta > 0 has a bound on beta that nobody knows. What
        # starts opposite to the limit comes late: its mass e^{-(d-1)t} makes W2 ~ e^{-(d-1)t/2}, slower if d = 2.
        if beta != 0 or d < 4 or start.mean is None or np.linalg.norm(start.mean) < NO_MEAN:
            raise DoesNotApply("a density is known to become a Dirac so fast only at beta = 0, with a mean and d >= 4")
    else:
        conditions.in_hemisphere(setting)
    return wasserstein_rate(beta, attention=str(setting.attention))


def cone_collapse_rate_for(setting: Setting) -> Prediction:
    beta = conditions.head(setting, ("softmax",), geometry="sphere")
    conditions.value_multiple(setting, (1,))
    if not (setting.Q is None and setting.K is None) and np.linalg.norm(setting.A, 2) > 1 + conditions.EQUAL:
        raise DoesNotApply("it needs |Q^T K| <= 1, this model has larger matrices")
    n = conditions.token_count(setting)
    conditions.in_hemisphere(setting)
    return cone_collapse_rate(beta, n)


def common_hemisphere_for(setting: Setting) -> Prediction:
    if setting.geometry != "sphere":
        raise DoesNotApply("it is about tokens on the sphere, those of this model live in R^d")
    n = conditions.token_count(setting)
    if setting.start is not None:
        where = "do" if setting.start.is_in_hemisphere else "do not"
        raise DoesNotApply(f"it is about random tokens: those of the start are known and {where} share a hemisphere")
    return common_hemisphere(n, setting.d)


def stability_rate_for(setting: Setting) -> Prediction:
    beta, _ = conditions.plain(setting)
    return stability_rate(beta, attention=str(setting.attention))


def sampling_rate_for(setting: Setting) -> Prediction:
    _, d = conditions.plain(setting)
    if setting.start is not None and setting.start.kind == "tokens":
        raise DoesNotApply("it is about independent tokens of a law with a density: give that density as start")
    return sampling_rate(d)


def support_radius_for(setting: Setting) -> Prediction:
    conditions.head(setting, AVERAGES, geometry="euclidean")
    start = setting.start
    if start is None or start.points is None:
        raise DoesNotApply("it needs tokens as start, of bounded length")
    radius, t = float(np.linalg.norm(start.points, axis=1).max()), 1.0
    found = support_radius(t, 1.0 if setting.V is None else setting.V, radius=radius)
    return replace(found, statement=f"{found.statement}; here t = {t:g} and R(0) = {radius:.6g}")
