"""How strong each harmonic degree of a density is, and what that says about a run: NumPy on saved values.

Amplitudes are root mean squares: of `1 + a cos(k theta)` on the circle, degree k has a / sqrt(2) and degree 0, the
mass, has 1. Functions of a run take the amplitudes (T, K) of the degrees 1 ... K at its saved times.
"""

from __future__ import annotations

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.laws.grid import Grid

GROWN = 0.3  # a degree with this amplitude has left the linear regime
SEEN = 0.1  # from here on a degree can be seen in the density
NOTHING = 1e-12  # degrees weaker than this are rounding


def degree_amplitudes(grid: Grid, values: np.ndarray) -> np.ndarray:
    """The root mean square of the part of each degree of densities `values` (..., m) over the uniform law.

    Args:
        grid: The grid of the densities.
        values: Their values at its nodes, shape (..., m).

    Returns:
        The amplitudes, shape (..., degrees), from degree 0 on, the mass.

    Raises:
        InvalidInput: The values are not those at the nodes of the grid.

    >>> import numpy as np
    >>> from tokenfield.laws import Fourier
    >>> theta = 2 * np.pi * np.arange(8) / 8
    >>> values = 1 + np.sqrt(2) / 4 * np.cos(2 * theta)
    >>> degree_amplitudes(Fourier(8), values).round(12).tolist()
    [1.0, 0.0, 0.25, 0.0, 0.0]
    """
    values = np.asarray(values, float)
    if values.shape[-1:] != (grid.m,):
        raise InvalidInput(f"densities on {grid!r} need values of shape (..., {grid.m}), got {values.shape}")
    if grid.d == 2:
        found = np.abs(np.fft.rfft(values, axis=-1)) / grid.m
        return np.concatenate([found[..., :1], np.sqrt(2) * found[..., 1:]], axis=-1)
    if grid.is_orbit:
        return np.abs(np.asarray(grid.coefficients(values)))  # type: ignore[attr-defined]
    flat = values.reshape(-1, values.shape[-1])
    found = np.stack([np.sqrt(np.asarray(grid.power(row))) for row in flat])  # type: ignore[arg-type]
    return found.reshape(*values.shape[:-1], -1)


def dominant_degree(amplitudes: np.ndarray) -> int | None:
    """The strongest degree when the first has grown, or at the end; `None` if there is nothing but rounding.

    Later than that, peaks have all degrees.
    """
    row = _when(amplitudes, GROWN)
    return int(np.argmax(row)) + 1 if row.max() > NOTHING else None


def strongest_degrees(amplitudes: np.ndarray, count: int) -> np.ndarray:
    """The `count` strongest degrees when the first can be seen, or at the end; in increasing order."""
    row = _when(amplitudes, SEEN)
    return np.sort(np.argsort(row, kind="stable")[::-1][:count]) + 1


def linear_until(amplitudes: np.ndarray) -> int:
    """How many saved times there are before a degree has grown: so long the linear theory speaks of the run."""
    grown = np.flatnonzero(amplitudes.max(axis=1) > GROWN)
    return int(grown[0]) if len(grown) else len(amplitudes)


def _when(amplitudes: np.ndarray, level: float) -> np.ndarray:
    """The amplitudes at the first saved time when one has reached `level`, or at the last."""
    reached = np.flatnonzero(amplitudes.max(axis=1) >= level)
    return amplitudes[reached[0] if len(reached) else -1]
