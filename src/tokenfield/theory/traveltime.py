"""Times by quadrature, int ds / speed, on a log scale: they reach e^{beta}, and beta reaches 10^4."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

NODES = 40
PANELS = 60
LARGEST = 709.0  # e^709 is the last power of e that a double holds


def log_travel_time(
    log_slowness: Callable[[np.ndarray], np.ndarray], start: float, end: float, *, scale: float
) -> float:
    """log of int_start^end e^{log_slowness(s)} ds, for an integrand that changes on the `scale` near the start.

    Panels grow geometrically from the start, each with 40 Gauss-Legendre nodes; relative accuracy about 1e-12.
    """
    length = end - start
    edges = np.concatenate([[start], start + np.geomspace(min(scale, length / 2) / 8, length, PANELS)])
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    middles, halves = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    logs = log_slowness(middles[:, None] + halves[:, None] * nodes)
    return float(special.logsumexp(logs + np.log(weights) + np.log(halves)[:, None]))


def exponential(log_value: float) -> float:
    """e^log_value, infinity where a double cannot hold it."""
    return float(np.exp(log_value)) if log_value < LARGEST else np.inf
