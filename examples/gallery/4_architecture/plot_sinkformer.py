"""
Softmax and Sinkhorn attention
==============================

Sinkhorn attention is doubly stochastic: every token also receives as much attention as the others (arXiv 2110.11773).
Here both start from the same tokens.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf

n, beta, t1 = 64, 9.0, 10.0

# %%
# Model, start and solve
# ----------------------
kinds = {"softmax": tkf.Softmax(beta), "sinkhorn": tkf.Sinkhorn(beta, sweeps=21)}
runs = {}
for name, kind in kinds.items():
    model = tkf.Transformer(tkf.Sphere(2), kind)
    runs[name] = tkf.solve(model, tkf.initial.uniform(model.geometry, n=n, seed=0), t1=t1, save=81)

# %%
# Prediction against measurement
# ------------------------------
# Rows of both matrices sum to one; columns only under Sinkhorn attention, as nearly as 21 sweeps make them.
for name, r in runs.items():
    matrix = np.asarray(tkf.observables.attention_matrix(r.measure(0), r.model))
    print(f"{name:9s} columns sum to {matrix.sum(0).min():.3f} ... {matrix.sum(0).max():.3f}; ", end="")
    print(f"{r.clusters().count} clusters at t = {t1:g}")

# %%
# Figure
# ------
# Under softmax attention:
softmax = tkf.plot.circle(runs["softmax"])
softmax

# %%
# Under Sinkhorn attention the same clusters form, somewhat later:
run = runs["sinkhorn"]
sinkhorn = tkf.plot.circle(run)
sinkhorn
