"""Claims of "A mathematical perspective on Transformers" (arXiv 2312.10794): symmetries, energy, equiangular tokens.

Softmax attention (SA) and unnormalized attention (USA) with Q = K = V = I on the sphere. What tokens do in a hemisphere
or under repulsion is in `perspective_geometry`, the phase diagrams are in `phase_diagrams`.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from numpy.polynomial import chebyshev
from scipy import integrate

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, panels
from tokenfield.theory.equiangular import speed

KINDS = {"SA": tkf.Softmax, "USA": tkf.Unnormalized}
SCHEMES = {"SA": "softmax", "USA": "unnormalized"}
TIGHT = "solved with rtol 1e-10; the integral is spectrally accurate"
COLORS = {"SA": PALETTE[0], "USA": PALETTE[1]}


# --- symmetries -----------------------------------------------------------------------------------------------------


def _equivariance(*, seed: int, n: int, d: int, beta: float, t1: float, causal: bool) -> Finding:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    start = np.asarray(tkf.initial.uniform(tkf.Sphere(d), n, seed=seed).points)
    starts = {"plain": start, "permuted": start[order], "rotated": start @ turn.T}
    differences: dict[str, np.ndarray] = {}
    norms, ts = [], np.empty(0)
    for kind, attention in KINDS.items():
        model = tkf.Transformer(tkf.Sphere(d), attention(beta), position=tkf.Causal() if causal else None)
        # steps of fixed length: an adaptive step would measure its error in coordinates, which a rotation changes
        runs = {
            name: tkf.solve(model, x, t1=t1, method="rk4", step=0.05, save=51, progress=False)
            for name, x in starts.items()
        }
        x, permuted, rotated = (np.asarray(run.saved_points) for run in runs.values())
        differences[f"{kind}, permuted"] = np.abs(permuted - x[:, order]).max(axis=(1, 2))
        differences[f"{kind}, rotated"] = np.abs(rotated - x @ turn.T).max(axis=(1, 2))
        norms.append(np.abs(np.linalg.norm(x, axis=2) - 1).max())
        ts = np.asarray(runs["plain"].ts)
        if kind == "SA":
            paths = {"plain": x[:, :8, 0], "turned back": (rotated @ turn)[:, :8, 0]}
    why = "rounding, a few hundred steps"
    checks = [
        at_most(f"largest difference of coordinates, {name}", error.max(), 1e-12, because=why)
        for name, error in differences.items()
    ]
    checks.append(at_most("largest distance of a norm |x_i| from 1", max(norms), 1e-12, because=why))
    return Finding(checks, {"ts": ts, "differences": differences, "paths": paths})


def _draw_equivariance(finding: Finding) -> Figure:
    figure, (left, ax) = panels(2, width=8.0)
    paths = finding.data["paths"]
    left.plot(finding.data["ts"], paths["plain"], color=COLORS["SA"], linewidth=1.6, alpha=0.6)
    left.plot(finding.data["ts"], paths["turned back"], **PREDICTED)
    left.plot([], [], color=COLORS["SA"], label="tokens, SA")
    left.plot([], [], label="rotated, and turned back", **PREDICTED)
    left.set(xlabel="time $t$ of the flow", ylabel="first coordinate of 8 tokens", ylim=(-1, 1.45))
    left.legend(loc="upper right", fontsize=8)
    styles = {"permuted": "-", "rotated": "--"}
    for name, error in finding.data["differences"].items():
        kind, change = name.split(", ")
        shown = np.maximum(error, 1e-17)  # exact zeros too
        ax.semilogy(finding.data["ts"], shown, styles[change], color=COLORS[kind], label=name)
    ax.axhline(1e-12, label="tolerance", **PREDICTED)
    ax.set(xlabel="time $t$ of the flow", ylabel="largest difference of coordinates", ylim=(5e-18, 1e-10))
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right center")
    return figure


# --- energy ---------------------------------------------------------------------------------------------------------


@jax.jit
def _squared_speeds(model: tkf.Transformer, points: jax.Array) -> jax.Array:
    """|X(x_i)|^2 of every token at every saved time, (T, n)."""
    return jax.vmap(lambda x: jnp.sum(model.velocity(0.0, x, tkf.Measure(x)) ** 2, axis=1))(points)


def _dissipation(*, seed: int, n: int, d: int, beta: float, nodes: int, sign: float, metric: str) -> Finding:
    start = tkf.initial.uniform(tkf.Sphere(d), n, seed=seed)
    s = np.cos(np.pi * np.arange(nodes)[::-1] / (nodes - 1))  # Chebyshev nodes: smooth functions integrate to rounding
    checks, data = [], {}
    for kind, attention in KINDS.items():
        t1 = 6.0 if kind == "SA" else 12.0 / np.exp(beta)  # USA is about e^beta times as fast
        model = tkf.Transformer(tkf.Sphere(d), attention(beta), V=sign * np.eye(d))
        ts = (s + 1) / 2 * t1
        run = tkf.solve(model, start, t1=t1, save=ts[1:-1].tolist(), rtol=1e-10, atol=1e-12, progress=False)
        x = np.concatenate([start.points[None], run.saved_points, run.final.points[None]])
        kernel = np.exp(beta * np.einsum("tid,tjd->tij", x, x))
        energies = kernel.mean(axis=(1, 2)) / (2 * beta)
        speeds = np.asarray(_squared_speeds(model, jnp.asarray(x)))
        has_z = (kind == "SA") == (metric == "own")
        rate = (speeds * (kernel.mean(axis=2) if has_z else 1.0)).mean(axis=1)
        risen = np.cumsum(np.diff(energies, prepend=energies[0]))
        predicted = t1 / 2 * chebyshev.chebval(s, chebyshev.chebint(chebyshev.chebfit(s, rate, nodes - 1), lbnd=-1))
        error = np.abs(risen - predicted).max() / abs(risen[-1])
        what = "int |X|² Z dμ" if kind == "SA" else "int |X|² dμ"
        checks += [
            at_least(f"{kind}: smallest rise of E between saved times", np.diff(energies).min(), 0, because="exact"),
            at_most(f"{kind}: E(t) - E(0) against its integral of {what}, relative", error, 1e-6, because=TIGHT),
        ]
        data[kind] = {"ts": ts, "risen": risen, "predicted": predicted}
    return Finding(checks, data)


def _draw_dissipation(finding: Finding) -> Figure:
    figure, axes = panels(2)
    for ax, (kind, d) in zip(axes, finding.data.items(), strict=True):
        ax.plot(d["ts"], d["risen"], color=COLORS[kind], linewidth=2.2, label="$E(t) - E(0)$")
        integrand = r"\int |X|^2 Z\, d\mu" if kind == "SA" else r"\int |X|^2 d\mu"
        ax.plot(d["ts"], d["predicted"], label=rf"$\int_0^t\,{integrand}\, ds$", **PREDICTED)
        ax.set(xlabel="time $t$ of the flow", ylabel="rise of the energy", title=kind)
        ax.legend(loc="lower right")
    return figure


def _ascent(*, seed: int, n: int, d: int, beta: float, t1: float, sign: float) -> Finding:
    start = tkf.initial.cap(tkf.Sphere(d), n, seed=seed)  # a hemisphere: from there the energy can go either way
    data = {}
    for name, s in (("attraction", sign), ("repulsion", -sign)):
        model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta), V=s * np.eye(d))
        run = tkf.solve(model, start, t1=t1, save=61, rtol=1e-9, progress=False)
        data[name] = run.energy(normalized=True)
        data["ts"] = np.asarray(run.ts)
    up, down = data["attraction"], data["repulsion"]
    # (1/2) int e^{beta (s - 1)} ds over [-1, 1]: the cosine of two uniform tokens of S^2 is uniform
    data["uniform"] = uniform = -np.expm1(-2 * beta) / (2 * beta)
    solver = "the solver's tolerance"
    checks = [
        at_least("smallest step of E, V = I", np.diff(up).min(), 0, slack=1e-9, because=solver),
        equals("E at the end over that of a Dirac, V = I", up[-1], 1, within=1e-6, because="tokens within e^(-t1)"),
        at_least("rise of E with V = I (a descent would have ≤ 0)", up[-1] - up[0], 0.1, because="far from rounding"),
        at_most("largest step of E, V = -I", np.diff(down).max(), 0, slack=1e-9, because=solver),
        at_least("E at the end, V = -I, over that of the uniform law", down[-1] / uniform, 1, because="exact"),
    ]
    return Finding(checks, data)


def _draw_ascent(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    ax.plot(data["ts"], data["attraction"], color=PALETTE[0], label="$V = I$")
    ax.plot(data["ts"], data["repulsion"], color=PALETTE[1], label="$V = -I$")
    ax.axhline(1, label="Dirac, uniform law", **PREDICTED)
    ax.axhline(data["uniform"], **PREDICTED)
    ax.set(xlabel="time $t$ of the flow", ylabel=r"energy $2\beta e^{-\beta} E$", ylim=(0, 1.08))
    ax.legend(loc="center right")
    return figure


# --- equiangular tokens ---------------------------------------------------------------------------------------------


def _frame(n: int, seed: int) -> np.ndarray:
    """A random orthonormal frame of R^n, as tokens."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]


def _curve(*, seed: int, n: int, betas: Sequence[float], off: float) -> Finding:
    is_pair = ~np.eye(n, dtype=bool)
    checks, data = [], {}
    for kind, attention in KINDS.items():
        for beta in betas:
            t1 = 10.0 if kind == "SA" else 3.0
            model = tkf.Transformer(tkf.Sphere(n), attention(beta))
            run = tkf.solve(model, _frame(n, seed), t1=t1, save=41, rtol=1e-10, atol=1e-12, progress=False)
            x, ts = np.asarray(run.saved_points), np.asarray(run.ts)
            cosines = np.einsum("tid,tjd->tij", x, x)[:, is_pair]
            gamma = theory.equiangular_curve(ts, beta + off, n, scheme=SCHEMES[kind]).value
            error = np.abs(cosines - gamma[:, None]).max()
            why = "solved with rtol 1e-10; consensus attracts, so errors do not grow"
            checks.append(at_most(f"{kind}, β = {beta:g}: largest |<x_i, x_j> - γ(t)|", error, 1e-8, because=why))
            fine = np.linspace(0, t1, 201)
            curve = theory.equiangular_curve(fine, beta + off, n, scheme=SCHEMES[kind]).value
            data[f"{kind} {beta:g}"] = {"ts": ts, "cosines": cosines[:, :6], "fine": fine, "curve": curve}
    return Finding(checks, data)


def _draw_curve(finding: Finding) -> Figure:
    figure, axes = panels(2, sharey=True)
    for ax, kind in zip(axes, KINDS, strict=True):
        cases = [(name.split()[1], d) for name, d in finding.data.items() if name.split()[0] == kind]
        for color, (beta, d) in zip(PALETTE, cases, strict=False):
            lines = ax.plot(d["ts"], d["cosines"], "o", color=color, markersize=3)
            lines[0].set_label(rf"$\beta = {beta}$")
            ax.plot(d["fine"], d["curve"], **PREDICTED)
        ax.set(xlabel="time $t$ of the flow", title=kind)
    axes[-1].plot([], [], label=r"$\gamma(t)$", **PREDICTED)
    axes[-1].legend(loc="lower right")
    axes[0].set_ylabel(r"cosines $\langle x_i, x_j\rangle$")
    return figure


def _circulating_speed(gamma: float, beta: float, n: int) -> float:
    """What a public module by others has as the right-hand side for Post-LN."""
    other = 1 / (np.exp(beta * (1 - gamma)) + n - 1)
    return (n - 1) * other * (1 - gamma) * (1 + gamma) / (1 + (2 * n - 3) * gamma)


def _predicted_time(kind: str, beta: float, n: int, formula: str) -> float:
    if formula == "corrected":
        return float(theory.equiangular_time(beta, n, level=0.999, scheme=SCHEMES[kind]))
    return float(integrate.quad(lambda g: 1 / _circulating_speed(g, beta, n), 0, 0.999, limit=200)[0])


def _hitting_times(
    *, seed: int, sizes: Sequence[int], sa_betas: Sequence[float], usa_betas: Sequence[float], formula: str
) -> Finding:
    checks, data = [], []
    for n in sizes:
        for kind, betas in (("SA", sa_betas), ("USA", usa_betas)):
            for beta in betas:
                model = tkf.Transformer(tkf.Sphere(n), KINDS[kind](beta))
                level = tkf.events.CosineLevel(0.999)
                run = tkf.solve(model, _frame(n, seed), t1=400.0, save="end", events=level, progress=False)
                t = float(run.result.t) if run.result.name == "cosine-level" else np.nan
                predicted = _predicted_time(kind, beta, n, formula)
                what = f"{kind}, n = {n}, β = {beta:g}: time at which the cosines reach 0.999"
                checks.append(equals(what, t, predicted, within=1e-3, because="the tables have three decimals"))
                data.append((kind, n, beta, t))
    fine = np.linspace(0, 9, 46)
    curves = {(kind, n): [_predicted_time(kind, beta, n, formula) for beta in fine] for kind in KINDS for n in sizes}
    return Finding(checks, {"table": data, "fine": fine, "curves": curves})


def _draw_hitting_times(finding: Finding) -> Figure:
    figure, ax = panels(1)
    table = finding.data["table"]
    groups = sorted({(kind, n) for kind, n, *_ in table})
    for color, (kind, n) in zip(PALETTE, groups, strict=False):
        betas, measured = np.array([row[2:4] for row in table if row[:2] == (kind, n)]).T
        ax.semilogy(betas, measured, "o", color=color, markersize=4.5, label=f"{kind}, $n = {n}$")
        ax.semilogy(finding.data["fine"], finding.data["curves"][kind, n], **PREDICTED)
    ax.plot([], [], label="equiangular equation", **PREDICTED)
    ax.set(xlabel=r"$\beta$", ylabel=r"time until $\langle x_i, x_j\rangle = 0.999$")
    ax.legend(loc="upper left")
    return figure


def _equiangular_speed(*, seed: int, n: int, beta: float, formula: str) -> Finding:
    model = tkf.Transformer(tkf.Sphere(n), tkf.Softmax(beta))
    gammas = np.linspace(0.0, 0.95, 20)
    turn = _frame(n, seed)
    grams = (1 - gammas)[:, None, None] * np.eye(n) + gammas[:, None, None]
    x = jnp.asarray(np.linalg.cholesky(grams) @ turn)
    X = np.asarray(jax.vmap(lambda y: model.velocity(0.0, y, tkf.Measure(y)))(x))
    measured = np.einsum("gd,gd->g", X[:, 0], x[:, 1]) + np.einsum("gd,gd->g", X[:, 1], x[:, 0])
    exact = speed(gammas, beta, n)[0]
    circulating = np.array([_circulating_speed(g, beta, n) for g in gammas])
    predicted = exact if formula == "corrected" else circulating
    gap = np.abs(measured - circulating)
    k = int(np.argmin(np.abs(gammas - 0.5)))
    checks = [
        at_most("largest |γ' of particles - predicted|", np.abs(measured - predicted).max(), 1e-12, because="rounding"),
        equals("γ' of particles at γ = 0.5", measured[k], predicted[k], within=1e-12, because="rounding"),
        at_least("distance of both formulas where γ is one half", gap[k], 0.3, because="0.47, not 0.06"),
    ]
    return Finding(checks, {"gammas": gammas, "measured": measured, "exact": exact, "circulating": circulating})


def _draw_speed(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    ax.plot(data["gammas"], data["measured"], "o", markersize=4, label="particles", **MEASURED)
    ax.plot(data["gammas"], data["exact"], label="exact", **PREDICTED)
    ax.plot(data["gammas"], data["circulating"], color=PALETTE[1], label="module by others")
    ax.set(xlabel=r"$\gamma$", ylabel=r"$\dot\gamma$")
    ax.legend(loc="center")
    return figure


IDENTITY = r"$Q = K = V = I$"
ODE = (
    r"SA: $\dot\gamma = \frac{2 e^{\beta\gamma}(1-\gamma)((n-1)\gamma+1)}{e^{\beta}+(n-1)e^{\beta\gamma}}$, "
    r"USA: $\dot\gamma = \frac{2}{n} e^{\beta\gamma}(1-\gamma)((n-1)\gamma+1)$"
)
CLAIMS = (
    Claim(
        id="glpr25-equivariance",
        title="Permuted or rotated tokens have permuted or rotated trajectories",
        statement=r"For SA and USA with $Q = K = V = I$ the flow commutes with every permutation $\sigma$ of tokens "
        r"and every rotation $R$ of the sphere: tokens that start at $R x_{\sigma(i)}(0)$ are at $R x_{\sigma(i)}(t)$ "
        r"later. They stay on the sphere, $|x_i(t)| = 1$.",
        paper="glpr25",
        where="the models (SA) and (USA)",
        status="property",
        main="SA, permuted",
        assumptions=(IDENTITY,),
        experiment=_equivariance,
        draw=_draw_equivariance,
        quick=Setting({"n": 16, "d": 3, "beta": 2.0, "t1": 5.0, "causal": False}, seconds=3),
        full=Setting({"n": 64, "d": 3, "beta": 2.0, "t1": 15.0, "causal": False}, seconds=5),
        control=Control({"causal": True}, "tokens that see only earlier tokens are not exchangeable", "permuted"),
        note="It follows from the definition; tested is that the implementation has it.",
    ),
    Claim(
        id="glpr25-energy-dissipation",
        title="Attention climbs the interaction energy, in two metrics",
        statement=r"With $E[\mu] = \frac{1}{2\beta}\int\int e^{\beta\langle x, y\rangle} d\mu\, d\mu$, USA has "
        r"$\dot E = \int |X|^2 d\mu$ and SA has $\dot E = \int |X|^2 Z\, d\mu$ with "
        r"$Z(x) = \int e^{\beta\langle x, y\rangle} d\mu(y)$: the energy never decreases.",
        paper="glpr25",
        where="section 3",
        status="theorem",
        assumptions=(IDENTITY,),
        experiment=_dissipation,
        draw=_draw_dissipation,
        quick=Setting({"n": 16, "d": 3, "beta": 2.0, "nodes": 41, "sign": 1.0, "metric": "own"}, seconds=4),
        full=Setting({"n": 64, "d": 3, "beta": 2.0, "nodes": 65, "sign": 1.0, "metric": "own"}, seconds=7),
        control=Control(
            {"metric": "swapped"}, "the weight Z belongs to SA only: each identity fails for the other", "its integral"
        ),
        main="SA: E(t) - E(0)",
    ),
    Claim(
        id="glpr25-energy-ascent",
        title="With V = I the energy is climbed, as the paper has it",
        statement=r"With $V = I$ the flow ascends $E$ to its maximum, a Dirac, where $2\beta e^{-\beta}E = 1$; with "
        r"$V = -I$ it descends, and the minimizer is the uniform law.",
        paper="glpr25",
        where="section 3, which is right; a page of notes without author or title has the sign reversed",
        status="secondary source",
        assumptions=(r"SA, $Q = K = I$, $V = \pm I$",),
        experiment=_ascent,
        draw=_draw_ascent,
        quick=Setting({"n": 32, "d": 3, "beta": 2.0, "t1": 15.0, "sign": 1.0}, seconds=4),
        full=Setting({"n": 128, "d": 3, "beta": 2.0, "t1": 15.0, "sign": 1.0}, seconds=8),
        control=Control({"sign": -1.0}, "with the sign of V exchanged the energy goes the other way", "V = I"),
        main="over that of a Dirac",
        note="The notes, a page without author, title or date, have the flow with $V = I$ beside "
        r"$F = \frac12 \sum_{i,j} e^{-\frac\beta2 |x_i - x_j|^2}$ and the words 'it is a gradient flow of the "
        "repulsive interaction energy', by which tokens end in 'a layout that maximizes geometric spacing'. That is "
        "the case V = -I; with V = I the flow climbs this energy, as the paper says. Notes are no publication, and "
        "nothing is said here of who taught or took them. The sign is what is claimed, so the control reverses it.",
    ),
    Claim(
        id="glpr25-equiangular-curve",
        title="Orthogonal tokens keep one common cosine, which solves a scalar equation",
        statement=rf"From an orthonormal frame all cosines stay equal to $\gamma(t)$ with $\gamma(0) = 0$ and {ODE}.",
        paper="glpr25",
        where="section 6",
        status="theorem",
        main="SA, β = 4",
        assumptions=(IDENTITY, r"$x_i(0)$ orthonormal"),
        experiment=_curve,
        draw=_draw_curve,
        quick=Setting({"n": 8, "betas": [1.0, 4.0], "off": 0.0}, seconds=4),
        full=Setting({"n": 32, "betas": [0.1, 1.0, 4.0, 6.0], "off": 0.0}, seconds=6),
        control=Control({"off": 0.01}, "the curve of a β that is off by 0.01", "largest"),
    ),
    Claim(
        id="glpr25-hitting-times",
        title="The times at which orthogonal tokens reach the cosine 0.999",
        statement=r"Tokens from an orthonormal frame reach $\langle x_i, x_j\rangle = 1 - 10^{-3}$ at the time "
        r"$\int_0^{1-\delta} d\gamma/\dot\gamma$ of the equiangular equation; for $n = 32$ that is 5.27 at "
        r"$\beta = 1$, 6.95 at $\beta = 4$ and 178.7 at $\beta = 9$ (SA), the curve $\Gamma$ of the phase diagrams.",
        paper="glpr25",
        where="section 6, the curve in figure 3",
        status="theorem",
        main="SA, n = 32, β = 4",
        assumptions=(IDENTITY, r"$x_i(0)$ orthonormal"),
        experiment=_hitting_times,
        draw=_draw_hitting_times,
        quick=Setting(
            {"sizes": [32], "sa_betas": [0, 1, 4, 7, 9], "usa_betas": [1, 4], "formula": "corrected"}, seconds=3
        ),
        full=Setting(
            {
                "sizes": [32, 128],
                "sa_betas": [0, 0.1, 1, 2, 3, 4, 5, 6, 7, 8, 9],
                "usa_betas": [1, 2, 4, 9],
                "formula": "corrected",
            },
            seconds=29,
        ),
        control=Control(
            {"formula": "printed"},
            "the times of another right-hand side, which others print for Post-LN",
            "SA, n = 32, β = 4",
        ),
    ),
    Claim(
        id="glpr25-equiangular-speed",
        title="The equiangular speed of Post-LN is the paper's",
        statement=rf"The common cosine of equiangular tokens changes at the rate {ODE}. The right-hand side "
        r"$\frac{(n-1)\alpha(1-\gamma^2)}{1+(2n-3)\gamma}$ with $\alpha = (e^{\beta(1-\gamma)} + n - 1)^{-1}$, which a "
        r"public module by others has for Post-LN, gives 0.0606 at $n = 10$, $\beta = 2$, $\gamma = 0.5$; tokens move "
        r"at 0.4694.",
        paper="glpr25",
        where="section 6, which is right; a public module on the survey arXiv 2512.01868v3, by others, differs",
        status="secondary source",
        assumptions=(IDENTITY, "Post-LN is SA on the sphere"),
        experiment=_equiangular_speed,
        draw=_draw_speed,
        quick=Setting({"n": 10, "beta": 2.0, "formula": "corrected"}, seconds=1),
        full=Setting({"n": 10, "beta": 2.0, "formula": "corrected"}, seconds=2),
        control=Control({"formula": "printed"}, "particles do not follow the module's formula", "γ = 0.5"),
        main="γ' of particles at γ = 0.5",
        note="The paper's equation is right. The other formula is in `equiangular_ode_rhs` (`post_ln`) of a Python "
        "module titled 'Mean-Field Transformer Dynamics Utilities', written by others for notebooks on the survey "
        "arXiv 2512.01868v3, and marked there as 'equation 24 in paper, adapted'. The copy that we read, in an index "
        "of public code, names neither repository nor commit; the module may have changed since.",
    ),
)
