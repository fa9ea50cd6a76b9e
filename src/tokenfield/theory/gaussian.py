"""Gaussians under attention in R^d: closed solutions, blow-up times, limits and their ranks (arXiv 2501.18322).

The kernel is e^{<A x, y>} with A = beta K^T Q throughout. No covariance is inverted: laws on a subspace are fine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.theory.prediction import Prediction

PAPER = "arXiv 2501.18322"
ROUNDING = 1e-9  # relative: a covariance may miss symmetry or positivity by this much; smaller values count as zero
IDENTITY_V = "V = I, one head, no perceptron, no noise"
KINDS = ("softmax", "linear", "l2", "sinkhorn")


def gaussian_covariance(S0: ArrayLike, A: ArrayLike, t: ArrayLike) -> Prediction:
    """S(t) = (S0^{-1} - t (A + A^T))^{-1}, shape (..., d, d) for `t` of shape (...,): softmax attention with V = I.

    Computed as R (I - t R (A + A^T) R)^{-1} R with R = S0^{1/2}. Raises `InvalidInput` for times from the blow-up on.

    >>> gaussian_covariance([[1.0]], [[-0.5]], 1.0).value.tolist()
    [[0.5]]
    """
    R, rates, U = _modes(S0, A)
    times = np.asarray(t, float)
    if not np.all(np.isfinite(times)):
        raise InvalidInput("times must be finite numbers")
    left = 1 - times[..., None] * rates
    if np.any(left <= 0):
        raise InvalidInput(f"the covariance blows up at t = {_blow_up_time(rates):.6g}: ask for earlier times")
    half = R @ U
    return Prediction(
        (half / left[..., None, :]) @ half.T,
        "S' = S (A + A^T) S has the solution (S0^-1 - t (A + A^T))^-1",
        ("softmax attention, any mean; or linear attention and mean zero", IDENTITY_V),
        f"derived from the covariance equation of {PAPER}",
    )


def gaussian_blow_up_time(S0: ArrayLike, A: ArrayLike) -> Prediction:
    """t* = 1 / lambda_max(S0^{1/2} (A + A^T) S0^{1/2}), infinite if that is not positive: softmax with V = I.

    >>> float(gaussian_blow_up_time([[1.0]], [[0.5]]))
    1.0
    """
    _, rates, _ = _modes(S0, A)
    return Prediction(
        _blow_up_time(rates),
        "the covariance reaches infinity in finite time iff A + A^T is positive in some direction of the support",
        ("softmax attention, any mean; or linear attention and mean zero", IDENTITY_V),
        f"derived from the covariance equation of {PAPER}",
    )


def gaussian_limit(S0: ArrayLike, Q: ArrayLike) -> Prediction:
    """lim S(t) = N (N^T S0^{-1} N)^{-1} N^T for K = -Q and V = I; the columns of N are a basis of ker Q.

    S^{-1} grows within the range of Q^T alone, so S^{-1} N is conserved, and Q S -> 0 like 1/t. Computed as R P R with
    R = S0^{1/2} and P the projection onto ker(Q R), which holds for singular S0 too.
    """
    R, kernel = _kernel(S0, Q)
    half = R @ kernel
    return Prediction(
        half @ half.T,
        "the covariance tends to N (N^T S0^-1 N)^-1 N^T, N a basis of ker Q, with an error of order 1/t",
        ("K = -Q, V = I", "softmax, L2 or Sinkhorn attention, or linear attention and mean zero"),
        f"{PAPER} for the limit's rank; the limit itself derived",
    )


def gaussian_limit_rank(S0: ArrayLike, Q: ArrayLike) -> Prediction:
    """The rank of `gaussian_limit`: d - rank Q for invertible S0, rank S0 - rank(Q S0^{1/2}) in general.

    With Q of floor(d/2) rows in general position, as published: 2, 2, 3 for d = 3, 4, 5. The published histograms
    count eigenvalues above 0.1 at a finite time and leave out runs with more than floor((d + 1)/2) of them.
    """
    R, kernel = _kernel(S0, Q)
    return Prediction(
        _rank(R @ kernel, np.abs(R).max()),
        "the limit of the covariance has rank d - rank Q",
        ("K = -Q, V = I", "softmax, L2 or Sinkhorn attention, or linear attention and mean zero"),
        f"{PAPER}; exact count derived",
    )


def gaussian_variance(
    t: ArrayLike, *, s0: float, a: float, v: float = 1.0, k: float = 1.0, attention: str = "softmax"
) -> Prediction:
    """s(t) in R^1, the shape of `t`, for `attention` "softmax", "linear" (mean zero), "l2" or "sinkhorn".

    Softmax: s' = 2 v a s^2. L2, with the kernel e^{-(q x - k y)^2} and a = k q: s' = 4 v a s^2 / (1 + 2 k^2 s).
    Sinkhorn: s' = 2 v g s, g = `sinkhorn_coefficient`. Only L2 looks at `k`. Raises `InvalidInput` from a blow-up on.
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
    """The slope g of E[y | x] = m + g (x - m) under Sinkhorn attention in R^1: (sqrt(1 + 4 a^2 s^2) - 1) / (2 a s).

    For the kernel e^{a x y}; e^{-a (x - y)^2} has the same potentials as e^{2 a x y}.

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
    """s(t) of s' = -2 a s^2 + 2 w s, the shape of `t`: softmax e^{-a x y} with V = I and the perceptron w x in R^1.

    s(t) = s0 e^{2wt} / (1 + a s0 (e^{2wt} - 1)/w), which tends to `feed_forward_fixed_point` for w > 0.
    """
    _check_feed_forward(s0, a, w)
    times = np.asarray(t, float)
    # both fractions are written with decaying exponentials: t may be large
    decay = np.exp(-2 * w * times)
    value = s0 / (decay + a * s0 * (-np.expm1(-2 * w * times) / w))
    return Prediction(value, "logistic growth to w/a", _FEED_FORWARD, "derived; the flow of arXiv 2606.07600 in R^1")


def feed_forward_fixed_point(*, a: float, w: float) -> Prediction:
    """The variance w/a at which the perceptron w x balances the attraction of softmax e^{-a x y}, V = I, in R^1."""
    _check_feed_forward(1.0, a, w)
    return Prediction(w / a, "s' = -2 a s^2 + 2 w s rests at w/a, stable", _FEED_FORWARD, "derived; arXiv 2606.07600")


_FEED_FORWARD = ("R^1, softmax attention, V = I", "a > 0 and w > 0")


def l2_growth_bound(Q: ArrayLike, K: ArrayLike, V: ArrayLike) -> Prediction:
    """A number c with |S(t)| <= |S0| e^{c t} (spectral norms) for L2 attention e^{-|Qx - Ky|^2}: no blow-up.

    c = 2 |V| |K^T Q| / sigma_min(K)^2, since (S^{-1} + 2 K^T K)^{-1} <= 1/(2 sigma_min(K)^2) whatever S is.
    """
    Q, K, V = (np.asarray(matrix, float) for matrix in (Q, K, V))
    smallest = np.linalg.svd(K, compute_uv=False).min() if K.shape[0] >= K.shape[1] else 0.0
    if not smallest > 0:
        raise InvalidInput("this bound needs an injective K: no direction that K does not see")
    return Prediction(
        float(2 * np.linalg.norm(V, 2) * np.linalg.norm(K.T @ Q, 2) / smallest**2),
        "the covariance under L2 attention grows at most exponentially",
        ("K injective, one head, no perceptron, no noise",),
        f"derived from the covariance equation of {PAPER}",
    )


# --- in one dimension -----------------------------------------------------------------------------------------------


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


# --- matrices -------------------------------------------------------------------------------------------------------


def _root(S0: ArrayLike) -> np.ndarray:
    S = np.asarray(S0, float)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not np.all(np.isfinite(S)):
        raise InvalidInput(f"a covariance is a finite square matrix, got shape {S.shape}")
    size = max(float(np.abs(S).max()), np.finfo(float).tiny)
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    if np.abs(S - S.T).max() > ROUNDING * size or values.min() < -ROUNDING * size:
        raise InvalidInput("a covariance must be symmetric, without negative eigenvalues")
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def _modes(S0: ArrayLike, A: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R = S0^{1/2}, and eigenvalues and eigenvectors of R (A + A^T) R."""
    R, A = _root(S0), np.asarray(A, float)
    if A.shape != R.shape or not np.all(np.isfinite(A)):
        raise InvalidInput(f"A must be a finite matrix of the shape {R.shape} of S0, got {A.shape}")
    return R, *np.linalg.eigh(R @ (A + A.T) @ R)


def _blow_up_time(rates: np.ndarray) -> float:
    # a rate that is zero but for rounding is no blow-up
    is_positive = rates.max() > len(rates) * np.finfo(float).eps * np.abs(rates).max()
    return float(1 / rates.max()) if is_positive else np.inf


def _kernel(S0: ArrayLike, Q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """R = S0^{1/2} and an orthonormal basis (d, p) of ker(Q R)."""
    R, Q = _root(S0), np.atleast_2d(np.asarray(Q, float))
    if Q.shape[1] != len(R) or not np.all(np.isfinite(Q)):
        raise InvalidInput(f"Q must be a finite matrix of shape (m, {len(R)}), got {Q.shape}")
    B = Q @ R
    scale = float(np.linalg.norm(Q, 2) * np.linalg.norm(R, 2))
    rows = np.linalg.svd(B, full_matrices=True)
    return R, rows.Vh[_rank(B, scale) :].T


def _rank(matrix: np.ndarray, scale: float) -> int:
    values = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(values > ROUNDING * scale))


def _check_feed_forward(s0: float, a: float, w: float) -> None:
    if not (a > 0 and w > 0 and s0 > 0 and np.all(np.isfinite([s0, a, w]))):
        raise InvalidInput(f"positive numbers are needed, got s0 = {s0}, a = {a}, w = {w}")
