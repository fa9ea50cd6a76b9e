"""Claims about rotary positions on the sphere (arXiv 2607.24502): rates at consensus, twisted states, hemispheres.

Logits are beta <x_i, R_{j-i} x_j> with R_p the rotation of the first two coordinates by p w. On the ring n w = 2 pi.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

D = 3
PRINTED = {(16, 1.0): 0.553610, (16, 4.0): 0.136477}  # six digits


def _model(beta: float, n: int, turns: float, tilt: float = 0.0) -> tkf.Transformer:
    """Softmax attention with rotary positions, n of which make so many `turns`; V turns e_3 by `tilt` degrees."""
    c, s = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    V = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    position = tkf.RoPE([2 * np.pi * turns / n])
    return tkf.Transformer(tkf.Sphere(D), tkf.Softmax(beta), V=V, position=position)


def _ring_rates(*, seed: int, n: int, betas: tuple[float, ...], turns: float) -> Finding:
    size, times = 1e-4, np.linspace(0.0, 4.0, 9)
    # all modes at once, each with a random phase; out of the plane that turns
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, n // 2)
    modes = np.arange(1, n // 2 + 1)
    angles = 2 * np.pi * np.outer(np.arange(n), modes) / n
    phases[-1] = 0.0  # cos(pi j + phase) has no other phase
    x = np.stack([np.ones(n), np.zeros(n), size * np.cos(angles + phases).sum(axis=1)], axis=1)
    start = tkf.Measure(x / np.linalg.norm(x, axis=1, keepdims=True))
    checks, rows = [], []
    for beta in betas:
        run = tkf.solve(_model(beta, n, turns), start, t1=times[-1], save=times, rtol=1e-10, atol=1e-14)
        spectrum = np.log(np.abs(np.fft.rfft(np.asarray(run.saved_points)[:, :, 2], axis=1)[:, 1:]))
        rates = -(spectrum[-1] - spectrum[0]) / times[-1]
        predicted = np.array([float(theory.ring_rate(beta, n, mode=int(m))) for m in modes])
        rows.append((beta, rates, predicted))
        because = "the flow is nonlinear: a correction of the order of the squared perturbation"
        error = np.abs(rates - predicted).max()
        checks += [
            equals(f"slowest rate, mode 1, β = {beta:g}", rates[0], predicted[0], within=1e-5, because=because),
            at_most(
                f"largest error of rates, modes 1 to {n // 2}, β = {beta:g}", error, 0, slack=1e-5, because=because
            ),
        ]
        if (n, beta) in PRINTED:
            what = f"slowest rate, against the reference number, β = {beta:g}"
            checks.append(equals(what, rates[0], PRINTED[n, beta], within=1e-5, because=because))
    return Finding(checks, {"modes": modes, "rows": rows})


def _draw_ring_rates(finding: Finding) -> Figure:
    figure, ax = panels(1)
    modes = finding.data["modes"]
    for i, (beta, rates, predicted) in enumerate(finding.data["rows"]):
        ax.plot(modes, rates, "o", color=PALETTE[i], markersize=5, label=rf"$\beta = {beta:g}$")
        ax.plot(modes, predicted, **PREDICTED, label="predicted" if i == 0 else None)
    ax.set(xlabel="mode $m$", ylabel="rate of decay", ylim=(0, None), xticks=modes)
    ax.legend(loc="lower right")
    return figure


def _twisted(*, seed: int, n: int, beta: float, t1: float, twist: int) -> Finding:
    phase = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    angles = phase - twist * 2 * np.pi * np.arange(n) / n
    start = tkf.Measure(np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1))
    model = _model(beta, n, 1.0)
    attention = np.asarray(tkf.observables.attention_matrix(start, model))
    run = tkf.solve(model, start, t1=t1, save=9, rtol=1e-10, atol=1e-12)
    moved = np.abs(np.asarray(run.saved_points) - np.asarray(start.points)).max()
    consensus = tkf.Measure(np.tile(start.points[0], (n, 1)))
    uneven = np.abs(attention - 1 / n).max()
    checks = [
        at_most("largest deviation of an attention weight from 1/n", uneven, 0, slack=1e-12, because="rounding"),
        at_most(f"largest motion of a token up to t = {t1:g}", moved, 0, slack=1e-8, because="rounding that has grown"),
    ]
    data = {"twisted": attention, "consensus": np.asarray(tkf.observables.attention_matrix(consensus, model))}
    return Finding(checks, data)


def _draw_twisted(finding: Finding) -> Figure:
    figure, axes = panels(2)
    top = max(matrix.max() for matrix in finding.data.values())
    for ax, name in zip(axes, ("twisted", "consensus"), strict=True):
        image = ax.imshow(finding.data[name], cmap="cividis", vmin=0, vmax=top)
        ax.set(xlabel="$j$", ylabel="$i$", title="twisted state" if name == "twisted" else "consensus")
        ticks = np.arange(0, len(finding.data[name]), max(1, len(finding.data[name]) // 4))
        ax.set(xticks=ticks, yticks=ticks)
    figure.colorbar(image, ax=axes, label="attention weight $A_{ij}$", shrink=0.9)
    return figure


def _hemisphere(*, seed: int, n: int, beta: float, t1: float, tilt: float) -> Finding:
    start = tkf.initial.cap(tkf.Sphere(D), n, center=np.eye(D)[2], angle=0.47 * np.pi, seed=seed)
    run = tkf.solve(_model(beta, n, 1.0, tilt), start, t1=t1, save=41, rtol=1e-9)
    heights = np.asarray(run.saved_points)[:, :, 2]
    lowest = heights.min(axis=1)
    growth, because = np.diff(lowest).min(), "the solver's tolerance"
    checks = [
        at_least("least growth of the lowest height between saved times", growth, 0, slack=1e-8, because=because),
        at_least("lowest height at the end", lowest[-1], lowest[0], because="tokens stay in the cap they started in"),
    ]
    return Finding(checks, {"ts": np.asarray(run.ts), "heights": heights})


def _draw_hemisphere(finding: Finding) -> Figure:
    figure, ax = panels(1)
    ts, heights = finding.data["ts"], finding.data["heights"]
    ax.plot(ts, heights, color=PALETTE[4], linewidth=0.7)
    ax.plot(ts, heights.min(axis=1), color=PALETTE[0], linewidth=2, label="lowest token")
    ax.axhline(0, **PREDICTED, label="equator")
    ax.set(xlabel="time $t$ of the flow", ylabel=r"height $\langle x_i, e_3 \rangle$")
    ax.legend(loc="center right")
    return figure


CLAIMS = (
    Claim(
        id="rope26-ring-rates",
        title="Rotary positions slow consensus down to aliased Bessel sums",
        statement=r"With rotary positions on a ring of $n$ tokens, $n w = 2\pi$, perturbations of mode $m$ of "
        r"consensus decay at the rate $1 - \frac{\sum_l I_{m+ln}(\beta)}{\sum_l I_{ln}(\beta)}$.",
        paper="rope26",
        where="abstract (Bessel-aliasing spectrum)",
        status="derived",
        main="slowest rate, mode 1, β = 4",
        assumptions=(r"$Q = K = V = I$, softmax attention, consensus in the plane that turns",),
        note="The paper is known to us by its abstract; the rates are derived from the attention matrix at consensus.",
        experiment=_ring_rates,
        draw=_draw_ring_rates,
        quick=Setting({"n": 16, "betas": (1.0, 4.0), "turns": 1.0}, seconds=4),
        full=Setting({"n": 16, "betas": (0.5, 1.0, 2.0, 4.0, 8.0), "turns": 1.0}, seconds=4),
        control=Control({"turns": 0.0}, "without rotations attention is uniform and all rates are 1", "slowest rate"),
    ),
    Claim(
        id="rope26-twisted-states",
        title="Twisted states undo the rotations",
        statement=r"On the ring $n w = 2\pi$ the twisted state $\theta_j = c - j w$ makes all logits equal, "
        r"$A_{ij} = \frac{1}{n}$, and is an equilibrium.",
        paper="rope26",
        where="abstract (twisted states)",
        status="property",
        main="from 1/n",
        assumptions=(r"$Q = K = V = I$, softmax attention",),
        experiment=_twisted,
        draw=_draw_twisted,
        quick=Setting({"n": 16, "beta": 4.0, "t1": 4.0, "twist": 1}, seconds=2),
        full=Setting({"n": 64, "beta": 4.0, "t1": 4.0, "twist": 1}, seconds=5),
        control=Control({"twist": -1}, "turned the other way the rotations add up instead of canceling", "1/n"),
        note="It follows from the definition of rotary positions; tested is that the implementation has it.",
    ),
    Claim(
        id="rope26-hemispheres",
        title="Hemispheres about the axis stay invariant under rotary positions",
        statement=r"Tokens that start with $\langle x_i, e \rangle > 0$ keep it: $\min_i \langle x_i(t), e \rangle$ "
        r"never decreases, whatever the positions do to the logits.",
        paper="rope26",
        where="abstract (invariant hemispheres)",
        status="second-hand",
        main="least growth of the lowest height",
        assumptions=(r"$V = I$, softmax attention",),
        experiment=_hemisphere,
        draw=_draw_hemisphere,
        quick=Setting({"n": 16, "beta": 4.0, "t1": 8.0, "tilt": 0.0}, seconds=3),
        full=Setting({"n": 64, "beta": 4.0, "t1": 20.0, "tilt": 0.0}, seconds=5),
        control=Control({"tilt": 30.0}, "values that are turned by 30 degrees do not keep the height", "lowest height"),
    ),
)
