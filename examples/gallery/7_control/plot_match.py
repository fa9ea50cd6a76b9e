"""
Weights that are written down
=============================

No training: for N points of the sphere and N targets there are weights of rank one, with a ReLU, that send each
point to its target and leave all others where they are, with at most 6 switches for each point (proposition 4.1 of
arXiv 2411.04551).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield import control
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, seed = 5, 0

# %%
# Start, construction and solve
# -----------------------------
sources, targets = (np.asarray(tkf.initial.uniform(tkf.Sphere(3), n=n, seed=seed + k).points) for k in range(2))
found = control.match(sources, targets)
print(f"{found.pieces} pieces of depth; the first:", *found.steps[:3], sep="\n  ")
run = found.run(sources, save=20 * found.pieces + 1)

# %%
# Prediction against measurement
# ------------------------------
far = np.linalg.norm(np.asarray(run.final.points) - targets, axis=1)
print(f"switches {found.switches}, at most {6 * n}; farthest from its target {far.max():.0e}")

# %%
# Figure
# ------
# Each point has its turn, after which the others are back where they were. Paths on the far side are seen through the
# sphere.
with styled():
    figure = new_figure(8.4, 3.6)
    sphere = figure.add_subplot(1, 2, 1, projection="3d")
    curve = figure.add_subplot(1, 2, 2)
    u, v = np.mgrid[0 : 2 * np.pi : 25j, 0 : np.pi : 13j]
    sphere.plot_wireframe(np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v), color="0.88", lw=0.4)
    points = np.asarray(run.points)
    distances = np.linalg.norm(points - targets, axis=-1)
    for k, color in zip(range(n), PALETTE, strict=False):
        sphere.plot(*points[:, k].T, color=color, lw=1.2)
        sphere.plot(*sources[k][:, None], "o", color=color, ms=4)
        sphere.plot(*targets[k][:, None], "*", color=color, ms=12, mec=INK, mew=0.5)
        curve.plot(run.ts, distances[:, k], color=color, label=f"point {k}")
    sphere.set_axis_off()
    sphere.set_box_aspect((1, 1, 1), zoom=1.7)
    sphere.set_title("from dots to stars")
    curve.set(xlabel="depth $t$: constant weights in each unit", ylabel="distance to the target", ylim=(0, None))
    curve.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
tkf.plot.Picture(figure)
