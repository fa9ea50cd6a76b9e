"""
Noise against attention
=======================

With noise, tokens on the circle gather only in part. At :math:`β = 0` this is the Kuramoto model: above :math:`κ = 2`
the order parameter solves :math:`r = I_1(κr)/I_0(κr)` (arXiv 2512.01868).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Density, Fourier
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

kappas, t1 = (1.5, 2.3, 2.5, 3.0, 4.0, 6.0), 120.0

# %%
# Model, start and solve
# ----------------------
# The Fokker-Planck equation of infinitely many tokens, from a small perturbation until it rests.
start = Density.perturbed_uniform(Fourier(64), degree=1, amplitude=0.1)
orders = {}
for kappa in kappas:
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(0.0), noise=tkf.Noise(kappa, seed=0))
    run = tkf.solve(model, start, t1=t1, save=61)
    orders[kappa] = float(tkf.observables.order_parameter(run.final))

# %%
# Prediction against measurement
# ------------------------------
fine = np.append(1.0, 2.0 + 4.5 * np.linspace(0.0, 1.0, 60) ** 2)  # dense where the order sets in
predicted = [float(tkf.theory.stationary_order(kappa).value) for kappa in fine]
for kappa, order in orders.items():
    print(f"kappa = {kappa:g}: measured {order:.5f}, predicted {float(tkf.theory.stationary_order(kappa).value):.5f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    axes.plot(fine, predicted, color=INK, ls="--", label="predicted")
    axes.plot(list(orders), list(orders.values()), "o", color=PALETTE[0], label="measured")
    axes.set(xlabel=r"$\kappa$, the inverse of the noise", ylabel="order parameter $r$")
    axes.legend()
tkf.plot.Picture(figure)
