"""
A network and its flow
======================

A block as Llama has it: RMSNorm, heads that share keys and values, a gated perceptron. Solved with `layers=L` it is the
network, without it the continuous limit with the same weights. How far do they part?
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import PALETTE, new_figure, styled
from tokenfield.study import Config

layers = 8
tables = {
    "geometry": {"kind": "euclidean", "dim": 32},
    "block": {"norm": "rms-norm", "place": "pre", "heads": 4, "kv_heads": 2, "layers": layers, "seed": 1, "scale": 1.0},
    "perceptron": {"activation": "silu", "gate": True, "width": 64, "seed": 2},
    "position": {"causal": True, "rope": True, "pairing": "halves"},
    "initial": {"kind": "gaussian", "n": 32, "seed": 0},
}

# %%
# Model, start and solve
# ----------------------
model, tokens = Config.from_dict(tables).build()
network = tkf.solve(model, tokens, t1=float(layers), layers=layers, save=layers + 1)
run = tkf.solve(model, tokens, t1=float(layers), save=layers + 1)

# %%
# Measurement
# -----------
# The distance between both, as a share of how far the tokens have come from their start.
parting = tkf.observables.parting(network, run)
for layer in range(0, layers + 1, 2):
    print(f"layer {layer}: apart by {parting.relative[layer]:.0%} of the way" if layer else "layer 0: together")

# %%
# Figure
# ------
# Both gather their tokens over the first four layers, at somewhat different speeds; then both stay near one level.
with styled():
    figure = new_figure(5.4, 3.2)
    axes = figure.subplots()
    for (name, r), color in zip({"network": network, "flow": run}.items(), PALETTE, strict=False):
        axes.plot(np.asarray(r.along(tkf.observables.mean_cosine)), "o-", color=color, label=name)
    axes.set(xlabel="layer", ylabel="mean cosine of pairs")
    axes.legend()
tkf.plot.Picture(figure)
