"""Every prediction of `tokenfield.theory` by its name, with the adapter that says when it applies.

An adapter takes a `Setting`, checks the conditions of the theorem, finds the arguments of the formula in it and calls
the formula; it stands beside the formula and is called like it with `_for` at the end. A prediction about numbers that
neither a model nor a start has is listed with what it `needs`. A new prediction is one function, its adapter and one
line here.
"""

from __future__ import annotations

from tokenfield.theory import (
    bifurcation,
    causal,
    consensus,
    context,
    equiangular,
    gaussian,
    gaussian_line,
    growth,
    linear_phase,
    metastability,
    multiscale,
    random_weights,
    transitions,
)
from tokenfield.theory.conditions import Adapter, needs

NOISE = "Noise sqrt(2/kappa) dW"
QUERY = "a query that is not one of the tokens"
SCORES = "random scores"

TOPICS: dict[str, dict[str, Adapter]] = {
    "Leaving the uniform law": {
        "k_max": growth.k_max_for,
        "growth_rates": growth.growth_rates_for,
        "thresholds": growth.thresholds_for,
        "k_max_window": growth.k_max_window_for,
        "exit_time": growth.exit_time_for,
        "cluster_angles": growth.cluster_angles_for,
        "first_clusters": linear_phase.first_clusters_for,
        "decay_rates": multiscale.decay_rates_for,
        "heat_rates": multiscale.heat_rates_for,
        "heat_collapse_time": needs("the width of a bump", "heat_collapse_time(beta, sigma)"),
        "alignment_rate": multiscale.alignment_rate_for,
        "kde_mode_count": needs("Gaussian samples on the line", "kde_mode_count(n, beta)"),
    },
    "Collapse": {
        "equiangular_time": equiangular.equiangular_time_for,
        "equiangular_curve": equiangular.equiangular_curve_for,
        "initial_speed": equiangular.initial_speed_for,
        "tail": needs("times", "tail(ts, scheme=..., beta=...)"),
        "phase_curve": needs("times", "phase_curve(times, n)"),
        "cosine_spread": needs("times", "cosine_spread(times, n, beta)"),
        "consensus_rate": consensus.consensus_rate_for,
        "wasserstein_rate": consensus.wasserstein_rate_for,
        "cone_collapse_rate": consensus.cone_collapse_rate_for,
        "common_hemisphere": consensus.common_hemisphere_for,
        "synchronization_threshold": transitions.synchronization_threshold_for,
    },
    "Slow times of clusters": {
        "critical_angle": metastability.critical_angle_for,
        "merge_time": metastability.merge_time_for,
        "merge_time_asymptotic": metastability.merge_time_asymptotic_for,
        "plateau": metastability.plateau_for,
        "escape_slope": metastability.escape_slope_for,
        "metastability_bounds": needs(
            "the sizes of caps", "metastability_bounds(beta, n, eps=..., alpha=..., lam=...)"
        ),
        "scalar_collapse": needs("the cosine of a cap", "scalar_collapse(beta, u0, c)"),
        "holding_potential": needs("a potential along an axis", "holding_potential(beta, share=...)"),
    },
    NOISE: {
        "noise_thresholds": transitions.noise_thresholds_for,
        "critical_beta": transitions.critical_beta_for,
        "continuous_threshold": transitions.continuous_threshold_for,
        "global_transition": bifurcation.global_transition_for,
        "hysteresis_window": bifurcation.hysteresis_window_for,
        "initial_curvature": bifurcation.initial_curvature_for,
        "growing_degrees": transitions.growing_degrees_for,
        "noisy_growth_rates": transitions.noisy_growth_rates_for,
        "stationary_order": bifurcation.stationary_order_for,
        "stationary_branch": needs("the degree and the end of a branch", "stationary_branch(beta, d, degree=...)"),
    },
    "The order of tokens": {
        "strong_renyi_count": causal.strong_renyi_count_for,
        "renyi_count_circle": causal.renyi_count_circle_for,
        "center_time": needs("the distance of centers", "center_time(beta, position, c=..., eps=...)"),
        "memory_profile": needs("a time and a sharpness", "memory_profile(s0, beta=..., lam=..., t=..., M=...)"),
        "critical_time": needs("a sharpness M", "critical_time(beta=..., lam=..., M=...)"),
        "ring_rate": causal.ring_rate_for,
    },
    "Long contexts": {
        "context_cosine": context.context_cosine_for,
        "critical_gain": context.critical_gain_for,
        "nearest_key_constant": needs(QUERY, "nearest_key_constant(d)"),
        "critical_context_beta": needs(QUERY, "critical_context_beta(n, d)"),
        "largest_weight": needs(QUERY, "largest_weight(ratio, d)"),
        "context_fluctuation": needs(QUERY, "context_fluctuation(beta, d)"),
        "critical_score_beta": needs(SCORES, "critical_score_beta(n)"),
        "score_entropy": needs(SCORES, "score_entropy(ratio)"),
        "score_concentration": needs(SCORES, "score_concentration(beta, n)"),
    },
    "Random weights in depth": {
        "antipodal_threshold": random_weights.antipodal_threshold_for,
        "antipodal_probability": random_weights.antipodal_probability_for,
    },
    "Bounds on every solution": {
        "stability_rate": consensus.stability_rate_for,
        "sampling_rate": consensus.sampling_rate_for,
        "support_radius": consensus.support_radius_for,
    },
    "Gaussians in R^d": {
        "gaussian_covariance": gaussian.gaussian_covariance_for,
        "gaussian_blow_up_time": gaussian.gaussian_blow_up_time_for,
        "gaussian_limit": gaussian.gaussian_limit_for,
        "gaussian_limit_rank": gaussian.gaussian_limit_rank_for,
        "gaussian_variance": gaussian_line.gaussian_variance_for,
        "sinkhorn_coefficient": gaussian_line.sinkhorn_coefficient_for,
        "feed_forward_variance": gaussian_line.feed_forward_variance_for,
        "feed_forward_fixed_point": gaussian_line.feed_forward_fixed_point_for,
        "l2_growth_bound": gaussian.l2_growth_bound_for,
    },
}
