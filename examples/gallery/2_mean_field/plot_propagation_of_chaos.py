"""
Tokens approach their mean field
================================

Tokens drawn from a density stay close to it: the Wasserstein distance between :math:`n` of them and the density, both
moved by attention, falls like :math:`n^{-1/2}` (arXiv 2312.10794, propagation of chaos).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Density, Fourier
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

beta, t1, sizes, seeds = 1.0, 1.0, (64, 256, 1024), 6

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
start = Density.perturbed_uniform(Fourier(128), degree=1, amplitude=0.5)
found = tkf.compare(model, start, t1=t1, sizes=sizes, seeds=seeds)

# %%
# Prediction against measurement
# ------------------------------
rate = tkf.theory.sampling_rate(2)
print(f"fitted exponent {found.rate:.2f}, of the start {found.initial_rate:.2f}; predicted {-rate.value}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    n = np.asarray(found.sizes, float)
    axes.loglog(n, found.end, "o", color=PALETTE[0], alpha=0.4, label=[f"{seeds} draws", *[None] * (seeds - 1)])
    axes.loglog(n, found.end.mean(1), "s-", color=PALETTE[0], label=f"their mean, at $t={t1:g}$")
    axes.loglog(n, found.end.mean(1)[0] * (n / n[0]) ** -0.5, "--", color=INK, label=r"predicted, $\propto n^{-1/2}$")
    axes.set(xlabel="tokens $n$", ylabel="$W_1$ to the mean field")
    axes.legend()
tkf.plot.Picture(figure)
