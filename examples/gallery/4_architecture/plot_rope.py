"""
Rotary positions on a ring
==========================

Logits :math:`β⟨x_i, R_{j-i} x_j⟩` with tokens on a ring. Consensus is an equilibrium, approached at a rate that
is known (arXiv 2607.24502).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, beta, t1 = 16, 4.0, 40.0

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta), position=tkf.RoPE([2 * np.pi / n]))
tokens = tkf.initial.cap(model.geometry, n, angle=0.5, seed=0)
run = tkf.solve(model, tokens, t1=t1, save=81)

# %%
# Prediction against measurement
# ------------------------------
# Angles between tokens decay at this rate, and so :math:`1 - \cos` at twice the rate.
rate = tkf.theory.ring_rate(beta, n)
cosines = np.asarray(run.along(tkf.observables.mean_cosine))
late = np.asarray(run.ts) > 20
slope = -np.polyfit(np.asarray(run.ts)[late], np.log(1 - cosines[late]), 1)[0] / 2
print(f"measured rate {slope:.5f}, predicted {rate.value:.5f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    axes.semilogy(run.ts, 1 - cosines, color=PALETTE[0], lw=3, label="measured")
    scale = (1 - cosines[-1]) * np.exp(2 * rate.value * t1)
    axes.semilogy(
        run.ts, scale * np.exp(-2 * rate.value * np.asarray(run.ts)), "--", color=INK, label="predicted slope"
    )
    axes.set(xlabel="depth $t$", ylabel="$1 -$ mean cosine")
    axes.legend()
tkf.plot.Picture(figure)
