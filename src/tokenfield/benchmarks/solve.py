"""A whole solve after compilation, against SciPy's RK45 with the same tolerances on vectorized NumPy.

SciPy runs twice: with the velocity as one writes it in NumPy, and with the n x n buffer reused by hand, which saves
NumPy the allocation of several 8 MB arrays per evaluation. The error is the largest coordinate error at the end against
order 8 at rtol 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import tokenfield as tkf
from benchmarks.measure import best_times, table

N, BETA, T1, RTOL, ATOL = 1000, 9.0, 15.0, 1e-7, 1e-9


def run() -> list[dict[str, Any]]:
    """A row for each solver: seconds, ratio to tokenfield, error."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta=BETA))
    tokens = tkf.initial.uniform(model.geometry, n=N, seed=0)
    start = np.asarray(tokens.points)

    def ours() -> np.ndarray:
        return np.asarray(tkf.solve(model, tokens, t1=T1, rtol=RTOL, atol=ATOL, save="end").final.points)

    def scipy(mean_field: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        def velocity(t: float, y: np.ndarray) -> np.ndarray:
            x = y.reshape(N, 3)
            mean = mean_field(x)
            return (mean - np.sum(mean * x, axis=1, keepdims=True) * x).ravel()

        return solve_ivp(velocity, (0, T1), start.ravel(), rtol=RTOL, atol=ATOL).y[:, -1].reshape(N, 3)

    contestants = {
        "tokenfield": ours,
        "SciPy RK45, NumPy": lambda: scipy(plain_mean),
        "SciPy RK45, NumPy with one buffer": lambda: scipy(buffered_mean(N)),
    }
    exact = tkf.solve(model, tokens, t1=T1, method="dopri8", rtol=1e-12, atol=1e-14, save="end").final.points
    times = best_times(contestants, rounds=3)
    rows = [
        {
            "solver": name,
            "seconds": times[name],
            "ratio": times[name] / times["tokenfield"],
            "error": float(np.abs(solver() - np.asarray(exact)).max()),
        }
        for name, solver in contestants.items()
    ]
    table(f"whole solve, n = {N}, d = 3, beta = {BETA:g}, t1 = {T1:g}, rtol = {RTOL:g}", rows)
    return rows


def plain_mean(x: np.ndarray) -> np.ndarray:
    """The softmax mean at each token, as one writes it."""
    logits = BETA * (x @ x.T)
    kernel = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (kernel @ x) / kernel.sum(axis=1, keepdims=True)


def buffered_mean(n: int) -> Callable[[np.ndarray], np.ndarray]:
    """The same with one reused n x n buffer."""
    kernel = np.empty((n, n))

    def mean(x: np.ndarray) -> np.ndarray:
        np.matmul(BETA * x, x.T, out=kernel)
        np.subtract(kernel, kernel.max(axis=1, keepdims=True), out=kernel)
        np.exp(kernel, out=kernel)
        return (kernel @ x) / kernel.sum(axis=1, keepdims=True)

    return mean
