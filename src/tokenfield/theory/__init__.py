"""Theory as functions: each returns a `Prediction`, a value with its statement, assumptions and source.

`tokenfield.predict(model, start)` finds those that apply to a model. NumPy and SciPy only; nothing here is simulated.
"""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.theory.bifurcation import global_transition, hysteresis_window, initial_curvature
from tokenfield.theory.branches import Branch, stationary_branch
from tokenfield.theory.causal import (
    center_time,
    critical_time,
    memory_profile,
    renyi_count_circle,
    ring_rate,
    strong_renyi_count,
)
from tokenfield.theory.consensus import (
    common_hemisphere,
    cone_collapse_rate,
    consensus_rate,
    sampling_rate,
    stability_rate,
    support_radius,
    wasserstein_rate,
)
from tokenfield.theory.context import (
    context_cosine,
    context_fluctuation,
    critical_context_beta,
    critical_gain,
    largest_weight,
    nearest_key_constant,
)
from tokenfield.theory.equiangular import equiangular_curve, equiangular_time, initial_speed, phase_curve, tail
from tokenfield.theory.gaussian import (
    gaussian_blow_up_time,
    gaussian_covariance,
    gaussian_limit,
    gaussian_limit_rank,
    l2_growth_bound,
)
from tokenfield.theory.gaussian_line import (
    feed_forward_fixed_point,
    feed_forward_variance,
    gaussian_variance,
    sinkhorn_coefficient,
)
from tokenfield.theory.growth import cluster_angles, exit_time, growth_rates, k_max, k_max_window, thresholds
from tokenfield.theory.kernel_modes import kde_mode_count
from tokenfield.theory.linear_phase import FirstClusters, first_clusters
from tokenfield.theory.metastability import (
    critical_angle,
    escape_slope,
    merge_time,
    merge_time_asymptotic,
    metastability_bounds,
    plateau,
    scalar_collapse,
)
from tokenfield.theory.multiscale import alignment_rate, decay_rates, heat_collapse_time, heat_rates
from tokenfield.theory.potential import holding_potential
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.random_scores import critical_score_beta, score_concentration, score_entropy
from tokenfield.theory.random_weights import antipodal_probability, antipodal_threshold
from tokenfield.theory.spread import cosine_spread
from tokenfield.theory.stationary import stationary_order
from tokenfield.theory.transitions import (
    continuous_threshold,
    critical_beta,
    growing_degrees,
    noise_thresholds,
    noisy_growth_rates,
    synchronization_threshold,
)

__all__ = [
    "Branch",
    "FirstClusters",
    "Prediction",
    "alignment_rate",
    "antipodal_probability",
    "antipodal_threshold",
    "center_time",
    "cluster_angles",
    "common_hemisphere",
    "cone_collapse_rate",
    "consensus_rate",
    "context_cosine",
    "context_fluctuation",
    "continuous_threshold",
    "cosine_spread",
    "critical_angle",
    "critical_beta",
    "critical_context_beta",
    "critical_gain",
    "critical_score_beta",
    "critical_time",
    "decay_rates",
    "equiangular_curve",
    "equiangular_time",
    "escape_slope",
    "exit_time",
    "feed_forward_fixed_point",
    "feed_forward_variance",
    "first_clusters",
    "gaussian_blow_up_time",
    "gaussian_covariance",
    "gaussian_limit",
    "gaussian_limit_rank",
    "gaussian_variance",
    "global_transition",
    "growing_degrees",
    "growth_rates",
    "heat_collapse_time",
    "heat_rates",
    "holding_potential",
    "hysteresis_window",
    "initial_curvature",
    "initial_speed",
    "k_max",
    "k_max_window",
    "kde_mode_count",
    "l2_growth_bound",
    "largest_weight",
    "memory_profile",
    "merge_time",
    "merge_time_asymptotic",
    "metastability_bounds",
    "nearest_key_constant",
    "noise_thresholds",
    "noisy_growth_rates",
    "phase_curve",
    "plateau",
    "renyi_count_circle",
    "ring_rate",
    "sampling_rate",
    "scalar_collapse",
    "score_concentration",
    "score_entropy",
    "sinkhorn_coefficient",
    "stability_rate",
    "stationary_branch",
    "stationary_order",
    "strong_renyi_count",
    "support_radius",
    "synchronization_threshold",
    "tail",
    "thresholds",
    "wasserstein_rate",
]

check_arguments(__name__)
