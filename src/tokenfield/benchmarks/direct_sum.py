"""One evaluation of the softmax attention of n tokens among themselves, against PyTorch, KeOps and NumPy.

Peers: `torch.nn.functional.scaled_dot_product_attention` (SDPA), KeOps on the CPU, dense NumPy.
The error is the largest absolute error over 256 tokens against a float64 dense sum of the same float-rounded points.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.measure import best_times, table
from tokenfield import sums

N, BETA, CHECKED = 8192, 9.0, 256
DIMENSIONS = (2, 3, 16, 64, 256)


def run() -> list[dict[str, Any]]:
    """A row per dimension and precision: milliseconds, ratios, errors."""
    rows = [row(d, dtype) for dtype in (np.float32, np.float64) for d in DIMENSIONS]
    table(
        f"direct sum, one evaluation, n = {N}, beta = {BETA:g} (milliseconds)",
        rows,
        "ratio: fastest peer / tokenfield (above 1: tokenfield is faster); error: largest, against float64",
    )
    return rows


def row(d: int, dtype: Any) -> dict[str, Any]:
    """Times and errors of all contestants in dimension `d`."""
    import torch
    from pykeops.numpy import LazyTensor

    x = np.random.default_rng(0).normal(size=(N, d))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(dtype)
    points, weights, beta = jnp.asarray(x), jnp.full(N, 1 / N, dtype), dtype(BETA)
    ours = jax.jit(lambda p: sums.attend(beta * p, p, p, weights).mean)
    tensor = torch.from_numpy(x)[None, None]

    def numpy_dense() -> np.ndarray:
        logits = beta * (x @ x.T)
        kernel = np.exp(logits - logits.max(axis=1, keepdims=True))
        return (kernel @ x) / kernel.sum(axis=1, keepdims=True)

    def keops(x: np.ndarray = x) -> np.ndarray:
        x_i, y_j = LazyTensor(x[:, None, :]), LazyTensor(x[None, :, :])
        return (float(beta) * (x_i | y_j)).sumsoftmaxweight(y_j, axis=1)

    keops(x[:16])  # KeOps compiles for each dimension and precision

    contestants = {
        "tokenfield": lambda: np.asarray(ours(points)),
        "SDPA": lambda: torch.nn.functional.scaled_dot_product_attention(tensor, tensor, tensor, scale=BETA)[
            0, 0
        ].numpy(),
        "KeOps": keops,
        "NumPy": numpy_dense,
    }
    reference = _reference(x)
    errors = {name: float(np.abs(contestants[name]()[:CHECKED] - reference).max()) for name in ("tokenfield", "SDPA")}
    times = best_times(contestants, rounds=10, budget_s=3.0)
    peer = min(times[name] for name in contestants if name != "tokenfield")
    return {
        "d": d,
        "dtype": np.dtype(dtype).name,
        **{name: 1e3 * seconds for name, seconds in times.items()},
        "ratio": peer / times["tokenfield"],
        "error": errors["tokenfield"],
        "SDPA error": errors["SDPA"],
    }


def _reference(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    logits = BETA * (x[:CHECKED] @ x.T)
    kernel = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (kernel @ x) / kernel.sum(axis=1, keepdims=True)
