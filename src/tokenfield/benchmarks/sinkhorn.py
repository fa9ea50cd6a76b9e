"""Sinkhorn attention: time of one evaluation beside one of softmax, and peak memory, in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from benchmarks.measure import best_times, table

N, D, BETA, SWEEPS = 4096, 3, 9.0, 10

CHILD = """
import json, sys
import jax, jax.numpy as jnp
import tokenfield as tkf
n, d, beta, sweeps = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
model = tkf.Transformer(tkf.Sphere(d), tkf.Sinkhorn(beta, sweeps))
jax.block_until_ready(jnp.zeros(8) + 1)  # starts the runtime, which belongs to the import
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
def flow(n):
    tokens = tkf.initial.uniform(model.geometry, n=n, seed=0)
    tkf.solve(model, tokens, t1=0.2, method="rk4", step=0.1, save="end", progress=False)
flow(64)  # loads and compiles what any flow does
before = peak()
flow(n)
print(json.dumps((peak() - before) / 1024))
"""


def run() -> list[dict[str, Any]]:
    """A row per precision: times, their ratio, how far the rows and columns are from sums of one, memory of a flow."""
    rows = []
    for dtype in (jnp.float32, jnp.float64):
        softmax, sinkhorn = (
            tkf.Transformer(tkf.Sphere(D), kind) for kind in (tkf.Softmax(BETA), tkf.Sinkhorn(BETA, SWEEPS))
        )
        x = softmax.geometry.uniform(jax.random.key(0), N).astype(dtype)
        calls = {
            name: jax.jit(lambda x, model=model: model.velocity(0.0, x, tkf.Measure(x))).lower(x).compile()
            for name, model in (("softmax", softmax), ("sinkhorn", sinkhorn))
        }
        times = best_times({name: partial(_wait, call, x) for name, call in calls.items()})
        rows.append(
            {
                "n": N,
                "d": D,
                "sweeps": SWEEPS,
                "dtype": jnp.dtype(dtype).name,
                "softmax ms": 1e3 * times["softmax"],
                "sinkhorn ms": 1e3 * times["sinkhorn"],
                "sinkhorn / softmax": times["sinkhorn"] / times["softmax"],
                "error of column sums": _column_error(sinkhorn, x),
            }
        )
    child = subprocess.run(
        [sys.executable, "-c", CHILD, *(str(value) for value in (N, D, BETA, SWEEPS))],
        capture_output=True,
        text=True,
        check=True,
    )
    rows[-1]["MiB above a small flow"] = json.loads(child.stdout)
    rows[0]["MiB above a small flow"] = float("nan")
    table("Sinkhorn attention", rows, "after an even number of sweeps columns sum to one; a matrix would take 128 MiB")
    return rows


def _wait(call: Any, x: jax.Array) -> None:
    jax.block_until_ready(call(x))


def _column_error(model: tkf.Transformer, x: jax.Array) -> float:
    """The largest deviation of a column sum from one, among 64 columns."""
    mu = tkf.Measure(x)
    (projected,) = model.projected(0.0, x, mu)
    attention = model.heads(0.0)[0].attention
    columns = jnp.eye(N, 64, dtype=x.dtype)
    weights = attention.combine(attention.attend(projected, columns))
    return float(np.abs(np.asarray(mu.weights @ weights, np.float64) * N - 1).max())
