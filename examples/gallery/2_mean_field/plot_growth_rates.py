"""
Growth rates of the harmonics
=============================

A small perturbation of degree :math:`k` of the uniform law grows like :math:`e^{γt}`; the rate :math:`γ` is known in
closed form (arXiv 2410.23228). Here each degree is measured on a density of its own.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Density, Fourier
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

betas, degrees, amplitude, t1 = (2.0, 5.0, 9.0), range(1, 8), 1e-6, 0.01

# %%
# Model, start and solve
# ----------------------
grid = Fourier(64)


def measured_rate(beta: float, degree: int) -> float:
    """The logarithm of how much the amplitude of `degree` grows, per unit of time."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta))
    start = Density.perturbed_uniform(grid, degree=degree, amplitude=amplitude)
    run = tkf.solve(model, start, t1=t1, save="end", rtol=1e-10)
    before, after = (float(np.ptp(np.asarray(rho.values))) for rho in (start, run.final))
    return np.log(after / before) / t1


measured = {beta: [measured_rate(beta, k) for k in degrees] for beta in betas}

# %%
# Prediction against measurement
# ------------------------------
predicted = {beta: tkf.theory.growth_rates(beta, 2, count=len(degrees), attention="unnormalized") for beta in betas}
for beta in betas:
    relative = np.max(np.abs(np.array(measured[beta]) / np.asarray(predicted[beta].value) - 1))
    print(f"beta = {beta:g}: largest relative difference {relative:.1e}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.4, 3.4)
    axes = figure.subplots()
    for beta, color in zip(betas, PALETTE, strict=False):
        axes.semilogy(degrees, measured[beta], "o", color=color, label=rf"$\beta={beta:g}$")
        axes.semilogy(degrees, predicted[beta].value, "--", color=INK, lw=1)
    axes.plot([], [], "--", color=INK, lw=1, label="predicted")
    axes.set(xlabel="degree $k$ of the harmonic", ylabel="growth rate, per unit of $t$")
    axes.legend()
tkf.plot.Picture(figure)
