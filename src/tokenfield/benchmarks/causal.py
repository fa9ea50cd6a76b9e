"""One evaluation of causal softmax attention of n tokens, token i seeing the tokens j <= i, against PyTorch.

The peer is `torch.nn.functional.scaled_dot_product_attention(is_causal=True)` (SDPA). "no mask" is tokenfield without
the mask: the causal sum has half its pairs, so a share near 1/2 means that hidden pairs are skipped, not masked.
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
DIMENSIONS = (3, 16, 64, 256)


def run() -> list[dict[str, Any]]:
    """A row per dimension and precision: milliseconds, ratios, errors."""
    rows = [row(d, dtype) for dtype in (np.float32, np.float64) for d in DIMENSIONS]
    table(
        f"causal sum, one evaluation, n = {N}, beta = {BETA:g} (milliseconds)",
        rows,
        "ratio: SDPA / tokenfield (above 1: tokenfield is faster); share: of the time without a mask; "
        "error: largest, against float64",
    )
    return rows


def row(d: int, dtype: Any) -> dict[str, Any]:
    """Times and errors of all contestants in dimension `d`."""
    import torch

    x = np.random.default_rng(0).normal(size=(N, d))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(dtype)
    points, weights, beta = jnp.asarray(x), jnp.full(N, 1 / N, dtype), dtype(BETA)
    positions = jnp.arange(N, dtype=dtype)
    band = sums.Band(positions, positions, nearest=jnp.zeros((), dtype))
    causal = jax.jit(lambda p, band: sums.attend(beta * p, p, p, weights, band).mean)
    full = jax.jit(lambda p: sums.attend(beta * p, p, p, weights).mean)
    tensor = torch.from_numpy(x)[None, None]

    def sdpa() -> np.ndarray:
        attended = torch.nn.functional.scaled_dot_product_attention(tensor, tensor, tensor, is_causal=True, scale=BETA)
        return attended[0, 0].numpy()

    contestants = {
        "tokenfield": lambda: np.asarray(causal(points, band)),
        "SDPA": sdpa,
        "no mask": lambda: np.asarray(full(points)),
    }
    chosen = np.linspace(0, N - 1, CHECKED).astype(int)
    reference = _reference(x, chosen)
    errors = {name: float(np.abs(contestants[name]()[chosen] - reference).max()) for name in ("tokenfield", "SDPA")}
    times = best_times(contestants, rounds=10, budget_s=5.0)
    return {
        "d": d,
        "dtype": np.dtype(dtype).name,
        **{name: 1e3 * seconds for name, seconds in times.items()},
        "ratio": times["SDPA"] / times["tokenfield"],
        "share": times["tokenfield"] / times["no mask"],
        "error": errors["tokenfield"],
        "SDPA error": errors["SDPA"],
    }


def _reference(x: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    logits = BETA * (x[chosen] @ x.T)
    logits[np.arange(len(x)) > chosen[:, None]] = -np.inf
    kernel = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (kernel @ x) / kernel.sum(axis=1, keepdims=True)
