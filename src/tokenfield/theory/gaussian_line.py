"""Gaussians under attention in R^1: variances in closed form, and the balance of attention and a perceptron.

The covariance equations of arXiv 2501.18322 with numbers in place of matrices; the kernel is e^{a x y}, a = beta k q.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.theory import conditions
from tokenfield.theory.gaussian import KINDS, PAPER
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting

_FEED_FORWARD = ("R^1, softmax attention, V = I", "a > 0 and w > 0")


def gaussian_variance(
    t: ArrayLike, *, s0: float, a: float, v: float = 1.0, k: float = 1.0, attention: str = "softmax"
) -> Prediction:
    """The variance s(t) of a Gaussian law in R^1, in closed form.

    Softmax attention and, for mean zero, linear attention: s' = 2 v a s^2. L2 attention, with weights
    e^{-(q x - k y)^2} and a = k q: s' = 4 v a s^2 / (1 + 2 k^2 s). Sinkhorn attention: s' = 2 v g s with g the
    `sinkhorn_coefficient`. Derived from the equations of arXiv 2501.18322.

    Args:
        t: One time or an array of times.
        s0: The variance at time 0, positive.
        a: The number beta k q of the kernel e^{a x y}, also for L2 attention; 2 beta k q for Sinkhorn attention with
            the kernel of distances.
        v: The value "matrix", a number.
        k: The key "matrix" times sqrt(beta), which only L2 attention looks at.
        attention: "softmax", "linear" (mean zero), "l2" or "sinkhorn".

    Returns:
        A `Prediction` with variances, of the shape of `t`.

    Raises:
        InvalidInput: If s0 is not positive, a number is not finite, or a time is not before the blow-up.

    >>> float(gaussian_variance(1.0, s0=1.0, a=-0.5))
    0.5
    """
    if attention not in KINDS:
        raise InvalidInput(f"unknown attention {attention!r}{did_you_mean(str(attention), KINDS)}")
    if not (np.isfinite(s0) and s0 > 0 and np.all(np.isfinite([a, v, k]))):
        raise InvalidInput(f"a variance s0 > 0 and finite a, v, k are needed, got {s0}, {a}, {v}, {k}")
    times = np.asarray(t, float)
    if attention == "l2":
        value, statement = _l2_variance(times, s0, a * v, k), "grows at most exponentially, at the rate 2 v a / k^2"
    elif attention == "sinkhorn":
        value, statement = _sinkhorn_variance(times, s0, a, v), "grows at most exponentially, at the rate 2 |v|"
    else:
        left = 1 - 2 * v * a * s0 * times
        if np.any(left <= 0):
            raise InvalidInput(f"the variance blows up at t = {1 / (2 * v * a * s0):.6g}: ask for earlier times")
        value, statement = s0 / left, "s0 / (1 - 2 v a s0 t), which blows up iff v a > 0"
    assumptions = ("R^1, one head, no noise", *(("mean zero",) if attention == "linear" else ()))
    return Prediction(value, statement, assumptions, f"derived from the covariance equations of {PAPER}")


def sinkhorn_coefficient(a: float, s: float = 1.0) -> Prediction:
    """The slope g of the mean value E[y | x] = m + g (x - m) under Sinkhorn attention of a Gaussian N(m, s) in R^1.

    g = (sqrt(1 + 4 a^2 s^2) - 1) / (2 a s) for the kernel e^{a x y}, from g = a s (1 - g^2) (derived from arXiv
    2501.18322). The kernel e^{-a (x - y)^2} makes the same coupling as e^{2 a x y}.

    Args:
        a: The number beta k q of the kernel e^{a x y}.
        s: The variance, positive.

    Returns:
        A `Prediction` with a number between -1 and 1.

    Raises:
        InvalidInput: If a is not finite or s is not positive.

    >>> round(float(sinkhorn_coefficient(1.0)), 8)
    0.61803399
    """
    if not (np.isfinite(a) and np.isfinite(s) and s > 0):
        raise InvalidInput(f"a finite a and a variance s > 0 are needed, got {a} and {s}")
    return Prediction(
        # tanh(asinh(z)/2) = (sqrt(1 + z^2) - 1)/z without the cancellation at small z
        float(np.tanh(np.arcsinh(2 * a * s) / 2)),
        "the coupling of N(m, s) with itself for the kernel e^(a x y) is Gaussian, with correlation g = a s (1 - g^2)",
        ("R^1",),
        f"derived from {PAPER}",
    )


def feed_forward_variance(t: ArrayLike, *, s0: float, a: float, w: float) -> Prediction:
    """The variance s(t) of a Gaussian law in R^1 under softmax attention that contracts and a perceptron that expands.

    Attention with the kernel e^{-a x y} and V = I, and the perceptron w x, make s' = -2 a s^2 + 2 w s with the solution
    s(t) = s0 e^{2wt} / (1 + a s0 (e^{2wt} - 1)/w), which tends to `feed_forward_fixed_point` (derived; the flow of
    arXiv 2606.07600 in R^1).

    Args:
        t: One time or an array of times.
        s0: The variance at time 0, positive.
        a: The strength of the contraction, -beta k q, positive.
        w: The weight of the perceptron, positive.

    Returns:
        A `Prediction` with variances, of the shape of `t`.

    Raises:
        InvalidInput: If s0, a or w is not positive.

    >>> round(float(feed_forward_variance(50.0, s0=0.1, a=2.0, w=1.0)), 6)
    0.5
    """
    _check_feed_forward(s0, a, w)
    times = np.asarray(t, float)
    # both fractions are written with decaying exponentials: t may be large
    decay = np.exp(-2 * w * times)
    value = s0 / (decay + a * s0 * (-np.expm1(-2 * w * times) / w))
    return Prediction(value, "logistic growth to w/a", _FEED_FORWARD, "derived; the flow of arXiv 2606.07600 in R^1")


def feed_forward_fixed_point(*, a: float, w: float) -> Prediction:
    """The variance w/a at which a perceptron w x balances softmax attention with the kernel e^{-a x y} in R^1.

    It is where s' = -2 a s^2 + 2 w s vanishes, and is stable (derived; the flow of arXiv 2606.07600 in R^1).

    Args:
        a: The strength of the contraction, -beta k q, positive.
        w: The weight of the perceptron, positive.

    Returns:
        A `Prediction` with a variance.

    Raises:
        InvalidInput: If a or w is not positive.

    >>> float(feed_forward_fixed_point(a=2.0, w=1.0))
    0.5
    """
    _check_feed_forward(1.0, a, w)
    return Prediction(w / a, "s' = -2 a s^2 + 2 w s rests at w/a, stable", _FEED_FORWARD, "derived; arXiv 2606.07600")


# --- when they apply ------------------------------------------------------------------------------------------------


def _numbers(setting: Setting) -> tuple[float, float, float]:
    """(q, k, v), the matrices of a head in R^1."""
    if setting.d != 1:
        raise DoesNotApply("it is about R^1, d = 1")
    q, k = setting.matrix("Q"), setting.matrix("K")
    if q.size != 1 or k.size != 1:
        raise DoesNotApply("it needs Q and K to be numbers, of shape (1, 1)")
    return float(q[0, 0]), float(k[0, 0]), float(setting.matrix("V")[0, 0])


def _variance(setting: Setting) -> float:
    _, covariance = conditions.gaussian(setting)
    if not covariance[0, 0] > 0:
        raise DoesNotApply("it needs a positive variance, the start is a point")
    return float(covariance[0, 0])


def gaussian_variance_for(setting: Setting) -> Prediction:
    beta = conditions.head(setting, KINDS, geometry="euclidean")
    q, k, v = _numbers(setting)
    s0, a = _variance(setting), beta * k * q
    if setting.attention == "linear":
        conditions.mean_zero(setting)
    if setting.attention == "l2" and beta < 0:
        raise DoesNotApply("for L2 attention it needs beta >= 0")
    if setting.attention == "sinkhorn" and setting.kernel == "l2":
        a = 2 * a  # the kernel e^{-beta (q x - k y)^2} has the potentials of e^{2 beta k q x y}
    may_blow_up = setting.attention in ("softmax", "linear") and v * a > 0
    t = min(1.0, 1 / (4 * v * a * s0)) if may_blow_up else 1.0  # at most half of the blow-up time
    key = np.sqrt(max(beta, 0.0)) * k
    found = gaussian_variance(t, s0=s0, a=a, v=v, k=key, attention=str(setting.attention))
    return replace(found, statement=f"{found.statement}; here t = {t:.6g}")


def sinkhorn_coefficient_for(setting: Setting) -> Prediction:
    beta = conditions.head(setting, ("sinkhorn",), geometry="euclidean")
    q, k, _ = _numbers(setting)
    return sinkhorn_coefficient((2 if setting.kernel == "l2" else 1) * beta * k * q, _variance(setting))


def _balance(setting: Setting) -> tuple[float, float]:
    """(a, w) of softmax attention with V = I that contracts, beside a perceptron w x that expands."""
    beta = conditions.head(setting, ("softmax",), geometry="euclidean", allowing=("perceptron",))
    q, k, _ = _numbers(setting)
    conditions.value_multiple(setting, (1,))
    conditions.only_gaussian(setting)
    w = setting.feed_forward
    if w is None or not w > 0 or not beta * k * q < 0:
        raise DoesNotApply("it needs a perceptron w x with w > 0, and attention that contracts: beta k q < 0")
    return -beta * k * q, w


def feed_forward_variance_for(setting: Setting) -> Prediction:
    (a, w), t = _balance(setting), 1.0
    found = feed_forward_variance(t, s0=_variance(setting), a=a, w=w)
    return replace(found, statement=f"{found.statement}; here t = {t:g}")


def feed_forward_fixed_point_for(setting: Setting) -> Prediction:
    a, w = _balance(setting)
    return feed_forward_fixed_point(a=a, w=w)


# --- solutions ------------------------------------------------------------------------------------------------------


def _l2_variance(times: np.ndarray, s0: float, va: float, k: float) -> np.ndarray:
    """The solution of -1/s + 2 k^2 log s = 4 v a t + constant, through w + log w = z, solved by Wright's function."""
    if k == 0:
        return np.asarray(gaussian_variance(times, s0=s0, a=2 * va).value)
    p = 2 * k**2
    z = (1 / s0 - 4 * va * times) / p - np.log(p * s0)
    return np.asarray(1 / (p * special.wrightomega(z)))


def _sinkhorn_variance(times: np.ndarray, s0: float, a: float, v: float) -> np.ndarray:
    """The solution in u = asinh(2|a|s)/2, where g = tanh u: 2u - coth u = 2 v sign(a) t + constant."""
    if a == 0:
        return np.full_like(times, s0)
    u0 = np.arcsinh(2 * abs(a) * s0) / 2

    def at(t: float) -> float:
        y = 2 * u0 - 1 / np.tanh(u0) + 2 * v * np.sign(a) * t
        low, high = 1 / (2 + max(-y, 0.0)), max(1.0, y / 2 + 1)  # by 1/u <= coth u, and coth u <= 1.32 from u = 1 on
        u = optimize.brentq(lambda u: 2 * u - 1 / np.tanh(u) - y, low, high, xtol=1e-300, rtol=1e-14)
        return float(np.sinh(2 * u) / (2 * abs(a)))

    return np.vectorize(at, otypes=[float])(times)


def _check_feed_forward(s0: float, a: float, w: float) -> None:
    if not (a > 0 and w > 0 and s0 > 0 and np.all(np.isfinite([s0, a, w]))):
        raise InvalidInput(f"positive numbers are needed, got s0 = {s0}, a = {a}, w = {w}")
