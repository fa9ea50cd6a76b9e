"""Initial laws: functions that return the `Measure` a flow starts from, drawn, constructed or read from a file."""

from tokenfield.initial.laws import (
    LAWS,
    box,
    cap,
    frame,
    from_file,
    gaussian,
    perturbed_uniform,
    quasi_uniform,
    simplex,
    symmetric,
    uniform,
    vmf_mixture,
    von_mises_fisher,
)

__all__ = [
    "LAWS",
    "box",
    "cap",
    "frame",
    "from_file",
    "gaussian",
    "perturbed_uniform",
    "quasi_uniform",
    "simplex",
    "symmetric",
    "uniform",
    "vmf_mixture",
    "von_mises_fisher",
]
