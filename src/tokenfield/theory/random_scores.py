"""Attention with random scores: independent Gaussian scores freeze at beta = sqrt(2 log n), like random energies."""

from __future__ import annotations

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.theory.prediction import Prediction

SCORES = "n independent standard Gaussian scores"


def critical_score_beta(n: float) -> Prediction:
    """The inverse temperature beta_c = sqrt(2 log n) at which attention with Gaussian scores freezes.

    Below it the attention spreads over a power of n of the tokens, above it over finitely many (the random energy
    model; arXiv 2605.12697).

    Args:
        n: Number of tokens, n > 1.

    Returns:
        A `Prediction` with an inverse temperature.

    Raises:
        InvalidInput: If n is not a finite number above 1.

    >>> round(float(critical_score_beta(1e6)), 4)
    5.2565
    """
    if not (np.isfinite(n) and n > 1):
        raise InvalidInput(f"the number of tokens must be above 1, got {n}")
    return Prediction(
        float(np.sqrt(2 * np.log(n))),
        "softmax over n Gaussian scores freezes at beta_c = sqrt(2 log n)",
        (SCORES, "n -> infinity"),
        "the random energy model; arXiv 2605.12697",
        status="asymptotic",
    )


def score_entropy(ratio: float) -> Prediction:
    """The entropy of attention with Gaussian scores at beta = ratio * beta_c, divided by log n, for large n.

    1 - ratio^2 up to ratio = 1, and 0 beyond (the random energy model; arXiv 2605.12697).

    Args:
        ratio: beta divided by `critical_score_beta`, at least 0.

    Returns:
        A `Prediction` with a number between 0 and 1.

    Raises:
        InvalidInput: If the ratio is negative or not finite.

    >>> [float(score_entropy(ratio)) for ratio in (0.0, 0.5, 1.0, 2.0)]
    [1.0, 0.75, 0.0, 0.0]
    """
    if not (np.isfinite(ratio) and ratio >= 0):
        raise InvalidInput(f"the ratio beta/beta_c must be at least 0, got {ratio}")
    return Prediction(
        max(1 - float(ratio) ** 2, 0.0),
        "entropy / log n -> 1 - (beta/beta_c)^2, and 0 beyond beta_c",
        (SCORES, "n -> infinity with beta/beta_c fixed"),
        "the random energy model; arXiv 2605.12697",
        status="asymptotic",
    )


def score_concentration(beta: float, n: float) -> Prediction:
    """The mean of sum_j a_j^2 over the attention weights of Gaussian scores, beyond the critical beta.

    The largest scores form a Poisson process of intensity x_n e^{-x_n (s - x_n)} around x_n, where n phi(x_n) = x_n for
    the Gaussian density phi. The weights have the law of Poisson and Dirichlet with parameter x_n / beta, for which the
    mean is 1 - x_n / beta. It tends to 1 - beta_c / beta, but x_n is 9% below beta_c at n = 10^6 (derived, from the
    random energy model).

    Args:
        beta: Inverse temperature, larger than x_n.
        n: Number of tokens, at least 10.

    Returns:
        A `Prediction` with a number between 0 and 1.

    Raises:
        InvalidInput: If n is below 10 or beta is not beyond x_n.

    >>> round(float(score_concentration(10.0, 1e6)), 3)
    0.524
    """
    if not (np.isfinite(n) and n >= 10):
        raise InvalidInput(f"the number of tokens must be at least 10, got {n}")
    edge = float(np.sqrt(2 * np.log(n)))
    for _ in range(100):  # contracts: the derivative is -1 / edge^2
        edge = float(np.sqrt(2 * np.log(n / (np.sqrt(2 * np.pi) * edge))))
    if not (np.isfinite(beta) and beta > edge):
        raise InvalidInput(f"for n = {n:g} this needs beta above {edge:.4g}, got {beta}")
    return Prediction(
        1 - edge / float(beta),
        "E sum_j a_j^2 = 1 - x_n/beta, with n phi(x_n) = x_n",
        (SCORES, "beta beyond the critical one", "n -> infinity"),
        "derived, from the random energy model",
        status="asymptotic",
    )
