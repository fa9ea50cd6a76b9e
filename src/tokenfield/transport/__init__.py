"""Distances between measures: exact, entropic and sliced Wasserstein distances."""

from tokenfield.transport.distances import (
    circle_wasserstein,
    density_wasserstein,
    line_wasserstein,
    sinkhorn_divergence,
    sliced_wasserstein,
    wasserstein,
)

__all__ = [
    "circle_wasserstein",
    "density_wasserstein",
    "line_wasserstein",
    "sinkhorn_divergence",
    "sliced_wasserstein",
    "wasserstein",
]
