"""Claims about the Patlak-Keller-Segel equation without diffusion, d_t mu = div(mu grad int log|x - y| dmu(y)).

The slides of arXiv 2305.05465 set it beside self-attention: all its mass is in one point after a finite time. Here
tokens are atoms, and a `MovingDensity` in R^2 with a softened kernel is a diffuse law.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.laws import Moving, MovingDensity

RADIUS = 1.0  # of the disk at the start, of variance 1/2


def _model(softening: float = 0.0) -> tkf.Transformer:
    return tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(2.0, softening), relative=True)


def _variance(points: np.ndarray, weights: np.ndarray) -> float:
    return float(weights @ np.sum((points - weights @ points) ** 2, axis=1))


def _collapse(*, seed: int, tokens: int, nodes: int, softenings: tuple[float, ...], own: float) -> Finding:
    """`own` stands before sum m^2 in the rate of the variance: 1, in the control 0, as if atoms felt themselves."""
    rng = np.random.default_rng(seed)
    times, distance = [], float(rng.uniform(0.5, 1.5))
    for share in (0.5, 0.8):
        pair = tkf.Measure([[0.0, 0.0], [distance, 0.0]], [share, 1 - share])
        times.append(float(tkf.solve(_model(), pair, t1=2.0, save="end", rtol=1e-9).result.t))
    x, w = rng.normal(size=(tokens, 2)), rng.uniform(0.5, 2.0, size=tokens)
    w = w / w.sum()
    first = float(tkf.solve(_model(), tkf.Measure(x, w), t1=2.0, save="end", rtol=1e-9).result.t)  # two atoms meet
    run = tkf.solve(_model(), tkf.Measure(x, w), t1=0.95 * first, save=13, rtol=1e-9)
    ts = np.asarray(run.ts)
    variances = np.array([_variance(p, w) for p in np.asarray(run.points)])
    rate = -np.polyfit(ts, variances, 1)[0]
    disks = {s: _disk(nodes, s) for s in softenings}
    rates = np.array([disk["rate"] for disk in disks.values()])
    finest = disks[softenings[-1]]
    # the share of pairs nearer than s, all of which the softening spares: s^2 (1 + log(1 + 4/s^2)) to first order
    missing = np.array([s**2 * np.log(1 + 4 * RADIUS**2 / s**2) for s in softenings])
    limit = rates[-1] + (rates[-1] - rates[0]) * missing[-1] / (missing[0] - missing[-1])
    predicted = 1 - own * float(np.sum(w**2))
    checks = [
        equals(
            "time at which two atoms meet, by r₀²/2", max(times) / (distance**2 / 2), 1, within=1e-7, because="steps"
        ),
        equals("the same for masses 0.5 and 0.8", times[1] / times[0], 1, within=1e-7, because="steps"),
        equals("rate of the variance of unequal atoms", rate, predicted, within=1e-5, because="rounding and steps"),
        equals("rate of the variance of a diffuse law, softening → 0", limit, 1, within=0.01, because="extrapolation"),
        at_most(
            "error of R(t)² = R₀² - 2t for a disk, t ≤ 0.2",
            finest["error"],
            0,
            slack=0.03,
            because="of the softened kernel",
        ),
        equals(
            "density of the disk by its start, at t = 0.2", finest["peak"], 1 / 0.6, within=0.06, because="the same"
        ),
    ]
    return Finding(
        checks,
        {"ts": ts, "variances": variances, "rate": predicted, "disks": disks, "softenings": softenings, "rates": rates},
    )


def _disk(nodes: int, softening: float) -> dict:
    run = tkf.solve(_model(softening), MovingDensity.ball(Moving(2, nodes), radius=RADIUS), t1=0.4, save=9, rtol=1e-6)
    ts = np.asarray(run.ts)
    laws = [run.state(k) for k in range(len(ts))]
    variances = np.array([float(np.trace(np.asarray(law.covariance))) for law in laws])
    edge = np.array([float(law.radius) for law in laws])
    # the last node lies a little inside of the edge, by the same share at all times
    squared = (edge / edge[0] * RADIUS) ** 2
    middle = len(ts) // 2  # t = 0.2: later the disk is not much larger than the softening
    inner = np.asarray(laws[middle].masses) @ np.asarray(laws[middle].values)
    return {
        "ts": ts,
        "variances": variances,
        "rate": -np.diff(variances)[0] / np.diff(ts)[0],
        "squared": squared,
        "error": float(np.max(np.abs(squared - (RADIUS**2 - 2 * ts))[: middle + 1])),
        "peak": float(inner) * np.pi * RADIUS**2,
    }


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    ts, variances = data["ts"], data["variances"]
    left.plot(ts, variances, "o", color=PALETTE[0], markersize=4, label="atoms")
    left.plot(ts, variances[0] - data["rate"] * ts, label=r"slope $-(1 - \sum m^2)$", **PREDICTED)
    left.set(xlabel="time $t$ of the flow", ylabel="variance", title="unequal atoms in the plane, before two meet")
    left.legend()
    for (softening, disk), color in zip(data["disks"].items(), PALETTE[1:], strict=False):
        right.plot(disk["ts"], disk["variances"], "o", color=color, markersize=4, label=f"softening {softening:g}")
    t = np.linspace(0, 0.5, 2)
    right.plot(t, 0.5 * RADIUS**2 - t, label="slope $-1$: collapse at $1/2$", **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="variance", ylim=(0, None), title="density of a uniform disk")
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="glpr23-keller-segel",
        title="Attraction by the logarithm of the distance collapses a law in finite time",
        statement=r"For $\partial_t \mu = \mathrm{div}(\mu \nabla \int \log|x - y| d\mu(y))$ the variance of a diffuse "
        r"law falls at the rate 1 until a part of it collapses, that of atoms of masses $m$ at $1 - \sum m^2$, and two "
        r"atoms at the distance $r_0$ meet at $r_0^2/2$, whatever their masses.",
        paper="glpr23",
        where="the authors' slides, which name the finite-time collapse; the rates are derived here",
        status="derived",
        assumptions=("tokens in R^2; a uniform disk as a density, with a softened kernel",),
        experiment=_collapse,
        draw=_draw,
        quick=Setting({"tokens": 5, "nodes": 24, "softenings": (0.1, 0.05), "own": 1.0}, seconds=5),
        full=Setting({"tokens": 5, "nodes": 48, "softenings": (0.05, 0.025), "own": 1.0}, seconds=20),
        control=Control({"own": 0.0}, "atoms do not attract themselves", "unequal atoms"),
        main="diffuse law",
        note=r"In $\mathbb{R}^2$ a shell of radius $r$ around the mass $M(r)$ obeys $r^2(t) = r_0^2 - 2M(r_0)t$, so a "
        r"disk collapses at once at $R_0^2/2$, its variance, but a Gaussian of variance $\sigma^2$ per axis first at "
        r"its center, at $t = \sigma^2$, half of the time at which a rate of 1 would use up its variance $2\sigma^2$. "
        r"On a line a wave of number $k$ on a density $\rho$ grows like $e^{\pi \rho |k| t}$: for diffuse laws the "
        r"equation is ill-posed there, and the library refuses the kernel without softening.",
    ),
)
