"""Nodes and transforms of densities: on the circle, on S^2, and of zonal densities on S^{d-1}."""
