"""
A phase diagram
===============

How deep tokens go until they have clustered, over temperatures, from many random starts: the border in the phase
diagram of arXiv 2312.10794, figure 3. In high dimension it follows the time of equiangular tokens, which grows like an
exponential of :math:`β`.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import styled

n, d, systems = 32, 256, 8
betas = np.linspace(0.1, 9.0, 10)

# %%
# Model, start and solve
# ----------------------
# A sweep runs a config at every value of its axes and for every seed. All of these systems have one shape, so they go
# through one compiled program.
config = {"geometry": {"dim": d}, "initial": {"n": n}, "solve": {"t1": 400.0, "events": ["cosine-level:0.9"]}}
found = tkf.sweep(
    config, over={"attention.beta": betas.tolist()}, seeds=systems, measure=["mean-cosine", "hitting_time"]
)
found

# %%
# Prediction against measurement
# ------------------------------
# The time at which the smallest cosine reaches 0.9, in the mean over starts, beside that of equiangular tokens.
measured = found["hitting_time"].mean("seed")
predicted = [tkf.theory.equiangular_time(float(beta), n, level=0.9).value for beta in betas]
for beta, time, theory in zip(betas, measured.values, predicted, strict=True):
    print(f"beta = {beta:4.1f}: hit at t = {time:6.2f}, equiangular {theory:6.2f}")

# %%
# Figure
# ------
# Bars are standard errors over starts.
curve = measured.copy(data=predicted)
picture = tkf.plot.sweep_curves(found, "hitting_time", theory={"equiangular": curve})
axes = picture.figure.axes[0]
axes.set(yscale="log", ylabel="depth $t$ where all cosines reach 0.9")
axes.containers[0].set_label("measured")
with styled():
    axes.legend()
picture
