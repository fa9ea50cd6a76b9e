"""When a measured curve crosses a level. NumPy and SciPy on concrete arrays; no models, no measures."""

from __future__ import annotations

import numpy as np
import scipy
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput


def crossing_time(ts: ArrayLike, values: ArrayLike, level: float) -> float:
    """The first time at which a curve crosses a level, from above or from below.

    Between the given times the curve is interpolated by monotone cubics.

    Args:
        ts: the times, increasing, shape (T,).
        values: the curve at these times, shape (T,).
        level: the level.

    Returns:
        The time, or NaN if the curve never gets there.

    Raises:
        InvalidInput: shapes do not fit, times do not increase, or a number is not finite.

    >>> round(crossing_time([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], 0.5), 12)
    0.5
    """
    t, v = np.asarray(ts, np.float64), np.asarray(values, np.float64)
    if t.ndim != 1 or t.shape != v.shape or len(t) == 0:
        raise InvalidInput(f"times and values must be two lists of one length, got shapes {t.shape} and {v.shape}")
    if np.any(np.diff(t) <= 0) or not (np.all(np.isfinite(t)) and np.all(np.isfinite(v))):
        raise InvalidInput("crossing_time needs increasing finite times and finite values")
    above = v - float(level)
    exact = np.flatnonzero(above == 0)
    crossings = np.flatnonzero(np.sign(above[:-1]) * np.sign(above[1:]) < 0)
    if len(exact) and (not len(crossings) or exact[0] <= crossings[0]):
        return float(t[exact[0]])
    if not len(crossings):
        return float("nan")
    k = crossings[0]
    curve = scipy.interpolate.PchipInterpolator(t, above)

    def bracketed(s: float) -> float:
        # at a knot the interpolant is right to rounding only, which could cost the change of sign
        ends = {t[k]: above[k], t[k + 1]: above[k + 1]}
        return float(ends[s] if s in ends else curve(s))

    return float(scipy.optimize.brentq(bracketed, t[k], t[k + 1], xtol=1e-14 * max(1.0, abs(t[k + 1])), rtol=1e-14))
