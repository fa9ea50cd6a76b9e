"""Where the order of tokens matters: Renyi centers, lost in the middle, rotary positions on a ring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.bessel import bessel_ratios, log_bessel
from tokenfield.theory.growth import IDENTITY, check, check_tokens
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.traveltime import exponential

PARKING = 0.7475979202534114  # Renyi's parking constant
SCALE = 4.0  # delta = 4 beta^{-1/2}, as published (arXiv 2411.04990: 0.5 at beta = 64)
SMALL = 0.5  # radians: up to here the number of parked arcs is that of a line, to a percent
PARKED = 100  # tokens per cap after which a few percent of the places that are left have been taken
MISSED = 1e-3  # the part of the strong centers of an endless sequence that this one may miss
DEGREES = 4  # in which tokens must look uniform


def strong_renyi_count(delta: float, d: int) -> Prediction:
    """The expected number of strong Renyi centers of an endless sequence of uniform tokens.

    A token is a strong center if no earlier token is within the angle delta. Their expected number is 1/sigma(B_delta),
    one over the share of the sphere in a cap of that angle (arXiv 2411.04990, Lemma C.1): pi/delta on the circle and
    1/sin^2(delta/2) on S^2. (A note by others has a third of that on S^2, which is wrong.)

    Args:
        delta: The angle, in radians, between 0 and pi; at inverse temperature beta about 4 beta^{-1/2}.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with a number >= 1.

    Raises:
        InvalidInput: If delta or d is out of its range.

    >>> [round(float(strong_renyi_count(0.5, d)), 3) for d in (2, 3)]
    [6.283, 16.338]
    """
    _check(delta, d)
    # the cap's share of the sphere; the regularized incomplete beta function counts half of it up to a right angle
    share = 0.5 * special.betainc((d - 1) / 2, 0.5, np.sin(delta) ** 2)
    share = share if delta <= np.pi / 2 else 1 - share
    return Prediction(
        float(1 / share),
        "a token is a strong center if no earlier token is within delta; their expected number is 1/sigma(B_delta)",
        ("infinitely many independent uniform tokens",),
        "arXiv 2411.04990, Lemma C.1",
    )


def renyi_count_circle(delta: float) -> Prediction:
    """The number of Renyi centers on the circle of an endless sequence of uniform tokens, for small delta.

    A token is a center if no earlier center is within the angle delta: random sequential parking of arcs, which leaves
    0.7476 * 2 pi / delta of them (Renyi 1958; arXiv 2411.04990).

    Args:
        delta: The angle, in radians, between 0 and pi; at inverse temperature beta about 4 beta^{-1/2}.

    Returns:
        A `Prediction` with a positive number.

    Raises:
        InvalidInput: If delta is out of its range.

    >>> round(float(renyi_count_circle(0.5)), 3)
    9.395
    """
    _check(delta, 2)
    return Prediction(
        PARKING * 2 * np.pi / delta,
        "a token is a center if no earlier center is within delta: random sequential parking of arcs",
        ("infinitely many independent uniform tokens on the circle", "delta small"),
        "Renyi 1958; arXiv 2411.04990",
        status="asymptotic",
    )


def center_time(beta: float, position: int, *, c: float, eps: float) -> Prediction:
    """A time up to which a Renyi center on the circle hardly moves under causal attention.

    For centers that are c (1 + 2 eps) beta^{-1/2} apart, the one at `position` in the sequence moves by less than
    eps c beta^{-1/2} up to T = (eps/position) e^{c^2/2 - c^4/(24 beta)} (arXiv 2411.04990, Lemma 5.1).

    Args:
        beta: Inverse temperature, positive.
        position: The place of the center in the sequence: 1, 2, ...
        c: The distance of centers in units of beta^{-1/2}, c > 1.
        eps: How far the center may move in units of c beta^{-1/2}, positive.

    Returns:
        A `Prediction` with a lower bound on the time.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> round(float(center_time(64.0, 1, c=4.0, eps=0.1)), 3)
    252.333
    """
    check(beta, 2)
    if not (beta > 0 and c > 1 and eps > 0) or int(position) != position or position < 1:
        raise InvalidInput(
            f"this needs beta > 0, c > 1, eps > 0 and a position 1, 2, ..., got {beta}, {c}, {eps}, {position}"
        )
    return Prediction(
        exponential(np.log(eps / position) + c**2 / 2 - c**4 / (24 * beta)),
        "up to this time the center moves by less than eps c beta^(-1/2)",
        (IDENTITY, "causal softmax attention on the circle", "centers c (1 + 2 eps) beta^(-1/2) apart"),
        "arXiv 2411.04990, Lemma 5.1",
        status="bound",
    )


def memory_profile(
    s0: Sequence[float] | float, *, beta: float, lam: float, t: float, M: float, modes: int = 20
) -> Prediction:
    """The memory S_t(s0) that the last token keeps of the one at position s0: lost in the middle (arXiv 2605.09213).

    S_t = sum_n e^{-pi^2 n^2 / (2 M^2)} g_{a_n}(t, 1; s0), a_n = n^2 I_n(beta), with
    g_a = k sqrt(a t / Y) I_1(2 sqrt(a t Y)), k = lam e^{-lam (1 - s0)} / (1 - e^{-lam}) and
    Y = log((e^{lam} - 1)/(e^{lam s0} - 1)).

    Args:
        s0: One position or an array of positions, strictly between 0 (the first token) and 1 (the last).
        beta: Inverse temperature, positive.
        lam: The decay of ALiBi over the whole sequence, positive: e^{-lam (s - s')}, the slope times the length.
        t: The time, positive.
        M: The sharpness of what is remembered, positive: mode n counts with e^{-pi^2 n^2 / (2 M^2)}.
        modes: How many Fourier modes n to add.

    Returns:
        A `Prediction` with numbers of the shape of `s0`; infinite where a double cannot hold them.

    Raises:
        InvalidInput: If a position or another argument is out of its range.

    >>> round(float(memory_profile(0.5, beta=1.0, lam=1.0, t=2.0, M=10.0)), 3)
    3.45
    """
    s = np.asarray(s0, float)
    if not np.all((s > 0) & (s < 1)):
        raise InvalidInput("positions must lie strictly between 0 and 1")
    if not (lam > 0 and t > 0 and M > 0 and 0 < beta < np.inf) or modes < 1:
        raise InvalidInput("beta, lam, t, M and modes must be positive, and beta finite")
    Y = lam * (1 - s) + np.log(-np.expm1(-lam)) - np.log(-np.expm1(-lam * s))
    log_kernel = np.log(lam) - lam * (1 - s) - np.log(-np.expm1(-lam))
    total = np.zeros_like(s)
    with np.errstate(over="ignore"):
        for n, log_a in enumerate(_log_rates(beta, modes) + np.log(t), start=1):
            z = np.minimum(2 * np.exp((log_a + np.log(Y)) / 2), 1e300)
            log_bessel_1 = np.where(z < 1e8, np.log(special.ive(1, np.minimum(z, 1e8))), -np.log(2 * np.pi * z) / 2) + z
            log_term = (log_a - np.log(Y)) / 2 + log_bessel_1
            total = total + np.exp(log_term + log_kernel - (np.pi * n) ** 2 / (2 * M**2))
    return Prediction(
        total,
        "the response of the last token to the initial token at s0 diverges at 0, rises at 1, is least in between",
        ("causal attention with ALiBi decay e^(-lam (s - s'))", "many tokens, near the uniform law", "V = beta I"),
        "arXiv 2605.09213",
    )


def _log_rates(beta: float, modes: int) -> np.ndarray:
    """log a_n, a_n = n^2 I_n(beta), n = 1, ..., modes."""
    logs = log_bessel(0.0, beta) + np.cumsum(np.log(bessel_ratios(0.0, modes, beta)))
    return 2 * np.log(np.arange(1, modes + 1)) + logs


def critical_time(*, beta: float, lam: float, M: float, modes: int = 20) -> Prediction:
    """The time at which `memory_profile` stops rising towards the last token, and so loses its interior minimum.

    The slope of S_t at s0 = 1 vanishes at t = 2 (1 - e^{-lam}) sum_n c_n a_n / sum_n c_n a_n^2 with
    c_n = e^{-pi^2 n^2 / (2 M^2)} and a_n = n^2 I_n(beta) (derived from arXiv 2605.09213, whose values it reproduces).

    Args:
        beta: Inverse temperature, positive.
        lam: The decay of ALiBi over the whole sequence, positive.
        M: As for `memory_profile`, positive.
        modes: How many Fourier modes n to add.

    Returns:
        A `Prediction` with a time.

    Raises:
        InvalidInput: If an argument is not positive.

    >>> round(float(critical_time(beta=1.0, lam=1.0, M=8.0)), 6)
    2.457489
    """
    if not (lam > 0 and M > 0 and 0 < beta < np.inf) or modes < 1:
        raise InvalidInput("beta, lam, M and modes must be positive, and beta finite")
    logs = _log_rates(beta, modes)
    log_c = -((np.pi * np.arange(1, modes + 1)) ** 2) / (2 * M**2)
    log_time = np.log(-2 * np.expm1(-lam)) + special.logsumexp(log_c + logs) - special.logsumexp(log_c + 2 * logs)
    return Prediction(
        exponential(log_time),
        "the slope of the memory profile at the last token changes sign",
        ("causal attention with ALiBi decay", "many tokens, near the uniform law"),
        "derived from arXiv 2605.09213; its published values are reproduced",
        log10=float(log_time / np.log(10)),
    )


def ring_rate(beta: float, n: int, *, mode: int = 1) -> Prediction:
    """The rate at which a perturbation of consensus decays under rotary positions on a ring.

    n tokens turn by 2 pi/n each, and consensus lies in the plane that turns. Mode m of a perturbation decays at the
    rate 1 - sum_l I_{m+ln}(beta) / sum_l I_{ln}(beta), the slowest being m = 1 (derived; arXiv 2607.24502).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        n: Number of tokens, n >= 2.
        mode: The mode m >= 0; mode 0 turns all tokens together and does not decay.

    Returns:
        A `Prediction` with a rate, in units of 1/time.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> round(float(ring_rate(1.0, 16)), 5), round(float(ring_rate(4.0, 16)), 5)
    (0.55361, 0.13648)
    """
    check(beta, 2)
    check_tokens(n)
    if int(mode) != mode or mode < 0:
        raise InvalidInput(f"the mode must be a whole number >= 0, got {mode!r}")
    # the aliased Bessel sums are the discrete Fourier transform of the kernel e^{beta cos} on the ring
    angles = 2 * np.pi * np.arange(n) / n
    weights = np.exp(beta * (np.cos(angles) - 1))
    value = 2 * np.sum(weights * np.sin(mode * angles / 2) ** 2) / np.sum(weights)
    return Prediction(
        float(value),
        "perturbations of consensus of mode m decay at the rate 1 - sum_l I_{m+ln}(beta) / sum_l I_{ln}(beta)",
        ("Q = K = V = I", "rotary positions with frequency 2 pi/n, consensus in the rotating plane"),
        "derived; arXiv 2607.24502",
    )


def _check(delta: float, d: int) -> None:
    if not 0 < delta < np.pi:
        raise InvalidInput(f"delta is an angle between 0 and pi, got {delta}")
    if int(d) != d or d < 2:
        raise InvalidInput(f"the dimension d of S^(d-1) must be a whole number >= 2, got {d!r}")


# --- when they apply ------------------------------------------------------------------------------------------------


def _sequence(setting: Setting) -> tuple[float, int | None]:
    """(delta, n) for independent uniform tokens in a causal model; n is None for an endless sequence."""
    beta, _ = conditions.plain(setting, ("softmax",), allowing=("causal",))
    if "causal" not in setting.has:
        raise DoesNotApply("it is about a causal mask, this model has none")
    if not beta > (SCALE / np.pi) ** 2:
        raise DoesNotApply("it needs a larger beta: its angle 4 beta^(-1/2) must be below pi")
    conditions.only_tokens(setting)
    n = None if setting.n is None else conditions.independent_uniform(setting, DEGREES)
    return SCALE / float(np.sqrt(beta)), n


def strong_renyi_count_for(setting: Setting) -> Prediction:
    delta, n = _sequence(setting)
    found = strong_renyi_count(delta, setting.d)
    share = 1 / float(found)
    if n is not None and n * np.log1p(-share) > np.log(MISSED):
        needed = int(np.ceil(np.log(MISSED) / np.log1p(-share)))
        raise DoesNotApply(f"it is about an endless sequence: at this beta that is {needed} tokens or more")
    return replace(found, statement=f"{found.statement}; here delta = 4 beta^(-1/2) = {delta:.6g}")


def renyi_count_circle_for(setting: Setting) -> Prediction:
    delta, n = _sequence(setting)
    if setting.d != 2:
        raise DoesNotApply("it is about the circle, d = 2")
    if delta > SMALL:
        raise DoesNotApply(f"it needs a larger beta: its angle 4 beta^(-1/2) must be at most {SMALL:g}")
    if n is not None and n * delta / np.pi < PARKED:
        raise DoesNotApply(f"it is about an endless sequence: that is {int(np.ceil(PARKED * np.pi / delta))} tokens")
    found = renyi_count_circle(delta)
    return replace(found, statement=f"{found.statement}; here delta = 4 beta^(-1/2) = {delta:.6g}")


def ring_rate_for(setting: Setting) -> Prediction:
    beta, d = conditions.plain(setting, ("softmax",), allowing=("rope",))
    if setting.frequency is None:
        raise DoesNotApply("it is about rotary positions with one frequency")
    n = round(2 * np.pi / abs(setting.frequency)) if setting.frequency else 0
    if n < 2 or abs(n * abs(setting.frequency) / (2 * np.pi) - 1) > conditions.EQUAL:
        raise DoesNotApply("it needs the frequency 2 pi/n for a whole number n of tokens")
    conditions.near_consensus(setting)
    start = setting.start
    if start is not None:
        if conditions.token_count(setting) != n or not _are_on_ring(start.positions):
            raise DoesNotApply(f"it is about {n} tokens at the positions 0, 1, ..., {n - 1}, all around the ring")
        if start.points is None or np.abs(start.points[:, 2:]).max(initial=0.0) > conditions.NEAR_CONSENSUS:
            raise DoesNotApply("it is about consensus in the plane that turns, of the first two coordinates")
    elif d > 2:
        raise DoesNotApply("it is about consensus in the plane that turns: give a start")
    return ring_rate(beta, n)


def _are_on_ring(positions: np.ndarray | None) -> bool:
    """Whether the positions are consecutive whole numbers, in any order."""
    return positions is not None and np.allclose(np.diff(np.sort(positions)), 1.0, rtol=0, atol=1e-9)
