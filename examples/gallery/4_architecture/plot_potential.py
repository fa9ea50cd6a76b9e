"""
A potential that keeps clusters apart
=====================================

Attention alone joins two antipodal clusters. A quadratic potential :math:`s x_1^2/2` holds them from
:math:`s = 2/(1 + e^{2β})` on: two rates, one on each side of the threshold (arXiv 2601.21366 studies such measures).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import PALETTE, new_figure, styled

beta, t1, tilt = 1.5, 60.0, 1e-4
threshold = tkf.theory.holding_potential(beta)
strengths = (0.5 * threshold.value, 0.84 * threshold.value, 1.16 * threshold.value, 1.5 * threshold.value)

# %%
# Model, start and solve
# ----------------------
start = tkf.Measure([[np.cos(tilt), np.sin(tilt)], [-1.0, 0.0]])
runs = {}
for s in strengths:
    model = tkf.Transformer(tkf.Sphere(2), [tkf.Softmax(beta), tkf.Potential(lambda x, s=s: s * x[0] ** 2 / 2)])
    runs[s] = tkf.solve(model, start, t1=t1, save=61)
run = runs[strengths[0]]

# %%
# Prediction against measurement
# ------------------------------
angles = {s: np.abs(np.arctan2(*np.asarray(r.points)[:, 0, ::-1].T)) for s, r in runs.items()}
for s, angle in angles.items():
    print(f"s / s_c = {s / threshold.value:.2f}: the angle grows by {angle[-1] / angle[0]:.3g}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    for (s, angle), color in zip(angles.items(), PALETTE, strict=False):
        axes.semilogy(run.ts, angle, color=color, label=f"$s/s_c={s / threshold.value:.2f}$")
    axes.set(xlabel="depth $t$", ylabel="angle from the antipodal pair", title=rf"$s_c={threshold.value:.4f}$")
    axes.legend()
tkf.plot.Picture(figure)
