"""
Trained weights that steer two prompts
======================================

Q, K and V are controls of the flow: one transformer sends two prompts, which share a token, to two different places, so
that the shared token goes where its context says (arXiv 2411.04551). The weights are trained through the solver, then
solved again by another method with tight tolerances, so that training cannot have exploited its steps.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield import control

pieces, t1, steps, seed = 6, 2.0, 250, 0
targets = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])

# %%
# Model and start
# ---------------
model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0))
points = np.asarray(tkf.initial.uniform(model.geometry, n=7, seed=seed).points)
prompts = [tkf.Measure(points[:4]), tkf.Measure(points[3:])]  # the token 3 is in both

# %%
# Train and solve
# ---------------
found = control.steer(model, prompts, list(targets), t1=t1, seed=seed, pieces=pieces, steps=steps)
runs = [tkf.solve(found.model, prompt, t1=found.t1, save=61) for prompt in prompts]
run = runs[0]

# %%
# Prediction against measurement
# ------------------------------
# What the training asked for, what the other method finds, and where tokens arrive when `solve` has its defaults.
print(f"loss {found.losses[0]:.2f} before, {found.best:.1e} after")
again = found.certificate
print(f"solved again by {again.method}: loss {again.loss:.1e}, holds: {again.holds}")
for target, one in zip(targets, runs, strict=True):
    far = np.linalg.norm(np.asarray(one.final.points) - target, axis=1)
    print(f"to {target}: the farthest token is {far.max():.3f} away")
shared = [np.round(np.asarray(runs[0].final.points)[3], 2), np.round(np.asarray(runs[1].final.points)[0], 2)]
print("the shared token ends at", *shared)

# %%
# Figure
# ------
picture = tkf.plot.steering(found)
picture
