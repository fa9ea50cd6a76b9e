"""Claims about densities in R^d: the closed law of Gaussians and its blow-up, and the bounds of well-posedness.

The densities are held by nodes that move with the mass (`tokenfield.laws.MovingDensity`), so supports are followed to
their edge and masses are kept exactly.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.optimize import linear_sum_assignment

import tokenfield as tkf
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, INK, PALETTE, PREDICTED, panels, tick_sizes
from tokenfield.laws import Moving, MovingDensity
from tokenfield.transport import line_wasserstein

VARIANCE = 0.05  # at the start: the law blows up at t = 10
PLANE_A = np.array([[1.0, 0.4], [-0.2, 0.5]])
PLANE_S = np.array([[0.2, 0.05], [0.05, 0.1]])
KINDS = {  # at beta = 1; made when they are run: nobody takes a device by importing claims
    "softmax": tkf.Softmax,
    "L2": tkf.L2,
    "Sinkhorn": tkf.Sinkhorn,
}
STEP = 0.0625
FITTED = "Σ is right to 1e-8, and 1/Σ is fitted up to a tenth of its first value"
LINE = r"softmax, $\beta = 20$, $d = 1$"
LIGHT = 1e-4  # the mass of a point that hardly moves the others


# --- Gaussians ------------------------------------------------------------------------------------------------------


def _gaussian(*, seed: int, size: int, plane: int, factor: float) -> Finding:
    """`factor` stands before t (A + A^T): 1, in the control 1/2, as if only one of the two were there."""
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0))
    start = MovingDensity.gaussian(Moving(1, size), covariance=[[VARIANCE]])
    times = np.linspace(0.0, 9.9, 34)
    run = tkf.solve(model, start, t1=9.9, save=times, rtol=1e-10)
    variances = np.array([float(run.state(k).covariance[0, 0]) for k in range(len(run))])
    blow_up = 1 / (2 * VARIANCE * factor)
    early = times <= 0.9 * blow_up if factor == 1 else times <= 9.0
    slope, offset = np.polyfit(times[early], 1 / variances[early], 1)
    closed = 1 / (1 / VARIANCE - 2 * factor * times[early])
    error = float(np.max(np.abs(variances[early] / closed - 1)))
    flat = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), Q=PLANE_A)
    end = tkf.solve(flat, MovingDensity.gaussian(Moving(2, plane), covariance=PLANE_S), t1=1.0, save="end").final
    matrix = np.linalg.inv(np.linalg.inv(PLANE_S) - factor * (PLANE_A + PLANE_A.T))
    in_plane = float(np.max(np.abs(np.asarray(end.covariance) / matrix - 1)))
    mass = float(np.max(np.abs(np.asarray(run.observables["mass"]) - 1)))
    checks = [
        equals("time at which 1/Σ(t) vanishes", -offset / slope, blow_up, within=1e-6 * blow_up, because=FITTED),
        at_most("relative error of Σ(t), d = 1, t ≤ 0.9 t*", error, 0, slack=1e-6, because="tolerance of the steps"),
        at_most(
            "relative error of Σ(1), d = 2, A not symmetric", in_plane, 0, slack=2e-5, because="quadrature of 32² nodes"
        ),
        at_most("how far the mass is from 1", mass, 0, slack=1e-13, because="rounding"),
        at_least(
            "by how much the law that is cut off at 8 standard deviations stays below, at t = 0.99 t*",
            1 - variances[-1] * (1 / VARIANCE - 2 * times[-1]),
            0.1,
            because="a law of compact support exists for all times: its tails are what blows up",
        ),
    ]
    return Finding(checks, {"times": times, "variances": variances, "blow_up": blow_up})


def _draw_gaussian(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    t, s, end = (finding.data[name] for name in ("times", "variances", "blow_up"))
    law = 1 / VARIANCE - t / (VARIANCE * end)
    left.plot(t, 1 / s, "o", color=PALETTE[0], markersize=4, label="density, $1/\\Sigma(t)$")
    left.plot(np.append(t, end), np.append(law, 0.0), label=r"$\Sigma_0^{-1} - t(A + A^\top)$", **PREDICTED)
    left.set(xlabel="time $t$ of the flow", ylabel=r"$1/\Sigma$", ylim=(0, None))
    left.legend(loc="lower left")
    right.semilogy(1 - t / end, np.maximum(np.abs(s * law - 1), 1e-10), "o-", color=PALETTE[1], markersize=4)
    right.set_xscale("log")
    right.invert_xaxis()
    right.axvline(VARIANCE, color=INK, linewidth=0.8, linestyle=":")
    right.text(VARIANCE * 1.1, 1e-2, r"$A\Sigma = 1$", ha="right", fontsize=8.5)
    right.set(xlabel="$1 - t/t^*$", ylabel=r"relative error of $\Sigma$")
    return figure


# --- well-posedness -------------------------------------------------------------------------------------------------


@eqx.filter_jit
def _radii(model: tkf.Transformer, starts: Array, weights: Array, t1: float) -> Array:
    """The radius of the support at 5 times from each of the starts (b, m, d) with masses (m,)."""

    def one(points: Array) -> Array:
        run = tkf.solve(model, tkf.Measure(points, weights), t1=t1, method="rk4", step=STEP, save=5)
        return jnp.sqrt(jnp.max(jnp.sum(run.saved_points**2, axis=2), axis=1))

    return jax.lax.map(one, starts)


def _support(*, seed: int, starts: int, nodes: int, exponent: float) -> Finding:
    """`exponent` stands before the integral of |V|: 1, in the control 0.7."""
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=(2, 2)) for _ in range(3))
    V = V / np.linalg.norm(V, 2)
    t1, worst, curves = 1.0, {}, {}
    ts = np.linspace(0, t1, 5)
    box = MovingDensity.uniform(Moving(2, nodes))
    # the nodes of uniform densities on random parallelograms: one compilation for all starts of a kind
    clouds = jnp.asarray(np.stack([np.asarray(box.points) @ rng.normal(size=(2, 2)).T for _ in range(starts)]))
    for name, attention in KINDS.items():
        model = tkf.Transformer(tkf.Euclidean(2), attention(1.0), Q=Q, K=K, V=V)
        radii = np.asarray(_radii(model, clouds, box.masses, t1))
        curves[name] = radii / radii[:, :1]
        worst[name] = float(np.max((curves[name] / np.exp(exponent * ts))[:, 1:]))
    # the bound is attained where every token looks at one end of a line that V stretches
    line = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(20.0))
    run = tkf.solve(line, MovingDensity.uniform(Moving(1, 64)), t1=t1, save=5)
    reached = np.array([float(run.state(k).radius) for k in range(5)])
    curves[LINE] = (reached / reached[0])[None]
    worst["density on a line, β = 20"] = float(np.max((reached / reached[0] / np.exp(exponent * ts))[1:]))
    rounding = "rounding, and steps of 0.0625"
    checks = [
        at_most(f"largest R(t) / (e^(∫|V|) R₀), t > 0, {name}", value, 1, slack=1e-6, because=rounding)
        for name, value in worst.items()
    ]
    checks.append(
        at_least("how near a line comes to the bound", reached[-1] / reached[0] / np.e, 0.9, because="it is sharp")
    )
    return Finding(checks, {"ts": ts, "curves": curves})


def _draw_support(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.6)
    ts = finding.data["ts"]
    for (name, curve), color in zip(finding.data["curves"].items(), PALETTE, strict=False):
        for k, row in enumerate(curve):
            words = name if name == LINE else rf"{name}, random $Q, K, V$, $d = 2$"
            ax.plot(ts, row, "o-", color=color, markersize=3, linewidth=1, label=words if k == 0 else None)
    fine = np.linspace(0, ts[-1], 50)
    ax.plot(fine, np.exp(fine), label=r"bound $e^{\int |V|}$", **PREDICTED)
    ax.set(xlabel="time $t$ of the flow", ylabel="$R(t)/R_0$")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


@eqx.filter_jit
def _line_ends(model: tkf.Transformer, starts: Array, weights: Array | None, t1: float) -> Array:
    def one(x: Array) -> Array:
        return tkf.solve(model, tkf.Measure(x, weights), t1=t1, method="rk4", step=STEP, save="end").final.points

    return jax.lax.map(one, starts, batch_size=16)


def _stability(*, seed: int, amplitudes: tuple[float, ...], law: str) -> Finding:
    """A light point at 0 or at ε between two heavy ones; `law` is "split", in the control "radius": C = e^(∫|V|).

    W_2 is predicted for every ε: it sees the light point alone, up to the light mass. W_1 also sees how far this moves
    the heavy ones, by the same share whatever ε is. Beside it random clouds in the plane, moved by ε.
    """
    rng = np.random.default_rng(seed)
    t1, R = 0.25, float(rng.uniform(1.3, 1.7))
    starts = np.array([[[-R], [eps], [R]] for eps in (0.0, *amplitudes)])
    weights = np.array([0.5 * (1 - LIGHT), LIGHT, 0.5 * (1 - LIGHT)])
    growths, predicted, checks = {}, {}, []
    why = "the light mass is not zero, and steps are 0.0625"
    for name, attention in KINDS.items():
        model = tkf.Transformer(tkf.Euclidean(1), attention(1.0))
        ends = np.asarray(_line_ends(model, jnp.asarray(starts), jnp.asarray(weights), t1))[..., 0]
        before, after = (
            np.array([_distances(laws[0], law, weights) for law in laws[1:]]) for laws in (starts[..., 0], ends)
        )
        growths[name] = after / before
        predicted[name] = np.array([_split(name, R, t1, eps) if law == "split" else t1 for eps in amplitudes])
        misses = np.log(growths[name][:, 1]) - predicted[name]
        share = growths[name][:, 0] / growths[name][:, 1]
        checks += [
            at_most(f"error of log W₂(t)/W₂(0), largest over ε, {name}", np.abs(misses).max(), 0, slack=0.01,
                    because=why),
            at_most(f"W₁(t)/W₁(0) by that of W₂, change below ε = {amplitudes[-2]:g}, {name}",
                    abs(share[-1] / share[-2] - 1), 0, slack=0.01, because="the heavy points move in proportion to ε"),
        ]  # fmt: skip
    data = {"amplitudes": np.array(amplitudes), "growths": growths, "predicted": predicted, "radius": float(np.exp(t1))}
    return Finding([*checks, *_in_the_plane(rng, amplitudes, t1)], data)


def _in_the_plane(rng: np.random.Generator, amplitudes: tuple[float, ...], t1: float) -> list[Check]:
    """How laws of 12 points part in R^2 under random Q, K, V that part by ε: by a factor that ε does not change.

    With |V| = 1 and tokens within R(t) = e^t R_0, differences of at most δ grow like δ' <= (1 + c R^2) δ: the weights'
    mean of differences, and the covariance of y with what logits change by, at most c R δ. There c = 2 |Q^T K| for
    dot products and 2 |K| (2 |Q| + |K|) for distances; Sinkhorn's potentials change as well, without a bound here.
    """
    Q, K, V = rng.normal(size=(3, 2, 2))
    V = V / np.linalg.norm(V, 2)
    cloud, way = rng.uniform(-1, 1, size=(12, 2)), rng.normal(size=(12, 2))
    starts = np.stack([cloud + eps * way for eps in (0.0, *amplitudes)])
    q, k = (float(np.linalg.norm(M, 2)) for M in (Q, K))
    squares = float(np.linalg.norm(starts, axis=-1).max() ** 2) * np.expm1(2 * t1) / 2  # int R^2
    bounds = {"softmax": 2 * float(np.linalg.norm(Q.T @ K, 2)), "L2": 2 * k * (2 * q + k)}
    checks = []
    for name, attention in KINDS.items():
        model = tkf.Transformer(tkf.Euclidean(2), attention(1.0), Q=Q, K=K, V=V)
        ends = np.asarray(_line_ends(model, jnp.asarray(starts), None, t1))
        pairs = zip(starts[1:], ends[1:], strict=True)
        growth = [_plane_distance(ends[0], b) / _plane_distance(starts[0], a) for a, b in pairs]
        what, why = f"plane: change of W₂(t)/W₂(0) below ε = {amplitudes[-2]:g}, {name}", "second order in ε"
        checks.append(at_most(what, abs(growth[-1] / growth[-2] - 1), 0, slack=10 * amplitudes[-2], because=why))
        if name in bounds:
            apart = [np.linalg.norm(laws[-1] - laws[0], axis=-1).max() for laws in (starts, ends)]
            by_bound = apart[1] / apart[0] / np.exp(t1 + bounds[name] * squares)
            what = f"plane: W_∞(t)/W_∞(0) by its bound, {name}"
            checks.append(at_most(what, by_bound, 1, because="Gronwall's inequality with a crude constant"))
    return checks


def _plane_distance(x: np.ndarray, y: np.ndarray) -> float:
    """W_2 of two clouds of as many equal masses."""
    costs = np.sum((x[:, None] - y) ** 2, axis=-1)
    rows, columns = linear_sum_assignment(costs)
    return float(np.sqrt(costs[rows, columns].mean()))


def _split(name: str, R: float, t1: float, eps: float) -> float:
    """log x(t)/eps for x' = R tanh(c R x), x(0) = eps, between masses at -R and R, R' = R tanh(c R^2).

    Γ(x) = R tanh(c R x) there, with c = 1 for e^{xy}, also after Sinkhorn's scaling, and c = 2 for e^{-|x - y|^2}. As
    eps tends to 0 this is int c R(t)^2 dt.
    """
    c = 2.0 if name == "L2" else 1.0
    field = lambda _, y: y[0] * np.tanh(c * y[0] * y)  # noqa: E731
    found = solve_ivp(field, (0, t1), [R, eps], rtol=1e-9, atol=1e-12)
    return float(np.log(found.y[1, -1] / eps))


def _distances(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> list[float]:
    """W_1 and W_2 of two laws on a line with the same masses."""
    return [line_wasserstein(a, b, weights, weights, p=p) for p in (1, 2)]


def _draw_stability(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.4)
    eps, data = finding.data["amplitudes"], finding.data
    for (name, found), color, shift in zip(data["growths"].items(), PALETTE, (1.0, 1.0, 1.25), strict=False):
        words = " (moved to the right)" if shift > 1 else ""
        ax.semilogx(shift * eps, found[:, 1], "o", color=color, markersize=5, label=f"{name}, $W_2${words}")
        ax.semilogx(
            shift * eps, found[:, 0], "s", color=color, markersize=5, markerfacecolor="none", label=f"{name}, $W_1$"
        )
    for name, values in data["predicted"].items():
        label = r"$\dot x = R \tanh cRx$, predicted for $W_2$" if name == "softmax" else None
        ax.semilogx(eps, np.exp(values), label=label, **PREDICTED)
    ax.axhline(data["radius"], color=FAINT, label=r"$e^{\int |V|}$, growth of the support")
    ax.set(xlabel=r"size $\varepsilon$ of the difference at the start", ylabel=r"$W_p(t)\,/\,W_p(0)$ at $t = 1/4$")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


# --- sampling -------------------------------------------------------------------------------------------------------


def _sampling(*, seed: int, sizes: tuple[int, ...], draws: int, late: float) -> Finding:
    """Tokens of a uniform law on a line against its density; in the control that of a fifth of the time."""
    rng, t1, most = np.random.default_rng(seed), 1.0, max(sizes)
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0))
    run = tkf.solve(model, MovingDensity.uniform(Moving(1, 64)), t1=late * t1, save="end")
    density = run.final.refined(8)
    nodes, masses = np.asarray(density.points)[:, 0], np.asarray(density.weights)
    errors = []
    for n in sizes:
        x = rng.uniform(-1, 1, size=(draws, most, 1))
        weights = np.where(np.arange(most) < n, 1.0, 1e-30)  # the rest moves but is not felt
        ends = np.asarray(_line_ends(model, jnp.asarray(x), jnp.asarray(weights), t1))[:, :n, 0]
        errors.append(np.mean([line_wasserstein(end, nodes, np.full(n, 1 / n), masses, p=1) for end in ends]))
    slope = float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
    within, why = 0.8 / np.sqrt(draws), "three standard errors of the slope with this number of draws"
    checks = [equals("exponent of n in W₁ to the density", slope, -0.5, within=within, because=why)]
    shown = (np.asarray(run.final.points)[:, 0], np.asarray(run.final.values), ends[0])
    return Finding(checks, {"sizes": np.array(sizes), "errors": np.array(errors), "density": shown})


def _draw_sampling(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    x, values, tokens = finding.data["density"]
    left.hist(tokens, bins=12, density=True, color=PALETTE[1], alpha=0.4, label=f"{len(tokens)} tokens")
    left.plot(x, values, color=PALETTE[0], label="density")
    left.set(xlabel="$x$", ylabel="density at $t = 1$", ylim=(0, None))
    left.legend(loc="lower center")
    sizes, errors = finding.data["sizes"], finding.data["errors"]
    right.loglog(sizes, errors, "o-", color=PALETTE[0], markersize=4, label="$W_1$ of tokens to the density")
    right.loglog(sizes, errors[0] * np.sqrt(sizes[0] / sizes), label="$n^{-1/2}$ through the first", **PREDICTED)
    right.set(xlabel="$n$", ylabel="mean $W_1$ at $t = 1$")
    tick_sizes(right, sizes)
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="cacp25-gaussian-density",
        title="A density that starts as a Gaussian follows the closed law up to its blow-up",
        statement=r"Under softmax attention with $V = I$ the mean field of a Gaussian start is Gaussian, with "
        r"$\Sigma(t) = (\Sigma_0^{-1} - t(A + A^\top))^{-1}$, which blows up when the inverse is first singular.",
        paper="cacp25",
        where="section on Gaussian initial data (that it stays Gaussian); the closed law is derived",
        status="derived",
        assumptions=(r"softmax attention $e^{Ax \cdot y}$, $V = I$", "a density on nodes that move with its mass"),
        experiment=_gaussian,
        draw=_draw_gaussian,
        quick=Setting({"size": 128, "plane": 32, "factor": 1.0}, seconds=5),
        full=Setting({"size": 512, "plane": 48, "factor": 1.0}, seconds=12),
        control=Control({"factor": 0.5}, "with A in place of A + A^T the law blows up twice as late", "vanishes"),
        main="vanishes",
        note=r"A grid holds finitely many standard deviations, and a law of compact support never blows up: the run "
        r"leaves the closed law where $A\Sigma$ passes 1 and tokens attend to tails that are not there. The time is "
        r"that at which $1/\Sigma$, fitted before, vanishes.",
    ),
    Claim(
        id="cacp25-support-radius",
        title="Supports grow at most like the exponential of the integral of the norm of V",
        statement=r"For softmax, L2 and Sinkhorn attention and compactly supported initial data, the radius of the "
        r"support satisfies $R(t) \leq e^{\int_0^t \|V(s)\|_2 ds} R_0$.",
        paper="cacp25",
        where="theorem on well-posedness (also on the authors' poster)",
        status="theorem",
        assumptions=(
            "attention weights that sum to one",
            "random Q, K, V in R^2 with |V| = 1; densities on parallelograms, and on a line",
        ),
        experiment=_support,
        draw=_draw_support,
        quick=Setting({"starts": 2, "nodes": 8, "exponent": 1.0}, seconds=5),
        full=Setting({"starts": 16, "nodes": 16, "exponent": 1.0}, seconds=12),
        control=Control({"exponent": 0.7}, "a smaller exponent is broken by a line", "density on a line"),
        main="density on a line",
    ),
    Claim(
        id="cacp25-stability",
        title="Nearby laws of compact support stay near in W_p, for all three kinds of attention",
        statement=r"For compactly supported initial data $W_p(\mu(t), \nu(t)) \leq C(T, R_0)\, W_p(\mu_0, \nu_0)$, for "
        r"softmax, L2 and Sinkhorn attention in $\mathbb{R}^d$; between masses at $\pm R$ a small difference grows by "
        r"$e^{\int c R^2}$ in $W_2$, with $c = 1$, $2$ and $1$.",
        paper="cacp25",
        where="theorem on well-posedness (also on the authors' poster)",
        status="derived",
        assumptions=(
            r"a line, $Q = K = V = 1$, $R_0$ between 1.3 and 1.7",
            r"for the theorem itself: 12 points in the plane, random $Q, K, V$, $\|V\| = 1$",
        ),
        experiment=_stability,
        draw=_draw_stability,
        quick=Setting({"amplitudes": (1e-1, 1e-2, 1e-3), "law": "split"}, seconds=5),
        full=Setting({"amplitudes": (1e-1, 1e-2, 1e-3, 1e-4), "law": "split"}, seconds=5),
        control=Control({"law": "radius"}, "W_p grows faster than the support: C is more than e^(∫|V|)", "log W₂"),
        main="log W₂(t)/W₂(0), largest over ε, softmax",
        note=r"The theorem has no constant, so that only growth without bound as ε → 0 could contradict it; the growth "
        r"on the line and the constants in the plane are ours. On the line two laws differ by a light point at $0$ or "
        r"at $\varepsilon$ between two heavy ones at $\pm R$, which attention splits, so that $C(T, R_0)$ must grow "
        r"with $R_0$. $W_1$ also sees how little the heavy points are moved by the light one.",
    ),
    Claim(
        id="cacp25-line-sampling",
        title="Tokens on a line approach the density at the rate of sampling",
        statement=r"By stability, $n$ independent tokens of a compactly supported law on $\mathbb{R}$ stay within "
        r"$O(n^{-1/2})$ of the density that solves the continuity equation, in $W_1$.",
        paper="cacp25",
        where="theorem on well-posedness (stability), with the rate of sampling in one dimension",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = V = 1$", "the uniform law on [-1, 1]"),
        experiment=_sampling,
        draw=_draw_sampling,
        quick=Setting({"sizes": (8, 32, 128), "draws": 32, "late": 1.0}, seconds=4),
        full=Setting({"sizes": (16, 64, 256, 1024), "draws": 32, "late": 1.0}, seconds=12),
        control=Control({"late": 0.2}, "the density at a fifth of the time is not what tokens approach", "exponent"),
        main="exponent",
        misses=0.01,
    ),
)
