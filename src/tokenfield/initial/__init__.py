"""Initial laws: functions that return the `Measure` a flow starts from, drawn, constructed or read from a file.

Every law takes a geometry first, and those that draw take `seed=`, a whole number or a JAX key. `add_positions` adds
absolute positions to tokens of any law. Nothing here knows of models or of time.
"""

from collections.abc import Callable

from tokenfield._runtime.arguments import check_arguments
from tokenfield.initial.constructed import frame, perturbed_uniform, quasi_uniform, simplex
from tokenfield.initial.drawn import box, cap, gaussian, symmetric, uniform, vmf_mixture, von_mises_fisher
from tokenfield.initial.files import from_file
from tokenfield.initial.positions import add_positions, sinusoidal_positions
from tokenfield.measure import Measure

__all__ = [
    "LAWS",
    "add_positions",
    "box",
    "cap",
    "frame",
    "from_file",
    "gaussian",
    "perturbed_uniform",
    "quasi_uniform",
    "simplex",
    "sinusoidal_positions",
    "symmetric",
    "uniform",
    "vmf_mixture",
    "von_mises_fisher",
]

check_arguments(__name__)

LAWS: dict[str, Callable[..., Measure]] = {
    law.__name__: law
    for law in (
        uniform,
        von_mises_fisher,
        vmf_mixture,
        cap,
        frame,
        simplex,
        gaussian,
        box,
        quasi_uniform,
        symmetric,
        perturbed_uniform,
    )
}
"""The laws by name. All take `(geometry, n)`, and by keyword what else they need. `from_file` is not among them: the
file says how many tokens there are."""
