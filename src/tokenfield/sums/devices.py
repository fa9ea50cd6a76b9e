"""Over which devices tokens are spread: the setting that sums and `solve` read, and nothing of how they do it.

It is JAX's own setting of a mesh (`jax.set_mesh`), which compiled code is told apart by: what was compiled for one
device is not used for several, nor the other way around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import jax
import numpy as np
from jax import Array, lax
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, PartitionSpec

from tokenfield.errors import InvalidInput

AXIS = "tokens"  # the axis of the mesh along which tokens are split

Tree = TypeVar("Tree")


@contextmanager
def over_devices(devices: Sequence[jax.Device] | None = None) -> Iterator[Mesh]:
    """A context in which all sums over tokens are spread over `devices`, by default all there are.

    Everything traced inside it is compiled for these devices, `solve` included. On several hosts every process must
    enter it, and `devices` are those of all processes. Not to be entered inside `jax.jit`.

    >>> with over_devices(jax.devices()[:1]) as mesh:
    ...     device_count()
    1
    """
    chosen = jax.devices() if devices is None else list(devices)
    if not chosen or len(set(chosen)) < len(chosen):
        raise InvalidInput(f"tokens are spread over one or more different devices, got {chosen}")
    mesh = Mesh(np.asarray(chosen), (AXIS,), axis_types=(AxisType.Auto,))
    try:
        setting = jax.set_mesh(mesh)
    except ValueError as error:
        raise InvalidInput(
            f"over_devices() goes around calls of compiled functions, not inside them: {error}"
        ) from error
    with setting:
        yield mesh


def device_count() -> int:
    """How many devices the sums are spread over here; 1 outside `over_devices`, and on each device by itself."""
    mesh = jax.sharding.get_abstract_mesh()
    kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    # inside `shard_map` the axis is manual: what is left to sum there, a device sums alone
    return mesh.shape[AXIS] if kinds.get(AXIS) == AxisType.Auto else 1


def spread(tokens: Tree) -> Tree:
    """`tokens`, a measure or another tree of arrays with one row per token, with the rows split over the devices.

    Every device gets all rows where these cannot be split evenly. Outside `over_devices` nothing changes.
    """
    count = device_count()
    if count == 1:
        return tokens

    def split(rows: Array) -> Array:
        where = PartitionSpec() if rows.shape[0] % count else PartitionSpec(AXIS)
        if isinstance(rows, jax.core.Tracer):  # where `device_put` is no more than a wish
            return lax.with_sharding_constraint(rows, where)
        return jax.device_put(rows, where)

    return jax.tree.map(split, tokens)


def on_host(array: Array) -> np.ndarray:
    """The numbers of `array`, also where they lie on the devices of several processes: then all of these must ask."""
    if not isinstance(array, jax.Array) or array.is_fully_addressable or array.is_fully_replicated:
        return np.asarray(array)
    return np.asarray(multihost_utils.process_allgather(array, tiled=True))
