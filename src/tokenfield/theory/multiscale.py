"""The phases of tokens at large beta (arXiv 2509.25040): alignment at times O(1), heat at O(beta).

The third phase, pairing at times e^{c beta}, is in `merge_time`.
"""

from __future__ import annotations

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.theory import conditions
from tokenfield.theory.context import critical_context_beta
from tokenfield.theory.growth import IDENTITY, check, growth_rates, k_max, leading_degrees
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting

SOURCE = "arXiv 2509.25040"
NEARLY_HEAT = 0.1  # k (k + d - 2) / beta: below it a rate differs from that of the heat equation by some 5 %
ALIGNED = 0.05  # (d - 1) / (2 beta |A x|): how far the mean of what a token sees is from the point it looks at
SPARSE = 0.1  # of the beta at which a token sees its nearest neighbors one by one instead of a density


def alignment_rate(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Prediction:
    """The rate at which tokens align with the leading eigenspace E_max of V K^T Q, for beta -> infinity.

    x' = P_x[V A x / |A x|] with A = K^T Q: with Pi the projection onto E_max, 1 - |Pi x|^2 decays like
    e^{-2 gap t / |A x|}, where gap is the difference of the two largest distinct real parts of eigenvalues of V A
    (arXiv 2509.25040). Where |A x| is not constant on the unit vectors of E_max this is the slowest rate, with the
    largest |A x|.

    Args:
        Q: The query matrix, (m, d).
        K: The key matrix, (m, d).
        V: The value matrix, (d, d).

    Returns:
        A `Prediction` with a rate, in units of 1/time.

    Raises:
        InvalidInput: If the matrices are not finite or do not fit, or all eigenvalues share one real part.

    >>> float(alignment_rate(np.eye(2), np.eye(2), np.diag([2.0, 1.0])))
    2.0
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
    """The rates at which perturbations of the uniform law decay when V = -I, for the degrees 1, ..., count.

    They are the `growth_rates` of V = I: on the circle k^2 I_k(beta) / (beta I_0(beta)) for softmax attention, close to
    k^2/beta for large beta, the heat equation (derived; arXiv 2509.25040 for large beta).

    Args:
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.
        count: How many degrees to return.
        attention: "softmax" or "unnormalized".

    Returns:
        A `Prediction` with an array (count,) of rates >= 0, in units of 1/time.

    Raises:
        InvalidInput: If beta, d or attention is not one of those.

    >>> decay_rates(50.0, 2, count=2).value.round(4).tolist()
    [0.0198, 0.0768]
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
    """The rates k(k+d-2)/beta of the heat equation that softmax attention becomes at times of order beta.

    In the time s = t/beta it is d_s mu = -Laplacian mu for V = I, backward, which makes clusters, and
    d_s mu = Laplacian mu for V = -I (arXiv 2509.25040).

    Args:
        beta: Inverse temperature, positive and large.
        d: Dimension of the ambient space, d >= 2.
        count: How many degrees k = 1, ..., count to return.

    Returns:
        A `Prediction` with an array (count,) of rates, in units of 1/time.

    Raises:
        InvalidInput: If beta is not positive and finite, or d < 2.

    >>> heat_rates(50.0, 2, count=2).value.tolist()
    [0.02, 0.08]
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
    """The time beta sigma^2/2 at which a narrow bump of standard deviation sigma collapses under softmax attention.

    At times of order beta attention is the backward heat equation, and e^{s Laplacian} adds the variance 2 s in each
    direction, with s = t/beta. (arXiv 2509.25040 writes s = sigma^2, in another convention for sigma.) At finite beta
    the variance v obeys v' = -2 v/(1 + beta v): it falls linearly down to 1/beta and exponentially from there.

    Args:
        beta: Inverse temperature, a finite number >= 0; beta sigma^2 is to be large.
        sigma: The standard deviation of the bump in each direction, in radians; positive and small.

    Returns:
        A `Prediction` with a time.

    Raises:
        InvalidInput: If beta is negative or not finite, or sigma is not positive.

    >>> float(heat_collapse_time(1000.0, 0.125))
    7.8125
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


# --- when they apply ------------------------------------------------------------------------------------------------


def _near_uniform(setting: Setting, kinds: tuple[str, ...], signs: tuple[int, ...]) -> tuple[float, int]:
    """(beta, d) of a model with Q = K = I and V = s I, s one of `signs`, whose start is near the uniform law."""
    beta = conditions.head(setting, kinds, geometry="sphere")
    conditions.identity_logits(setting)
    conditions.value_multiple(setting, signs)
    conditions.bessel_range(beta, setting.d)
    check(beta, setting.d)
    conditions.near_uniform(setting, leading_degrees(beta, setting.d))
    return beta, setting.d


def decay_rates_for(setting: Setting) -> Prediction:
    beta, d = _near_uniform(setting, conditions.EXPONENTIAL, (-1,))
    count = max(8, 2 * int(k_max(beta, d).value) + 2)
    return decay_rates(beta, d, count=count, attention=str(setting.attention))


def heat_rates_for(setting: Setting) -> Prediction:
    beta, d = _near_uniform(setting, ("softmax",), (1, -1))
    k = np.arange(1, int(np.sqrt(NEARLY_HEAT * beta)) + 2)
    count = int(np.sum(k * (k + d - 2) <= NEARLY_HEAT * beta))
    if count == 0:
        raise DoesNotApply(f"it needs a large beta: at least {(d - 1) / NEARLY_HEAT:g} in this dimension")
    return heat_rates(beta, d, count=count)


def alignment_rate_for(setting: Setting) -> Prediction:
    beta, d = conditions.head(setting, ("softmax",), geometry="sphere"), setting.d
    if setting.Q is None and setting.K is None and setting.V is None:
        raise DoesNotApply("all eigenvalues of V K^T Q are the same: there is nothing to align to")
    stretches = np.linalg.svd(setting.A, compute_uv=False)
    if beta * stretches.min() * 2 * ALIGNED < d - 1:
        raise DoesNotApply("it needs a large beta: a token sees one point of the sphere only if beta |K^T Q x| >> d")
    if setting.start is not None:
        conditions.near_uniform(setting, 2)
        n = setting.n if setting.start.kind == "tokens" else None
        if n is not None and beta * stretches.max() > SPARSE * float(critical_context_beta(n, d)):
            raise DoesNotApply(f"it needs tokens all over the sphere: at this beta {n} are too few")
    return alignment_rate(setting.matrix("Q"), setting.matrix("K"), setting.matrix("V"))
