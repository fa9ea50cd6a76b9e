"""
Weights written down and weights trained
========================================

A neural ODE sends N points to N targets, and bends a segment to the graph of a function. Its weights can be written
down, one neuron at a time (arXiv 2104.05278), or trained. Same neurons, same number of parameters: what is won, what is
paid?
"""

# %%
# Parameters
# ----------
import time

import numpy as np

import tokenfield as tkf
from tokenfield import control
from tokenfield.plot.style import INK, PALETTE, new_figure

N, pieces = 6, 4  # points; pieces of depth of the trained ODE, which has 2 N neurons in all
rng = np.random.default_rng(0)
x, y = rng.normal(size=(2, N, 2))
s = np.linspace(0, 1, 33)
graph = np.stack([s, np.sin(2 * np.pi * s)], axis=1)
flat = np.stack([s, 0 * s], axis=1)

# %%
# Model, start and solve
# ----------------------
# Both fields are sums of :math:`w(⟨u, x⟩ + b)_+`; training has as many of them as the construction.
model = tkf.Transformer(tkf.Euclidean(2), tkf.Perceptron())


def trained(start, goal):
    """Weights that `steer` finds: 2 N neurons in 4 pieces of depth."""
    return control.steer(
        model, start, goal, t1=1.0, seed=0, pieces=pieces, width=2 * N // pieces, steps=600, rate=0.05, substeps=8,
        progress=False,
    )  # fmt: skip


problems = {
    f"{N} points": (x, y, lambda: control.interpolate_points(x, y)),
    "a sine": (flat, graph, lambda: control.approximate(lambda s: np.sin(2 * np.pi * s), 2 * N - 1, interval=(0, 1))),
}
ways = {"written down": lambda start, goal, write: write(), "trained": lambda start, goal, write: trained(start, goal)}

# %%
# Measurement
# -----------
# Effort is the integral over depth of \|w\| \|(u, b)\|, summed over neurons: however fast depth runs. Written weights
# are exact for points, where training stays a tenth away; for the function both err alike. Training pays a third or a
# quarter of the effort, and seconds where writing takes none.
found = {}
print(f"{'problem':10}{'weights':14}{'switches':>9}{'parameters':>11}{'rms error':>11}{'effort':>8}{'CPU s':>7}")
for problem, (start, goal, write) in problems.items():
    for way, make in ways.items():
        began = time.process_time()
        solution = make(start, goal, write)
        seconds = time.process_time() - began
        end = np.asarray(solution.run(start).final.points)
        error = np.sqrt(np.mean(np.sum((end - goal) ** 2, axis=1)))
        found[problem, way] = solution, error
        print(
            f"{problem:10}{way:14}{solution.switches:9}{solution.parameters:11}{error:11.1e}{solution.effort:8.1f}"
            f"{seconds:7.1f}"
        )

# %%
# Figure
# ------
figure = new_figure(7.2, 6.2)
axes = figure.subplots(2, 2)
for row, (problem, (start, goal, _)) in zip(axes, problems.items(), strict=True):
    for ax, way in zip(row, ways, strict=True):
        solution, error = found[problem, way]
        paths = np.asarray(solution.run(start, save=201).points)
        ax.plot(*np.moveaxis(paths, -1, 0), color=PALETTE[0], lw=0.7, alpha=0.6)
        ax.plot(*start.T, "o", color="white", mec=PALETTE[0], ms=4.5, label="start")
        ax.plot(*paths[-1].T, "o", color=PALETTE[0], ms=4.5, label="end")
        ax.plot(*goal.T, "s", color="none", mec=INK, ms=8, label="target")
        ax.set(title=f"{problem}, {way}: error {error:.1g}", xlabel="$x_1$", ylabel="$x_2$")
handles, labels = axes[0, 0].get_legend_handles_labels()
figure.legend(handles[-3:], labels[-3:], loc="outside lower center", ncols=3)
