"""From numbers of the host to arrays of JAX and back, without programs.

`jnp.asarray(1.5)`, `jnp.full(n, 0.5)` and `array[3]` each compile a program, or read one from disk: ten milliseconds
for every shape, which add up in a small run.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import Array


def as_array(values: Any, dtype: Any = None) -> Array:
    """`values`, which the host knows, as an array of JAX.

    >>> as_array([1.5, 2.0]).dtype.name
    'float64'
    """
    return jax.device_put(np.asarray(values, dtype))


def on_host(values: Any) -> np.ndarray | None:
    """The numbers of `values`, which share its memory; `None` where they are not known, or not in this host's memory.

    >>> on_host(as_array([1.5, 2.0])), on_host(jax.ShapeDtypeStruct((2,), float))
    (array([1.5, 2. ]), None)
    """
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, jax.core.Tracer) or not isinstance(values, Array) or values.committed:
        return None  # what was put on a device stays there
    return np.asarray(values) if {device.platform for device in values.devices()} == {"cpu"} else None


def row(values: Array | np.ndarray, index: int) -> Array:
    """`values[index]`, as a view where the array lies in the memory of the host.

    >>> row(as_array([[1.0, 2.0], [3.0, 4.0]]), 1).tolist()
    [3.0, 4.0]
    """
    known = on_host(values)
    return values[index] if known is None else jax.device_put(known[index])
