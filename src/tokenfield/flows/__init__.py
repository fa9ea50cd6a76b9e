"""State and right-hand side of all that moves: tokens, fewer tokens, clusters, many systems, densities, Gaussians.

A `Flow` is a model together with a way to hold the measure that it moves. It knows no solver: `tokenfield.solver`
integrates any of them.
"""
