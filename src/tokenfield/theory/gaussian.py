"""Gaussians under attention in R^d: closed solutions, blow-up times, limits and their ranks (arXiv 2501.18322).

The kernel is e^{<A x, y>} with A = beta K^T Q throughout. No covariance is inverted: laws on a subspace are fine.
Formulas in R^1 are in `gaussian_line`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting

PAPER = "arXiv 2501.18322"
ROUNDING = 1e-9  # relative: a covariance may miss symmetry or positivity by this much; smaller values count as zero
IDENTITY_V = "V = I, one head, no perceptron, no noise"
KINDS = ("softmax", "linear", "l2", "sinkhorn")


def gaussian_covariance(S0: ArrayLike, A: ArrayLike, t: ArrayLike) -> Prediction:
    """The covariance S(t) of a Gaussian law under softmax attention with V = I, in closed form.

    S' = S (A + A^T) S has the solution S(t) = (S0^{-1} - t (A + A^T))^{-1}, derived from the equation of arXiv
    2501.18322. It is computed as R (I - t R (A + A^T) R)^{-1} R with R = S0^{1/2}, which holds for singular S0 too.

    Args:
        S0: The covariance at time 0, (d, d), symmetric and positive semi-definite.
        A: The matrix beta K^T Q of the kernel e^{<A x, y>}, (d, d).
        t: One time or an array of times (...), before the blow-up.

    Returns:
        A `Prediction` with the covariances, of shape (..., d, d).

    Raises:
        InvalidInput: If S0 is no covariance, A has another shape, or a time is not before `gaussian_blow_up_time`.

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
    """The time at which the covariance of a Gaussian law becomes infinite, under softmax attention with V = I.

    t* = 1 / lambda_max(S0^{1/2} (A + A^T) S0^{1/2}), derived from the equation of arXiv 2501.18322: there is a blow-up
    exactly if A + A^T is positive in some direction of the support of the law.

    Args:
        S0: The covariance at time 0, (d, d), symmetric and positive semi-definite.
        A: The matrix beta K^T Q of the kernel e^{<A x, y>}, (d, d).

    Returns:
        A `Prediction` with a time; infinite if nothing blows up.

    Raises:
        InvalidInput: If S0 is no covariance or A has another shape.

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
    """The covariance that a Gaussian law tends to for K = -Q and V = I.

    lim S(t) = N (N^T S0^{-1} N)^{-1} N^T, where the columns of N are a basis of ker Q: S^{-1} grows within the range of
    Q^T alone, so S^{-1} N is conserved, and Q S -> 0 like 1/t. The rank of the limit is in arXiv 2501.18322, the limit
    itself is derived. It is computed as R P R with R = S0^{1/2} and P the projection onto ker(Q R), which holds for
    singular S0 too.

    Args:
        S0: The covariance at time 0, (d, d), symmetric and positive semi-definite.
        Q: The query matrix, (m, d); the key matrix is -Q.

    Returns:
        A `Prediction` with a covariance (d, d).

    Raises:
        InvalidInput: If S0 is no covariance or Q does not act on R^d.

    >>> gaussian_limit([[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0]]).value.round(6).tolist()
    [[0.0, 0.0], [0.0, 1.5]]
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
    """The rank of the covariance that a Gaussian law tends to for K = -Q and V = I, the rank of `gaussian_limit`.

    It is d - rank Q for invertible S0 and rank S0 - rank(Q S0^{1/2}) in general. With Q of floor(d/2) rows in general
    position, as in arXiv 2501.18322, that makes 2, 2, 3 for d = 3, 4, 5. The published histograms count eigenvalues
    above 0.1 at a finite time and leave out runs with more than floor((d + 1)/2) of them.

    Args:
        S0: The covariance at time 0, (d, d), symmetric and positive semi-definite.
        Q: The query matrix, (m, d); the key matrix is -Q.

    Returns:
        A `Prediction` with a whole number.

    Raises:
        InvalidInput: If S0 is no covariance or Q does not act on R^d.

    >>> gaussian_limit_rank([[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0]]).value
    1
    """
    R, kernel = _kernel(S0, Q)
    return Prediction(
        _rank(R @ kernel, np.abs(R).max()),
        "the limit of the covariance has rank d - rank Q",
        ("K = -Q, V = I", "softmax, L2 or Sinkhorn attention, or linear attention and mean zero"),
        f"{PAPER}; exact count derived",
    )


def l2_growth_bound(Q: ArrayLike, K: ArrayLike, V: ArrayLike) -> Prediction:
    """A rate c with |S(t)| <= |S0| e^{c t} for the covariance of a Gaussian law under L2 attention: no blow-up.

    With weights e^{-|Qx - Ky|^2} and spectral norms, c = 2 |V| |K^T Q| / sigma_min(K)^2, since
    (S^{-1} + 2 K^T K)^{-1} <= 1/(2 sigma_min(K)^2) whatever S is (derived from the equation of arXiv 2501.18322).

    Args:
        Q: The query matrix, (m, d), times sqrt(beta).
        K: The key matrix, (m, d), times sqrt(beta); it must be injective.
        V: The value matrix, (d, d).

    Returns:
        A `Prediction` with an upper bound on the rate, in units of 1/time.

    Raises:
        InvalidInput: If there is a direction that K does not see.

    >>> float(l2_growth_bound([[1.0]], [[1.0]], [[1.0]]))
    2.0
    """
    Q, K, V = (np.asarray(matrix, float) for matrix in (Q, K, V))
    if not all(A.ndim == 2 and A.size and np.all(np.isfinite(A)) for A in (Q, K, V)) or Q.shape != K.shape:
        raise InvalidInput(
            f"Q, K and V must be finite matrices, Q of the shape of K: got {Q.shape}, {K.shape} and {V.shape}"
        )
    smallest = np.linalg.svd(K, compute_uv=False).min() if K.shape[0] >= K.shape[1] else 0.0
    if not smallest > 0:
        raise InvalidInput("this bound needs an injective K: no direction that K does not see")
    return Prediction(
        float(2 * np.linalg.norm(V, 2) * np.linalg.norm(K.T @ Q, 2) / smallest**2),
        "the covariance under L2 attention grows at most exponentially",
        ("K injective, one head, no perceptron, no noise",),
        f"derived from the covariance equation of {PAPER}",
    )


# --- when they apply ------------------------------------------------------------------------------------------------


def _closed(setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """(S0, A) of a Gaussian under softmax attention, or linear attention and mean zero, with V = I."""
    beta = conditions.head(setting, ("softmax", "linear"), geometry="euclidean")
    conditions.value_multiple(setting, (1,))
    _, covariance = conditions.gaussian(setting)
    if setting.attention == "linear":
        conditions.mean_zero(setting)
    return covariance, beta * setting.A


def gaussian_covariance_for(setting: Setting) -> Prediction:
    S0, A = _closed(setting)
    t = min(1.0, float(gaussian_blow_up_time(S0, A)) / 2)
    found = gaussian_covariance(S0, A, t)
    return replace(found, statement=f"{found.statement}; here t = {t:.6g}")


def gaussian_blow_up_time_for(setting: Setting) -> Prediction:
    return gaussian_blow_up_time(*_closed(setting))


def _repelled(setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """(S0, Q) of a Gaussian in a model with K = -Q and V = I."""
    beta = conditions.head(setting, KINDS, geometry="euclidean")
    conditions.value_multiple(setting, (1,))
    Q, K = setting.matrix("Q"), setting.matrix("K")
    if np.abs(Q + K).max() > conditions.EQUAL or not beta > 0:
        raise DoesNotApply("it needs K = -Q and beta > 0, this model has other matrices")
    _, covariance = conditions.gaussian(setting)
    if setting.attention == "linear":
        conditions.mean_zero(setting)
    return covariance, Q


def gaussian_limit_for(setting: Setting) -> Prediction:
    return gaussian_limit(*_repelled(setting))


def gaussian_limit_rank_for(setting: Setting) -> Prediction:
    return gaussian_limit_rank(*_repelled(setting))


def l2_growth_bound_for(setting: Setting) -> Prediction:
    beta = conditions.head(setting, ("l2",), geometry="euclidean")
    conditions.only_gaussian(setting)
    if not beta > 0:
        raise DoesNotApply("it needs beta > 0")
    root = np.sqrt(beta)
    return l2_growth_bound(root * setting.matrix("Q"), root * setting.matrix("K"), setting.matrix("V"))


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
