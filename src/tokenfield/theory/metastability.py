"""Slow times: two clusters that merge, plateaus of the energy, and how escape times grow with beta."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.traveltime import exponential, log_travel_time

PAIR = "two clusters, each collapsed to a point"
LEVEL = 0.999
LATE = 10.0  # beta (1 - rho) from which the formula for large beta is right to 10 % (9.4 % at rho = 1/2, beta = 20)


def _check_pair(beta: float, cosine: float, masses: Sequence[float]) -> np.ndarray:
    a = np.asarray(masses, float)
    if not (np.isfinite(beta) and beta >= 0):
        raise InvalidInput(f"beta must be a finite number >= 0, got {beta}")
    if not -1 < cosine < 1:
        raise InvalidInput(f"the cosine of the two clusters must be between -1 and 1, got {cosine}")
    if a.shape != (2,) or not np.all(a > 0):
        raise InvalidInput(f"two positive masses are needed, got {shown(masses)}")
    return a / a.sum()


def merge_time(
    beta: float,
    *,
    cosine: float = 0.0,
    masses: Sequence[float] = (0.5, 0.5),
    level: float = LEVEL,
    attention: str = "softmax",
) -> Prediction:
    """The time in which two clusters come so close that their cosine reaches `level`.

    With masses a_1, a_2 the cosine obeys rho' = (1 - rho^2) sum_i a_j / (a_i e^{beta(1-rho)} + a_j) for softmax
    attention and rho' = (1 - rho^2) e^{beta rho} for unnormalized attention: the equation of arXiv 2312.10794 for two
    weighted tokens (arXiv 2509.25040 treats the pairing phase). The time is added up on a log scale by quadrature.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        cosine: The cosine of the two clusters at time 0, between -1 and 1.
        masses: The two masses, positive; only their ratio matters.
        level: The cosine to reach, between `cosine` and 1; by default 0.999.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with a time. For softmax attention it is of the order of e^{beta(1-rho)}: `log10` holds those too
        long for a double.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> round(float(merge_time(5.0)), 4), round(float(merge_time(5.0, masses=(1, 3))), 4)
    (19.4257, 13.3209)
    """
    a, b = _check_pair(beta, cosine, masses)
    check(beta, 2, attention)
    if not cosine < level < 1:
        raise InvalidInput(f"the level must be between the initial cosine and 1, got {level}")

    def log_slowness(s: np.ndarray) -> np.ndarray:
        # rho = 1 - e^{-s}: the slow start is a short interval in s, and the end is smooth
        gap, log_rise = beta * np.exp(-s), np.log1p(-np.expm1(-s))  # beta (1 - rho), log(1 + rho)
        if attention == "unnormalized":
            return gap - beta - log_rise
        first = -np.logaddexp(gap + np.log(a) - np.log(b), 0.0)
        second = -np.logaddexp(gap + np.log(b) - np.log(a), 0.0)
        return -log_rise - np.logaddexp(first, second)

    start, end = -np.log1p(-cosine), -np.log1p(-level)
    # near the start change e^{beta rho}, and 1 + rho if the two are almost antipodal
    scale = 1 / max(1.0, beta * (1 - cosine), (1 - cosine) / (1 + cosine))
    log_time = log_travel_time(log_slowness, start, end, scale=scale)
    return Prediction(
        exponential(log_time),
        f"clusters of masses {a:g} and {b:g} go from cosine {cosine:g} to {level:g}",
        (IDENTITY, f"{attention} attention", PAIR),
        "derived from the two-cluster equation of arXiv 2312.10794",
        log10=log_time / np.log(10),
    )


def merge_time_asymptotic(
    beta: float, *, cosine: float = 0.0, masses: Sequence[float] = (0.5, 0.5), attention: str = "softmax"
) -> Prediction:
    """The leading order, for large beta, of the time in which two clusters merge: what `merge_time` tends to.

    e^{beta(1-rho)} / (beta (1-rho^2) (a_1/a_2 + a_2/a_1)) for softmax attention, and e^{-beta rho} / (beta (1-rho^2))
    whatever the masses for unnormalized attention (derived; the pairing phase of arXiv 2509.25040).

    Args:
        beta: Inverse temperature, a finite number > 0.
        cosine: The cosine rho of the two clusters at time 0, between -1 and 1.
        masses: The two masses, positive; only their ratio matters.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with a time; `log10` holds those too long for a double.

    Raises:
        InvalidInput: If an argument is out of its range, or beta = 0.

    >>> round(float(merge_time_asymptotic(20.0)) / float(merge_time(20.0)), 3)
    0.995
    """
    a, b = _check_pair(beta, cosine, masses)
    check(beta, 2, attention)
    if beta == 0:
        raise InvalidInput("the merge time for large beta needs beta > 0")
    statement = "merge time ~ e^(beta(1-rho)) / (beta (1-rho^2) (a_j/a_i + a_i/a_j))"
    log_time = beta * (1 - cosine) - np.log(beta * (1 - cosine**2) * (a / b + b / a))
    if attention == "unnormalized":
        statement = "merge time ~ e^(-beta rho) / (beta (1-rho^2))"
        log_time = -beta * cosine - np.log(beta * (1 - cosine**2))
    return Prediction(
        exponential(log_time),
        statement,
        (IDENTITY, f"{attention} attention", PAIR, "beta (1 - rho) large"),
        "derived; the pairing phase of arXiv 2509.25040",
        status="asymptotic",
        log10=float(log_time / np.log(10)),
    )


def metastability_bounds(beta: float, n: int, *, eps: float, alpha: float, lam: float) -> Prediction:
    """[T1, T2]: between these times tokens that start in separated caps have collapsed within them and not left them.

    T1 <= 2 n e^{8 eps beta} + e n lam beta^2/(beta-1) and T2 >= (eps/n) e^{(1-alpha) beta} (arXiv 2410.06833): on
    [0, T2] each token stays in its cap <x, w_q> >= 1 - 2 eps, and on [T1, T2] |x_i - x_j|^2 <= 2 e^{-lam beta} within
    a cap.

    Args:
        beta: Inverse temperature, beta > 1.
        n: Number of tokens, n >= 2; in the mean-field version the number of caps.
        eps: The size of the caps <x, w_q> >= 1 - eps that hold the tokens at time 0, below 1/16.
        alpha: The largest cosine between two of the caps of size 2 eps.
        lam: How small the clusters are to become, between 0 and 1 - alpha (exactly: 1 - alpha - O(1/beta)).

    Returns:
        A `Prediction` with an array (2,): the bounds on T1 and T2; `log10` holds those too long for a double.

    Raises:
        InvalidInput: If an argument is out of its range, or unless the separation that the theorem asks for holds:
            1 - alpha - 8 eps - log(2 n^2/eps)/beta > 0.

    >>> bounds = metastability_bounds(60.0, 3, eps=0.01, alpha=0.0, lam=0.5)
    >>> bounds.log10.round(2).tolist()
    [2.99, 23.58]
    """
    check(beta, 2)
    if isinstance(n, bool) or int(n) != n or n < 2:
        raise InvalidInput(f"the number of tokens (or caps) must be a whole number >= 2, got {n!r}")
    if not (0 < eps < 1 / 16 and -1 <= alpha < 1 and beta > 1):
        raise InvalidInput(f"this needs 0 < eps < 1/16, -1 <= alpha < 1, beta > 1, got {eps}, {alpha}, {beta}")
    if not 0 < lam < 1 - alpha:
        raise InvalidInput(f"lam must be between 0 and 1 - alpha = {1 - alpha:g}, got {lam}")
    separation = 1 - alpha - 8 * eps - np.log(2 * n**2 / eps) / beta
    if separation <= 0:
        needed = np.log(2 * n**2 / eps) / (1 - alpha - 8 * eps) if 1 - alpha > 8 * eps else np.inf
        raise InvalidInput(
            f"the caps are not separated enough at beta = {beta:g}: the theorem needs beta > {needed:.4g}"
        )
    log_first = np.logaddexp(np.log(2 * n) + 8 * eps * beta, 1 + np.log(n * lam * beta**2 / (beta - 1)))
    logs = np.array([log_first, np.log(eps / n) + (1 - alpha) * beta])
    return Prediction(
        np.array([exponential(value) for value in logs]),
        "tokens stay in their caps up to T2, and within a cap |x_i - x_j|^2 <= 2 e^(-lam beta) from T1 on",
        (IDENTITY, "softmax attention", "tokens start in caps <x, w_q> >= 1 - eps", "lam < 1 - alpha - O(1/beta)"),
        "arXiv 2410.06833",
        status="bound",
        log10=logs / np.log(10),
    )


def plateau(masses: Sequence[float]) -> Prediction:
    """The value at which the normalized energy rests while clusters of these masses are well separated.

    2 beta e^{-beta} E = sum_q a_q^2, which is 1/k for k equal clusters; merging two raises it by 2 a_i a_j (derived
    from the energy of arXiv 2410.06833).

    Args:
        masses: The masses of the clusters, positive; they are divided by their sum.

    Returns:
        A `Prediction` with a number between 0 and 1.

    Raises:
        InvalidInput: If there is no mass or one is not positive.

    >>> round(float(plateau([1, 1, 1])), 4), round(float(plateau([2, 1])), 4)
    (0.3333, 0.5556)
    """
    a = np.asarray(masses, float)
    if a.ndim != 1 or not len(a) or not np.all(a > 0):
        raise InvalidInput("plateau needs a list of positive masses")
    a = a / a.sum()
    return Prediction(
        float(np.sum(a**2)),
        "the normalized energy rests at the sum of squared masses; merging a_i and a_j raises it by 2 a_i a_j",
        ("clusters collapsed to points", "e^(-beta (1 - alpha)) small, alpha the largest cosine between clusters"),
        "derived from the energy of arXiv 2410.06833",
    )


def escape_slope(largest_cosine: float) -> Prediction:
    """The slope of log(escape time) against beta: how fast the life of separated clusters grows with beta.

    Tokens stay in their clusters for times e^{(1-alpha) beta}, alpha the largest cosine between clusters (arXiv
    2410.06833).

    Args:
        largest_cosine: The largest cosine alpha between two clusters, at least -1 and below 1.

    Returns:
        A `Prediction` with 1 - alpha.

    Raises:
        InvalidInput: If the cosine is out of its range.

    >>> float(escape_slope(0.25))
    0.75
    """
    if not -1 <= largest_cosine < 1:
        raise InvalidInput(f"the largest cosine must be in [-1, 1), got {largest_cosine}")
    return Prediction(
        1 - float(largest_cosine),
        "tokens stay in their clusters for times e^((1-alpha) beta)",
        (IDENTITY, "separated clusters with largest cosine alpha", "beta large"),
        "arXiv 2410.06833",
    )


def critical_angle(beta: float) -> Prediction:
    """The angle below which two tokens hold together: there the kernel e^{beta cos} is concave.

    arccos((sqrt(1 + 4 beta^2) - 1)/(2 beta)), about beta^{-1/2} for large beta (arXiv 2601.21366).

    Args:
        beta: Inverse temperature, a finite number >= 0.

    Returns:
        A `Prediction` with an angle in radians; pi/2 at beta = 0.

    Raises:
        InvalidInput: If beta is negative or not finite.

    >>> round(float(critical_angle(5.0)), 6)
    0.439446
    """
    check(beta, 2)
    value = float(np.arccos(2 * beta / (np.sqrt(1 + 4 * beta**2) + 1)))
    return Prediction(
        value,
        "radians; closer tokens hold together (the kernel e^(beta cos) is concave), about beta^(-1/2)",
        ("tokens on a great circle",),
        "arXiv 2601.21366",
    )


def scalar_collapse(beta: float, u0: float, c: float) -> Prediction:
    """A bound on the time in which the smallest cosine u of a cap collapses: u' = u(1-u) e^{beta(u-1)}.

    u reaches 1 - e^{-c beta} before e^{beta(1-u0)}/u0 + beta^2 c e/(beta-1) (the scalar lemma of arXiv 2410.06833).

    Args:
        beta: Inverse temperature, beta > 1.
        u0: The cosine at time 0, between 0 and 1.
        c: How far it is to collapse, c > 0.

    Returns:
        A `Prediction` with an upper bound on the time.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> round(float(scalar_collapse(3.0, 0.3, 1.0)), 3)
    39.453
    """
    if not (beta > 1 and 0 < u0 < 1 and c > 0):
        raise InvalidInput(f"the bound needs beta > 1, 0 < u0 < 1, c > 0, got {beta}, {u0}, {c}")
    return Prediction(
        exponential(beta * (1 - u0) - np.log(u0)) + beta**2 * c * np.e / (beta - 1),
        "u reaches 1 - e^(-c beta) before this time",
        ("the scalar comparison equation of one cap",),
        "arXiv 2410.06833",
        status="bound",
    )


# --- when they apply ------------------------------------------------------------------------------------------------


def _pair(setting: Setting) -> tuple[float, float, tuple[float, float]]:
    """(beta, cosine, masses) of two clusters that are neither opposite nor merged."""
    beta, _ = conditions.plain(setting)
    cosine, masses = conditions.two_clusters(setting)
    if not -1 + conditions.SAME_COSINE < cosine < LEVEL:
        raise DoesNotApply(f"it is about two clusters with a cosine between -1 and {LEVEL:g}, here it is {cosine:.6g}")
    return beta, cosine, masses


def merge_time_for(setting: Setting) -> Prediction:
    beta, cosine, masses = _pair(setting)
    return merge_time(beta, cosine=cosine, masses=masses, attention=str(setting.attention))


def merge_time_asymptotic_for(setting: Setting) -> Prediction:
    beta, cosine, masses = _pair(setting)
    # where masses differ the weights are far from one-hot for longer; near the opposite point tokens wait to leave it
    gap = beta * (1 - cosine) - abs(np.log(masses[0] / masses[1]))
    if gap < LATE or beta * (1 - cosine**2) < 2 * LATE * abs(cosine):
        raise DoesNotApply(f"it needs beta (1 - rho) >= {LATE:g}, and rho not near -1, to be right to a tenth")
    return merge_time_asymptotic(beta, cosine=cosine, masses=masses, attention=str(setting.attention))


def plateau_for(setting: Setting) -> Prediction:
    beta, _ = conditions.plain(setting)
    _, masses = conditions.separated_clusters(setting, beta)
    return plateau(masses.tolist())


def escape_slope_for(setting: Setting) -> Prediction:
    beta, _ = conditions.plain(setting, ("softmax",))
    largest, _ = conditions.separated_clusters(setting, beta)
    return escape_slope(largest)


def critical_angle_for(setting: Setting) -> Prediction:
    beta, d = conditions.plain(setting)
    start = setting.start
    if start is not None and d > 2:
        points = start.points if start.kind == "tokens" else None
        if points is None or points.size > conditions.MOST_ENTRIES or np.linalg.matrix_rank(points, tol=1e-6) > 2:
            raise DoesNotApply("it is about tokens on a great circle, those of the start are not known to lie on one")
    return critical_angle(beta)
