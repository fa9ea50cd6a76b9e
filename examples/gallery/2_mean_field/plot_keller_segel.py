"""
A disk that collapses at once
=============================

Attraction by the logarithm of the distance (Keller-Segel without diffusion) takes a law to a point in finite time.
A density on nodes that move with its mass shows it: a disk stays a disk with :math:`R^2(t) = R_0^2 - 2t`, a Gaussian
would collapse first at its center (slides of arXiv 2305.05465; the rates are derived).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Moving, MovingDensity
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

nodes, softening, t1 = 32, 0.05, 0.4
grid = Moving(2, nodes)

# %%
# Model, start and solve
# ----------------------
# Without softening the attraction is infinite where tokens meet; a softened kernel attracts less within this distance.
model = tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(2.0, softening), relative=True)
run = tkf.solve(model, MovingDensity.ball(grid, radius=1.0), t1=t1, save=21, rtol=1e-6)
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
# Without softening the dots would lie on the dashed lines. It slows the edge first, and the more the smaller the disk
# is.
ts = np.asarray(run.ts)
radii = np.array([float(run.state(k).radius) for k in range(len(ts))])
radii = radii / radii[0]  # the last node lies a little inside of the edge, by the same share at all times
variances = np.array([float(np.trace(np.asarray(run.state(k).covariance))) for k in range(len(ts))])
early = ts <= 0.2
print(f"R^2 differs from 1 - 2 t by at most {np.max(np.abs(radii**2 - (1 - 2 * ts))[early]):.3f} up to t = 0.2")
print(f"the variance falls at {-np.polyfit(ts[early], variances[early], 1)[0]:.3f}; predicted 1")

# %%
# Figure
# ------
with styled():
    figure = new_figure(8.2, 3.4)
    profile, curve = figure.subplots(1, 2)
    for k, color in zip((0, 5, 10, 15), PALETTE, strict=False):
        law = run.state(k)
        profile.plot(np.linalg.norm(np.asarray(law.points), axis=1), law.values, ".", ms=3, color=color)
        edge = np.sqrt(1 - 2 * ts[k])
        profile.plot([0, edge, edge], [1 / (np.pi * edge**2)] * 2 + [0], "--", color=INK, lw=1)
        profile.plot([], [], "o", ms=4, color=color, label=f"$t={ts[k]:.1f}$")
    profile.plot([], [], "--", color=INK, lw=1, label="predicted")
    profile.set(xlabel="distance from the center", ylabel=r"density $\rho$", ylim=(0, None))
    profile.legend()
    curve.plot(ts, radii**2, "o", ms=4, color=PALETTE[0], label="$R^2$")
    curve.plot(ts, variances, "o", ms=4, color=PALETTE[1], label="variance")
    curve.plot([0, 0.5], [1, 0], "--", color=INK, lw=1, label="predicted: collapse at $1/2$")
    curve.plot([0, 0.5], [0.5, 0], "--", color=INK, lw=1)
    curve.set(xlabel="depth $t$", ylabel="squared length", ylim=(0, None))
    curve.legend()
tkf.plot.Picture(figure)
