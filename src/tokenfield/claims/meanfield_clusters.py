"""Claims of arXiv 2410.23228 on what grows out of the uniform law: how many clusters, where, and their symmetry.

Unnormalized attention on the circle with the published parameters, from tokens and from densities. The rates of growth
are in `meanfield_growth`.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, REST, mark_predicted, panels
from tokenfield.geometry import on_circle
from tokenfield.laws import Density, Fourier

CIRCLE = tkf.Sphere(2)
BINS = 100  # of the published histograms
WIDTH = 0.1  # radians over which histograms are smoothed before their peaks are counted
PROMINENCE = 0.05


def _angles(x: np.ndarray) -> np.ndarray:
    return np.arctan2(x[..., 1], x[..., 0])


def _gap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The distance between angles."""
    return np.abs(np.angle(np.exp(1j * (np.asarray(a) - b))))


def _histogram(theta: np.ndarray) -> np.ndarray:
    """The density of angles relative to the uniform law, smoothed, at BINS equispaced angles from 0."""
    shifted = (theta + np.pi / BINS) % (2 * np.pi)
    counts = np.histogram(shifted, BINS, (0, 2 * np.pi))[0] * BINS / len(theta)
    kept = np.exp(-((np.arange(BINS // 2 + 1) * WIDTH) ** 2) / 2)
    return np.maximum(np.fft.irfft(np.fft.rfft(counts) * kept, BINS), 0.0)


def _most_frequent(counts: list[int]) -> int:
    return Counter(counts).most_common(1)[0][0]


# --- tokens -----------------------------------------------------------------------------------------------------------


def _token_clusters(*, seed: int, beta: float, n: int, runs: int, shown: float, t1: float, turn: float) -> Finding:
    """Independent uniform tokens: peaks at the time of the published histogram; the angle of the pattern then."""
    k = int(theory.k_max(beta, 2).value)
    model, ts = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta)), np.linspace(0, t1, 41)
    at = int(np.argmin(np.abs(ts - shown)))
    counts, errors, kept = [], [], None
    for run in range(runs):
        start = tkf.initial.uniform(CIRCLE, n, seed=1000 * seed + run)
        # RK4 in place of 1000 and more Euler steps: the fastest mode grows by e^0.3 in a step
        theta = _angles(np.asarray(tkf.solve(model, start, t1=t1, method="rk4", step=ts[1], save=ts).saved_points))
        places = theory.cluster_angles(theta[0], k).value + turn * np.pi / k
        counts.append(tkf.observables.density_modes(_histogram(theta[at]), prominence=PROMINENCE).count)
        pattern = np.angle(np.mean(np.exp(1j * k * theta[at])))
        errors.append(float(_gap(k * places[0], pattern)) / k)
        kept = kept or {"theta": theta, "places": places}  # the first run is drawn, whatever it shows
    share = np.mean(np.array(counts) == k)
    spread = "sampling noise of the start decides between neighboring modes: 60 to 90 % of runs have k_max clusters"
    checks = [
        equals(
            f"most frequent number of clusters at t = {shown:g}", _most_frequent(counts), k, within=0, because=spread
        ),
        at_least(f"share of runs with {k} clusters", share, 0.5, slack=0.5 / np.sqrt(runs), because=spread),
        at_most(
            "median error of the angle of the pattern, radians",
            np.median(errors),
            0.1,
            slack=float(0.2 / np.sqrt(runs)),
            because="other modes turn the pattern by about 0.05; and the error of a median over runs",
        ),
    ]
    return Finding(checks, {"ts": ts, "at": at, "k": k, "beta": beta, **(kept or {})})


def _draw_tokens(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2, width=7.2)
    theta, ts, places = data["theta"], data["ts"], np.asarray(data["places"]) % (2 * np.pi)
    some = np.argsort(theta[0])[:: max(1, theta.shape[1] // 120)]
    for path in theta[:, some].T:
        angles = path % (2 * np.pi)
        angles[np.append(np.abs(np.diff(angles)) > np.pi, False)] = np.nan  # no lines across the cut
        left.plot(ts, angles, color=PALETTE[0], linewidth=0.5)
    left.axvline(ts[data["at"]], color=REST, linewidth=0.8, linestyle=":")
    for place in places:
        left.axhline(place, **PREDICTED)
    ticks = [0, np.pi, 2 * np.pi]
    left.set(xlabel="time $t$ of the flow", ylabel=r"$\theta_i$", xlim=(0, ts[-1]), ylim=(0, 2 * np.pi), yticks=ticks)
    left.set_yticklabels(["0", r"$\pi$", r"$2\pi$"])
    right.hist(
        theta[data["at"]] % (2 * np.pi), BINS, range=(0, 2 * np.pi), density=True, color=PALETTE[0], label="tokens"
    )
    for i, place in enumerate(places):
        mark_predicted(right, place, "predicted" if not i else "_nolegend_", axis="x")
    right.set(xlabel=r"$\theta$", ylabel="density", xticks=ticks, title=f"$t = {ts[data['at']]:.3g}$")
    right.set_xticklabels(["0", r"$\pi$", r"$2\pi$"])
    right.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


# --- densities --------------------------------------------------------------------------------------------------------


def _density_clusters(
    *, seed: int, betas: tuple[float, ...], nodes: int, tokens: float, runs: int, turn: float
) -> Finding:
    """Densities that start as uniform + white noise, as noisy as so many tokens are, up to what the grid resolves."""
    grid, checks, shown = Fourier(nodes), [], []
    angles = 2 * np.pi * np.arange(nodes) / nodes
    for beta in betas:
        k = int(theory.k_max(beta, 2).value)
        model = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta))
        exit = float(theory.exit_time(beta, 2, tokens, attention="unnormalized").value)
        counts, turns, errors = [], [], []
        for run in range(runs):
            start = Density.noisy_uniform(grid, amplitude=float(np.sqrt(nodes / tokens)), seed=1000 * seed + run)
            weights = np.asarray(start.values) / nodes
            places = theory.cluster_angles(angles, k, weights=weights).value + turn * np.pi / k
            # fixed steps, as the noise is below an adaptive method's tolerance; ends where peaks outgrow the grid
            final = tkf.solve(model, start, t1=2 * exit, method="rk4", step=exit / 200, save="end").final
            modes = tkf.observables.density_modes(np.asarray(final.values), prominence=PROMINENCE)
            counts.append(modes.count)
            pattern = np.angle(np.sum(np.asarray(final.values) * np.exp(1j * k * angles)))
            turns.append(float(_gap(k * places[0], pattern)) / k)
            errors.append(float(_gap(places[:, None], modes.angles).min(axis=1).mean()) if modes.count else np.pi)
            if run == 0:
                shown.append({"beta": beta, "values": np.asarray(final.values), "places": places})
        what, why = f"most frequent number of peaks at β = {beta:g}", "a whole number"
        checks.append(equals(what, _most_frequent(counts), k, within=0, because=why))
        why = "four of five runs, since a neighboring mode can be ahead at the start; less the error of a share"
        what = f"share of runs with the pattern within 0.1 rad, β = {beta:g}"
        checks.append(at_least(what, np.mean(np.array(turns) < 0.1), 0.8, slack=0.4 / np.sqrt(runs), because=why))
        what = f"median over runs of the mean error of single peaks, rad, β = {beta:g}"
        why = "the second fastest mode is smaller by a low power of the noise only, and displaces peaks"
        checks.append(at_most(what, np.median(errors), 0.1, because=why))
    return Finding(checks, {"angles": angles, "shown": shown})


def _draw_densities(finding: Finding) -> Figure:
    shown = finding.data["shown"]
    figure, axes = panels(len(shown), squeeze=False)
    for ax, one in zip(axes[0], shown, strict=True):
        ax.plot(finding.data["angles"], one["values"], **MEASURED, label="density")
        for i, place in enumerate(np.asarray(one["places"]) % (2 * np.pi)):
            mark_predicted(ax, place, "predicted" if not i else "_nolegend_", axis="x")
        ax.set(xlabel=r"$\theta$", ylabel="density / uniform", title=rf"$\beta = {one['beta']:g}$")
        ax.set(xticks=[0, np.pi, 2 * np.pi], xlim=(0, 2 * np.pi))
        ax.set_xticklabels(["0", r"$\pi$", r"$2\pi$"])
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


# --- symmetry ---------------------------------------------------------------------------------------------------------


def _symmetry(*, seed: int, beta: float, n: int, t1: float, broken: float) -> Finding:
    """Tokens that start k-fold symmetric, near the uniform law, where asymmetry would grow fastest."""
    k = int(theory.k_max(beta, 2).value)
    sector = 2 * np.pi * np.arange(n) / (n * k) + 0.3 / n * np.random.default_rng(seed).normal(size=n)
    theta = np.concatenate([sector + 2 * np.pi * j / k for j in range(k)])
    theta[0] += broken
    ts = np.linspace(0, t1, 61)
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta))
    x = np.asarray(tkf.solve(model, on_circle(theta), t1=t1, method="rk4", step=ts[1] / 4, save=ts).saved_points)
    parts = (x[..., 0] + 1j * x[..., 1]).reshape(len(ts), k, n)
    turned = parts * np.exp(-2j * np.pi * np.arange(k) / k)[:, None]
    asymmetry = np.abs(turned - turned[:, :1]).max(axis=(1, 2))
    gathered = np.abs(np.mean(parts**k, axis=(1, 2)))
    checks = [
        at_most(
            "largest deviation from symmetry, radians",
            asymmetry.max(),
            0,
            slack=1e-10,
            because="rounding of 1e-16 grows at most like the fastest mode, by e^11",
        ),
        at_least(f"|μ̂_{k}| at the end", gathered[-1], 0.99, because=f"tokens have all gone to {k} clusters"),
    ]
    return Finding(checks, {"ts": ts, "asymmetry": asymmetry, "theta": _angles(x)})


def _draw_symmetry(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    ts, theta = finding.data["ts"], finding.data["theta"]
    left.plot(ts, np.unwrap(theta, axis=0), linewidth=0.6, **MEASURED)
    left.set(xlabel="time $t$ of the flow", ylabel=r"$\theta_i$")
    right.semilogy(ts, np.maximum(finding.data["asymmetry"], 1e-17), **MEASURED)
    right.axhline(1e-10, label="tolerance", **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="deviation from symmetry", ylim=(1e-17, 1))
    right.legend()
    return figure


def _instability_rate(beta: float, k: int) -> float:
    """The largest growth rate of displacements of k equal clusters at the corners of a regular polygon.

    With h(p) = e^{beta cos p} sin p, a displacement cos(2 pi m i / k) of cluster i grows at the rate
    -(1/k) sum_j h'(2 pi j / k) (1 - cos(2 pi m j / k)).
    """
    p = 2 * np.pi * np.arange(1, k) / k
    slope = np.exp(beta * np.cos(p)) * (np.cos(p) - beta * np.sin(p) ** 2)
    return float(max(-np.sum(slope * (1 - np.cos(m * p))) / k for m in range(1, k)))


def _rate_alone(beta: float, k: int) -> float:
    """The rate at which one cluster would leave its corner if the others were held."""
    p = 2 * np.pi * np.arange(1, k) / k
    return float(-np.sum(np.exp(beta * np.cos(p)) * (np.cos(p) - beta * np.sin(p) ** 2)) / k)


def _instability(*, seed: int, cases: tuple[tuple[float, int], ...], nudge: float, others: str) -> Finding:
    checks, curves = [], []
    for beta, k in cases:
        rate = _instability_rate(beta, k)
        even = 2 * np.pi * np.arange(k) / k
        noise = np.random.default_rng(seed).normal(size=k)
        start = on_circle(even + nudge * (noise - noise.mean()))
        model = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta))
        ts = np.linspace(0, 1.6 * np.log(1 / nudge) / rate, 241)
        run = tkf.solve(model, start, t1=ts[-1], save=ts, rtol=1e-11, atol=1e-14)
        away = np.angle(np.exp(1j * (_angles(np.asarray(run.saved_points)) - even)))
        sizes = np.sqrt(np.mean((away - away.mean(axis=1, keepdims=True)) ** 2, axis=1))
        window = (sizes > 1e2 * nudge) & (np.cumsum(sizes > 1e-3) == 0)
        slope = np.polyfit(ts[window], np.log(sizes[window]), 1)[0] if np.sum(window) > 3 else 0.0
        why = "displacements up to 1e-3; slower ones have died away relative to the fastest"
        what = f"rate at which {k} clusters leave symmetry, β = {beta:g}"
        predicted = rate if others == "move" else _rate_alone(beta, k)
        checks.append(equals(what, slope, predicted, within=0.01, because=why, is_relative=True))
        left = run.clusters(delta=0.1).count
        checks.append(at_most(f"clusters left of {k}, β = {beta:g}", left, k - 1, because="a whole number"))
        curves.append({"ts": ts, "sizes": sizes, "rate": rate, "k": k, "beta": beta})
    return Finding(checks, {"curves": curves})


def _draw_instability(finding: Finding) -> Figure:
    figure, ax = panels()
    for color, curve in zip(PALETTE, finding.data["curves"], strict=False):
        s, sizes, early = curve["rate"] * curve["ts"], curve["sizes"], curve["sizes"] < 0.05
        ax.semilogy(s, sizes, color=color, label=rf"$k = {curve['k']}$, $\beta = {curve['beta']:g}$")
        middle = int(np.argmin(np.abs(np.log(sizes / 1e-4))))
        ax.semilogy(s[early], sizes[middle] * np.exp(s[early] - s[middle]), **PREDICTED)
    ax.plot([], [], label="predicted slope, through $10^{-4}$", **PREDICTED)
    ax.set(xlabel=r"$\lambda t$", ylabel="distance from the symmetric state", ylim=(1e-8, 10))
    ax.legend(loc="lower right")
    return figure


_LIMIT = (
    "The prediction is for infinitely many tokens: at $N = 2 \\cdot 10^4$ the pattern as a whole stands where "
    "predicted, but single clusters are off by a few tenths of a radian, because the neighboring modes are still about "
    "half as large when clusters form. "
)


def _tokens_claim(id: str, title: str, beta: float, shown: float, t1: float, words: str) -> Claim:
    common = {"beta": beta, "shown": shown, "t1": t1, "turn": 0.0}
    return Claim(
        id=id,
        title=title,
        statement=rf"Of many independent uniform tokens on the circle, {words}, as many as the fastest growing degree "
        r"$k_{\max}(\beta)$, at the angles $(2 \pi j - \operatorname{arg} \hat\mu_k)/k$ of the start, "
        r"$\hat\mu_k = \frac{1}{N} \sum_i e^{-i k \theta_i}$.",
        paper="bpa25",
        where="figure of the particle simulations",
        status="figure",
        assumptions=(r"unnormalized attention, $Q = K = V = I$",),
        note=_LIMIT + "Individual seeds show one cluster more or less.",
        experiment=_token_clusters,
        draw=_draw_tokens,
        quick=Setting(common | {"n": 8000, "runs": 12}, seconds=8),
        full=Setting(common | {"n": 20_000, "runs": 40}, seconds=35),
        control=Control(
            {"turn": 0.5}, "a pattern turned by a quarter of its period is not there", "angle of the pattern"
        ),
        main="most frequent number",
    )


CLAIMS = (
    _tokens_claim(
        "bpa25-three-clusters", "Three clusters at β = 5", 5.0, 0.3, 0.6, r"three clusters form at $\beta = 5$"
    ),
    _tokens_claim(
        "bpa25-four-clusters", "Four clusters at β = 7", 7.0, 0.045, 0.1, r"four clusters form at $\beta = 7$"
    ),
    Claim(
        id="bpa25-density-clusters",
        title="From noise of size 1e-10 the density grows 3 or 4 peaks where its first Fourier mode says",
        statement=r"From the uniform law plus noise of size $10^{-10}$ the mean-field density grows 3 peaks at "
        r"$\beta = 5$ and 4 at $\beta = 7$, at the angles $(2 \pi j - \operatorname{arg} \hat\mu_k)/k$ of the start, "
        r"$k = k_{\max}(\beta)$. At the published noise of 1% single peaks stand elsewhere.",
        paper="bpa25",
        where="figure of the PDE simulations",
        status="figure",
        assumptions=(r"unnormalized attention, $Q = K = V = I$; noise of size $10^{-10}$ (that of $10^{20}$ tokens)",),
        note=_LIMIT
        + "Single peaks need noise far below the published 1 %; at $\\beta = 7$, where $\\gamma_3$ is only 6 % "
        "below $\\gamma_4$, the worst of the four is often off by more than 0.1 even at noise $10^{-10}$.",
        experiment=_density_clusters,
        draw=_draw_densities,
        quick=Setting({"betas": (5.0, 7.0), "nodes": 128, "tokens": 1e20, "runs": 10, "turn": 0.0}, seconds=3),
        full=Setting({"betas": (5.0, 7.0), "nodes": 512, "tokens": 1e20, "runs": 40, "turn": 0.0}, seconds=9),
        control=Control({"turn": 0.5}, "a pattern turned by a quarter of its period is not there", "within 0.1 rad"),
        main="within 0.1 rad, β = 5",
    ),
    Claim(
        id="bpa25-symmetric-stays",
        title="Symmetric tokens stay symmetric",
        statement=r"If the start is invariant under the turn by $2\pi/k_{\max}$, so is the solution at all times: the "
        r"clusters are then exactly $k_{\max}$ and exactly equispaced.",
        paper="bpa25",
        where="section on symmetric initial data",
        status="theorem",
        main="deviation from symmetry",
        assumptions=(r"unnormalized attention on the circle, $Q = K = V = I$",),
        experiment=_symmetry,
        draw=_draw_symmetry,
        quick=Setting({"beta": 5.0, "n": 16, "t1": 0.6, "broken": 0.0}, seconds=2),
        full=Setting({"beta": 5.0, "n": 128, "t1": 0.6, "broken": 0.0}, seconds=4),
        control=Control({"broken": 1e-6}, "one token moved by 1e-6 breaks the symmetry, which then grows", "deviation"),
    ),
    Claim(
        id="bpa25-symmetric-unstable",
        title="Symmetric clusters are only metastable",
        statement=r"$k$ equal clusters at the corners of a regular polygon are stationary but unstable: displacements "
        r"grow at the rate $\max_m -\frac{1}{k} \sum_j h'(\tfrac{2\pi j}{k}) (1 - \cos \tfrac{2\pi m j}{k})$ with "
        r"$h(\varphi) = e^{\beta \cos \varphi} \sin \varphi$, and then clusters merge.",
        paper="bpa25",
        where="meta-stability (title, abstract)",
        status="derived",
        main="rate at which 3",
        assumptions=(r"unnormalized attention on the circle, $Q = K = V = I$, clusters collapsed to points",),
        note="The rate is the linearization at the polygon, derived here.",
        experiment=_instability,
        draw=_draw_instability,
        quick=Setting({"cases": ((5.0, 3),), "nudge": 1e-7, "others": "move"}, seconds=2),
        full=Setting({"cases": ((5.0, 3), (7.0, 4), (12.0, 5)), "nudge": 1e-7, "others": "move"}, seconds=15),
        control=Control({"others": "held"}, "the rate of one cluster while the others are held", "rate at which"),
    ),
)
