"""Direct sums on a CUDA GPU."""

from tokenfield.sums.gpu.kernels import Precision, attend, is_available

__all__ = ["Precision", "attend", "is_available"]
