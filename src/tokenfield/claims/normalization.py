"""Claims of "Normalization in attention dynamics" (arXiv 2510.22026): where layers normalize, and how fast tokens meet.

Six schemes, theta_j' = P A_j / s_j, that differ in the speed factor s_j alone. Tokens start from an orthonormal frame,
so that all cosines are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import INK, PALETTE, PREDICTED, panels, tick_sizes

TAU, ALPHA = 0.5, 0.7  # the switch of Mix-LN, the rate of nGPT
SLOW = (200.0, 400.0)  # the published interval of the slow tails
THIN = {**PREDICTED, "linewidth": 0.7}  # six curves lie close together
OPTIONS = {"rtol": 1e-9, "atol": 1e-11}


class Scheme(NamedTuple):
    """A normalization, its name, and its tail: log(1 - cosine) falls like `rate` times `scale(t)`."""

    name: str
    normalization: Callable[[], tkf.Normalization]  # made when it is used: importing must not start JAX
    rate: float
    scale: Callable[[np.ndarray], np.ndarray]
    axis: str


SCHEMES = {
    "post-ln": Scheme("Post-LN", tkf.PostLN, -2.0, lambda t: t, "t"),
    "pre-ln": Scheme("Pre-LN", tkf.PreLN, -2.0, np.log, "log t"),
    "mix-ln": Scheme("Mix-LN", partial(tkf.MixLN, TAU), -2.0, np.log, "log t"),
    "peri-ln": Scheme("Peri-LN", tkf.PeriLN, -2.0, np.log, "log t"),
    "ngpt": Scheme("nGPT", partial(tkf.NGPT, ALPHA), -2.0, lambda t: ALPHA * t, "αt"),
    "depth-scaled": Scheme("LN scaling", tkf.DepthScaled, -4.0, lambda t: np.sqrt(t + 1), "√(t+1)"),
}
HAS_RADIUS = ("pre-ln", "mix-ln", "peri-ln")


def _model(n: int, beta: float, normalization: tkf.Normalization) -> tkf.Transformer:
    return tkf.Transformer(tkf.Sphere(n), tkf.Softmax(jnp.asarray(beta)), normalization=normalization)


def _gaps(x: np.ndarray) -> np.ndarray:
    """1 - <x_i, x_j>, the largest over pairs, of tokens (T, n, d): from differences, so that no digits are lost."""
    i, j = np.triu_indices(x.shape[1], 1)
    return np.max(np.sum((x[:, i] - x[:, j]) ** 2, axis=2), axis=1) / 2


# --- initial speeds ---------------------------------------------------------------------------------------------------


def _initial_speeds(*, seed: int, n: int, beta: float, radii: list[float], factor: str) -> Finding:
    checks, bars = [], []
    pair = ~np.eye(n, dtype=bool)
    for key, scheme in SCHEMES.items():
        for radius in radii if key in HAS_RADIUS else radii[:1]:
            mu = tkf.Measure(np.eye(n), radii=np.full(n, radius))
            turn = np.asarray(_model(n, beta, scheme.normalization()).velocity(0.0, mu.points, mu))
            speeds = (turn + turn.T)[pair]  # <x_j', e_k> + <e_j, x_k'>
            own = key if factor == "own" else "post-ln"
            predicted = float(theory.initial_speed(beta, n, scheme=own, radius=radius, alpha=ALPHA))
            name = scheme.name + (f", r = {radius:g}" if key in HAS_RADIUS else "")
            worst = speeds[np.argmax(np.abs(speeds - predicted))]
            why = "rounding of a sum over the tokens"
            checks.append(equals(f"γ'(0), {name}", worst, predicted, within=1e-9, is_relative=True, because=why))
            bars.append((name, float(worst), predicted))
    return Finding(checks, {"bars": bars})


def _draw_initial_speeds(finding: Finding) -> Figure:
    bars = finding.data["bars"]
    figure, ax = panels(1, width=5.6)
    places = np.arange(len(bars))
    ax.barh(places, [measured for _, measured, _ in bars], 0.6, color=PALETTE[0], label="measured")
    predicted = [value for *_, value in bars]
    ax.plot(predicted, places, "|", color=INK, markersize=16, markeredgewidth=1.5, label="predicted")
    ax.set(yticks=places, yticklabels=[name.replace("r =", "$r$ =") for name, *_ in bars], xlabel=r"$\gamma'(0)$")
    ax.invert_yaxis()
    ax.legend(loc="lower right")
    return figure


# --- six curves -------------------------------------------------------------------------------------------------------


def _tail_times(key: str, n: int, beta: float) -> np.ndarray:
    """Times at which the tail is measured: gaps from 1e-4 to 1e-8, or the published interval where the tail is slow."""
    if key in HAS_RADIUS:
        return np.geomspace(*SLOW, 8)
    ends = [float(theory.equiangular_time(beta, n, level=1 - g, scheme=key, alpha=ALPHA)) for g in (1e-4, 1e-8)]
    return np.linspace(ends[0], ends[1], 8)


def _six_curves(*, seed: int, n: int, beta: float, shift: int) -> Finding:
    keys = list(SCHEMES)
    curves, tails, growths = [], [], []
    errors = []
    for k, key in enumerate(keys):
        scheme, tail = SCHEMES[key], _tail_times(key, n, beta)
        ts = np.concatenate([[0.0], np.geomspace(0.05, 0.98 * tail[0], 40), tail])
        mu = tkf.Measure(np.eye(n), radii=np.ones(n))
        run = tkf.solve(_model(n, beta, scheme.normalization()), mu, t1=ts[-1], save=ts, **OPTIONS)
        gaps = _gaps(np.asarray(run.saved_points))
        other = keys[(k + shift) % len(keys)]  # the scheme itself, unless it is a control
        predicted = np.asarray(theory.equiangular_curve(ts, beta, n, scheme=other, alpha=ALPHA, tau=TAU))
        errors.append(np.max(np.abs(1 - gaps - predicted)))
        slope = np.polyfit(SCHEMES[other].scale(tail), np.log(gaps[-8:]), 1)[0]
        what, why = f"slope of log(1 - γ) in {SCHEMES[other].axis}, {scheme.name}", "corrections like 1/t and 1 - γ"
        tails.append(equals(what, slope, SCHEMES[other].rate, within=0.02, is_relative=True, because=why))
        curves.append((scheme.name, ts, gaps, 1 - predicted))
        if key in HAS_RADIUS:
            growths.append(np.polyfit(tail, np.asarray(run.radii)[-8:, 0], 1)[0])
    checks: list[Check] = [
        at_most(
            "largest |γ - its own equation| over schemes and times", max(errors), 1e-6, because="solver's tolerance"
        ),
        *tails,
        equals("least dr/dt of the schemes with a radius", min(growths), 1, within=0.01, because="r = t + O(1)"),
        equals("largest dr/dt of the schemes with a radius", max(growths), 1, within=0.01, because="r = t + O(1)"),
    ]
    return Finding(checks, {"curves": curves})


def _draw_six_curves(finding: Finding) -> Figure:
    figure, (left, right, residuals) = panels(3, width=10.2)
    for k, (name, ts, gaps, predicted) in enumerate(finding.data["curves"]):
        residuals.loglog(ts[1:], np.maximum(np.abs(gaps - predicted)[1:], 1e-17), color=PALETTE[k], linewidth=1.2)
        is_early = ts <= 30
        left.plot(ts[is_early], 1 - gaps[is_early], color=PALETTE[k], linewidth=2.6, label=name)
        right.loglog(ts[1:], gaps[1:], color=PALETTE[k], linewidth=2.6)
        left.plot(ts[is_early], 1 - predicted[is_early], **THIN)
        right.plot(ts[1:], predicted[1:], label="predicted" if k == 0 else "_", **THIN)
    residuals.axhline(1e-6, label="tolerance", **PREDICTED)
    left.set(xlabel="time $t$ of the flow", ylabel=r"common cosine $\gamma$", xlim=(0, 15))
    right.set(xlabel="time $t$ of the flow", ylabel=r"$1 - \gamma$", ylim=(1e-9, 2))
    residuals.set(xlabel="time $t$ of the flow", ylabel=r"$|\gamma - $ its own equation$|$", ylim=(1e-17, 1e-4))
    residuals.legend(loc="lower right")
    left.legend(loc="lower right")
    right.legend(loc="lower left")
    return figure


# --- the rate of nGPT -------------------------------------------------------------------------------------------------


def _ngpt_rate(*, seed: int, n: int, beta: float, alphas: list[float], formula: str) -> Finding:
    checks, curves = [], []
    for alpha in alphas:
        ends = [float(theory.equiangular_time(beta, n, level=1 - g, scheme="ngpt", alpha=alpha)) for g in (1e-3, 1e-8)]
        ts = np.append(0.0, np.linspace(ends[0], ends[1], 16))
        run = tkf.solve(_model(n, beta, tkf.NGPT(alpha)), np.eye(n), t1=ts[-1], save=ts, **OPTIONS)
        gaps = _gaps(np.asarray(run.saved_points))[1:]
        rate = -np.polyfit(ts[1:], np.log(gaps), 1)[0]
        right, printed = 2 * alpha, 2 / alpha
        what, why = f"rate of 1 - γ, α = {alpha:g}", "corrections of the size of the first gap, 1e-3"
        predicted = right if formula == "corrected" else printed
        checks.append(equals(what, rate, predicted, within=0.02, is_relative=True, because=why))
        what = f"|rate - printed rate| / printed rate, α = {alpha:g}"
        checks.append(at_least(what, abs(rate / printed - 1), 0.4, because="|α² - 1|, far from 0"))
        curves.append((alpha, ts[1:], gaps))
    return Finding(checks, {"curves": curves})


def _draw_ngpt_rate(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.0)
    last = len(finding.data["curves"]) - 1
    for k, (alpha, ts, gaps) in enumerate(finding.data["curves"]):
        ax.semilogy(ts, gaps, "o", color=PALETTE[k], markersize=4, label=rf"$\alpha = {alpha:g}$")
        ax.plot(
            ts,
            gaps[0] * np.exp(-2 * alpha * (ts - ts[0])),
            label=r"$e^{-2\alpha t}$" if k == last else "_",
            **PREDICTED,
        )
        shown = ts[gaps[0] * np.exp(-2 / alpha * (ts - ts[0])) > 1e-9]
        wrong = gaps[0] * np.exp(-2 / alpha * (shown - ts[0]))
        ax.plot(shown, wrong, ":", color=PALETTE[k], label=r"$e^{-2t/\alpha}$" if k == last else "_")
    ax.set(xlabel="time $t$ of the flow", ylabel=r"$1 - \gamma$")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


# --- Post-LN is self-attention ----------------------------------------------------------------------------------------


def _attention_field(x: np.ndarray, beta: float, Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    """The equation of self-attention on the sphere as it is printed, for tokens (n, d)."""
    logits = beta * (x @ Q.T) @ (x @ K.T).T
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    pull = (weights / weights.sum(axis=1, keepdims=True)) @ x @ V.T
    return pull - np.sum(pull * x, axis=1, keepdims=True) * x


LAYERS = 32  # in a piece: one compilation serves every number of layers


def _after_layers(model: tkf.Transformer, x: np.ndarray, t1: float, pieces: int) -> np.ndarray:
    """Unit tokens after LAYERS * pieces residual layers of depth t1 together."""
    mu = tkf.Measure(x, radii=np.ones(len(x)))
    for a, b in pairwise(np.linspace(0, t1, pieces + 1)):
        mu = tkf.solve(model, mu, t0=a, t1=b, layers=LAYERS, save="end").final
    return np.asarray(mu.points)


def _post_ln(*, seed: int, n: int, d: int, t1: float, doublings: int, scheme: str) -> Finding:
    rng = np.random.default_rng(seed)
    x, (Q, K, V) = rng.normal(size=(n, d)), rng.normal(size=(3, d, d)) / np.sqrt(d)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    normalization, beta = SCHEMES[scheme].normalization(), 2.0
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta), Q=Q, K=K, V=V, normalization=normalization)

    def field(t: float, y: np.ndarray) -> np.ndarray:
        return _attention_field(y.reshape(n, d), beta, Q, K, V).ravel()

    literal = solve_ivp(field, (0, t1), x.ravel(), method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1].reshape(n, d)
    pieces = 2 ** np.arange(doublings)
    ends = [_after_layers(model, x, t1, int(count)) for count in pieces]
    errors = np.array([np.max(np.linalg.norm(end - literal, axis=1)) for end in ends])
    steps = t1 / (LAYERS * pieces)
    slope = np.polyfit(np.log(steps[-3:]), np.log(errors[-3:]), 1)[0]
    moved = np.max(np.linalg.norm(literal - x, axis=1))
    checks = [
        equals("order in h of the distance of layers from self-attention", slope, 1.0, within=0.15,
               because="terms of second order at the longest of three steps"),
        at_most("distance at the shortest step, by how far tokens move", errors[-1] / moved, 0.05,
                because="a step of 1/64 and less"),
    ]  # fmt: skip
    return Finding(checks, {"steps": steps, "errors": errors})


def _draw_post_ln(finding: Finding) -> Figure:
    figure, ax = panels(1)
    steps, errors = finding.data["steps"], finding.data["errors"]
    ax.loglog(steps, errors, "o", color=PALETTE[0], label=r"layers $x \leftarrow N(x + hA)$")
    ax.loglog(steps, errors[-1] * steps / steps[-1], label="order 1, through the last point", **PREDICTED)
    ax.set(xlabel="step $h$", ylabel="distance from self-attention")
    tick_sizes(ax, steps)
    ax.set_xticks(steps, [f"1/{1 / h:.0f}" for h in steps])
    ax.legend(loc="upper left")
    return figure


SCHEME_TABLE = (
    r"$\dot\theta_j = \frac{1}{s_j} P_{\theta_j} A_j$ with $s_j = 1$ (Post-LN), $r_j$ (Pre-LN, and Mix-LN from $\tau$ "
    r"on), $r_j |A_j|$ (Peri-LN), $\frac{|A_j|}{\alpha}$ (nGPT), $\sqrt{t+1}$ (LN scaling)"
)
CLAIMS = (
    Claim(
        id="kgpr25-initial-speeds",
        title="How fast orthonormal tokens start under six normalizations",
        statement=r"From an orthonormal start $\dot\gamma(0) = \frac{2}{s}\frac{1}{e^{\beta}+n-1}$: "
        r"$\frac{2}{e^{\beta}+n-1}$ for Post-LN, divided by $r_0$ for Pre-LN, $\frac{2}{r_0\sqrt{e^{2\beta}+n-1}}$ "
        r"for Peri-LN and $\frac{2\alpha}{\sqrt{e^{2\beta}+n-1}}$ for nGPT.",
        paper="kgpr25",
        where="initial velocities (section 4), as a public formalization of version 2 has them",
        status="second-hand",
        assumptions=(SCHEME_TABLE, r"$Q = K = V = I$, tokens start from an orthonormal frame"),
        experiment=_initial_speeds,
        draw=_draw_initial_speeds,
        quick=Setting({"n": 32, "beta": 1.0, "radii": [1.0, 2.0], "factor": "own"}, seconds=1),
        full=Setting({"n": 32, "beta": 1.0, "radii": [0.5, 1.0, 2.0], "factor": "own"}, seconds=2),
        control=Control({"factor": "post-ln"}, "not all schemes start like Post-LN", "nGPT"),
        main="nGPT",
    ),
    Claim(
        id="kgpr25-six-curves",
        title="Six normalizations, six curves: exponential and polynomial tails",
        statement=r"All cosines equal $\gamma(t)$, which solves a scalar equation for each scheme, and at the end "
        r"$1-\gamma$ goes like $e^{-2t}$ (Post-LN), $t^{-2}$ (Pre-, Mix- and Peri-LN, whose radii grow like $t$), "
        r"$e^{-2\alpha t}$ (nGPT) and $e^{-4\sqrt{t+1}}$ (LN scaling).",
        paper="kgpr25",
        where="theorem 4.3 on final rates, as arXiv 2512.01868 and a public formalization quote it",
        status="second-hand",
        main="its own equation",
        assumptions=(SCHEME_TABLE, r"$Q = K = V = I$, orthonormal start, $\alpha = 0.7$, $\tau = 0.5$, $r_0 = 1$"),
        experiment=_six_curves,
        draw=_draw_six_curves,
        quick=Setting({"n": 5, "beta": 1.0, "shift": 0}, seconds=5),
        full=Setting({"n": 32, "beta": 1.0, "shift": 0}, seconds=27),
        control=Control({"shift": 1}, "each scheme against the equation of the next", "its own equation"),
    ),
    Claim(
        id="kgpr25-ngpt-rate",
        title="The final rate of nGPT is proportional to α, not to 1/α",
        statement=r"Under nGPT the variance of the tokens decays at a rate $\Theta(\alpha_t \operatorname{Var})$, "
        r"that is $1 - \gamma \sim e^{-2\alpha t}$, not at $\Theta(\operatorname{Var}/\alpha_t)$.",
        paper="kgpr25",
        where="theorem 4.3 (ii), table 2 and the remark after it, as a public formalization of version 2 quotes them",
        status="second-hand",
        main="rate of 1 - γ, α = 2",
        assumptions=(r"$Q = K = V = I$, orthonormal start, constant $\alpha$",),
        experiment=_ngpt_rate,
        draw=_draw_ngpt_rate,
        quick=Setting({"n": 5, "beta": 1.0, "alphas": [0.5, 2.0], "formula": "corrected"}, seconds=2),
        full=Setting({"n": 32, "beta": 1.0, "alphas": [0.2, 0.5, 2.0], "formula": "corrected"}, seconds=3),
        control=Control({"formula": "printed"}, "the rate with 1/α", "rate of 1 - γ"),
        note=r"Table 2, $s = |A|/\alpha$, and the remark, $\operatorname{Var} = e^{-2 \int \alpha}$, have this rate. "
        r"The formalization reads $-\Theta(\operatorname{Var}/\alpha_t)$ in the display of the theorem, takes it for a "
        r"slip and follows the table; at $\alpha = 1$ both agree. We have not seen the display.",
    ),
    Claim(
        id="kgpr25-post-ln-is-attention",
        title="Post-LN is self-attention on the sphere",
        statement=r"Normalizing after each layer, $x \leftarrow N(x + hA)$, is the self-attention dynamics $\dot x_i "
        r"= P_{x_i} \sum_j \frac{e^{\beta\langle Qx_i, Kx_j\rangle}}{Z_i} V x_j$ in the limit of small steps.",
        paper="kgpr25",
        where="table 2, the schemes, as arXiv 2512.01868 and a public formalization quote it",
        status="second-hand",
        main="order in h",
        assumptions=(r"random $Q$, $K$, $V$; the equation is integrated literally, by another solver",),
        experiment=_post_ln,
        draw=_draw_post_ln,
        quick=Setting({"n": 12, "d": 3, "t1": 1.0, "doublings": 4, "scheme": "post-ln"}, seconds=3),
        full=Setting({"n": 64, "d": 8, "t1": 1.0, "doublings": 6, "scheme": "post-ln"}, seconds=8),
        control=Control({"scheme": "pre-ln"}, "layers of Pre-LN slow down as the stream grows", "order in h"),
    ),
)
