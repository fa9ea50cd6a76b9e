"""Numbers and gains that change with depth: `OfDepth`, a smooth function, and `GainPerLayer`, piecewise constant."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.measure import check_finite, float_array, is_concrete


class OfDepth(eqx.Module):
    """A number or a vector that is a smooth function of depth.

    Args:
        function: Maps the time to it; JAX must be able to trace it.

    >>> float(OfDepth(lambda t: 1 / (1 + t)).at(1.0))
    0.5
    """

    function: Callable[[Array], ArrayLike] = eqx.field(static=True)

    def at(self, t: Array | float) -> Array:
        """The value at the time `t`.

        Args:
            t: The time, that is, the depth.

        Returns:
            The number or vector.
        """
        return jnp.asarray(self.function(jnp.asarray(t)))


class GainPerLayer(eqx.Module):
    """A gain for each layer: that of layer l acts for t in [l t1/L, (l+1) t1/L), the first and the last beyond.

    Args:
        gains: Positive numbers, shape (L, d).
        t1: The time at which the last layer ends, a positive number.

    Raises:
        InvalidInput: If the gains are no table of positive numbers, or `t1` is not positive.

    >>> GainPerLayer([[1.0, 2.0], [3.0, 4.0]], t1=2.0).at(1.5).tolist()
    [3.0, 4.0]
    """

    gains: Array
    t1: float = eqx.field(static=True)

    def __init__(self, gains: ArrayLike, *, t1: float):
        self.gains = _positive(gains, "gains", axes=2)
        if not (isinstance(t1, (int, float, np.number)) and np.isfinite(t1) and t1 > 0):
            raise InvalidInput(f"GainPerLayer needs a positive final time, got t1 = {t1!r}")
        self.t1 = float(t1)

    def at(self, t: Array | float) -> Array:
        """The gain at the time `t`; at a change, the one that follows it.

        Args:
            t: The time, that is, the depth.

        Returns:
            The gain, shape (d,).
        """
        count = self.gains.shape[0]
        # a few ulps of slack: l t1/L computed by a caller may fall just short of the layer's start
        index = jnp.floor(jnp.asarray(t) * (count / self.t1) * (1 + 8 * np.finfo(np.float64).eps))
        return self.gains[jnp.clip(index.astype(int), 0, count - 1)]

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        """The times in (t0, t1) where the gain changes.

        Args:
            t0: The start of the span.
            t1: Its end.

        Returns:
            The times, increasing.
        """
        times = np.arange(1, self.gains.shape[0]) * (self.t1 / self.gains.shape[0])
        return times[(times > t0) & (times < t1)]


def as_gain(value: ArrayLike | OfDepth | GainPerLayer | Callable | None) -> Array | OfDepth | GainPerLayer | None:
    """What a user may write as a gain: a vector of positive numbers, a function of depth, one gain per layer."""
    if value is None or isinstance(value, OfDepth | GainPerLayer):
        return value
    if callable(value):
        return OfDepth(value)
    return _positive(value, "gain", axes=1)


def _positive(value: ArrayLike, name: str, *, axes: int) -> Array:
    gain = float_array(value, name)
    check_finite(gain, name)
    if gain.ndim != axes:
        expected = "a vector, one entry per coordinate" if axes == 1 else "a table, one row per layer"
        raise InvalidInput(f"the {name} must be {expected}, got shape {gain.shape}")
    if is_concrete(gain) and not bool(np.all(np.asarray(gain) > 0)):
        raise InvalidInput(f"the entries of the {name} must be positive: they are the axes of an ellipsoid")
    return gain
