"""Kernel density estimates: how many modes a Gaussian kernel of width beta^{-1/2} sees in independent tokens."""

from __future__ import annotations

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.theory.prediction import Prediction


def kde_mode_count(n: float, beta: float) -> Prediction:
    """The expected number of modes of a Gaussian kernel density estimate of n standard Gaussian samples on the line.

    Where the noise of the estimate decides, there are sqrt(3 beta / 2) / (2 pi) modes per unit of length (Kac and
    Rice). That is where 2 log n - 3 log beta < t^2 < 2 log n - log beta: nearer to the origin the slope of the density
    decides, farther out there are no samples. So the number is sqrt(3 beta / 2) / pi times the length of this range
    for t > 0, of order sqrt(beta log beta) (arXiv 2412.09080; the constant is derived). The next order is 1/log n.

    Args:
        n: Number of samples, n >= 2.
        beta: Inverse square of the width of the kernel, at least 1 and below n^2.

    Returns:
        A `Prediction` with a number of modes.

    Raises:
        InvalidInput: If n or beta is out of its range.

    >>> round(float(kde_mode_count(1e5, 1e5)), 1)
    418.3
    """
    if not (np.isfinite(n) and n >= 2 and 1 <= beta < n**2):
        raise InvalidInput(f"this needs n >= 2 and 1 <= beta < n^2, got n = {n}, beta = {beta}")
    far, near = (np.sqrt(max(2 * np.log(n) - power * np.log(beta), 0.0)) for power in (1, 3))
    return Prediction(
        float(np.sqrt(1.5 * beta) / np.pi * (far - near)),
        "modes of the kernel density estimate, sqrt(3 beta / 2) / (2 pi) per unit of length where noise decides",
        ("n independent standard Gaussian samples", "n^c < beta < n^(2-c), n -> infinity"),
        "arXiv 2412.09080, with the constant derived",
        status="asymptotic",
    )
