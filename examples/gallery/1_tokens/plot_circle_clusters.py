"""
Clusters on the circle
======================

On the circle one sees every token at every time. Neighbors join first, then clusters of neighbors
(arXiv 2312.10794, figure 4).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf

n, beta, t1 = 32, 9.0, 30.0

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
run = tkf.solve(model, tkf.initial.uniform(model.geometry, n=n, seed=0), t1=t1, save=151)

# %%
# Prediction against measurement
# ------------------------------
# Tokens closer than the critical angle hold together, because the kernel is concave there; those farther apart may
# live on as clusters of their own. So the smallest gap between two clusters must be larger than this angle.
angle = tkf.theory.critical_angle(beta)
centers = np.sort(np.arctan2(*np.asarray(run.clusters().centers).T[::-1]))
gaps = np.diff(np.append(centers, centers[0] + 2 * np.pi))
print(f"critical angle {angle.value:.3f}, smallest gap between {len(centers)} clusters {gaps.min():.3f}")

# %%
# Figure
# ------
picture = tkf.plot.circle(run)
picture

# %%
# The same as a tree: who joined whom, and when.
tree = tkf.plot.merge_tree(run)
tree
