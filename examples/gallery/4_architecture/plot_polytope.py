"""
A polytope of tokens
====================

In :math:`R^d` with :math:`V = I` tokens, seen in the frame :math:`z = e^{-t} x`, go to the boundary of a convex
polytope; most of them to its vertices. The matrix of attention then has low rank: at most as many rows differ as
there are vertices (arXiv 2305.05465).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, t1, seed = 40, 10.0, 0

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=np.eye(2), rescaled=True)
tokens = tkf.initial.box(model.geometry, n, low=-5.0, high=5.0, seed=seed)
run = tkf.solve(model, tokens, t1=t1, save=101)

# %%
# Prediction against measurement
# ------------------------------
# The hull of the tokens can only shrink, and the rank of attention is at most the number of vertices.
volumes = [tkf.observables.hull_volume(run.measure(i)) for i in range(0, 101, 10)]
print("area of the hull", np.round(volumes, 2))
print("never grows:", bool(np.all(np.diff(volumes) <= 1e-9)))
found = tkf.observables.polytope(run)
print(f"{found.count} vertices, attention of rank {found.rank}")
print("share of tokens:", {place: round(float(share), 3) for place, share in found.shares.items()})

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.2, 4.4)
    axes = figure.subplots()
    paths, ends = np.asarray(run.points), np.asarray(run.final.points)
    axes.plot(*paths.transpose(2, 0, 1), color="0.8", lw=0.7, zorder=1)
    axes.plot(*paths[0].T, "o", ms=3, color="0.6", label="start")
    for k, face in enumerate(found.faces):
        label = None if k else "polytope"
        axes.plot(*found.vertices[face].T, "--", color=INK, lw=1, zorder=2, label=label)
    for place, color in zip(("vertex", "face", "origin", "inside"), PALETTE, strict=False):
        at = found.places == place
        if at.any():
            axes.plot(*ends[at].T, "o", ms=7, color=color, label=f"at the end: {place} ({at.sum()})", zorder=3)
    axes.set(aspect="equal", xlabel="$z_1$", ylabel="$z_2$")
    figure.legend(loc="outside lower center", ncols=3)
tkf.plot.Picture(figure)
