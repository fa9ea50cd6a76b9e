"""
A potential that keeps clusters apart
=====================================

Attention alone joins two clusters that are almost antipodal. A potential :math:`s x_1^2/2` keeps them apart from
:math:`s_c = 2/(1 + e^{2β})` on (arXiv 2601.21366 studies such measures).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

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
# To first order the mean angle of both tokens decays at the rate :math:`s`, their difference grows at
# :math:`s_c - s`; angles are those to the axis of :math:`x_1`, one token starts at 1e-4, the other at zero.
angles = {s: np.abs(np.arctan2(*np.asarray(r.points)[:, 0, ::-1].T)) for s, r in runs.items()}
ts = np.asarray(run.ts)
predicted = {s: tilt * (np.exp(-s * ts) + np.exp((threshold.value - s) * ts)) / 2 for s in strengths}
for s, angle in angles.items():
    grown, theory = angle[-1] / angle[0], predicted[s][-1] / tilt
    print(f"s / s_c = {s / threshold.value:.2f}: the angle is multiplied by {grown:.4f}, predicted {theory:.4f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    for (s, angle), color in zip(angles.items(), PALETTE, strict=False):
        axes.semilogy(ts, angle, color=color, lw=3, alpha=0.8, label=f"$s/s_c={s / threshold.value:.2f}$")
        axes.semilogy(ts, predicted[s], "--", color=INK, lw=1)
    axes.plot([], [], "--", color=INK, lw=1, label="predicted")
    axes.set(xlabel="depth $t$", ylabel="angle of the first token (rad)", title=rf"$s_c={threshold.value:.4f}$")
    axes.legend()
tkf.plot.Picture(figure)
