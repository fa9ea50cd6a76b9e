"""Clusters of a density: on the circle its modes (local maxima), their angles and the masses between their valleys.

For a density on a grid (`density_modes`) and for the kernel density estimate of tokens (`kde_modes`). NumPy on
concrete arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere
from tokenfield.laws.density import Density
from tokenfield.measure import Measure
from tokenfield.observables.clusters import clusters
from tokenfield.observables.spectrum import fourier_coefficients

PROMINENCE = 0.01
ROUNDING = 1e-10  # ripples below this, relative to the largest value, are rounding and never modes
RESOLVED = 1e-14  # Fourier coefficients below this, relative to the largest, are rounding
CHUNK = 2**20  # complex numbers in one matrix of waves
NODES_PER_WIDTH = 32  # of the kernel e^{beta cos}, whose width is beta^{-1/2}
NEWTON_STEPS = 30
CONVERGED = 1e-11  # radians


@dataclass(frozen=True, eq=False)
class DensityModes:
    """The modes of a density on the circle, by increasing angle; made by `density_modes` and `kde_modes`.

    Attributes:
        count: the number of modes; a flat density has none.
        angles: where they are, in [0, 2 pi), shape (count,).
        heights: the density there, in the unit of the values that were given, shape (count,).
        masses: the part of the total mass between the lowest points on both sides, shape (count,); they add up to 1.

    >>> import numpy as np
    >>> theta = 2 * np.pi * np.arange(64) / 64
    >>> density_modes(1 + 0.5 * np.cos(theta)).heights.round(6).tolist()
    [1.5]
    """

    count: int
    angles: np.ndarray
    heights: np.ndarray
    masses: np.ndarray


def density_modes(values: ArrayLike, *, prominence: float = PROMINENCE) -> DensityModes:
    """The modes of a density on the circle that is given by its values on equally spaced nodes.

    A local maximum is a mode if it stands out: to get from it to a higher one (for the highest: anywhere) one must
    descend by at least `prominence` times the largest value. With the default of 1 %, a ripple of relative amplitude
    below 0.5 % on the uniform law is no mode, nor is a cluster a hundred times lower than the highest. Lower the
    threshold to see them.

    Between nodes a mode is the maximum of the trigonometric polynomial through the values. It is right to rounding if
    the nodes resolve the density, and always within one node of the largest value. Heights are those of the polynomial.

    Args:
        values: the density at the angles 2 pi i / m, shape (m,), m >= 4, in any unit.
        prominence: how much a mode must stand out, as a part of the largest value, in [0, 1]; by default 0.01.

    Returns:
        The modes, by increasing angle.

    Raises:
        InvalidInput: there are fewer than 4 values, they are not finite or have no positive maximum, or `prominence`
            is outside of [0, 1].

    >>> import numpy as np
    >>> theta = 2 * np.pi * np.arange(64) / 64
    >>> density_modes(1 + 0.5 * np.cos(3 * (theta - 0.2))).angles.round(6).tolist()
    [0.2, 2.294395, 4.38879]
    """
    f = np.asarray(values, np.float64)
    if f.ndim != 1 or len(f) < 4 or not np.all(np.isfinite(f)) or not np.max(f) > 0:
        raise InvalidInput("a density needs at least 4 values in a row, finite, with a positive maximum")
    if not 0 <= prominence <= 1:
        raise InvalidInput(f"the prominence is a part of the largest value, between 0 and 1, got {prominence}")
    m = len(f)
    # cut at the lowest value: then both ends are as low as any way around, and prominences on the line are the circle's
    cut = int(np.argmin(f))
    unrolled = np.roll(f, -cut)
    unrolled = np.append(unrolled, unrolled[0])
    peaks, valleys = _peaks(unrolled, max(prominence, ROUNDING) * np.max(f))
    if len(peaks) == 0:
        return DensityModes(0, np.zeros(0), np.zeros(0), np.zeros(0))
    masses = _masses_between(unrolled, [0, *valleys, m])
    angles, heights = _refine(f, (peaks + cut) % m)
    order = np.argsort(angles)
    return DensityModes(len(peaks), angles[order], heights[order], masses[order])


def kde_modes(mu: Measure, geometry: Geometry, beta: float, *, prominence: float = 0.0) -> DensityModes:
    """The modes of the kernel density estimate sum_j w_j e^{beta cos(theta - theta_j)} of tokens on the circle.

    By default all modes count; arXiv 2412.09080 predicts some sqrt(beta log beta) of them for independent tokens on
    the line. Only ripples below 1e-10 of the largest value are left out: they are rounding. The estimate is summed as
    a Fourier series, muhat_k I_k(beta) / I_0(beta), in O(n sqrt(beta)), and looked at in steps of beta^{-1/2} / 32.

    Args:
        mu: tokens on the circle, d = 2.
        geometry: the circle, `Sphere(2)`.
        beta: the sharpness of the kernel, positive; its width is beta^{-1/2} radians.
        prominence: as in `density_modes`; by default 0.

    Returns:
        The modes, by increasing angle; heights are relative to the uniform law.

    Raises:
        InvalidInput: the tokens are not on the circle, or `beta` is not positive.

    >>> from tokenfield import Measure, Sphere
    >>> mu = Measure([[1.0, 0.0], [-1.0, 0.0]])
    >>> kde_modes(mu, Sphere(2), beta=9.0).angles.round(6).tolist()
    [0.0, 3.141593]
    """
    if not (isinstance(geometry, Sphere) and geometry.d == 2 and mu.d == 2):
        raise InvalidInput("modes of the kernel density estimate are for tokens on the circle, Sphere(2)")
    if not (np.isfinite(beta) and beta > 0):
        raise InvalidInput(f"beta must be positive, got {beta}")
    # I_k(beta) / I_0(beta) < e^{-k^2 / (2 beta + 2 k)} is below 1e-17 from here on
    largest = int(np.ceil(np.sqrt(80 * beta) + 80))
    kernel = scipy.special.ive(np.arange(largest + 1), beta) / scipy.special.ive(0, beta)
    coefficients = kernel * np.asarray(fourier_coefficients(mu, range(largest + 1)))
    m = 2 * max(largest + 1, int(np.ceil(np.pi * NODES_PER_WIDTH * np.sqrt(beta))))
    # irfft divides by m and adds the conjugate degrees
    return density_modes(np.fft.irfft(m * coefficients, m), prominence=prominence)


def density_clusters(rho: Density) -> int:
    """The number of clusters of a density, at least one: modes on the circle, else regions above half its maximum.

    Args:
        rho: The density, on any grid.

    Returns:
        The number of clusters.

    >>> from tokenfield.laws import Density, Fourier
    >>> density_clusters(Density.perturbed_uniform(Fourier(64), degree=3, amplitude=0.5))
    3
    """
    values, grid = np.asarray(rho.values, float), rho.grid
    if grid.d == 2:
        return max(density_modes(values).count, 1)
    is_high = values > values.max() / 2
    if grid.is_orbit:
        return int(is_high[0]) + int(np.sum(is_high[1:] & ~is_high[:-1]))
    nodes = Measure(np.asarray(grid.points)[is_high], geometry=grid.geometry)
    # neighbors on one latitude, and on two, are at most this far apart
    return clusters(nodes, grid.geometry, delta=2.5 * np.pi / np.sqrt(2 * grid.m)).count


def _peaks(f: np.ndarray, depth: float) -> tuple[np.ndarray, list[int]]:
    """The peaks of prominence `depth`, and the lowest points between them; f has its minimum at both ends."""
    kept: list[int] = []
    valleys: list[int] = []
    for peak in scipy.signal.find_peaks(f, prominence=depth)[0]:
        if kept:
            valley = kept[-1] + int(np.argmin(f[kept[-1] : peak + 1]))
            # peaks of one height do not see each other in SciPy's prominence: they are one if no valley parts them
            if f[peak] == f[kept[-1]] and f[peak] - f[valley] < depth:
                continue
            valleys.append(valley)
        kept.append(int(peak))
    return np.asarray(kept, int), valleys


def _masses_between(values: np.ndarray, edges: list[int]) -> np.ndarray:
    """The parts of the sum of `values` between edges, whose own values are shared by the two sides."""
    trapezoids = np.append(0.0, np.cumsum((values[:-1] + values[1:]) / 2))
    return np.diff(trapezoids[edges]) / trapezoids[-1]


def _refine(f: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles and heights of the maxima of the trigonometric interpolant next to `nodes`, by safeguarded Newton."""
    m = len(f)
    c = np.fft.rfft(f) / m
    c[1 : (m + 1) // 2] *= 2
    c = c[: int(np.flatnonzero(np.abs(c) > RESOLVED * np.max(np.abs(c)))[-1]) + 1]
    degrees = np.arange(len(c))
    series = np.stack([c, 1j * degrees * c, -(degrees**2) * c], axis=1)
    some = max(1, CHUNK // len(c))
    found = [_climb(series, 2 * np.pi * nodes[i : i + some] / m, 2 * np.pi / m) for i in range(0, len(nodes), some)]
    angles, heights = (np.concatenate(part) for part in zip(*found, strict=True))
    return angles, heights


def _climb(series: np.ndarray, theta: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the slope of a Fourier series vanishes within `step` of `theta`, and the values there.

    `series` (degrees, 3) are the coefficients of the function and of its first two derivatives.
    """
    degrees = np.arange(len(series))
    # the slope falls from one side of the node to the other: bisection wherever Newton leaves the bracket
    low, high = theta - step, theta + step
    for _ in range(NEWTON_STEPS):
        _, slope, bend = np.real(np.exp(1j * np.outer(theta, degrees)) @ series).T
        low, high = np.where(slope > 0, theta, low), np.where(slope > 0, high, theta)
        newton = theta - slope / np.where(bend < 0, bend, -np.inf)
        inside = (newton >= low) & (newton <= high) & (bend < 0)
        theta, last = np.where(inside, newton, (low + high) / 2), theta
        if np.all(np.abs(theta - last) < CONVERGED):
            break
    theta = np.mod(theta, 2 * np.pi)
    theta = np.where(2 * np.pi - theta < CONVERGED, 0.0, theta)  # -1e-16 is 0, not 2 pi
    return theta, np.real(np.exp(1j * np.outer(theta, degrees)) @ series[:, 0])
