"""Sinkhorn attention: time of one evaluation beside one of softmax, and peak memory, in a fresh process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.measure import best_times, compiled, cpu_seconds_of, in_fresh_process, peak_mib
from tokenfield.benchmarks.report import Row, Table
from tokenfield.model.summing import choose_sums


def run(
    *, n: int = 4096, d: int = 3, beta: float = 9.0, sweeps: int = 10, fast_n: int = 2**20, budget_s: float = 20.0
) -> Iterator[Table]:
    """A row per precision: times, their ratio, how far the columns are from sums of one, memory of a flow.

    Before that a row per space of `fast_n` tokens by fast sums, unless it is 0.
    """
    if fast_n:
        yield Table(
            f"Sinkhorn attention by fast sums, n = {fast_n}, beta = {beta:g}, {sweeps} sweeps (seconds)",
            [fast_row(fast_n, space, beta, sweeps, budget_s) for space in (2, 3)],
            (
                "softmax is one fast sum, without positions; CPU: ratio of the CPU times of all threads, which other "
                "work on the machine does not change; error of sums: over 64 "
                "columns of the matrix (rows, if sweeps are odd), in NumPy",
            ),
        )
    rows = [_row(n, d, beta, sweeps, dtype) for dtype in (jnp.float32, jnp.float64)]
    rows[-1]["MiB above a small flow"] = in_fresh_process(memory_of_flow, n, d, beta, sweeps)
    yield Table(
        f"Sinkhorn attention, n = {n}, d = {d}, beta = {beta:g}, {sweeps} sweeps (milliseconds of one evaluation)",
        rows,
        (
            "both by direct sums; after an even number of sweeps columns sum to one; "
            f"a matrix would take {8 * n**2 / 2**20:.0f} MiB",
        ),
    )


def fast_row(n: int, d: int, beta: float, sweeps: int, budget_s: float) -> Row:
    """Seconds of one evaluation by fast sums beside softmax, and how far sums of the matrix are from one."""
    kinds = {"softmax": tkf.Softmax(jnp.asarray(beta)), "Sinkhorn": tkf.Sinkhorn(jnp.asarray(beta), sweeps)}
    models = {name: tkf.Transformer(tkf.Sphere(d), kind) for name, kind in kinds.items()}
    mu = tkf.initial.uniform(tkf.Sphere(d), n=n, seed=0)
    calls = {
        name: compiled(lambda mu, model=model: model.attended(0.0, mu.points, mu)[0].mean, mu)
        for name, model in models.items()
    }
    times = best_times(calls, rounds=3, budget_s=budget_s)
    cpu = {name: min(cpu_seconds_of(call) for _ in range(3)) for name, call in calls.items()}
    attention, model = tkf.Sinkhorn(jnp.asarray(beta), sweeps), models["Sinkhorn"]
    potentials = jax.jit(lambda mu: attention.potentials(model.projected(0.0, mu.points, mu)[0]))
    f, g = (np.asarray(a) for a in potentials(mu))
    x, chosen = np.asarray(mu.points), np.arange(64) * (n // 64)
    # after an even number of sweeps columns sum to one, after an odd number rows
    logits = beta * x[chosen] @ x.T + (f if sweeps % 2 == 0 else g)
    sums_of_matrix = np.exp(logits).mean(axis=1) * np.exp((g if sweeps % 2 == 0 else f)[chosen])
    return {
        "space": {2: "circle", 3: "S^2"}[d],
        "way": choose_sums(models["Sinkhorn"], mu)[0].name,
        **times,
        "Sinkhorn / softmax": times["Sinkhorn"] / times["softmax"],
        "CPU": cpu["Sinkhorn"] / cpu["softmax"],
        "error of sums": float(np.abs(sums_of_matrix - 1).max()),
    }


def _row(n: int, d: int, beta: float, sweeps: int, dtype: Any) -> Row:
    kinds = {"softmax": tkf.Softmax(jnp.asarray(beta)), "Sinkhorn": tkf.Sinkhorn(jnp.asarray(beta), sweeps)}
    models = {name: tkf.Transformer(tkf.Sphere(d), kind) for name, kind in kinds.items()}
    x = tkf.Sphere(d).uniform_points(n, seed=0).astype(dtype)
    with sums.forced("direct"):
        times = best_times(
            {
                name: compiled(lambda x, model=model: model.velocity(0.0, x, tkf.Measure(x)), x)
                for name, model in models.items()
            }
        )
        column_error = _column_error(models["Sinkhorn"], x)
    return {
        "dtype": jnp.dtype(dtype).name,
        **{name: 1e3 * seconds for name, seconds in times.items()},
        "Sinkhorn / softmax": times["Sinkhorn"] / times["softmax"],
        "error of column sums": column_error,
    }


def _column_error(model: tkf.Transformer, x: jax.Array) -> float:
    """The largest deviation of a column sum from one, among 64 columns."""
    mu = tkf.Measure(x)
    (projected,) = model.projected(0.0, x, mu)
    attention = model.heads(0.0)[0].attention
    columns = jnp.eye(len(x), 64, dtype=x.dtype)
    weights = attention.combine(attention.attend(projected, columns))
    return float(np.abs(np.asarray(mu.weights @ weights, np.float64) * len(x) - 1).max())


def memory_of_flow(n: int, d: int, beta: float, sweeps: int) -> float:
    """Peak memory, in MiB, of a short flow above that of the same flow of 64 tokens; needs a fresh process."""
    model = tkf.Transformer(tkf.Sphere(d), tkf.Sinkhorn(jnp.asarray(beta), sweeps))

    def flow(n: int) -> None:
        tokens = tkf.initial.uniform(model.geometry, n=n, seed=0)
        tkf.solve(model, tokens, t1=0.2, method="rk4", step=0.1, save="end", progress=False)

    flow(64)  # loads and compiles what any flow does
    before = peak_mib()
    flow(n)
    return peak_mib() - before
