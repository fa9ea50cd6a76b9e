r"""
A residual network of changing width
====================================

Supervised learning as control: one schedule of weights moves all points of two classes until a line separates them.
The network widens from the plane to three coordinates and narrows again, :math:`x ← Px + hW\,\tanh(APx + b)`, where
:math:`P` pads with zeros or drops coordinates. Its :math:`L` layers take their weights from one schedule in depth, so
that its outputs differ from those of a flow by a multiple of :math:`1/L` (arXiv 1806.07366).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

widths, neurons, t1, seed = (2, 3, 3, 3, 3, 2), 12, 2.0, 0
model = tkf.Transformer(tkf.Euclidean(3), tkf.Perceptron(activation="tanh"))
labels = np.repeat([0, 1], 60)
targets = np.where(labels[:, None] == 0, [-1.5, 0.0], [1.5, 0.0])


def moons(rng):
    """Two interleaved half circles."""
    angles = np.pi * rng.uniform(size=60)
    arc = np.stack([np.cos(angles) - 0.5, np.sin(angles) - 0.25], axis=1)
    return np.concatenate([arc, -arc]) + 0.05 * rng.normal(size=(120, 2))


def spirals(rng):
    """Two arms of a spiral, with one turn each."""
    lengths = np.sqrt(rng.uniform(0.04, 1.0, size=(60, 1)))
    arm = 1.5 * lengths * np.concatenate([np.cos(2.5 * np.pi * lengths), np.sin(2.5 * np.pi * lengths)], axis=1)
    return np.concatenate([arm, -arm]) + 0.03 * rng.normal(size=(120, 2))


# %%
# Training
# --------
# `steer` solves again what it has trained, by another method and with tight tolerances: this is the certified loss. A
# logistic readout finds the best line; points that training has not seen should fall on its right sides too.
rng = np.random.default_rng(seed)
starts, trained = {}, {}
for name, draw, steps in (("moons", moons, 100), ("spirals", spirals, 250)):
    starts[name] = draw(rng)
    found = tkf.control.steer(
        model,
        starts[name],
        targets,
        t1=t1,
        seed=seed,
        widths=widths,
        width=neurons,
        steps=steps,
        rate=0.05,
        substeps=12,
        size=1e-3,
        progress=False,
    )
    trained[name] = found
    line = tkf.observables.logistic_readout(tkf.Measure(found.outputs(starts[name])), labels)
    new = np.asarray(found.outputs(draw(rng)))
    right = np.mean((new @ line.a + line.b > 0) == labels)
    print(f"{name}: loss {found.losses[0]:.3g} -> {found.best:.3g}, certified {found.certificate.loss:.3g}")
    print(f"  on the right side of the line: {line.accuracy:.1%} of the points, {right:.1%} of new ones")

# %%
# The limit of many layers, predicted and measured
# ------------------------------------------------
# The same weights as networks of 24, 48, ... layers, against the flow. The flow that untangles spirals is steep: with
# 48 layers or fewer a network is another map, as far from it as the classes are from each other.
layers = 24 * 2 ** np.arange(7)
errors = {}
for name, found in trained.items():
    end = np.asarray(found.outputs(starts[name]))
    errors[name] = np.array([np.abs(found.outputs(starts[name], layers=int(L)) - end).max() for L in layers])
    orders = np.log2(errors[name][:-1] / errors[name][1:])
    print(f"{name}: order in 1/L between L and 2L", np.round(orders, 2))

# %%
# Figure
# ------
# Depth by depth the points in the first two coordinates, with the line that separates them at the end. On the right,
# how far the outputs of networks are from those of the flow.
with styled():
    figure = new_figure(10.0, 4.4)
    grid = figure.subplots(2, 5)
    shown = np.arange(4) * 2  # of the borders of pieces: at 0, 2, 4 and 6 sixths of the depth
    for row, (name, found) in zip(grid, trained.items(), strict=True):
        run = found.run(starts[name], save=len(widths) + 1)
        reach = 1.08 * np.abs(np.asarray(run.points)[shown, :, :2]).max()
        for axes, k in zip(row, shown, strict=False):
            points = np.asarray(run.measure(int(k)).points)
            for label in (0, 1):
                axes.scatter(*points[labels == label, :2].T, s=7, color=PALETTE[label])
            axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
            wide = widths[min(k, len(widths) - 1)]
            axes.set_title(f"$t={k * t1 / len(widths):.2g}$, width {wide}", fontsize=9)
        line = tkf.observables.logistic_readout(tkf.Measure(found.outputs(starts[name])), labels)
        row[3].axline(-line.b * line.a / (line.a @ line.a), slope=-line.a[0] / line.a[1], color=INK, linestyle="--")
        row[0].set_ylabel(name)
        row[4].loglog(layers, errors[name], "o-", color=PALETTE[2], markersize=4, label="measured")
        row[4].loglog(layers, 1.5 * errors[name][-1] * layers[-1] / layers, "--", color=INK, label="$1/L$")
        row[4].set_title("network − flow, largest", fontsize=9)
        row[4].set_xticks(layers[::2], [str(L) for L in layers[::2]])
        row[4].minorticks_off()
        row[4].legend(fontsize=8)
    grid[1, 4].set_xlabel("layers $L$")
tkf.plot.Picture(figure)
