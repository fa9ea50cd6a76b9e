"""
Measure hidden states of your own
=================================

An array (layers, tokens, d) goes in; whether, where and how fast tokens collapse comes out. One massive token fools
raw numbers, so every one is taken in four variants, two of which are shown here.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import PALETTE, new_figure, styled

layers, n, d, beta = 12, 40, 64, 1.0

# %%
# States
# ------
# Here they are simulated, so that the truth is known: tokens that gather along depth. One of them is a sink,
# whose norm grows.
model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta))
run = tkf.solve(model, tkf.initial.uniform(model.geometry, n=n, seed=0), t1=2.0, save=layers + 1)
states = np.array(run.points)
states[:, 0] *= np.linspace(1, 100, layers + 1)[:, None]

# %%
# Measure
# -------
found = tkf.layers.measure(states)
variants = ("raw", "without sinks")
for variant in variants:
    print(f"{variant:14s}", np.round(found.mean("effective_rank", variant), 1))

# %%
# Figure
# ------
# The raw rank falls to one: that is the sink alone. Without it one sees that tokens gather much more slowly.
with styled():
    figure = new_figure(5.4, 3.2)
    axes = figure.subplots()
    for variant, color in zip(variants, PALETTE, strict=False):
        axes.plot(found.mean("effective_rank", variant), "o-", color=color, label=variant)
    axes.set(xlabel="layer", ylabel="effective rank")
    axes.legend()
tkf.plot.Picture(figure)
