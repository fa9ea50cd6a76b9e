"""
How classes separate, layer by layer
====================================

In trained classifiers :math:`D = \\mathrm{Tr}(S_w S_b^+)`, the scatter within classes divided by that between them,
falls by the same factor in every layer (the law of data separation, arXiv 2210.17020). Where classes are clusters of
attention the factor is known: a layer :math:`x ← N(x + hm)` divides :math:`D` by :math:`(1 + h)^2`.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

classes, n, layers, h, beta, seed = 3, 90, 24, 0.25, 16.0, 0

# %%
# Model, start and solve
# ----------------------
# Three classes at equal angles on a great circle.
rng = np.random.default_rng(seed)
labels = np.repeat(np.arange(classes), n // classes)
angles = 2 * np.pi * labels / classes
points = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) + 0.1 * rng.normal(size=(n, 3))
points /= np.linalg.norm(points, axis=1, keepdims=True)
model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
run = tkf.solve(model, points, t1=layers * h, layers=layers, save=layers + 1)

# %%
# Prediction against measurement
# ------------------------------
# For comparison, the same tokens with labels that mean nothing. The factor is measured over the second half of the
# layers: the prediction is for narrow clusters, and those of the start are not narrow yet.
mixed = rng.permutation(labels)
fuzziness, random = (
    np.array([tkf.observables.separation(run.measure(k), who).fuzziness for k in range(layers + 1)])
    for who in (labels, mixed)
)
late = slice(layers // 2, None)
slope = np.polyfit(np.arange(layers + 1)[late], np.log(fuzziness)[late], 1)[0]
print(f"D is divided by {np.exp(-slope):.4f} in each late layer; predicted {(1 + h) ** 2:.4f}")
readout = tkf.observables.logistic_readout(tkf.Measure(np.asarray(run.final.points)[labels < 2]), labels[labels < 2])
print(f"a logistic readout of two classes is right for {readout.accuracy:.0%} of their tokens")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.4)
    axes = figure.subplots()
    depth = np.arange(layers + 1)
    axes.semilogy(depth, random, "s", ms=4, color=PALETTE[1], label="random labels")
    axes.semilogy(depth, fuzziness, "o", ms=5, color=PALETTE[0], label="classes")
    line = fuzziness[-1] * (1 + h) ** (2.0 * (layers - depth))
    axes.semilogy(depth, line, "--", color=INK, lw=1, label="predicted: $(1+h)^{-2}$ in each layer")
    axes.set(xlabel="layer", ylabel=r"$D = \mathrm{Tr}(S_w S_b^+)$")
    axes.legend()
tkf.plot.Picture(figure)
