"""
A density on the sphere
=======================

The law of infinitely many tokens on :math:`S^2`, by spherical harmonics. All harmonics of one degree grow at the same
rate, so which clusters come is up to the noise of the start (arXiv 2410.23228).
"""

# %%
# Parameters
# ----------
import tokenfield as tkf
from tokenfield.laws import Density, Harmonics

beta, degrees, t1 = 5.0, 32, 6.0

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
start = Density.noisy_uniform(Harmonics(degrees), amplitude=0.05, seed=0)
run = tkf.solve(model, start, t1=t1, save=25)
print(run.result, " mass", run.observables["mass"][-1])

# %%
# Prediction against measurement
# ------------------------------
# The degree with the largest amplitude at the end, beside the one that grows fastest at the uniform law.
power = tkf.observables.degree_amplitudes(run.final.grid, run.final.values)
print(f"largest degree measured {int(power[1:].argmax()) + 1}, predicted {tkf.theory.k_max(beta, 3).value}")

# %%
# Figure
# ------
# Maps of the sphere, with one scale of colors: the noise of the start is hardly seen, and decides where mass gathers.
picture = tkf.plot.density(run)
picture
