"""Figures and animations of what others have computed: no physics, and no file but the one `Picture.save` is told.

What is computed here serves the drawing alone: bins, values between nodes, axes of an ellipse, means over draws.

`circle`, `sphere` and `space` draw tokens and animate them, `density` and `spectrum` draw densities, `gaussian` and
`covariance_cone` draw Gaussians; `energy`, `radii`, `cluster_count`, `histogram` and `merge_tree` draw what was
measured against time; `sweep_curves` and `sweep_map` draw sweeps; `steering` draws trained weights; `next_words` draws
what a real model would say in depth. All are made for a paper: vector output, colors that color-blind readers can tell
apart, no global matplotlib state.
"""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.plot.density import density, energy, spectrum
from tokenfield.plot.gaussian import covariance_cone, gaussian
from tokenfield.plot.in_space import space
from tokenfield.plot.next_words import next_words
from tokenfield.plot.on_circle import circle
from tokenfield.plot.on_sphere import sphere
from tokenfield.plot.over_time import cluster_count, histogram, radii
from tokenfield.plot.overview import overview
from tokenfield.plot.picture import Picture
from tokenfield.plot.steering import steering
from tokenfield.plot.sweep import sweep_curves, sweep_map
from tokenfield.plot.tree import merge_tree

__all__ = [
    "Picture",
    "circle",
    "cluster_count",
    "covariance_cone",
    "density",
    "energy",
    "gaussian",
    "histogram",
    "merge_tree",
    "next_words",
    "overview",
    "radii",
    "space",
    "spectrum",
    "sphere",
    "steering",
    "sweep_curves",
    "sweep_map",
]

check_arguments(__name__)
