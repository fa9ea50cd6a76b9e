"""
Two tokens meet
===============

Two tokens on the circle attend to each other. Their cosine obeys one equation, and tends to one like
:math:`e^{-2t}` (arXiv 2312.10794, section 6).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

beta, t1 = 1.0, 6.0

# %%
# Model and start
# ---------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
start = tkf.Measure([[0.0, 1.0], [0.8, -0.6]])
print(model)

# %%
# Solve
# -----
run = tkf.solve(model, start, t1=t1, save=121)
cosines = np.asarray(run.along(tkf.observables.smallest_cosine))
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
# The equation of the cosine of two tokens is that of equiangular tokens with n = 2, from the cosine of this start.
curve = tkf.theory.equiangular_curve(run.ts, beta, 2, gamma0=float(cosines[0]))
print(f"largest difference {np.max(np.abs(cosines - curve.value)):.1e}")
print(curve.source)

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    axes.semilogy(run.ts, 1 - cosines, color=PALETTE[0], lw=3, label="measured")
    axes.semilogy(run.ts, 1 - np.asarray(curve.value), color=INK, ls="--", label="predicted")
    axes.semilogy(run.ts, 6 * np.exp(-2 * np.asarray(run.ts)), color="gray", lw=0.8, label=r"$\propto e^{-2t}$")
    axes.set(xlabel="depth $t$", ylabel=r"$1-\langle x_1,x_2\rangle$")
    axes.legend()
tkf.plot.Picture(figure)
