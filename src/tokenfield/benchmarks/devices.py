"""One run over many devices: strong and weak scaling of one evaluation, and the cost of a checkpoint.

Strong: the same tokens on more devices. Weak: as many more tokens as the work of a device stays the same, sqrt(D) times
as many for direct sums, D times for the fast sum on the circle. Virtual devices of a CPU share its cores, and one alone
uses all of them: nothing gets faster there, and what can be measured is what splitting adds to the work, in CPU
seconds, whoever else keeps the machine busy. How much faster several GPUs are, only several GPUs can say.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from tokenfield._runtime.files import temporary_folder
from tokenfield.benchmarks.report import Row, Table


def run(
    *,
    devices: tuple[int, ...] = (1, 2, 4, 8),
    direct: int = 4096,
    fast: int = 2**18,
    repeats: int = 3,
    checkpoint: int = 2**20,
) -> Iterator[Table]:
    """Tables of strong and weak scaling, and one of checkpoints."""
    import jax

    is_virtual = jax.default_backend() == "cpu"
    there = devices if is_virtual else tuple(count for count in devices if count <= jax.device_count())
    measured = {count: _measured(count, direct, fast, repeats, is_virtual=is_virtual) for count in there}
    kind = f"virtual devices on {os.cpu_count()} cores" if is_virtual else f"of {jax.devices()[0].device_kind}"
    for name, title in (("strong", "the same tokens"), ("weak", "the same work for each device")):
        rows = [_row(name, sum_, count, measured, is_virtual) for sum_ in ("ring", "fourier") for count in there]
        notes = [
            "work kept: CPU seconds of one device over those of D, for the same number of pairs"
            if is_virtual
            else GPU_NOTE
        ]
        yield Table(f"{name.capitalize()} scaling: {title}, {kind}", rows, notes)
    yield _checkpoints(checkpoint)


GPU_NOTE = "efficiency: seconds of one device over those of D, times D for strong scaling"


def _row(name: str, sum_: str, count: int, measured: dict[int, dict[str, Any]], is_virtual: bool) -> Row:
    found, one = measured[count][f"{name} {sum_}"], measured[min(measured)][f"{name} {sum_}"]
    row: Row = {
        "sum": sum_,
        "devices": count,
        "tokens": found["n"],
        "ms": 1e3 * found["s"],
        "CPU ms": 1e3 * found["cpu"],
    }
    work = found["work"] / one["work"]
    if is_virtual:
        return row | {"work kept": work * one["cpu"] / found["cpu"]}
    return row | {"efficiency": work * one["s"] / (found["s"] * count)}


def _measured(count: int, direct: int, fast: int, repeats: int, *, is_virtual: bool) -> dict[str, Any]:
    """Times on so many devices, in a process of its own: virtual ones must be asked for before JAX starts."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={count}" if is_virtual else ""
    program = f"from tokenfield.benchmarks.devices import measure; measure({count}, {direct}, {fast}, {repeats})"
    environment = os.environ | ({"XLA_FLAGS": flags.strip()} if is_virtual else {})
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(count: int, direct: int, fast: int, repeats: int) -> None:
    """Prints the times of one evaluation of the velocity over `count` devices."""
    import jax
    import jax.numpy as jnp

    from tokenfield import Softmax, Sphere, Transformer, initial, sums

    found = {}
    sizes = {
        "strong ring": (8, direct, direct**2),
        "weak ring": (8, int(direct * count**0.5) // count * count, None),
        "strong fourier": (2, fast, fast),
        "weak fourier": (2, fast * count, None),
    }
    for name, (d, n, work) in sizes.items():
        model = Transformer(Sphere(d), Softmax(jnp.asarray(4.0)))
        with sums.over_devices(jax.devices()[:count]):
            mu = sums.shard(initial.uniform(model.geometry, n=n, seed=0))
            velocity = jax.jit(lambda x, model=model, mu=mu: model.velocity(0.0, x, mu.at(x)))
            jax.block_until_ready(velocity(mu.points))
            wall, cpu = [], []
            for _ in range(repeats):
                began, worked = time.perf_counter(), time.process_time()
                jax.block_until_ready(velocity(mu.points))
                wall.append(time.perf_counter() - began)
                cpu.append(time.process_time() - worked)
        done = work or (float(n) ** 2 if "ring" in name else float(n))
        found[name] = {"n": n, "s": min(wall), "cpu": min(cpu), "work": done}
    print(json.dumps(found))


def _checkpoints(n: int) -> Table:
    """What a checkpoint of n tokens costs: to bring the state to the host, and to write it."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from tokenfield import Softmax, Sphere, Transformer, explain, initial
    from tokenfield.solver.checkpoint import SoFar
    from tokenfield.solver.solve import begin_compiled
    from tokenfield.study.store import CheckpointFolder

    model = Transformer(Sphere(2), Softmax(jnp.asarray(4.0)))
    plan = explain(model, initial.uniform(model.geometry, n=n, seed=0), t1=1.0, save="end")
    t0, t1 = (jnp.asarray(t, plan.integration.dtype) for t in (0.0, 1.0))
    so_far = SoFar.begin(plan, jax.block_until_ready(begin_compiled(plan.integration, t0, t1)))
    with temporary_folder() as folder:
        began = time.perf_counter()
        state = so_far.arrays()
        copied = time.perf_counter() - began
        CheckpointFolder(folder / "checkpoint").write(state, {"ts": np.zeros(0)}, [1])
        written = time.perf_counter() - began - copied
    size = sum(values.nbytes for values in state.values())
    row: Row = {"tokens": n, "MB": size / 1e6, "ms to the host": 1e3 * copied, "ms to disk": 1e3 * written}
    return Table(f"A checkpoint on {jax.default_backend()}", [row], ["of a run that saves its end; the state of tsit5"])
