"""Claims of arXiv 2509.25040: at large beta tokens align, then diffuse (forward or backward), then pair up.

Here are the first two of its three time scales, 1 and beta; pairing, at times e^{c beta}, is in `multiscale_pairing`.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.geometry import on_circle

CIRCLE, SPHERE = tkf.Sphere(2), tkf.Sphere(3)


# --- alignment, t = O(1) ----------------------------------------------------------------------------------------------

# a leading eigenvector, and a plane that turns; both with the gap 0.8 to the rest
VALUES = {
    "line": np.diag([1.0, 0.2, 0.2]),
    "plane": np.array([[1.0, -2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.2]]),
}
LEADING = {"line": 1, "plane": 2}  # dimensions of E_max, spanned by the first axes


def _alignment(*, seed: int, beta: float, n: int, t1: float) -> Finding:
    """Odds (1 - |Pi x|^2) / |Pi x|^2 of each token fall like e^{-2 gap t} where tokens move on their own."""
    start, ts = tkf.initial.quasi_uniform(SPHERE, n), np.linspace(0, t1, 21)
    checks, curves = [], {}
    for name, V in VALUES.items():
        model = tkf.Transformer(SPHERE, tkf.Softmax(beta), V=V)
        x = np.asarray(tkf.solve(model, start, t1=t1, method="rk4", step=ts[1], save=ts).saved_points)
        residual = np.sum(x[:, :, LEADING[name] :] ** 2, axis=2)
        inner = (residual[0] > 0.01) & (residual[0] < 0.99)
        odds = np.log(residual[:, inner] / (1 - residual[:, inner]))
        rates = -np.polyfit(ts, odds, 1)[0]
        predicted = float(theory.alignment_rate(np.eye(3), np.eye(3), V))
        why = "corrections of order 1/β, for β = 30, which grow as the law gets narrow"
        what = f"median rate of alignment with E_max, a {name}"
        checks.append(equals(what, np.median(rates), predicted, within=0.03, because=why, is_relative=True))
        share = residual[0] / (1 - residual[0]) * np.exp(-predicted * ts[-1])
        limit = float(np.mean(share / (1 + share)))
        what = f"mean of 1 - |Πx|² at t = {t1:g}, a {name}"
        checks.append(equals(what, np.mean(residual[-1]), limit, within=0.05, because=why, is_relative=True))
        curves[name] = {"residual": residual, "rate": predicted, "x": x}
    return Finding(checks, {"ts": ts, "curves": curves})


def _draw_alignment(finding: Finding) -> Figure:
    figure, axes = panels(2, sharey=True)
    ts = finding.data["ts"]
    for ax, (name, curve) in zip(axes, finding.data["curves"].items(), strict=True):
        residual = curve["residual"]
        some = np.argsort(residual[0])[10 :: max(1, residual.shape[1] // 24)]
        odds = residual[:, some] / (1 - residual[:, some])
        ax.semilogy(ts, odds, color=PALETTE[0], linewidth=0.7)
        ax.plot([], [], color=PALETTE[0], label="tokens")
        ax.semilogy(
            ts, np.median(odds[0]) * np.exp(-curve["rate"] * ts), label=f"slope $-{curve['rate']:.2g}$", **PREDICTED
        )
        ax.set(xlabel="$t$", title=f"$E_{{\\max}}$ a {name}")
    axes[0].set(ylabel=r"$(1-|\Pi x_i|^2)/|\Pi x_i|^2$")
    axes[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


# --- heat, t = O(beta) --------------------------------------------------------------------------------------------

START = (0.5, 0.3)  # coefficients of cos(theta) and cos(2 theta) of the initial density, relative to uniform


def _quantiles(n: int) -> np.ndarray:
    """n angles with the density 1 + sum_k START_k cos(k theta), equispaced in mass."""
    fine = np.linspace(0, 2 * np.pi, 20_001)
    mass = fine + sum(a / k * np.sin(k * fine) for k, a in enumerate(START, 1))
    return np.interp(2 * np.pi * (np.arange(n) + 0.5) / n, mass, fine)


def _forward_heat(*, seed: int, beta: float, n: int, sign: float) -> Finding:
    """V = -I on the circle from a law far from uniform: Fourier coefficients decay like e^{-k^2 t/beta}."""
    t1 = 0.5 * beta
    ts = np.linspace(0, t1, 41)
    model = tkf.Transformer(CIRCLE, tkf.Softmax(beta), V=sign * np.eye(2))
    x = np.asarray(tkf.solve(model, on_circle(_quantiles(n)), t1=t1, method="rk4", step=t1 / 200, save=ts).saved_points)
    z = x[..., 0] + 1j * x[..., 1]
    modes = np.array([np.mean(z**k, axis=1).real for k in (1, 2)])
    heat = theory.heat_rates(beta, 2, count=2).value
    checks = []
    for k in (1, 2):
        # up to a decay by e^-2, beyond which what is left of mode 2 is of the size of the corrections
        early = ts <= 0.5 * beta / k
        found = -np.polyfit(ts[early], np.log(np.abs(modes[k - 1][early])), 1)[0]
        what = f"decay rate of mode {k} in units of 1/β"
        why = "corrections of order k²/(2β) and of the nonlinear flow"
        checks.append(equals(what, beta * found, beta * heat[k - 1], within=0.05, because=why, is_relative=True))
    exact = np.array([modes[k][:1] * np.exp(-heat[k] * ts) for k in (0, 1)])
    worst = np.max(np.abs(modes - exact))
    why = "relative corrections of order 1/β, of modes of size 1/4 and less"
    checks.append(
        at_most("largest distance from the solution of the heat equation", worst, 0, slack=0.25 / beta, because=why)
    )
    return Finding(checks, {"ts": ts, "beta": beta, "modes": modes, "exact": exact, "theta": np.angle(z)})


def _draw_forward(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2)
    s = data["ts"] / data["beta"]
    for k in (0, 1):
        left.plot(s, data["modes"][k], color=PALETTE[k], label=f"mode {k + 1}")
        left.plot(s, data["exact"][k], label="heat equation" if k else None, **PREDICTED)
    left.set(xlabel=r"$s = t/\beta$", ylabel=r"$\hat\mu_k$")
    left.legend()
    fine = np.linspace(0, 2 * np.pi, 300)
    for i, at in enumerate((0, len(s) // 5, len(s) - 1)):
        theta = np.unwrap(data["theta"][at])  # in the order of angles, which tokens on a circle keep
        middle, density = (theta[1:] + theta[:-1]) / 2, 1 / (len(theta) * np.diff(theta))
        right.plot(middle, density, color=PALETTE[i], linewidth=2.2, alpha=0.8, label=f"$s = {s[at]:.2g}$")
        law = 1 + 2 * sum(data["exact"][k][at] * np.cos((k + 1) * fine) for k in (0, 1))
        right.plot(fine, law / (2 * np.pi), **PREDICTED)
    right.set(xlabel=r"$\theta$", ylabel="density", xticks=[0, np.pi, 2 * np.pi])
    right.set_xticklabels(["0", r"$\pi$", r"$2\pi$"])
    right.legend(loc="upper center")
    return figure


def _backward_heat(*, seed: int, beta: float, n: int, sigmas: tuple[float, ...], sign: float) -> Finding:
    """V = I, normal packets on the circle: each one's variance falls by 2t/beta, so that it is gone at beta sigma^2/2.

    Each packet is weighted tokens at equal distances: independent ones would be alone in the tails, and rest there.
    """
    centers = 2 * np.pi * np.arange(len(sigmas)) / len(sigmas)
    normal = np.linspace(-4, 4, n)
    weights = np.tile(np.exp(-(normal**2) / 2), len(sigmas))
    theta = np.concatenate([c + sigma * normal for c, sigma in zip(centers, sigmas, strict=True)])
    ts = np.linspace(0, 1.3 * beta * max(sigmas) ** 2 / 2, 53)
    model = tkf.Transformer(CIRCLE, tkf.Softmax(beta), V=sign * np.eye(2))
    start = tkf.Measure(on_circle(theta), weights)
    x = np.asarray(tkf.solve(model, start, t1=ts[-1], method="rk4", step=ts[1] / 4, save=ts).saved_points)
    angles = np.arctan2(x[..., 1], x[..., 0]).reshape(len(ts), len(sigmas), n)
    away = np.angle(np.exp(1j * (angles - centers[:, None])))
    shares = weights[:n] / np.sum(weights[:n])
    variances = away**2 @ shares - (away @ shares) ** 2
    checks = []
    for i, sigma in enumerate(sigmas):
        predicted = float(theory.heat_collapse_time(beta, float(np.sqrt(variances[0, i]))))
        half = variances[:, i] >= variances[0, i] / 2
        early = ts <= (ts[np.argmin(half)] if not half.all() else ts[-1])
        slope, level = np.polyfit(ts[early], variances[early, i], 1)
        what = f"collapse time, from the slope of the variance, σ = {sigma:g}"
        why = "relative corrections of order 1/(βσ²)"
        within = float(2 / (beta * sigma**2))
        checks.append(equals(what, -level / slope, predicted, within=within, because=why, is_relative=True))
    return Finding(checks, {"ts": ts, "beta": beta, "variances": variances, "sigmas": sigmas, "theta": angles})


def _draw_backward(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2)
    s = data["ts"] / data["beta"]
    for i, sigma in enumerate(data["sigmas"]):
        some = data["theta"][:, i, :: max(1, data["theta"].shape[2] // 24)]
        left.plot(s, np.unwrap(some, axis=0) % (2 * np.pi) if i else some, color=PALETTE[i], linewidth=0.6)
        left.axvline(sigma**2 / 2, **PREDICTED)
        right.plot(s, data["variances"][:, i], color=PALETTE[i], label=rf"$\sigma = {sigma:g}$")
        start = data["variances"][0, i]
        right.plot(s, np.maximum(start - 2 * s, 0), label=None if i else r"$\sigma^2 - 2s$", **PREDICTED)
    left.set(xlabel=r"$s = t/\beta$", ylabel=r"$\theta_i$")
    right.set(xlabel=r"$s = t/\beta$", ylabel="variance of a packet")
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="bpa25b-alignment",
        title="At first tokens align, each on its own, with the leading eigenspace",
        statement=r"At times of order one and $\beta \to \infty$ tokens obey "
        r"$\dot x = P_x \frac{V K^\top Q x}{|K^\top Q x|}$, each on its own, and align with the eigenspace $E_{\max}$ "
        r"of $V K^\top Q$ with the largest real part: $1 - |\Pi x|^2 \sim e^{-2 g t}$ with the gap $g$ of the real "
        r"parts, for $Q = K = I$.",
        paper="bpa25b",
        where="alignment phase, figures 1a and 1b",
        status="theorem",
        assumptions=(r"softmax attention on $S^2$, $Q = K = I$; a leading eigenvector, or a plane in which $V$ turns",),
        note="The rate is derived here from the limit equation of the paper. The matrices of the published figure are "
        "not known to us; these have the same structure. At $\\beta = 30$ rates are met up to $t = 1$; read up to "
        "$t = 3$ they are 9 % higher, because tokens that come close also attract each other.",
        experiment=_alignment,
        draw=_draw_alignment,
        quick=Setting({"beta": 30.0, "n": 1000, "t1": 1.0}, seconds=2),
        full=Setting({"beta": 30.0, "n": 10_000, "t1": 1.0}, seconds=8),
        control=Control({"beta": 2.0}, "at small beta tokens attract each other"),
    ),
    Claim(
        id="bpa25b-forward-heat",
        title="Repulsion at large β is the heat equation",
        statement=r"With $Q = K = I$ and $V = -I$, at times $t = \beta s$ and $\beta \to \infty$, the law of tokens "
        r"solves $\partial_s \mu = \Delta \mu$: on the circle $\hat\mu_k(t) = e^{-k^2 t/\beta} \hat\mu_k(0)$.",
        paper="bpa25b",
        where="heat phase, figure 2b",
        status="theorem",
        assumptions=("softmax attention on the circle", "a start far from uniform, so that linearity is seen too"),
        experiment=_forward_heat,
        draw=_draw_forward,
        quick=Setting({"beta": 50.0, "n": 160, "sign": -1.0}, seconds=2),
        full=Setting({"beta": 50.0, "n": 50_000, "sign": -1.0}, seconds=14),
        control=Control({"sign": 1.0}, "with V = I the heat flows backward and modes grow"),
    ),
    Claim(
        id="bpa25b-backward-heat",
        title="Attraction at large β is the backward heat equation: narrow packets collapse first",
        statement=r"With $Q = K = V = I$ the law solves $\partial_s \mu = -\Delta \mu$, $s = t/\beta$: each normal "
        r"packet of a mixture loses the variance $2s$ and collapses at $s = \sigma^2/2$, narrow ones first.",
        paper="bpa25b",
        where="heat phase, figure 2a",
        status="theorem",
        assumptions=(r"softmax attention on the circle; packets that are far apart, $\beta \sigma^2$ large",),
        note=r"The paper writes $s = \sigma_j^2$, in its own convention of the Laplacian or of $\sigma$; with "
        r"$e^{s \Delta}$, which has the variance $2s$, it is $\sigma^2/2$, and this is what tokens do.",
        experiment=_backward_heat,
        draw=_draw_backward,
        quick=Setting({"beta": 200.0, "n": 80, "sigmas": (0.2, 0.3), "sign": 1.0}, seconds=2),
        full=Setting({"beta": 400.0, "n": 1000, "sigmas": (0.2, 0.3), "sign": 1.0}, seconds=14),
        control=Control({"sign": -1.0}, "with V = -I packets spread"),
    ),
)
