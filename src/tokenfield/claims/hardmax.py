"""Claims about hardmax attention in R^d, softmax at zero temperature (arXiv 2407.01602 and 2508.09628).

A layer moves each token by the fraction h = alpha/(1 + alpha) towards the mean of the tokens y that maximize <x, y>:
z_i <- (z_i + alpha mean)/(1 + alpha) as published. `solve(..., layers=)` with relative=True is that map.
"""

from __future__ import annotations

import equinox as eqx
import numpy as np
from jax import Array
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import INK, MEASURED, PALETTE, PREDICTED, REST, panels

ROUNDING = 1e-13  # of some thirty layers on tokens of size one
SIZE = 10  # tokens of the largest case
SQUARE = [[1, 1], [1, -1], [-1, -1], [-1, 1]]


def _model() -> tkf.Transformer:
    return tkf.Transformer(tkf.Euclidean(2), tkf.Hardmax(), relative=True)


def _fraction(alpha: float) -> float:
    return alpha / (1 + alpha)


def _factor(alpha: float, law: str) -> float:
    """What is left of a distance after a layer: 1/(1 + alpha); in the control e^-alpha, as in continuous depth."""
    return 1 / (1 + alpha) if law == "layers" else float(np.exp(-alpha))


# --- leaders ------------------------------------------------------------------------------------------------------


def _cases(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The four starts of the published figure, whose random tokens come from `rng`."""
    triangle = [[1, 1], [0.5, -0.5], [-1, -1], *rng.uniform(0, 1, (2, 2)), *rng.uniform(-1, 0, (2, 2))]
    emerging = [[1, 1 / 3], [-1 / 12, 1 / 12], [-1, -1], [0, 1 / 4], [-0.3, -0.7], [-0.6, -0.9]]
    return {
        "triangle": np.array([*triangle, [0.3, -0.2], [0.1, -0.2]]),
        "emerging leader": np.array([*emerging, [0.8, 0.1], [0.6, 0.15]]),
        "square": np.array([*SQUARE, *rng.uniform(-0.5, 0.5, (6, 2))]),
        "square with ties": np.array([*SQUARE, [-0.5, 0], [0.5, 0], *rng.uniform(-0.5, 0.5, (4, 2))]),
    }


def _run_layers(x: np.ndarray, *, alpha: float, layers: int) -> tkf.Trajectory:
    """The layers from `x` (n, 2), n <= SIZE, with further parts of the first token up to SIZE.

    Parts weigh together what the token weighs, which changes nothing, and one compilation serves all cases.
    """
    n = len(x)
    points = np.concatenate([x, np.repeat(x[:1], SIZE - n, axis=0)])
    weights = np.full(SIZE, 1 / n)
    weights[[0, *range(n, SIZE)]] = 1 / (n * (SIZE - n + 1))
    start = tkf.Measure(points, weights)
    return tkf.solve(_model(), start, t1=layers * _fraction(alpha), layers=layers, save=layers + 1)


@eqx.filter_jit
def _attention(model: tkf.Transformer, mu: tkf.Measure) -> Array:
    return tkf.observables.attention_matrix(mu, model)


def _leaders(run: tkf.Trajectory, k: int, n: int) -> np.ndarray:
    """Which of the first n tokens attend to themselves alone before layer k, (n,)."""
    P = np.asarray(_attention(run.model, run.measure(k)))
    itself = np.diag(P).copy()
    itself[0] = P[0, [0, *range(n, SIZE)]].sum()
    return np.abs(itself[:n] - 1) < ROUNDING


def _possible_limits(leaders: np.ndarray) -> np.ndarray:
    """The leaders (m, 2) and the feet of the origin on the edges of their hull."""
    corners = leaders[ConvexHull(leaders).vertices]
    ends = np.roll(corners, -1, axis=0)
    along = np.sum(-corners * (ends - corners), axis=1) / np.sum((ends - corners) ** 2, axis=1)
    feet = corners + along[:, None] * (ends - corners)
    return np.concatenate([leaders, feet[(along > 0) & (along < 1)]])


def _leader_clusters(*, seed: int, starts: int, layers: int, alpha: float, law: str) -> Finding:
    rng = np.random.default_rng(seed)
    shown: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    counts: dict[str, list[int]] = {"emerging leader, start": []}
    moves, away = [0.0], []
    for _ in range(starts):
        for name, x in _cases(rng).items():
            run = _run_layers(x, alpha=alpha, layers=layers)
            z = np.asarray(run.saved_points)[:, : len(x)]
            early, late = _leaders(run, 0, len(x)), _leaders(run, -1, len(x))
            counts.setdefault(name, []).append(int(late.sum()))
            if name == "emerging leader":
                counts["emerging leader, start"].append(int(early.sum()))
            moves.append(float(np.max(np.abs(z - z[0])[:, early], initial=0.0)))
            away.append(_distances(z, late))
            shown.setdefault(name, (z, late))
    whole = "whole numbers"
    expected = {"triangle": 3, "emerging leader, start": 2, "emerging leader": 3, "square": 4, "square with ties": 4}
    means = {name: np.mean(counts[name]) for name in expected}
    checks = [equals(f"leaders, {name}", means[name], m, within=0, because=whole) for name, m in expected.items()]
    distances = np.max(away, axis=0)
    factor = (distances[20] / distances[10]) ** 0.1
    left = f"(1 + α)^-{layers} of the cloud's size, later for a leader that emerges"
    checks += [
        at_most("how far the leaders of the start move", max(moves), 0, slack=ROUNDING, because="rounding"),
        at_most("distance of a token to a possible limit at the end", distances[-1], 0, slack=1e-4, because=left),
        equals(
            "factor of that distance per layer", factor, _factor(alpha, law), within=1e-3, because="rounding and ties"
        ),
    ]
    return Finding(checks, {"cases": shown, "distances": distances, "alpha": alpha})


def _distances(z: np.ndarray, is_leader: np.ndarray) -> np.ndarray:
    """The largest distance of a token to a possible limit, at each layer of z (T, n, 2)."""
    if is_leader.sum() < 3:
        return np.linalg.norm(z, axis=-1).max(axis=1)
    limits = _possible_limits(z[-1][is_leader])
    # each token's own limit, known from where it ends
    nearest = limits[np.argmin(np.linalg.norm(z[-1][:, None] - limits, axis=-1), axis=1)]
    return np.linalg.norm(z - nearest, axis=-1).max(axis=1)


def _draw_leaders(finding: Finding) -> Figure:
    figure, axes = panels(5, width=11.0, height=2.9, width_ratios=[1, 1, 1, 1, 1.3])
    for ax, (name, (z, is_leader)) in zip(axes, finding.data["cases"].items(), strict=False):
        if is_leader.sum() >= 3:
            corners = z[-1][is_leader][ConvexHull(z[-1][is_leader]).vertices]
            ax.fill(*corners.T, facecolor=PALETTE[0], alpha=0.1, linewidth=0)
        ax.axhline(0, color=REST, linewidth=0.4)
        ax.axvline(0, color=REST, linewidth=0.4)
        ax.plot(*z.transpose(2, 0, 1), color=REST, linewidth=0.8)
        ax.plot(*z[0].T, "o", color=REST, markersize=3, label="start")
        ax.plot(*z[-1][~is_leader].T, "o", color=PALETTE[1], markersize=4, label="end")
        ax.plot(*z[-1][is_leader].T, "*", color=PALETTE[0], markersize=9, label="leader")
        ax.set(title=name, aspect="equal", xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower left", ncols=3)
    distances = finding.data["distances"]
    k = np.arange(len(distances))
    axes[4].semilogy(k, distances, "o", markersize=3, label="measured", **MEASURED)
    predicted = 2 * distances[15] * (1 + finding.data["alpha"]) ** (15.0 - k[3:])
    axes[4].semilogy(k[3:], predicted, label=r"$(1 + \alpha)^{-k}$, twice layer 15", **PREDICTED)
    axes[4].set(xlabel="layer $k$", ylabel="distance to a limit")
    axes[4].legend()
    return figure


# --- Voronoi cells ------------------------------------------------------------------------------------------------


def _voronoi_cells(*, seed: int, vertices: int, tokens: int, layers: int, alpha: float, law: str) -> Finding:
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * (np.arange(vertices) + 0.6 * rng.uniform(size=vertices)) / vertices
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    x = np.concatenate([corners, rng.dirichlet(np.full(vertices, 0.6), size=tokens) @ corners])
    depth = layers * _fraction(alpha)
    z = np.asarray(tkf.solve(_model(), x, t1=depth, layers=layers, save=layers + 1).saved_points)
    # fixed steps: at the borders of cells the velocity jumps, which would hold up adaptive ones
    flow = tkf.solve(_model(), x, t1=4.0, save=21, method="rk4", step=0.02)
    # on a circle the corner with the largest inner product is the nearest one
    own = corners[np.argmin(np.linalg.norm(x[:, None] - corners, axis=-1), axis=1)]
    cells = np.argmin(np.linalg.norm(z[:, :, None] - corners, axis=-1), axis=-1)
    factors = _factor(alpha, law) ** np.arange(layers + 1.0)[:, None, None]
    decay = np.exp(-np.asarray(flow.ts))[:, None, None]
    left = np.sum(np.any(cells != cells[0], axis=0))
    line = np.max(np.abs(z - (own + factors * (x - own))))
    continuous = np.max(np.abs(np.asarray(flow.saved_points) - (own + decay * (x - own))))
    moved = np.max(np.abs(z - x)[:, :vertices])
    checks = [
        at_most("how far vertices move", moved, 0, slack=ROUNDING, because="rounding"),
        at_most("tokens that leave the cell of their start", left, 0, because="whole numbers"),
        at_most("layers: distance to v + (1 + α)^-k (x − v)", line, 0, slack=ROUNDING, because="rounding"),
        at_most("equation: distance to v + e^{-t} (x − v)", continuous, 0, slack=1e-8, because="RK4 at step 0.02"),
    ]
    return Finding(checks, {"z": z, "corners": corners, "cells": cells[0], "own": own, "alpha": alpha})


def _draw_cells(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    z, corners, cells = (finding.data[name] for name in ("z", "corners", "cells"))
    colors = [(*PALETTE[:6], REST)[k % 7] for k in range(len(corners))]
    for k, color in enumerate(colors):
        paths = z[:, cells == k][:, :20]
        left.plot(*paths.transpose(2, 0, 1), color=color, linewidth=0.5)
        left.plot(*paths[0].T, "o", color=color, markersize=2.5)
    # cells meet where two neighboring corners are equally near: on rays from the origin
    for middle in corners + np.roll(corners, -1, axis=0):
        left.plot(*np.outer(middle / np.linalg.norm(middle), [0, 1.1]), color=INK, linewidth=0.6, linestyle=":")
    left.plot(*np.append(corners, corners[:1], axis=0).T, color=INK, linewidth=0.8)
    left.plot(*corners.T, "*", color=INK, markersize=8)
    left.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    distances = np.linalg.norm(z - finding.data["own"], axis=-1)[:, len(corners) :]
    steps = np.arange(len(z))
    right.semilogy(steps, distances, color=PALETTE[0], linewidth=0.5, alpha=0.6)
    predicted = 1.5 * distances[0].max() * (1 + finding.data["alpha"]) ** -steps.astype(float)
    right.semilogy(steps, predicted, label=r"$(1 + \alpha)^{-k}$, 1.5 times the largest", **PREDICTED)
    right.set(xlabel="layer $k$", ylabel=r"$|x_i - v|$")
    right.legend()
    return figure


# --- the claims ---------------------------------------------------------------------------------------------------

_LAYER = r"$z_i \leftarrow \left(z_i + \alpha\, \tfrac{1}{|C_i|} \sum_{j \in C_i} z_j\right) / (1 + \alpha)$"

CLAIMS = (
    Claim(
        id="afz25-leaders",
        title="Hardmax tokens cluster at leaders",
        statement=rf"Under hardmax layers {_LAYER} with $C_i = \operatorname{{argmax}}_j \langle z_i, z_j \rangle$, a "
        r"token that attends to itself alone, a leader, stays where it is. The others converge to leaders, or to "
        r"projections of the origin onto faces of the leaders' polytope, by a factor $1/(1 + \alpha)$ per layer.",
        paper="afz25",
        where="abstract and figure 2",
        status="second-hand",
        assumptions=(r"$d = 2$, $\alpha = \tfrac12$, 30 layers, the four starts of the figure",),
        experiment=_leader_clusters,
        draw=_draw_leaders,
        quick=Setting({"starts": 1, "layers": 30, "alpha": 0.5, "law": "layers"}, seconds=4),
        full=Setting({"starts": 50, "layers": 30, "alpha": 0.5, "law": "layers"}, seconds=10),
        control=Control({"law": "flow"}, "the factor e^-α of continuous depth in place of 1/(1 + α)", "factor"),
        main="possible limit",
        note="The paper's code compares inner products for exact equality; here ties are those within 1e-9. The factor "
        "per layer and the list of limits in the plane are ours.",
    ),
    Claim(
        id="frank26-voronoi-cells",
        title="Hardmax tokens move straight to the vertex of their Voronoi cell",
        statement=r"If the key-query matrix is positive, vertices of the hull are stationary, interior tokens stay in "
        r"the cell of their vertex $v$ and move towards it along a straight line, exponentially fast: "
        r"$x(k) = v + (1 + \alpha)^{-k}(x(0) - v)$ in layers, $x(t) = v + e^{-t}(x(0) - v)$ in continuous depth.",
        paper="frank26",
        where="abstract",
        status="second-hand",
        assumptions=(
            r"$Q^\top K = I$; vertices on the unit circle, so that the cells "
            r"$\{x : \langle x, v \rangle \geq \langle x, v' \rangle\}$ are those of nearest vertices",
        ),
        experiment=_voronoi_cells,
        draw=_draw_cells,
        quick=Setting({"vertices": 6, "tokens": 60, "layers": 30, "alpha": 0.5, "law": "layers"}, seconds=3),
        full=Setting({"vertices": 10, "tokens": 1000, "layers": 30, "alpha": 0.5, "law": "layers"}, seconds=6),
        control=Control(
            {"law": "flow"}, "the factor e^-α of continuous depth in place of 1/(1 + α)", "layers: distance"
        ),
        main="leave the cell",
        note=r"The formulas are ours: they write out the abstract's straight lines for a constant step.",
    ),
)
