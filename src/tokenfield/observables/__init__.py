"""Observables: functions from a measure (with its model, or a whole run) to a number or a small array.

They never recompute the flow, and never form an n x n array for more than 4096 tokens. Those that take a measure and
return a number or an array are traceable by JAX, so that they can go into `Save(observables=...)`: `energy`,
`dissipation`, `order_parameter`, `effective_rank`, `attention_matrix`, `smallest_cosine`, `mean_cosine`,
`fourier_coefficients` and `harmonic_spectrum`. The others need concrete arrays.
"""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.observables.attention import attention_matrix, attention_rank
from tokenfield.observables.clusters import Clusters, clusters
from tokenfield.observables.cosines import mean_cosine, smallest_cosine
from tokenfield.observables.covariance import covariance_eigenvalues, is_growing, saved_covariances
from tokenfield.observables.degrees import degree_amplitudes
from tokenfield.observables.energy import dissipation, energy
from tokenfield.observables.fate import Fate, fate
from tokenfield.observables.histogram import CosineHistogram, pair_cosine_histogram, pair_cosine_histograms
from tokenfield.observables.modes import DensityModes, density_clusters, density_modes, kde_modes
from tokenfield.observables.parting import Parting, parting
from tokenfield.observables.polytope import Polytope, polytope
from tokenfield.observables.radii import RadiusStatistics, radius_statistics
from tokenfield.observables.renyi import RenyiCenters, renyi_centers
from tokenfield.observables.scales import cluster_scale, renyi_scale, sharpnesses
from tokenfield.observables.separation import Readout, Separation, logistic_readout, separation
from tokenfield.observables.shape import (
    effective_rank,
    hull_faces,
    hull_volume,
    order_parameter,
    smallest_distance_growth,
)
from tokenfield.observables.spectrum import fourier_coefficients, harmonic_spectrum
from tokenfield.observables.times import crossing_time
from tokenfield.observables.tree import Branches, Merge, MergeTree, merge_tree

__all__ = [
    "Branches",
    "Clusters",
    "CosineHistogram",
    "DensityModes",
    "Fate",
    "Merge",
    "MergeTree",
    "Parting",
    "Polytope",
    "RadiusStatistics",
    "Readout",
    "RenyiCenters",
    "Separation",
    "attention_matrix",
    "attention_rank",
    "cluster_scale",
    "clusters",
    "covariance_eigenvalues",
    "crossing_time",
    "degree_amplitudes",
    "density_clusters",
    "density_modes",
    "dissipation",
    "effective_rank",
    "energy",
    "fate",
    "fourier_coefficients",
    "harmonic_spectrum",
    "hull_faces",
    "hull_volume",
    "is_growing",
    "kde_modes",
    "logistic_readout",
    "mean_cosine",
    "merge_tree",
    "order_parameter",
    "pair_cosine_histogram",
    "pair_cosine_histograms",
    "parting",
    "polytope",
    "radius_statistics",
    "renyi_centers",
    "renyi_scale",
    "saved_covariances",
    "separation",
    "sharpnesses",
    "smallest_cosine",
    "smallest_distance_growth",
]

check_arguments(__name__)
