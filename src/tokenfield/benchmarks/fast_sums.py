"""One evaluation of the whole attention of a million tokens on the circle and S^2, against our own direct sum.

The velocity is the public one, which chooses its way. The direct sum runs with `direct_n` tokens and is counted as
n^2 for n of them, in the same run. The error is the largest absolute error of the velocity over `CHECKED` tokens
against a direct sum in NumPy. Outliers are far from all other tokens, where a fast sum cannot meet the tolerance and is
replaced by a direct one. The largest size runs in a process of its own, for its peak memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.measure import (
    best_times,
    compiled,
    error,
    in_fresh_process,
    peak_mib,
    seconds_of,
    sphere_velocity,
)
from tokenfield.benchmarks.report import Row, Table

CHECKED = 200
OUTLIERS = 64
SPREAD = 1e-2  # of a cluster, in radians
SPACES = {2: "circle", 3: "S^2"}


def run(
    *,
    n: int = 2**20,
    beta: float = 9.0,
    betas: tuple[float, ...] = (0.5, 100.0),
    direct_n: int = 2**14,
    largest: int = 10**7,
    budget_s: float = 20.0,
) -> Iterator[Table]:
    """A table with a row per space, start and beta, and one of the memory of `largest` tokens on the circle.

    `betas` are tried with uniform tokens only; `largest = 0` leaves the second table out.
    """
    cases = [("uniform", b) for b in (beta, *betas)] + [("clusters", beta), ("clusters, outliers", beta)]
    yield Table(
        f"Fast sums, one evaluation of the velocity, n = {n}",
        [row for d in SPACES for row in _rows(d, n, cases, direct_n, budget_s)],
        (
            f"direct: with {direct_n} tokens, and counted as n^2 for {n}; ratio: direct / fast",
            f"error: largest of the velocity over {CHECKED} tokens, against a direct sum in NumPy",
        ),
    )
    if largest:
        yield Table(
            f"Memory of a fast sum on the circle, n = {largest}, in a process of its own",
            [in_fresh_process(measure, largest, beta)],
            ("GiB in all: peak of the process with Python, JAX and the tokens",),
        )


def _rows(d: int, n: int, cases: list[tuple[str, float]], direct_n: int, budget_s: float) -> Iterator[Row]:
    for start, beta in cases:
        points = tokens(start, n, d)
        fast = velocity(points, beta)
        few = jnp.asarray(points[:: n // direct_n][:direct_n])
        with sums.forced("direct"):
            direct = velocity(few, beta)
        times = best_times({"fast": fast, "direct": direct}, rounds=3, budget_s=budget_s)
        extrapolated = times["direct"] * (n / len(few)) ** 2
        yield {
            "space": SPACES[d],
            "start": start,
            "beta": beta,
            "way": sums.choose(n, n, d, reach=beta, is_uniform=True).name,
            "fast s": times["fast"],
            "direct s": times["direct"],
            "direct s at n": extrapolated,
            "ratio": extrapolated / times["fast"],
            "error": checked_error(fast(), points, beta),
        }


def velocity(points: Any, beta: float) -> Any:
    """The compiled velocity of softmax attention among `points` (n, d) on the sphere, as a call without arguments."""
    model = tkf.Transformer(tkf.Sphere(points.shape[1]), tkf.Softmax(jnp.asarray(beta)))
    mu = tkf.Measure(jnp.asarray(points), geometry=model.geometry)
    return compiled(lambda mu: model.velocity(0.0, mu.points, mu), mu)


def checked_error(found: jax.Array, points: np.ndarray, beta: float, checked: int = CHECKED) -> float:
    """The largest error of the velocities `found` (n, d) over the last tokens and some others, against NumPy."""
    n, half = len(points), checked // 2
    chosen = np.unique(np.concatenate([np.linspace(0, n - 1, half), np.arange(n - half, n)]).astype(int))
    return error(np.asarray(found)[chosen], sphere_velocity(points[chosen], points, beta))


def tokens(start: str, n: int, d: int) -> np.ndarray:
    """n points of the sphere in R^d: uniform, or in three clusters, or so with `OUTLIERS` far away as the last ones."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, d))
    if start != "uniform":
        angles = np.array([0.0, 0.7, 1.2])
        centers = np.zeros((3, d))
        centers[:, 0], centers[:, 1] = np.cos(angles), np.sin(angles)
        points = centers[rng.integers(0, 3, n)] + SPREAD * points
    if start == "clusters, outliers":
        points[-OUTLIERS:] = -centers[1] + SPREAD * rng.normal(size=(OUTLIERS, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def measure(n: int, beta: float) -> Row:
    """Seconds, error and peak memory with `n` uniform tokens on the circle; needs a fresh process."""
    jax.block_until_ready(jnp.zeros(8) + 1)  # starts the runtime, which belongs to the import
    before = peak_mib()
    points = tokens("uniform", n, 2)
    fast = velocity(points, beta)
    first, second = seconds_of(fast), seconds_of(fast)
    peak = peak_mib()
    return {
        "n": n,
        "beta": beta,
        "seconds": min(first, second),
        "error": checked_error(fast(), points, beta, checked=16),
        "MiB above import": peak - before,
        "GiB in all": peak / 1024,
    }
