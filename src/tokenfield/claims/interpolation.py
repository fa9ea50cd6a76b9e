"""Claims about control in R^d: sequences (arXiv 2502.02270), Gaussians (2606.07600) and points met exactly.

What is built is `tokenfield.control`; here it is solved, counted, and held against what one could believe instead.
"""

from __future__ import annotations

import jax
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import control
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, mark_predicted, panels


def _sequences(*, seed: int, lengths: tuple[int, ...], sequences: int, outputs: int, law: str) -> Finding:
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(sequences, outputs, 3))
    rows: dict[str, list[tuple[int, int, float]]] = {"hardmax": [], "softmax": []}
    for n in lengths:
        X = rng.normal(size=(sequences, n, 3))
        X[:, : n // 2] = X[0, : n // 2]  # half of the tokens in common
        for kind, found_of in rows.items():
            found = control.interpolate_sequences(list(X), list(Y), attention=kind)
            far = [np.linalg.norm(found.run(x)[:, None] - y, axis=-1) for x, y in zip(X, Y, strict=True)]
            error = max(max(f.min(axis=1).max(), f.min(axis=0).max()) for f in far)
            found_of.append((found.blocks, found.parameters, error))
    m, N = sequences * outputs, sequences
    bounds = {"hardmax": 2 * m + 2 * N + 1, "softmax": 2 * m + 3 * N}
    checks = []
    for kind, found_of in rows.items():
        blocks, parameters, errors = (np.array(column) for column in zip(*found_of, strict=True))
        bound = bounds[kind] if law == "paper" else m
        because = "rounding, times the slopes of plateaus"
        checks += [
            at_most(f"{kind}: blocks", blocks.max(), bound, because="whole numbers"),
            equals(
                f"{kind}: parameters of long over short", parameters[-1] / parameters[0], 1, within=0, because="counts"
            ),
            at_most(f"{kind}: distance of outputs", errors.max(), 0, slack=1e-6, because=because),
        ]
    return Finding(checks, {"lengths": lengths, "rows": rows, "bounds": bounds})


def _draw_sequences(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    lengths = finding.data["lengths"]
    for (kind, rows), color, marker in zip(finding.data["rows"].items(), PALETTE, "os", strict=False):
        blocks, _, errors = zip(*rows, strict=True)
        left.semilogx(lengths, blocks, marker, color=color, label=kind)
        bound = finding.data["bounds"][kind]
        left.axhline(bound, linestyle=PREDICTED["linestyle"], color=color, label=f"bound {bound}, {kind}")
        right.loglog(lengths, errors, marker, color=color, label=kind)
    left.set(xlabel="tokens of a sequence", ylabel="blocks", ylim=(0, None))
    right.set(xlabel="tokens of a sequence", ylabel="distance of outputs", ylim=(None, 1e-5))
    mark_predicted(right, 1e-6, "allowed")
    for ax in (left, right):
        ax.minorticks_off()
        ax.set_xticks(lengths, [str(n) for n in lengths])
        ax.margins(x=0.2)
        ax.legend(fontsize=8, loc="lower left" if ax is left else "center right")
    return figure


def _same_rank(*, seed: int, starts: int, d: int, law: str) -> Finding:
    rng = np.random.default_rng(seed)
    errors, ranks, sizes, refused = [], [], [], 0
    for _ in range(starts):
        for rank in range(1, d + 1):
            F, G = rng.normal(size=(2, d, rank))
            found = control.reach_covariance(F @ F.T, G @ G.T)
            model = found.model if law == "paper" else _halved(found.model)
            run = tkf.solve(model, found.source, t1=1.0, method="dopri8", rtol=1e-11, atol=1e-13, progress=False)
            S = np.asarray(run.final.covariance)
            errors.append(np.abs(S - G @ G.T).max() / np.abs(G @ G.T).max())
            sizes.append(rank)
            ranks.append(abs(_rank_after(rng, F @ F.T) - rank))
            if rank < d:
                try:
                    control.reach_covariance(F @ F.T, np.eye(d))
                except tkf.Unsupported:
                    refused += 1
    checks = [
        at_most("relative distance to the target covariance", max(errors), 0, slack=1e-6, because="rtol 1e-11"),
        at_most("change of the rank under random V and A", max(ranks), 0, because="whole numbers"),
        equals("targets of higher rank that are refused", refused, starts * (d - 1), within=0, because="whole numbers"),
    ]
    return Finding(checks, {"errors": errors, "ranks": sizes})


def _rank_after(rng: np.random.Generator, covariance: np.ndarray) -> int:
    """The rank of a covariance after random weights have moved it.

    From |S| <= 1 the bound 1/(1 - 2 |V| |A| t) stays below 2 up to t1, long before a blow-up, and eigenvalues change by
    factors of at most e: none comes near the threshold that was not there.
    """
    d = len(covariance)
    A, V = rng.normal(size=(2, d, d)) / np.sqrt(d)
    start = tkf.Gaussian(np.zeros(d), covariance / np.trace(covariance))
    model = tkf.Transformer(tkf.Euclidean(d), tkf.Softmax(1.0), Q=A, V=V)
    t1 = 0.25 / (np.linalg.norm(V, 2) * np.linalg.norm(A, 2))
    end = tkf.solve(model, start, t1=t1, rtol=1e-9, atol=1e-13, save="end", progress=False).final
    values = np.linalg.eigvalsh(np.asarray(end.covariance))
    return int(np.sum(values > 1e-8 * values[-1]))


def _halved(model: tkf.Transformer) -> tkf.Transformer:
    """V(t)/2 with the same logits: what would be right if S' were V S A S, and not that and its transpose."""

    def head(t: jax.Array) -> tkf.Head:
        whole = model.heads(t)[0]
        assert whole.V is not None  # the schedules of `reach_covariance` have all weights
        return tkf.Head(whole.attention, Q=whole.Q, K=whole.K, V=whole.V / 2)

    return tkf.Transformer(model.geometry, tkf.schedule.FunctionOfDepth(head))


def _draw_rank(finding: Finding) -> Figure:
    figure, ax = panels(1)
    ax.semilogy(finding.data["ranks"], np.maximum(finding.data["errors"], 1e-17), "o", label="measured", **MEASURED)
    mark_predicted(ax, 1e-6, "allowed")
    ax.set(xlabel="rank of both covariances", ylabel="relative distance at the end")
    ax.set_xticks(sorted(set(finding.data["ranks"])))
    ax.legend()
    return figure


def _sine(s: np.ndarray) -> np.ndarray:
    return np.sin(2 * np.pi * s)


def _wave(x: np.ndarray) -> np.ndarray:
    """A function of the plane, with Lipschitz constant 3."""
    return np.sin(3 * x[:, 0]) * np.cos(2 * x[:, 1])


def _neural_ode(
    *,
    seed: int,
    sizes: tuple[int, ...],
    pieces: tuple[int, ...],
    cells: tuple[int, ...],
    order: float,
    gap: float | None,
) -> Finding:
    rng = np.random.default_rng(seed)
    counts, distances = [], []
    for n in sizes:
        x, y = rng.normal(size=(2, n, 2))
        found = control.interpolate_points(x, y)
        counts.append(found.switches / n)
        distances.append(np.abs(np.asarray(found.run(x).final.points) - y).max())
    s = np.linspace(0, 1, 257)
    line = [_rms(control.approximate(_sine, p, box=(0.0, 1.0)).values(s)[:, 0] - _sine(s)) for p in pieces]
    x = rng.uniform(size=(20_000, 2))
    grids = [control.approximate(_wave, p, box=[(0.0, 1.0), (0.0, 1.0)], gap=gap) for p in cells]
    plane = [_rms(found.values(x)[:, 0] - _wave(x)) for found in grids]
    bounds = [found.bound(lipschitz=3.0) for found in grids]
    more = [found.switches + 1 - (p * (p + 1) + 4 * (p - 1)) for found, p in zip(grids, cells, strict=True)]
    checks = [
        at_most("switches for each point", max(counts), 2, because="whole numbers"),
        at_most(
            "distance of a point to its target", max(distances), 0, slack=1e-6, because="solver times large shears"
        ),
        equals("order of the L² error on a line", _order(pieces, line), order, within=0.1, because="higher orders"),
        equals(
            "order of the L² error in the plane", _order(cells, plane), 1, within=0.15,
            because="of 20,000 samples about 20 are in gaps of the finest grid",
        ),
        at_most("L² error in the plane over its bound", max(np.divide(plane, bounds)), 1, because="a bound"),
        at_most("switches in the plane beyond p (p + 1) + 4 (p - 1)", max(more), 0, because="whole numbers"),
    ]  # fmt: skip
    data = {"pieces": pieces, "line": line, "order": order, "cells": cells, "plane": plane, "bounds": bounds}
    return Finding(checks, data)


def _rms(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _order(counts: tuple[int, ...], errors: list[float]) -> float:
    return float(-np.polyfit(np.log(counts), np.log(errors), 1)[0])


def _draw_neural_ode(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    right.loglog(data["cells"], data["bounds"], "v", color=PALETTE[1], label="bound")
    for ax, name, counts, order in ((left, "line", "pieces", data["order"]), (right, "plane", "cells", 1.0)):
        many = np.array(data[counts], float)
        ax.loglog(many, data[name], "o", label="measured", **MEASURED)
        predicted = data[name][0] * (many / many[0]) ** -order
        ax.loglog(many, predicted, label=f"order {order:g} through the first", **PREDICTED)
        ax.minorticks_off()
        ax.set_xticks(many, [f"{count:g}" for count in many])
        ax.set_yticks([1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001], ["1", "0.3", "0.1", "0.03", "0.01", "0.003", "0.001"])
        ax.set_ylim(0.3 * min(data[name]), 1.0)
        ax.legend(fontsize=8, loc="lower left")
    left.set(xlabel="cells of a line", ylabel="$L^2$ error")
    right.set(xlabel="cells along each side of a square")
    return figure


# --- the claims ---------------------------------------------------------------------------------------------------

CLAIMS = (
    Claim(
        id="afz25b-sequence-blocks",
        title="Sequences are interpolated exactly, whatever their length",
        statement=r"A transformer with $2 \sum_j m_j + 2 N + 1$ blocks of hardmax attention, or $2 \sum_j m_j + "
        "3 N$ of softmax, "
        r"maps $N$ sequences exactly to outputs of $m_j$ points; blocks and parameters do not depend on lengths "
        "of inputs.",
        paper="afz25b",
        where="theorems on hardmax and softmax attention",
        status="second-hand",
        assumptions=(r"$d = 3$, half of the tokens in all sequences",),
        experiment=_sequences,
        draw=_draw_sequences,
        quick=Setting({"lengths": (8, 80), "sequences": 2, "outputs": 2, "law": "paper"}, seconds=7),
        full=Setting({"lengths": (8, 80, 800), "sequences": 3, "outputs": 3, "law": "paper"}, seconds=60),
        control=Control({"law": "one"}, "one block for each output, which only lifts it", "blocks"),
        main="blocks",
        note="The construction is ours and needs fewer blocks than the bounds: 2 Σ m_j + N with hardmax, 2 Σ m_j "
        "+ 2 N with "
        "softmax. We know the bounds from a summary of the paper.",
    ),
    Claim(
        id="ajz26-same-rank",
        title="A Gaussian reaches every covariance of its rank, and no other",
        statement=r"With $V(t)$ and $A(t)$ as controls, attention carries $N(0, \Sigma_0)$ exactly to $N(0, "
        r"\Sigma_1)$ if and "
        r"only if both covariances have the same rank.",
        paper="ajz26",
        where="abstract",
        status="second-hand",
        assumptions=("softmax attention in ℝᵈ, without feed-forward layers",),
        experiment=_same_rank,
        draw=_draw_rank,
        quick=Setting({"starts": 1, "d": 3, "law": "paper"}, seconds=8),
        full=Setting({"starts": 20, "d": 3, "law": "paper"}, seconds=60),
        control=Control(
            {"law": "half"}, "V(t)/2, as if S' were each of its two terms, not their sum", "relative distance"
        ),
        main="relative distance",
        note="The controls are ours: factors on a straight line, which is the geodesic of optimal transport. That no "
        "other rank is reached is tested with random weights; that the library refuses such targets is its property.",
    ),
    Claim(
        id="rz23-neural-ode",
        title="Neural ODEs interpolate points and approximate functions",
        statement=r"A neural ODE $\dot x = w (\langle u, x \rangle + b)_+$ with piecewise constant weights sends "
        "$N$ points of "
        r"$\mathbb{R}^d$ exactly to $N$ targets, and approximates functions $\mathbb{R}^d \to \mathbb{R}^m$ in $L^2$ "
        "as well as one likes.",
        paper="rz23",
        where="simultaneous control and universal approximation",
        status="second-hand",
        assumptions=(r"$d = 2$; smooth functions of one variable and of two",),
        experiment=_neural_ode,
        draw=_draw_neural_ode,
        quick=Setting(
            {"sizes": (4, 12), "pieces": (8, 16, 32), "cells": (4, 8, 16), "order": 2.0, "gap": None}, seconds=12
        ),
        full=Setting(
            {"sizes": (4, 12, 32), "pieces": (8, 16, 32, 64), "cells": (4, 8, 16, 32), "order": 2.0, "gap": None},
            seconds=30,
        ),
        control=Control(
            {"order": 1.0, "gap": 0.3},
            "on the line the order 1 of steps in place of that of straight pieces; in the plane gaps between rows that "
            "stay as wide, 0.3 of the square, on every grid",
            "order",
        ),
        main="distance",
        note="Two switches for each point and the orders are ours. So is the way to functions of several variables: "
        "rows of cells are laid one behind the other by staircases of shears, where the slides send cells to points.",
    ),
)
