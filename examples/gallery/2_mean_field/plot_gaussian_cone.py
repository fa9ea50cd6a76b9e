"""
Where covariances go
====================

A covariance in :math:`R^2` is a point of a cone. With :math:`A` indefinite its flow ends on the boundary of the
cone, at a matrix of rank one (arXiv 2501.18322).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Gaussian

Q = np.array([[0.676413, 1.521099], [-0.511876, 1.150195]])
K = np.array([[-0.590717, -0.768765], [-0.335009, 0.092999]])
V = np.array([[-0.348894, 0.983703], [0.580923, 0.070284]])
starts = [[[0.65, 0.1], [0.1, 0.35]], [[0.3, -0.2], [-0.2, 0.7]], [[0.5, 0.3], [0.3, 0.5]]]

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(2**-0.5), Q=Q, K=K, V=V)
runs = [tkf.solve(model, Gaussian([0.0, 0.0], s), t1=200.0, save="log:80") for s in starts]
run = runs[0]

# %%
# Prediction against measurement
# ------------------------------
# At the end one eigenvalue is left, along a direction :math:`u` that the logits do not see: :math:`u^T A u = 0`
# with :math:`A = βK^T Q`.
A = 2**-0.5 * K.T @ Q
for r in runs:
    values, vectors = np.linalg.eigh(np.asarray(r.final.covariance))
    u = vectors[:, 1]
    print(f"eigenvalues {values[1]:.3f}, {values[0]:.1e};  u^T A u = {u @ A @ u:.1e}")

# %%
# Figure
# ------
picture = tkf.plot.covariance_cone(runs)
picture
