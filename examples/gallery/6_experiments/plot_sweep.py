"""
A sweep, as a dataset
=====================

Any key of a config over any range and over seeds, as one xarray dataset with dimensions of these names.
"""

# %%
# Parameters
# ----------
import tokenfield as tkf

config = {"initial": {"n": 48}, "solve": {"t1": 8.0}, "geometry": {"dim": 2}}
over = {"attention.beta": [1.0, 2.0, 4.0, 8.0, 16.0], "attention.kind": ["softmax", "l2"]}

# %%
# Solve
# -----
found = tkf.sweep(config, over=over, seeds=6, measure=["clusters", "normalized-energy"])
found

# %%
# Measurement
# -----------
# Everything that xarray can do works: here means and standard errors over seeds.
mean = found["clusters"].mean("seed")
error = found["clusters"].std("seed") / found.sizes["seed"] ** 0.5
print(mean.to_series().unstack().round(2))

# %%
# Figure
# ------
x, by = (name for name in found["clusters"].dims if name != "seed")
picture = tkf.plot.sweep_curves(found, "clusters", x=x, by=by)
picture
