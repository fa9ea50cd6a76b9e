"""
Rest, rotation, or neither
==========================

The symmetric part of V pulls tokens together or apart, the antisymmetric part J turns them: V = I + J/2 makes a
cluster that goes around, V = -I + 2J a ring that does, and with V = I everything comes to rest. `observables.fate`
tells from a run which of them it was, and how fast (values of other spectra: arXiv 2305.05465).
"""

# %%
# Parameters
# ----------
import numpy as np
from scipy.special import ive

import tokenfield as tkf
from tokenfield.plot.style import PALETTE, new_figure, styled

n, t1, beta, seed = 12, 40.0, 1.0, 0
values = {
    "V = I": np.eye(2),
    "V = I + J/2": np.array([[1.0, -0.5], [0.5, 1.0]]),
    "V = -I + 2J": np.array([[-1.0, -2.0], [2.0, -1.0]]),
}

# %%
# Model, start and solve
# ----------------------
tokens = tkf.initial.uniform(tkf.Sphere(2), n=n, seed=seed)
runs = {
    name: tkf.solve(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta), V=V), tokens, t1=t1, save=401)
    for name, V in values.items()
}
run = runs["V = I + J/2"]

# %%
# Prediction against measurement
# ------------------------------
# A cluster turns at the rate of its J. In an even ring of many tokens attention is x times :math:`I_1(β)/I_0(β)`, so
# that it turns at this part of 2.
for name, one in runs.items():
    found = tkf.observables.fate(one)
    print(f"{name:16s} {found.kind:10s} rate {found.rate:.4f}, period {found.period:.3f}")
print(f"predicted: 0, 0.5 and, for many tokens, {2 * ive(1, beta) / ive(0, beta):.4f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(8.6, 3.2)
    for axes, (name, one) in zip(figure.subplots(1, 3, sharey=True), runs.items(), strict=True):
        points = np.asarray(one.points)
        angles = np.unwrap(np.arctan2(points[..., 1], points[..., 0]), axis=0)
        for k in range(n):
            axes.plot(one.ts, angles[:, k], lw=1.2, color=PALETTE[k % len(PALETTE)])
        axes.set(xlabel="depth $t$", title=f"${name}$: {tkf.observables.fate(one).kind}")
    figure.axes[0].set(ylabel="angle of each token (rad)")
tkf.plot.Picture(figure)
