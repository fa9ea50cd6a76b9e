"""Claims of arXiv 2410.23228 on the first phase: how fast harmonics grow at the uniform law, and which grows fastest.

Rates are measured by the density solvers (Fourier on the circle, zonal harmonics on S^{d-1}) from small seeded modes,
and once from independent tokens. What the modes become is in `meanfield_clusters`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import INK, PALETTE, PREDICTED, REST, panels
from tokenfield.laws import Density, Fourier, Zonal
from tokenfield.theory.harmonics import log_multiplicity

KINDS = {"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized}
AMPLITUDE = 1e-8  # of a mode: products of modes and rounding are both this small relative to it
STEPS = 64  # of RK4 over a growth by e^2 at most: 1e-7 of the rate


def _grid(d: int, nodes: int) -> Fourier | Zonal:
    return Fourier(nodes) if d == 2 else Zonal(d, nodes)


def _coefficients(rho: Density) -> np.ndarray:
    """One number for each degree, up to a factor that does not change in time."""
    if isinstance(rho.grid, Zonal):
        return np.asarray(rho.grid.coefficients(rho.values))
    return np.fft.rfft(np.asarray(rho.values)).real


def _measured_rates(kind: str, beta: float, grid: Fourier | Zonal, degrees: Sequence[int]) -> np.ndarray:
    """The rates of `degrees`, seeded together on the uniform law, from one run of the density solver."""
    d = grid.d
    values = np.ones(grid.m)
    for k in degrees:
        # of one root mean square, whatever the dimension: a harmonic that is 1 at the pole is tiny elsewhere
        scale = AMPLITUDE * np.exp(float(log_multiplicity(d, np.array([k]))[0]) / 2)
        values += scale * (np.asarray(Density.perturbed_uniform(grid, degree=k, amplitude=1.0).values) - 1)
    start = Density(grid, values)
    model = tkf.Transformer(tkf.Sphere(d), KINDS[kind](beta))
    t1 = 2 / float(np.max(theory.growth_rates(beta, d, attention=kind).value))
    run = tkf.solve(model, start, t1=t1, method="rk4", step=t1 / STEPS, save="end")
    chosen = np.asarray(degrees)
    return np.log(np.abs(_coefficients(run.final)[chosen] / _coefficients(start)[chosen])) / t1


# --- rates on the circle and on spheres ---------------------------------------------------------------------------


def _rates(
    *, seed: int, kinds: tuple[str, ...], dimensions: tuple[int, ...], betas: tuple[float, ...], nodes: int, more: int
) -> Finding:
    """Each degree alone, so that it is seeded and measured as in the statement; nothing here is random."""
    checks: list[Check] = []
    curves = []
    for d in dimensions:
        for kind in kinds:
            misses = []
            why = "RK4 steps of γ dt = 1/32, modes of 1e-8 in double precision"
            for beta in betas:
                grid, degrees = _grid(d, nodes), range(1, 7)
                found = np.array([_measured_rates(kind, beta, grid, [k])[0] for k in degrees])
                expected = theory.growth_rates(beta, d + more, count=len(degrees), attention=kind).value
                misses.append(np.max(np.abs(found - expected)) / np.max(expected))
                curves.append({"d": d, "kind": kind, "beta": beta, "found": found, "expected": expected})
                if beta == betas[0]:
                    k = int(np.argmax(expected))
                    what = f"largest rate, γ_{k + 1} at β = {beta:g}, {kind}, d = {d}"
                    checks.append(equals(what, found[k], expected[k], within=1e-4, because=why, is_relative=True))
            what = f"worst error of γ_1, ..., γ_6 relative to the largest, {kind}, d = {d}"
            checks.append(equals(what, np.max(misses), 0.0, within=1e-4, because=why))
    return Finding(checks, {"curves": curves})


def _draw_rates(finding: Finding) -> Figure:
    curves = finding.data["curves"]
    kinds = list(dict.fromkeys(curve["kind"] for curve in curves))
    figure, axes = panels(len(kinds), squeeze=False)
    several_d = len({curve["d"] for curve in curves}) > 1
    for ax, kind in zip(axes[0], kinds, strict=True):
        shown = [curve for curve in curves if curve["kind"] == kind]
        for color, curve in zip(PALETTE, shown, strict=False):
            k = np.arange(1, len(curve["found"]) + 1)
            label = f"$d = {curve['d']}$, " if several_d else ""
            ax.plot(k, curve["found"], "o", color=color, markersize=4.5, label=label + rf"$\beta = {curve['beta']:g}$")
            ax.plot(k, curve["expected"], **PREDICTED)
        ax.plot([], [], label="predicted", **PREDICTED)
        ax.set(xlabel="degree $k$", ylabel=r"growth rate $\gamma_k$", title=f"{kind} attention")
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


# --- the factor pi in the published notebook ----------------------------------------------------------------------


EARLY = 1.5  # e-foldings over which modes of a few thousand tokens stay small


def _token_slopes(*, seed: int, beta: float, n: int, runs: int, formula: str) -> Finding:
    """The slope of the root mean square of |muhat_k| over runs of independent tokens, k = k_max; no run is left out."""
    k = int(theory.k_max(beta, 2).value)
    rate = float(theory.growth_rates(beta, 2, count=k, attention="unnormalized").value[-1])
    printed = rate / np.pi
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta))
    ts, sizes = np.linspace(0, 4.2 / rate, 15), []
    for run in range(runs):
        start = tkf.initial.uniform(tkf.Sphere(2), n, seed=1000 * seed + run)
        x = np.asarray(tkf.solve(model, start, t1=ts[-1], method="rk4", step=ts[1], save=ts).saved_points)
        sizes.append(np.abs(np.mean((x[..., 0] + 1j * x[..., 1]) ** k, axis=1)))
    squares, is_early = np.array(sizes) ** 2, rate * ts < EARLY + 1e-9

    def slope(chosen: np.ndarray) -> float:
        return float(np.polyfit(ts[is_early], np.log(chosen.mean(axis=0)[is_early]) / 2, 1)[0])

    # the error by leaving out one run at a time
    without = np.array([slope(np.delete(squares, i, axis=0)) for i in range(runs)])
    error = float(np.sqrt((runs - 1) * np.var(without)))
    predicted, found = rate if formula == "corrected" else printed, slope(squares)
    why = "products of modes of size 0.05"
    checks = [
        equals(
            f"slope of log rms |μ̂_{k}|, {runs} runs of {n} tokens",
            found, predicted, within=0.05, because=why, is_relative=True, error=error,
        ),
        equals(
            "the same over the notebook's rate, by π", found / printed / np.pi, 1.0, within=0.05, because=why,
            error=error / rate,
        ),
    ]  # fmt: skip
    return Finding(checks, {"ts": ts, "sizes": np.array(sizes), "k": k, "rate": rate, "printed": printed})


def _draw_slopes(finding: Finding) -> Figure:
    data = finding.data
    figure, ax = panels()
    ts, k, mean = data["ts"], data["k"], np.sqrt(np.mean(data["sizes"] ** 2, axis=0))
    for i, size in enumerate(data["sizes"]):
        ax.semilogy(ts, size, color=REST, linewidth=0.6, alpha=0.7, label="single runs" if not i else None)
    ax.semilogy(ts, mean, color=PALETTE[0], label="root mean square")
    early = data["rate"] * ts < EARLY + 1e-9
    ax.axvspan(0, ts[early][-1], color=REST, alpha=0.15, linewidth=0, label="where the slope is read")
    line = 1.25 * mean[0] * np.exp(data["rate"] * ts)
    ax.semilogy(
        ts[line < 1], line[line < 1], label=rf"$e^{{{data['rate']:.2f}\, t}}$, 1.25 times the start", **PREDICTED
    )
    other = {"color": PALETTE[1], "linestyle": "dotted", "linewidth": 1.6}
    printed = data["printed"]
    ax.semilogy(
        ts, 0.8 * mean[0] * np.exp(printed * ts), label=rf"notebook, $e^{{{printed:.2f}\, t}}$, 0.8 times", **other
    )
    ax.set(xlabel="time $t$ of the flow", ylabel=rf"$|\hat\mu_{k}|$", ylim=(1e-3, 1.2))
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


# --- thresholds of k_max --------------------------------------------------------------------------------------------


def _thresholds(*, seed: int, dimensions: tuple[int, ...], counts: tuple[int, ...], points: int, more: int) -> Finding:
    """Where measured rates of k and k+1 cross: a scan in beta, then bisection by runs of the solver."""
    checks: list[Check] = []
    curves = []
    for d, count in zip(dimensions, counts, strict=True):
        grid, degrees = _grid(d, 64 if d == 2 else 40), list(range(1, count + 2))
        betas = np.geomspace(0.6, 26.0, points)
        rates = np.array([_measured_rates("softmax", beta, grid, degrees) for beta in betas])
        found = []
        for k in range(1, count + 1):

            def lead(beta: float, k: int = k, grid: Fourier | Zonal = grid) -> float:
                lower, upper = _measured_rates("softmax", beta, grid, [k, k + 1])
                return float(upper - lower)

            ahead = rates[:, k] > rates[:, k - 1]
            at = int(np.argmax(ahead))
            is_bracketed = ahead[-1] and not ahead[0]
            found.append(brentq(lead, betas[at - 1], betas[at], xtol=1e-5) if is_bracketed else np.nan)
        expected = theory.thresholds(d + more, count=count).value
        misses = np.abs(np.array(found) - expected)
        worst = 1e3 if np.any(np.isnan(misses)) else float(np.max(misses))
        why = "measured rates are good to 1e-7, and cross at angles of 0.01 and more"
        checks.append(
            equals(f"worst error of the first {count} thresholds, d = {d}", worst, 0.0, within=1e-4, because=why)
        )
        if d == 2:
            what = "β at which k_max goes from 3 to 4 on the circle"
            four = found[2] if not np.isnan(found[2]) else 1e3
            checks.append(equals(what, four, expected[2], within=1e-4, because=why))
        curves.append({"d": d, "betas": betas, "fastest": np.argmax(rates, axis=1) + 1, "expected": expected})
    return Finding(checks, {"curves": curves})


def _draw_thresholds(finding: Finding) -> Figure:
    figure, ax = panels(width=4.9)
    for i, curve in enumerate(finding.data["curves"]):
        end = min(1.2 * curve["expected"][-1], curve["betas"][-1])  # degrees beyond the last one were not measured
        edges = np.concatenate([[curve["betas"][0]], curve["expected"], [end]])
        # steps of several dimensions would hide each other
        ax.stairs(
            np.arange(1, len(edges)) + 0.07 * i, edges, baseline=None, color=INK, linestyle=(0, (4, 2)), linewidth=1
        )
        label = f"fastest degree, $d = {curve['d']}$"
        shown = curve["betas"] <= end
        ax.plot(curve["betas"][shown], curve["fastest"][shown] + 0.07 * i, "o", color=PALETTE[i], ms=3.5, label=label)
    beta = np.geomspace(0.6, 26, 200)
    ax.plot(beta, np.sqrt(2 * beta), color=REST, linewidth=1, label=r"$\sqrt{2\beta}$")
    ax.plot([], [], label="predicted", **PREDICTED)
    ax.set(xlabel=r"$\beta$", ylabel=r"$k_{\max}$", xscale="log")
    ax.legend(loc="upper left")
    return figure


_SEEDED = "an infinitesimal perturbation of the uniform law by a harmonic of degree $k$; $Q = K = V = I$"
_DEDUCED = "The paper proves the linear phase; the closed forms are derived here and checked by the simulation."

CLAIMS = (
    Claim(
        id="bpa25-growth-rates-circle",
        title="Modes of the uniform law on the circle grow at Bessel rates",
        statement=r"On the circle a perturbation $\cos k\theta$ of the uniform law grows like $e^{\gamma_k t}$ with "
        r"$\gamma_k = \frac{k^2 I_k(\beta)}{\beta}$ for unnormalized attention and "
        r"$\gamma_k = \frac{k^2 I_k(\beta)}{\beta I_0(\beta)}$ for softmax attention.",
        paper="bpa25",
        where="linear phase near the uniform law",
        status="derived",
        assumptions=(_SEEDED,),
        note=_DEDUCED,
        experiment=_rates,
        draw=_draw_rates,
        quick=Setting(
            {"kinds": ("unnormalized", "softmax"), "dimensions": (2,), "betas": (5.0, 7.0), "nodes": 64, "more": 0},
            seconds=4,
        ),
        full=Setting(
            {
                "kinds": ("unnormalized", "softmax"),
                "dimensions": (2,),
                "betas": (1.0, 5.0, 7.0, 20.0),
                "nodes": 128,
                "more": 0,
            },
            seconds=10,
        ),
        control=Control({"more": 1}, "the rates of the sphere, d = 3, in place of the circle's", "worst error"),
        main="largest rate, γ_3 at β = 5, unnormalized",
    ),
    Claim(
        id="bpa25-notebook-rate",
        title="The growth rate printed by the notebook lacks the factor π",
        statement=r"Of independent uniform tokens with $\dot\theta_i = -\frac{1}{N} \sum_j e^{\beta \cos(\theta_i - "
        r"\theta_j)} \sin(\theta_i - \theta_j)$, the mode $k_{\max}$ grows at the rate $\frac{k^2 I_k(\beta)}{\beta}$, "
        r"not $\frac{k^2 I_k(\beta)}{\pi \beta}$, as the notebook prints it.",
        paper="bpa25",
        where="notebook experiments.ipynb, gbruno16/transformers-metastability at dafd7da, g_coeff (not the paper)",
        status="erratum",
        main="slope of log rms",
        assumptions=(r"$N$ large, $\beta = 5$, $k = 3$: 18.60 against 5.92",),
        note="The notebook plots $k^2 I_k(\\beta)/(\\pi \\beta)$ to show which mode grows fastest, and for that a "
        "factor "
        "that all modes share does not matter. For times it does. The paper states no rate with this factor to our "
        "knowledge.",
        experiment=_token_slopes,
        draw=_draw_slopes,
        quick=Setting({"beta": 5.0, "n": 4000, "runs": 8, "formula": "corrected"}, seconds=3),
        full=Setting({"beta": 5.0, "n": 20_000, "runs": 24, "formula": "corrected"}, seconds=10),
        control=Control({"formula": "printed"}, "the notebook's rate, 5.92", "slope of log rms"),
    ),
    Claim(
        id="bpa25-growth-rates-sphere",
        title="Harmonics of the uniform law on spheres grow at Bessel rates",
        statement=r"On $S^{d-1}$ a perturbation of degree $k$ grows at the rate $\gamma_k = k(k+d-2) "
        r"\frac{I_{k+d/2-1}(\beta)}{\beta I_{d/2-1}(\beta)}$ for softmax attention, and at that times "
        r"$\Gamma(\tfrac{d}{2}) (\tfrac{2}{\beta})^{d/2-1} I_{d/2-1}(\beta)$ for unnormalized attention.",
        paper="bpa25",
        where="linear phase near the uniform law",
        status="derived",
        assumptions=(_SEEDED, "the harmonic is symmetric about an axis; all of one degree share the rate"),
        note=_DEDUCED,
        experiment=_rates,
        draw=_draw_rates,
        quick=Setting(
            {"kinds": ("unnormalized",), "dimensions": (3, 8), "betas": (4.0,), "nodes": 24, "more": 0}, seconds=4
        ),
        full=Setting(
            {
                "kinds": ("unnormalized", "softmax"),
                "dimensions": (3, 4, 8, 32, 128),
                "betas": (4.0, 10.0),
                "nodes": 40,
                "more": 0,
            },
            seconds=44,
        ),
        control=Control({"more": 1}, "the rates of one dimension more", "worst error"),
        main="worst error",
    ),
    Claim(
        id="bpa25-k-max-thresholds",
        title="The fastest growing degree steps up at known temperatures",
        statement=r"The fastest growing degree $k_{\max}(\beta)$, which sets the number of the first clusters, goes "
        r"from $k$ to $k + 1$ where $(k+1)(k+d-1) I_{k+d/2}(\beta) = k(k+d-2) I_{k+d/2-1}(\beta)$: on the circle at "
        r"$\beta = 1.0445, 3.1654, 6.2113, \dots$, close to $k_{\max} = \sqrt{2\beta}$.",
        paper="bpa25",
        where="emergent periodicity k_max",
        status="derived",
        assumptions=(r"$Q = K = V = I$; the same for softmax and unnormalized attention",),
        note="The paper defines $k_{\\max}$; the values of the thresholds are computed here.",
        experiment=_thresholds,
        draw=_draw_thresholds,
        quick=Setting({"dimensions": (2,), "counts": (6,), "points": 20, "more": 0}, seconds=3),
        full=Setting({"dimensions": (2, 3, 4, 8), "counts": (6, 6, 4, 4), "points": 80, "more": 0}, seconds=44),
        control=Control({"more": 1}, "the thresholds of one dimension more", "worst error"),
        main="k_max goes from 3 to 4",
    ),
)
