"""Claims on V of any spectrum on the sphere: what tokens of almost every start do at late times, by eigenvalues.

V = (a, -b; b, a) + (c) turns a plane and stretches its axis. Consensus in the plane moves by P_x V x = b J x, a turn at
the rate b; tokens that repel each other turn by V m with m the attention mean, shorter than 1: a slow rotation.
V with real eigenvalues of any signs sends tokens to the leading axis, to one end of it or, if V draws them across the
axis less than attention to the other end holds them back, to both.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import special

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most
from tokenfield.claims.figures import INK, PALETTE, PREDICTED, REST, panels
from tokenfield.observables.fate import Fate, fate_of

KINDS = ("rest", "rotation", "cycle", "settling", "wandering")
STEP = 0.1
FEW = 4  # repelling tokens on the circle: more of them take equal angles too slowly at small beta
SAVED = 201


@eqx.filter_jit
def _paths(V: jax.Array, beta: jax.Array, points: jax.Array, t1: float) -> jax.Array:
    """Tokens (cases, T, n, d) from starts (cases, n, d), each with its own V (cases, d, d)."""

    def path(matrix: jax.Array, x: jax.Array) -> jax.Array:
        model = tkf.Transformer(tkf.Sphere(x.shape[-1]), tkf.Softmax(beta), V=matrix)
        return tkf.solve(model, tkf.Measure(x), t1=t1, method="rk4", step=STEP, save=SAVED).saved_points

    return jax.vmap(path)(V, points)


def _fates(points: np.ndarray, t1: float) -> list[Fate]:
    return [fate_of(np.linspace(0, t1, SAVED), x, late=0.4) for x in points]


def _uniform(rng: np.random.Generator, cases: int, n: int, d: int) -> np.ndarray:
    x = rng.normal(size=(cases, n, d))
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _matrix(a: float, b: float, c: float) -> np.ndarray:
    return np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, c]])


def _polygon_mean(beta: float, n: int) -> float:
    """|sum_j p_j x_j| of n tokens at equal angles on the circle: aliased Bessel functions."""
    orders = n * np.arange(-40, 41)
    return float(special.ive(np.abs(1 + orders), beta).sum() / special.ive(np.abs(orders), beta).sum())


def _spectrum_map(
    *, seed: int, n: int, beta: float, b: float, grid: int, starts: int, t1: float, betas: tuple[float, ...], mean: str
) -> Finding:
    """The fates on a grid of (a, c) with b fixed; and repelling tokens on the circle, V = -I + bJ, for many beta."""
    rng = np.random.default_rng(seed)
    values = np.linspace(-1.5, 1.5, grid)
    cells = [(a, c) for a in values for c in values for _ in range(starts)]
    V = np.array([_matrix(a, b, c) for a, c in cells])
    points = np.asarray(_paths(jnp.asarray(V), jnp.asarray(beta), jnp.asarray(_uniform(rng, len(cells), n, 3)), t1))
    fates = _fates(points, t1)
    turning = [f for (a, c), f in zip(cells, fates, strict=True) if a > max(c, 0) + 0.2]
    upright = [(x[-1], f) for (a, c), f, x in zip(cells, fates, points, strict=True) if c > max(a, 0) + 0.2]
    slow: dict[float, float] = {}
    for value in betas:
        plane = np.tile(_matrix(-1.0, b, 0.0)[:2, :2], (starts, 1, 1))
        around = np.asarray(
            _paths(jnp.asarray(plane), jnp.asarray(value), jnp.asarray(_uniform(rng, starts, FEW, 2)), t1)
        )
        slow[value] = float(np.mean([f.rate for f in _fates(around, t1)]))
    expected = {value: b * (_polygon_mean(value, FEW) if mean == "attention" else 1.0) for value in betas}
    settle, few = f"decay until t = {0.6 * t1:g}", "two clusters may still approach each other"
    checks = [
        at_least(
            "a > max(c, 0): share of starts that end in a rotation",
            np.mean([f.kind == "rotation" for f in turning]),
            0.9,
            because=few,
        ),
        at_most(
            "a > max(c, 0): largest | rate − b | of those",
            max(abs(f.rate - b) for f in turning if f.kind == "rotation"),
            0,
            slack=1e-2,
            because=settle,
        ),
        at_least(
            "c > max(a, 0): share of starts that come to rest",
            np.mean([f.kind == "rest" for _, f in upright]),
            0.9,
            because=few,
        ),
        at_least(
            "c > max(a, 0): least |x_3| of those",
            min(np.abs(x[:, 2]).min() for x, f in upright if f.kind == "rest"),
            1,
            slack=1e-4,
            because=settle,
        ),
        at_most(
            "V = −I + bJ on the circle: largest | rate − b |m| |",
            max(abs(slow[value] - expected[value]) for value in betas),
            0,
            slack=1e-2,
            because="tokens at equal angles up to what is left of the start",
        ),
    ]
    found = {"cells": cells, "fates": fates, "values": values, "b": b, "slow": slow, "expected": expected}
    return Finding(checks, {**found, "starts": starts, "beta": beta})


def _draw_map(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2, width=8.2, height=3.4)
    colors = dict(zip(KINDS, PALETTE, strict=False))
    count, rows = data["starts"], list(zip(data["cells"], data["fates"], strict=True))
    offsets = (np.arange(count) - (count - 1) / 2) * 0.35 * np.diff(data["values"])[0] / max(count, 1) * 2
    for k, ((a, c), found) in enumerate(rows):
        left.plot(a + offsets[k % count], c, "s", color=colors[found.kind], markersize=4.5)
    ends = data["values"][0] - 0.2, data["values"][-1] + 0.2
    left.plot([0, ends[1]], [0, ends[1]], **PREDICTED)
    left.plot([0, 0], [ends[0], 0], **PREDICTED)
    left.plot([ends[0], 0], [0, 0], **PREDICTED)
    seen: list[Any] = [kind for kind in KINDS if any(found.kind == kind for _, found in rows)]
    marks = [Line2D([], [], marker="s", linestyle="", color=colors[kind], label=kind) for kind in seen]
    left.legend(handles=marks, loc="upper left", bbox_to_anchor=(0, 1.16), ncols=4, fontsize=7, columnspacing=0.8)
    left.set(
        xlabel=rf"$a$, eigenvalues $a \pm {data['b']:g}i$", ylabel="$c$, the third eigenvalue", xlim=ends, ylim=ends
    )
    betas = np.linspace(0.05, max(data["slow"]) * 1.1, 100)
    right.plot(list(data["slow"]), list(data["slow"].values()), "o", color=PALETTE[1], label="measured")
    curve = [data["b"] * _polygon_mean(beta, FEW) for beta in betas]
    right.plot(betas, curve, label=r"$b\,|m|$, tokens at equal angles", **PREDICTED)
    right.axhline(data["b"], color=INK, linewidth=0.7, linestyle=":")
    right.set(
        xlabel=r"$\beta$",
        ylabel="rate of the rotation, radians per time",
        title="$V = -I + bJ$, four tokens on the circle",
    )
    right.legend(fontsize=7, loc="lower right")
    return figure


# --- real eigenvalues ---------------------------------------------------------------------------------------------

KICK = 1e-8  # small enough to be linear after growing by e^9, the most below
LINEAR = 81  # saved times, up to t = 8: later what decays fast is lost in the rounding of what decays slowly
ENDS = ("one point", "two points", "spread", "elsewhere")
APART = 0.1  # spectra closer than this to a border of the map leave it too slowly to be counted


def _pole_modes(beta: float, share: float, ratio: float) -> np.ndarray:
    """How the mean displacements of clusters at e and -e, of masses share and 1 - share, change each other, (2, 2).

    Displacements go along an axis of V whose eigenvalue is `ratio` times that of e. To first order they do not change
    attention, p between the clusters, so delta_i' = ratio sum_j p_ij delta_j - (p_ii - p_ij) delta_i.
    """
    masses = np.array([share, 1 - share])
    p = masses * np.exp(beta * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    p /= p.sum(axis=1, keepdims=True)
    return ratio * p - np.diag(2 * np.diag(p) - 1)


def _pole_rates(
    rng: np.random.Generator, n: int, betas: tuple[float, ...], ratios: np.ndarray, masses: str
) -> list[tuple[float, float, float, float, float]]:
    """(beta, share, ratio, measured rate, predicted rate) of the leading mode across two clusters at the poles."""
    rows = []
    for beta in betas:
        cases = [(share, ratio) for share in (n // 2 / n, (n // 2 - 1) / n) for ratio in ratios]
        side = np.array([np.where(np.arange(n) < round(share * n), 1.0, -1.0) for share, _ in cases])
        start = np.concatenate([side[..., None], KICK * rng.uniform(0.5, 1.5, size=(len(cases), n, 2))], axis=2)
        V = np.array([np.diag([1.0, ratio, ratio]) for _, ratio in cases])
        x = np.asarray(_paths(jnp.asarray(V), jnp.asarray(beta), jnp.asarray(start), 20.0))[:, :LINEAR, :, 1]
        times = np.linspace(0, 20.0, SAVED)[:LINEAR]
        for (share, ratio), signs, heights in zip(cases, side, x, strict=True):
            means = np.stack([heights[:, signs > 0].mean(axis=1), heights[:, signs < 0].mean(axis=1)], axis=1)
            rates, left = np.linalg.eig(_pole_modes(beta, share, ratio).T)
            lead = int(np.argmax(rates.real))
            slope = np.polyfit(times, np.log(np.abs(means @ left[:, lead])), 1)[0]
            rows.append((beta, share, ratio, slope, rates[lead] if masses == "attention" else ratio - 1))
    return rows


def _end_of(x: np.ndarray, spectrum: np.ndarray) -> str:
    """Where tokens (n, 3) are at the end, in the words of `ENDS`; the eigenvectors are the axes."""
    along = x[:, int(np.argmax(spectrum))]
    if np.abs(along).min() > 1 - 1e-3:
        return ENDS[0] if abs(along.sum()) > len(x) - 1 else ENDS[1]
    return ENDS[2] if spectrum.max() < 0 else ENDS[3]


def _real_map(
    *,
    seed: int,
    n: int,
    beta: float,
    grid: int,
    starts: int,
    t1: float,
    betas: tuple[float, ...],
    ratios: int,
    masses: str,
) -> Finding:
    """The ends on a grid of two eigenvalues, the third being 1 or -1: by scale, all signatures; and rates at poles."""
    rng = np.random.default_rng(seed)
    values = np.linspace(-1.5, 1.5, grid)
    spectra = np.array([(e, b, c) for e in (1.0, -1.0) for b in values for c in values for _ in range(starts)])
    V = spectra[:, :, None] * np.eye(3)
    first = _uniform(rng, len(spectra), n, 3)
    last = np.asarray(_paths(jnp.asarray(V), jnp.asarray(beta), jnp.asarray(first), t1))[:, -1]
    ends = np.array([_end_of(x, spectrum) for x, spectrum in zip(last, spectra, strict=True)])
    _, second, top = np.sort(spectra, axis=1).T
    attract, repel = (top > APART) & (top - second > APART), top < -APART
    single = attract & (second - top * np.tanh(beta) > APART)
    rows = _pole_rates(rng, n, betas, np.linspace(-1.5, 0.95, ratios), masses)
    shares = [np.mean(x[:, int(np.argmax(s))] > 0) for x, s in zip(last, spectra, strict=True)]
    held = [
        np.linalg.eigvals(_pole_modes(beta, share, s2 / s1)).real.max() * s1
        for share, s1, s2, end, far in zip(shares, top, second, ends, attract, strict=True)
        if end == ENDS[1] and far
    ]
    checks = [
        at_most(
            "two clusters at the poles: largest error of the rate of the leading mode",
            max(abs(slope - rate) for *_, slope, rate in rows),
            0,
            slack=2e-4,
            because="steps h = 1/10 are off by h^4 |rate|^5 / 120, at rates down to -2.5",
        ),
        at_least(
            "λ₁ > 0: share of starts that end on the leading axis",
            np.mean(np.isin(ends[attract], ENDS[:2])),
            0.9,
            because="some pass by two clusters that part at a small rate",
        ),
        at_most("λ₂ > λ₁ tanh β: starts that end in two points", np.sum(ends[single] == ENDS[1]), 0, because="a count"),
        at_most(
            "starts that end in two points: largest predicted rate with their masses",
            max(held, default=np.nan),
            0,
            slack=5 / t1,
            because="a slower growth has not ended yet",
        ),
        at_most("λ₁ < 0: starts that end on an axis", np.sum(ends[repel] != ENDS[2]), 0, because="a count"),
    ]
    found = {"spectra": spectra, "ends": ends, "values": values, "rows": rows, "beta": beta, "starts": starts}
    return Finding(checks, found)


def _draw_real_map(finding: Finding) -> Figure:
    data = finding.data
    figure, axes = panels(3, width=10.4, height=3.4)
    colors = dict(zip(ENDS, (PALETTE[0], PALETTE[1], PALETTE[2], REST), strict=True))
    count, spacing = data["starts"], np.diff(data["values"])[0]
    offsets = (np.arange(count) - (count - 1) / 2) * 0.7 * spacing / count
    limits = data["values"][0] - 0.2, data["values"][-1] + 0.2
    b, c = np.meshgrid(*2 * [np.linspace(*limits, 201)])
    for ax, third, sign in zip(axes, (1.0, -1.0), ("1", "-1"), strict=False):
        here = data["spectra"][:, 0] == third
        # within a cell in the order of the words, so that one sees their shares
        ends = np.sort(np.array([ENDS.index(end) for end in data["ends"][here]]).reshape(-1, count), axis=1).ravel()
        for k, (s, end) in enumerate(zip(data["spectra"][here], ends, strict=True)):
            ax.plot(s[1] + offsets[k % count], s[2], "s", color=colors[ENDS[end]], markersize=4.5 if count < 4 else 2)
        _, second, top = np.sort(np.stack([np.full_like(b, third), b, c]), axis=0)
        ax.contour(b, c, second - np.tanh(data["beta"]) * top, [0.0], colors=INK, linewidths=1.1, linestyles="dashed")
        ax.set(xlabel=r"$b$", ylabel="$c$", title=rf"eigenvalues ${sign},\ b,\ c$; $\beta = {data['beta']:g}$")
    marks = [Line2D([], [], marker="s", linestyle="", color=colors[end], label=end) for end in ENDS]
    marks.append(Line2D([], [], label=r"$\lambda_2 = \lambda_1 \tanh\beta$", **PREDICTED))
    figure.legend(handles=marks, loc="outside lower left", ncols=5, fontsize=7, columnspacing=1.0)
    right = axes[2]
    for color, beta in zip(PALETTE, sorted({row[0] for row in data["rows"]}), strict=False):
        for marker, even in (("o", True), ("^", False)):
            chosen = [row for row in data["rows"] if row[0] == beta and (row[1] == 0.5) == even]
            label = rf"$\beta = {beta:g}$" if even else None
            right.plot([r[2] for r in chosen], [r[3] for r in chosen], marker, color=color, markersize=4, label=label)
            right.plot([r[2] for r in chosen], [r[4] for r in chosen], **PREDICTED)
    right.plot([], [], "^", color=INK, markersize=4, label="unequal masses")
    right.axhline(0, color=INK, linewidth=0.7, linestyle=":")
    right.set(
        xlabel=r"$\lambda_2 / \lambda_1$", ylabel=r"rate over $\lambda_1$", title="leaving two clusters at the poles"
    )
    right.legend(fontsize=7, loc="lower right")
    return figure


CLAIMS = (
    Claim(
        id="glpr25-spectrum-map",
        title="The spectrum of V decides between rest, a turning point and slow rotation",
        statement=r"With eigenvalues $a \pm ib$ and $c$ of a normal $V$ on $S^2$, tokens of most starts end in a point "
        r"that turns at the rate $b$ if $a > \max(c, 0)$, at rest on the axis if $c > \max(a, 0)$. Tokens that repel "
        r"each other, $V = -I + bJ$ on the circle, take equal angles and turn at the rate $b\,|m|$, $|m| = "
        r"\sum_l I_{1+ln}(\beta) / \sum_l I_{ln}(\beta)$: slowly if $\beta$ is small.",
        paper="glpr25",
        where="the theorems on almost every start, for other V",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = I$", "independent uniform tokens"),
        experiment=_spectrum_map,
        draw=_draw_map,
        quick=Setting(
            {
                "n": 8,
                "beta": 1.0,
                "b": 1.0,
                "grid": 7,
                "starts": 2,
                "t1": 80.0,
                "betas": (0.5, 1.0, 2.0, 4.0),
                "mean": "attention",
            },
            seconds=5,
        ),
        full=Setting(
            {
                "n": 16,
                "beta": 1.0,
                "b": 1.0,
                "grid": 13,
                "starts": 5,
                "t1": 80.0,
                "betas": (0.5, 1.0, 2.0, 4.0, 8.0),
                "mean": "attention",
            },
            seconds=60,
        ),
        control=Control({"mean": "one"}, "tokens at equal angles do not turn at the rate b itself", "on the circle"),
        main="share of starts that end in a rotation",
        note="For a, c < 0 tokens spread and turn slowly, or settle ever more slowly near the axis if c > a; `"
        "observables.fate` tells the kinds apart.",
    ),
    Claim(
        id="glpr25-real-spectrum-map",
        title="Real eigenvalues of any signs: tokens end on the leading axis of V, at one end of it or at both",
        statement=r"With real eigenvalues $\lambda_1 > \lambda_2 \ge \lambda_3$ of a symmetric $V$ on $S^2$, tokens of "
        r"most starts end on the leading axis if $\lambda_1 > 0$, whatever the signs of the others, and stay apart if "
        r"$\lambda_1 < 0$. Equal clusters at both ends of the axis are left at the rate $\lambda_2 - \lambda_1 "
        r"\tanh\beta$, unequal ones at the leading eigenvalue of $\lambda_2 p - \lambda_1 \operatorname{diag}"
        r"(2 p_{ii} - 1)$ with $p$ their attention: both ends are reached only if $\lambda_2 < \lambda_1 \tanh\beta$.",
        paper="glpr25",
        where="the theorems on almost every start, for other V",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = I$", "independent uniform tokens"),
        experiment=_real_map,
        draw=_draw_real_map,
        quick=Setting(
            {
                "n": 8,
                "beta": 1.0,
                "grid": 7,
                "starts": 2,
                "t1": 80.0,
                "betas": (0.5, 1.0, 2.0),
                "ratios": 6,
                "masses": "attention",
            },
            seconds=5,
        ),
        full=Setting(
            {
                "n": 16,
                "beta": 1.0,
                "grid": 13,
                "starts": 6,
                "t1": 80.0,
                "betas": (0.5, 1.0, 2.0, 4.0),
                "ratios": 12,
                "masses": "attention",
            },
            seconds=40,
        ),
        control=Control(
            {"masses": "one"},
            "without attention to the other end clusters would part at the rate of a single point",
            "two clusters at the poles",
        ),
        main="two clusters at the poles",
        note="For V = I no two clusters last; for indefinite V they do, from an open set of starts.",
    ),
)
