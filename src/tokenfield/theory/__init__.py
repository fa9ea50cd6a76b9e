"""Theory as functions: each returns a `Prediction`, a value with its statement, assumptions and source.

NumPy and SciPy only; nothing here is simulated.
"""

from tokenfield.theory.bifurcation import Branch, global_transition, hysteresis_window, initial_curvature, stationary_branch
from tokenfield.theory.causal import critical_time, memory_profile, renyi_count_circle, strong_renyi_count
from tokenfield.theory.equiangular import (
    common_hemisphere,
    consensus_rate,
    equiangular_curve,
    hitting_time,
    phase_curve,
)
from tokenfield.theory.growth import cluster_angles, exit_time, growth_rates, k_max, log_growth_rates, thresholds
from tokenfield.theory.metastability import (
    critical_angle,
    escape_slope,
    merge_time,
    merge_time_asymptotic,
    plateau,
    scalar_collapse,
)
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.stationary import order_parameter
from tokenfield.theory.transitions import (
    antipodal_probability,
    antipodal_threshold,
    context_cosine,
    critical_beta,
    nearest_key_constant,
    noise_thresholds,

    synchronization_threshold,
)

__all__ = [
    "Prediction",
    "antipodal_probability",
    "antipodal_threshold",
    "cluster_angles",
    "common_hemisphere",
    "consensus_rate",
    "context_cosine",
    "critical_angle",
    "critical_beta",
    "critical_time",
    "equiangular_curve",
    "escape_slope",
    "exit_time",
    "growth_rates",
    "hitting_time",
    "k_max",
    "log_growth_rates",
    "memory_profile",
    "merge_time",
    "merge_time_asymptotic",
    "nearest_key_constant",
    "noise_thresholds",
    "order_parameter",
    "phase_curve",
    "plateau",
    "renyi_count_circle",
    "scalar_collapse",
    "stationary_branch",
    "strong_renyi_count",
    "synchronization_threshold",
    "thresholds",
]
