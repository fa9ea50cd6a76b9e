"""Direct sums on a CUDA GPU: pairs per second and error, against PyTorch's attention and our own tiles on the same GPU.

Up to d = 3 the roof is the special-function unit: 16 exponentials per cycle of a multiprocessor, 4.2e12 per second on
an H200. From d = 4 on the tensor cores multiply, each exponential in three parts. PyTorch's
`scaled_dot_product_attention` (SDPA) chooses its kernel itself: cuDNN for bfloat16 on Hopper; for float32 the
memory-efficient one, whose products are three of tf32 each whether tf32 is allowed or not. Several calls are started
before one is waited for, so that times are those of the GPU. Errors are against a dense sum in float64 of the same
numbers. The last table is the Fourier sum on the circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np

from tokenfield.benchmarks.direct_sum import unit_vectors
from tokenfield.benchmarks.measure import best_times, missing_peers, peer
from tokenfield.benchmarks.report import Row, Table
from tokenfield.sums import dense, fourier, gpu, rounding, tiled

CHECKED = 128
SPREAD = 1e-6  # of a cluster: rounding of alike terms adds up
STARTED = 8  # calls before one is waited for


def run(
    *,
    n: int = 2**20,
    wide_n: int = 2**16,
    dimensions: tuple[int, ...] = (64, 128),
    beta: float = 9.0,
    circle_n: int = 10**8,
    budget_s: float = 3.0,
) -> Iterator[Table]:
    """Tables for full precision, for `dimensions` in each precision, and of `circle_n` tokens on the circle."""
    title = f"Direct sums on a GPU in full precision, one evaluation, n = {n}"
    if not gpu.is_available():
        yield Table(title, [], ("JAX sees no CUDA GPU here",))
        return
    cases = [
        (3, np.float32, n, "uniform", beta),
        (3, np.float32, n, "cluster", beta),
        (3, np.float32, n, "uniform", 100.0),
        (2, np.float32, n, "uniform", beta),
        (4, np.float32, n, "uniform", beta),
        (8, np.float32, n, "uniform", beta),
        (8, np.float32, n, "cluster", beta),
        (8, np.float32, n, "uniform", 100.0),
        (16, np.float32, n // 2, "uniform", beta),
        (32, np.float32, n // 4, "uniform", beta),
        (32, np.float32, n // 4, "cluster", beta),
        (3, np.float64, n // 4, "uniform", beta),
    ]
    yield Table(
        title,
        [_full(*case, budget_s) for case in cases],
        (
            "tiles: our sums without these kernels, in full precision, n / 8 tokens; ratio: of pairs per second",
            f"errors: largest over {CHECKED} tokens; log_sum absolute, mean relative to its length",
        ),
    )
    yield Table(
        f"Direct sums on a GPU, one evaluation, n = {wide_n}, beta = {beta:g} (milliseconds)",
        [_wide(wide_n, d, precision, beta, budget_s) for d in dimensions for precision in get_args(rounding.Precision)],
        (
            "ratio: SDPA / tokenfield (above 1: tokenfield is faster); errors of the mean: relative, root mean square",
            *missing_peers("torch"),
        ),
    )
    if circle_n:
        yield Table(
            f"Fourier sum on the circle on a GPU, n = {circle_n}, float64",
            [_circle(circle_n, b, budget_s) for b in (beta, 100.0)],
            ("GiB: tokens, results and what is held between; errors: largest over 8 tokens; estimate: its own",),
        )


def _full(d: int, dtype: Any, n: int, start: str, beta: float, budget_s: float) -> Row:
    points = unit_vectors(n, d, dtype)
    if start == "cluster":
        points = points[:1] + dtype(SPREAD) * points
        points = points / np.linalg.norm(points, axis=1, keepdims=True).astype(dtype)
    x, w, some = jnp.asarray(points), jnp.full(n, 1 / n, dtype), n // 8

    def by_tiles(x: jax.Array, w: jax.Array) -> dense.Attended:
        with jax.default_matmul_precision("highest"):
            return tiled.attend(dtype(beta) * x, x, x, w)

    ours = _started(lambda x, w: gpu.attend(dtype(beta) * x, x, x, w), x, w, calls=1)
    tiles = _started(by_tiles, x[:some], w[:some], calls=1)
    times = best_times({"kernel": ours, "tiles": tiles}, rounds=2, budget_s=budget_s)
    found, exact = ours()[0], _exact(x, w, beta)
    mean_error = jnp.linalg.norm(found.mean[:CHECKED] - exact.mean, axis=1) / jnp.linalg.norm(exact.mean, axis=1)
    rates = n**2 / times["kernel"], some**2 / times["tiles"]
    return {
        "d": d,
        "dtype": np.dtype(dtype).name,
        "n": n,
        "tokens": start,
        "beta": beta,
        "seconds": times["kernel"],
        "pairs/s": rates[0],
        "tiles pairs/s": rates[1],
        "ratio": rates[0] / rates[1],
        "log_sum error": float(jnp.max(jnp.abs(found.log_sum[:CHECKED] - exact.log_sum))),
        "mean error": float(jnp.max(mean_error)),
    }


def _wide(n: int, d: int, precision: rounding.Precision, beta: float, budget_s: float) -> Row:
    points = unit_vectors(n, d, np.float32)
    x, w = jnp.asarray(points), jnp.full(n, 1 / n, np.float32)
    with rounding.precision(precision):
        ours = _started(lambda x, w: gpu.attend(np.float32(beta) * x, x, x, w), x, w, calls=STARTED)
    theirs = _sdpa(points, beta, precision)
    contestants = {"tokenfield": ours} | ({"SDPA": theirs} if theirs else {})
    times = {name: seconds / STARTED for name, seconds in best_times(contestants, rounds=3, budget_s=budget_s).items()}
    exact = np.asarray(_exact(x, w, beta).mean)

    def error(mean: Any) -> float:
        return float(np.linalg.norm(np.asarray(mean, np.float64)[:CHECKED] - exact) / np.linalg.norm(exact))

    return {
        "d": d,
        "precision": precision,
        "tokenfield": 1e3 * times["tokenfield"],
        "SDPA": 1e3 * times["SDPA"] if theirs else None,
        "ratio": times["SDPA"] / times["tokenfield"] if theirs else None,
        "pairs/s": n**2 / times["tokenfield"],
        "TFLOP/s": 4e-12 * d * n**2 / times["tokenfield"],
        "error": error(ours()[0].mean),
        "SDPA error": error(theirs()) if theirs else None,
    }


def _circle(n: int, beta: float, budget_s: float) -> Row:
    angles = 2 * np.pi * jax.random.uniform(jax.random.key(0), (n,), jnp.float64)
    x, w = jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1), jnp.full(n, 1 / n)
    del angles
    modes = fourier.modes_for(beta, 1e-15)

    def whole(x: jax.Array, w: jax.Array) -> Any:
        return fourier.evaluate(fourier.moments(x, w, modes), beta * x, reach=beta, is_uniform=True)

    program = jax.jit(whole).lower(x, w).compile()
    held: Any = program.memory_analysis()
    seconds = best_times({"": lambda: jax.block_until_ready(program(x, w))}, rounds=2, budget_s=budget_s)[""]
    found, some = program(x, w), jnp.arange(8) * (n // 8)
    exact = dense.attend(beta * x[some], x, x, w)
    sizes = (held.argument_size_in_bytes, held.output_size_in_bytes, held.temp_size_in_bytes)
    return {
        "beta": beta,
        "modes": modes,
        "seconds": seconds,
        "GiB": sum(sizes) / 2**30,
        "between GiB": sizes[2] / 2**30,
        "log_sum error": float(jnp.max(jnp.abs(found.log_sum[some] - exact.log_sum))),
        "mean error": float(jnp.max(jnp.abs(found.mean[some] - exact.mean))),
        "estimate": float(jnp.max(found.error)),
    }


def _started(function: Callable[..., Any], *arguments: Any, calls: int) -> Callable[[], Any]:
    """`function`, compiled, as a call that starts it `calls` times and waits for all results."""
    program = jax.jit(function).lower(*arguments).compile()
    return lambda: jax.block_until_ready([program(*arguments) for _ in range(calls)])


def _exact(x: jax.Array, w: jax.Array, beta: float) -> dense.Attended:
    queries = x.dtype.type(beta) * x[:CHECKED]  # rounded as for the kernels: that error is not the sum's
    queries, x, w = (array.astype(jnp.float64) for array in (queries, x, w))
    return dense.attend(queries, x, x, w)


def _sdpa(points: np.ndarray, beta: float, precision: str) -> Callable[[], np.ndarray] | None:
    """PyTorch's attention on the GPU `STARTED` times, or None without PyTorch or without its CUDA."""
    torch = peer("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    x = torch.from_numpy(points).cuda().to(dtype)[None, None]
    attend = torch.nn.functional.scaled_dot_product_attention

    def call() -> np.ndarray:
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        for _ in range(STARTED):
            out = attend(x, x, x, scale=beta)
        torch.cuda.synchronize()
        return out[0, 0, :CHECKED].float().cpu().numpy()

    return call
