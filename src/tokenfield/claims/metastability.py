"""Claims of "Dynamic metastability in the self-attention model" (arXiv 2410.06833): clusters that live e^{beta} long.

Collapsed clusters are merged by the solver, which leaves the flow as it is and makes times like 1e60 reachable. The
normalized energy is the mean of e^{beta (<x_i, x_j> - 1)} over all pairs, 1 for a single cluster.
"""

from __future__ import annotations

from itertools import pairwise

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, mark_predicted, panels
from tokenfield.geometry import on_circle
from tokenfield.solver.merging.mergers import Mergers

RTOL = 1e-7


def _mergers(run: tkf.Trajectory) -> Mergers:
    assert run.mergers is not None, "all runs here merge"
    return run.mergers


# --- the published staircase ------------------------------------------------------------------------------------------

# five angles, the same for every beta
STAIRCASE = 0.5 * np.log(2000) / np.sqrt(2000) * np.array([0.0, 0.5, 2.0, 4.0, 7.0])


def _climb(beta: float, t1: float) -> tkf.Trajectory:
    """The published run: unnormalized attention, in a time in which tokens move at the speed log(beta)."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(jnp.asarray(beta)))
    return tkf.solve(
        model,
        on_circle(STAIRCASE),
        t1=t1,
        save=np.linspace(0, t1, 401),
        merge=True,
        clock=tkf.Clock("distance", speed=np.log(beta)),
    )


def _closest_pairs(angles: np.ndarray) -> list[set[frozenset[int]]]:
    """Who joins whom if always the closest pair does, the others frozen: they meet at their center of mass."""
    groups = [(frozenset([i]), float(angle)) for i, angle in enumerate(angles)]
    order = []
    while len(groups) > 1:
        k = int(np.argmin([b - a for (_, a), (_, b) in pairwise(groups)]))
        (one, a), (other, b) = groups[k : k + 2]
        order.append({one, other})
        groups[k : k + 2] = [(one | other, (len(one) * a + len(other) * b) / (len(one) + len(other)))]
    return order


def _masses_along(order: list[set[frozenset[int]]]) -> list[list[int]]:
    """The masses of the clusters after each of these mergers."""
    groups = {part for pair in order for part in pair if len(part) == 1}
    found = []
    for pair in order:
        groups = (groups - pair) | {frozenset().union(*pair)}
        found.append([len(group) for group in groups])
    return found


def _token_energy(points: np.ndarray, beta: float) -> np.ndarray:
    """The mean of e^{beta (<x_i, x_j> - 1)} over all pairs of tokens (T, n, d), at each time."""
    return np.exp(beta * (np.einsum("tid,tjd->tij", points, points) - 1)).mean(axis=(1, 2))


def _staircase(*, seed: int, betas: list[float], t1: float) -> Finding:
    expected, curves, gaps, wrong, jumps = _closest_pairs(STAIRCASE), [], [], 0, []
    heights = [float(theory.plateau(masses)) for masses in _masses_along(expected)[-3:]]
    for beta in betas:
        run = _climb(beta, t1)
        joined = [{frozenset(part.tolist()) for part in merge.parts} for merge in _mergers(run).merges]
        wrong += sum(a != b for a, b in zip(joined, expected, strict=False)) + abs(len(joined) - len(expected))
        jumps.append(len(joined))
        curve = _token_energy(np.asarray(run.saved_points), beta)
        ts, ends = np.asarray(run.ts), [merge.t for merge in _mergers(run).merges] + [t1]
        # the first two pairs are too close to rest before they join; heights follow from the start alone
        for start, end, height in zip(ends[-4:-1], ends[-3:], heights, strict=False):
            inside = (ts > (start + end) / 2) & (ts < end)
            gaps.append(abs(float(curve[inside][0]) - height) if np.any(inside) else 1.0)
        gaps += [1.0] * (3 - len(ends[-4:-1]))
        curves.append(curve)
    checks = [
        equals("jumps: clusters at the start - 1, least over β", min(jumps), 4, within=0, because="a count"),
        equals("jumps: clusters at the start - 1, most over β", max(jumps), 4, within=0, because="a count"),
        equals("mergers that are not of the closest pair", wrong, 0, within=0, because="a count"),
        at_most(
            "largest |energy of the tokens - Σ a²| on the last three plateaus",
            max(gaps),
            1e-3,
            because="clusters still see each other by e^(-β(1-α)) a a', 5e-4 at β = 500",
        ),
        at_most(
            "largest fall of the energy between saved times",
            max(float(np.max(-np.diff(c))) for c in curves),
            0,
            slack=10 * RTOL,
            because="ten times the solver's tolerance",
        ),
    ]
    return Finding(checks, {"ts": np.linspace(0, t1, 401), "curves": curves, "betas": betas, "heights": heights})


def _draw_staircase(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.6)
    data = finding.data
    for k, height in enumerate(data["heights"]):
        mark_predicted(ax, height, r"$\sum_q a_q^2$" if k == 0 else "_")
    for k, (beta, curve) in enumerate(zip(data["betas"], data["curves"], strict=True)):
        ax.plot(data["ts"], curve, color=PALETTE[k], label=rf"$\beta = {beta:g}$")
    ax.set(xlabel="rescaled time", ylabel="normalized energy", ylim=(0.15, 1.05))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


# --- the energy as printed --------------------------------------------------------------------------------------------

# the start of the published movie of five tokens, at beta = 4
MOVIE = np.array(
    [
        [0.99806638, 0.06215705],
        [0.97712061, 0.21268594],
        [-0.24578194, 0.96932515],
        [-0.97354734, 0.2284854],
        [-0.99892629, -0.04632772],
    ]
)


def _prefactor(*, seed: int, betas: list[float], formula: str) -> Finding:
    defined = []
    for beta in betas:
        model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(jnp.asarray(beta)))
        run = tkf.solve(model, MOVIE, t1=1e30, save="log:200", merge=True)
        # from the tokens: 1/(2 beta e^beta n^2) sum e^{beta <x_i, x_j>}
        defined.append(_token_energy(np.asarray(run.saved_points), beta) / (2 * beta))
    factors = 2 * np.array(betas) if formula == "times 2β" else np.ones(len(betas))
    checks = [
        equals(
            f"height of the last step, β = {beta:g}",
            factor * energy[-1], 1, within=1e-6, because="ten times the solver's tolerance",
        )
        for beta, factor, energy in zip(betas, factors, defined, strict=True)
    ]  # fmt: skip
    for beta, energy in zip(betas, defined, strict=True):
        what, why = f"largest energy as defined, by 1/(2β), β = {beta:g}", "rounding"
        checks.append(at_most(what, 2 * beta * np.max(energy), 1, slack=1e-9, because=why))
    return Finding(checks, {"ts": np.asarray(run.ts), "printed": defined, "betas": betas})


def _draw_prefactor(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, sharey=True)
    data = finding.data
    for k, (beta, energy) in enumerate(zip(data["betas"], data["printed"], strict=True)):
        left.plot(data["ts"][1:], energy[1:], color=PALETTE[k], label=rf"$\beta = {beta:g}$")
        right.plot(data["ts"][1:], 2 * beta * energy[1:], color=PALETTE[k])
    mark_predicted(right, 1.0, "one cluster")
    left.set(xlabel="time $t$ of the flow", ylabel="energy", xscale="log", title="as defined", ylim=(0, 1.08))
    right.set(xlabel="time $t$ of the flow", xscale="log", title=r"times $2\beta$")
    left.legend()
    right.legend(loc="lower right")
    return figure


# --- uniform tokens up to a single cluster ----------------------------------------------------------------------------

PLAIN = 300.0
LONG = 100.0  # a plateau counts if it lasts for two decades of time


def _random_start(*, seed: int, n: int, beta: float, t1: float) -> Finding:
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(jnp.asarray(beta)))
    start = tkf.initial.uniform(model.geometry, n=n, seed=seed)
    run = tkf.solve(model, start, t1=t1, save="log:300", merge=True)
    ts, energies = np.asarray(run.ts), _token_energy(np.asarray(run.saved_points), beta)
    rests = [p for p in run.plateaus[:-1] if p.end > LONG * p.start > 1e3]
    gaps, ahead, last = [], [], (np.nan, np.nan)
    for rest in rests:
        clusters = run.clusters(int(np.flatnonzero((ts > 5 * rest.start) & (ts < rest.end / 5))[0]))
        cosines = clusters.centers @ clusters.centers.T - 2 * np.eye(clusters.count)
        at = int(np.flatnonzero((ts > 5 * rest.start) & (ts < rest.end / 5))[0])
        gap = abs(energies[at] - float(theory.plateau(clusters.masses)))
        gaps.append(gap - float(np.exp(beta * (np.max(cosines) - 1))))
        joined = next(m for m in _mergers(run).merges if m.t == rest.end)
        i, j = (int(clusters.labels[part[0]]) for part in joined.parts)
        ahead.append(float(np.max(cosines) - cosines[i, j]))
        if clusters.count == 2:
            level = float(np.cos(tkf.observables.cluster_scale(model)))
            alone = theory.merge_time(beta, cosine=float(cosines[0, 1]), masses=clusters.masses, level=level)
            last = (float(_mergers(run).times[-1]), float(alone))
    # the same tokens without any merging, as far as an explicit solver goes
    at = int(np.searchsorted(ts, PLAIN))
    plain = tkf.solve(model, start, t1=float(ts[at]), save="end").final.points
    apart = abs(_token_energy(np.asarray(plain)[None], beta)[0] - energies[at])
    checks = [
        equals("clusters at the end", run.clusters().count, 1, within=0, because="a count"),
        at_least("plateaus that last two decades of time", len(rests), 2, because="a count"),
        at_most(
            "largest |energy - Σ a²| - e^(-β(1-α)) on a plateau",
            max(gaps, default=np.nan),
            0.0,
            slack=1e-3,
            because="clusters still drift a little along a plateau",
        ),
        at_most(
            "cosine of the closest pair - that of the pair that joins",
            max(ahead, default=np.nan),
            0.0,
            slack=3 / beta,
            because="masses decide between pairs whose e^(-β(1-cos)) are alike",
        ),
        equals(
            "log10 of the time of the last merger",
            np.log10(last[0]),
            np.log10(last[1]),
            within=1e-3,
            because="0.2% of the time: the two centers are read off at a saved time",
        ),
        at_most("largest fall of the energy", np.max(-np.diff(energies)), 0, slack=1e-6, because="solver's tolerance"),
        at_most(
            f"energy of tokens that are never merged soon after t = {PLAIN:g}, less that of merged ones",
            apart,
            0,
            slack=1e-6,
            because="the solver's tolerance",
        ),
    ]
    heights = [(p.start, p.end, float(theory.plateau(p.masses)), p.count) for p in rests]
    return Finding(checks, {"ts": ts, "energies": energies, "heights": heights})


def _draw_random_start(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.6)
    ax.plot(finding.data["ts"][1:], finding.data["energies"][1:], label="measured", **MEASURED)
    for k, (start, end, height, count) in enumerate(finding.data["heights"]):
        ax.plot([start, end], [height, height], label=r"$\sum_q a_q^2$" if k == 0 else "_", **PREDICTED)
        ax.annotate(str(count), (np.sqrt(start * end), height), (0, 4), textcoords="offset points", ha="center")
    ax.set(xlabel="time $t$ of the flow", ylabel="normalized energy", xscale="log", ylim=(0, 1.08))
    ax.xaxis.set_major_locator(LogLocator(numticks=8))
    ax.legend(loc="upper left")
    return figure


CLAIMS = (
    Claim(
        id="gkpr24-staircase",
        title="The energy climbs a staircase, one jump for each merger of the closest pair",
        statement=r"In rescaled time the energy is a staircase for large $\beta$: clusters merge one pair at a time, "
        r"the closest first, and between two jumps the normalized energy rests at $\sum_q a_q^2$, where $a_q$ are the "
        r"masses of the clusters.",
        paper="gkpr24",
        where="staircase figure and the saddle-to-saddle section",
        status="figure",
        assumptions=(
            "five tokens on the circle, the published start, unnormalized attention",
            r"time is rescaled so that tokens move at speed $\log\beta$",
        ),
        experiment=_staircase,
        draw=_draw_staircase,
        quick=Setting({"betas": [500.0, 1000.0, 4000.0], "t1": 0.2}, seconds=4),
        full=Setting({"betas": [500.0, 1000.0, 1500.0, 2000.0, 3000.0, 4000.0], "t1": 0.2}, seconds=8),
        control=Control({"betas": [5.0]}, "at small beta the five tokens are one blob: no plateaus", "Σ a²"),
        main="Σ a²",
        note="The masses, and from them the heights, are predicted from the start by joining closest pairs. In the "
        "time "
        "of the published code (steps of $10^{-5} \\log\\beta$ along the unit gradient) the last jump comes at 0.09 to "
        "0.12; the axis of the published figure runs to 10, perhaps in another unit.",
    ),
    Claim(
        id="gkpr24-plateaus",
        title="Uniform tokens rest on plateaus up to times like 1e80",
        statement=r"From uniform tokens on the circle, softmax attention goes through long plateaus of the energy "
        r"$\frac{1}{n^2}\sum_{i,j} e^{\beta(\langle x_i, x_j\rangle - 1)} = \sum_q a_q^2 + O(e^{-\beta(1-\alpha)})$; "
        r"the closest pair of clusters joins next, and the last two join as if they were alone.",
        paper="gkpr24",
        where="section on the saddle-to-saddle dynamics",
        status="derived",
        assumptions=(r"$Q = K = V = I$, $d = 2$, $\beta$ large",),
        experiment=_random_start,
        draw=_draw_random_start,
        quick=Setting({"n": 64, "beta": 60.0, "t1": 1e60}, seconds=5),
        full=Setting({"n": 400, "beta": 100.0, "t1": 1e90}, seconds=14),
        control=Control({"beta": 2.0, "t1": 1e4}, "at small beta there are no plateaus", "last two decades"),
        main="log10 of the time of the last merger",
    ),
    Claim(
        id="gkpr24-energy-prefactor",
        title="The energy of a single cluster is 1/(2β); times 2β the staircase ends at 1",
        statement=r"The energy $E = \frac{1}{2\beta e^{\beta} n^2}\sum_{i,j} e^{\beta\langle x_i, x_j\rangle}$ is at "
        r"most "
        r"$\frac{1}{2\beta}$, its value at a single cluster; the staircase with heights $\sum_q a_q^2$ is $2\beta E$.",
        paper="gkpr24",
        where="definition of the energy, known to us from a public formalization",
        status="derived",
        assumptions=("the five tokens of the published movie, softmax attention",),
        experiment=_prefactor,
        draw=_draw_prefactor,
        quick=Setting({"betas": [4.0, 8.0, 16.0], "formula": "times 2β"}, seconds=2),
        full=Setting({"betas": [4.0, 8.0, 16.0, 24.0], "formula": "times 2β"}, seconds=5),
        control=Control({"formula": "as defined"}, "without the factor the last step is at 1/(2β)", "height"),
        main="height of the last step",
        note=r"A matter of normalization, not an error: with $E$ itself all steps shrink to 0 as $\beta$ grows.",
    ),
)
