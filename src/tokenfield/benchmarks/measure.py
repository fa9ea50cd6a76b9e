"""How the benchmarks measure: times in turns, peak memory in fresh processes, errors against NumPy, and the machine."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

PEERS = {  # by the module to import: the name, and what pip installs
    "torch": ("PyTorch", "'tokenfield[bench]'"),
    "pykeops.numpy": ("KeOps", "'tokenfield[bench]'"),
    "torchdiffeq": ("torchdiffeq", "'tokenfield[bench]'"),
    "s2fft": ("S2FFT", "s2fft"),
    "transformers": ("transformers", "'tokenfield[reference]'"),
}
BLOCK_BYTES = 2**27  # of the logits that the NumPy reference holds at a time


# --- time ---------------------------------------------------------------------------------------------------------


def best_times(
    contestants: Mapping[str, Callable[[], Any]], *, rounds: int = 5, budget_s: float = 20.0
) -> dict[str, float]:
    """Seconds of the best call of each contestant. They take turns; a turn is an unmeasured call and two measured ones.

    The unmeasured call and a pause before it keep one contestant's spinning threads and cold caches from being
    charged to the next. A contestant takes no more turns once it has used `budget_s` in total.
    """
    best = dict.fromkeys(contestants, float("inf"))
    spent = dict.fromkeys(contestants, 0.0)
    for _ in range(rounds):
        for name, run in contestants.items():
            if spent[name] > budget_s:
                continue
            time.sleep(0.2)
            began = time.perf_counter()
            run()
            if time.perf_counter() - began > budget_s:  # so slow that one call must do
                best[name] = spent[name] = time.perf_counter() - began
                continue
            for _ in range(2):
                best[name] = min(best[name], seconds_of(run))
            spent[name] += time.perf_counter() - began
    return best


def seconds_of(call: Callable[[], Any]) -> float:
    """Seconds that one call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def cpu_seconds_of(call: Callable[[], Any]) -> float:
    """Seconds of CPU time, of all threads together, that one call takes: other work on the machine adds little."""
    began = time.process_time()
    call()
    return time.process_time() - began


def compiled(function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    """`function` compiled for these arguments, as a call without arguments that waits for its result.

    Tracing happens here, so it obeys a `sums.forced` around this call.
    """
    import jax

    program = jax.jit(function).lower(*arguments).compile()
    return lambda: jax.block_until_ready(program(*arguments))


# --- memory -------------------------------------------------------------------------------------------------------


def peak_mib() -> float:
    """The most memory that this process has held so far, in MiB."""
    try:
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except OSError:
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def in_fresh_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function of some module returns in a Python of its own: arguments and result go through JSON."""
    script = (
        "import importlib, json, sys\n"
        "function = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])\n"
        "print(json.dumps(function(*json.loads(sys.argv[3]))))"
    )
    command = [sys.executable, "-c", script, function.__module__, function.__name__, json.dumps(arguments)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        sys.stderr.write(ran.stderr)
        raise RuntimeError(f"{function.__module__}.{function.__name__}{arguments} failed in a process of its own")
    return json.loads(ran.stdout.splitlines()[-1])


# --- accuracy -----------------------------------------------------------------------------------------------------


def softmax_mean(x: np.ndarray, y: np.ndarray, beta: float, *, first_hidden: np.ndarray | None = None) -> np.ndarray:
    """sum_j e^{beta <x_i, y_j>} y_j / sum_j e^{beta <x_i, y_j>} in NumPy and float64, for points x (m, d) and y (n, d).

    Point i sees only y_j with j < `first_hidden`[i], where that is given. Goes in blocks of rows, each a dense sum.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    means = np.empty_like(x)
    rows = max(1, BLOCK_BYTES // (8 * len(y)))
    for start in range(0, len(x), rows):
        block = slice(start, start + rows)
        logits = beta * (x[block] @ y.T)
        if first_hidden is not None:
            logits[np.arange(len(y)) >= first_hidden[block, None]] = -np.inf
        logits -= logits.max(axis=1, keepdims=True)
        kernel = np.exp(logits, out=logits)
        means[block] = (kernel @ y) / kernel.sum(axis=1, keepdims=True)
    return means


def sphere_velocity(x: np.ndarray, y: np.ndarray, beta: float) -> np.ndarray:
    """The velocity of softmax attention, Q = K = V = I, on the sphere at x (m, d) among tokens y (n, d), in NumPy."""
    mean = softmax_mean(x, y, beta)
    x = np.asarray(x, np.float64)
    return mean - np.sum(mean * x, axis=1, keepdims=True) * x


def error(found: Any, expected: np.ndarray) -> float:
    """The largest absolute difference."""
    return float(np.abs(np.asarray(found, np.float64) - expected).max())


# --- peers and the machine ----------------------------------------------------------------------------------------


def peer(module: str) -> Any:
    """The imported module of a peer, or None where it is not installed; see `missing_peers`."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def missing_peers(*modules: str) -> tuple[str, ...]:
    """A note for each of the peers that is not installed: what is missing and how to get it."""
    return tuple(
        f"{PEERS[module][0]} is not installed, so it is left out: pip install {PEERS[module][1]}"
        for module in modules
        if peer(module) is None
    )
