"""The mean field: laws of infinitely many tokens, held as something finite."""

from tokenfield.meanfield.gaussian import Gaussian, affine_velocity, check_closure, motion

__all__ = ["Gaussian", "affine_velocity", "check_closure", "motion"]
