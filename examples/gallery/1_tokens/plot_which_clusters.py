"""
Which clusters form on the sphere
=================================

Near the uniform law all harmonics of one degree grow at one rate, so the noise of the start decides. The field of
the linear phase, at the time it ends, has its maxima where this very start makes its clusters. Which ones form is an
open question of arXiv 2410.23228; how often this answer is right is measured by the claim `bpa25-which-clusters`.
"""

# %%
# Parameters
# ----------
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Harmonics
from tokenfield.plot.style import HEAT, INK, new_figure, styled

beta, n, seed = 6.0, 1e8, 0

# %%
# Model, start and solve
# ----------------------
# The nodes of a quadrature of the sphere, weighted with the noise of n tokens in the degrees that grow: so n may be
# large. After the exit time clusters need a few units of 1/rate to form.
model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
grid, rng = Harmonics(12), np.random.default_rng(seed)
noise = np.zeros((12, 23))
for k in range(1, 7):
    noise[k, 11 - k : 12 + k] = rng.normal(size=2 * k + 1) / np.sqrt(n)
weights = np.asarray(grid.weights) * (1 + np.asarray(grid.from_coefficients(jnp.asarray(noise))))
tokens = tkf.Measure(grid.points, weights / weights.sum())
rate = float(tkf.theory.growth_rates(beta, 3).value.max())
t1 = float(tkf.theory.exit_time(beta, 3, n)) + 7 / rate
run = tkf.solve(model, tokens, t1=t1, save=61)

# %%
# Prediction against measurement
# ------------------------------
predicted = tkf.theory.first_clusters(tokens.points, beta, weights=tokens.weights).value
found = tkf.observables.clusters(run.final, model.geometry, delta=0.3 / np.sqrt(beta))
print("predicted masses", np.round(predicted.masses, 2), "measured", np.round(found.masses, 2))
angles = np.arccos(np.clip(np.asarray(found.centers) @ predicted.directions.T, -1, 1))
print("from each cluster to the nearest maximum, in rad:", np.round(angles.min(axis=1), 2))

# %%
# Figure
# ------
# The map of the sphere: in color the field, in white the paths of the nodes in the second half of the run.
longitude, latitude = np.meshgrid(np.linspace(-np.pi, np.pi, 181), np.linspace(-np.pi / 2, np.pi / 2, 91))
on_map = np.stack(
    [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=-1
)
field = predicted.field_at(on_map.reshape(-1, 3)).reshape(longitude.shape)


def place(x):
    """Longitude and latitude of points of the sphere."""
    x = np.asarray(x)
    return np.arctan2(x[:, 1], x[:, 0]), np.arcsin(np.clip(x[:, 2], -1, 1))


with styled():
    figure = new_figure(6.4, 3.8)
    axes = figure.subplots(subplot_kw={"projection": "mollweide"})
    heat = axes.contourf(longitude, latitude, field, 16, cmap=HEAT)
    paths = np.asarray(run.points)[len(run) // 2 :]
    axes.scatter(*place(paths.reshape(-1, 3)), s=2, color="white", lw=0, alpha=0.6)
    mark = {"facecolor": "white", "edgecolor": INK, "zorder": 3, "clip_on": False}
    axes.scatter(
        *place(found.centers), s=500 * np.asarray(found.masses), label="clusters, measured; area: mass", **mark
    )
    cross = {"color": INK, "ms": 12, "mew": 1.5, "zorder": 4, "clip_on": False}
    axes.plot(*place(predicted.directions), "+", label="maxima of the field, predicted", **cross)
    axes.set(xticks=[], yticks=[])
    axes.grid(False)
    figure.colorbar(heat, ax=axes, label="predicted field, up to a factor", shrink=0.7, ticks=[])
    figure.legend(loc="outside lower center", ncols=2, markerscale=0.7)
tkf.plot.Picture(figure)
