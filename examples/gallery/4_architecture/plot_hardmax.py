"""
Leaders of hardmax attention
============================

At zero temperature a token moves to the tokens with the largest inner product. It ends at a leader, or
between leaders (arXiv 2407.01602, figure 2).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf

alpha, layers = 0.5, 30
points = [[1.0, 1 / 3], [-1 / 12, 1 / 12], [-1, -1], [0, 0.25], [-0.3, -0.7], [-0.6, -0.9], [0.8, 0.1], [0.6, 0.15]]

# %%
# Model, start and solve
# ----------------------
# The published layers z <- (z + alpha m)/(1 + alpha) are steps of length alpha/(1 + alpha) towards m.
model = tkf.Transformer(tkf.Euclidean(2), tkf.Hardmax(), relative=True)
run = tkf.solve(model, tkf.Measure(points), t1=layers * alpha / (1 + alpha), layers=layers, save=layers + 1)

# %%
# Prediction against measurement
# ------------------------------
# Leaders are tokens that look at nobody but themselves: they never move.
start, end = np.asarray(run.measure(0).points), np.asarray(run.final.points)
products = start @ start.T
leaders = np.flatnonzero(products.argmax(1) == np.arange(len(start)))
print("leaders", leaders, "moved by", np.linalg.norm(end - start, axis=1)[leaders])

# %%
# Figure
# ------
picture = tkf.plot.space(run)
picture
