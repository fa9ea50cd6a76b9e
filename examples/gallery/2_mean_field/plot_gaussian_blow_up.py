"""
A Gaussian that blows up
========================

Under softmax attention in :math:`R^d` a Gaussian stays one, so its covariance is the whole flow. With :math:`V = I`
it is :math:`(S_0^{-1} - t (A + A^T))^{-1}`, which becomes infinite in finite time if
:math:`A + A^T` has a positive eigenvalue (arXiv 2501.18322). Here :math:`A = I`.
"""

# %%
# Parameters
# ----------
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Gaussian
from tokenfield.plot.style import INK, PALETTE, new_figure, styled

covariance = np.array([[1.0, 0.3], [0.3, 2.0]])

# %%
# Model, start and solve
# ----------------------
model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0))
blow_up = tkf.theory.gaussian_blow_up_time(covariance, np.eye(2))
run = tkf.solve(model, Gaussian([0.0, 0.0], covariance), t1=1.0, save=np.linspace(0, 0.99 * blow_up.value, 240))
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
print(f"predicted blow-up at t = {blow_up.value:.6f}")
before = np.asarray(run.ts) < 0.995 * blow_up.value
ts = np.asarray(run.ts)[before]
eigenvalues = np.sort(tkf.observables.covariance_eigenvalues(run)[before], axis=-1)
predicted = np.linalg.eigvalsh(np.asarray(tkf.theory.gaussian_covariance(covariance, np.eye(2), ts).value))
print(f"largest relative difference {np.max(np.abs(eigenvalues / predicted - 1)):.1e}")

# %%
# Figure
# ------
with styled():
    figure = new_figure(5.0, 3.2)
    axes = figure.subplots()
    for index, color in zip((1, 0), PALETTE, strict=False):
        axes.semilogy(ts, eigenvalues[:, index], color=color, lw=3, label=rf"$\lambda_{2 - index}$")
        axes.semilogy(ts, predicted[:, index], color=INK, ls="--", lw=1, label="predicted" if index == 0 else None)
    axes.axvline(blow_up.value, color="gray", lw=0.8, label="predicted blow-up")
    axes.set(xlabel="depth $t$", ylabel="eigenvalues of the covariance")
    axes.legend()
tkf.plot.Picture(figure)
