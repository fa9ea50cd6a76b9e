"""Phase portraits of Gaussians under attention in R^2: every panel of arXiv 2501.18322 from many covariances at once.

For each published panel, all covariances of trace 1 on a grid are followed together (`jax.vmap` over `solve`) until
they rest or their trace is 1000 times as large, and drawn in the coordinates (S11 - S22, 2 S12, tr S): in the cone of
positive matrices, or, where they grow without end, normalized by the trace. Figures and summary.json go to --out.
A single covariance of each panel is `examples/configs/gaussian-*.toml`, where the matrices are commented.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import tokenfield as tkf
from tokenfield import plot
from tokenfield._runtime.interrupt import Interrupts
from tokenfield.laws import Gaussian
from tokenfield.laws.gaussian import limit_rank
from tokenfield.theory.gaussian import gaussian_blow_up_time

# --- Parameters ---------------------------------------------------------------------------------------------------

REDUCED, FULL = 10, 20  # covariances per side of the grid; 20 is published, 276 of them are positive
INTERRUPTED = 130
SCALE = 2**-0.5  # of A = K^T Q / sqrt(d), d = 2

NEGATIVE = np.array([[0.458055, 0.308350], [0.231487, 0.277425]])  # seed 35; K = -Q
V_PSD = np.array([[2.669378, -0.691530], [-0.691530, 2.687446]])
ROW = np.array([[0.406324, 0.913729], [0.0, 0.0]])  # seed 36, a unit row; a row of zeros changes nothing; K = -Q
MIXED_Q = np.array([[0.676413, 1.521099], [-0.511876, 1.150195]])  # seed 36, A + A^T indefinite
MIXED_K = np.array([[-0.590717, -0.768765], [-0.335009, 0.092999]])
MIXED_V = np.array([[-0.348894, 0.983703], [0.580923, 0.070284]])  # seed 32
BOTH_V = np.array([[1.831753, -0.376888], [0.348112, -0.116282]])  # seed 35
GROWING_Q = np.array([[-0.096784, 0.422202], [-0.225462, -0.637943]])  # seed 33, A + A^T positive
GROWING_K = np.array([[-0.016286, 1.044217], [-1.084880, -2.205925]])
EYE = np.eye(2)


@dataclass(frozen=True)
class Panel:
    """One published panel: the attention, its matrices, when runs end (time, speed, trace), where the camera stands."""

    name: str
    kind: str
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    t1: float
    speed: float
    trace: float = 1e3
    azimuth: float | None = None  # without one, the plane of S / tr S


PANELS = (
    Panel("softmax-neg-def", "softmax", NEGATIVE, -NEGATIVE, V_PSD, 1.5e4, 1e-5, azimuth=-174),
    Panel("l2-neg-def", "l2", NEGATIVE, -NEGATIVE, V_PSD, 1.5e4, 1e-5, azimuth=-174),
    Panel("multi-head-neg-def", "multi-head", NEGATIVE, -NEGATIVE, V_PSD, 1.5e4, 1e-5, azimuth=-174),
    Panel("sinkhorn-convergence", "sinkhorn", NEGATIVE, -NEGATIVE, V_PSD, 2.5e4, 1e-5, azimuth=-174),
    Panel("softmax-rank-1", "softmax", ROW, -ROW, EYE, 2.5e4, 1e-4, azimuth=-86),
    Panel("l2-rank-1", "l2", ROW, -ROW, EYE, 2.5e4, 1e-4, azimuth=-76),
    Panel("multi-head-rank-1", "multi-head", ROW, -ROW, EYE, 2.5e4, 1e-4, azimuth=-45),
    Panel("softmax-mixed", "softmax", MIXED_Q, MIXED_K, MIXED_V, 500.0, 1e-7, azimuth=-88),
    Panel("l2-mixed", "l2", MIXED_Q, MIXED_K, MIXED_V, 500.0, 1e-7, azimuth=-88),
    Panel("softmax-explosion", "softmax", GROWING_Q, GROWING_K, EYE, 1e3, 1e-4),
    Panel("multi-head-explosion", "multi-head", GROWING_Q, GROWING_K, EYE, 200.0, 1e-4),
    Panel("l2-divergence", "l2", GROWING_Q, GROWING_K, EYE, 50.0, 1e-5, trace=1e4),
    Panel("sinkhorn-divergence", "sinkhorn", GROWING_Q, GROWING_K, EYE, 500.0, 1e-5, trace=1e4),
    Panel("softmax-both", "softmax", MIXED_Q, MIXED_K, BOTH_V, 150.0, 1e-4),
    Panel("l2-both", "l2", MIXED_Q, MIXED_K, BOTH_V, 100.0, 1e-4),
    Panel("multi-head-both", "multi-head", MIXED_Q, MIXED_K, BOTH_V, 100.0, 1e-4),
)

# --- Model --------------------------------------------------------------------------------------------------------


def build(kind: str, Q: Array, K: Array, V: Array) -> tkf.Transformer:
    """The model of a panel: heads see rows of Q, K and V, without 1/sqrt(d) for one row each; Sinkhorn has none."""
    if kind == "multi-head":
        heads = [
            tkf.Head(tkf.Softmax(1.0), Q=Q[h, None], K=K[h, None], V=V[h, None], O=jnp.eye(2)[:, h, None])
            for h in range(2)
        ]
        return tkf.Transformer(tkf.Euclidean(2), heads)
    attention = {"softmax": tkf.Softmax(SCALE), "l2": tkf.L2(SCALE), "sinkhorn": tkf.Sinkhorn(1.0)}[kind]
    return tkf.Transformer(tkf.Euclidean(2), attention, Q=Q, K=K, V=V)


# --- Initial law --------------------------------------------------------------------------------------------------


def grid_of_covariances(count: int) -> np.ndarray:
    """Covariances (m, 2, 2) of trace 1: S11 - S22 and 2 S12 on a grid of `count` times `count` in [-1, 1]^2."""
    u, w = (each.ravel() for each in np.meshgrid(*[np.linspace(-1, 1, count)] * 2))
    inside = u**2 + w**2 < 1
    u, w = u[inside], w[inside]
    return np.stack([np.stack([1 + u, w], axis=-1), np.stack([w, 1 - u], axis=-1)], axis=-2) / 2


# --- Solve --------------------------------------------------------------------------------------------------------


class Grown(tkf.events.Event):
    """The trace of the covariance reaches `trace`."""

    trace: Array
    name: str = eqx.field(static=True, kw_only=True, default="grown")

    def __call__(self, t: Array, mu: Any, model: tkf.Transformer) -> Array:
        return self.trace - jnp.trace(mu.covariance)


@eqx.filter_jit
def solve_all(kind: str, Q: Array, K: Array, V: Array, starts: Array, times: Array, events: tuple, save: Any) -> Any:
    """The batch of runs from `starts` (m, 2, 2); run i goes to times[i], which is its unit of time.

    All that moves is proportional to V, so a run with T V to time 1 is one with V to time T: one program serves all.
    """

    def one(S: Array, T: Array) -> tkf.Trajectory:
        return tkf.solve(build(kind, Q, K, T * V), Gaussian(jnp.zeros(2), S), t1=1.0, save=save, events=events)

    return jax.vmap(one)(starts, times)


def saved_times(count: int = 50) -> tuple[float, ...]:
    """Times in [0, 1], dense at both ends: flows are fast at first, or before they blow up."""
    s = np.linspace(0, 1, count)
    return tuple(np.unique(np.concatenate([s**4, 1 - (1 - s) ** 4])).tolist())


def follow(panel: Panel, starts: np.ndarray) -> tuple[tkf.Trajectory, np.ndarray, np.ndarray]:
    """The runs of a panel, each over its own time, these times (m,), and how they ended (m,): rest, grown or time."""
    solve = partial(solve_all, panel.kind, *(jnp.asarray(a) for a in (panel.Q, panel.K, panel.V)), jnp.asarray(starts))
    # the speed is that of the clock in which all ends at time 1
    events = (tkf.events.Steady(panel.speed * panel.t1), Grown(jnp.asarray(panel.trace)))
    scout = solve(jnp.full(len(starts), panel.t1), events, "end")
    codes = np.asarray(scout.result.code)
    ends = np.select([codes == 16, codes == 17, codes == 0], ["rest", "grown", "time"], "stopped")
    times = panel.t1 * np.asarray(scout.result.t)
    return solve(jnp.asarray(times), (), saved_times()), times, ends


# --- Observables, predictions, figure -----------------------------------------------------------------------------


def measure(panel: Panel, starts: np.ndarray, run: tkf.Trajectory, times: np.ndarray, ends: np.ndarray) -> dict:
    """The numbers of one panel."""
    ranks = np.asarray(limit_rank(run))
    found: dict[str, Any] = {
        "starts": len(starts),
        "ends": {str(name): int(np.sum(ends == name)) for name in np.unique(ends)},
        "limit_ranks": {int(rank): int(np.sum(ranks == rank)) for rank in np.unique(ranks)},
        "time": {"shortest": float(times.min()), "longest": float(times.max())},
    }
    if panel.kind == "softmax" and np.array_equal(panel.V, EYE):
        A = SCALE * panel.K.T @ panel.Q
        predicted = np.array([float(gaussian_blow_up_time(S, A)) for S in starts])
        if np.all(np.isfinite(predicted)):
            # the trace is 1000 shortly before the blow-up
            error = float(np.abs(times / predicted - 1).max())
            found["predicted_blow_up"] = {"first": predicted.min(), "last": predicted.max(), "largest_gap": error}
    return found


def draw(panel: Panel, run: tkf.Trajectory, out: Path) -> Path:
    """The file of the panel's figure."""
    if panel.azimuth is None:
        picture = plot.covariance_cone(run, normalized=True)
    else:
        picture = plot.covariance_cone(run, azimuth=panel.azimuth)
    words = {"softmax": "softmax", "l2": "L2", "multi-head": "two heads", "sinkhorn": "Sinkhorn"}[panel.kind]
    matrices = panel.name.removeprefix(f"{panel.kind}-").replace("neg-def", "negative definite")
    picture.figure.suptitle(f"{words}, {matrices.replace('-', ' ')}: {len(run.ts)} covariances", fontsize=10.5)
    return picture.save(out / f"{panel.name}.png")


# --- Command line -------------------------------------------------------------------------------------------------


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/gaussian-phase-portraits"), help="where figures go")
    parser.add_argument("--panel", action="append", choices=[panel.name for panel in PANELS], help="only these panels")
    parser.add_argument("--full", action="store_true", help=f"the published grid of {FULL} x {FULL} covariances")
    parser.add_argument("--json", action="store_true", help="print summary.json")
    parser.add_argument("--quiet", action="store_true", help="print no progress")
    options = parser.parse_args(arguments)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"cannot write to {options.out}: {error.strerror}")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Draws all panels into the folder given by --out; returns the exit code."""
    options = parse(arguments)
    stream = sys.stderr if options.json else sys.stdout
    chosen = [panel for panel in PANELS if not options.panel or panel.name in options.panel]
    starts = grid_of_covariances(FULL if options.full else REDUCED)
    summary: dict[str, Any] = {}
    with Interrupts() as interrupts:
        for i, panel in enumerate(chosen, start=1):
            if interrupts.requested:
                break
            began = time.perf_counter()
            run, times, ends = follow(panel, starts)
            found = summary[panel.name] = measure(panel, starts, run, times, ends)
            file = draw(panel, run, options.out)
            if not options.quiet:
                counts = ", ".join(f"{count} {name}" for name, count in found["ends"].items())
                took = time.perf_counter() - began
                print(f"{i}/{len(chosen)} {panel.name}: {counts}; {file} ({took:.1f} s)", file=stream, flush=True)
    text = json.dumps(summary, indent=2)
    (options.out / "summary.json").write_text(text + "\n", encoding="utf-8")
    if options.json:
        print(text)
    return INTERRUPTED if interrupts.requested else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tkf.TokenfieldError as error:
        print(f"gaussian_phase_portraits.py: {error}", file=sys.stderr)
        sys.exit(2)
