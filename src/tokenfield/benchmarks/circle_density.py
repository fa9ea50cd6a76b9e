"""The published circle PDE runs: tokenfield's densities beside the first-order scheme of the authors, one reference.

arXiv 2410.23228: unnormalized attention, uniform + white noise, beta = 5 to T = 0.5 and beta = 7 to T = 0.08, by
Lax-Friedrichs on 9999 cells with dt = 0.02 dx and a dense O(m^2) velocity. Here the dense scheme is timed over a few
steps and counted for all of them; its result is computed in full with the same sums by FFT, which are checked against
the dense ones. The reference moves the edges of all cells along the flow, so that its distribution function is exact
at them. Errors are W1 distances, in radians.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy import integrate, special

import tokenfield as tkf
from tokenfield.benchmarks.measure import missing_peers, peak_mib, peer
from tokenfield.benchmarks.report import Row, Table
from tokenfield.laws import Cells, Density, Fourier, Grid

CELLS = 9999
NOISE = 0.01
# before the clusters are sharp, then the published ends
RUNS = ((5.0, 0.25), (5.0, 0.5), (7.0, 0.06), (7.0, 0.08))
GRIDS: tuple[Grid, ...] = (Fourier(512), Cells(1024), Cells(2048))
DENSE_STEPS = 12
MODES = 60  # of the kernel: I_60(7) / I_0(7) is below 1e-50


def run() -> Iterator[Table]:
    """A row per run and solver: seconds, how many times faster than the dense scheme, error, steps, how it ended."""
    rows = [row for beta, t1 in RUNS for row in _rows(beta, t1)]
    yield Table(
        "Published circle PDE runs",
        rows,
        (
            f"dense seconds = {DENSE_STEPS} timed steps, counted for all; others: a whole solve after compilation",
            f"peak memory of this process {peak_mib() / 1024:.2f} GiB",
            *(f"{missing} (the noise is NumPy's instead of the published one)" for missing in missing_peers("torch")),
        ),
    )


def _rows(beta: float, t1: float) -> Iterator[Row]:
    masses = initial_masses()
    truth = reference(masses, beta, t1)
    steps = int(np.ceil(t1 / (0.02 * 2 * np.pi / CELLS)))
    density, done, second_per_step, difference = lax_friedrichs(masses, beta, t1 / steps, steps)
    dense_seconds = steps * second_per_step
    is_done = done == steps
    yield {
        "beta": beta,
        "T": t1,
        "solver": f"Lax-Friedrichs, {CELLS} cells, dense",
        "seconds": dense_seconds,
        "times faster": 1.0,
        "W1 error": distance(cell_cdf(density / density.sum()), truth) if is_done else None,
        "steps": steps,
        "end": f"FFT copy differs by {difference:.0e}" if is_done else f"unstable at t = {done * t1 / steps:.4g}",
    }
    for grid in GRIDS:
        yield {"beta": beta, "T": t1} | solve_on(grid, masses, beta, t1, truth, dense_seconds)


def initial_masses() -> np.ndarray:
    """The masses of the cells at the start: the published noise (PyTorch, seed 0), normalized (theirs is not)."""
    torch = peer("torch")
    if torch is None:
        noise = np.random.default_rng(0).normal(size=CELLS)
    else:
        torch.manual_seed(0)
        noise = torch.randn(CELLS, dtype=torch.float64).numpy()
    density = 1 / (2 * np.pi) + NOISE * noise
    return density / density.sum()


# --- the scheme of the authors ------------------------------------------------------------------------------------


def lax_friedrichs(masses: np.ndarray, beta: float, dt: float, steps: int) -> tuple[np.ndarray, int, float, float]:
    """The density at the end, the steps done, seconds per dense step, and how far FFT sums are from dense ones."""
    dx = 2 * np.pi / CELLS
    theta = dx * np.arange(CELLS)
    kernel = -np.exp(beta * np.cos(theta)) * np.sin(theta)
    spectrum = np.fft.rfft(kernel)

    def fast(density: np.ndarray) -> np.ndarray:
        return np.fft.irfft(spectrum * np.fft.rfft(density), n=CELLS) * dx

    matrix = np.exp(beta * np.cos(theta[:, None] - theta)) * -np.sin(theta[:, None] - theta)

    def dense(density: np.ndarray) -> np.ndarray:
        return matrix @ density * dx

    def step(density: np.ndarray, velocity: Any) -> np.ndarray:
        flux = density * velocity(density)
        right, left = np.roll(density, -1), np.roll(density, 1)
        return (right + left) / 2 - dt / (2 * dx) * (np.roll(flux, -1) - np.roll(flux, 1))

    start = masses / dx
    by_dense = by_fft = start
    best = np.inf
    for _ in range(DENSE_STEPS):
        began = time.perf_counter()
        by_dense = step(by_dense, dense)
        best = min(best, time.perf_counter() - began)
        by_fft = step(by_fft, fast)
    difference = float(np.abs(by_dense - by_fft).max())
    for done in range(DENSE_STEPS, steps):
        by_fft = step(by_fft, fast)
        if done % 50 == 0 and not np.abs(by_fft).max() < 1e6:
            return by_fft, done, best, difference
    return by_fft, steps, best, difference


# --- the reference -------------------------------------------------------------------------------------------------


def reference(masses: np.ndarray, beta: float, t1: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the transported cell edges, increasing, and the exact distribution function at them."""
    dx = 2 * np.pi / CELLS
    k = np.arange(1, MODES)
    rates = k * special.iv(k, beta) / beta  # e^{beta cos} sin = (2/beta) sum_k k I_k sin(k theta)

    def velocity(_: float, angles: np.ndarray) -> np.ndarray:
        centers = angles[:CELLS]
        found = np.zeros_like(angles)
        for degree, rate in zip(k, rates, strict=True):
            c, s = masses @ np.cos(degree * centers), masses @ np.sin(degree * centers)
            found -= 2 * rate * (np.sin(degree * angles) * c - np.cos(degree * angles) * s)
        return found

    start = dx * np.concatenate([np.arange(CELLS), np.arange(CELLS + 1) - 0.5])
    solution = integrate.solve_ivp(velocity, (0, t1), start, method="DOP853", rtol=1e-9, atol=1e-11)
    edges = solution.y[CELLS:, -1]
    return edges, np.concatenate([[0.0], np.cumsum(masses)])


def cell_cdf(masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distribution function of masses spread evenly over equal cells whose first center is 0."""
    m = len(masses)
    return 2 * np.pi / m * (np.arange(m + 1) - 0.5), np.concatenate([[0.0], np.cumsum(masses)])


def distance(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> float:
    """W1 on the circle between two piecewise linear distribution functions."""
    grid = np.linspace(0, 2 * np.pi, 400_001)

    def at(cdf: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        angles, heights = cdf
        angles = np.concatenate([angles - 2 * np.pi, angles[1:], angles[1:] + 2 * np.pi])
        heights = np.concatenate([heights - 1, heights[1:], heights[1:] + 1])
        return np.interp(grid, angles, heights)

    gap = at(first) - at(second)
    return float(np.mean(np.abs(gap - np.median(gap))) * 2 * np.pi)


# --- tokenfield ----------------------------------------------------------------------------------------------------


def on_grid(grid: Grid, masses: np.ndarray) -> Density:
    """The same initial density on a grid of tokenfield: averages over cells, or its low Fourier modes."""
    if isinstance(grid, Cells):
        angles, heights = cell_cdf(masses)
        heights = np.concatenate([heights, heights[1:] + 1])
        angles = np.concatenate([angles, angles[1:] + 2 * np.pi])
        edges = 2 * np.pi / grid.m * (np.arange(grid.m + 1) - 0.5) + 2 * np.pi * (angles[0] > -np.pi / grid.m)
        return Density(grid, np.diff(np.interp(edges, angles, heights)) * grid.m)
    coefficients = np.fft.rfft(masses)[: grid.m // 6]
    padded = np.zeros(grid.m // 2 + 1, complex)
    padded[: len(coefficients)] = coefficients
    return Density(grid, np.fft.irfft(padded, n=grid.m) * grid.m)


def solve_on(
    grid: Grid, masses: np.ndarray, beta: float, t1: float, truth: tuple[np.ndarray, np.ndarray], dense_seconds: float
) -> Row:
    """The row of one grid: the second of two solves, so that compilation does not count."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(jnp.asarray(beta)))
    start = on_grid(grid, masses)
    for _ in range(2):
        began = time.perf_counter()
        solved = tkf.solve(model, start, t1=t1, save="end", progress=False)
        seconds = time.perf_counter() - began
    final = np.asarray(solved.final.values)
    is_done = solved.result.is_complete
    return {
        "solver": f"{type(grid).__name__}({grid.m})",
        "seconds": seconds,
        "times faster": dense_seconds / seconds,
        "W1 error": distance(cell_cdf(final / grid.m), truth) if is_done else None,
        "steps": int(solved.stats.accepted),
        "end": str(solved.result).partition(":")[0],
    }
