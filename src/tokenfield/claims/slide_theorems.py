"""Claims on what slides about arXiv 2305.05465 leave open: how many vertices, three hyperplanes, complex eigenvalues.

Tokens are z = e^{-tV} x with softmax attention in R^d, n = 20, uniform in [-width, width]^d; ensembles of starts run
at once. `observables.polytope` counts vertices the same way for one run.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial import ConvexHull

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.emergence_of_clusters import ONE_HOT, attention_along
from tokenfield.claims.figures import INK, PALETTE, PREDICTED, REST, panels

STEP = 0.1
SAME = 0.05  # limits closer than this, where tokens are spread over 5, are one


@eqx.filter_jit
def _flows(points: jax.Array, Q: jax.Array, V: jax.Array, t1: float, steps: int) -> tuple[jax.Array, jax.Array]:
    """Tokens (starts, 2, n, d) halfway and at t1 from `points` (starts, n, d), and attention at t1, (starts, n, n)."""
    model = tkf.Transformer(tkf.Euclidean(points.shape[-1]), tkf.Softmax(1.0), Q=Q, V=V, rescaled=True)

    def flow(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        run = tkf.solve(model, tkf.Measure(x), t1=t1, method="rk4", step=t1 / steps, save=3)
        last = run.saved_points[-1]
        return run.saved_points[1:], model.attention_matrices(t1, tkf.Measure(last))[0]

    return jax.vmap(flow)(points)


def _starts(rng: np.random.Generator, starts: int, n: int, d: int, width: float) -> np.ndarray:
    return width * rng.uniform(-1, 1, size=(starts, n, d))


# --- how many vertices ------------------------------------------------------------------------------------------------


POSITIVE = ("I", "random")  # forms Q^T K for which leaders of the start count vertices
TURNED = "not symmetric"


def _leaders(x: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Which tokens attend to themselves most."""
    return np.flatnonzero(np.argmax(x @ A @ x.T, axis=1) == np.arange(len(x)))


def _count_vertices(
    *, seed: int, n: int, dims: tuple[int, ...], widths: tuple[float, ...], starts: int, t1: float, count: str
) -> Finding:
    """Q^T K is I and a random positive matrix, for which `count` says what is predicted from the start; and others."""
    rng, other = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    rows: list[dict[str, Any]] = []
    for d in dims:
        G = rng.normal(size=(d, d))
        W, positive = other.normal(size=(d, d)), G @ G.T / d + 0.2 * np.eye(d)
        turn = np.linalg.qr(W)[0]
        mixed = turn @ np.diag([1.0, -0.5, 0.5][:d]) @ turn.T
        forms = {"I": np.eye(d), "random": positive, "indefinite": mixed, TURNED: positive + W - W.T}
        for name, A in forms.items():
            for width in widths:
                x = _starts(rng if name in POSITIVE else other, starts, n, d, width)
                z, P = _flows(jnp.asarray(x), jnp.asarray(A), jnp.eye(d), t1, round(t1 / STEP))
                rows.append(
                    {"d": d, "A": name, "width": width} | _counted(x, np.asarray(z)[:, -1], np.asarray(P), A, count)
                )
    shares, turned = (
        np.concatenate([row["share"] for row in rows if (row["A"] == TURNED) == is_turned])
        for is_turned in (False, True)
    )
    excess = np.concatenate([row["vertices"] - row["ranks"] for row in rows])
    known = [row for row in rows if row["A"] in POSITIVE]
    above = np.mean(np.concatenate([row["vertices"] > row["predicted"] for row in known]))
    widest = [row for row in known if row["width"] == max(widths)]
    agree = np.mean(np.concatenate([row["vertices"] == row["predicted"] for row in widest]))
    whole, soft = "whole numbers", "attention of the start is soft where two tokens are nearly as far out"
    checks = [
        at_least("least share of tokens at vertices, of all starts", shares.min(), 1, because="e^{-12} is left"),
        at_least("Q^T K not symmetric: mean of that share", turned.mean(), 0.9, because="some tokens turn for longer"),
        equals("largest | vertices − rank of attention |", np.abs(excess).max(), 0, within=0, because=whole),
        at_most("share of starts with more vertices than predicted", above, 0.05, because="late leaders are rare"),
        at_least(f"share of starts of width {max(widths):g} with the predicted number", agree, 0.8, because=soft),
    ]
    return Finding(checks, {"rows": rows, "widths": widths, "dims": dims})


def _counted(x: np.ndarray, z: np.ndarray, P: np.ndarray, A: np.ndarray, count: str) -> dict[str, np.ndarray]:
    """Vertices of K, ranks and shares of tokens at vertices of each start, and the number that is predicted."""
    found: dict[str, list[float]] = {"vertices": [], "ranks": [], "share": [], "predicted": [], "corners": []}
    for start, end, weights in zip(x, z, P, strict=True):
        attended = end[weights.max(axis=0) > ONE_HOT]
        corners = len(ConvexHull(start).vertices)
        many = len(attended) > start.shape[1]
        found["vertices"].append(len(ConvexHull(attended).vertices) if many else len(attended))
        found["ranks"].append(np.linalg.matrix_rank(weights, tol=ONE_HOT))
        gaps = np.min(np.linalg.norm(end[:, None] - attended, axis=-1), axis=1)
        found["share"].append(float(np.mean(gaps < 1e-2 * np.abs(end).max())))
        found["predicted"].append(corners if count == "corners" else len(_leaders(start, A)))
        found["corners"].append(corners)
    return {name: np.array(values) for name, values in found.items()}


def _draw_vertices(finding: Finding) -> Figure:
    dims = finding.data["dims"]
    figure, axes = panels(len(dims) + 1, width=9.6)
    for ax, d in zip(axes, dims, strict=False):
        rows = [row for row in finding.data["rows"] if row["d"] == d and row["A"] == "I"]
        for row, color in zip(rows, PALETTE, strict=False):
            numbers = np.bincount(row["vertices"].astype(int)) / len(row["vertices"])
            label = rf"$[-{row['width']:g}, {row['width']:g}]^{d}$"
            ax.plot(np.arange(len(numbers)), numbers, "o-", color=color, label=label)
        leaders = np.concatenate([row["predicted"] for row in rows]).astype(int)  # of the same law, up to the scale
        numbers = np.bincount(leaders) / len(leaders)
        ax.plot(np.arange(len(numbers)), numbers, label="leaders of the start", **PREDICTED)
        ax.set(xlabel=f"vertices of $K$, $d = {d}$", ylabel="share of starts", ylim=(-0.02, 0.95))
        ax.legend(fontsize=7)
    right = axes[-1]
    for row, color in zip(finding.data["rows"], PALETTE * 4, strict=False):
        jitter = np.random.default_rng(0).uniform(-0.2, 0.2, (2, len(row["ranks"])))
        right.plot(row["vertices"] + jitter[0], row["ranks"] + jitter[1], ".", color=color, markersize=2.5)
    most = max(row["ranks"].max() for row in finding.data["rows"])
    right.plot([1, most], [1, most], label="rank = vertices", **PREDICTED)
    right.set(xlabel="vertices of $K$", ylabel="rank of attention")
    right.legend(fontsize=7)
    return figure


# --- exactly three hyperplanes ----------------------------------------------------------------------------------------

VALUES = (1.0, 0.1, -0.3)  # of V, whose leading eigenvalue is simple


@eqx.filter_jit
def _mirrored_velocity(t: jax.Array, z: jax.Array, mirror: jax.Array, is_mirrored: bool) -> jax.Array:
    """The velocities of starts (s, n, 3), made their own mirror image to the last bit if they are."""
    model = tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(1.0), V=jnp.diag(jnp.array(VALUES)), rescaled=True)
    v = jax.vmap(lambda x: model.velocity(t, x, tkf.Measure(x)))(z)
    return (v + v[:, mirror] * jnp.array([-1.0, 1.0, 1.0])) / 2 if is_mirrored else v


def _mirrored_ends(z: np.ndarray, mirror: np.ndarray, t1: float, *, is_mirrored: bool) -> np.ndarray:
    """Tokens at t1 by RK4. Asymmetry of rounding would grow like exp(e^{2t}): the mirror is kept in every stage."""
    h, y = t1 / round(t1 / STEP), jnp.asarray(z)
    for k in range(round(t1 / STEP)):
        a = _mirrored_velocity(jnp.asarray(k * h), y, mirror, is_mirrored)
        b = _mirrored_velocity(jnp.asarray((k + 0.5) * h), y + h / 2 * a, mirror, is_mirrored)
        c = _mirrored_velocity(jnp.asarray((k + 0.5) * h), y + h / 2 * b, mirror, is_mirrored)
        d = _mirrored_velocity(jnp.asarray((k + 1.0) * h), y + h * c, mirror, is_mirrored)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return np.asarray(y)


def _three_hyperplanes(*, seed: int, n: int, t1: float, starts: int, noise: float) -> Finding:
    """Tokens in mirror pairs (x_1, y), (-x_1, y) and some with x_1 = 0: the plane x_1 = 0 is invariant."""
    rng, pairs = np.random.default_rng(seed), (n - 4) // 2
    some = _starts(rng, starts, pairs, 3, 5.0)
    between = _starts(rng, starts, n - 2 * pairs, 3, 5.0) * [0.0, 1.0, 1.0]
    points = np.concatenate([some, some * [-1.0, 1.0, 1.0], between], axis=1)
    mirror = np.concatenate([np.arange(pairs, 2 * pairs), np.arange(pairs), np.arange(2 * pairs, n)])
    broken = points + max(noise, 1e-3) * rng.normal(size=points.shape)
    first = broken if noise else points
    ends = [
        _mirrored_ends(first, mirror, t1, is_mirrored=not noise),
        _mirrored_ends(broken, mirror, t1, is_mirrored=False),
    ]
    values = [end[..., 0] for end in ends]
    counts = [np.array([_distinct(c[:, None]) for c in value]) for value in values]
    middle = np.abs(values[0][:, 2 * pairs :]).max()
    why = "whole numbers"
    checks = [
        equals("hyperplanes of mirrored starts, least over starts", counts[0].min(), 3, within=0, because=why),
        equals("hyperplanes of mirrored starts, most over starts", counts[0].max(), 3, within=0, because=why),
        at_most("largest |φ₁*(z)| on the middle one", middle, 0, slack=1e-12, because="the mirror is exact"),
        at_most("hyperplanes once 1e-3 of noise breaks the mirror, most", counts[1].max(), 2, because=why),
    ]
    return Finding(checks, {"start": points[0], "ends": values, "counts": counts, "first": 2 * pairs})


def _distinct(points: np.ndarray) -> int:
    """How many points (n, d) there are that are farther apart than SAME."""
    return len(np.unique(fcluster(linkage(points, "single"), SAME, "distance")))


def _draw_three(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    start, ends = finding.data["start"], finding.data["ends"]
    for ax, end, title in ((left, ends[0][0], "mirrored"), (right, ends[1][0], r"and $10^{-3}$ of noise")):
        for k, c in enumerate(end):
            color = PALETTE[1] if k >= finding.data["first"] else PALETTE[0]
            ax.plot([start[k, 0], c], [start[k, 1], start[k, 1]], color=REST, linewidth=0.7)
            ax.plot(c, start[k, 1], "o", color=color, markersize=4)
        for value in sorted(set(np.round(end, 1))):
            ax.axvline(value, **PREDICTED)
        ax.set(xlabel=r"$\varphi_1^*(z_i)$ at the end", ylabel=r"$\varphi_2^*(x_i)$ at the start", title=title)
    return figure


# --- a complex pair that leads ------------------------------------------------------------------------------------


def _complex_leading(*, seed: int, n: int, t1: float, starts: int, turns: tuple[float, ...], most: int) -> Finding:
    """V is (1, -b; b, 1) on a plane and -0.3 across it: k = 2 eigenvalues in the right half-plane."""
    rng = np.random.default_rng(seed)
    x = _starts(rng, starts, n, 3, 5.0)
    counts, moves, kept = {}, {}, {}
    for b in turns:
        V = np.array([[1.0, -b, 0.0], [b, 1.0, 0.0], [0.0, 0.0, -0.3]])
        flows = _flows(jnp.asarray(x), jnp.eye(3), jnp.asarray(V), t1, round(t1 / 0.02))
        z = np.asarray(flows[0])[..., :2]
        counts[b] = np.array([_distinct(end) for end in z[:, -1]])
        moves[b] = float(np.mean(np.linalg.norm(z[:, -1] - z[:, 0], axis=-1) > SAME))
        kept[b] = z[0, -1]
    why = "whole numbers: the conjecture allows three"
    checks = [
        at_least(f"b = {b:g}: limits in the plane, least over starts", counts[b].min(), most + 1, because=why)
        for b in turns
        if b > 0
    ]
    late = "some change their leader late"
    checks.append(
        at_most(
            f"share of tokens that still move by {SAME} in the second half", max(moves.values()), 0.02, because=late
        )
    )
    return Finding(checks, {"counts": counts, "kept": kept, "start": x[0, :, :2]})


def _draw_complex(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    b = max(finding.data["kept"])
    start, end = finding.data["start"], finding.data["kept"][b]
    left.plot([start[:, 0], end[:, 0]], [start[:, 1], end[:, 1]], color=REST, linewidth=0.6)
    left.plot(*start.T, "o", color=REST, markersize=2.5, label="start")
    left.plot(*end.T, "o", color=PALETTE[1], markersize=4, label="limit")
    left.set(xlabel="$z_1$", ylabel="$z_2$", aspect="equal", title=rf"$\lambda = 1 \pm {b:g}i$")
    left.legend(fontsize=7)
    for (turn, counts), color in zip(finding.data["counts"].items(), PALETTE, strict=False):
        numbers = np.bincount(counts) / len(counts)
        right.plot(
            np.arange(len(numbers)), numbers, "o-", color=color, label=rf"$1 \pm {turn:g}i$" if turn else "$1, 1$"
        )
    right.axvline(3, label="conjectured bound", **PREDICTED)
    right.set(xlabel="limits in the plane, of 20 tokens", ylabel="share of starts")
    right.legend(fontsize=7)
    return figure


# --- the low-rank run -------------------------------------------------------------------------------------------------


def _low_rank(*, seed: int, n: int, d: int, t1: float, is_linear: bool) -> Finding:
    """V = W W^T; time up to which double precision tells the leading coordinate of tokens apart."""
    rng = np.random.default_rng(seed)
    W = rng.uniform(-1, 1, size=(d, d))
    V, x = W @ W.T, rng.uniform(-1, 1, size=(n, d))
    model = tkf.Transformer(tkf.Euclidean(d), tkf.Softmax(1.0), V=V, rescaled=True)
    run = tkf.solve(model, x, t1=t1, method="rk4", step=0.01, save=16)
    P, ts = attention_along(run), np.asarray(run.ts)
    ranks = np.array([np.linalg.matrix_rank(p, tol=ONE_HOT) for p in P])
    # the published script moves tokens by x' = V x alone: z stays where it was
    still = eqx.tree_at(lambda kept: kept.states["points"], run, jnp.broadcast_to(x, run.saved_points.shape))
    linear = np.array([np.linalg.matrix_rank(p, tol=ONE_HOT) for p in attention_along(still)])
    shown = linear if is_linear else ranks
    top = np.linalg.eigvalsh(V)[-2:]
    why = "two leaders and one token between; more while λ₂ is close to λ₁"
    checks = [
        equals("rank of attention at t = 0", shown[0], n, within=0, because="tokens attend to themselves"),
        at_most("rank of attention at the end", shown[-1], 8, because=why),
        at_least("largest gap of the rank of x' = Vx above it, over time", (linear - shown).max(), 1, because=why),
    ]
    return Finding(checks, {"ts": ts, "ranks": ranks, "linear": linear, "P": P, "top": top})


def _draw_low_rank(finding: Finding) -> Figure:
    figure, axes = panels(4, width=10.4, height=2.5, width_ratios=[1, 1, 1, 1.3])
    ts, P = finding.data["ts"], finding.data["P"]
    for ax, k in zip(axes, (0, len(ts) // 6, len(ts) - 1), strict=False):
        image = ax.imshow(P[k], vmin=0, vmax=1, cmap="Blues")
        ax.set(xlabel="$j$", xticks=[], yticks=[], title=rf"$t = {ts[k]:.2g}$, rank {finding.data['ranks'][k]}")
    axes[0].set_ylabel("$i$")
    figure.colorbar(image, ax=axes[2], shrink=0.7, ticks=[0, 1]).ax.set_title("$P_{ij}$", fontsize=9)
    axes[3].semilogy(ts, finding.data["ranks"], color=PALETTE[0], label="attention")
    axes[3].semilogy(ts, finding.data["linear"], color=PALETTE[1], label=r"$\dot x = Vx$")
    axes[3].axhline(3, color=INK, linewidth=0.8, linestyle=":")
    axes[3].set(xlabel="time $t$ of the flow", ylabel="rank of $P(t)$", yticks=[1, 3, 10, 40])
    axes[3].set_yticklabels(["1", "3", "10", "40"])
    axes[3].minorticks_off()
    axes[3].legend(fontsize=7)
    return figure


_SPACE = r"softmax attention in $\mathbb{R}^d$, $z = e^{-tV} x$, 20 tokens uniform in $[-5, 5]^d$ unless said"

CLAIMS = (
    Claim(
        id="glpr23-count-vertices",
        title="Every token ends at a vertex, and the start tells how many there are",
        statement=r"With $V = I$ all tokens of almost every start converge to vertices of the polytope $K$, for "
        r"symmetric $Q^\top K = A$ also of mixed signs; their number is the rank of the limit of attention. "
        r"For $A > 0$ it is seldom above the number of leaders of the start, $\langle x_i, A x_i\rangle = "
        r"\max_j \langle x_i, A x_j\rangle$, and mostly equal for sharp attention.",
        paper="glpr23",
        where="asked on slides: convergence to vertices for a positive measure of starts, and count them",
        status="derived",
        assumptions=(_SPACE, "vertices of the hull of tokens that are attended to"),
        experiment=_count_vertices,
        draw=_draw_vertices,
        quick=Setting(
            {"n": 20, "dims": (2, 3), "widths": (1.0, 5.0, 25.0), "starts": 25, "t1": 12.0, "count": "leaders"},
            seconds=5,
        ),
        full=Setting(
            {"n": 20, "dims": (2, 3), "widths": (1.0, 5.0, 25.0), "starts": 1000, "t1": 12.0, "count": "leaders"},
            seconds=40,
        ),
        control=Control(
            {"count": "corners"}, "the corners of the hull of the start are more than its leaders", "predicted number"
        ),
        main="predicted number",
        note="The theorem allows limits on faces and at the origin; none of the starts has one. The corollary bounds "
        "the rank by the vertices: they are equal. In one dimension a row of attention of its own may add one to the "
        "rank, for starts of measure zero. Where $A$ is not symmetric some tokens still move at $t = 12$.",
    ),
    Claim(
        id="glpr23-exactly-three",
        main="mirrored starts, least",
        title="Three hyperplanes need a mirror",
        statement=r"Of the at most three hyperplanes $\varphi_1^*(z) \in \{a, 0, b\}$ the middle one is reached from "
        r"starts that are their own mirror image in $\varphi_1$; without the mirror there are two.",
        paper="glpr23",
        where="theorem on hyperplanes; a start that shows all three",
        status="derived",
        assumptions=(_SPACE, r"$V = \operatorname{diag}(1, 0.1, -0.3)$, $Q = K = I$"),
        experiment=_three_hyperplanes,
        draw=_draw_three,
        quick=Setting({"n": 20, "t1": 16.0, "starts": 20, "noise": 0.0}, seconds=4),
        full=Setting({"n": 20, "t1": 16.0, "starts": 200, "noise": 0.0}, seconds=10),
        control=Control({"noise": 1e-2}, "the tokens between leave for one side", "mirrored starts, least"),
    ),
    Claim(
        id="glpr23-complex-leading",
        main="b = 0.5: limits",
        title="A leading complex pair makes more than three limits",
        statement=r"If the leading eigenvalues of $V$ are a pair $1 \pm ib$, $V$ normal, tokens spiral in towards whom "
        r"they attend to, pass the hull and become leaders themselves: the two coordinates of the pair converge to far "
        r"more than three points.",
        paper="glpr23",
        where="conjecture on codimension k, as slides have it: Re λ ≥ 0 for k eigenvalues",
        status="derived",
        assumptions=(_SPACE, r"$V = \begin{pmatrix} 1 & -b \\ b & 1 \end{pmatrix} \oplus (-0.3)$, $Q = K = I$"),
        experiment=_complex_leading,
        draw=_draw_complex,
        quick=Setting({"n": 20, "t1": 14.0, "starts": 20, "turns": (0.0, 0.5, 2.0), "most": 3}, seconds=4),
        full=Setting({"n": 20, "t1": 14.0, "starts": 400, "turns": (0.0, 0.5, 1.0, 2.0), "most": 3}, seconds=20),
        control=Control(
            {"turns": (1e-3,)},
            "a pair that hardly turns has the vertices of V = I, at times three: the count above three fails",
            "least over starts",
        ),
        note="So the conjecture needs its theorem's assumption, a simple and positive leading eigenvalue; with it "
        "`glpr23-codimension-k` holds. For a pair that is not normal, two or three limits are usual, and tokens may go "
        "on moving.",
    ),
    Claim(
        id="glpr23-low-rank",
        title="Attention of forty tokens in eighty dimensions falls to a rank of a few",
        statement=r"With $V = WW^\top$, $W$ and $x_i(0)$ uniform in $[-1, 1]$, the rank of the attention of 40 tokens "
        r"in $\mathbb{R}^{80}$ falls from 40 to a few by $t = 0.3$, faster than if tokens moved by $\dot x = Vx$.",
        paper="glpr23",
        where="figure on low-rank attention (n = 40, d = 80)",
        status="figure",
        assumptions=(
            r"$Q = K = I$",
            r"$t \le 0.3$: later $e^{2 \lambda_1 t} > 10^{26}$, and rounding decides",
        ),
        experiment=_low_rank,
        draw=_draw_low_rank,
        quick=Setting({"n": 40, "d": 80, "t1": 0.3, "is_linear": False}, seconds=5),
        full=Setting({"n": 40, "d": 80, "t1": 0.3, "is_linear": False}, seconds=5),
        control=Control({"is_linear": True}, "tokens that move by x' = Vx alone have no gap to themselves", "gap"),
        main="at the end",
        note="The script of the figure moves tokens by $\\dot x = Vx$, so that attention has no effect, to "
        "T = 11; with its numbers $\\lambda_1 \\approx 100$, and double precision is spent at t = 0.35 already.",
    ),
)
