"""Claims about attention in R^d with other V (arXiv 2305.05465): hyperplanes and products; and about discrete depth.

Matrices are those printed in the authors' code. Tokens are z = e^{-tV} x, started uniform in [-5, 5]^d, n = 20.
Discrete depth: residual layers tend to the equation (arXiv 2312.10794), and what the published integrator does.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import expm
from scipy.spatial import ConvexHull

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.emergence_of_clusters import (
    RTOL,
    attention_along,
    distance_to_limit_set,
    draw_plane,
    rate_check,
    rescaled_run,
)
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, REST, panels

# The 2 x 2 matrix acts on the plane z_3 = 0 of R^3, which its flow does not leave: all three share one compilation.
POSITIVE_MATRICES = {
    r"2-d, $\lambda_2 < 0$": [[0.64709742, 0.81911926, 0.0], [0.61210449, 0.63263484, 0.0], [0.0, 0.0, 0.0]],
    r"3-d, Re $\lambda_{2,3} < 0$": [
        [0.2362413, 0.0599536, 0.40506019],
        [0.81321448, 0.49948705, 0.33754772],
        [0.2160645, 0.38505272, 0.14588075],
    ],
    r"3-d, Re $\lambda_{2,3} > 0$": [
        [0.18608476, 0.34391026, 0.13905949],
        [0.35244288, 0.6694859, 0.39992145],
        [0.46685606, 0.17094454, 0.42092308],
    ],
}
CODIMENSION_MATRIX = [
    [0.92761287, 0.94333073, 0.3827744],
    [0.94333073, 0.59991396, 0.47825472],
    [0.3827744, 0.47825472, 0.46668605],
]
SAME = 1e-2  # coordinates closer than this count as one value


# --- at most three hyperplanes ------------------------------------------------------------------------------------


def _hyperplanes(*, seed: int, n: int, t1: float, starts: int, place: int) -> Finding:
    paths: dict[str, np.ndarray] = {}
    ts, counts, widths, moves = np.empty(0), [], [], []
    for name, matrix in POSITIVE_MATRICES.items():
        V = np.array(matrix)
        values, vectors = np.linalg.eig(V)
        # of the eigenvalue of largest modulus; of the next one in the control
        dual = np.linalg.inv(vectors)[np.argsort(-np.abs(values))[place]].real
        for k in range(starts):
            ts, z = _confined_run(V, n=n, t1=t1, seed=seed + k)
            c = z @ dual
            groups = np.split(np.sort(c[-1]), np.flatnonzero(np.diff(np.sort(c[-1])) > SAME) + 1)
            counts.append(len(groups))
            widths.append(max(np.ptp(group) for group in groups))
            moves.append(max(-np.diff(c.min(axis=1)).min(), np.diff(c.max(axis=1)).max()))
            paths.setdefault(name, c)
    apart, why = f"values more than {SAME} apart", f"e^{{-λ₁t}} at t = {t1:g} with λ₁ = 0.99 or more"
    checks = [
        at_most("distinct values of φ₁*(z) at the end, most of three V", max(counts), 3, because=apart),
        at_most("width of a group of values", max(widths), 0, slack=SAME, because=why),
        at_most("how far min φ₁*(z) falls or max rises", max(moves), 0, slack=10 * RTOL, because="solver's tolerance"),
    ]
    return Finding(checks, {"ts": ts, "paths": paths})


def _confined_run(V: np.ndarray, *, n: int, t1: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and tokens (T, n, 3); those of a V that acts on the plane z_3 = 0 start there."""
    is_flat = not np.any(V[2])
    run = rescaled_run(V, n=n, t1=t1, seed=seed, width=[5.0, 5.0, 0.0 if is_flat else 5.0])
    return np.asarray(run.ts), np.asarray(run.saved_points)


def _draw_hyperplanes(finding: Finding) -> Figure:
    figure, axes = panels(3, sharex=True)
    for ax, (name, c) in zip(axes, finding.data["paths"].items(), strict=True):
        ax.plot(finding.data["ts"], c, color=PALETTE[0], linewidth=0.8)
        ends = np.sort(c[-1])
        groups = np.split(ends, np.flatnonzero(np.diff(ends) > SAME) + 1)
        for group in groups:
            ax.axhline(group.mean(), label="values at the end" if group is groups[0] else None, **PREDICTED)
        ax.set(xlabel="time $t$ of the flow", title=f"{name}: {len(groups)} values")
        ax.title.set_fontsize(9)
    axes[0].set_ylabel(r"$\varphi_1^*(z_i)$, one line for each token")
    axes[0].legend(loc="center right")
    return figure


# --- a polytope times hyperplanes ---------------------------------------------------------------------------------


def _product(*, seed: int, n: int, t1: float, starts: int, last: float) -> Finding:
    runs = [rescaled_run(np.diag([1.0, 1.0, last]), n=n, t1=t1, seed=seed + k) for k in range(starts)]
    ts, clouds = np.asarray(runs[0].ts), [np.asarray(run.saved_points) for run in runs]
    inside = np.max([[_depth(z[:, :2]) for z in cloud] for cloud in clouds], axis=0)
    distances = np.max([[distance_to_limit_set(z[:, :2]) for z in cloud] for cloud in clouds], axis=0)
    # |z| |z - v| is at most 2 R^2 with R^2 = 50 at a corner, and decays like e^{-t} once attention is decided
    left = 100 * np.exp(1 - t1)
    why = "2 R² e^{-(t − 1)}, R² = 50: attention is decided about t = 1"
    checks = [
        at_most("distance of the first two coordinates to ∂K at the end", inside[-1], 0, slack=left, because=why),
        at_most("their | |z|² − max ⟨z, v⟩ | at the end", distances[-1], 0, slack=left, because=why),
        rate_check(ts, distances),
    ]
    return Finding(checks, {"ts": ts, "inside": inside, "distances": distances, "z": clouds[0]})


def _depth(points: np.ndarray) -> float:
    """The largest distance of one of the points (n, 2) to the boundary of their hull."""
    faces = ConvexHull(points).equations
    return float(np.max(-np.max(points @ faces[:, :-1].T + faces[:, -1], axis=1)))


def _draw_product(finding: Finding) -> Figure:
    figure, (left, middle, right) = panels(3)
    z, ts = finding.data["z"], finding.data["ts"]
    draw_plane(left, z[:, :, :2])
    middle.plot(ts, z[:, :, 2], color=PALETTE[0], linewidth=0.8)
    middle.set(xlabel="time $t$ of the flow", ylabel="$z_3$", yscale="symlog")
    right.semilogy(ts, finding.data["distances"], label=r"$|\,|z|^2 - \max_v \langle z, v\rangle|$", **MEASURED)
    right.semilogy(ts, np.maximum(finding.data["inside"], 1e-8), color=PALETTE[2], label=r"distance to $\partial K$")
    right.semilogy(ts[40:], 2 * finding.data["distances"][-1] * np.exp(ts[-1] - ts[40:]), label="$e^{-t}$", **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="first two coordinates")
    right.legend(fontsize=8)
    return figure


# --- the conjecture on codimension k ------------------------------------------------------------------------------


def _codimension(*, seed: int, n: int, t1: float, starts: int, k: int) -> Finding:
    values, vectors = np.linalg.eigh(np.array(CODIMENSION_MATRIX))
    values, vectors = values[::-1], vectors[:, ::-1]
    first: dict[str, Any] = {}
    counts, rates = [], []
    for start in range(starts):
        run = rescaled_run(CODIMENSION_MATRIX, n=n, t1=t1, seed=seed + start)
        ts, c = np.asarray(run.ts), np.asarray(run.saved_points) @ vectors
        # tokens that attend to one token form a group: what spreads within it decides whether it becomes a point
        leaders = attention_along(run)[-1].argmax(axis=1)
        groups = [leaders == leader for leader in np.unique(leaders)]
        spreads = np.array([[np.max([np.ptp(y[g], axis=0) for g in groups], axis=0)] for y in c])[:, 0]
        late = ts > t1 / 2
        rates.append([-np.polyfit(ts[late], np.log(spreads[late, j]), 1)[0] for j in range(3)])
        counts.append(len(groups))
        first = first or {"ts": ts, "c": c, "spreads": spreads, "leaders": leaders}
    why = "attention is one-hot, so that ż = λ (z_leader − z) exactly"
    slowest = np.min(rates, axis=0)
    checks = [at_most("tokens that others attend to at the end", max(counts), 3, because="whole numbers")]
    for j in range(k):
        what = f"decay rate of a group's spread along φ{'₁₂₃'[j]}"
        checks.append(equals(what, slowest[j], abs(values[j]), within=1e-2, because=why))
    return Finding(checks, {**first, "values": values})


def _draw_codimension(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    ts, c, leaders = (finding.data[name] for name in ("ts", "c", "leaders"))
    for leader, color in zip(np.unique(leaders), PALETTE, strict=False):
        paths = c[:, leaders == leader]
        left.plot(paths[:, :, 0], paths[:, :, 1], color=color, linewidth=0.6, alpha=0.6)
        left.plot(*paths[-1, :, :2].T, "o", color=color, markersize=4)
    left.plot(*c[0, :, :2].T, "o", color=REST, markersize=2.5)
    left.set(xlabel=r"$\varphi_1^*(z)$", ylabel=r"$\varphi_2^*(z)$")
    for j, color in enumerate(PALETTE[:3]):
        spread, rate = finding.data["spreads"][:, j], finding.data["values"][j]
        right.semilogy(ts, spread, color=color, label=rf"$\varphi_{j + 1}$, $\lambda = {rate:.3g}$")
        late = ts > ts[-1] / 2
        label = r"$e^{-\lambda t}$ through the last" if j == 2 else None
        right.semilogy(ts[late], spread[-1] * np.exp(rate * (ts[-1] - ts[late])), label=label, **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="largest spread of a group", ylim=(1e-12, None))
    right.legend(loc="lower left")
    return figure


# --- discrete depth -----------------------------------------------------------------------------------------------


def _in_pieces(model: tkf.Transformer, start: tkf.Measure, t1: float, count: int, **how: Any) -> np.ndarray:
    """The tokens at t1 after `count` pieces of equally many steps: one compilation serves every number of steps."""
    mu = start
    for a, b in pairwise(np.linspace(0, t1, count + 1)):
        mu = tkf.solve(model, mu, t0=a, t1=b, save="end", **how).final
    return np.asarray(mu.points)


def _slope(steps: np.ndarray, errors: Any) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def _layers(*, seed: int, n: int, doublings: int, ode_t1: float) -> Finding:
    """Attention alone, a perceptron alone (a ResNet) and both: one block, with the matrices of what is off at zero."""
    rng, sphere, piece = np.random.default_rng(seed), tkf.Sphere(3), 32
    V, W, A, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 8)) / 2, rng.normal(size=(8, 3)), rng.normal(size=8)
    start = tkf.initial.uniform(sphere, n, seed=seed)
    pieces = 2 ** np.arange(doublings)
    errors: dict[str, np.ndarray] = {}
    for name, on in {"attention": (1, 0), "ResNet": (0, 1), "both": (1, 1)}.items():
        parts = [tkf.Head(tkf.Softmax(2.0), V=on[0] * V), tkf.Perceptron(on[1] * W, A, b, activation="tanh")]
        model = tkf.Transformer(sphere, parts)
        expected = np.asarray(tkf.solve(model, start, t1=ode_t1, save="end", rtol=1e-11, atol=1e-13).final.points)
        ends = [_in_pieces(model, start, 1.0, int(count), layers=piece) for count in pieces]
        errors[name] = np.array([np.max(np.linalg.norm(end - expected, axis=1)) for end in ends])
    steps, why = 1 / (piece * pieces), "terms of order 1/L² after the extrapolation, and of order 1/L in the field"
    checks = []
    for name, error in errors.items():
        # the slope between L and 2L is 1 + c/L: the last two tell where it goes
        before, last = np.log2(error[-3] / error[-2]), np.log2(error[-2] / error[-1])
        what = f"slope of the error in 1/L, extrapolated to 1/L = 0, {name}"
        checks.append(equals(what, 2 * last - before, 1.0, within=0.05, because=why))
    return Finding(checks, {"steps": steps, "errors": errors})


def _draw_layers(finding: Finding) -> Figure:
    figure, ax = panels()
    steps = finding.data["steps"]
    for (name, error), color, marker in zip(finding.data["errors"].items(), PALETTE, "os^", strict=False):
        ax.loglog(1 / steps, error, marker=marker, markersize=5, color=color, label=name)
    largest = max(error[0] for error in finding.data["errors"].values())
    ax.loglog(1 / steps, 1.5 * largest * steps / steps[0], label="$1/L$, 1.5 times the first", **PREDICTED)
    ax.set(xlabel="layers $L$", ylabel=r"$\max_i |x_i^{(L)} - x_i(1)|$")
    ax.set_xticks(1 / steps, [f"{1 / h:.0f}" for h in steps])
    ax.minorticks_off()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _published_step(z: np.ndarray, t: float, h: float, V: np.ndarray) -> np.ndarray:
    """The step that the published code calls RK4: attention of its start in all stages, and the stage increment of
    token i added to every token, so that z_j - z_i stays what it was."""
    x = z @ expm(t * V).T
    logits = x @ x.T
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    increments, stage = [], np.zeros_like(z)
    for fraction in (0.5, 0.5, 1.0, 0.0):
        moved = z + stage[:, None]  # (i, j): all tokens as seen by token i
        increment = h * np.einsum("ij,ijk->ik", P, moved - np.einsum("iik->ik", moved)[:, None]) @ V.T
        increments.append(increment)
        stage = fraction * increment
    return z + np.einsum("s,sik->ik", [1 / 6, 1 / 3, 1 / 3, 1 / 6], increments)


def _published(start: np.ndarray, t1: float, steps: int, V: np.ndarray) -> np.ndarray:
    z, h = start, t1 / steps
    for k in range(steps):
        z = _published_step(z, k * h, h, V)
    return z


def _published_integrator(*, seed: int, n: int, t1: float, doublings: int, formula: str) -> Finding:
    piece, V, space = 10, np.eye(2), tkf.Euclidean(2)
    # in [-1, 1]^2 attention changes slowly enough for the order to show at the published step, 0.1
    start = tkf.initial.box(space, n, seed=seed)
    model = tkf.Transformer(space, tkf.Softmax(1.0), V=V, rescaled=True)
    pieces = 2 ** np.arange(doublings)
    steps = t1 / (piece * pieces)

    def stepped(method: str, count: int) -> np.ndarray:
        return _in_pieces(model, start, t1, count, method=method, step=t1 / (piece * count))

    z = np.asarray(start.points)
    reference = stepped("rk4", 2 ** (doublings + 1))
    published = [_published(z, t1, piece * int(count), V) for count in pieces]
    correct = [stepped("rk4", int(count)) for count in pieces] if formula == "corrected" else published
    ends = {"published": published, "RK4": correct}
    errors = {name: [np.abs(end - reference).max() for end in found] for name, found in ends.items()}
    from_euler = np.abs(published[0] - stepped("euler", 1)).max()
    orders = {name: _slope(steps, error) for name, error in errors.items()}
    ratio, why = errors["published"][0] / errors["RK4"][0], "the next order at these steps"
    far = "three orders of a step of 0.1 are a factor 1000, up to constants"
    checks = [
        equals("order of RK4 with attention renewed in each stage", orders["RK4"], 4.0, within=0.3, because=why),
        at_most("order of the published scheme", orders["published"], 1.1, because=why),
        at_most("published scheme − Euler's method at step 0.1", from_euler, 0, slack=1e-12, because="rounding"),
        at_least("error of the published scheme / of RK4 at step 0.1", ratio, 100, because=far),
    ]
    return Finding(checks, {"steps": steps, "errors": errors})


def _draw_published(finding: Finding) -> Figure:
    figure, ax = panels()
    steps = finding.data["steps"]
    for (name, error), color, order in zip(finding.data["errors"].items(), PALETTE[1::-1], (1, 4), strict=True):
        ax.loglog(steps, error, "o-", color=color, markersize=5, label=name)
        ax.loglog(steps, 1.8 * error[0] * (steps / steps[0]) ** order, **PREDICTED)
        words = f"order {order},\n1.8 times the first"
        ax.annotate(words, (steps[0], 1.8 * error[0]), (4, -6), textcoords="offset points", fontsize=8)
    ax.set(xlabel="step $h$", ylabel="largest error at the end", xlim=(None, steps[0] * 3))
    ax.set_xticks(steps, [f"{h:.3g}" for h in steps])
    ax.minorticks_off()
    ax.legend(loc="center left")
    return figure


# --- the claims ---------------------------------------------------------------------------------------------------

_START = r"$Q = K = I$, tokens uniform in $[-5, 5]^d$"

CLAIMS = (
    Claim(
        id="glpr23-three-hyperplanes",
        title="Tokens converge to at most three parallel hyperplanes",
        statement=r"If the eigenvalue of $V$ of largest modulus is simple and positive and "
        r"$\langle Q\varphi_1, K\varphi_1 \rangle > 0$, then $\varphi_1^*(z_i(t))$, $z_i = e^{-tV} x_i$, converges to "
        r"one of at most three values; $\min_j \varphi_1^*(z_j)$ never decreases and the maximum never increases.",
        paper="glpr23",
        where="theorem on hyperplanes; the three matrices of its figures",
        status="theorem",
        main="distinct values",
        assumptions=(_START, "the three matrices with positive entries printed in the authors' code"),
        experiment=_hyperplanes,
        draw=_draw_hyperplanes,
        quick=Setting({"n": 20, "t1": 10.0, "starts": 1, "place": 0}, seconds=4),
        full=Setting({"n": 20, "t1": 10.0, "starts": 20, "place": 0}, seconds=10),
        control=Control(
            {"place": 1}, "coordinates along the second eigenvector do not converge to three values", "distinct"
        ),
    ),
    Claim(
        id="glpr23-polytope-times-hyperplanes",
        title="A polytope in the leading eigenspace, anything across it",
        statement=r"If $V = \lambda I$ on a subspace $F$, $\lambda > 0$, and has a smaller spectral radius on its "
        r"complement $G$, $z_i = e^{-tV} x_i$ converges to $\partial K \times G$ with $K$ a convex polytope in $F$.",
        paper="glpr23",
        where="theorem on polytopes and hyperplanes",
        status="theorem",
        main="distance of the first two coordinates to ∂K",
        assumptions=(_START, r"$V = \operatorname{diag}(1, 1, -\tfrac12)$, as in the authors' code with $d = 3$"),
        experiment=_product,
        draw=_draw_product,
        quick=Setting({"n": 20, "t1": 10.0, "starts": 1, "last": -0.5}, seconds=2),
        full=Setting({"n": 20, "t1": 10.0, "starts": 20, "last": -0.5}, seconds=6),
        control=Control({"last": 1.0}, "with V = I in 3-d the vertices of a polytope project inside its shadow", "∂K"),
    ),
    Claim(
        id="glpr23-codimension-k",
        title="Eigenvalues of V in the right half-plane decide the codimension",
        statement=r"Conjecture: if $k$ eigenvalues of $V$ have $\operatorname{Re} \lambda_j \geq 0$, tokens "
        r"$z_i = e^{-tV} x_i$ converge to at most three parallel subspaces of codimension $k$: their coordinates along "
        r"$\varphi_1, \dots, \varphi_k$ converge to at most three points.",
        paper="glpr23",
        where="conjecture on codimension k and its figure",
        status="conjecture",
        main="spread along φ₂",
        assumptions=(_START, "the symmetric 3 x 3 matrix of the authors' code: 1.963, 0.253, -0.222, so k = 2"),
        experiment=_codimension,
        draw=_draw_codimension,
        quick=Setting({"n": 20, "t1": 14.0, "starts": 2, "k": 2}, seconds=2),
        full=Setting({"n": 20, "t1": 14.0, "starts": 20, "k": 2}, seconds=2),
        control=Control({"k": 3}, "along the eigenvector of the negative eigenvalue, tokens of a group separate", "φ₃"),
        note=r"The second coordinate approaches its limit like $e^{-0.253 t}$, too slowly to count points at the end: "
        r"checked is that tokens attend to at most three tokens, and that every group closes at the rate $\lambda_j$.",
    ),
    Claim(
        id="glpr25-layers-to-ode",
        title="Residual layers tend to a differential equation",
        statement=r"The layers $x_i \leftarrow N\left(x_i + \tfrac{1}{L} v(x_i)\right)$ of a residual network, "
        r"with $N$ the normalization and $v$ attention, a perceptron (ResNet) or one after the other, tend to "
        r"$\dot x_i = P_{x_i} v(x_i)$ as $L \to \infty$, with an error of order $1/L$.",
        paper="glpr25",
        where="section on residual networks as neural ODEs",
        status="derived",
        main="extrapolated to 1/L = 0, both",
        assumptions=(r"tokens on $S^2$, $\beta = 2$, random $V$, $W$, $A$, $b$; perceptron $W \tanh(A x + b)$",),
        experiment=_layers,
        draw=_draw_layers,
        quick=Setting({"n": 16, "doublings": 4, "ode_t1": 1.0}, seconds=4),
        full=Setting({"n": 64, "doublings": 6, "ode_t1": 1.0}, seconds=10),
        control=Control({"ode_t1": 1.05}, "layers of depth 1 do not tend to the equation at t = 1.05", "slope"),
        note="The paper states the limit; the measured order 1 is that of an explicit Euler step.",
    ),
    Claim(
        id="glpr23-published-integrator",
        title="The steps of the code behind the figures are Euler's, of order 1",
        statement=r"The code that accompanies the paper takes four Runge-Kutta stages for $z = e^{-tV} x$ with the "
        r"attention and all $z_j - z_i$ of the step's start in each, so that $k_1 = k_2 = k_3 = k_4$: its order is 1. "
        r"With both renewed in each stage it is 4.",
        paper="glpr23",
        where="code of the figures, borjanG/2023-transformers at 746e488, clustering-Tformers.py (not the paper)",
        status="erratum",
        assumptions=(r"$V = I$, $Q = K = I$, tokens uniform in $[-1, 1]^2$, steps 0.1 and below",),
        experiment=_published_integrator,
        draw=_draw_published,
        quick=Setting({"n": 20, "t1": 1.0, "doublings": 4, "formula": "corrected"}, seconds=4),
        full=Setting({"n": 40, "t1": 1.0, "doublings": 6, "formula": "corrected"}, seconds=8),
        control=Control({"formula": "printed"}, "the published stages are not a method of order 4", "order of RK4"),
        main="order of the published scheme",
        note="The paper's theorems and what its figures show are not touched: Euler steps of 0.1 are accurate enough "
        "to see where tokens go. To have the same steps here, use method='euler' with step=0.1.",
    ),
)
