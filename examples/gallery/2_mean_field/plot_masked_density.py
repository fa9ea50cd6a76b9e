"""
A causal mask, at n = infinity
==============================

Under a causal mask a prompt is a law on positions :math:`s` in [0, 1] times tokens: a density for each position, moved
by the mean of those before it. What happens on :math:`[0, s]` does not depend on the rest, exactly, and n tokens are
about :math:`n^{-1/2}` away (arXiv 2501.18322).
"""

# %%
# Parameters
# ----------
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield.laws import Fourier, MaskedDensity
from tokenfield.plot.style import HEAT, new_figure, styled

beta, t1, turn, sharpness, seed = 2.0, 1.0, 2.5, 6.0, 0
sizes, draws = (64, 256), 16

# %%
# Model and start
# ---------------
# Tokens at position :math:`s` lie around the angle :math:`2.5 s`, those after 1/2 farther on by `bent`.
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta), position=tkf.Causal())


def start(bent):
    """A von Mises law for each position."""

    def density(s, x):
        angle = turn * s + bent * (s > 0.5)
        return jnp.exp(sharpness * (x @ jnp.array([jnp.cos(angle), jnp.sin(angle)]) - 1))

    return MaskedDensity.from_function(Fourier(96), density, positions=32)


# %%
# Solve
# -----
# Steps of fixed length, so that the second half cannot change those of the first.
rng = np.random.default_rng(seed)
fixed = {"t1": t1, "method": "rk4", "step": 0.05}
before, after = (tkf.solve(model, start(bent), save="end", **fixed).final for bent in (0.0, 1.0))


def drawn(n):
    """n tokens, drawn from the law and moved."""
    s = np.sort(rng.uniform(size=n))
    theta = turn * s + rng.vonmises(0.0, sharpness, size=n)
    tokens = tkf.Measure(np.stack([np.cos(theta), np.sin(theta)], axis=1), positions=s)
    return tkf.solve(model, tokens, save=21, **fixed)


many = {n: [drawn(n) for _ in range(draws)] for n in sizes}
run = many[sizes[-1]][0]

# %%
# Prediction against measurement
# ------------------------------
half = len(before.positions) // 2
change = np.abs(np.asarray(before.values - after.values)[:half]).max()
print(f"change of [0, 1/2] when the rest starts elsewhere: {change:.0e}")
limit = np.asarray(before.means).mean(axis=0)
gaps = {
    n: np.sqrt(np.mean([np.sum((np.asarray(one.final.points).mean(axis=0) - limit) ** 2) for one in runs]))
    for n, runs in many.items()
}
for n, gap in gaps.items():
    print(f"{n} tokens: the mean is {gap:.3f} from that of the density, {gap * n**0.5:.2f} n^(-1/2)")

# %%
# Figure
# ------
# The density at the end, with 256 tokens that were drawn (white dots); right of the line the start was another one.
with styled():
    figure = new_figure(8.2, 3.4)
    panels = figure.subplots(1, 2, sharey=True)
    edges = np.linspace(-np.pi, np.pi, 97)
    for axes, law, title in zip(panels, (before, after), ("one start", "the second half turned by 1"), strict=True):
        values = np.roll(np.asarray(law.values), 48, axis=1) / (2 * np.pi)
        heat = axes.pcolormesh(np.linspace(0, 1, 33), edges, values.T, cmap=HEAT, vmin=0, vmax=2.5, rasterized=True)
        axes.set(xlabel="position $s$", title=title, ylim=(-1.0, np.pi))
        axes.grid(False)
    points, s = np.asarray(run.final.points), np.asarray(run.final.positions)
    panels[0].plot(s, np.arctan2(points[:, 1], points[:, 0]), "o", color="white", ms=2, mew=0)
    panels[0].set(ylabel=f"angle at $t={t1:g}$ (rad)")
    panels[1].axvline(0.5, color="white", lw=0.8, ls="--")
    figure.colorbar(heat, ax=panels, label=r"$\rho_s(\theta)$", pad=0.02)
tkf.plot.Picture(figure)
