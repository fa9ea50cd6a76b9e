"""
All angles equal
================

Tokens that start orthogonal keep one common cosine :math:`γ(t)`, which obeys a single equation (arXiv 2312.10794,
figure 3). In high dimension random tokens are almost orthogonal, so they almost follow it too.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, d, betas, t1, seed = 32, 256, (0.0, 1.0, 2.0, 4.0), 8.0, 0

# %%
# Model, start and solve
# ----------------------
# The same tokens under four temperatures. Only beta changes, so one compilation serves all of them.
runs = {}
for beta in betas:
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta))
    tokens = tkf.initial.uniform(model.geometry, n=n, seed=seed)
    runs[beta] = tkf.solve(model, tokens, t1=t1, save=81)
run = runs[1.0]

# %%
# Prediction against measurement
# ------------------------------
measured = {beta: np.asarray(r.along(tkf.observables.mean_cosine)) for beta, r in runs.items()}
predicted = {beta: np.asarray(tkf.theory.equiangular_curve(r.ts, beta, n).value) for beta, r in runs.items()}
for beta in betas:
    print(f"beta = {beta:g}: largest difference {np.max(np.abs(measured[beta] - predicted[beta])):.3f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.4, 3.4)
    axes = figure.subplots()
    for beta, color in zip(betas, PALETTE, strict=False):
        axes.plot(run.ts, measured[beta], color=color, lw=3, alpha=0.8, label=rf"$\beta={beta:g}$")
        axes.plot(run.ts, predicted[beta], color=INK, ls="--", lw=1)
    axes.plot([], [], color=INK, ls="--", lw=1, label="predicted, orthogonal start")
    axes.set(xlabel="depth $t$", ylabel="mean cosine of pairs", title=f"{n} random tokens in {d} dimensions")
    axes.legend()
tkf.plot.Picture(figure)
