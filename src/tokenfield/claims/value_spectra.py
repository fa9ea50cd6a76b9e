"""Claims on V of any spectrum on the sphere: what tokens of almost every start do at late times, by eigenvalues.

V = (a, -b; b, a) + (c) turns a plane and stretches its axis. Consensus in the plane moves by P_x V x = b J x, a turn at
the rate b; tokens that repel each other turn by V m with m the attention mean, shorter than 1: a slow rotation.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import special

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most
from tokenfield.claims.figures import INK, PALETTE, PREDICTED, panels
from tokenfield.observables.fate import Fate, fate_of

KINDS = ("rest", "rotation", "cycle", "settling", "wandering")
STEP = 0.1
FEW = 4  # repelling tokens on the circle: more of them take equal angles too slowly at small beta
SAVED = 201


@eqx.filter_jit
def _paths(V: jax.Array, beta: jax.Array, points: jax.Array, t1: float) -> jax.Array:
    """Tokens (cases, T, n, d) from starts (cases, n, d), each with its own V (cases, d, d)."""

    def path(matrix: jax.Array, x: jax.Array) -> jax.Array:
        model = tkf.Transformer(tkf.Sphere(x.shape[-1]), tkf.Softmax(beta), V=matrix)
        return tkf.solve(model, tkf.Measure(x), t1=t1, method="rk4", step=STEP, save=SAVED).saved_points

    return jax.vmap(path)(V, points)


def _fates(points: np.ndarray, t1: float) -> list[Fate]:
    return [fate_of(np.linspace(0, t1, SAVED), x, late=0.4) for x in points]


def _uniform(rng: np.random.Generator, cases: int, n: int, d: int) -> np.ndarray:
    x = rng.normal(size=(cases, n, d))
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _matrix(a: float, b: float, c: float) -> np.ndarray:
    return np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, c]])


def _polygon_mean(beta: float, n: int) -> float:
    """|sum_j p_j x_j| of n tokens at equal angles on the circle: aliased Bessel functions."""
    orders = n * np.arange(-40, 41)
    return float(special.ive(np.abs(1 + orders), beta).sum() / special.ive(np.abs(orders), beta).sum())


def _spectrum_map(
    *, seed: int, n: int, beta: float, b: float, grid: int, starts: int, t1: float, betas: tuple[float, ...], mean: str
) -> Finding:
    """The fates on a grid of (a, c) with b fixed; and repelling tokens on the circle, V = -I + bJ, for many beta."""
    rng = np.random.default_rng(seed)
    values = np.linspace(-1.5, 1.5, grid)
    cells = [(a, c) for a in values for c in values for _ in range(starts)]
    V = np.array([_matrix(a, b, c) for a, c in cells])
    points = np.asarray(_paths(jnp.asarray(V), jnp.asarray(beta), jnp.asarray(_uniform(rng, len(cells), n, 3)), t1))
    fates = _fates(points, t1)
    turning = [f for (a, c), f in zip(cells, fates, strict=True) if a > max(c, 0) + 0.2]
    upright = [(x[-1], f) for (a, c), f, x in zip(cells, fates, points, strict=True) if c > max(a, 0) + 0.2]
    slow: dict[float, float] = {}
    for value in betas:
        plane = np.tile(_matrix(-1.0, b, 0.0)[:2, :2], (starts, 1, 1))
        around = np.asarray(
            _paths(jnp.asarray(plane), jnp.asarray(value), jnp.asarray(_uniform(rng, starts, FEW, 2)), t1)
        )
        slow[value] = float(np.mean([f.rate for f in _fates(around, t1)]))
    expected = {value: b * (_polygon_mean(value, FEW) if mean == "attention" else 1.0) for value in betas}
    settle, few = f"decay until t = {0.6 * t1:g}", "two clusters may still approach each other"
    checks = [
        at_least(
            "a > max(c, 0): share of starts that end in a rotation",
            np.mean([f.kind == "rotation" for f in turning]),
            0.9,
            because=few,
        ),
        at_most(
            "a > max(c, 0): largest | rate − b | of those",
            max(abs(f.rate - b) for f in turning if f.kind == "rotation"),
            0,
            slack=1e-2,
            because=settle,
        ),
        at_least(
            "c > max(a, 0): share of starts that come to rest",
            np.mean([f.kind == "rest" for _, f in upright]),
            0.9,
            because=few,
        ),
        at_least(
            "c > max(a, 0): least |x_3| of those",
            min(np.abs(x[:, 2]).min() for x, f in upright if f.kind == "rest"),
            1,
            slack=1e-4,
            because=settle,
        ),
        at_most(
            "V = −I + bJ on the circle: largest | rate − b |m| |",
            max(abs(slow[value] - expected[value]) for value in betas),
            0,
            slack=1e-2,
            because="tokens at equal angles up to what is left of the start",
        ),
    ]
    found = {"cells": cells, "fates": fates, "values": values, "b": b, "slow": slow, "expected": expected}
    return Finding(checks, {**found, "starts": starts, "beta": beta})


def _draw_map(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2, width=8.2, height=3.4)
    colors = dict(zip(KINDS, PALETTE, strict=False))
    count, rows = data["starts"], list(zip(data["cells"], data["fates"], strict=True))
    offsets = (np.arange(count) - (count - 1) / 2) * 0.35 * np.diff(data["values"])[0] / max(count, 1) * 2
    for k, ((a, c), found) in enumerate(rows):
        left.plot(a + offsets[k % count], c, "s", color=colors[found.kind], markersize=4.5)
    ends = data["values"][0] - 0.2, data["values"][-1] + 0.2
    left.plot([0, ends[1]], [0, ends[1]], **PREDICTED)
    left.plot([0, 0], [ends[0], 0], **PREDICTED)
    left.plot([ends[0], 0], [0, 0], **PREDICTED)
    seen: list[Any] = [kind for kind in KINDS if any(found.kind == kind for _, found in rows)]
    marks = [Line2D([], [], marker="s", linestyle="", color=colors[kind], label=kind) for kind in seen]
    left.legend(handles=marks, loc="upper left", bbox_to_anchor=(0, 1.16), ncols=4, fontsize=7, columnspacing=0.8)
    left.set(
        xlabel=rf"$a$, eigenvalues $a \pm {data['b']:g}i$", ylabel="$c$, the third eigenvalue", xlim=ends, ylim=ends
    )
    betas = np.linspace(0.05, max(data["slow"]) * 1.1, 100)
    right.plot(list(data["slow"]), list(data["slow"].values()), "o", color=PALETTE[1], label="measured")
    curve = [data["b"] * _polygon_mean(beta, FEW) for beta in betas]
    right.plot(betas, curve, label=r"$b\,|m|$, tokens at equal angles", **PREDICTED)
    right.axhline(data["b"], color=INK, linewidth=0.7, linestyle=":")
    right.set(
        xlabel=r"$\beta$",
        ylabel="rate of the rotation, radians per time",
        title="$V = -I + bJ$, four tokens on the circle",
    )
    right.legend(fontsize=7, loc="lower right")
    return figure


CLAIMS = (
    Claim(
        id="glpr25-spectrum-map",
        title="The spectrum of V decides between rest, a turning point and slow rotation",
        statement=r"With eigenvalues $a \pm ib$ and $c$ of a normal $V$ on $S^2$, tokens of most starts end in a point "
        r"that turns at the rate $b$ if $a > \max(c, 0)$, at rest on the axis if $c > \max(a, 0)$. Tokens that repel "
        r"each other, $V = -I + bJ$ on the circle, take equal angles and turn at the rate $b\,|m|$, $|m| = "
        r"\sum_l I_{1+ln}(\beta) / \sum_l I_{ln}(\beta)$: slowly if $\beta$ is small.",
        paper="glpr25",
        where="the theorems on almost every start, for other V",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = I$", "independent uniform tokens"),
        experiment=_spectrum_map,
        draw=_draw_map,
        quick=Setting(
            {
                "n": 8,
                "beta": 1.0,
                "b": 1.0,
                "grid": 7,
                "starts": 2,
                "t1": 80.0,
                "betas": (0.5, 1.0, 2.0, 4.0),
                "mean": "attention",
            },
            seconds=5,
        ),
        full=Setting(
            {
                "n": 16,
                "beta": 1.0,
                "b": 1.0,
                "grid": 13,
                "starts": 5,
                "t1": 80.0,
                "betas": (0.5, 1.0, 2.0, 4.0, 8.0),
                "mean": "attention",
            },
            seconds=60,
        ),
        control=Control({"mean": "one"}, "tokens at equal angles do not turn at the rate b itself", "on the circle"),
        main="share of starts that end in a rotation",
        note="For a, c < 0 tokens spread and turn slowly, or settle ever more slowly near the axis if c > a; `"
        "observables.fate` tells the kinds apart.",
    ),
)
