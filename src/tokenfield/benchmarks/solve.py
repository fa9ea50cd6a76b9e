"""A whole solve after compilation, against SciPy's RK45 with the same tolerances on vectorized NumPy.

SciPy runs twice: with the velocity as one writes it in NumPy, and with the n x n buffer reused by hand, which saves
NumPy the allocation of several 8 MB arrays per evaluation. tokenfield runs as it chooses, and with direct sums. The
error is the largest coordinate error at the end against order 8 at rtol 1e-12 with direct sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.measure import best_times, error
from tokenfield.benchmarks.report import Table

Mean = Callable[[np.ndarray], np.ndarray]


def run(
    *, n: int = 1000, beta: float = 9.0, t1: float = 15.0, rtol: float = 1e-7, atol: float = 1e-9
) -> Iterator[Table]:
    """A row for each solver: seconds, ratio to tokenfield, error."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(jnp.asarray(beta)))
    tokens = tkf.initial.uniform(model.geometry, n=n, seed=0)
    start = np.asarray(tokens.points)

    def ours(way: str) -> np.ndarray:
        with sums.forced(way):
            return np.asarray(tkf.solve(model, tokens, t1=t1, rtol=rtol, atol=atol, save="end").final.points)

    def scipy(mean_field: Mean) -> np.ndarray:
        def velocity(t: float, y: np.ndarray) -> np.ndarray:
            x = y.reshape(n, 3)
            mean = mean_field(x)
            return (mean - np.sum(mean * x, axis=1, keepdims=True) * x).ravel()

        return solve_ivp(velocity, (0, t1), start.ravel(), rtol=rtol, atol=atol).y[:, -1].reshape(n, 3)

    contestants = {
        "tokenfield": lambda: ours("auto"),
        "tokenfield, direct sums": lambda: ours("direct"),
        "SciPy RK45, NumPy": lambda: scipy(lambda x: _mean(beta, x)),
        "SciPy RK45, NumPy with one buffer": lambda: scipy(_buffered_mean(beta, n)),
    }
    with sums.forced("direct"):
        exact = tkf.solve(model, tokens, t1=t1, method="dopri8", rtol=1e-12, atol=1e-14, save="end").final.points
    times = best_times(contestants, rounds=3)
    rows = [
        {
            "solver": name,
            "seconds": times[name],
            "ratio": times[name] / times["tokenfield"],
            "error": error(solver(), np.asarray(exact)),
        }
        for name, solver in contestants.items()
    ]
    yield Table(f"A whole solve, n = {n}, d = 3, beta = {beta:g}, t1 = {t1:g}, rtol = {rtol:g}", rows)


def _mean(beta: float, x: np.ndarray) -> np.ndarray:
    """The softmax mean at each token, as one writes it."""
    logits = beta * (x @ x.T)
    kernel = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (kernel @ x) / kernel.sum(axis=1, keepdims=True)


def _buffered_mean(beta: float, n: int) -> Mean:
    """The same with one reused n x n buffer."""
    kernel = np.empty((n, n))

    def mean(x: np.ndarray) -> np.ndarray:
        np.matmul(beta * x, x.T, out=kernel)
        np.subtract(kernel, kernel.max(axis=1, keepdims=True), out=kernel)
        np.exp(kernel, out=kernel)
        return (kernel @ x) / kernel.sum(axis=1, keepdims=True)

    return mean
