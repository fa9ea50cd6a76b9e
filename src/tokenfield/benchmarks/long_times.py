"""Exponentially long times: hundreds of tokens to one cluster, and the staircase of the energy against its authors.

`solve(..., merge=True)` makes one weighted token of a collapsed cluster. The first table follows uniform tokens until
all are one; the second compares merging with not merging while both are affordable; the third is the staircase of arXiv
2410.06833, n = 5 tokens on the circle, for which the authors take 10^6 steps at each beta: here their scheme (the
gradient of the unnormalized energy, scaled to a fixed length; near tokens set equal where it is small) is timed over
some steps and counted for all. tokenfield runs the same distance, with `clock="distance"`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield.benchmarks.measure import error, seconds_of
from tokenfield.benchmarks.report import Row, Table
from tokenfield.solver.options import Adaptive, Clock

PUBLISHED_STEPS = 10**6
LENGTH = 1e-5  # of a published step, over log beta
TOGETHER = 1e-3  # angle below which the published scheme sets tokens equal
AUTHORS = "authors' loop s"
EARLY_STEPS = 200  # after which the published scheme is compared with: no tokens have met yet


def run(
    *,
    n: int = 400,
    betas: tuple[float, ...] = (100.0, 50.0),
    t1s: tuple[float, ...] = (1e90, 1e50),
    compared_n: int = 64,
    compared_t1: float = 1e3,
    staircase: tuple[float, ...] = (500.0, 1000.0, 1500.0, 2000.0, 3000.0, 4000.0),
    steps: int = 3000,
) -> Iterator[Table]:
    """The three tables. `betas` and `t1s` are for the circle and for S^2; an empty `staircase` leaves the last out."""
    yield Table(
        f"Uniform tokens to one cluster, n = {n}, softmax, solve(..., merge=True)",
        [_to_one_cluster(d, n, beta, t1) for d, beta, t1 in zip((2, 3), betas, t1s, strict=True)],
        (
            "seconds: in all, with compilation; again: once more, compiled; plateaus: numbers of clusters below 10",
            "energy error: how far the normalized energy at the end is from that of one cluster, which is 1",
        ),
    )
    yield Table(
        f"With and without merging, n = {compared_n}, beta = 9, t = {compared_t1:g}",
        [_compare(d, compared_n, 9.0, compared_t1) for d in (2, 3)],
        ("difference: largest of a coordinate at the end; seconds with compilation",),
    )
    if staircase:
        rows = [_staircase(beta, steps) for beta in staircase]
        totals = {column: sum(row[column] for row in rows) for column in (AUTHORS, "on arrays s", "first s", "again s")}
        yield Table(
            "Staircase, n = 5 on the circle, to one cluster",
            [*rows, {"beta": "all"} | totals | {"ratio": totals[AUTHORS] / totals["again s"]}],
            (
                f"{AUTHORS}: {steps} steps timed, counted as {PUBLISHED_STEPS:.0e}; on arrays: the same without "
                "its loops over tokens",
                f"first: with compilation, in all {totals[AUTHORS] / totals['first s']:.3g} times faster than the "
                "authors' loop; ratio: authors' loop / again",
                "plateau error: |E - sum of squared masses| of the worst of the last three plateaus, E the normalized "
                "energy",
                f"difference: largest of an angle from the authors' scheme after {EARLY_STEPS} of its steps",
            ),
        )


def _solve(model: tkf.Transformer, start: Any, t1: float, *, merge: bool, save: str = "log:200") -> tuple[Any, float]:
    began = time.perf_counter()
    ran = tkf.solve(model, start, t1=t1, save=save, merge=merge, method=Adaptive(norm="max"), progress=False)
    return ran, time.perf_counter() - began


def _model(d: int, beta: float) -> tkf.Transformer:
    return tkf.Transformer(tkf.Sphere(d), tkf.Softmax(jnp.asarray(beta)))


def _to_one_cluster(d: int, n: int, beta: float, t1: float) -> Row:
    model = _model(d, beta)
    start = tkf.initial.uniform(model.geometry, n=n, seed=0)
    ran, seconds = _solve(model, start, t1, merge=True)
    _, again = _solve(model, start, t1, merge=True)
    ends = ran.escape_times
    return {
        "space": "circle" if d == 2 else "S^2",
        "beta": beta,
        "t1": t1,
        "seconds": seconds,
        "again": again,
        "steps": int(ran.stats.accepted),
        "clusters at the end": ran.plateaus[-1].count,
        "one cluster at t": float(ends[-1]) if len(ends) and ran.plateaus[-1].count == 1 else None,
        "plateaus": " ".join(str(plateau.count) for plateau in ran.plateaus if plateau.count < 10),
        "energy error": abs(float(ran.energy(normalized=True)[-1]) - 1),
    }


def _compare(d: int, n: int, beta: float, t1: float) -> Row:
    model = _model(d, beta)
    start = tkf.initial.uniform(model.geometry, n=n, seed=0)
    (merged, seconds), (plain, plain_seconds) = (_solve(model, start, t1, merge=merge) for merge in (True, False))
    return {
        "space": "circle" if d == 2 else "S^2",
        "merging s": seconds,
        "steps": int(merged.stats.accepted),
        "not merging s": plain_seconds,
        "steps without": int(plain.stats.accepted),
        "ratio": plain_seconds / seconds,
        "difference": error(merged.saved_points[-1], np.asarray(plain.saved_points[-1])),
    }


# --- the staircase ------------------------------------------------------------------------------------------------


def published_start() -> np.ndarray:
    """The five angles of the published figure, the same for every beta."""
    s = np.log(2000) / np.sqrt(2000)
    return 0.5 * s * np.array([0.0, 0.5, 2.0, 4.0, 7.0])


def _staircase(beta: float, steps: int) -> Row:
    theta = published_start()
    authors, arrays = (
        seconds_of(partial(authors_loop, theta, beta, steps, scheme)) / steps for scheme in (TOKEN_BY_TOKEN, ON_ARRAYS)
    )
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(jnp.asarray(beta)))
    early, t1 = LENGTH * EARLY_STEPS, LENGTH * PUBLISHED_STEPS

    def solve() -> tkf.Trajectory:
        return tkf.solve(
            model,
            np.stack([np.cos(theta), np.sin(theta)], axis=1),
            t1=t1,
            save=[early, *np.linspace(2 * early, t1, 999)],
            merge=True,
            clock=Clock("distance", speed=float(np.log(beta))),
            progress=False,
        )

    first = seconds_of(solve)
    began = time.perf_counter()
    ran = solve()
    seconds = time.perf_counter() - began
    x = np.asarray(ran.saved_points)
    angles = np.arctan2(x[..., 1], x[..., 0])
    counts = [plateau.count for plateau in ran.plateaus]
    return {
        "beta": beta,
        AUTHORS: authors * PUBLISHED_STEPS,
        "on arrays s": arrays * PUBLISHED_STEPS,
        "first s": first,
        "again s": seconds,
        "ratio": authors * PUBLISHED_STEPS / seconds,
        "steps": int(ran.stats.accepted),
        "plateaus": " ".join(map(str, counts)),
        "plateau error": plateau_error(angles, beta, counts[-3:]),
        "difference": error(angles[0], authors_loop(theta, beta, EARLY_STEPS, ON_ARRAYS)),
    }


class Scheme(NamedTuple):
    """The normalized energy E = (1/n^2) sum_ij e^{beta (cos(theta_i - theta_j) - 1)} and its gradient over 2 beta."""

    gradient: Callable[[np.ndarray, float], np.ndarray]
    energy: Callable[[np.ndarray, float], float]


def authors_loop(theta: np.ndarray, beta: float, steps: int, scheme: Scheme) -> np.ndarray:
    """The angles after some steps of the published scheme, which also records the energy after each of them."""
    energies = []
    for _ in range(steps):
        slope = scheme.gradient(theta, beta)
        length = np.linalg.norm(slope)
        theta = theta + LENGTH * np.log(beta) * slope / length
        if length < 1e-5:
            for j in range(len(theta)):
                for k in range(j + 1, len(theta)):
                    if abs(theta[j] - theta[k]) < TOGETHER:
                        theta[k] = theta[j]
        energies.append(scheme.energy(theta, beta))
    return theta


def _loop_gradient(theta: np.ndarray, beta: float) -> np.ndarray:
    slope = np.zeros_like(theta)
    for i in range(len(theta)):
        difference = theta[i] - theta
        slope[i] = -np.sum(np.sin(difference) * np.exp(beta * (np.cos(difference) - 1))) / len(theta) ** 2
    return slope


def _loop_energy(theta: np.ndarray, beta: float) -> float:
    return sum(float(np.sum(np.exp(beta * (np.cos(angle - theta) - 1)))) for angle in theta) / len(theta) ** 2


def _gradient(theta: np.ndarray, beta: float) -> np.ndarray:
    difference = theta[:, None] - theta
    return -np.mean(np.sin(difference) * np.exp(beta * (np.cos(difference) - 1)), axis=1) / len(theta)


def _energy(theta: np.ndarray, beta: float) -> float:
    return float(np.mean(np.exp(beta * (np.cos(theta[:, None] - theta) - 1))))


TOKEN_BY_TOKEN = Scheme(_loop_gradient, _loop_energy)  # as the authors do
ON_ARRAYS = Scheme(_gradient, _energy)


def plateau_error(angles: np.ndarray, beta: float, counts: Sequence[int]) -> float:
    """The largest error of a plateau of the energy along the angles (T, n), of plateaus with so many clusters.

    It is the least |E - sum of squared masses| while there are so many: jumps between plateaus do not count.
    """
    errors = dict.fromkeys(counts, np.inf)
    for theta in np.sort(angles, axis=1):
        clusters = np.concatenate([[0], np.cumsum(np.diff(theta) > TOGETHER)])
        count = int(clusters[-1]) + 1
        if count in errors:
            masses = np.bincount(clusters) / len(theta)
            errors[count] = min(errors[count], abs(_energy(theta, beta) - float(np.sum(masses**2))))
    return max(errors.values(), default=np.nan)
