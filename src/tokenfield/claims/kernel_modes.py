"""Claims about the modes of kernel density estimates (arXiv 2412.09080): how many clusters independent tokens show.

Samples of the line are put on a small part of the circle, where the kernel e^{beta cos} of the engine is Gaussian.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.geometry import on_circle

CIRCLE = tkf.Sphere(2)
RADIANS = 0.6  # of one standard deviation: five of them still fit on the half circle


def _line_modes(samples: np.ndarray, beta: float) -> np.ndarray:
    """Where the Gaussian kernel density estimate of samples on the line has its modes."""
    angles = tkf.observables.kde_modes(tkf.Measure(on_circle(RADIANS * samples)), CIRCLE, beta / RADIANS**2).angles
    return (np.mod(angles + np.pi, 2 * np.pi) - np.pi) / RADIANS


def _mode_counts(
    *, seed: int, sizes: tuple[int, ...], draws: tuple[int, ...], uniform: tuple[int, float, int], per_mode: float
) -> Finding:
    rng = np.random.default_rng(seed)
    means, errors, predicted, places = [], [], [], []
    for n, repeats in zip(sizes, draws, strict=True):
        found = [_line_modes(rng.normal(size=n), n) for _ in range(repeats)]
        counts = np.array([len(t) for t in found])
        means.append(counts.mean())
        errors.append(counts.std(ddof=1) / np.sqrt(repeats))
        predicted.append(per_mode * float(theory.kde_mode_count(n, n)))
        places.append(np.concatenate(found))
    m, beta, repeats = uniform
    flat = [
        tkf.observables.kde_modes(tkf.Measure(on_circle(rng.uniform(0, 2 * np.pi, m))), CIRCLE, beta).count
        for _ in range(repeats)
    ]
    spread = np.std(flat, ddof=1) / np.sqrt(repeats)
    ends = np.abs(places[-1]) <= np.sqrt(np.log(sizes[-1]))
    checks = [
        equals(
            f"modes of {n} Gaussian samples over their leading order, β = n",
            mean / value,
            1 + 1 / np.log(n),
            within=0.5 / np.log(n) + 3 * error / value,
            because="half of the next order, which is about 1/log n, and three standard errors",
            error=error / value,
        )
        for n, mean, error, value in zip(sizes, means, errors, predicted, strict=True)
    ]
    checks += [
        equals(
            f"modes of {m} uniform tokens on the circle, β = {beta:g}",
            np.mean(flat),
            per_mode * np.sqrt(1.5 * beta),
            within=4 * spread + 0.01 * np.sqrt(1.5 * beta),
            because="four standard errors, and 1% for a finite number of tokens",
            error=spread,
        ),
        at_least(
            f"modes per √β, n = {sizes[-1]}, over those at n = {sizes[0]}",
            means[-1] / means[0] * np.sqrt(sizes[0] / sizes[-1]),
            1.1,
            because="without the logarithm it would be 1",
        ),
        at_least(
            f"share of the modes with t² < 2 log n - log β, n = {sizes[-1]}",
            ends.mean(),
            0.8,
            because="almost all as n grows; farther out are single samples, a part of order 1/log n",
        ),
    ]
    data = {"sizes": sizes, "means": means, "errors": errors, "places": places[-1], "draws": draws[-1]}
    return Finding(checks, data)


def _draw_mode_counts(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    sizes = np.array(data["sizes"], float)
    left.errorbar(sizes, data["means"], 3 * np.array(data["errors"]), fmt="o", color=PALETTE[0], markersize=4)
    fine = np.geomspace(sizes[0] / 1.5, sizes[-1] * 1.5, 50)
    left.plot(fine, [float(theory.kde_mode_count(n, n)) for n in fine], **PREDICTED, label=r"$n \to \infty$")
    left.set(xlabel=r"number of samples $n = \beta$", ylabel="modes", xscale="log", yscale="log")
    left.legend()
    n = sizes[-1]
    edges = np.linspace(-5, 5, 51)
    counts = np.histogram(data["places"], edges)[0] / data["draws"] / np.diff(edges) / np.sqrt(n)
    right.stairs(counts, edges, color=PALETTE[0], label=f"$n = {n:g}$")
    end = np.sqrt(np.log(n))
    right.plot([-5, -end, -end, end, end, 5], np.array([0, 0, 1, 1, 0, 0]) * np.sqrt(1.5) / 2 / np.pi, **PREDICTED)
    right.set(xlabel="place $t$ on the line", ylabel=r"modes per unit length, over $\sqrt{\beta}$")
    right.legend(loc="lower center")
    return figure


CLAIMS = (
    Claim(
        id="grs24-kernel-modes",
        title="A Gaussian kernel sees √(β log β) modes in Gaussian samples",
        statement=r"The kernel density estimate of $n$ Gaussian samples with a Gaussian kernel of width "
        r"$\beta^{-1/2}$ has "
        r"$\Theta(\sqrt{\beta \log\beta})$ modes for $n^c \lesssim \beta \lesssim n^{2-c}$, almost all of them where "
        r"$2\log n - 3\log\beta < t^2 < 2\log n - \log\beta$. To leading order there are "
        r"$\frac{1}{2\pi}\sqrt{3\beta/2}$ of them per unit of length.",
        paper="grs24",
        where="the main theorem; the constant is derived",
        status="second-hand",
        main="modes of 8000",
        assumptions=("independent samples", r"here $\beta = n$"),
        experiment=_mode_counts,
        draw=_draw_mode_counts,
        quick=Setting(
            {"sizes": (300, 8000), "draws": (60, 8), "uniform": (10000, 2500.0, 12), "per_mode": 1.0},
            seconds=5,
        ),
        full=Setting(
            {"sizes": (1000, 10**4, 10**5), "draws": (200, 60, 10), "uniform": (10**5, 10**4, 20), "per_mode": 1.0},
            seconds=120,
        ),
        control=Control(
            {"per_mode": np.sqrt(2 / 3)},
            "with √β instead of √(3β/2) the numbers of uniform tokens and of 8000 Gaussian samples fail",
            "modes of 8000",
        ),
        note="The number of tokens' clusters is expected to be of this order in a metastable state; that is not "
        "tested. "
        "With β = n = 10^5 the number is 8% above its leading order.",
    ),
)
