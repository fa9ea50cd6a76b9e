"""
The staircase of the energy
===========================

At low temperature clusters live exponentially long. Tokens that have met become one of their total mass, so
that the rest is followed to :math:`t = 10^{30}` in seconds; the energy climbs one stair at each merger
(arXiv 2410.06833).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

n, beta, t1 = 100, 30.0, 1e30

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
tokens = tkf.initial.uniform(model.geometry, n=n, seed=0)
run = tkf.solve(model, tokens, t1=t1, save="log:120", merge=True)
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
# On a plateau the normalized energy is the sum of the squared masses of the clusters.
energy = np.asarray(run.energy(normalized=True))
predicted = [tkf.theory.plateau(plateau.masses).value for plateau in run.plateaus]
for plateau, theory in zip(run.plateaus, predicted, strict=True):
    print(f"clusters: {plateau.count}, measured {plateau.energy:.6f}, predicted {theory:.6f}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.4, 3.2)
    axes = figure.subplots()
    axes.semilogx(run.ts, energy, color=PALETTE[0], lw=2, label="measured")
    for theory in predicted:
        axes.axhline(theory, color=INK, ls="--", lw=0.5)
    axes.plot([], [], color=INK, ls="--", lw=0.5, label="predicted: sum of squared masses")
    axes.set(xlabel="depth $t$", ylabel="normalized energy", xlim=(0.1, None))
    axes.legend()
tkf.plot.Picture(figure)

# %%
# Who joined whom, in the logarithm of time:
tree = tkf.plot.merge_tree(run)
tree
