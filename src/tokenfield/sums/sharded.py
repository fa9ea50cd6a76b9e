"""Tokens on several devices: queries and keys are split by rows, every device keeps its own.

Direct sums go around a ring: each device adds up the block of keys it holds for its own queries, passes the block on
to its neighbor and adds up the next, so no device ever holds all keys. Sums on the sphere that go through moments
need one sum of the moments over the devices. Results equal those of one device to rounding. How a device adds up one
block is up to `direct`, as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.sharding import Mesh, PartitionSpec

from tokenfield.errors import InvalidInput
from tokenfield.sums import direct, fast
from tokenfield.sums.band import Band
from tokenfield.sums.dense import Attended, Weighed, lowest, normalized
from tokenfield.sums.devices import AXIS


class _Block(NamedTuple):
    """Some keys: what travels around the ring. `values` may be the keys themselves (None): they travel once.

    `positions` only where there is a band.
    """

    keys: Array
    values: Array | None
    weights: Array
    positions: Array | None

    @property
    def own_values(self) -> Array:
        return self.keys if self.values is None else self.values


class _Rows(NamedTuple):
    """Some queries: what stays where it is. `positions` and `offset` only where there is a band."""

    queries: Array
    shift: Array | None
    positions: Array | None
    offset: Array | None


class _Limits(NamedTuple):
    """What all pairs of a band share; all None if there is no band."""

    nearest: Array | None
    farthest: Array | None
    slope: Array | None

    def band(self, rows: _Rows, block: _Block) -> Band | None:
        """What some queries see of some keys."""
        if rows.positions is None or block.positions is None:
            return None
        return Band(rows.positions, block.positions, *self, rows.offset)


def attend(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    band: Band | None = None,
    *,
    mesh: Mesh | None = None,
    axis: str = AXIS,
) -> Attended:
    """As `dense.attend`, with queries and keys split over the devices of `axis` of `mesh`, by default the current mesh.

    Any m and n will do: rows are padded to a multiple of the devices by keys of weight 0 and queries that are dropped.
    Derivatives are those of `dense.attend` for positive weights; where a device has no weight at all, the derivative
    with respect to its weights is taken to be 0.
    """
    own = None if values is keys else values
    return _around(_attend_ring, queries, keys, own, weights, None, band, mesh=mesh, axis=axis)


def weigh(
    queries: Array,
    keys: Array,
    values: Array,
    weights: Array,
    kernel: Callable[[Array], Array],
    *,
    shift: Array | None = None,
    band: Band | None = None,
    mesh: Mesh | None = None,
    axis: str = AXIS,
) -> Weighed:
    """As `dense.weigh`, split as for `attend`."""
    ring, own = partial(_weigh_ring, kernel), None if values is keys else values
    return _around(ring, queries, keys, own, weights, shift, band, mesh=mesh, axis=axis)


def largest(
    queries: Array, keys: Array, band: Band | None = None, *, mesh: Mesh | None = None, axis: str = AXIS
) -> Array:
    """As `dense.largest`, split as for `attend`."""
    weights = jnp.ones(keys.shape[0], keys.dtype)
    return _around(_largest_ring, queries, keys, keys[:, :0], weights, None, band, mesh=mesh, axis=axis)


def attend_on_sphere(
    queries: Array,
    points: Array,
    weights: Array,
    expansion: fast.Expansion,
    *,
    mesh: Mesh | None = None,
    axis: str = AXIS,
) -> fast.Fast:
    """The fast sum over `points` (n, d) of the circle or S^2 at `queries` (m, d), split as for `attend`.

    Every device adds up the moments of its own tokens; their sum over the devices, which is all that travels, serves
    its own queries. Errors are reported, not mended: see `fast.attend`.
    """
    return _by_moments(queries, points, weights, expansion=expansion, mesh=mesh, axis=axis)


def _attend_ring(axis: str, rows: _Rows, block: _Block, limits: _Limits) -> Attended:
    q = rows.queries
    m, p = q.shape[0], block.own_values.shape[1]

    def add(carry: tuple[Array, Array, Array], block: _Block) -> tuple[Array, Array, Array]:
        old_shift, total, sums = carry
        log_sum, mean = direct.attend(q, block.keys, block.own_values, block.weights, limits.band(rows, block))
        # as for the logits of one block, the maximum cancels in exact arithmetic; a block of nothing adds e^-inf = 0
        shift = jnp.maximum(old_shift, lax.stop_gradient(log_sum))
        rescale, added = jnp.exp(old_shift - shift), jnp.exp(log_sum - shift)
        return shift, total * rescale + added, sums * rescale[:, None] + added[:, None] * mean

    nothing = (jnp.full(m, lowest(q.dtype), q.dtype), jnp.zeros(m, q.dtype), jnp.zeros((m, p), q.dtype))
    return normalized(*_ring(add, nothing, block, axis))


def _weigh_ring(kernel: Callable[[Array], Array], axis: str, rows: _Rows, block: _Block, limits: _Limits) -> Weighed:
    q = rows.queries

    def add(so_far: Weighed, block: _Block) -> Weighed:
        keys, values, band = block.keys, block.own_values, limits.band(rows, block)
        new = direct.weigh(q, keys, values, block.weights, kernel, shift=rows.shift, band=band)
        return Weighed(so_far.total + new.total, so_far.sums + new.sums)

    nothing = Weighed(jnp.zeros(q.shape[0], q.dtype), jnp.zeros((q.shape[0], block.own_values.shape[1]), q.dtype))
    return _ring(add, nothing, block, axis)


def _largest_ring(axis: str, rows: _Rows, block: _Block, limits: _Limits) -> Array:
    q = rows.queries

    def add(so_far: Array, block: _Block) -> Array:
        return jnp.maximum(so_far, direct.largest(q, block.keys, limits.band(rows, block)))

    return _ring(add, jnp.full(q.shape[0], -jnp.inf, q.dtype), block, axis)


def _ring(add: Callable[[Any, _Block], Any], nothing: Any, block: _Block, axis: str) -> Any:
    """What `add(so_far, block)` makes of `nothing` with the blocks of all devices, starting from one's own."""
    count = lax.axis_size(axis)
    onward = [(i, (i + 1) % count) for i in range(count)]
    add = jax.checkpoint(add)  # else reverse-mode differentiation would keep the kernels of all blocks

    def visit(carry: tuple[Any, _Block], _: None) -> tuple[tuple[Any, _Block], None]:
        so_far, block = carry
        # neither needs the other, so that the transfer runs beside the sums; the last one brings the blocks home
        return (add(so_far, block), jax.tree.map(lambda a: lax.ppermute(a, axis, onward), block)), None

    return lax.scan(visit, (nothing, block), length=count)[0][0]


@partial(jax.jit, static_argnames=("ring", "mesh", "axis"))
def _around(
    ring: Callable[[str, _Rows, _Block, _Limits], Any],
    queries: Array,
    keys: Array,
    values: Array | None,
    weights: Array,
    shift: Array | None,
    band: Band | None,
    *,
    mesh: Mesh | None,
    axis: str,
) -> Any:
    """`ring` on every device of the mesh with its share of the rows, put together again."""
    m, count = queries.shape[0], _size(mesh, axis)
    rows, block = _Rows(queries, shift, None, None), _Block(keys, values, weights, None)
    limits = _Limits(None, None, None)
    if band is not None:
        rows, block = rows._replace(positions=band.queries, offset=band.offset), block._replace(positions=band.keys)
        limits = _Limits(band.nearest, band.farthest, band.slope)
    # rows that are padded repeat the last one, which leaves every maximum alone, and weigh nothing
    rows, block = jax.tree.map(partial(_pad, count=count), (rows, block))
    block = block._replace(weights=_pad_weights(weights, count))
    split, everywhere = PartitionSpec(axis), PartitionSpec()
    mapped = jax.shard_map(
        partial(ring, axis),
        mesh=mesh,
        in_specs=(split, split, everywhere),
        out_specs=split,
        check_vma=False,  # the sums of one device know nothing of meshes, on which the check insists
    )
    return jax.tree.map(lambda a: a[:m], mapped(rows, block, limits))


@partial(jax.jit, static_argnames=("expansion", "mesh", "axis"))
def _by_moments(
    queries: Array, points: Array, weights: Array, *, expansion: fast.Expansion, mesh: Mesh | None, axis: str
) -> fast.Fast:
    m, count, split = queries.shape[0], _size(mesh, axis), PartitionSpec(axis)

    def local(queries: Array, points: Array, weights: Array) -> fast.Fast:
        return fast.evaluate(lax.psum(fast.moments(points, weights, expansion), axis), queries, expansion)

    mapped = jax.shard_map(local, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)
    out = mapped(_pad(queries, count), _pad(points, count), _pad_weights(weights, count))
    return jax.tree.map(lambda a: a[:m], out)


def _size(mesh: Mesh | None, axis: str) -> int:
    """The number of devices along `axis`; raises `InvalidInput` if there is no such axis."""
    shape = (jax.sharding.get_abstract_mesh() if mesh is None else mesh).shape
    if axis not in shape:
        raise InvalidInput(
            f"no axis {axis!r} in the mesh {dict(shape)}: give a mesh that has it, or use over_devices()"
        )
    return shape[axis]


def _pad(array: Array, count: int) -> Array:
    missing = -array.shape[0] % count
    return jnp.concatenate([array, jnp.repeat(array[-1:], missing, axis=0)]) if missing else array


def _pad_weights(weights: Array, count: int) -> Array:
    return jnp.concatenate([weights, jnp.zeros(-weights.shape[0] % count, weights.dtype)])
