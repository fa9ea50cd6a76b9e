"""Observables: functions from a measure (with its model, or a whole run) to a number or a small array.

They never recompute the flow and never form an n x n array for more than 4096 tokens. `energy`, `dissipation`,
`order_parameter`, `effective_rank`, `smallest_cosine`, `mean_cosine`,
`fourier_coefficients` and `harmonic_spectrum` are traceable by JAX, so they can go into `Save(observables=...)`.
"""

from tokenfield.observables.clusters import (
    Clusters,
    Merge,
    MergeTree,
    cluster_scale,
    clusters,
    merge_tree,
)
from tokenfield.observables.cosines import (
    CosineHistogram,
    mean_cosine,
    pair_cosine_histogram,
    smallest_cosine,
)
from tokenfield.observables.degrees import degree_amplitudes
from tokenfield.observables.energy import dissipation, energy
from tokenfield.observables.modes import Modes, density_clusters, density_modes, kde_modes
from tokenfield.observables.renyi import RenyiCenters, renyi_centers, renyi_scale
from tokenfield.observables.shape import (
    attention_matrix,
    attention_rank,
    effective_rank,
    hitting_time,
    hull_volume,
    order_parameter,
    smallest_distance_growth,
)
from tokenfield.observables.spectrum import fourier_coefficients, harmonic_spectrum

__all__ = [
    "Clusters",
    "CosineHistogram",
    "Merge",
    "MergeTree",
    "Modes",
    "RenyiCenters",
    "attention_matrix",
    "attention_rank",
    "cluster_scale",
    "clusters",
    "degree_amplitudes",
    "density_clusters",
    "density_modes",
    "dissipation",
    "effective_rank",
    "energy",
    "fourier_coefficients",
    "harmonic_spectrum",
    "hitting_time",
    "hull_volume",
    "kde_modes",
    "mean_cosine",
    "merge_tree",
    "order_parameter",
    "pair_cosine_histogram",
    "renyi_centers",
    "renyi_scale",
    "smallest_cosine",
    "smallest_distance_growth",
]
