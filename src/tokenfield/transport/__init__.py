"""Distances between measures: exact, entropic and sliced Wasserstein distances.

`wasserstein` chooses a way; the other functions are there for their options, and for densities on the circle. Concrete
arrays in, one float out: nothing here is traceable by JAX.
"""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.transport.distances import sinkhorn_divergence, sliced_wasserstein, wasserstein
from tokenfield.transport.sorting import circle_wasserstein, density_wasserstein, line_wasserstein

__all__ = [
    "circle_wasserstein",
    "density_wasserstein",
    "line_wasserstein",
    "sinkhorn_divergence",
    "sliced_wasserstein",
    "wasserstein",
]

check_arguments(__name__)
