"""One evaluation of causal softmax attention of n tokens, token i seeing the tokens j <= i, against PyTorch.

The peer is `torch.nn.functional.scaled_dot_product_attention(is_causal=True)` (SDPA). "no mask" is tokenfield without
the mask: the causal sum has half its pairs, so a share near 1/2 means that hidden pairs are skipped, not masked.
The error is the largest absolute error over 256 tokens against a float64 dense sum of the same float-rounded points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from tokenfield import sums
from tokenfield.benchmarks.direct_sum import sdpa, unit_vectors
from tokenfield.benchmarks.measure import best_times, compiled, error, missing_peers, softmax_mean
from tokenfield.benchmarks.report import Row, Table

CHECKED = 256


def run(
    *, n: int = 8192, beta: float = 9.0, dimensions: tuple[int, ...] = (3, 16, 64, 256), budget_s: float = 5.0
) -> Iterator[Table]:
    """A row per dimension and precision: milliseconds, ratios, errors."""
    yield Table(
        f"Causal sum, one evaluation, n = {n}, beta = {beta:g} (milliseconds)",
        [_row(n, d, beta, dtype, budget_s) for dtype in (np.float32, np.float64) for d in dimensions],
        (
            "ratio: SDPA / tokenfield (above 1: tokenfield is faster); share: of the time without a mask; errors: "
            "largest, against float64",
            *missing_peers("torch"),
        ),
    )


def _row(n: int, d: int, beta: float, dtype: Any, budget_s: float) -> Row:
    x = unit_vectors(n, d, dtype)
    points, weights, positions = jnp.asarray(x), jnp.full(n, 1 / n, dtype), jnp.arange(n, dtype=dtype)
    band = sums.Band(positions, positions, nearest=jnp.zeros((), dtype))
    contestants = {
        "tokenfield": compiled(lambda p, w, b: sums.attend(dtype(beta) * p, p, p, w, b).mean, points, weights, band),
        "no mask": compiled(lambda p, w: sums.attend(dtype(beta) * p, p, p, w).mean, points, weights),
    }
    peer = sdpa(x, beta, is_causal=True)
    if peer is not None:
        contestants["SDPA"] = peer
    chosen = np.linspace(0, n - 1, CHECKED).astype(int)
    reference = softmax_mean(x[chosen], x, beta, first_hidden=chosen + 1)
    errors = {name: error(np.asarray(call())[chosen], reference) for name, call in contestants.items()}
    times = best_times(contestants, rounds=10, budget_s=budget_s)
    return {
        "d": d,
        "dtype": np.dtype(dtype).name,
        **{name: 1e3 * times[name] if name in times else None for name in ("tokenfield", "SDPA", "no mask")},
        "ratio": times["SDPA"] / times["tokenfield"] if "SDPA" in times else None,
        "share": times["tokenfield"] / times["no mask"],
        "error": errors["tokenfield"],
        "SDPA error": errors.get("SDPA"),
    }
