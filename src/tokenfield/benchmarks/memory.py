"""Peak memory of one direct evaluation above what the import costs, in a fresh process for each size."""

from __future__ import annotations

import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.measure import in_fresh_process, peak_mib
from tokenfield.benchmarks.report import Row, Table

BETA = 9.0


def run(*, sizes: tuple[int, ...] = (65_536, 262_144), d: int = 3) -> Iterator[Table]:
    """A row per size: seconds and peak memory."""
    yield Table(
        f"Memory of one direct evaluation of the velocity, d = {d}, float32",
        [in_fresh_process(measure, n, d) for n in sizes],
        ("matrix: what the n x n attention matrix would take",),
    )


def measure(n: int, d: int) -> Row:
    """Seconds and peak memory of one evaluation in this process, which must be fresh."""
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(jnp.asarray(BETA)))
    jax.block_until_ready(jnp.zeros(8) + 1)  # starts the runtime, which belongs to the import
    before = peak_mib()
    x = model.geometry.uniform_points(n, seed=0).astype(jnp.float32)
    mu = tkf.Measure(x, geometry=model.geometry)
    with sums.forced("direct"):
        velocity = jax.jit(lambda mu: model.velocity(0.0, mu.points, mu)).lower(mu).compile()
    began = time.perf_counter()
    jax.block_until_ready(velocity(mu))
    return {
        "n": n,
        "seconds": time.perf_counter() - began,
        "MiB above import": peak_mib() - before,
        "matrix GiB": 4 * n**2 / 2**30,
    }
