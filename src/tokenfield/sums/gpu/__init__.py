"""Direct sums on a CUDA GPU."""

from tokenfield.sums.gpu.kernels import FULL, attend, is_available

__all__ = ["FULL", "attend", "is_available"]
