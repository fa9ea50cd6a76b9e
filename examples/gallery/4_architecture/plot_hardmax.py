"""
Leaders of hardmax attention
============================

At zero temperature a token moves to the token with which its inner product is largest. It ends at a leader, or
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
# The published layers :math:`z ← (z + αm)/(1 + α)`, with :math:`m` the token that is looked at, are steps of length
# :math:`α/(1 + α)` towards :math:`m`.
model = tkf.Transformer(tkf.Euclidean(2), tkf.Hardmax(), relative=True)
run = tkf.solve(model, tkf.Measure(points), t1=layers * alpha / (1 + alpha), layers=layers, save=layers + 1)

# %%
# Prediction against measurement
# ------------------------------
# Leaders are tokens that look at nobody but themselves: from then on they never move. A token may also become one.
start, end = np.asarray(run.measure(0).points), np.asarray(run.final.points)
leaders, leaders_at_end = (np.flatnonzero((z @ z.T).argmax(1) == np.arange(len(z))) for z in (start, end))
print("leaders", leaders, "moved by", np.linalg.norm(end - start, axis=1)[leaders])
print("leaders at the end", leaders_at_end)

# %%
# Figure
# ------
# Large dots are tokens at the end: the two leaders have gathered all others but one, which has become a leader itself.
# Dashed is the hull of the start, gray that of the end.
picture = tkf.plot.space(run)
picture
