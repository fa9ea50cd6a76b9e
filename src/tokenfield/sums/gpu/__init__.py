"""Direct sums on a CUDA GPU."""

from tokenfield.sums.gpu.kernels import NARROW, attend, is_available

__all__ = ["NARROW", "attend", "is_available"]
