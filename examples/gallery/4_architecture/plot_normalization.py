"""
Where the layer normalizes
==========================

Post-LN, Pre-LN, Peri-LN: the same attention, and very different speeds of collapse, exponential under Post-LN and like
a power of depth under the others (arXiv 2510.22026).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, d, beta, t1 = 32, 64, 1.0, 30.0
schemes = {"post-ln": tkf.PostLN(), "pre-ln": tkf.PreLN(), "peri-ln": tkf.PeriLN()}

# %%
# Model, start and solve
# ----------------------
runs = {}
for name, scheme in schemes.items():
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta), normalization=scheme)
    runs[name] = tkf.solve(model, tkf.initial.frame(model.geometry, n), t1=t1, save=91)
run = runs["pre-ln"]

# %%
# Prediction against measurement
# ------------------------------
cosines = {name: np.asarray(r.along(tkf.observables.mean_cosine)) for name, r in runs.items()}
curves = {
    name: np.asarray(
        tkf.theory.equiangular_curve(run.ts, beta, n, scheme="softmax" if name == "post-ln" else name).value
    )
    for name in schemes
}
for name in schemes:
    print(f"{name}: largest difference {np.max(np.abs(cosines[name] - curves[name])):.1e}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.4, 3.4)
    axes = figure.subplots()
    for (name, values), color in zip(cosines.items(), PALETTE, strict=False):
        axes.loglog(run.ts[1:], 1 - values[1:], color=color, lw=3, alpha=0.8, label=name)
        axes.loglog(run.ts[1:], 1 - curves[name][1:], color=INK, ls="--", lw=1)
    axes.plot([], [], color=INK, ls="--", lw=1, label="predicted")
    axes.set(xlabel="depth $t$", ylabel=r"$1 - \cos$ of pairs", ylim=(1e-8, 2))
    axes.legend()
tkf.plot.Picture(figure)

# %%
# What slows Pre-LN down is that the residual stream grows. All lengths are equal here, so that the bands have no width:
radii = tkf.plot.radii(run)
radii
