"""One evaluation of the softmax attention of n tokens among themselves, against PyTorch, KeOps and NumPy.

Peers: `torch.nn.functional.scaled_dot_product_attention` (SDPA), KeOps on the CPU, dense NumPy.
The error is the largest absolute error over 256 tokens against a float64 dense sum of the same float-rounded points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from tokenfield import sums
from tokenfield.benchmarks.measure import best_times, compiled, error, missing_peers, peer, softmax_mean
from tokenfield.benchmarks.report import Row, Table

CHECKED = 256


def run(
    *, n: int = 8192, beta: float = 9.0, dimensions: tuple[int, ...] = (2, 3, 16, 64, 256), budget_s: float = 3.0
) -> Iterator[Table]:
    """A row per dimension and precision: milliseconds, ratios, errors."""
    yield Table(
        f"Direct sum, one evaluation, n = {n}, beta = {beta:g} (milliseconds)",
        [_row(n, d, beta, dtype, budget_s) for dtype in (np.float32, np.float64) for d in dimensions],
        (
            "ratio: fastest peer / tokenfield (above 1: tokenfield is faster); errors: largest, against float64",
            *missing_peers("torch", "pykeops.numpy"),
        ),
    )


def _row(n: int, d: int, beta: float, dtype: Any, budget_s: float) -> Row:
    x = unit_vectors(n, d, dtype)
    points, weights = jnp.asarray(x), jnp.full(n, 1 / n, dtype)
    ours = compiled(lambda p, w: sums.attend(dtype(beta) * p, p, p, w).mean, points, weights)
    peers: dict[str, Callable[[], np.ndarray] | None] = {
        "SDPA": sdpa(x, beta),
        "KeOps": _keops(x, beta),
        "NumPy": lambda: _numpy(x, dtype(beta)),
    }
    contestants = {"tokenfield": ours} | {name: call for name, call in peers.items() if call is not None}
    reference = softmax_mean(x[:CHECKED], x, beta)
    errors = {name: error(call()[:CHECKED], reference) for name, call in contestants.items()}
    times = best_times(contestants, rounds=10, budget_s=budget_s)
    return {
        "d": d,
        "dtype": np.dtype(dtype).name,
        **{name: 1e3 * times[name] if name in times else None for name in ("tokenfield", *peers)},
        "ratio": min(times[name] for name in times if name != "tokenfield") / times["tokenfield"],
        "error": errors["tokenfield"],
        "SDPA error": errors.get("SDPA"),
        "KeOps error": errors.get("KeOps"),
    }


def unit_vectors(n: int, d: int, dtype: Any) -> np.ndarray:
    """n random points of the sphere in R^d, the same in every run."""
    x = np.random.default_rng(0).normal(size=(n, d))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(dtype)


def sdpa(x: np.ndarray, beta: float, *, is_causal: bool = False) -> Callable[[], np.ndarray] | None:
    """PyTorch's attention of the points `x` among themselves, or None without PyTorch."""
    torch = peer("torch")
    if torch is None:
        return None
    tensor = torch.from_numpy(x)[None, None]
    attend = torch.nn.functional.scaled_dot_product_attention
    return lambda: attend(tensor, tensor, tensor, is_causal=is_causal, scale=beta)[0, 0].numpy()


def _keops(x: np.ndarray, beta: float) -> Callable[[], np.ndarray] | None:
    keops = peer("pykeops.numpy")
    if keops is None:
        return None

    def attend(x: np.ndarray = x) -> np.ndarray:
        x_i, y_j = keops.LazyTensor(x[:, None, :]), keops.LazyTensor(x[None, :, :])
        return (beta * (x_i | y_j)).sumsoftmaxweight(y_j, axis=1)

    attend(x[:16])  # KeOps compiles for each dimension and precision
    return attend


def _numpy(x: np.ndarray, beta: Any) -> np.ndarray:
    logits = beta * (x @ x.T)
    kernel = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (kernel @ x) / kernel.sum(axis=1, keepdims=True)
