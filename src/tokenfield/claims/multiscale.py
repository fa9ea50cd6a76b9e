"""Claims of arXiv 2509.25040: at large beta tokens align, then diffuse (forward or backward), then pair up.

Here are the first two of its three time scales, 1 and beta; pairing, at times e^{c beta}, is in `multiscale_pairing`.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import odeint
from scipy.special import i0, ive

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, REST, panels
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
            ts,
            np.median(odds[0]) * np.exp(-curve["rate"] * ts),
            label=f"slope $-{curve['rate']:.2g}$, from the median",
            **PREDICTED,
        )
        ax.set(xlabel="time $t$ of the flow", title=f"$E_{{\\max}}$ a {name}")
    axes[0].set(ylabel=r"$(1-|\Pi x_i|^2)/|\Pi x_i|^2$")
    axes[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


# --- heat, t = O(beta) --------------------------------------------------------------------------------------------

START = (0.5, 0.3)  # coefficients of cos(theta) and cos(2 theta) of the initial density, relative to uniform
SMALL = 1e-3  # the part of them from which rates are read


def _quantiles(n: int, size: float = 1.0) -> np.ndarray:
    """n angles with the density 1 + size sum_k START_k cos(k theta), equispaced in mass."""
    fine = np.linspace(0, 2 * np.pi, 20_001)
    mass = fine + size * sum(a / k * np.sin(k * fine) for k, a in enumerate(START, 1))
    return np.interp(2 * np.pi * (np.arange(n) + 0.5) / n, mass, fine)


def _forward_heat(*, seed: int, beta: float, n: int, kind: str) -> Finding:
    """V = -I on the circle: Fourier coefficients decay at the rates k^2 I_k(beta)/(beta I_0(beta)), about k^2/beta.

    The rates from a law close to uniform, where they are exact; the whole curve from a law far from it. Unnormalized
    attention, the control, has the same rates in the time scaled by I_0, but follows the porous medium equation.
    """
    t1 = 0.5 * beta
    ts = np.linspace(0, t1, 41)
    if kind == "softmax":
        model = tkf.Transformer(CIRCLE, tkf.Softmax(beta), V=-np.eye(2))
    else:
        model = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta), V=-np.eye(2) / float(i0(beta)))
    modes = {}
    for name, size in (("far", 1.0), ("near", SMALL)):
        start = on_circle(_quantiles(n, size))
        x = np.asarray(tkf.solve(model, start, t1=t1, method="rk4", step=t1 / 200, save=ts).saved_points)
        z = x[..., 0] + 1j * x[..., 1]
        modes[name] = np.array([np.mean(z**k, axis=1).real for k in (1, 2)])
        if name == "far":
            theta = np.angle(z)
    checks = []
    for k in (1, 2):
        predicted = float(k**2 * ive(k, beta) / ive(0, beta))
        found = -beta * np.log(modes["near"][k - 1][-1] / modes["near"][k - 1][0]) / t1
        what = f"decay rate of mode {k} near the uniform law, in units of 1/β, by k² I_k/I_0"
        why = f"products of modes, of the relative size {SMALL:g}"
        checks.append(equals(what, found, predicted, within=2 * SMALL, because=why, is_relative=True))
    heat = theory.heat_rates(beta, 2, count=2).value
    exact = np.array([modes["far"][k][:1] * np.exp(-heat[k] * ts) for k in (0, 1)])
    worst = np.max(np.abs(modes["far"] - exact))
    why = "rates and products of modes are corrected by relative parts of order 1/β, of modes of size 1/4 and less"
    checks.append(
        at_most("largest distance from the solution of the heat equation", worst, 0, slack=0.25 / beta, because=why)
    )
    return Finding(checks, {"ts": ts, "beta": beta, "modes": modes["far"], "exact": exact, "theta": theta})


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


def _backward_heat(*, seed: int, beta: float, n: int, sigmas: tuple[float, ...], factor: float) -> Finding:
    """V = I, normal packets: the variance of each obeys v' = -2v/(beta v + 1), close to -2/beta while beta v is large.

    Each packet is weighted tokens at equal distances: independent ones would be alone in the tails, and rest there.
    """
    centers = 2 * np.pi * np.arange(len(sigmas)) / len(sigmas)
    normal = np.linspace(-5, 5, n)
    weights = np.tile(np.exp(-(normal**2) / 2), len(sigmas))
    theta = np.concatenate([c + sigma * normal for c, sigma in zip(centers, sigmas, strict=True)])
    ts = np.linspace(0, 1.3 * beta * max(sigmas) ** 2 / 2, 53)
    model = tkf.Transformer(CIRCLE, tkf.Softmax(beta))
    start = tkf.Measure(on_circle(theta), weights)
    x = np.asarray(tkf.solve(model, start, t1=ts[-1], method="rk4", step=ts[1] / 4, save=ts).saved_points)
    angles = np.arctan2(x[..., 1], x[..., 0]).reshape(len(ts), len(sigmas), n)
    away = np.angle(np.exp(1j * (angles - centers[:, None])))
    shares = weights[:n] / np.sum(weights[:n])
    variances = away**2 @ shares - (away @ shares) ** 2
    checks = []
    for i, sigma in enumerate(sigmas):
        v0 = variances[0, i]
        for share in (0.5, 0.2):
            # the time from v0 to v, by separation of variables
            predicted = factor * beta * v0 * (1 - share) / 2 + np.log(1 / share) / 2
            found = np.interp(-share * v0, -variances[:, i], ts)
            what = f"time at which {share:g} of the variance is left, σ = {sigma:g}"
            why = "curvature of the circle, of relative order 1/β, and lines between saved times"
            checks.append(equals(what, found, predicted, within=0.005, because=why, is_relative=True))
    first = [float(np.interp(-0.2 * variances[0, i], -variances[:, i], ts)) for i in range(len(sigmas))]
    checks.append(at_least("the wide packet collapses later by the factor", first[-1] / first[0], 1.5, because="2.25"))
    return Finding(checks, {"ts": ts, "beta": beta, "variances": variances, "sigmas": sigmas, "theta": angles})


def _packet(v0: float, beta: float, s: np.ndarray) -> np.ndarray:
    """The variance at the times t = beta s: v' = -2v/(beta v + 1)."""
    return np.asarray(odeint(lambda v, _: -2 * beta * v / (beta * v + 1), v0, s, rtol=1e-9)[:, 0])


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
        right.plot(s, _packet(start, data["beta"], s), label=None if i else "equation of $v$", **PREDICTED)
        right.plot(s, np.maximum(start - 2 * s, 0), ":", color=REST, label=None if i else r"$\sigma^2 - 2s$")
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
        main="median rate of alignment with E_max, a plane",
        assumptions=(r"softmax attention on $S^2$, $Q = K = I$; a leading eigenvector, or a plane in which $V$ turns",),
        note="The rate is derived here from the limit equation of the paper. The matrices of the published figure are "
        "not known to us; these have the same structure. At $\\beta = 30$ rates are met up to $t = 1$; read up to "
        "$t = 3$ they are 9 % higher, because tokens that come close also attract each other.",
        experiment=_alignment,
        draw=_draw_alignment,
        quick=Setting({"beta": 30.0, "n": 1000, "t1": 1.0}, seconds=2),
        full=Setting({"beta": 30.0, "n": 10_000, "t1": 1.0}, seconds=8),
        control=Control({"beta": 2.0}, "at small beta tokens attract each other", "median rate"),
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
        quick=Setting({"beta": 50.0, "n": 160, "kind": "softmax"}, seconds=3),
        full=Setting({"beta": 50.0, "n": 50_000, "kind": "softmax"}, seconds=28),
        control=Control(
            {"kind": "unnormalized"},
            "unnormalized attention, slowed down to the same rates, follows the porous medium equation",
            "solution of the heat equation",
        ),
        main="solution of the heat equation",
        note=r"At finite $\beta$ the rate near the uniform law is $k^2 I_k(\beta) / (\beta I_0(\beta))$, here 1% and "
        r"4% below $k^2/\beta$.",
    ),
    Claim(
        id="bpa25b-backward-heat",
        title="Attraction at large β is the backward heat equation: narrow packets collapse first",
        statement=r"With $Q = K = V = I$ the law solves $\partial_s \mu = -\Delta \mu$, $s = t/\beta$: each normal "
        r"packet of a mixture loses the variance $2s$ and collapses at $s = \sigma^2/2$, narrow ones first. At finite "
        r"$\beta$ the variance obeys $\dot v = -\frac{2v}{\beta v + 1}$.",
        paper="bpa25b",
        where="heat phase, figure 2a",
        status="theorem",
        assumptions=(r"softmax attention on the circle; packets that are far apart, $\beta \sigma^2$ large",),
        note=r"The equation of $v$ is derived here: attention moves $N(0, v)$ by $-x/(\beta v + 1)$. The paper writes "
        r"$s = \sigma_j^2$, in its own convention of the Laplacian or of $\sigma$; with $e^{s \Delta}$, which has the "
        r"variance $2s$, the same time is $\sigma^2/2$.",
        experiment=_backward_heat,
        draw=_draw_backward,
        quick=Setting({"beta": 200.0, "n": 80, "sigmas": (0.2, 0.3), "factor": 1.0}, seconds=2),
        full=Setting({"beta": 400.0, "n": 1000, "sigmas": (0.2, 0.3), "factor": 1.0}, seconds=14),
        control=Control({"factor": 2.0}, "a collapse at s = σ², the variance of e^{sΔ} taken as s", "0.5 of the"),
        main="0.5 of the variance is left, σ = 0.2",
    ),
)
