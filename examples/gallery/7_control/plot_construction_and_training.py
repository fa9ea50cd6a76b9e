"""
Weights written down and weights trained
========================================

A neural ODE sends N points to N targets, and bends a segment or a square to the graph of a function. Its weights can be
written down, one neuron at a time (arXiv 2104.05278), or trained. With as many neurons and about as many
parameters: what is won, what is paid?
"""

# %%
# Parameters
# ----------
import time

import numpy as np

import tokenfield as tkf
from tokenfield import control
from tokenfield.plot.style import HEAT, INK, PALETTE, new_figure, styled

N, pieces = 6, 4  # points; pieces of depth of the trained ODE, which has as many neurons as are written down
rng = np.random.default_rng(0)
x, y = rng.normal(size=(2, N, 2))
s = np.linspace(0, 1, 33)
square = np.stack(np.meshgrid(*[(np.arange(24) + 0.5) / 24] * 2), axis=-1).reshape(-1, 2)


def sine(s):
    """A function of one variable."""
    return np.sin(2 * np.pi * s)


def wave(x):
    """A function of two."""
    return np.sin(3 * x[:, 0]) * np.cos(2 * x[:, 1])


# %%
# Model, start and solve
# ----------------------
# Both fields are sums of :math:`w(⟨u, x⟩ + b)_+`; training has as many of them as the construction. Functions are
# graphs: :math:`(x, 0)` goes to :math:`(x, f(x))`. For two variables, rows of a grid's cells are laid one behind the
# other, their values are written along that line, and the rows are brought back.
def trained(start, goal, neurons):
    """Weights that `steer` finds: so many neurons in 4 pieces of depth."""
    model = tkf.Transformer(tkf.Euclidean(start.shape[1]), tkf.Perceptron())
    return control.steer(
        model, start, goal, t1=1.0, seed=0, pieces=pieces, width=neurons // pieces, steps=600, rate=0.05, substeps=8,
        progress=False,
    )  # fmt: skip


problems = {
    f"{N} points": (x, y, lambda: control.interpolate_points(x, y)),
    "a sine": (
        np.stack([s, 0 * s], axis=1),
        np.stack([s, sine(s)], axis=1),
        lambda: control.approximate(sine, 2 * N - 1, box=(0, 1)).construction,
    ),
    "a wave": (
        np.column_stack([square, 0 * square[:, 0]]),
        np.column_stack([square, wave(square)]),
        lambda: control.approximate(wave, 4, box=[(0, 1), (0, 1)]).construction,
    ),
}

# %%
# Measurement
# -----------
# Effort is the integral over depth of :math:`‖w‖ ‖(u, b)‖`, summed over neurons: however fast depth runs. Written
# weights are exact for points, where training stays a tenth away, and for the sine both err alike. For the smooth wave
# training is six times nearer than the steps that are written; these come with a bound instead, and fall below any
# error with more cells. Training pays a third of the effort or less, for the wave a two-hundredth, since rows slide
# fast there; and it takes seconds, where writing takes hardly any time.
found = {}
print(f"{'problem':10}{'weights':14}{'switches':>9}{'parameters':>11}{'rms error':>11}{'effort':>8}{'CPU s':>7}")
for problem, (start, goal, write) in problems.items():
    began = time.process_time()
    written = write()
    middle = time.process_time()
    other = trained(start, goal, written.pieces)
    times = middle - began, time.process_time() - middle
    for way, solution, seconds in zip(("written down", "trained"), (written, other), times, strict=True):
        end = np.asarray(solution.run(start).final.points)
        error = np.sqrt(np.mean(np.sum((end - goal) ** 2, axis=1)))
        found[problem, way] = solution, end, error
        print(
            f"{problem:10}{way:14}{solution.switches:9}{solution.parameters:11}{error:11.1e}{solution.effort:8.1f}"
            f"{seconds:7.1f}"
        )

# %%
# Figure
# ------
with styled():
    figure = new_figure(7.2, 9.0)
    axes = figure.subplots(3, 2)
    for row, (problem, (start, goal, _)) in zip(axes, problems.items(), strict=True):
        for ax, way in zip(row, ("written down", "trained"), strict=True):
            solution, end, error = found[problem, way]
            ax.set(title=f"{problem}, {way}: error {error:.1g}", xlabel="$x_1$", ylabel="$x_2$")
            if start.shape[1] == 3:
                image = ax.imshow(
                    end[:, 2].reshape(24, 24), cmap=HEAT, origin="lower", extent=(0, 1, 0, 1), vmin=-0.5, vmax=1
                )
                continue
            paths = np.asarray(solution.run(start, save=201).points)
            ax.plot(*np.moveaxis(paths, -1, 0), color=PALETTE[0], lw=0.7, alpha=0.6)
            ax.plot(*start.T, "o", color="white", mec=PALETTE[0], ms=4.5, label="start")
            ax.plot(*paths[-1].T, "o", color=PALETTE[0], ms=4.5, label="end")
            ax.plot(*goal.T, "s", color="none", mec=INK, ms=8, label="target")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.colorbar(image, ax=axes[2], label="value")
    figure.legend(handles[-3:], labels[-3:], loc="outside lower center", ncols=3)
tkf.plot.Picture(figure)
