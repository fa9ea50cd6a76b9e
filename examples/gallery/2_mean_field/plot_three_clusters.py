"""
Three clusters out of noise
===========================

Infinitely many tokens are a density, and the uniform one is unstable. With unnormalized attention at :math:`β = 5`
the third harmonic grows fastest, so that faint noise becomes three peaks (arXiv 2410.23228).
"""

# %%
# Parameters
# ----------
import tokenfield as tkf
from tokenfield.laws import Cells, Density

beta, t1, nodes = 5.0, 0.7, 512

# %%
# Model and start
# ---------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta))
start = Density.noisy_uniform(Cells(nodes), amplitude=1e-4, seed=0)

# %%
# Solve
# -----
run = tkf.solve(model, start, t1=t1, save=91)
print(run.result, " mass", run.observables["mass"][-1])

# %%
# Prediction against measurement
# ------------------------------
fastest = tkf.theory.k_max(beta, 2)
print(f"predicted {fastest.value} clusters, found {tkf.observables.density_clusters(run.final)}")

# %%
# Figure
# ------
picture = tkf.plot.density(run)
picture

# %%
# Harmonics grow side by side, each at its own rate, till products of the large ones feed others: 3 + 3 the sixth,
# 3 + 4 the seventh. The third wins: noise must be small, for others start above it.
spectrum = tkf.plot.spectrum(run)
spectrum
