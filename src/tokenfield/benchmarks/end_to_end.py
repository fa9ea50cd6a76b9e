"""Whole commands at scale: simulate, show, plot and observables, their phases, seconds, memory and files beside goals.

Each command runs in a process of its own, as a user starts it: `seconds` and `GiB` are those of the process from its
start to its end. For d = 8 there is no fast sum, and one sum over all pairs of 10^5 tokens takes 15 s on two cores. So
its command takes one step of Euler's method, whose `solve` is one evaluation and its compilation, and the goal is that
nothing after it takes longer.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tokenfield._runtime.files import temporary_folder
from tokenfield.benchmarks.measure import in_fresh_process, peak_mib
from tokenfield.benchmarks.report import Row, Table

MANY, FEWER = 1_000_000, 100_000  # tokens in low dimension, and where all pairs are summed
SPACES = {2: "circle", 3: "S^2", 8: "S^7"}
GOALS = {2: (30.0, 2.0), 3: (60.0, 3.0)}  # seconds and GiB of `simulate`
LARGEST_MB = 5.0  # of a figure
PHASES = ("solve", "energies", "clusters", "figures", "files")


def run(
    *, scale: float = 1.0, beta: float = 9.0, times: int = 11, dimensions: tuple[int, ...] = (2, 3, 8)
) -> Iterator[Table]:
    """Tables of commands, of pictures and of observables; all numbers of tokens are multiplied by `scale`."""
    sizes = {d: max(round(scale * (MANY if d < 8 else FEWER)), 8) for d in dimensions}
    with temporary_folder() as folder:
        yield Table(
            f"tokenfield simulate, beta = {beta:g}, t1 = 1, --save end, with figures",
            [_simulated(d, n, beta, folder / f"end-{d}") for d, n in sizes.items()],
            (
                "solve: with compilation; S^7: one step of Euler's method, that is one evaluation",
                "import: of the libraries; rest: start of Python, initial tokens, the choice of the sums, printing",
            ),
        )
        yield Table(
            f"tokenfield show, and tokenfield plot of all figures in three formats and as a movie, {times} saved times",
            [row for d, n in sizes.items() for row in _drawn(d, n, beta, times, folder / f"run-{d}")],
            (f"largest MB: of a figure; the goal is {LARGEST_MB:g} MB",),
        )
    yield Table(
        "Observables, seconds of the second call",
        [row for d, n in sizes.items() if d < 8 for row in in_fresh_process(observed, d, n, beta, times)],
        ("error: the largest standard error of a bin, relative to the largest density; all pairs are counted where it "
         "is missing",),
    )  # fmt: skip


def _simulated(d: int, n: int, beta: float, out: Path) -> Row:
    began = time.perf_counter()
    found = in_fresh_process(command, ["simulate", *_flags(d, n, beta), "--save", "end", "--out", str(out)])
    seconds = time.perf_counter() - began
    solve_s = json.loads((out / "summary.json").read_text(encoding="utf-8"))["wall_s"]
    phases = {"import": found["import"], "solve": solve_s, **{name: found["phases"].get(name) for name in PHASES[1:]}}
    goal_s, goal_gib = GOALS.get(d, (None, None)) if n == MANY else (None, None)
    return {
        "space": SPACES[d],
        "n": n,
        **phases,
        "rest": seconds - sum(value or 0.0 for value in phases.values()),
        "seconds": seconds,
        "goal s": goal_s,
        "GiB": found["GiB"],
        "goal GiB": goal_gib,
        "largest MB": _largest_mb(out / "figures"),
    }


def _drawn(d: int, n: int, beta: float, times: int, out: Path) -> Iterator[Row]:
    simulate = ["simulate", *_flags(d, n, beta), "--save", str(times), "--no-figures", "--out", str(out)]
    in_fresh_process(command, simulate)
    wanted: list[tuple[str, ...]] = [("show",), *(("plot", "--format", ending) for ending in ("png", "pdf", "svg"))]
    if d < 8:  # others do not move
        wanted.append(("plot", "--animate", "gif"))
    for name, *options in wanted:
        figures = out / f"figures{''.join(options)}"
        began = time.perf_counter()
        found = in_fresh_process(command, [name, str(out), *options, *(["--out", str(figures)] if options else [])])
        yield {
            "space": SPACES[d],
            "n": n,
            "command": " ".join((name, *options)),
            "seconds": time.perf_counter() - began,
            "GiB": found["GiB"],
            "largest MB": _largest_mb(figures) if options else None,
        }


def _flags(d: int, n: int, beta: float) -> list[str]:
    euler = ["--method", "euler", "--step", "1"] if d == 8 else []
    return ["--dim", str(d), "--n", str(n), "--beta", str(beta), "--t1", "1", *euler, "--quiet"]


def _largest_mb(folder: Path) -> float | None:
    return max((path.stat().st_size / 1e6 for path in folder.glob("*")), default=None)


def command(arguments: list[str]) -> dict[str, Any]:
    """Seconds by phase and the peak memory in GiB of a command in this process, which must be fresh."""
    began = time.perf_counter()
    from tokenfield._runtime.phases import spent

    # by name: the command line is what a user starts, and a layer above this one
    app = importlib.import_module("tokenfield.cli").app
    if arguments[0] != "show":  # which needs none of it
        import tokenfield.plot
        import tokenfield.study.simulate  # noqa: F401
    imported = time.perf_counter() - began
    with contextlib.redirect_stdout(io.StringIO()):
        app(arguments, standalone_mode=False)
    return {"import": imported, "phases": spent(), "GiB": peak_mib() / 1024}


def observed(d: int, n: int, beta: float, times: int) -> list[Row]:
    """Seconds of the observables of `n` tokens on S^{d-1} in this process."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    import tokenfield as tkf
    from tokenfield import observables
    from tokenfield.observables.tree import merge_tree

    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(jnp.asarray(beta)))
    run = tkf.solve(model, tkf.initial.uniform(model.geometry, n=n, seed=0), t1=1.0, save=times)
    mu, model = run.final, run.model  # the model now knows its sums
    wanted: dict[str, Callable[[], Any]] = {
        "clusters": lambda: observables.clusters(mu, model.geometry, delta=0.1),
        f"merge tree, {times} times": lambda: merge_tree(_anew(run)),
        "histogram of pair cosines": lambda: observables.pair_cosine_histogram(mu),
        "order parameter": lambda: observables.order_parameter(mu),
        "spectrum, degrees to 20": lambda: observables.harmonic_spectrum(mu, range(21)),
        "energy": lambda: observables.energy(mu, model),
        "smallest cosine": lambda: observables.smallest_cosine(mu),
        f"run.along, {times} times": lambda: run.along(lambda t, state: observables.order_parameter(state)),
    }
    rows: list[Row] = []
    for name, call in wanted.items():
        jax.block_until_ready(call())
        began = time.perf_counter()
        found = jax.block_until_ready(call())
        rows.append({"space": SPACES[d], "n": n, "observable": name, "seconds": time.perf_counter() - began})
        if isinstance(found, observables.CosineHistogram) and found.pairs is not None:
            rows[-1] |= {"random pairs": found.pairs, "error": float(np.max(found.error) / np.max(found.density))}
    return rows


def _anew(run: Any) -> Any:
    """The same run, of which nothing has been measured."""
    import jax

    return jax.tree.map(lambda leaf: leaf, run)
