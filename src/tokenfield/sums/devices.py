"""Over which devices tokens are sharded: the setting that sums and `solve` read, and nothing of how they do it.

It is JAX's own setting of a mesh (`jax.set_mesh`), which compiled code is told apart by: what was compiled for one
device is not used for several, nor the other way around. On several hosts, what each of them holds and what they agree
on is here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import AxisType, Mesh, PartitionSpec

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput

AXIS = "tokens"  # the axis of the mesh along which tokens are split

Tree = TypeVar("Tree")


@contextmanager
def over_devices(devices: Sequence[jax.Device] | None = None) -> Iterator[Mesh]:
    """A context in which all sums over tokens are shared out among `devices`.

    Everything that runs inside it is compiled for these devices, `solve` included. On several hosts every process must
    enter it. See docs/devices.md.

    Args:
        devices: different devices, on several hosts those of all processes; None: all there are.

    Returns:
        A context manager that gives the `jax.sharding.Mesh` of the devices, with one axis, "tokens".

    Raises:
        InvalidInput: for no devices, for one that is there twice, and inside `jax.jit`.

    >>> import jax
    >>> with over_devices(jax.devices()[:1]) as mesh:
    ...     device_count()
    1
    """
    chosen = jax.devices() if devices is None else list(devices) if isinstance(devices, Sequence) else [devices]
    if not chosen or not all(isinstance(one, jax.Device) for one in chosen) or len(set(chosen)) < len(chosen):
        raise InvalidInput(f"tokens go to one or more different devices, as in jax.devices(), got {shown(devices)}")
    mesh = Mesh(np.asarray(chosen), (AXIS,), axis_types=(AxisType.Auto,))
    try:
        setting = jax.set_mesh(mesh)
    except ValueError as error:
        raise InvalidInput(
            f"over_devices() goes around calls of compiled functions, not inside them: {error}"
        ) from error
    with setting:
        yield mesh


def find_devices(which: int | str) -> list[jax.Device]:
    """The devices that a user asks for by their number.

    Args:
        which: "all", or how many; on several hosts only "all".

    Returns:
        The devices, for `over_devices`.

    Raises:
        InvalidInput: For a number that makes no sense, and for more devices than there are.

    >>> len(find_devices(1))
    1
    """
    there = jax.devices()
    if which == "all":
        return there
    if isinstance(which, (str, bool)) or which < 1:
        raise InvalidInput(f"devices are 'all' or a number of them, at least 1, got {which!r}")
    if jax.process_count() > 1 and which != len(there):
        raise InvalidInput(f"on several hosts all {len(there)} devices take part: use devices = 'all'")
    if which > len(there):
        kind = there[0].platform
        virtual = f"; XLA_FLAGS=--xla_force_host_platform_device_count={which} makes virtual ones of a CPU"
        found = f"there {'is' if len(there) == 1 else 'are'} {len(there)} ({kind})"
        raise InvalidInput(f"{which} devices were asked for, {found}{virtual if kind == 'cpu' else ''}")
    return there[:which]


def device_count() -> int:
    """The number of devices that share the sums here.

    Returns:
        The number of devices of `over_devices`; 1 outside of it, and for what each device does by itself.

    >>> device_count()
    1
    """
    mesh = jax.sharding.get_abstract_mesh()
    kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    # inside `shard_map` the axis is manual: what is left to sum there, a device sums alone
    return mesh.shape[AXIS] if kinds.get(AXIS) == AxisType.Auto else 1


def shard(tokens: Tree) -> Tree:
    """`tokens` with their rows split over the devices of `over_devices`.

    Args:
        tokens: a `Measure`, an array, or any other tree of arrays with one row per token.

    Returns:
        The same tree. Each device holds its share of the rows, or all of them where they cannot be split evenly.
        Outside `over_devices` nothing changes.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> with over_devices(jax.devices()[:1]):
    ...     shard(jnp.ones((4, 2))).shape
    (4, 2)
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
    """The numbers of `array` as a NumPy array on this host.

    Args:
        array: an array, on one device or on many. If it lies on those of several processes, all of them must ask.

    Returns:
        All of its numbers, on every host.

    >>> import jax.numpy as jnp
    >>> on_host(jnp.ones(2))
    array([1., 1.])
    """
    if not isinstance(array, jax.Array) or array.is_fully_addressable or array.is_fully_replicated:
        return np.asarray(array)
    from jax.experimental import multihost_utils  # here, because few need it

    return np.asarray(multihost_utils.process_allgather(array, tiled=True))


def own_rows(array: Array) -> tuple[np.ndarray, slice]:
    """The rows of `array` that this host holds, and which ones they are.

    Args:
        array: an array on one device or on many, split by rows as `shard` does or not at all.

    Returns:
        The rows, and their place among all: everything, where the array lies on one host or every device has it.

    >>> import jax.numpy as jnp
    >>> own_rows(jnp.ones(3))
    (array([1., 1., 1.]), slice(0, 3, None))
    """
    count = array.shape[0] if array.ndim else 1
    if array.is_fully_addressable or array.is_fully_replicated:
        return np.asarray(array), slice(0, count)
    shards = {part.index[0].start or 0: part for part in array.addressable_shards}
    parts = [np.asarray(shards[start].data) for start in sorted(shards)]
    first = min(shards)
    # the devices of a host stand side by side in the mesh, so its rows are one stretch
    return np.concatenate(parts), slice(first, first + sum(map(len, parts)))


def from_own_rows(rows: np.ndarray, like: Array) -> Array:
    """The array of which every host gives the rows that it holds; the counterpart of `own_rows`.

    Args:
        rows: what `own_rows` gave on this host.
        like: an array that lies as the new one should; on one host the number of rows may differ.

    Returns:
        The array.

    >>> import jax.numpy as jnp
    >>> from_own_rows(np.zeros(3), jnp.ones(3)).tolist()
    [0.0, 0.0, 0.0]
    """
    if len(like.sharding.device_set) == 1:
        return jnp.asarray(rows)  # where JAX likes it: an array that insists on its device is another compilation
    if like.is_fully_addressable:
        return jax.device_put(rows, like.sharding) if rows.shape == like.shape else shard(jnp.asarray(rows))
    return jax.make_array_from_process_local_data(like.sharding, rows, like.shape)


def of_all_hosts(numbers: np.ndarray) -> np.ndarray:
    """What every host gives, one below the other: how hosts agree. All of them must ask.

    Args:
        numbers: an array of the same shape on every host.

    Returns:
        The arrays of all hosts, stacked along a new first axis; it has length 1 where there is one host.

    >>> of_all_hosts(np.array([True]))
    array([[ True]])
    """
    if jax.process_count() == 1:
        return np.asarray(numbers)[None]
    from jax.experimental import multihost_utils

    return np.asarray(multihost_utils.process_allgather(np.asarray(numbers)))
