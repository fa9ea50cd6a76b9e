"""Phase diagrams: many small systems at once, against the published scheme in batched PyTorch.

The published scheme (arXiv 2312.10794) adds h times the softmax attention to each token and normalizes, h = 0.1, in
float64; the fraction of pairs with cosine above 0.999 is taken at 200 checkpoints. PyTorch runs it with batched matrix
products, softmax and normalize, on all cores. tokenfield runs the same scheme on the same systems: for d > n after
turning each system into R^n, and no longer than until all tokens of a block of systems have met. The second table holds
schemes against a tight reference: the largest error of the mean fraction over all betas and times. On a GPU a third
table times the whole figure as it was published, with compilation.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from tokenfield.benchmarks.measure import best_times, missing_peers, peer
from tokenfield.benchmarks.report import Row, Table
from tokenfield.ensemble import Ensemble
from tokenfield.ensemble import run as run_ensemble
from tokenfield.ensemble.starts import starts

STEP, CHECKPOINTS, DELTA = 0.1, 200, 1e-3


def run(
    *,
    n: int = 32,
    dims: tuple[int, ...] = (2, 128),
    systems: int = 256,
    betas: tuple[float, ...] = (1.0, 4.0, 9.0),
    t1: float = 30.0,
    rounds: int = 3,
) -> Iterator[Table]:
    """A table of speed, and one of accuracy in the same time."""
    torch = peer("torch")
    steps = np.unique(np.linspace(0, round(t1 / STEP), CHECKPOINTS).round().astype(int))
    plans = {
        d: Ensemble(n=n, d=d, betas=betas, systems=systems, times=(steps * STEP).tolist(), seed=0, step=STEP)
        for d in dims
    }
    rows = [_speed(plan, steps, torch, rounds) for plan in plans.values()]
    setting = f"n = {n}, {systems} systems, {len(betas)} values of beta, t <= {t1:g}"
    notes = ["ratio: PyTorch over tokenfield; difference: the largest between the two tables of means"]
    yield Table(f"Phase diagram, the published scheme, {setting}", rows, [*notes, *missing_peers("torch")])
    rows = [row for plan in plans.values() for row in _accuracy(plan, rounds)]
    yield Table(f"Phase diagram, accuracy, {setting}", rows)
    if jax.default_backend() == "gpu":
        yield _whole_figure()


def _speed(plan: Ensemble, steps: np.ndarray, torch: Any, rounds: int) -> Row:
    contestants: dict[str, Callable[[], Any]] = {"tokenfield": lambda: run_ensemble(plan, progress=False)}
    means = run_ensemble(plan, progress=False).mean["pairs"]
    row: Row = {"d": plan.d}
    if torch is not None:
        torch.set_num_threads(os.cpu_count() or 1)
        start = torch.from_numpy(np.array(starts(plan.n, plan.d, plan.seed, False, range(plan.systems))[0]))
        contestants["PyTorch"] = lambda: published(torch, start, plan.betas, steps)
        row["difference"] = float(np.abs(contestants["PyTorch"]() - means).max())
    times = best_times(contestants, rounds=rounds, budget_s=60.0)
    row |= {f"{name} s": seconds for name, seconds in times.items()}
    if torch is not None:
        row["ratio"] = times["PyTorch"] / times["tokenfield"]
    return row


def _whole_figure() -> Table:
    """The published figure: 90 values of beta, 2048 systems of 32 tokens, t <= 30, step 0.1, 200 checkpoints."""
    rows: list[Row] = []
    for d in (2, 8, 32, 128, 512, 1024):
        betas, times = np.linspace(0.1, 9, 90).tolist(), np.linspace(0, 30, CHECKPOINTS).tolist()
        began = time.perf_counter()
        table = run_ensemble(Ensemble(n=32, d=d, betas=betas, systems=2048, times=times, seed=0), progress=False)
        rows.append({"d": d, "seconds": time.perf_counter() - began, "is complete": table.is_complete})
    rows.append({"d": "all", "seconds": sum(float(row["seconds"]) for row in rows)})
    return Table("Phase diagram, the whole published figure, compilation included", rows)


def published(torch: Any, start: Any, betas: Any, steps: np.ndarray) -> np.ndarray:
    """The mean fractions (betas, checkpoints) of the published scheme in batched PyTorch."""
    n, wanted = start.shape[1], set(steps.tolist())
    rows = []
    with torch.no_grad():
        for beta in betas:
            x, row = start, []
            for k in range(int(steps[-1]) + 1):
                gram = torch.bmm(x, x.transpose(1, 2))
                if k in wanted:
                    together = (gram > 1 - DELTA).sum().item() / len(x)
                    row.append((together - n) / (n * (n - 1)))
                if k < steps[-1]:
                    weights = torch.softmax(beta * gram, dim=2)
                    x = torch.nn.functional.normalize(x + STEP * torch.bmm(weights, x), dim=2)
            rows.append(row)
    return np.array(rows)


def _accuracy(plan: Ensemble, rounds: int) -> Iterator[Row]:
    """Seconds and errors of several schemes: the published one, and better ones of about the same cost."""

    def other(method: str, step: float | None, rtol: float = 1e-7) -> Ensemble:
        return Ensemble(
            n=plan.n,
            d=plan.d,
            betas=plan.betas,
            systems=plan.systems,
            times=plan.times,
            seed=plan.seed,
            method=method,
            step=step,
            rtol=rtol,
        )

    schemes = {
        "euler-normalise, step 0.1 (published)": plan,
        "rk4, step 0.5": other("rk4", 0.5),
        "tsit5, rtol 1e-3": other("tsit5", None, 1e-3),
        "tsit5, rtol 1e-6": other("tsit5", None, 1e-6),
    }
    exact = run_ensemble(other("tsit5", None, 1e-10), progress=False).mean["pairs"]
    errors = {
        name: float(np.abs(run_ensemble(scheme, progress=False).mean["pairs"] - exact).max())
        for name, scheme in schemes.items()
    }
    contestants = {name: (lambda s=scheme: run_ensemble(s, progress=False)) for name, scheme in schemes.items()}
    times = best_times(contestants, rounds=rounds, budget_s=30.0)
    for name in schemes:
        yield {"d": plan.d, "scheme": name, "seconds": times[name], "error": errors[name]}
