"""
Causal attention: early tokens are the centers
==============================================

With a causal mask a token sees itself and those before it. Clusters form around early tokens that have no
earlier neighbor, the Rényi centers (arXiv 2411.04990).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf

n, beta, t1, seed = 200, 64.0, 100.0, 1

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta), position=tkf.Causal())
tokens = tkf.initial.uniform(model.geometry, n=n, seed=seed)
run = tkf.solve(model, tokens, t1=t1, save="log:80")

# %%
# Prediction against measurement
# ------------------------------
# The centers are read off the start alone. Most of them have hardly moved, and are where clusters are.
delta = tkf.observables.renyi_scale(model)
centers = tkf.observables.renyi_centers(tokens, model.geometry, delta=delta)
moved = model.geometry.distance(tokens.points[centers.indices], run.final.points[centers.indices])
print(f"{len(centers.indices)} centers, {run.clusters().count} clusters at t = {t1:g}")
print(f"median distance that a center has moved: {np.median(moved):.3f}; of all tokens: ", end="")
print(f"{np.median(model.geometry.distance(tokens.points, run.final.points)):.3f}")

# %%
# Figure
# ------
# Crosses inside of the circle: the predicted centers.
picture = tkf.plot.circle(run)
picture.figure.axes[0].plot(*0.78 * np.asarray(tokens.points)[centers.indices].T, "x", color="black", ms=5)
picture
