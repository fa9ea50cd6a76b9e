"""The transition from the uniform law to a concentrated state under noise: where it is, and whether it jumps.

Branches leave the uniform law at kappa_k (`noise_thresholds`). Up to beta_* (`critical_beta`) the first one goes to
larger kappa and the transition is continuous; beyond it the branch turns back, folds, and there is hysteresis.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.branches import MAX_POINTS, SOURCE, Point, crossing, walk, zonal_class
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.harmonics import log_couplings
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting
from tokenfield.theory.stationary import NOISY, stationary_order
from tokenfield.theory.transitions import critical_beta, noise_thresholds, noisy_model

# Where the first branch is followed to its fold within a second or two. The depth is the log of kappa_1 G(1): how far
# the fold lies below kappa_1.
QUICK_BETA, QUICK_DIM, QUICK_DEPTH = 60.0, 1024, 11.0


@lru_cache(maxsize=64)
def _fold_and_transition(beta: float, d: int) -> tuple[float, float]:
    """(lam of the fold, lam of equal free energy) of the first branch, for beta > beta_*."""
    zonal = zonal_class(beta, d, 1, 0.0)
    before: Point | None = None
    fold = np.nan
    for count, point in enumerate(walk(zonal, 1)):
        if before is not None:
            if np.isnan(fold) and before.tangent[-1] < 0 <= point.tangent[-1]:
                fold = crossing(zonal, before, point, lambda p: float(p.tangent[-1])).lam
            energies = [zonal.scaled_free_energy(p.z[:-1], p.lam) for p in (before, point)]
            if not np.isnan(fold) and energies[0] > 0 >= energies[1]:
                equal = crossing(zonal, before, point, lambda p: zonal.scaled_free_energy(p.z[:-1], p.lam))
                return fold, equal.lam
        before = point
        if count > MAX_POINTS or point.z[-1] > 0.5:
            break
    raise InvalidInput(f"beta = {beta:g} is too close to beta_* for its window to be resolved")


def hysteresis_window(beta: float, d: int = 2) -> Prediction:
    """The interval [kappa_fold, kappa_1] in which both the uniform law and a concentrated state are stable.

    Raising kappa from below, tokens stay uniform until kappa_1; lowering it, they stay concentrated until kappa_fold,
    where the first branch of stationary states folds (continuation; arXiv 2604.16288 for d = 2, arXiv 2606.05140).

    Args:
        beta: Inverse temperature, a finite number >= 0, up to 500 where there is hysteresis.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with an array (2,); both ends are kappa_1 up to `critical_beta`, where there is no hysteresis.

    Raises:
        InvalidInput: If an argument is out of its range, or beta is so close to beta_* that the window is narrower
            than rounding.

    >>> hysteresis_window(5.0).value.round(5).tolist()
    [0.1843, 0.20546]
    >>> hysteresis_window(1.0).value.round(5).tolist()
    [1.76941, 1.76941]
    """
    check(beta, d)
    kappa_1 = float(np.exp(-log_couplings(beta, d, 1)[0]))
    is_discontinuous = beta > float(critical_beta(d))
    low = kappa_1 * _fold_and_transition(float(beta), int(d))[0] if is_discontinuous else kappa_1
    return Prediction(
        np.array([low, kappa_1]),
        "between kappa_fold and kappa_1 both the uniform law and a concentrated state are stable"
        if is_discontinuous
        else "no hysteresis: the transition is continuous at kappa_1",
        (IDENTITY, NOISY),
        SOURCE,
        status="numerical" if is_discontinuous else "theorem",
    )


def global_transition(beta: float, d: int = 2) -> Prediction:
    """The value kappa_c beyond which a concentrated state has less free energy than the uniform law.

    It is kappa_1 up to `critical_beta`; beyond, the crossing of free energies on the first branch, below kappa_1. The
    K_c of arXiv 2606.05140 is kappa_c / 2.

    Args:
        beta: Inverse temperature, a finite number >= 0, up to 500 where the transition is discontinuous.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with kappa_c.

    Raises:
        InvalidInput: As for `hysteresis_window`.

    >>> round(float(global_transition(5.0)), 6), round(float(global_transition(1.0)), 6)
    (0.187976, 1.769413)
    """
    check(beta, d)
    kappa_1 = float(np.exp(-log_couplings(beta, d, 1)[0]))
    is_discontinuous = beta > float(critical_beta(d))
    return Prediction(
        kappa_1 * _fold_and_transition(float(beta), int(d))[1] if is_discontinuous else kappa_1,
        "the uniform law has the least free energy up to it, a concentrated state beyond (K_c = kappa_c / 2)",
        (IDENTITY, NOISY),
        SOURCE,
        status="numerical" if is_discontinuous else "theorem",
    )


def initial_curvature(beta: float, d: int = 2) -> Prediction:
    """The number c that says how kappa starts along the first branch: kappa/kappa_1 = 1 + c r^2 + O(r^4).

    c = (d - d^2 q)/((d+2)(1 - q)) with q = g_2/g_1 = I_{d/2+1}/I_{d/2}, where g_k is the coefficient of degree k of
    G = e^{beta t}/beta, by expanding mu = e^{kappa G * mu}/Z to third order. c > 0 is a continuous transition; for
    c < 0 the branch turns back; c = 0 at the beta_* of arXiv 2606.05140.

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with c.

    Raises:
        InvalidInput: If beta is negative or not finite, or d < 2.

    >>> round(float(initial_curvature(0.0)), 3), float(initial_curvature(5.0)) < 0
    (0.5, True)
    """
    check(beta, d)
    logs = log_couplings(beta, d, 2)
    q = float(np.exp(logs[1] - logs[0]))
    return Prediction(
        d * (1 - d * q) / ((d + 2) * (1 - q)),
        "kappa/kappa_1 = 1 + c r^2 along the branch off the uniform law",
        (IDENTITY, NOISY, "r small"),
        "derived by expanding mu = e^(kappa G*mu)/Z to third order; it changes sign at the beta_* of arXiv 2606.05140",
    )


# --- when they apply ------------------------------------------------------------------------------------------------


def _quick(setting: Setting, call: str) -> tuple[float, int]:
    """(beta, d) of a model with noise, or without, whose transition is found within a second or two."""
    beta, d = noisy_model(setting)
    if beta > float(critical_beta(d)):
        log_kappa = float(noise_thresholds(beta, d, count=1).log10[0]) * np.log(10)
        depth = beta - np.log(beta) + log_kappa
        if d > QUICK_DIM or beta > QUICK_BETA or depth >= QUICK_DEPTH:
            raise DoesNotApply(f"it takes long at this beta and d: call theory.{call}(beta, d)")
    return beta, d


def hysteresis_window_for(setting: Setting) -> Prediction:
    return hysteresis_window(*_quick(setting, "hysteresis_window"))


def global_transition_for(setting: Setting) -> Prediction:
    return global_transition(*_quick(setting, "global_transition"))


def initial_curvature_for(setting: Setting) -> Prediction:
    return initial_curvature(*noisy_model(setting))


def stationary_order_for(setting: Setting) -> Prediction:
    beta, d = noisy_model(setting)
    kappa = conditions.noise_level(setting)
    found = stationary_order(kappa, beta, d)
    try:
        transition = float(global_transition_for(setting))
    except (DoesNotApply, InvalidInput):
        return found
    if not (float(found) > 0 and kappa < transition):
        return found
    note = "metastable, as kappa < kappa_c: the uniform law has less free energy"
    return replace(found, statement=f"{found.statement}; {note}")
