"""
How long two clusters live
==========================

Two clusters at an angle merge after a time that is exponential in :math:`β` (arXiv 2410.06833). Theory has the
time as an integral; here the tokens are solved for.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

betas, cosine, level = (2.0, 4.0, 8.0, 12.0, 16.0, 20.0), 0.0, 0.999

# %%
# Model, start and solve
# ----------------------
start = tkf.Measure([[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]])
times = []
for beta in betas:
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
    run = tkf.solve(model, start, t1=1e30, save="end", events=tkf.events.CosineLevel(level))
    times.append(run.result.t)

# %%
# Prediction against measurement
# ------------------------------
predicted = [tkf.theory.merge_time(beta, cosine=cosine, level=level).value for beta in betas]
for beta, measured, theory in zip(betas, times, predicted, strict=True):
    print(f"beta = {beta:4.0f}: measured {measured:.6g}, predicted {theory:.6g}")

# %%
# Figure
# ------
fine = np.linspace(betas[0], betas[-1], 73)
curve = [tkf.theory.merge_time(beta, cosine=cosine, level=level).value for beta in fine]
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    axes.semilogy(betas, times, "o", color=PALETTE[0], ms=7, label="measured")
    axes.semilogy(fine, curve, "--", color=INK, label="predicted")
    axes.set(xlabel=r"$\beta$", ylabel="depth $t$ at which the clusters meet", xticks=betas)
    axes.legend()
tkf.plot.Picture(figure)
