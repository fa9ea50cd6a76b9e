"""Modified Bessel functions I_nu in ratios and logarithms, for orders up to thousands and any size of argument.

Everything rests on the ratios r_j = I_{j+1}/I_j, which the recurrence r_{j-1} = 1/(2j/x + r_j) gives stably downwards.
"""

from __future__ import annotations

import numpy as np
from scipy import special


def bessel_ratios(nu: float, count: int, x: float) -> np.ndarray:
    """I_{nu+j+1}(x) / I_{nu+j}(x) for j = 0, ..., count - 1, for nu >= 0 and x >= 0.

    >>> bool(abs(bessel_ratios(0.0, 1, 1.0)[0] - 0.4463899658965345) < 1e-15)
    True
    """
    if x == 0:
        return np.zeros(count)
    # far up, r_j is nearly x / (2 (j + 1)); the error of any guess there shrinks by r_j^2 at each step down
    extra = 40 + int(2 * np.sqrt(x) + 0.5 * x**0.75)
    order = nu + count + extra
    ratio = x / (order + 1 + np.sqrt((order + 1) ** 2 + x * x))
    ratios = np.empty(count)
    for j in range(count + extra - 1, -1, -1):
        ratio = 1.0 / (2 * (nu + j + 1) / x + ratio)
        if j < count:
            ratios[j] = ratio
    return ratios


def log_bessel(nu: float, x: float) -> float:
    """log I_nu(x), for nu a multiple of 1/2, nu >= 0, and x > 0."""
    start = nu % 1.0
    base = np.log(special.ive(start, x)) + x
    steps = round(nu - start)
    return float(base + np.sum(np.log(bessel_ratios(start, steps, x)))) if steps else float(base)


def log_kernel_mean(beta: float, d: int) -> float:
    """log int e^{beta <x, y>} dsigma(y) over the uniform law of S^{d-1}: log [Gamma(d/2) (2/beta)^nu I_nu(beta)].

    Here nu = d/2 - 1. It is 0 at beta = 0.
    """
    if beta == 0:
        return 0.0
    beta = abs(beta)  # the uniform law is symmetric
    nu = d / 2 - 1
    return float(special.gammaln(d / 2) + nu * np.log(2 / beta) + log_bessel(nu, beta))
