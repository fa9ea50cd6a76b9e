"""Control: weights that send tokens where they should go.

Trained: `steer`, by gradients through the flow, with a certificate.

Written down, after constructive theorems: `match` (points), `disentangle`, `cluster`, `into_orthant` and
`match_prompts` (prompts as measures), `interpolate_sequences` (a network of blocks), `interpolate_points` and
`approximate` (neural ODEs), `reach_covariance` and `reach_gaussian` (Gaussians). What a theorem does not reach is
refused in a sentence.
"""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.control.construction import Construction
from tokenfield.control.functions import Approximation, approximate
from tokenfield.control.gaussians import Reached, reach_covariance, reach_gaussian
from tokenfield.control.matching import match
from tokenfield.control.prompts import cluster, disentangle, into_orthant, match_prompts
from tokenfield.control.sequences import Interpolation, interpolate_sequences
from tokenfield.control.shears import interpolate_points
from tokenfield.control.steering import Certificate, Steering
from tokenfield.control.training import steer

__all__ = [
    "Approximation",
    "Certificate",
    "Construction",
    "Interpolation",
    "Reached",
    "Steering",
    "approximate",
    "cluster",
    "disentangle",
    "interpolate_points",
    "interpolate_sequences",
    "into_orthant",
    "match",
    "match_prompts",
    "reach_covariance",
    "reach_gaussian",
    "steer",
]

check_arguments(__name__)
