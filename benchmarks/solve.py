"""A whole solve after compilation, against SciPy's RK45 with the same tolerances on vectorized NumPy.

The error is the largest coordinate error at the end against order 8 at rtol 1e-12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import tokenfield as tkf
from benchmarks.measure import best_times, table

N, BETA, T1, RTOL, ATOL = 1000, 9.0, 15.0, 1e-7, 1e-9


def run() -> list[dict[str, Any]]:
    """One row: seconds, ratio and errors."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta=BETA))
    tokens = tkf.initial.uniform(model.geometry, n=N, seed=0)
    start = np.asarray(tokens.points)

    kernel = np.empty((N, N))  # one buffer, reused: fresh 8 MB arrays would cost NumPy more than the arithmetic

    def velocity(t: float, y: np.ndarray) -> np.ndarray:
        x = y.reshape(N, 3)
        np.matmul(BETA * x, x.T, out=kernel)
        np.subtract(kernel, kernel.max(axis=1, keepdims=True), out=kernel)
        np.exp(kernel, out=kernel)
        mean = (kernel @ x) / kernel.sum(axis=1, keepdims=True)
        return (mean - np.sum(mean * x, axis=1, keepdims=True) * x).ravel()

    def ours() -> np.ndarray:
        return np.asarray(tkf.solve(model, tokens, t1=T1, rtol=RTOL, atol=ATOL, save="end").final.points)

    def scipy() -> np.ndarray:
        return solve_ivp(velocity, (0, T1), start.ravel(), rtol=RTOL, atol=ATOL).y[:, -1].reshape(N, 3)

    exact = tkf.solve(model, tokens, t1=T1, method="dopri8", rtol=1e-12, atol=1e-14, save="end").final.points
    times = best_times({"tokenfield": ours, "SciPy RK45": scipy}, rounds=3)
    rows = [
        {
            "n": N,
            "tokenfield s": times["tokenfield"],
            "SciPy s": times["SciPy RK45"],
            "ratio": times["SciPy RK45"] / times["tokenfield"],
            "error": float(np.abs(ours() - np.asarray(exact)).max()),
            "SciPy error": float(np.abs(scipy() - np.asarray(exact)).max()),
        }
    ]
    table(f"whole solve, d = 3, beta = {BETA:g}, t1 = {T1:g}, rtol = {RTOL:g}", rows)
    return rows
