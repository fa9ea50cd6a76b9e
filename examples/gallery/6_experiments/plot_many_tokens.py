"""
A hundred thousand tokens
=========================

On the circle and on :math:`S^2` sums over all pairs go through Fourier modes and spherical harmonics: they cost
:math:`O(n)`, with an error that every sum checks for itself; also under a causal mask.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf

n, beta, t1 = 100_000, 9.0, 24.0

# %%
# Model and start
# ---------------
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
tokens = tkf.initial.uniform(model.geometry, n=n, seed=0)
print(tkf.explain(model, tokens, t1=t1, save=49))

# %%
# Solve
# -----
run = tkf.solve(model, tokens, t1=t1, save=49)
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
# The fast sum equals the direct one; here for the velocities of three tokens among all of them.
fast = np.asarray(model.velocity(0.0, tokens.points[:3], tokens))
x, y = np.asarray(tokens.points[:3]), np.asarray(tokens.points)
weights = np.exp(beta * (x @ y.T - 1))
mean = weights @ y / weights.sum(1, keepdims=True)
direct = mean - np.sum(mean * x, axis=1, keepdims=True) * x
print(f"largest difference {np.abs(fast - direct).max():.1e}")

# %%
# Figure
# ------
# Pictures draw a sample and say so.
picture = tkf.plot.circle(run)
picture
