"""Claims of arXiv 2312.10794 on where tokens end: in a hemisphere, under repulsion, and under random weights."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy import optimize

import tokenfield as tkf
from tokenfield import ensemble, theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, HEAT, INK, MEASURED, PALETTE, PREDICTED, panels
from tokenfield.model import schedule


def _cone_collapse(*, seed: int, n: int, d: int, beta: float, systems: int, t1: float, kind: str) -> Finding:
    times = np.linspace(0, t1, 81)

    def collapse(key: jax.Array) -> jax.Array:
        q_key, k_key, x_key = jax.random.split(key, 3)
        Q, K = jax.random.normal(q_key, (d, d)), jax.random.normal(k_key, (d, d))
        Q = Q / jnp.linalg.norm(Q.T @ K, 2)
        start = tkf.initial.cap(tkf.Sphere(d), n, angle=np.pi / 2, seed=x_key)
        attention = tkf.Softmax(beta) if kind == "softmax" else tkf.Unnormalized(beta)
        model = tkf.Transformer(tkf.Sphere(d), attention, Q=Q, K=K)
        return tkf.solve(model, start, t1=t1, save=times.tolist(), rtol=1e-9, atol=1e-11).saved_points

    x = np.asarray(jax.jit(jax.vmap(collapse))(jax.random.split(jax.random.key(seed), systems)))
    # 1 - <x_i, x*> with x* the direction of the mean at the end, as |x_i - x*|^2 / 2, which keeps its digits
    limit = x[:, -1].mean(axis=1)
    limit /= np.linalg.norm(limit, axis=1, keepdims=True)
    defects = np.sum((x - limit[:, None, None]) ** 2, axis=3).max(axis=2) / 2
    rate, bound = float(theory.consensus_rate(beta)), float(theory.cone_collapse_rate(beta, n))
    slopes, excess = [], []
    for row in defects:
        late = (row < 1e-3) & (row > 1e-9)
        slopes.append(-np.polyfit(times[late], np.log(row[late]), 1)[0] if late.sum() > 2 else 0.0)
        inside = np.flatnonzero(row <= 0.5)
        after = slice(inside[0], None) if len(inside) else slice(0, None)
        excess.append(np.max(np.log(2 * row[after] + 1e-300) + bound * (times[after] - times[after][0])))
    what = "1 - min <x_i, x*>"
    why = "the rate is that of the limit; the fit starts at a defect of 1e-3"
    checks = [
        equals(f"slowest decay rate of {what}, over systems", min(slopes), rate, within=0.02, because=why),
        equals(f"fastest decay rate of {what}, over systems", max(slopes), rate, within=0.02, because=why),
        at_most(f"log of {what} over the bound of the proof", max(excess), 0, slack=1e-9, because="a bound"),
    ]
    return Finding(checks, {"ts": times, "defects": defects, "rate": rate, "bound": bound})


def _draw_cone(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    ts, defects = data["ts"], data["defects"]
    lines = ax.semilogy(ts, np.maximum(defects, 1e-14).T, color=PALETTE[0], linewidth=0.9, alpha=0.7)
    lines[0].set_label("systems with random $Q$, $K$")
    middle = np.exp(np.median(np.log(np.maximum(defects, 1e-14)[:, 40])))
    shown = ts[30:65]
    ax.semilogy(
        shown,
        30 * middle * np.exp(-data["rate"] * (shown - ts[40])),
        label=r"$e^{-2t}$, 30 times the median",
        **PREDICTED,
    )
    start = ts[np.argmax(np.median(defects, axis=0) <= 0.5)]
    late = ts[ts >= start]
    ax.semilogy(late, 0.5 * np.exp(-data["bound"] * (late - start)), ":", color=INK, label="bound of the proof")
    ax.set(xlabel="time $t$ of the flow", ylabel=r"$1 - \min_i \langle x_i, x^*\rangle$")
    ax.legend(loc="lower left")
    return figure


def _is_in_hemisphere(x: np.ndarray) -> bool:
    """Whether some w has <w, x_i> >= 1 for all tokens, by linear programming."""
    n, d = x.shape
    return optimize.linprog(np.zeros(d), A_ub=-x, b_ub=-np.ones(n), bounds=(None, None)).status == 0


def _wendel(*, seed: int, n: int, dims: Sequence[int], draws: int, shift: int) -> Finding:
    rng = np.random.default_rng(seed)
    checks, rows = [], []
    for d in dims:
        found = np.mean([_is_in_hemisphere(rng.normal(size=(n, d))) for _ in range(draws)])
        predicted = float(theory.common_hemisphere(n, d + shift))
        error = np.sqrt(predicted * (1 - predicted) / draws)
        what = f"d = {d}: fraction of {draws} draws in one hemisphere"
        checks.append(equals(what, found, predicted, within=3 * error, because="three standard errors"))
        rows.append((d, found, error))
    every = np.arange(2, n + 1)
    curve = np.array([float(theory.common_hemisphere(n, d + shift)) for d in every])
    return Finding(checks, {"rows": np.array(rows), "dims": every, "curve": curve, "n": n})


def _draw_wendel(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    d, found, error = data["rows"].T
    ax.plot(data["dims"], data["curve"], label="Wendel's formula", **PREDICTED)
    ax.errorbar(d, found, 2 * error, fmt="o", markersize=4.5, capsize=2, label="measured, 2 s.e.", **MEASURED)
    ax.axvline(data["n"] / 2, color=FAINT, linewidth=0.8, zorder=0)
    ax.set(xlabel="dimension $d$", ylabel=f"P({data['n']} tokens in one hemisphere)")
    ax.legend(loc="upper left")
    return figure


SHARP = {
    "tetrahedron": (4, 3, [-1 / 3]),
    "octahedron": (6, 3, [0.0, -1.0]),
    "icosahedron": (12, 3, [1 / np.sqrt(5), -1 / np.sqrt(5), -1.0]),
    "simplex in R^4": (5, 4, [-1 / 4]),
    "cross polytope in R^4": (8, 4, [0.0, -1.0]),
}


def _sharp(*, seed: int, shapes: Sequence[str], beta: float, simplex: int) -> Finding:
    checks, data = [], {}
    for name in shapes:
        n, d, cosines = SHARP[name]
        if len(cosines) == 1:  # a simplex, -1/(n - 1); -1/n in the control
            cosines = [-1 / (n - simplex)]
        start = tkf.initial.uniform(tkf.Sphere(d), n, seed=seed)
        model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta), V=-np.eye(d))
        run = tkf.solve(model, start, t1=400.0, save="end", progress=False)
        x = np.asarray(run.final.points)
        found = (x @ x.T)[~np.eye(n, dtype=bool)]
        error = np.max(np.min(np.abs(found[:, None] - np.asarray(cosines)), axis=1))
        what = f"{name}: largest distance of a cosine to {_listed(cosines)}"
        checks.append(at_most(what, error, 1e-3, because="at rest up to the solver's tolerance"))
        data[name] = {"found": np.sort(found), "cosines": cosines}
    return Finding(checks, data)


def _listed(cosines: Sequence[float]) -> str:
    return "{" + ", ".join(f"{c:.3g}" for c in sorted(cosines)) + "}"


def _draw_sharp(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.2)
    for row, d in enumerate(finding.data.values()):
        for c in d["cosines"]:
            ax.plot([c, c], [row - 0.35, row + 0.35], **PREDICTED)
        ax.plot(d["found"], np.full(len(d["found"]), row), "o", markersize=4.5, alpha=0.5, **MEASURED)
    ax.plot([], [], "o", markersize=4.5, label="repulsive tokens at rest", **MEASURED)
    ax.plot([], [], label="sharp configuration", **PREDICTED)
    ax.set_yticks(range(len(finding.data)), list(finding.data))
    ax.set(xlabel=r"cosines $\langle x_i, x_j\rangle$", xlim=(-1.1, 1.05), ylim=(len(finding.data) - 0.4, -0.6))
    figure.legend(loc="outside upper center", ncols=2)
    return figure


# --- figure 5: random weights ---------------------------------------------------------------------------------------

PANELS = {
    "a": "Ginibre $Q^T K$, Ginibre $V$",
    "b": "Wigner $Q^T K$, $V = GG^T$",
    "c": "Ginibre $Q^T K$, $V \\sim Q^T K$",
    "d": "Wigner $Q^T K$, $V \\sim Q^T K$",
}


def _weights_of(panel: str, key: jax.Array, d: int) -> tuple[jax.Array, jax.Array]:
    """Q^T K and V of one system, with entries of variance 1 and 1/d (b: V = G G^T/sqrt(d))."""
    first, second = jax.random.split(key)
    B = (schedule.ginibre_product if panel in "ac" else schedule.wigner)(first, d)
    if panel == "a":
        return B, schedule.ginibre(second, d) / jnp.sqrt(d)
    return B, schedule.gram(second, d) if panel == "b" else B / jnp.sqrt(d)


def _random_weights(
    *, seed: int, n: int, d: int, betas: Sequence[float], systems: int, saves: int, sign: float
) -> Finding:
    times = np.linspace(0, 30, saves)
    x_keys, w_keys = jax.random.split(jax.random.key(seed), (2, systems))
    drawn = [jax.vmap(lambda key, panel=panel: _weights_of(panel, key, d))(w_keys) for panel in PANELS]
    Bs, Vs = (jnp.stack(matrices) for matrices in zip(*drawn, strict=True))  # (panels, systems, d, d)
    save = tkf.Save(times=times.tolist(), tokens=False, observables={"pairs": _pairs_of})

    def one(beta: jax.Array, B: jax.Array, V: jax.Array, key: jax.Array) -> jax.Array:
        model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta), Q=B, V=sign * V)
        start = tkf.Measure(tkf.Sphere(d).uniform_points(n, seed=key))
        run = tkf.solve(model, start, t1=30.0, method="euler-normalise", step=ensemble.STEP, save=save)
        return run.observables["pairs"]

    over_systems = jax.vmap(one, in_axes=(None, 0, 0, 0))
    over_betas = jax.jit(jax.vmap(over_systems, in_axes=(0, None, None, None)))
    P = np.stack([over_betas(jnp.asarray(betas), B, V, x_keys) for B, V in zip(Bs, Vs, strict=True)])
    mean, error = P.mean(axis=2), P.std(axis=2) / np.sqrt(systems)  # (panels, betas, times)
    checks = []
    for k, panel in enumerate(PANELS):
        end, high = f"({panel}), β = {betas[0]:g}, t = 30: P", f"({panel}), β = {betas[-1]:g}, t = 30: P"
        checks.append(at_least(end, mean[k, 0, -1], 0.95, because="all tokens together but for rare systems"))
        found, spread = mean[k, -1, -1], error[k, -1, -1]
        if panel in "ab":
            checks.append(at_least(high, found, 0.5, because="most tokens together", error=spread))
        else:
            checks.append(at_most(high, found, 0.6, because="several clusters persist", error=spread))
    return Finding(checks, {"times": times, "betas": list(betas), "P": mean, "n": n, "d": d})


def _pairs_of(mu: tkf.Measure) -> jax.Array:
    x = mu.points / jnp.linalg.norm(mu.points, axis=1, keepdims=True)
    return (jnp.sum(x @ x.T > 0.999) - mu.n) / (mu.n * (mu.n - 1))


def _draw_random_weights(finding: Finding) -> Figure:
    data = finding.data
    figure, axes = panels(4, width=9.4, height=2.5, sharey=True)
    for ax, P, (panel, label) in zip(axes, data["P"], PANELS.items(), strict=True):
        options = {"cmap": HEAT, "vmin": 0, "vmax": 1, "shading": "nearest", "rasterized": True}
        mesh = ax.pcolormesh(data["times"], data["betas"], P, **options)
        ax.set(xlabel="time $t$ of the flow", xlim=(0, 30))
        ax.set_title(f"({panel}) {label}", fontsize=9)
    axes[0].set_ylabel(r"$\beta$")
    figure.colorbar(mesh, ax=list(axes), label="fraction of pairs together", pad=0.01)
    return figure


CLAIMS = (
    Claim(
        id="glpr25-cone-collapse",
        title="Tokens in a hemisphere collapse to one point exponentially fast, for any Q and K",
        statement=r"If all tokens start in an open hemisphere and $V = I$, they converge to one point $x^*$ "
        r"exponentially fast for arbitrary $Q$, $K$: $1 - \min_i\langle x_i, x^*\rangle \leq \tfrac12 "
        r"e^{-(t-t_0)/(2n e^{2\beta})}$ once it is below $\tfrac12$. At the end the rate is 2.",
        paper="glpr25",
        where="cone collapse",
        status="theorem",
        main="slowest decay rate",
        assumptions=(r"$V = I$, SA, $|Q^\top K| \leq 1$", "all tokens in an open hemisphere"),
        experiment=_cone_collapse,
        draw=_draw_cone,
        quick=Setting({"n": 16, "d": 8, "beta": 1.0, "systems": 8, "t1": 16.0, "kind": "softmax"}, seconds=5),
        full=Setting({"n": 32, "d": 16, "beta": 1.0, "systems": 64, "t1": 16.0, "kind": "softmax"}, seconds=10),
        control=Control({"kind": "unnormalized"}, "unnormalized attention has other rates at the end", "decay rate"),
        note=r"The constant of the proof is far from sharp: linearized at consensus the rate is 2 for all $Q$, $K$.",
    ),
    Claim(
        id="glpr25-wendel",
        title="How likely it is that random tokens share a hemisphere",
        statement=r"$n$ independent uniform tokens on $S^{d-1}$ lie in one hemisphere, and thus collapse, with "
        r"probability $2^{-(n-1)}\sum_{k=0}^{d-1}\binom{n-1}{k}$ (Wendel): one for $d \geq n$, one half for $n = 2d$.",
        paper="glpr25",
        where="cone collapse (Wendel's theorem)",
        status="theorem",
        assumptions=("tokens independent and uniform",),
        experiment=_wendel,
        draw=_draw_wendel,
        quick=Setting({"n": 32, "dims": [12, 16, 20], "draws": 400, "shift": 0}, seconds=2),
        full=Setting({"n": 32, "dims": [8, 12, 14, 16, 18, 20, 24, 32], "draws": 2000, "shift": 0}, seconds=31),
        control=Control({"shift": -1}, "the dimension d - 1 of the sphere in place of d", "d = 16"),
        main="d = 16",
        misses=0.01,
    ),
    Claim(
        id="glpr25-sharp-configurations",
        title="Repulsive tokens settle in the sharp configurations",
        statement=r"With $V = -I$ tokens descend $E$. Where a sharp configuration of $n$ points of $S^{d-1}$ exists "
        r"(simplex, octahedron, icosahedron) it minimizes $E$ for every $\beta > 0$: cosines $-\tfrac13$ for "
        r"$(n, d) = (4, 3)$, $\{0, -1\}$ for $(6, 3)$, $\{\pm\tfrac{1}{\sqrt5}, -1\}$ for $(12, 3)$, "
        r"$-\tfrac14$ for $(5, 4)$.",
        paper="glpr25",
        where="section on repulsion (Cohn and Kumar)",
        status="theorem",
        assumptions=(r"$Q = K = I$, $V = -I$",),
        experiment=_sharp,
        draw=_draw_sharp,
        quick=Setting({"shapes": ["tetrahedron", "octahedron"], "beta": 4.0, "simplex": 1}, seconds=2),
        full=Setting({"shapes": list(SHARP), "beta": 4.0, "simplex": 1}, seconds=17),
        control=Control({"simplex": 0}, "the cosine -1/n in place of -1/(n - 1)", "tetrahedron"),
        main="octahedron",
        note=r"The theorem is about the minimizer; here random starts at $\beta = 4$ are seen to reach it.",
    ),
    Claim(
        id="glpr25-random-weights",
        title="Tokens cluster under random weights too",
        statement=r"With random $Q^\top K$ and $V$, drawn anew for each system, all tokens cluster for small $\beta$. "
        r"For large $\beta$ most still do if $V$ is independent of $Q^\top K$, (a) Ginibre or (b) $GG^\top/\sqrt{d}$; "
        r"with $V = Q^\top K/\sqrt{d}$, (c) Ginibre or (d) Wigner, several clusters persist until $t = 30$.",
        paper="glpr25",
        where="figure 5, which has no numbers: compared with runs of ours",
        status="regression",
        main="(b), β = 9",
        assumptions=("softmax attention", "tokens start independent and uniform", "weights constant in depth"),
        experiment=_random_weights,
        draw=_draw_random_weights,
        quick=Setting(
            {
                "n": 16,
                "d": 32,
                "betas": [0.1, *(float(b) for b in range(1, 10))],
                "systems": 8,
                "saves": 31,
                "sign": 1.0,
            },
            seconds=4,
        ),
        full=Setting(
            {
                "n": 32,
                "d": 128,
                "betas": [0.1, 0.5, *(float(b) for b in range(1, 10))],
                "systems": 24,
                "saves": 61,
                "sign": 1.0,
            },
            seconds=83,
        ),
        control=Control({"sign": -1.0}, "with -V in place of V the panels behave differently, (b) and (d) most", "(b)"),
        note="The published pictures have no printed numbers: which panels cluster, and the bounds 0.5 and 0.6, were "
        "read off our own runs, so this records their behavior rather than tests a prediction. The published code "
        "has no Ginibre V, so (a) is our reading of the caption, and it divides V by the root of d + 1 in (d).",
    ),
)
