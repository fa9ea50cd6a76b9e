"""Zonal harmonics of S^{d-1} on a quadrature of the polar angle, and the couplings of the interaction in them.

Order m collects the harmonics phi_km(theta) Y_m(rest) of degree k >= m; order 0 are the zonal ones. The functions are
orthonormal under the uniform law, so that G(<x, y>) = sum_k g_k sum_m phi_km(theta) phi_km(theta') (...) for every
kernel. The circle is d = 2: order 0 holds sqrt(2) cos(k theta), order 1 sqrt(2) sin(k theta), and there is no other.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory.bessel import bessel_ratios, log_kernel_mean

NODES = 16  # Gauss-Legendre nodes on each panel


def log_multiplicity(d: int, degrees: np.ndarray) -> np.ndarray:
    """log of the number of independent harmonics of each degree >= 1 on S^{d-1}."""
    k = np.asarray(degrees, float)
    return np.log(2 * k + d - 2) + special.gammaln(k + d - 2) - special.gammaln(k + 1) - special.gammaln(d - 1)


def check_count(count: int) -> None:
    """Raises `InvalidInput` unless count >= 1."""
    if count < 1:
        raise InvalidInput(f"count must be at least 1, got {count}")


def log_couplings(beta: float, d: int, count: int) -> np.ndarray:
    """log g_k, k = 1, ..., count: what convolution with G = e^{beta t}/beta (t at beta = 0) multiplies degree k by.

    g_k = 1 / kappa_k, see `noise_thresholds`.
    """
    check_count(count)
    if beta == 0:
        return np.where(np.arange(1, count + 1) == 1, -np.log(d), -np.inf)
    return log_kernel_mean(beta, d) - np.log(beta) + np.cumsum(np.log(bessel_ratios(d / 2 - 1, count, beta)))


def count_modes(beta: float, d: int, *, at_least: int = 1, floor: float = -42.0) -> int:
    """How many degrees of G matter in double precision: those with g_k N_k above e^floor of the largest."""
    count = max(16, at_least)
    while True:
        logs = log_couplings(beta, d, count) + log_multiplicity(d, np.arange(1, count + 1))
        kept = int(np.flatnonzero(logs > logs.max() + floor)[-1]) + 1
        if kept < count or beta == 0:
            return max(kept, at_least)
        count *= 2


def angles_and_log_weights(d: int, degree: int, finest: float, *, everywhere: bool) -> tuple[np.ndarray, np.ndarray]:
    """Nodes theta in (0, pi) and log weights (of sum 1) of the uniform law, for polynomials of `degree` squared.

    Panels of Gauss-Legendre nodes in the angle: Gauss-Gegenbauer nodes would all stay near the equator for large d,
    where concentrated states are not. Panels shrink towards both poles down to the width `finest`, or are that narrow
    `everywhere`.
    """
    width = min(np.pi / 6, 2 / np.sqrt(d), 2 * np.pi / max(degree, 1))
    if everywhere:
        width = min(width, 3 * finest)
    edges = np.linspace(0, np.pi, int(np.ceil(np.pi / width)) + 1)
    if not everywhere and finest < edges[1]:
        # the sphere's weight at angle a has the relative width 1/sqrt(d)
        ratio = 1 + min(1.0, 4 / np.sqrt(d))
        steps = int(np.ceil(np.log(edges[1] / finest) / np.log(ratio)))
        near = edges[1] * ratio ** -np.arange(1, steps + 1)
        edges = np.sort(np.concatenate([edges, near, np.pi - near]))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(edges)[:, None] / 2
    theta = ((edges[1:, None] + edges[:-1, None]) / 2 + half * nodes).ravel()
    logs = np.log(half * weights).ravel() + (d - 2) * np.log(np.sin(theta))
    return theta, logs - special.logsumexp(logs)


def harmonics(theta: np.ndarray, d: int, count: int, order: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """phi_km(theta) and d/dtheta phi_km for k = m, ..., m + count - 1, as two arrays (count, nodes)."""
    s, sine = np.cos(theta), np.sin(theta)
    a = d / 2 - 1 + order  # the index of the Gegenbauer polynomials
    j = np.arange(2, count + 1)
    b = np.sqrt(np.concatenate([[0.0, 1 / (2 * (1 + a))], j * (j + 2 * a - 1) / (4 * (j + a) * (j + a - 1))]))
    values, slopes = np.zeros((count, len(s))), np.zeros((count, len(s)))
    values[0] = 1.0
    for k in range(1, count):
        values[k] = (s * values[k - 1] - b[k - 1] * values[max(k - 2, 0)]) / b[k]
        slopes[k] = (values[k - 1] + s * slopes[k - 1] - b[k - 1] * slopes[max(k - 2, 0)]) / b[k]
    if order == 0:
        return values, -sine * slopes
    half = d / 2
    norm = special.gammaln(half + order) - special.gammaln(half) + special.gammaln(half - 0.5)
    norm = np.exp((norm - special.gammaln(half - 0.5 + order)) / 2)
    power = norm * sine ** (order - 1)
    return power * sine * values, power * (order * s * values - sine**2 * slopes)
