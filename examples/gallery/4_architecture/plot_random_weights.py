"""
Random weights in every layer
=============================

Q and K are drawn anew in every unit of depth, and V is the identity. All cosines still go to one (arXiv 2312.10794,
figure 5).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.study import Config

# %%
# Model, start and solve
# ----------------------
# Models can also come from a config, as on the command line.
config = Config.from_dict(
    {
        "geometry": {"dim": 64},
        "attention": {"beta": 1.0},
        "schedule": {"kind": "resampled", "period": 1.0, "logits": "ginibre-product", "seed": 0},
        "initial": {"n": 32, "seed": 0},
    }
)
model, tokens = config.build()
run = tkf.solve(model, tokens, t1=8.0, save=81)
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
# With :math:`V = I` tokens that start in one hemisphere end at one point, whatever Q and K are. Random tokens do so
# almost surely if they are no more than there are dimensions.
cosines = np.asarray(run.along(tkf.observables.mean_cosine))
print(f"mean cosine {cosines[0]:.3f} at the start, {cosines[-1]:.6f} at t = {run.ts[-1]:g}")

# %%
# Figure
# ------
picture = tkf.plot.histogram(run)
picture
