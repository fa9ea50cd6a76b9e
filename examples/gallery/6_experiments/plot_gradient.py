"""
Gradients through depth
=======================

`solve` is differentiable: the inverse temperature :math:`β` at which orthogonal tokens have a given cosine at
:math:`t = 2` is found by Newton steps on the derivative of the whole flow. Theory knows that cosine, so the answer can
be checked (arXiv 2312.10794, section 6).
"""

# %%
# Parameters
# ----------
import jax
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, t1, target = 16, 2.0, 0.5
geometry = tkf.Sphere(n)
tokens = tkf.initial.frame(geometry)

# %%
# Model and solve
# ---------------


def mean_cosine(beta):
    """The mean cosine of pairs at t1 under softmax attention."""
    run = tkf.solve(tkf.Transformer(geometry, tkf.Softmax(beta)), tokens, t1=t1, save="end")
    return tkf.observables.mean_cosine(run.final)


value_and_slope = jax.jit(jax.value_and_grad(mean_cosine))

# %%
# Prediction against measurement
# ------------------------------
path = [3.0]
for _ in range(5):
    value, slope = value_and_slope(path[-1])
    path.append(path[-1] - float((value - target) / slope))
print("beta", np.round(path, 6))
predicted = tkf.theory.equiangular_curve([t1], path[-1], n).value[-1]
print(f"cosine asked for {target}, measured {float(value_and_slope(path[-1])[0]):.8f}, predicted {predicted:.8f}")

# %%
# Figure
# ------
betas = np.linspace(0.0, 4.0, 21)
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    axes.plot(
        betas, [tkf.theory.equiangular_curve([t1], b, n).value[-1] for b in betas], "--", color=INK, label="predicted"
    )
    axes.plot(path, [float(value_and_slope(b)[0]) for b in path], "o", color=PALETTE[1], label="Newton steps")
    axes.axhline(target, color="gray", lw=0.8, label="asked for")
    axes.set(xlabel=r"$\beta$", ylabel=f"cosine of pairs at $t={t1:g}$")
    axes.legend()
tkf.plot.Picture(figure)
