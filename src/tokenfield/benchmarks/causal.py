"""One evaluation of causal softmax attention of n tokens, token i seeing the tokens j <= i, against PyTorch.

First a million tokens on the circle and S^2, where prefix sums of moments take O(n), beside the fast sum without a mask
of the same tokens, and what their gradient takes. Then direct sums in any dimension. The peer is
`torch.nn.functional.scaled_dot_product_attention(is_causal=True)` (SDPA). "no mask" is tokenfield without the mask: the
causal sum has half its pairs, so a share near 1/2 means that hidden pairs are skipped, not masked. The error is the
largest absolute error over 256 tokens against a float64 dense sum of the same float-rounded points.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.direct_sum import sdpa, unit_vectors
from tokenfield.benchmarks.measure import (
    best_times,
    compiled,
    cpu_seconds_of,
    error,
    in_fresh_process,
    missing_peers,
    peak_mib,
    softmax_mean,
)
from tokenfield.benchmarks.report import Row, Table
from tokenfield.model.position import Position
from tokenfield.model.summing import choose_sums

CHECKED = 256


FEW_CHECKED = 64  # rows of a million keys each
WIDTH = 4096.0
# positions by name: what is added to a model
POSITIONS: dict[str, list[Position]] = {
    "causal": [tkf.Causal()],
    "ALiBi": [tkf.Causal(), tkf.ALiBi(1e-3)],
    "window": [tkf.Causal(), tkf.Window(WIDTH)],
    "RoPE": [tkf.Causal(), tkf.RoPE(0.1)],
}


def run(
    *,
    n: int = 8192,
    beta: float = 9.0,
    dimensions: tuple[int, ...] = (3, 16, 64, 256),
    fast_n: int = 2**20,
    budget_s: float = 5.0,
) -> Iterator[Table]:
    """A row per space and position with `fast_n` tokens, unless it is 0, then one per dimension and precision."""
    if fast_n:
        yield Table(
            f"Causal sums over prefixes, one evaluation of the velocity, n = {fast_n}, beta = {beta:g}",
            [in_fresh_process(measure_fast, d, name, fast_n, beta, budget_s) for d in (2, 3) for name in POSITIONS],
            (
                "ratio: time over that of the fast sum without positions, in turns in the same process; CPU: the same "
                "for the CPU time of all threads, which other work on the machine does not change",
                "gradient: seconds of the mean and of the gradient of a number made of it, with respect to all tokens",
                f"error: largest of the mean over {FEW_CHECKED} tokens, against a direct sum in NumPy; MiB above the "
                "tokens and the sum without positions",
            ),
        )
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


def measure_fast(d: int, name: str, n: int, beta: float, budget_s: float) -> Row:
    """Seconds, error and memory of the velocity of `n` tokens on the sphere with positions; needs a fresh process."""
    x = unit_vectors(n, d, np.float64)
    space = tkf.Sphere(d)
    mu = tkf.Measure(x, geometry=space)
    models = {
        "unmasked": tkf.Transformer(space, tkf.Softmax(jnp.asarray(beta))),
        "masked": tkf.Transformer(space, tkf.Softmax(jnp.asarray(beta)), position=POSITIONS[name]),
    }
    contestants, memory = {}, []
    for which, model in models.items():
        contestants[which] = compiled(lambda mu, m=model: m.attended(0.0, mu.points, mu)[0].mean, mu)
        contestants[which]()
        memory.append(peak_mib())
    times = best_times(contestants, rounds=3, budget_s=budget_s)
    gradient = compiled(jax.value_and_grad(partial(_number, models["masked"], mu)), mu.points)
    cpu = {which: min(cpu_seconds_of(call) for _ in range(3)) for which, call in contestants.items()}
    chosen = np.unique(np.concatenate([np.arange(16), np.linspace(0, n - 1, FEW_CHECKED - 16)]).astype(int))
    found = np.asarray(contestants["masked"]())[chosen]
    return {
        "space": {2: "circle", 3: "S^2"}[d],
        "positions": name,
        "way": choose_sums(models["masked"], mu)[0].name,
        "seconds": times["masked"],
        "ratio": times["masked"] / times["unmasked"],
        "CPU": cpu["masked"] / cpu["unmasked"],
        "error": error(found, _masked_mean(x, chosen, beta, POSITIONS[name])),
        "MiB": memory[1] - memory[0],
        "gradient": best_times({"gradient": gradient}, rounds=1, budget_s=budget_s)["gradient"],
    }


def _number(model: tkf.Transformer, mu: tkf.Measure, points: Array) -> Array:
    """The sum of the cubes of all that tokens at `points` receive."""
    moved = eqx.tree_at(lambda mu: mu.points, mu, points)
    return jnp.sum(model.attended(0.0, points, moved)[0].mean ** 3)


def _masked_mean(x: np.ndarray, chosen: np.ndarray, beta: float, position: list[Position]) -> np.ndarray:
    """What the tokens `chosen` receive of all tokens x (n, d), each at its index, in NumPy."""
    places = np.arange(len(x), dtype=float)
    low = max(bound for kind in position if (bound := kind.bounds()[0]) is not None)
    high = min((bound for kind in position if (bound := kind.bounds()[1]) is not None), default=np.inf)
    slope = sum(float(found) for kind in position if (found := kind.slope(0)) is not None)
    keys = x
    for kind in position:
        keys = np.asarray(kind.rotate(jnp.asarray(keys), jnp.asarray(places)))
    means = np.empty((len(chosen), x.shape[1]))
    for row, i in enumerate(chosen):
        distance = places[i] - places
        logits = np.where((distance >= low) & (distance <= high), beta * (keys @ keys[i]) - slope * distance, -np.inf)
        kernel = np.exp(logits - logits.max())
        means[row] = kernel @ x / kernel.sum()
    return means
