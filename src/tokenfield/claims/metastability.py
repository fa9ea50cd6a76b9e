"""Claims of "Dynamic metastability in the self-attention model" (arXiv 2410.06833): clusters that live e^{beta} long.

Collapsed clusters are merged by the solver, which leaves the flow as it is and makes times like 1e60 reachable. The
normalized energy is the mean of e^{beta (<x_i, x_j> - 1)} over all pairs, 1 for a single cluster.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import MEASURED, PALETTE, PREDICTED, REST, mark_predicted, panels

RTOL = 1e-7

# --- the published staircase ------------------------------------------------------------------------------------------

# five angles, the same for every beta
STAIRCASE = 0.5 * np.log(2000) / np.sqrt(2000) * np.array([0.0, 0.5, 2.0, 4.0, 7.0])


def _on_circle(angles: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _climb(beta: float, t1: float) -> tkf.Trajectory:
    """The published run: unnormalized attention, in a time in which tokens move at the speed log(beta)."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(jnp.asarray(beta)))
    return tkf.solve(
        model, _on_circle(STAIRCASE), t1=t1, save=np.linspace(0, t1, 401), merge=True, clock="distance", speed=np.log(beta)
    )


def _closest_pairs(angles: np.ndarray) -> list[set[frozenset[int]]]:
    """Who joins whom if always the closest pair does, the others frozen: they meet at their center of mass."""
    groups = [(frozenset([i]), float(angle)) for i, angle in enumerate(angles)]
    order = []
    while len(groups) > 1:
        k = int(np.argmin([b - a for (_, a), (_, b) in zip(groups, groups[1:], strict=False)]))
        (one, a), (other, b) = groups[k : k + 2]
        order.append({one, other})
        groups[k : k + 2] = [(one | other, (len(one) * a + len(other) * b) / (len(one) + len(other)))]
    return order


def _staircase(*, seed: int, betas: list[float], t1: float) -> Finding:
    expected, curves, gaps, wrong, jumps = _closest_pairs(STAIRCASE), [], [], 0, []
    for beta in betas:
        run = _climb(beta, t1)
        joined = [{frozenset(part.tolist()) for part in merge.parts} for merge in run.mergers.merges]
        wrong += sum(a != b for a, b in zip(joined, expected, strict=False)) + abs(len(joined) - len(expected))
        jumps.append(len(joined))
        late = run.plateaus[-3:]  # the first two pairs are too close to rest before they join
        gaps += [abs(p.energy - float(theory.plateau(p.masses))) for p in late if p.energy is not None]
        gaps += [1.0] * (3 - len(late))
        curves.append(run.energy(normalized=True))
    checks = [
        equals("jumps: clusters at the start - 1, least over β", min(jumps), 4, within=0, because="a count"),
        equals("jumps: clusters at the start - 1, most over β", max(jumps), 4, within=0, because="a count"),
        equals("mergers that are not of the closest pair", wrong, 0, within=0, because="a count"),
        at_most(
            "largest |energy - Σ a²| on the last three plateaus",
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
    heights = [float(theory.plateau(masses)) for masses in ([3, 1, 1], [3, 2], [5])]
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


def _energy_prefactor(*, seed: int, betas: list[float], t1: float, formula: str) -> Finding:
    heights, predicted = [], []
    for beta in betas:
        run = _climb(beta, t1)
        energy = run.energy(normalized=True)  # the mean of e^{beta (<x, y> - 1)}
        heights.append(float(energy[-1]) if formula == "corrected" else float(energy[-1]) / (2 * beta))
        predicted.append(1 / (2 * beta))
    checks = []
    return Finding(checks, {"betas": betas, "heights": heights, "predicted": predicted})


# --- escape times -----------------------------------------------------------------------------------------------------

OTHER_COSINES = (-0.2, -0.1)  # of the third cluster with the two that join


def _escape(*, seed: int, cosines: list[float], betas: list[float], sign: float) -> Finding:
    checks, times = [], []
    for cosine in cosines:
        far, near = OTHER_COSINES
        gram = np.array([[1.0, cosine, far], [cosine, 1.0, near], [far, near, 1.0]])
        mu = tkf.Measure(np.linalg.cholesky(gram), [0.3, 0.4, 0.3])
        found = []
        for beta in betas:
            model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(jnp.asarray(beta)))
            run = tkf.solve(model, mu, t1=1e100, save="end", merge=True)
            found.append(float(run.escape_times[0]))
        times.append(found)
        slope = np.polyfit(betas, np.log(found), 1)[0]
        predicted = float(theory.escape_slope(cosine if sign > 0 else -cosine))
        checks.append(
            equals(
                f"slope of log(escape time) in β, α = {cosine:g}",
                slope,
                predicted,
                within=0.1,
                because="the factor 1/β of the time takes about 1/60 off the slope",
            )
        )
    return Finding(checks, {"betas": np.array(betas), "times": np.array(times), "cosines": cosines})
