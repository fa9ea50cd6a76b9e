"""Claims of "The emergence of clusters in self-attention dynamics" (arXiv 2305.05465) where V = I or -I in R^d.

Tokens start uniform in [-5, 5]^d, n = 20, as in the published figures, and z = e^{-tV} x is followed where it says so.
Other V are in `emergence_limits`, which shares `rescaled_run` and `distance_to_limit_set`.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

import tokenfield as tkf
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, REST, panels

RTOL = 1e-9
ONE_HOT = 1e-6  # a row of attention this close to a unit vector counts as one
WIDTH = 5.0  # tokens start in [-WIDTH, WIDTH]^d


def rescaled_run(V: Any, *, n: int, t1: float, seed: int, width: Any = WIDTH) -> tkf.Trajectory:
    """The flow of z = e^{-tV} x with Q = K = I from [-width, width]^d (a number or one for each axis), at 101 times."""
    space = tkf.Euclidean(len(V))
    start = np.asarray(tkf.initial.box(space, n, seed=seed).points) * width
    model = tkf.Transformer(space, tkf.Softmax(1.0), V=V, rescaled=True)
    return tkf.solve(model, start, t1=t1, save=101, rtol=RTOL, atol=1e-2 * RTOL)


def attention_along(run: tkf.Trajectory) -> np.ndarray:
    """The attention matrices (T, n, n) at the saved times."""
    return np.asarray(_attention_along(run.model, run.ts, run.saved_points))


@eqx.filter_jit
def _attention_along(model: tkf.Transformer, ts: jax.Array, points: jax.Array) -> jax.Array:
    return jax.vmap(lambda t, z: model.attention_matrices(t, tkf.Measure(z))[0])(ts, points)


def distance_to_limit_set(z: np.ndarray) -> float:
    """max_i | |z_i|^2 - max_v <z_i, v> | over the vertices v of the hull of z (n, d): 0 on the set of limits."""
    vertices = z[ConvexHull(z).vertices]
    return float(np.max(np.abs(np.sum(z**2, axis=1) - np.max(z @ vertices.T, axis=1))))


def rate_check(ts: np.ndarray, distances: np.ndarray) -> Check:
    """That distances decay like e^{-t} over the last two tenths of a run: z_i' = z_v - z_i at a vertex z_v."""
    last = len(ts) * 8 // 10
    rate = -np.polyfit(ts[last:], np.log(distances[last:]), 1)[0]
    why = "corrections of size e^{-t}, here below 1%"
    return equals("exponential rate of the approach at late times", rate, 1.0, within=0.01, because=why)


def draw_plane(ax: Any, z: np.ndarray) -> None:
    """Paths of tokens z (T, n, 2) with the hull at the end."""
    ax.plot(*z.transpose(2, 0, 1), color=REST, linewidth=0.6)
    corners = z[-1][ConvexHull(z[-1]).vertices]
    ax.fill(*corners.T, facecolor=PALETTE[0], alpha=0.1, linewidth=0)
    ax.plot(*np.append(corners, corners[:1], axis=0).T, color=PALETTE[0], linewidth=1.0)
    ax.plot(*z[0].T, "o", color=REST, markersize=2.5, label="start")
    ax.plot(*z[-1].T, "o", color=PALETTE[1], markersize=4, label="end")
    ax.set(xlabel="$z_1$", ylabel="$z_2$", aspect="equal")
    ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside upper left", ncols=2)


# --- distances never decrease -------------------------------------------------------------------------------------


def _distances_grow(*, seed: int, n: int, d: int, t1: float, turn: float) -> Finding:
    space = tkf.Euclidean(d)
    start = tkf.initial.box(space, n, low=-WIDTH, high=WIDTH, seed=seed)
    # Q^T K turns the first two axes by so many degrees; by none in the claim
    angle, Q = np.radians(turn), np.eye(d)
    Q[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    model = tkf.Transformer(space, tkf.Softmax(1.0), Q=Q)
    run = tkf.solve(model, start, t1=t1, save=101, rtol=RTOL, atol=1e-2 * RTOL)
    x = np.asarray(run.saved_points)
    pairs = np.triu_indices(n, 1)
    distances = np.linalg.norm(x[:, pairs[0]] - x[:, pairs[1]], axis=-1)
    fall = -tkf.observables.smallest_distance_growth(run) / distances.max()
    growth, why = np.min(distances[-1] / distances[0]), "the solver's tolerance"
    checks = [
        at_most("largest fall of a distance between saved times / largest distance", fall, 0, slack=RTOL, because=why),
        at_least("smallest ratio of a final to an initial distance", growth, 1, slack=RTOL, because=why),
    ]
    return Finding(checks, {"ts": np.asarray(run.ts), "distances": distances})


def _draw_distances(finding: Finding) -> Figure:
    figure, ax = panels()
    distances = finding.data["distances"]
    ratios = distances / distances[0]
    order = np.argsort(ratios[-1])
    shown = np.append(order[:5], order[5 :: max(1, distances.shape[1] // 40)])  # also those that grow least
    ax.plot(finding.data["ts"], ratios[:, shown], color=PALETTE[0], linewidth=0.6, alpha=0.7)
    ax.plot([], [], color=PALETTE[0], label="pairs of tokens")
    ax.axhline(1, label="no growth: the bound", **PREDICTED)
    ax.set(xlabel="time $t$ of the flow", ylabel=r"$|x_i - x_j|(t)\,/\,|x_i - x_j|(0)$", yscale="log")
    ax.legend(loc="upper left")
    return figure


# --- V = I: the hull shrinks to a polytope ------------------------------------------------------------------------


def _hull_shrinks(*, seed: int, n: int, t1: float, starts: int, last: float) -> Finding:
    runs = [rescaled_run(np.diag([1.0, last]), n=n, t1=t1, seed=seed + k) for k in range(starts)]
    clouds = [np.asarray(run.saved_points) for run in runs]
    areas = np.array([[tkf.observables.hull_volume(tkf.Measure(z)) for z in cloud] for cloud in clouds])
    growth = float(np.max(np.diff(areas, axis=1) / areas[:, :-1]))
    what, why = "largest relative growth of the hull's area between two saved times", "ten times the solver's tolerance"
    # a later hull inside an earlier one: no vertex of it beyond a face
    outside = max(_distance_beyond(cloud[k], cloud[k + 1]) for cloud in clouds for k in range(len(cloud) - 1))
    checks = [
        at_most(what, growth, 0, slack=10 * RTOL, because=why),
        at_most("largest distance of a token beyond the hull before", outside, 0, slack=10 * RTOL * WIDTH, because=why),
    ]
    return Finding(checks, {"ts": np.asarray(runs[0].ts), "areas": areas, "z": clouds[0]})


def _distance_beyond(before: np.ndarray, after: np.ndarray) -> float:
    faces = ConvexHull(before).equations
    return float(np.max(after @ faces[:, :-1].T + faces[:, -1]))


def _draw_hull(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    draw_plane(left, finding.data["z"])
    right.plot(finding.data["ts"], finding.data["areas"].T / finding.data["areas"][:, 0], linewidth=0.8, **MEASURED)
    right.set(xlabel="time $t$ of the flow", ylabel="area of the hull / area at the start")
    return figure


def _limit_set(*, seed: int, n: int, t1: float, starts: int, last: float) -> Finding:
    runs = [rescaled_run(np.diag([1.0, last]), n=n, t1=t1, seed=seed + k) for k in range(starts)]
    ts, clouds = np.asarray(runs[0].ts), [np.asarray(run.saved_points) for run in runs]
    distances = np.array([[distance_to_limit_set(z) for z in cloud] for cloud in clouds])
    ranks = [np.linalg.matrix_rank(attention_along(run)[-1], tol=ONE_HOT) for run in runs]
    # K is the hull of the tokens to which others attend: what else is still on the hull has not arrived
    spare = min(_leading_vertices(run) - rank for run, rank in zip(runs, ranks, strict=True))
    what, why = "distance to the limit set at the end, | |z|² − max ⟨z, v⟩ |", "e^{-10} |z|² is left at t = 10"
    checks = [
        at_most(what, np.max(distances[:, -1]), 0, slack=5e-3, because=why),
        rate_check(ts, np.max(distances, axis=0)),
        at_least("vertices of K minus rank of attention, at the end", spare, 0, because="whole numbers"),
    ]
    return Finding(checks, {"ts": ts, "distances": distances, "z": clouds[0]})


def _leading_vertices(run: tkf.Trajectory) -> int:
    """How many tokens with attention at the end are vertices of their own hull, which is K."""
    points = np.asarray(run.final.points)
    leaders = points[np.max(attention_along(run)[-1], axis=0) > ONE_HOT]
    return len(ConvexHull(leaders).vertices) if len(leaders) > 2 else len(leaders)


def _draw_limit_set(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    ts, distances = finding.data["ts"], finding.data["distances"]
    draw_plane(left, finding.data["z"])
    right.semilogy(ts, distances.T, linewidth=0.8, **MEASURED)
    right.semilogy(
        ts[30:], 1.6 * distances[0, -1] * np.exp(ts[-1] - ts[30:]), label=r"$e^{-t}$, 1.6 times the last", **PREDICTED
    )
    right.set(xlabel="time $t$ of the flow", ylabel=r"$\max_i\ |\,|z_i|^2 - \max_v \langle z_i, v\rangle|$")
    right.legend()
    return figure


# --- d = 1: attention becomes Boolean -----------------------------------------------------------------------------


def _boolean_attention(*, seed: int, n: int, t1: float, starts: int, value: float) -> Finding:
    runs = [rescaled_run([[value]], n=n, t1=t1, seed=seed + k, width=1.0) for k in range(starts)]
    ts = np.asarray(runs[0].ts)
    # rows and columns in the order of the tokens on the line, which they keep
    orders = [np.argsort(np.asarray(run.saved_points)[0, :, 0]) for run in runs]
    P = np.array([attention_along(run)[:, order][:, :, order] for run, order in zip(runs, orders, strict=True)])
    is_decided = 1 - P[:, -1].max(axis=-1) <= ONE_HOT
    is_extreme = np.isin(P[:, -1].argmax(axis=-1), (0, n - 1))
    undecided, elsewhere = np.max(np.sum(~is_decided, axis=1)), np.sum(is_decided & ~is_extreme)
    ranks, whole = np.linalg.matrix_rank(P[:, -1], tol=ONE_HOT), "whole numbers, one-hot means to 1e-6"
    checks = [
        at_most("rows of attention that are not one-hot, most over starts", undecided, 1, because=whole),
        at_most("one-hot rows at neither the first nor the last token", elsewhere, 0, because=whole),
        at_most("rank of attention, largest over starts", max(ranks), 3, because="singular values above 1e-6"),
    ]
    # the row of a leader, 1 - P_ll as a sum of the others, which does not cancel; of the start with the highest rank
    P = P[np.argmax(ranks)]
    leader = 0 if P[-1, :, 0].sum() > P[-1, :, -1].sum() else n - 1
    others = np.delete(P[:, leader], leader, axis=1).sum(axis=1)
    used = (others < 1e-12) & (others > 1e-290)  # where one other token is all that counts
    values = np.log(-np.log(np.where(used, others, 0.5)))[used]
    slope, bend = _line(ts[used], values) if np.sum(used) > 10 else (0.0, np.inf)
    why = "second tokens still count a little at the early end of the fit"
    checks += [
        equals("slope of log(−log(1 − P)) in t, in a leader's row", slope, 1.0, within=0.01, because=why),
        at_most("root mean square distance from that line", bend, 0, slack=0.01, because=why),
    ]
    return Finding(checks, {"ts": ts, "P": P, "others": others, "used": used})


def _line(t: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """The slope of the line through the values, and their root mean square distance from it."""
    fit = np.polyfit(t, values, 1)
    return float(fit[0]), float(np.sqrt(np.mean((np.polyval(fit, t) - values) ** 2)))


def _draw_boolean(finding: Finding) -> Figure:
    figure, axes = panels(4, width=10.4, height=2.5, width_ratios=[1, 1, 1, 1.3])
    ts, P, used = finding.data["ts"], finding.data["P"], finding.data["used"]
    for ax, t in zip(axes, (0.0, 0.2 * ts[-1], ts[-1]), strict=False):
        k = int(np.argmin(np.abs(ts - t)))
        image = ax.imshow(P[k], vmin=0, vmax=1, cmap="Blues")
        ax.set(xlabel="$j$", title=f"$t = {ts[k]:.3g}$", xticks=[], yticks=[])
    axes[0].set_ylabel("$i$")
    figure.colorbar(image, ax=axes[2], shrink=0.7, ticks=[0, 0.5, 1]).ax.set_title("$P_{ij}$", fontsize=9)
    if np.any(used):
        values = np.log(-np.log(finding.data["others"][used]))
        axes[3].plot(ts[used], values, linewidth=3, alpha=0.6, label="measured", **MEASURED)
        axes[3].plot(ts[used], values[-1] + ts[used] - ts[used][-1], label="slope 1 through the last", **PREDICTED)
        axes[3].legend()
    axes[3].set(xlabel="time $t$ of the flow", ylabel=r"$\log(-\log(1 - P_{\ell\ell}))$")
    return figure


# --- V = -I: everything tends to the origin -----------------------------------------------------------------------


def _origin(*, seed: int, n: int, t1: float, value: float) -> Finding:
    space = tkf.Euclidean(2)
    start = tkf.initial.box(space, n, low=-WIDTH, high=WIDTH, seed=seed)
    model = tkf.Transformer(space, tkf.Softmax(1.0), V=value * np.eye(2))
    times = np.concatenate([[0.0], np.geomspace(0.01, t1, 50)])
    run = tkf.solve(model, start, t1=t1, save=times, rtol=RTOL, atol=1e-2 * RTOL)
    x = np.asarray(run.saved_points)
    sizes = np.linalg.norm(x, axis=-1).max(axis=1)
    away = np.max(np.abs(2 * t1 * np.cov(x[-1].T, bias=True) - np.eye(2)))
    growth, why = np.max(np.diff(sizes)), "the solver's tolerance"
    far, next_term = "2 t S = I allows no single token farther than sqrt(n/t)", "the next term is of size log(t)/t"
    checks = [
        at_most("largest growth of max |x| between saved times", growth, 0, slack=RTOL, because=why),
        at_most("max |x| at the end", sizes[-1], np.sqrt(n / t1), because=far),
        at_most("entries of |2 t S − I| at the end", away, 0, slack=np.log(t1) / (2 * t1), because=next_term),
    ]
    return Finding(checks, {"ts": np.asarray(run.ts), "sizes": sizes, "x": x})


def _draw_origin(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    x, ts = finding.data["x"], finding.data["ts"]
    left.plot(*x.transpose(2, 0, 1), color=REST, linewidth=0.6)
    left.plot(*x[0].T, "o", color=REST, markersize=2.5)
    left.plot(*x[-1].T, "o", color=PALETTE[1], markersize=3)
    left.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    right.loglog(ts[1:], finding.data["sizes"][1:], label=r"$\max_i |x_i|$", **MEASURED)
    spread = np.sqrt(np.trace(np.array([np.cov(y.T, bias=True) for y in x]), axis1=1, axis2=2))
    right.loglog(ts[1:], spread[1:], color=PALETTE[2], label=r"$(\mathrm{tr}\, S)^{1/2}$")
    right.loglog(ts[25:], ts[25:] ** -0.5, label="$t^{-1/2}$", **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="size of the cloud")
    right.legend()
    return figure


# --- the claims ---------------------------------------------------------------------------------------------------

_PLANE = r"$V = I$, $Q = K = I$, tokens in $\mathbb{R}^2$"
_POLYTOPE = "theorem on convergence to a convex polytope"

CLAIMS = (
    Claim(
        id="glpr23-distances-grow",
        title="No two tokens in ℝᵈ ever approach each other",
        statement=r"With $Q^\top K = V = I$ in $\mathbb{R}^d$ every distance $|x_i(t) - x_j(t)|$ is non-decreasing, "
        r"since $\dot x_i = \nabla \log \sum_j e^{\langle x, x_j \rangle}(x_i)$ is the gradient of a convex function.",
        paper="glpr23",
        where="theorem on low-rank attention matrices (in the proof)",
        status="theorem",
        main="largest fall of a distance",
        assumptions=(r"$Q^\top K = V = I$, tokens in $\mathbb{R}^d$, no normalization",),
        experiment=_distances_grow,
        draw=_draw_distances,
        quick=Setting({"n": 20, "d": 2, "t1": 5.0, "turn": 0.0}, seconds=3),
        full=Setting({"n": 40, "d": 8, "t1": 5.0, "turn": 0.0}, seconds=5),
        control=Control(
            {"turn": 90.0}, "with a Q^T K that turns by 90 degrees nothing convex is ascended", "largest fall"
        ),
    ),
    Claim(
        id="glpr23-hull-shrinks",
        title="The convex hull of rescaled tokens never grows",
        statement=r"With $V = I$ and $Q^\top K > 0$, the convex hull of the rescaled tokens $z_i(t) = e^{-t} x_i(t)$ "
        r"is non-increasing: $\operatorname{conv}\{z_i(t)\} \subseteq \operatorname{conv}\{z_i(s)\}$ for $t \geq s$.",
        paper="glpr23",
        where=f"{_POLYTOPE} (in the proof)",
        status="theorem",
        assumptions=(_PLANE,),
        experiment=_hull_shrinks,
        draw=_draw_hull,
        quick=Setting({"n": 20, "t1": 5.0, "starts": 1, "last": 1.0}, seconds=2),
        full=Setting({"n": 20, "t1": 10.0, "starts": 20, "last": 1.0}, seconds=2),
        control=Control({"last": 0.5}, "with V = diag(1, 1/2) tokens leave their hull", "beyond the hull"),
        main="beyond the hull",
    ),
    Claim(
        id="glpr23-polytope",
        title="Rescaled tokens converge to the boundary of a polytope, or to the origin",
        statement=r"With $V = I$ and $Q^\top K = I$, every $z_i(t) = e^{-t} x_i(t)$ converges to a point of the finite "
        r"set $\{z \in K : |z|^2 = \max_j \langle z, v_j \rangle\} \subset \partial K \cup \{0\}$, where $K$ is a "
        r"convex polytope with vertices $v_j$, and the rank of the limiting attention matrix is at most their number.",
        paper="glpr23",
        where=_POLYTOPE,
        status="theorem",
        main="distance to the limit set",
        assumptions=(_PLANE,),
        experiment=_limit_set,
        draw=_draw_limit_set,
        quick=Setting({"n": 20, "t1": 10.0, "starts": 2, "last": 1.0}, seconds=1),
        full=Setting({"n": 20, "t1": 10.0, "starts": 20, "last": 1.0}, seconds=9),
        control=Control({"last": 0.5}, "with V = diag(1, 1/2) tokens do not go to that set", "limit set"),
        note=r"The rate $e^{-t}$ is ours: once attention is one-hot, $\dot z_i = z_v - z_i$.",
    ),
    Claim(
        id="glpr23-boolean-attention",
        title="On the line attention becomes Boolean, of rank at most 3",
        statement=r"With $d = 1$ and $QK = V = 1$, the attention matrix converges to a matrix whose rows are "
        r"$e_1$ or $e_n$ (the first or the last token), except at most one row; its rank is at most 3. The "
        r"entries of the other rows converge doubly exponentially: $\log(-\log(1 - P_{ij}))$ is linear in $t$.",
        paper="glpr23",
        where="theorem on low-rank attention matrices",
        status="theorem",
        assumptions=(r"$d = 1$, $QK = V = 1$, tokens distinct",),
        experiment=_boolean_attention,
        draw=_draw_boolean,
        quick=Setting({"n": 8, "t1": 14.0, "starts": 4, "value": 1.0}, seconds=3),
        full=Setting({"n": 20, "t1": 14.0, "starts": 32, "value": 1.0}, seconds=6),
        control=Control({"value": 0.9}, "with V = 0.9 leaders grow like e^{0.9 t}, and the slope is 0.9", "slope of"),
        main="rank of attention",
        note=r"The slope 1 is ours: gaps to a leader, which grows like $e^t$, become constant in $x$.",
    ),
    Claim(
        id="glpr23-repulsive-origin",
        title="With V = -I all tokens tend to the origin",
        statement=r"With $V = -I$ and $Q^\top K = I$ all tokens converge to the origin, $x_i(t) \to 0$ (unscaled).",
        paper="glpr23",
        where="appendix C.5",
        status="theorem",
        assumptions=(r"$V = -I$, $Q = K = I$, tokens in $\mathbb{R}^2$",),
        experiment=_origin,
        draw=_draw_origin,
        quick=Setting({"n": 20, "t1": 1000.0, "value": -1.0}, seconds=2),
        full=Setting({"n": 20, "t1": 10000.0, "value": -1.0}, seconds=3),
        control=Control({"value": -0.5}, "with V = -I/2 it is t S that tends to I", "2 t S"),
        main="2 t S",
        note=r"The rate is ours: near the origin the covariance obeys $\dot S = -2 S^2$, so that $2 t S \to I$ and the "
        r"cloud shrinks like $t^{-1/2}$.",
    ),
)
