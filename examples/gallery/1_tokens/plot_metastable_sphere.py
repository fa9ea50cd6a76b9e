"""
Metastable clusters on the sphere
=================================

Tokens leave the uniform law and gather in a few clusters that then hardly move: they are metastable (arXiv
2312.10794, the sphere movies; arXiv 2410.06833).
"""

# %%
# Parameters
# ----------
import tokenfield as tkf

n, beta, t1, seed = 1000, 9.0, 30.0, 0

# %%
# Model and start
# ---------------
model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
tokens = tkf.initial.uniform(model.geometry, n=n, seed=seed)
print(tkf.explain(model, tokens, t1=t1, save=61))

# %%
# Solve
# -----
run = tkf.solve(model, tokens, t1=t1, save=61)
print(run.result)

# %%
# Prediction against measurement
# ------------------------------
# Clusters that have collapsed have the normalized energy of their masses: the sum of their squares.
clusters = run.clusters()
plateau = tkf.theory.plateau(clusters.masses)
print(f"{clusters.count} clusters, of {list(map(int, clusters.sizes))} tokens")
print(f"normalized energy {run.energy(normalized=True)[-1]:.4f}, predicted plateau {plateau.value:.4f}")

# %%
# Figure
# ------
picture = tkf.plot.sphere(run, times=[0.0, 4.5, t1])
picture

# %%
# The energy only ascends, and stays where clusters are. The ring marks where two of the forming clusters unite.
energy = tkf.plot.energy(run)
energy
