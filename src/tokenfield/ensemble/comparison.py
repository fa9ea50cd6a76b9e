"""Particles against the mean field: the same model solved with n tokens and at n = infinity, and the distance between.

Tokens are drawn from the initial density or Gaussian. The distance is exact on the circle (W_p against the density
itself, not its nodes), sliced on S^2 (the same great circles for all), W_p of the heights <x, e_1> for zonal
densities, exact on the line and sliced in the plane, and for Gaussians the W_2 distance between N(mean, covariance) of
the tokens and the Gaussian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenfield import transport
from tokenfield._runtime.arguments import checked
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.memory import require_for_tokens, require_numbers
from tokenfield._runtime.progress import Progress
from tokenfield.errors import InvalidInput
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure, is_whole
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve
from tokenfield.solver.trajectory import Trajectory

TOKEN_RTOL = 1e-4  # of the order of the sampling error of 10^8 tokens
NOISE_STEP = 0.01
SLICES = 64
FINER = 8  # times as many nodes, by the polynomials of the panels, for distances on the line
DRAW_PAIRS = 4e9  # pairs of tokens in all draws of one size: beyond, a size gets fewer draws


@dataclass(frozen=True, eq=False)
class Comparison:
    """Distances between n tokens and the mean field, for several n. Made by `compare`.

    Attributes:
        sizes: The numbers n of tokens, increasing.
        start: The distances at t0, shape (sizes, seeds); NaN for draws that were not made.
        end: The distances at t1, likewise.
        p: Which Wasserstein distance, 1 or 2.
        distance: Its name in words.
        t0: The time at the start.
        t1: The final time.
        field: The run of the mean field, at n = infinity.
        is_complete: Whether all draws that were planned have been made.

    >>> import numpy as np
    >>> n, distances = np.array([100, 400]), np.array([[0.2], [0.1]])
    >>> round(Comparison(n, distances, distances, 1, "W_1", 0.0, 1.0, None).rate, 12)
    -0.5
    """

    sizes: np.ndarray
    start: np.ndarray
    end: np.ndarray
    p: int
    distance: str
    t0: float
    t1: float
    field: Trajectory
    is_complete: bool = True

    @property
    def rate(self) -> float:
        """The fitted exponent: the mean distance at t1 goes like n^rate; NaN with fewer than two sizes."""
        return fitted_rate(self.sizes, self.end)

    @property
    def initial_rate(self) -> float:
        """The same for the initial distance, which is that of sampling alone."""
        return fitted_rate(self.sizes, self.start)

    @property
    def growth(self) -> np.ndarray:
        """The mean distance at t1 over that at t0, for each size: the stability constant of Dobrushin's estimate."""
        return _means(self.end) / _means(self.start)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data, for JSON."""
        return {
            "sizes": self.sizes.tolist(),
            "seeds": self.end.shape[1],
            "p": self.p,
            "distance": self.distance,
            "t0": self.t0,
            "t1": self.t1,
            "start": self.start.tolist(),
            "end": self.end.tolist(),
            "mean_start": _means(self.start).tolist(),
            "mean_end": _means(self.end).tolist(),
            "growth": self.growth.tolist(),
            "initial_rate": self.initial_rate,
            "rate": self.rate,
            "mean_field": str(self.field.result),
            "is_complete": self.is_complete,
        }


@checked
def compare(
    model: Transformer,
    start: Density | MovingDensity | Gaussian,
    *,
    t1: float,
    t0: float = 0.0,
    sizes: Sequence[int] = (100, 1000, 10_000),
    seeds: int = 8,
    p: int = 1,
    rtol: float = TOKEN_RTOL,
    progress: bool | None = None,
) -> Comparison:
    """How far n tokens drawn from a law are from the mean field that starts there, at t0 and at t1.

    Dobrushin's estimate says that the distance at t1 is at most a constant times that at t0, which falls like a power
    of n. Ctrl-C keeps what is done.

    Args:
        model: What moves the tokens and the law.
        start: The law to start from, a `Density`, a `MovingDensity` or a `Gaussian`.
        t1: The final time.
        t0: The time at the start, by default 0.
        sizes: The numbers n of tokens, by default 100, 1000 and 10,000.
        seeds: How many independent draws of each size, by default 8, fewer from n = 25,000 on.
        p: Which Wasserstein distance, 1 (the default) or 2; for Gaussians it is always W_2 of the normal laws.
        rtol: The relative tolerance of the runs with tokens, by default 1e-4.
        progress: Whether a progress bar is shown, by default if it takes long and somebody watches.

    Returns:
        The `Comparison`; its `rate` is the fitted power of n, its `growth` the constant.

    Raises:
        InvalidInput: If an argument makes no sense, or a run does not reach `t1`.

    >>> from tokenfield import L2, Euclidean
    >>> model = Transformer(Euclidean(1), L2(1.0), relative=True)
    >>> compare(model, Gaussian([0.0], [[1.0]]), t1=0.1, sizes=[32], seeds=2).end.shape
    (1, 2)
    """
    if not isinstance(start, (Density, MovingDensity, Gaussian)):
        raise InvalidInput(f"compare starts from a Density or a Gaussian, got {type(start).__name__}")
    counts = _check_sizes(sizes, seeds, start.d)
    name, distance = _distance_to(start, p)
    field = solve(model, start, t1=t1, t0=t0, save="end", progress=progress)
    _check_end(field)
    tables = np.full((2, len(counts), seeds), np.nan)
    cost = counts.astype(float) ** 2
    draws = np.clip(DRAW_PAIRS / cost, 1, seeds).astype(int)
    total, done, is_complete = float(cost @ draws), 0.0, True
    options: dict[str, Any] = {"rtol": rtol} if model.noise is None else {"step": NOISE_STEP}
    try:
        with Interrupts() as interrupts, Progress("comparing", shown=progress) as bar:
            for row, n in enumerate(counts):
                for seed in range(draws[row]):
                    if interrupts.requested:
                        raise KeyboardInterrupt
                    bar.update(done / total, f"n = {n}, draw {seed + 1} of {draws[row]}")
                    tokens = _draw(start, int(n), seed, model)
                    run = solve(model, tokens, t1=t1, t0=t0, save="end", progress=False, **options)
                    _check_end(run)
                    tables[0, row, seed] = distance(tokens, start)
                    tables[1, row, seed] = distance(run.final, field.final)
                    done += cost[row]
    except KeyboardInterrupt:
        is_complete = False
    return Comparison(counts, tables[0], tables[1], p, name, float(t0), float(t1), field, is_complete)


def _check_end(run: Trajectory) -> None:
    if run.result.name == "interrupted":
        raise KeyboardInterrupt
    if not run.result.is_complete:
        who = "n tokens" if run.kind == "tokens" else "the mean field"
        raise InvalidInput(f"{who}: {run.result}; compare up to an earlier time, or on a finer grid")


def fitted_rate(sizes: np.ndarray, distances: np.ndarray) -> float:
    """The slope of log(mean distance) against log n, by least squares; NaN with fewer than two sizes."""
    means = _means(distances)
    is_there = np.isfinite(means) & (means > 0)
    if is_there.sum() < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes[is_there]), np.log(means[is_there]), 1)[0])


def _means(distances: np.ndarray) -> np.ndarray:
    """Means over the draws that were solved; NaN where none was."""
    counts = np.isfinite(distances).sum(axis=1)
    return np.where(counts > 0, np.nansum(distances, axis=1) / np.maximum(counts, 1), np.nan)


def _check_sizes(sizes: Sequence[int], seeds: int, d: int) -> np.ndarray:
    counts = np.unique(np.asarray(list(sizes)))
    if len(counts) == 0 or not np.issubdtype(counts.dtype, np.integer) or counts[0] < 2:
        raise InvalidInput(f"sizes must be whole numbers of tokens >= 2, got {list(sizes)}")
    if not is_whole(seeds) or seeds < 1:
        raise InvalidInput(f"seeds must be a whole number >= 1, got {seeds!r}")
    require_for_tokens(int(counts[-1]), d)
    require_numbers(2 * len(counts) * int(seeds), f"{seeds} draws of each size", advice="take fewer", on_host=True)
    return counts


def _draw(start: Density | MovingDensity | Gaussian, n: int, seed: int, model: Transformer) -> Measure:
    return start.sample(n, seed=seed)


def _distance_to(start: Density | MovingDensity | Gaussian, p: int) -> tuple[str, Callable[[Measure, Any], float]]:
    """The name of the distance that fits, and its function of tokens and law."""
    if p not in (1, 2):
        raise InvalidInput(f"compare knows W_1 and W_2, got p = {p}")
    if isinstance(start, Gaussian):
        return "W_2 between the normal laws", _bures
    if isinstance(start, MovingDensity):
        if start.d == 1:
            return f"W_{p} on the line", lambda mu, rho: _on_line(mu, rho, p)
        plane = start.grid.geometry
        return f"sliced W_{p}", lambda mu, rho: transport.sliced_wasserstein(
            mu, rho.measure(), plane, p=p, slices=SLICES
        )
    if start.d == 2:
        return f"W_{p} on the circle", lambda mu, rho: transport.density_wasserstein(rho.values, mu, p=p)
    if start.grid.is_orbit:
        return f"W_{p} of the heights", lambda mu, rho: _of_heights(mu, rho, p)
    sphere = start.grid.geometry
    return f"sliced W_{p}", lambda mu, rho: transport.sliced_wasserstein(mu, rho.measure(), sphere, p=p, slices=SLICES)


def _on_line(mu: Measure, rho: MovingDensity, p: int) -> float:
    """W_p of tokens to a density on the line, whose panels are refined until nodes are as dense as tokens."""
    finer = rho.refined(FINER)
    x, y = (np.asarray(law.points, float)[:, 0] for law in (mu, finer))
    return transport.line_wasserstein(x, y, np.asarray(mu.weights, float), np.asarray(finer.weights, float), p=p)


def _of_heights(mu: Measure, rho: Density, p: int) -> float:
    heights = np.asarray(rho.grid.points)[:, 0]
    weights = np.asarray(rho.weights)
    tokens = np.asarray(mu.points, float)[:, 0]
    return transport.line_wasserstein(tokens, heights, np.asarray(mu.weights, float), weights, p=p)


def _bures(mu: Measure, law: Gaussian) -> float:
    """W_2 between two normal laws: |m - n|^2 + tr(S + T - 2 (S^{1/2} T S^{1/2})^{1/2})."""
    x, w = np.asarray(mu.points, float), np.asarray(mu.weights, float)
    mean = w @ x
    S, T = (x - mean).T @ (w[:, None] * (x - mean)), np.asarray(law.covariance, float)
    values, vectors = np.linalg.eigh(S)
    half = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    cross = np.sqrt(np.maximum(np.linalg.eigvalsh(half @ T @ half), 0)).sum()
    gap = np.sum((mean - np.asarray(law.mean, float)) ** 2) + np.trace(S) + np.trace(T) - 2 * cross
    return float(np.sqrt(max(gap, 0.0)))
