"""Sinkhorn attention: time of one evaluation beside one of softmax, and peak memory, in a fresh process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.measure import best_times, compiled, in_fresh_process, peak_mib
from tokenfield.benchmarks.report import Row, Table


def run(*, n: int = 4096, d: int = 3, beta: float = 9.0, sweeps: int = 10) -> Iterator[Table]:
    """A row per precision: times, their ratio, how far the columns are from sums of one, memory of a flow."""
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
