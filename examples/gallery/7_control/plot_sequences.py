"""
Sequences, met exactly
======================

Each of :math:`N` sequences is mapped exactly to its output by a transformer of at most :math:`2∑_j m_j + 2N + 1` blocks
with hardmax attention, where :math:`m_j` is the length of output :math:`j`: not one more for inputs that are a hundred
times as long (arXiv 2502.02270).
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield import control
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

sequences, outputs_of_each, d, seed = 3, 2, 2, 0
lengths = (4, 40, 400)

# %%
# Start, construction and solve
# -----------------------------
# The same outputs for inputs of growing length.
rng = np.random.default_rng(seed)
outputs = rng.normal(size=(sequences, outputs_of_each, d))
found, ends = {}, {}
for length in lengths:
    inputs = rng.normal(size=(sequences, length, d))
    found[length] = control.interpolate_sequences(inputs, outputs)
    ends[length] = [found[length].run(x) for x in inputs]

# %%
# Prediction against measurement
# ------------------------------
bound = 2 * sequences * outputs_of_each + 2 * sequences + 1
errors = {}
for length in lengths:
    # every token of an input is at one of its outputs, and every output is met
    gaps = [np.linalg.norm(x[:, None] - y, axis=-1) for x, y in zip(ends[length], outputs, strict=True)]
    errors[length] = max(max(gap.min(axis=1).max(), gap.min(axis=0).max()) for gap in gaps)
    print(f"{length:4d} tokens: {found[length].blocks} blocks of at most {bound}, error {errors[length]:.0e}")

# %%
# Figure
# ------
# On the left the longest inputs, one color for each sequence, and where their tokens end (circles).
with styled():
    figure = new_figure(8.2, 3.2)
    plane, curve = figure.subplots(1, 2)
    for k, color in zip(range(sequences), PALETTE, strict=False):
        plane.plot(*inputs[k].T, ".", ms=3, color=color, alpha=0.45)
        plane.plot(*ends[lengths[-1]][k].T, "o", ms=12, mfc="none", color=color, mew=1.5)
        plane.plot(*outputs[k].T, "+", ms=9, color=INK, mew=1.2)
    plane.set(aspect="equal", xlabel="$x_1$", ylabel="$x_2$", title="tokens (dots) to outputs (+)")
    curve.semilogx(lengths, [found[length].blocks for length in lengths], "o", color=PALETTE[0], label="written down")
    curve.axhline(bound, ls="--", color=INK, lw=1, label=r"bound $2\sum m_j + 2N + 1$")
    curve.set(xlabel="tokens of an input", ylabel="blocks", ylim=(0, bound + 4))
    curve.legend(loc="lower right")
tkf.plot.Picture(figure)
