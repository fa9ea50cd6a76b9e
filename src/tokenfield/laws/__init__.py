"""The mean field: laws of infinitely many tokens, held as something finite.

A `Density` on a grid (`Fourier` or `Cells` on the circle, `Harmonics` on S^2, `Zonal` on any sphere), a `MovingDensity`
in R^1 or R^2, a `Gaussian` in R^d; or for causal attention a `MaskedDensity`, `MaskedMovingDensity`, `MaskedGaussian`:
give any to `tokenfield.solve`.
`tokenfield.compare` measures how far tokens are from it.
"""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian, affine_velocity, check_closure, limit_rank, motion, plot_coordinates
from tokenfield.laws.grid import Grid
from tokenfield.laws.grids.circle import Cells, Fourier
from tokenfield.laws.grids.moving import Moving
from tokenfield.laws.grids.sphere import Harmonics
from tokenfield.laws.grids.zonal import Zonal
from tokenfield.laws.masked import MaskedDensity
from tokenfield.laws.masked_gaussian import MaskedGaussian
from tokenfield.laws.masked_moving import MaskedMovingDensity
from tokenfield.laws.moving import MovingDensity

__all__ = [
    "Cells",
    "Density",
    "Fourier",
    "Gaussian",
    "Grid",
    "Harmonics",
    "MaskedDensity",
    "MaskedGaussian",
    "MaskedMovingDensity",
    "Moving",
    "MovingDensity",
    "Zonal",
    "affine_velocity",
    "check_closure",
    "limit_rank",
    "motion",
    "plot_coordinates",
]

check_arguments(__name__)
