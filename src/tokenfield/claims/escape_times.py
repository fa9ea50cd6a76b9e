"""Claims of arXiv 2410.06833 on how long clusters live: the slope of escape times in beta, and the theorem's T1 and T2.

Softmax attention on the sphere. Escape times are those of clusters collapsed to weighted tokens.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, mark_predicted, panels

# --- escape times -----------------------------------------------------------------------------------------------------

APART = (-0.2, -0.1)  # cosines of the third cluster with the two that join


def _escape(*, seed: int, cosines: list[float], betas: list[float], pair: str) -> Finding:
    checks, times, predictions = [], [], []
    for cosine in cosines:
        gram = np.array([[1.0, cosine, APART[0]], [cosine, 1.0, APART[1]], [*APART, 1.0]])
        mu = tkf.Measure(np.linalg.cholesky(gram), [0.3, 0.4, 0.3])
        found = []
        for beta in betas:
            model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(jnp.asarray(beta)))
            run = tkf.solve(model, mu, t1=1e100, save="end", merge=True)
            found.append(float(run.escape_times[0]))
        times.append(found)
        predictions.append(float(theory.escape_slope(cosine if pair == "closest" else APART[1])))
        what, why = f"slope of log(escape time) in β, α = {cosine:g}", "the factor 1/β of the time takes 1/60 off"
        slope = np.polyfit(betas, np.log(found), 1)[0]
        checks.append(equals(what, slope, predictions[-1], within=0.03, because=why))
    data = {"betas": np.array(betas), "times": np.array(times), "cosines": cosines, "slopes": predictions}
    return Finding(checks, data)


def _draw_escape(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    betas = data["betas"]
    for k, (cosine, times) in enumerate(zip(data["cosines"], data["times"], strict=True)):
        ax.plot(betas, times, "o", color=PALETTE[k], label=rf"$\alpha = {cosine:g}$")
        ends = betas[[0, -1]]
        line = np.exp(data["slopes"][k] * (ends - betas.mean()) + np.log(times).mean())
        ax.plot(ends, line, label="slope $1-\\alpha$" if k == len(data["times"]) - 1 else "_", **PREDICTED)
    ax.set(xlabel=r"$\beta$", ylabel="escape time", yscale="log")
    ax.legend()
    return figure


# --- the bounds of the theorem ----------------------------------------------------------------------------------------

POLES = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
TIMES = 80


@eqx.filter_jit
def _flows(V: jax.Array, beta: jax.Array, x: jax.Array, ts: tuple[float, ...]) -> jax.Array:
    """Tokens (b, T, n, 3) at the times `ts` from each of the starts (b, n, 3)."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta), V=V)
    run = jax.vmap(lambda y: tkf.solve(model, tkf.Measure(y), t1=ts[-1], rtol=1e-6, save=ts).saved_points)
    return run(x)


def _caps(*, seed: int, beta: float, eps: float, per_cap: int, starts: int, sign: float) -> Finding:
    n = 2 * per_cap
    rng = np.random.default_rng(seed)
    angle = np.arccos(1 - eps * rng.uniform(size=(starts, n)))
    turn, side = rng.uniform(0, 2 * np.pi, (starts, n)), np.repeat([1.0, -1.0], per_cap)
    x = np.stack([np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn), side * np.cos(angle)], axis=2)
    # the largest cosine between points of the two caps of size 2 eps, and the largest exponent that is allowed
    alpha = np.cos(np.pi - 2 * np.arccos(1 - 2 * eps))
    lam = 1 - alpha - 8 * eps - np.log(2 * n**2 / eps) / beta
    first, last = np.asarray(theory.metastability_bounds(beta, n, eps=eps, alpha=alpha, lam=lam))
    ts = np.append(0.0, np.geomspace(0.01, last, TIMES))
    y = np.asarray(_flows(sign * jnp.eye(3), jnp.asarray(beta), jnp.asarray(x), tuple(ts.tolist())))
    y = y.reshape(starts, len(ts), 2, per_cap, 3)
    lowest = np.min(np.einsum("btqid,qd->btqi", y, POLES), axis=(2, 3))
    spread = np.max(np.sum((y[:, :, :, :, None] - y[:, :, :, None]) ** 2, axis=-1), axis=(2, 3, 4))
    bound = 2 * np.exp(-lam * beta)
    checks = [
        at_least("lowest cosine of a token with its cap's center", lowest.min(), 1 - 2 * eps, because="a bound"),
        at_most("largest |x_i - x_j|² within a cap after T1", spread[:, ts >= first].max(), bound, because="a bound"),
        at_least("largest |x_i - x_j|² at the start", spread[:, 0].min(), bound, because="else nothing is shown"),
        at_least("saved times between T1 and T2", np.sum(ts >= first), 10, because="else nothing is shown"),
    ]
    return Finding(checks, {"ts": ts, "spread": spread, "bound": bound, "T1": first, "out": 1 - lowest, "eps": eps})


def _draw_caps(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data, ts = finding.data, finding.data["ts"][1:]
    left.loglog(ts, np.maximum(data["spread"], 1e-16).T[1:], linewidth=0.9, **MEASURED)
    left.plot([data["T1"], ts[-1]], [data["bound"]] * 2, label=r"bound on $[T_1, T_2]$", **PREDICTED)
    left.set(xlabel="$t$", ylabel=r"$\max\,|x_i - x_j|^2$ in a cap")
    left.legend()
    right.semilogx(ts, data["out"].T[1:], linewidth=0.9, **MEASURED)
    mark_predicted(right, 2 * data["eps"], r"bound $2\varepsilon$")
    right.set(xlabel="$t$", ylabel=r"$\max\,(1 - \langle x_i, w_q\rangle)$", ylim=(0, 2.6 * data["eps"]))
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="gkpr24-escape-time",
        title="Clusters live for times that grow like exp((1 − α) β)",
        statement=r"Separated clusters keep their tokens for a time whose logarithm grows like $(1-\alpha)\beta$, "
        r"where $\alpha$ is the largest cosine between two clusters.",
        paper="gkpr24",
        where="main theorem (the time T2)",
        status="theorem",
        assumptions=("three clusters on the sphere of dimension 2, each collapsed to a point", "softmax attention"),
        experiment=_escape,
        draw=_draw_escape,
        quick=Setting({"cosines": [0.0, 0.3, 0.6], "betas": [30.0, 60.0, 90.0], "pair": "closest"}, seconds=4),
        full=Setting(
            {"cosines": [0.0, 0.15, 0.3, 0.45, 0.6], "betas": [30.0, 50.0, 70.0, 90.0, 110.0], "pair": "closest"},
            seconds=9,
        ),
        control=Control({"pair": "other"}, "the pairs that are farther apart do not set the time"),
        note=r"The theorem bounds the time from below with $\alpha$ the largest cosine between points of caps around "
        r"the clusters; with the caps that is not the slope, with the clusters themselves it is.",
    ),
    Claim(
        id="gkpr24-caps",
        title="Tokens that start in separated caps collapse by T1 and stay until T2",
        statement=r"Tokens that start in caps $\langle x, w_q\rangle \geq 1-\varepsilon$ stay in the caps of size "
        r"$2\varepsilon$ up to $T_2 = \frac{\varepsilon}{n} e^{(1-\alpha)\beta}$, and within a cap $|x_i - x_j|^2 "
        r"\leq 2e^{-\lambda\beta}$ from $T_1 = 2n e^{8\varepsilon\beta} + e n\lambda\frac{\beta^2}{\beta-1}$ on.",
        paper="gkpr24",
        where="main theorem",
        status="theorem",
        assumptions=(
            r"$\varepsilon < \frac{1}{16}$",
            r"$\lambda = 1-\alpha-8\varepsilon-\frac{1}{\beta}\log\frac{2n^2}{\varepsilon} > 0$",
            "two antipodal caps of the sphere, softmax attention",
        ),
        experiment=_caps,
        draw=_draw_caps,
        quick=Setting({"beta": 8.0, "eps": 0.01, "per_cap": 3, "starts": 4, "sign": 1.0}, seconds=2),
        full=Setting({"beta": 10.0, "eps": 0.01, "per_cap": 8, "starts": 16, "sign": 1.0}, seconds=7),
        control=Control({"sign": -1.0}, "with V = -I tokens leave their caps"),
    ),
)
