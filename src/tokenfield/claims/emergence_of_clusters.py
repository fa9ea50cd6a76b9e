"""Claims of "The emergence of clusters in self-attention dynamics" (arXiv 2305.05465): attention in R^d.

Tokens start uniform in [-5, 5]^d, n = 20, as in the published figures, and z = e^{-tV} x is followed.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most
from tokenfield.claims.figures import MEASURED, PALETTE, REST, panels

RTOL = 1e-9


def _hull_shrinks(*, seed: int, n: int, t1: float, sign: float) -> Finding:
    start = tkf.initial.box(tkf.Euclidean(2), n, low=-5.0, high=5.0, seed=seed)
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=sign * np.eye(2), rescaled=True)
    run = tkf.solve(model, start, t1=t1, save=101, rtol=RTOL, atol=1e-2 * RTOL)
    areas = np.array([tkf.observables.hull_volume(tkf.Measure(z)) for z in run.saved_points])
    growth = float(np.max(np.diff(areas) / areas[:-1]))
    what, why = "largest relative growth of the hull's area between two saved times", "ten times the solver's tolerance"
    checks = [at_most(what, growth, 0, slack=10 * RTOL, because=why)]
    return Finding(checks, {"ts": np.asarray(run.ts), "areas": areas, "z": np.asarray(run.saved_points)})


def _draw_hull(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    z = finding.data["z"]
    left.plot(*z.transpose(2, 0, 1), color=REST, linewidth=0.6)
    left.plot(*z[0].T, "o", color=REST, markersize=2.5, label="start")
    left.plot(*z[-1].T, "o", color=PALETTE[1], markersize=4, label="end")
    left.set(xlabel="$z_1$", ylabel="$z_2$", aspect="equal")
    left.legend()
    right.plot(finding.data["ts"], finding.data["areas"], **MEASURED)
    right.set(xlabel="$t$", ylabel="area of the hull")
    return figure


CLAIMS = (
    Claim(
        id="glpr23-hull-shrinks",
        title="The convex hull of rescaled tokens never grows",
        statement=r"With $V = I$ and $Q^\top K > 0$, the convex hull of the rescaled tokens $z_i(t) = e^{-t} x_i(t)$ "
        r"is non-increasing: $\operatorname{conv}\{z_i(t)\} \subseteq \operatorname{conv}\{z_i(s)\}$ for $t \geq s$.",
        paper="glpr23",
        where="Theorem 2 (in the proof), figure 3",
        status="theorem",
        assumptions=(r"$V = I$, $Q = K = I$, tokens in $\mathbb{R}^2$",),
        experiment=_hull_shrinks,
        draw=_draw_hull,
        quick=Setting({"n": 20, "t1": 5.0, "sign": 1.0}, seconds=4),
        full=Setting({"n": 20, "t1": 10.0, "sign": 1.0}, seconds=4),
        control=Control({"sign": -1.0}, "with V = -I tokens in the frame of e^{tV} spread instead"),
    ),
)
