"""Peak memory of one evaluation above what the import costs, in a fresh process for each size."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from benchmarks.measure import table

SIZES = ((65_536, 3), (262_144, 3))

CHILD = """
import json, resource, sys, time
import jax, jax.numpy as jnp
import tokenfield as tkf
n, d = int(sys.argv[1]), int(sys.argv[2])
model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta=9.0))
jax.block_until_ready(jnp.zeros(8) + 1)  # starts the runtime, which belongs to the import
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
before = peak()
x = model.geometry.uniform(jax.random.key(0), n).astype(jnp.float32)
mu = tkf.Measure(x, geometry=model.geometry)
velocity = jax.jit(lambda mu: model.velocity(0.0, mu.points, mu)).lower(mu).compile()
start = time.perf_counter()
jax.block_until_ready(velocity(mu))
print(json.dumps({"seconds": time.perf_counter() - start, "MiB above import": (peak() - before) / 1024}))
"""


def run() -> list[dict[str, Any]]:
    """A row per size: seconds and peak memory."""
    rows = []
    for n, d in SIZES:
        child = subprocess.run(
            [sys.executable, "-c", CHILD, str(n), str(d)], capture_output=True, text=True, check=True
        )
        rows.append({"n": n, "d": d, "dtype": "float32", **json.loads(child.stdout)})
    table("memory of one evaluation of the velocity", rows, "a dense matrix would take 16 GiB and 256 GiB")
    return rows
