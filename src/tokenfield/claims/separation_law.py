"""The law of data separation (arXiv 2210.17020) where its rate is known: attention of clusters that are classes.

A residual layer x <- N(x + h m) with the mean m of the own cluster divides deviations from it by 1 + h, exactly to
first order, so that Tr(S_w S_b^+) is divided by (1 + h)^2 in every layer.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

NEAR = 1e-3


def _law(*, seed: int, n: int, classes: int, beta: float, layers: int, step: float, rate: str) -> Finding:
    """Classes at equal angles on a great circle; beside them labels that are wrong for half of each cluster.

    Wrong labels are not drawn at random: some draws have means of classes on a line, to within the deviations, and then
    S_b^+ sees these deviations instead of the clusters.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), n // classes)
    angles = 2 * np.pi * labels / classes
    x = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) + NEAR * rng.normal(size=(len(labels), 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
    run = tkf.solve(model, x, t1=layers * step, layers=layers, save=layers + 1)
    states = [run.measure(i) for i in range(layers + 1)]
    found = [tkf.observables.separation(mu, labels) for mu in states]
    logs = np.log([one.fuzziness for one in found])
    is_wrong = np.arange(len(labels)) % (n // classes) < n // classes // 2
    mixed = np.where(is_wrong, (labels + 1) % classes, labels)
    wrong = np.log([tkf.observables.separation(mu, mixed).fuzziness for mu in states])
    depth = np.arange(layers + 1)
    slope = np.polyfit(depth, logs, 1)[0]
    expected = -2 * (np.log1p(step) if rate == "layers" else step)
    bend = 1 + np.corrcoef(depth, logs)[0, 1]
    two = (labels == 0) | (labels == 1)
    ends = states[-1]
    part = tkf.Measure(np.asarray(ends.points)[two])
    readout = tkf.observables.logistic_readout(part, labels[two])
    why = "deviations of 1e-3 to second order"
    checks = [
        equals("change of log Tr(S_w S_b⁺) in one layer", slope, expected, within=1e-3, because=why),
        at_most("1 − |correlation| of log Tr(S_w S_b⁺) with the layer", bend, 0, slack=1e-6, because="a straight line"),
        at_most(
            "the same change with half of the labels wrong, in size",
            abs(np.polyfit(depth, wrong, 1)[0]),
            0,
            slack=NEAR,
            because="classes of two halves do not come nearer to their means",
        ),
        at_most("unequal angles of class means at the end", found[-1].unequal_angles, 0, slack=10 * NEAR, because=why),
        at_least("accuracy of a logistic readout of two classes", readout.accuracy, 1, slack=1e-12, because="rounding"),
    ]
    return Finding(checks, {"logs": logs, "wrong": wrong, "expected": expected})


def _draw_law(finding: Finding) -> Figure:
    figure, ax = panels()
    logs, wrong = finding.data["logs"] / np.log(10), finding.data["wrong"] / np.log(10)
    depth = np.arange(len(logs))
    ax.plot(depth, wrong, "s", color=PALETTE[1], markersize=4, label="half of the labels wrong")
    ax.plot(depth, logs, "o", color=PALETTE[0], markersize=4, label="classes")
    line = logs[0] + depth * finding.data["expected"] / np.log(10)
    ax.plot(depth, line, label=r"factor $(1+h)^{-2}$ in each layer, $h = 1/4$", **PREDICTED)
    ax.set(xlabel="layer", ylabel=r"$\log_{10}\, \mathrm{Tr}(S_w S_b^+)$")
    ax.legend(fontsize=8, loc="center right")
    return figure


CLAIMS = (
    Claim(
        id="hs23-separation-rate",
        main="in one layer",
        title="Classes that are clusters separate by a known factor in every layer",
        statement=r"Where classes are clusters, a residual attention layer $x \leftarrow N(x + h\,m)$ divides the "
        r"fuzziness $D = \operatorname{Tr}(S_w S_b^+)$ by $(1 + h)^2$: $\log D$ is linear in the layer.",
        paper="hs23",
        where="the law of data separation, here for a flow that is not trained",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = V = I$, three classes at equal angles on a great circle",),
        experiment=_law,
        draw=_draw_law,
        quick=Setting({"n": 30, "classes": 3, "beta": 16.0, "layers": 24, "step": 0.25, "rate": "layers"}, seconds=3),
        full=Setting({"n": 300, "classes": 3, "beta": 16.0, "layers": 24, "step": 0.25, "rate": "layers"}, seconds=5),
        control=Control({"rate": "flow"}, "layers of step 1/4 are slower than the rate 2h of the flow", "in one layer"),
        note="The paper's law is about trained networks. `examples/steer.py` reports it for its trained flow.",
    ),
)
