"""
Rest or rotation
================

The symmetric part of :math:`V` pulls tokens together or apart, the antisymmetric part turns them. With :math:`J` the
quarter turn of the plane, :math:`V = I + J/2` makes a cluster that goes around, :math:`V = -I + 2J` a ring that does,
and with :math:`V = I` everything comes to rest. `observables.fate` tells from a run which of them it was, and how fast
(values of other spectra: arXiv 2305.05465).
"""

# %%
# Parameters
# ----------
import numpy as np
from scipy.special import ive

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

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
# A cluster turns at the rate of its part of :math:`J`. In an even ring of many tokens the mean that a token :math:`x`
# sees is :math:`x I_1(β)/I_0(β)`, so that the ring turns at the rate :math:`2 I_1(β)/I_0(β)`.
for name, one in runs.items():
    found = tkf.observables.fate(one)
    print(f"{name:16s} {found.kind:10s} rate {found.rate:.4f}, period {found.period:.3f}")
predicted = (0.0, 0.5, 2 * ive(1, beta) / ive(0, beta))
print(f"predicted: 0, 0.5 and, for many tokens, {predicted[2]:.4f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(8.6, 3.2)
    for axes, (name, one), rate in zip(figure.subplots(1, 3, sharey=True), runs.items(), predicted, strict=True):
        points = np.asarray(one.points)
        angles = np.unwrap(np.arctan2(points[..., 1], points[..., 0]), axis=0)
        for k in range(n):
            axes.plot(one.ts, angles[:, k], lw=1.2, color=PALETTE[k % len(PALETTE)])
        last = angles[-1].max() + 3  # above the tokens
        axes.plot([10, t1], [last - rate * (t1 - 10), last], "--", color=INK, lw=1, label="predicted slope")
        axes.set(xlabel="depth $t$", title=f"${name}$: {tkf.observables.fate(one).kind}")
    figure.axes[0].set(ylabel="angle of each token (rad)")
    figure.axes[0].legend()
tkf.plot.Picture(figure)
