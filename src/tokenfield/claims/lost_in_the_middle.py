"""Claims of "Lost in the middle" (arXiv 2605.09213): what the last token remembers of each token before it.

Causal attention on the circle with ALiBi, th_j' = Z_j^{-1} sum_{k<j} e^{-lam(j-k)/N} w'(th_j - th_k), w = e^{beta cos}.
The last of N + 1 tokens is at position 1 and sees the others as the middles s = (k + 1/2)/N of N cells.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize_scalar

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, REST, mark_predicted, panels
from tokenfield.geometry import on_circle

LAM = 1.0
COPIES = 16  # tokens that stand for the uniform law at one position: exact for modes m with I_{16-m}(beta) negligible
MODES = 7  # a_n = n^2 I_n(beta) falls off beyond
SIZE = 1e-5  # of perturbations: their effect is linear to this relative accuracy
# critical times at lam = 1, M = 8, printed by the published code
CRITICAL_TIMES = {1.0: 2.457489, 2.0: 0.600716, 3.0: 0.174018}


def _model(beta: jax.Array | float, cells: int, *, pace: jax.Array | float = 1.0) -> tkf.Transformer:
    """On the circle P_x y turns x by sin(th_y - th_x), so V = beta I makes w' = -beta sin e^{beta cos}, by `pace`."""
    position = [tkf.Causal(strict=True), tkf.ALiBi(LAM / cells)]
    return tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta), V=pace * beta * jnp.eye(2), position=position)


@eqx.filter_jit
def _responses(beta: jax.Array, pace: jax.Array, places: jax.Array, cells: int, times: tuple[float, ...]) -> jax.Array:
    """How the last position responds to a displacement sum_n sin(n theta) at one of `places`, (places, times, MODES).

    Every position holds COPIES tokens, equally spaced: the uniform law, which rests.
    """
    theta = jnp.tile(2 * jnp.pi * jnp.arange(COPIES) / COPIES, (cells + 1, 1))
    waves = jnp.sin(theta[0][:, None] * jnp.arange(1, MODES + 1))
    positions = jnp.repeat(jnp.arange(cells + 1.0), COPIES)
    model = _model(beta, cells, pace=pace)

    def one(place: jax.Array) -> jax.Array:
        start = theta.at[place].add(SIZE * waves.sum(axis=1))
        mu = tkf.Measure(on_circle(start).reshape(-1, 2), positions=positions)
        run = tkf.solve(model, mu, t1=times[-1], method="rk4", step=times[-1] / 20, save=list(times))
        x = run.saved_points[:, -COPIES:]
        turned = jnp.arctan2(x[..., 1], x[..., 0]) - theta[0]
        moved = jnp.arctan2(jnp.sin(turned), jnp.cos(turned)) / SIZE
        return 2 / COPIES * moved @ waves

    return jax.lax.map(one, places)


def _profile(
    beta: float, cells: int, M: float, first: float, times: tuple[float, ...], pace: float
) -> tuple[np.ndarray, np.ndarray]:
    """Positions s0 > first and the measured S_t there, (places, times)."""
    places = np.arange(int(np.ceil(first * cells)), cells)
    found = np.asarray(_responses(jnp.asarray(beta), jnp.asarray(pace), jnp.asarray(places), cells, times))
    weights = np.exp(-((np.pi * np.arange(1, MODES + 1)) ** 2) / (2 * M**2))
    return (places + 0.5) / cells, cells * found @ weights


# --- the least remembered token -----------------------------------------------------------------------------------


def _u_shape(*, seed: int, cells: int, first: float, beta: float, M: float, t: float) -> Finding:
    del seed  # nothing is random
    lowest, profiles = [], []
    for count in (cells // 2, cells):
        s, values = _profile(beta, count, M, first, (1.0,), t)
        smooth = np.polynomial.Polynomial.fit(s, values[:, 0], 6)
        found = minimize_scalar(smooth, bounds=(s[0], s[-1]), method="bounded", options={"xatol": 1e-6})
        lowest.append((float(found.x), float(found.fun)))
        profiles.append((count, s, values[:, 0]))
    # errors are of order 1/N: two numbers of cells give the limit up to 1/N^2
    place, least = 2 * np.array(lowest[1]) - lowest[0]
    S = profiles[1][2]
    given = {"beta": beta, "lam": LAM, "t": t, "M": M}
    exact = minimize_scalar(
        lambda x: float(theory.memory_profile(np.array([x]), **given).value[0]),
        bounds=(first, 1 - 1e-3),
        method="bounded",
        options={"xatol": 1e-6},
    )
    predicted = np.asarray(theory.memory_profile(s, **given).value)
    error, because = np.abs(S / predicted - 1).max(), "O(1/N) for N cells"
    last, first_value = S[-1] / lowest[1][1], S[0] / lowest[1][1]
    limit = "O(1/N²) after extrapolation from N and N/2 cells"
    checks = [
        equals("least S, extrapolated to N = ∞", least, exact.fun, within=4 / cells**2, because=limit),
        equals("s0 of the least remembered token, extrapolated", place, exact.x, within=4 / cells**2, because=limit),
        equals(f"largest relative error of S, {cells} cells", error, 0, within=1 / cells, because=because),
        at_least(f"S at s0 = {s[-1]:.3f} over the least S", last, 1.02, because="S rises to the last token"),
        at_least(f"S at s0 = {s[0]:.3f} over the least S", first_value, 1.1, because="S diverges at the first token"),
    ]
    return Finding(checks, {"profiles": profiles, "found": (place, least), "beta": beta, "M": M, "t": t})


def _draw_u_shape(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    for color, (cells, s, S) in zip((REST, PALETTE[0]), data["profiles"], strict=True):
        ax.plot(s, S, "o", color=color, markersize=4, label=f"{cells + 1} positions")
    fine = np.linspace(data["profiles"][1][1][0] / 1.5, 0.999, 300)
    predicted = theory.memory_profile(fine, beta=data["beta"], lam=LAM, t=data["t"], M=data["M"]).value
    ax.plot(fine, predicted, **PREDICTED, label=r"$N \to \infty$")
    ax.plot(*data["found"], "*", color=PALETTE[1], markersize=11, label="least, extrapolated")
    ax.set(xlabel="position $s_0$ of the earlier token", ylabel="memory $S_t(s_0)$ of the last token")
    ax.legend(loc="upper center")
    return figure


# --- critical times -----------------------------------------------------------------------------------------------


def _critical_times(*, seed: int, cells: int, first: float, betas: tuple[float, ...], M: float) -> Finding:
    del seed  # nothing is random
    checks, rows = [], []
    for beta in betas:
        predicted = CRITICAL_TIMES[beta]
        times = (0.75, 1.0, 1.25)  # in units of the predicted time, so that all betas share a compilation
        s, S = _profile(beta, cells, M, first, times, predicted)
        # the relative slope at the last token, s0 = 1
        fits = np.polynomial.polynomial.polyfit(s - 1, S, 2 if len(s) < 10 else 3)
        slopes = fits[1] / fits[0]
        found = float(np.interp(0.0, -slopes, predicted * np.array(times)))
        rows.append((beta, predicted * np.array(times), slopes))
        exact = float(theory.critical_time(beta=beta, lam=LAM, M=M))
        for what, value in (("printed", predicted), ("formula", exact)):
            what = f"time at which S stops rising at s0 = 1, β = {beta:g} ({what})"
            checks.append(
                equals(what, found, value, within=0.75 / cells, is_relative=True, because="O(1/N) for N cells")
            )
    return Finding(checks, {"rows": rows})


def _draw_critical_times(finding: Finding) -> Figure:
    figure, ax = panels(1)
    for i, (beta, times, slopes) in enumerate(finding.data["rows"]):
        ax.plot(times, slopes, "o-", color=PALETTE[i], markersize=4, label=rf"$\beta = {beta:g}$")
        mark_predicted(ax, CRITICAL_TIMES[beta], "critical time" if i == 0 else None, axis="x")
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(xscale="log", xlabel="time $t$ of the flow", ylabel="slope of $\\log S_t$ at $s_0 = 1$")
    ticks = [0.1, 0.2, 0.5, 1.0, 2.0]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


# --- tokens at random ---------------------------------------------------------------------------------------------


@eqx.filter_jit
def _last_tokens(points: jax.Array, beta: float, t: float) -> jax.Array:
    """The last token at time t of each system (runs, n, 2)."""
    model = _model(beta, points.shape[1] - 1)

    def one(x: jax.Array) -> jax.Array:
        return tkf.solve(model, tkf.Measure(x), t1=t, method="rk4", step=t / 5, save="end").final.points[-1]

    return jax.lax.map(one, points, batch_size=500)


def _memory(*, seed: int, cells: int, runs: int, beta: float, t: float, formula: str) -> Finding:
    theta = np.random.default_rng(seed).uniform(0, 2 * np.pi, (runs, cells + 1))
    last = np.asarray(_last_tokens(on_circle(jnp.asarray(theta)), beta, t))
    angle = np.arctan2(last[:, 1], last[:, 0])
    s = (np.arange(cells) + 0.5) / cells
    factor = 1.0 if formula == "corrected" else 2 * np.pi
    checks, rows = [], []
    for mode in (1, 2):
        # the mean at time 0 is zero, but its fluctuation is most of that at time t: subtract it
        start = np.exp(1j * mode * (theta[:, -1:] - theta[:, :-1]))
        samples = (np.exp(1j * mode * (angle[:, None] - theta[:, :-1])) - start).real
        predicted = _influence(s, mode, beta, factor * t) / cells
        mean, error = samples.mean(axis=0), samples.std(axis=0) / np.sqrt(runs)
        rows.append((mode, mean, error, _influence(s, mode, beta, t) / cells))
        for name, third in zip(("first", "middle", "last"), np.array_split(np.arange(cells), 3), strict=True):
            parts = samples[:, third].mean(axis=1)
            spread = parts.std(ddof=1) / np.sqrt(runs)
            value = predicted[third].mean()
            checks.append(
                equals(
                    f"memory of the {name} third, mode {mode}",
                    parts.mean(),
                    value,
                    within=3 * spread + 2 * abs(value) / cells,
                    because="three standard errors, and correlations of three tokens, O(1/N)",
                    error=spread,
                )
            )
    printed = _influence(s, 1, beta, 2 * np.pi * t) / cells
    ratio = printed.mean() / rows[0][1].mean()
    checks.append(at_least("formula without 1/2π over measurement, mode 1", ratio, 4, because="more than 2π"))
    return Finding(checks, {"s": s, "rows": rows})


def _influence(s: np.ndarray, mode: int, beta: float, t: float) -> np.ndarray:
    """g_{a_n}(t, 1; s0) of one mode: the profile with all of its weights one, less the modes before."""
    wide = {"beta": beta, "lam": LAM, "t": t, "M": 1e9}
    total = np.asarray(theory.memory_profile(s, modes=mode, **wide).value)
    return total if mode == 1 else total - np.asarray(theory.memory_profile(s, modes=mode - 1, **wide).value)


def _draw_memory(finding: Finding) -> Figure:
    figure, axes = panels(2, sharey=True)
    for ax, (mode, mean, error, predicted) in zip(axes, finding.data["rows"], strict=True):
        ax.errorbar(
            finding.data["s"], mean, 2 * error, fmt="o", color=PALETTE[0], markersize=3, linewidth=0.8, label="tokens"
        )
        ax.plot(finding.data["s"], predicted, **PREDICTED, label=r"$g_{a_n}/N$")
        ax.set(xlabel="position $s_0$", title=f"mode $n = {mode}$")
    axes[0].set(ylabel=r"$E \cos n(\theta_N(t) - \theta_i(0))$", ylim=(0, None))
    axes[0].legend(loc="lower right")
    return figure


NEAR = r"causal attention with ALiBi, $\lambda = 1$, many independent uniform tokens"
CLAIMS = (
    Claim(
        id="middle26-u-shape",
        title="The last token remembers the middle least",
        statement=r"The memory $S_t(s_0) = \sum_n e^{-\pi^2 n^2 / 2M^2} g_{a_n}(t, 1; s_0)$ that the last token has of "
        r"the token at $s_0$ diverges for $s_0 \to 0$, rises at $s_0 = 1$ and has one minimum in between. For "
        r"$\beta = \lambda = 1$, $M = 10$, $t = 2$ it is $S = 3.4257$ at $s_0 = 0.617$.",
        paper="middle26",
        where="theorem on the U shape, as a public formalization of version 1 has it",
        status="second-hand",
        main="s0 of the least remembered",
        assumptions=(
            NEAR,
            r"$g_a = k_\lambda \sqrt{at/Y} I_1(2\sqrt{atY})$, $Y = \log \frac{e^\lambda - 1}{e^{\lambda s_0} - 1}$",
        ),
        note="Measured as the response of the last position to a small displacement of one, all of them uniform.",
        experiment=_u_shape,
        draw=_draw_u_shape,
        quick=Setting({"cells": 24, "first": 0.2, "beta": 1.0, "M": 10.0, "t": 2.0}, seconds=5),
        full=Setting({"cells": 64, "first": 0.2, "beta": 1.0, "M": 10.0, "t": 2.0}, seconds=13),
        control=Control({"t": 4.0}, "after the critical time the memory falls until the last token", "S at s0 = 0.9"),
    ),
    Claim(
        id="middle26-critical-time",
        title="After a critical time the recent tokens are forgotten too",
        statement=r"$S_t$ rises at the last token up to "
        r"$t = 2(1 - e^{-\lambda}) \frac{\sum_n c_n a_n}{\sum_n c_n a_n^2}$, $c_n = e^{-\pi^2 n^2 / 2M^2}$, "
        r"$a_n = n^2 I_n(\beta)$: $2.457489$, $0.600716$ and $0.174018$ for $\beta = 1, 2, 3$, and falls afterwards.",
        paper="middle26",
        where="threshold curve of the published code",
        status="figure",
        assumptions=(NEAR, "$M = 8$"),
        experiment=_critical_times,
        draw=_draw_critical_times,
        quick=Setting({"cells": 20, "first": 0.7, "betas": (1.0, 2.0, 3.0), "M": 8.0}, seconds=3),
        full=Setting({"cells": 64, "first": 0.75, "betas": (1.0, 2.0, 3.0), "M": 8.0}, seconds=13),
        control=Control({"M": 2.0}, "with M = 2 the first modes count alone, and the times are others", "printed"),
        main="β = 1 (printed)",
    ),
    Claim(
        id="middle26-memory",
        title="The memory of random tokens is the influence function",
        statement=r"For independent uniform tokens "
        r"$E e^{in(\theta_N(t) - \theta_i(0))} \approx \frac{1}{N} g_{a_n}(t, 1; s_0)$ with $a_n = n^2 I_n(\beta)$.",
        paper="middle26",
        where="theorem on correlations, as a public formalization of version 1 has it",
        status="second-hand",
        main="middle third, mode 1",
        assumptions=(NEAR,),
        note=r"Integrals over the circle are means: the coefficient of $e^{\beta\cos\theta}$ is $I_n(\beta)$, as in "
        r"the paper's formulas and code. The control reads them without $\frac{1}{2\pi}$, with which $a_n$ is larger "
        r"by $2\pi$.",
        experiment=_memory,
        draw=_draw_memory,
        quick=Setting({"cells": 24, "runs": 8000, "beta": 1.0, "t": 0.5, "formula": "corrected"}, seconds=3),
        full=Setting({"cells": 48, "runs": 100_000, "beta": 1.0, "t": 0.5, "formula": "corrected"}, seconds=37),
        control=Control({"formula": "printed"}, "without 1/2π the rates are 2π times larger", "third, mode 1"),
        misses=0.02,
    ),
)
