"""Claims of "Sinkformers" (arXiv 2110.11773): doubly stochastic attention, and attention at small bandwidth.

At small bandwidth densities are weights on a regular grid of the line, so that sums are integrals to far better than
any tolerance here, as long as the bandwidth is several spacings.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, PALETTE, PREDICTED, mark_predicted, panels

HALF_WIDTH = 5.5
MIXTURE_MEAN, MIXTURE_SD = 1.5, 0.8


def _mixture(x: np.ndarray, spread: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A density and the derivative of its logarithm: two equal normal laws at +-1.5 of standard deviation 0.8.

    `spread` is added to their variances: the solution of a heat equation that starts there.
    """
    m, variance = MIXTURE_MEAN, MIXTURE_SD**2 + spread
    left, right = (np.exp(-((x - c) ** 2) / (2 * variance)) / np.sqrt(8 * np.pi * variance) for c in (-m, m))
    return left + right, (-(x + m) * left - (x - m) * right) / (variance * (left + right))


# --- rows and columns -----------------------------------------------------------------------------------------------


@eqx.filter_jit
def _matrix(attention: Any, Q: Array, K: Array, x: Array) -> Array:
    """The attention matrix (n, n) of tokens x (n, d), from its action: token j carries the unit vector e_j along."""
    n, d = x.shape
    model = tkf.Transformer(
        tkf.Euclidean(d + n), attention, Q=jnp.pad(Q, ((0, 0), (0, n))), K=jnp.pad(K, ((0, 0), (0, n)))
    )
    points = jnp.concatenate([x, jnp.eye(n, dtype=x.dtype)], axis=1)
    return model.velocity(0.0, points, tkf.Measure(points))[:, d:]


def _doubly_stochastic(*, seed: int, n: int, beta: float, sweeps: int | None) -> Finding:
    rng = np.random.default_rng(seed)
    x, (Q, K) = rng.normal(size=(n, 3)), rng.normal(size=(2, 3, 3)) / 2
    scaled, softmax = (np.asarray(_matrix(a, Q, K, x)) for a in (tkf.Sinkhorn(beta, sweeps), tkf.Softmax(beta)))
    symmetric = np.asarray(_matrix(tkf.Sinkhorn(beta, sweeps), Q, Q, x))
    rows, columns = (np.abs(scaled.sum(axis=axis) - 1).max() for axis in (1, 0))
    why = "the tolerance of the sweeps"
    checks = [
        equals("largest error of a row sum", rows, 0, within=2e-10, because=why),
        equals("largest error of a column sum", columns, 0, within=2e-10, because=why),
        equals("asymmetry of the matrix with Q = K", np.abs(symmetric - symmetric.T).max(), 0, within=2e-10,
               because=why),
        at_least("largest error of a column sum under softmax", np.abs(softmax.sum(axis=0) - 1).max(), 0.05,
                 because="softmax normalizes rows alone: far beyond the tolerance"),
    ]  # fmt: skip
    return Finding(checks, {"sinkhorn": scaled, "softmax": softmax})


def _draw_sums(finding: Finding) -> Figure:
    figure, axes = panels(2, sharey=True)
    for ax, name in zip(axes, ("softmax", "sinkhorn"), strict=True):
        matrix = finding.data[name]
        token = np.arange(len(matrix))
        ax.plot(token, np.sort(matrix.sum(axis=0)), "o", color=PALETTE[1], markersize=3.5, label="columns")
        ax.plot(token, np.sort(matrix.sum(axis=1)), "o", color=PALETTE[0], markersize=2, label="rows")
        ax.set(xlabel="token, in order of its sum", title=name.capitalize())
        mark_predicted(ax, 1.0, "1")
    axes[0].set_ylabel("sum of attention weights")
    axes[0].legend(loc="upper left")
    return figure


# --- small bandwidth ------------------------------------------------------------------------------------------------

BANDWIDTHS = (0.02, 0.01, 0.005)


@eqx.filter_jit
def _drift(attention: Any, mu: tkf.Measure) -> tuple[Array, Array]:
    """int k (y - x) dmu / int k dmu, and log int k dmu."""
    attended = tkf.Head(attention).attend(mu.points, mu)
    return attended.mean[:, 0] - mu.points[:, 0], attended.log_sum


def _drifts(x: np.ndarray, rho: np.ndarray, eps: float) -> dict[str, np.ndarray]:
    """(1/eps) int k (y - x) dmu for the three normalizations of k0 = e^{-|x - y|^2 / (2 eps)}."""
    mu, beta = tkf.Measure(x[:, None], rho), 1 / (2 * eps)
    both, _ = _drift(tkf.Sinkhorn(beta, kernel="l2"), mu)
    rows, log_sum = _drift(tkf.L2(beta), mu)
    mass = rho.sum() * (x[1] - x[0])
    kernel = mass * np.exp(np.asarray(log_sum)) / np.sqrt(2 * np.pi * eps)
    return {"sinkhorn": np.asarray(both) / eps, "rows": np.asarray(rows) / eps, "none": kernel * np.asarray(rows) / eps}


def _small_bandwidth(*, seed: int, n: int, target: str) -> Finding:
    x = np.linspace(-HALF_WIDTH, HALF_WIDTH, n)
    rho, score = _mixture(x)
    bulk = rho > 0.05 * rho.max()
    found = {eps: _drifts(x, rho, eps) for eps in BANDWIDTHS}

    def slope(name: str, eps: float, against: np.ndarray) -> float:
        return float(found[eps][name][bulk] @ against[bulk] / np.sum(against[bulk] ** 2))

    slopes = {
        name: [slope(name, eps, rho * score if name == "none" else score) for eps in BANDWIDTHS]
        for name in ("sinkhorn", "rows", "none")
    }
    both, rows = ("sinkhorn", "rows") if target == "right" else ("rows", "sinkhorn")
    # with rows normalized, or nothing, the drift is known at every bandwidth: rho is smoothed by the kernel
    gaps: dict[str, list[float]] = {"rows": [], "none": []}
    for eps in BANDWIDTHS:
        smooth, slope_of_log = _mixture(x, eps)
        for name, key, exact in (("rows", rows, slope_of_log), ("none", "none", smooth * slope_of_log)):
            gaps[name].append(float(np.max(np.abs(found[eps][key] - exact)[bulk]) / np.max(np.abs(exact[bulk]))))
    cells = "sums over cells that are integrals to 1e-9, less the cut at the ends"
    checks = [
        equals("rows: largest error of ∇log(ρ * N(0, ε))", max(gaps["rows"]), 0, within=1e-6, because=cells),
        equals("no normalization: largest error of ∇(ρ * N(0, ε))", max(gaps["none"]), 0, within=1e-6, because=cells),
    ]
    # of a normal law of variance v Sinkhorn attention makes (g - 1) x / eps, g = (sqrt(1 + 4 a^2) - 1)/(2a), a = v/eps
    normal, variance = np.exp(-(x**2) / (2 * MIXTURE_SD**2)), MIXTURE_SD**2
    middle = np.abs(x) < 2 * MIXTURE_SD
    for eps in BANDWIDTHS:
        drift = _drifts(x, normal, eps)[both]
        a = variance / eps
        exact = ((np.sqrt(1 + 4 * a**2) - 1) / (2 * a) - 1) / eps
        what = f"Sinkhorn: slope of the drift of a normal law, ε = {eps}"
        slope_there = float(drift[middle] @ x[middle] / np.sum(x[middle] ** 2))
        checks.append(equals(what, slope_there, exact, within=1e-6, because=cells, is_relative=True))
    for key, limit, label in ((both, 0.5, "Sinkhorn"), (rows, 1.0, "rows"), ("none", 1.0, "no normalization")):
        # three bandwidths give the limit but for O(eps^3)
        extrapolated = (8 * slopes[key][2] - 6 * slopes[key][1] + slopes[key][0]) / 3
        what = f"slope at ε = 0, {label}, on {'∇ρ' if key == 'none' else '∇log ρ'}"
        checks.append(equals(what, extrapolated, limit, within=2e-4, because="O(ε³) after extrapolation"))
    none = found[BANDWIDTHS[-1]]["none"]
    alike = np.corrcoef(none[bulk], score[bulk])[0, 1]
    why = "1 would say that it is ∇log ρ as well"
    checks.append(at_most("correlation of the unnormalized drift with ∇log ρ", alike, 0.95, because=why))
    data = {"x": x, "rho": rho, "score": score, "found": found[BANDWIDTHS[0]], "slopes": slopes}
    return Finding(checks, data)


def _draw_bandwidth(finding: Finding) -> Figure:
    figure, axes = panels(3, width=9.6)
    data = finding.data
    x, bulk = data["x"], data["rho"] > 0.05 * data["rho"].max()
    score = data["score"]
    for name, factor, label, color in (
        ("rows", 1.0, "rows", PALETTE[1]), ("sinkhorn", 0.5, "Sinkhorn", PALETTE[0])
    ):  # fmt: skip
        axes[0].plot(x[bulk], data["found"][name][bulk], color=color, label=label)
        predicted = r"$\nabla \log\rho$, $\frac{1}{2} \nabla \log\rho$" if name == "sinkhorn" else None
        axes[0].plot(x[bulk], factor * score[bulk], label=predicted, **PREDICTED)
    axes[1].plot(x[bulk], data["found"]["none"][bulk], color=PALETTE[2], label="no normalization")
    axes[1].plot(x[bulk], (data["rho"] * score)[bulk], label=r"$\nabla \rho$", **PREDICTED)
    for ax in axes[:2]:
        ax.set(xlabel="$x$", ylabel=rf"drift at $\varepsilon = {BANDWIDTHS[0]:g}$")
        low, high = ax.get_ylim()
        ax.set_ylim(low, high + 0.35 * (high - low))
        ax.legend(loc="upper right")
    for name, limit, color in (("rows", 1.0, PALETTE[1]), ("none", 1.0, PALETTE[2]), ("sinkhorn", 0.5, PALETTE[0])):
        axes[2].loglog(BANDWIDTHS, limit - np.array(data["slopes"][name]), "o-", color=color, markersize=4)
    eps = np.array(BANDWIDTHS)
    axes[2].loglog(eps, 0.8 * eps, label=r"$0.8\,\varepsilon$", **PREDICTED)
    axes[2].set(xlabel=r"$\varepsilon$", ylabel="slope's distance from its limit")
    axes[2].minorticks_off()
    axes[2].set_xticks(BANDWIDTHS, [f"{e:g}" for e in BANDWIDTHS])
    axes[2].set_yticks([0.002, 0.005, 0.01, 0.02], ["0.002", "0.005", "0.01", "0.02"])
    axes[2].legend()
    return figure


# --- heat -----------------------------------------------------------------------------------------------------------


@eqx.filter_jit
def _spread(attention: Any, mu: tkf.Measure, eps: Array, times: tuple[float, ...], steps: int) -> Array:
    """Tokens (T, n) under V = -I: x' = -(1/eps) int k (y - x) dmu."""
    model = tkf.Transformer(tkf.Euclidean(1), attention, V=-jnp.eye(1) / eps, relative=True)
    run = tkf.solve(model, mu, t1=times[-1], method="rk4", step=times[-1] / steps, save=list(times))
    return run.saved_points[:, :, 0]


def _heat(*, seed: int, n: int, eps: float, t1: float, speeds: tuple[float, float]) -> Finding:
    x = np.linspace(-HALF_WIDTH, HALF_WIDTH, n)
    rho, _ = _mixture(x)
    mu, beta = tkf.Measure(x[:, None], rho), 1 / (2 * eps)
    w, times = np.asarray(mu.weights), tuple(float(t) for t in np.linspace(0, t1, 9))
    steps = int(np.ceil(5 * t1 / eps))  # the fastest motion has the rate 1/eps
    checks, shown = [], {}
    kinds = {"Sinkhorn": tkf.Sinkhorn(beta, kernel="l2"), "rows": tkf.L2(beta)}
    for (name, attention), speed in zip(kinds.items(), speeds, strict=True):
        tokens = np.asarray(_spread(attention, mu, jnp.asarray(eps), times, steps))
        variances = tokens**2 @ w - (tokens @ w) ** 2
        rate = (variances[-1] - variances[0]) / t1
        why = "first order in the bandwidth ε"
        checks.append(
            equals(f"growth rate of the variance, {name}", rate, speed, within=eps, because=why, is_relative=True)
        )
        exact, _ = _mixture(x, speed * t1)
        cumulative, goal, first = (_below(x, *law) for law in ((tokens[-1], w), (x, exact / exact.sum()), (x, w)))
        gap = np.trapezoid(np.abs(cumulative - goal), x)
        # without any motion the distance is that between the start and the solution
        still = np.trapezoid(np.abs(first - goal), x)
        what = f"W₁ to the heat equation's solution by that of the start, {name}"
        checks.append(at_most(what, gap / still, eps + 0.01, because=f"{why}, and 1% for cells"))
        shown[name] = (variances, np.interp(x, *_density(tokens[-1], w)), exact)
    return Finding(checks, {"x": x, "rho": rho, "times": np.array(times), "shown": shown})


def _below(x: np.ndarray, tokens: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The mass at or below each x, that of each token spread half to both of its sides."""
    order = np.argsort(tokens)
    return np.interp(x, tokens[order], np.cumsum(w[order]) - w[order] / 2, left=0.0, right=1.0)


def _density(tokens: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of the density: mass over distance between neighbors."""
    return (tokens[1:] + tokens[:-1]) / 2, (w[1:] + w[:-1]) / 2 / np.maximum(np.diff(tokens), 1e-9)


def _draw_heat(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    left.plot(data["x"], data["rho"], color=FAINT, label="start")
    for color, (name, (variances, density, exact)) in zip(PALETTE, data["shown"].items(), strict=False):
        left.plot(data["x"], density, color=color, label=name)
        speed = {"Sinkhorn": 1.0, "rows": 2.0}[name]
        left.plot(data["x"], exact, label="heat equation" if name == "rows" else None, **PREDICTED)
        right.plot(data["times"], variances, "o", color=color, markersize=4, label=name)
        line = variances[0] + speed * data["times"]
        right.plot(data["times"], line, label="slopes 1, 2" if name == "rows" else None, **PREDICTED)
    left.set(xlabel="$x$", ylabel=f"density at $t = {data['times'][-1]:g}$", ylim=(0, 1.6 * data["rho"].max()))
    left.legend(loc="upper center", ncols=2)
    right.set(xlabel="time $t$ of the flow", ylabel="variance")
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="sabp22-doubly-stochastic",
        title="Sinkhorn attention is doubly stochastic",
        statement=r"Alternate normalization of rows and columns of $e^{\beta \langle Qx_i, Kx_j \rangle}$ converges to "
        r"a matrix whose rows and columns all sum to 1; it is symmetric if $Q^\top K$ is. The first sweep is softmax, "
        r"whose columns do not sum to 1.",
        paper="sabp22",
        where="abstract; the definition of Sinkhorn attention",
        status="property",
        assumptions=(r"Gaussian tokens in $\mathbb{R}^3$, Gaussian $Q$ and $K$",),
        experiment=_doubly_stochastic,
        draw=_draw_sums,
        quick=Setting({"n": 64, "beta": 1.0, "sweeps": None}, seconds=1),
        full=Setting({"n": 256, "beta": 2.0, "sweeps": None}, seconds=2),
        control=Control({"sweeps": 1}, "one sweep is softmax", "asymmetry"),
        main="error of a column sum",
        note="It follows from the definition; tested is that the implementation has it.",
    ),
    Claim(
        id="sabp22-small-bandwidth",
        title="Three normalizations, three drifts at small bandwidth",
        statement=r"For $k_0 = e^{-|x - y|^2 / (2 \varepsilon)}$ the drift $\tfrac{1}{\varepsilon} \int k\, (y - x)\, "
        r"d\rho(y)$ tends to $\tfrac12 \nabla \log \rho$ if $k$ is doubly stochastic, to $\nabla \log \rho$ if its "
        r"rows are normalized, and to $\nabla \rho$ (up to a constant) without normalization.",
        paper="sabp22",
        where="abstract (heat limit); the three drifts are derived",
        status="derived",
        assumptions=("a mixture of two normal laws on the line",),
        experiment=_small_bandwidth,
        draw=_draw_bandwidth,
        quick=Setting({"n": 800, "target": "right"}, seconds=1),
        full=Setting({"n": 2000, "target": "right"}, seconds=4),
        control=Control(
            {"target": "swapped"}, "the drift of rows in place of Sinkhorn's, twice as large, and the reverse", "rows"
        ),
        main="slope at ε = 0, Sinkhorn",
        note=r"With rows normalized the drift is $\nabla \log(\rho * N(0, \varepsilon))$ exactly, without any "
        r"normalization $\nabla (\rho * N(0, \varepsilon))$; Sinkhorn's has a closed form for normal laws, from the "
        r"Gaussian solution of its equation. The limits are extrapolated from three bandwidths.",
    ),
    Claim(
        id="sabp22-heat",
        title="With V = -I Sinkformers run the heat equation",
        statement=r"With $V = -I$ and time scaled by $1/\varepsilon$, the law of tokens under Sinkhorn attention of "
        r"small bandwidth follows $\partial_t \rho = \tfrac12 \Delta \rho$; with rows normalized alone it follows "
        r"$\partial_t \rho = \Delta \rho$.",
        paper="sabp22",
        where="abstract",
        status="second-hand",
        assumptions=(r"the kernel $e^{-|x - y|^2 / (2 \varepsilon)}$ on the line", "a mixture of two normal laws"),
        experiment=_heat,
        draw=_draw_heat,
        quick=Setting({"n": 250, "eps": 0.05, "t1": 0.5, "speeds": (1.0, 2.0)}, seconds=5),
        full=Setting({"n": 1000, "eps": 0.02, "t1": 0.5, "speeds": (1.0, 2.0)}, seconds=33),
        control=Control({"speeds": (2.0, 2.0)}, "the full speed of rows for Sinkhorn attention too", "Sinkhorn"),
        main="solution by that of the start, Sinkhorn",
        note=r"Rows alone give the heat equation too because this kernel is that of distances; with $e^{x \cdot "
        r"y/\varepsilon}$ only Sinkhorn attention does.",
    ),
)
