"""
A sweep, as a dataset
=====================

Any keys of a config, each over a range, and seeds: one xarray dataset, whose dimensions have the names of the keys.
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
# Everything that xarray can do works: here means over seeds. Since :math:`|x - y|^2 = 2 - 2⟨x, y⟩` on the sphere, L2
# attention at :math:`β` is softmax attention at :math:`2β`: one column is the other, shifted by a row.
mean = found["clusters"].mean("seed")
print(mean.to_series().unstack().round(2))

# %%
# Figure
# ------
# Bars are standard errors over seeds. At small :math:`β` the tokens are still on their way to one cluster.
x, by = (name for name in found["clusters"].dims if name != "seed")
picture = tkf.plot.sweep_curves(found, "clusters", x=x, by=by)
betas = over["attention.beta"]
picture.figure.axes[0].set_xticks(betas, [f"{beta:g}" for beta in betas])
picture.figure.axes[0].minorticks_off()
picture
