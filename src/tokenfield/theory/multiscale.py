"""The phases of tokens at large beta (arXiv 2509.25040): alignment at times O(1), heat at O(beta).

The third phase, pairing at times e^{c beta}, is in `merge_time`.
"""

from __future__ import annotations

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY, check, growth_rates
from tokenfield.theory.prediction import Prediction

SOURCE = "arXiv 2509.25040"


def alignment_rate(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Prediction:
    """The rate at which 1 - |Pi x|^2 decays, Pi the projection onto the leading eigenspace E_max of V K^T Q.

    x' = P_x[V A x / |A x|] with A = K^T Q: the residual decays like e^{-2 gap t / |A x|}, gap = the difference of the
    two largest real parts of eigenvalues of V A. Where |A x| is not constant on the unit vectors of E_max this is the
    slowest rate, with the largest |A x|.

    Errors: `InvalidInput` for matrices that are not finite and d by d, or if all eigenvalues share one real part.
    """
    Q, K, V = (np.asarray(matrix, float) for matrix in (Q, K, V))
    if not all(m.ndim == 2 and np.all(np.isfinite(m)) for m in (Q, K, V)) or not (
        Q.shape == K.shape and V.shape == (Q.shape[1], Q.shape[1])
    ):
        raise InvalidInput(f"Q and K must be alike and V square, all finite; got {Q.shape}, {K.shape}, {V.shape}")
    A = K.T @ Q
    values, vectors = np.linalg.eig(V @ A)
    order = np.argsort(-values.real)
    scale = max(float(np.abs(values).max()), 1e-300)
    lower = order[values[order].real < values[order[0]].real - 1e-9 * scale]
    if not len(lower):
        raise InvalidInput("all eigenvalues of V K^T Q have the same real part: there is nothing to align to")
    leading = vectors[:, order[: len(order) - len(lower)]]
    frame = np.linalg.svd(np.concatenate([leading.real, leading.imag], axis=1))[0][:, : leading.shape[1]]
    stretch = np.linalg.svd(A @ frame, compute_uv=False)
    gap = float(values[order[0]].real - values[lower[0]].real)
    is_one = np.ptp(stretch) < 1e-9 * stretch[0]
    return Prediction(
        2 * gap / float(stretch[0]),
        "tokens align with the leading eigenspace of V K^T Q: 1 - |Pi x|^2 ~ e^(-2 gap t / |K^T Q x|)"
        + ("" if is_one else "; this is the slowest rate, as |K^T Q x| varies on it"),
        ("softmax attention with beta -> infinity", "times of order 1", "tokens over the whole sphere"),
        SOURCE,
        status="asymptotic",
    )


def decay_rates(beta: float, d: int, *, count: int = 12, attention: str = "softmax") -> Prediction:
    """The rates at which harmonics of degree 1, ..., count decay at the uniform law for V = -I.

    They are the `growth_rates` of V = I: on the circle k^2 I_k(beta) / (beta I_0(beta)) for softmax attention, close to
    k^2/beta for large beta (heat).
    """
    rates = growth_rates(beta, d, count=count, attention=attention)
    return Prediction(
        rates.value,
        "a perturbation of degree k of the uniform law decays at this rate when V = -I",
        ("Q = K = I, V = -I", "tokens near the uniform law on the sphere, in the limit of many tokens"),
        "derived; arXiv 2509.25040 for large beta",
        log10=rates.log10,
    )


def heat_rates(beta: float, d: int, *, count: int = 12) -> Prediction:
    """k(k+d-2)/beta, k = 1, ..., count: at times of order beta softmax attention is the heat equation.

    Backward for V = I, which makes clusters, forward for V = -I.
    """
    check(beta, d)
    if beta == 0:
        raise InvalidInput("the heat phase needs beta > 0, and large")
    k = np.arange(1, count + 1)
    return Prediction(
        k * (k + d - 2) / float(beta),
        "d_s mu = -+ Laplacian mu in s = t/beta for V = +-I",
        ("softmax attention, Q = K = I, V = +-I", "beta -> infinity, k small against sqrt(beta)"),
        SOURCE,
        status="asymptotic",
    )


def heat_collapse_time(beta: float, sigma: float) -> Prediction:
    """beta sigma^2/2: when a narrow bump of standard deviation sigma collapses under the backward heat equation.

    e^{s Laplacian} adds the variance 2 s in each direction and s = t/beta. (arXiv 2509.25040 writes s = sigma^2, in
    another convention for sigma.) At finite beta the variance v obeys v' = -2 v/(1 + beta v): it falls linearly down
    to 1/beta and exponentially from there.
    """
    check(beta, 2)
    if not (np.isfinite(sigma) and sigma > 0):
        raise InvalidInput(f"sigma must be positive, got {sigma}")
    return Prediction(
        beta * sigma**2 / 2,
        "a Gaussian bump of variance sigma^2 per direction collapses at t = beta sigma^2 / 2",
        (IDENTITY, "softmax attention", "beta sigma^2 large, sigma small"),
        "derived from the heat phase of arXiv 2509.25040",
        status="asymptotic",
    )
