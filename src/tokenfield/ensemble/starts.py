"""Where the systems of an ensemble start: uniform tokens on the sphere, the same however the work is cut."""

from __future__ import annotations

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.geometry import Sphere


@lru_cache(maxsize=4)
def starts(n: int, d: int, seed: int | tuple[int, ...], reduces: bool, systems: range) -> tuple[Array, Array]:
    """The tokens (S, n, d) that the `systems` start from, and a key for each, on the default device; see `draw`.

    With one seed for each, system s begins as a run of that seed; beyond the last they are repeated.
    """
    # on the CPU, where this compiles in a second: for a GPU, XLA takes up to a minute
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        drawn = draw(n, d, reduces, *_keys(seed, systems))
    return jax.block_until_ready(jax.device_put(drawn, jax.local_devices()[0]))


def _keys(seed: int | tuple[int, ...], systems: range) -> tuple[Array, Array]:
    """Two keys for each system, for its tokens and for its noise."""
    if isinstance(seed, tuple):
        keys = jax.vmap(jax.random.key)(np.array([seed[s % len(seed)] for s in systems]))
        return keys, keys
    return _folded(jax.random.key(seed), jnp.arange(systems.start, systems.stop))


@jax.jit
def _folded(key: Array, systems: Array) -> tuple[Array, Array]:
    keys = jax.vmap(lambda s: jax.random.split(jax.random.fold_in(key, s)))(systems)
    return keys[:, 0], keys[:, 1]


@partial(jax.jit, static_argnums=(0, 1, 2))
def draw(n: int, d: int, reduces: bool, keys: Array, others: Array) -> tuple[Array, Array]:
    """Uniform tokens (S, n, d) on S^{d-1}, drawn with `keys` (S,), and the `others` as they are.

    With `reduces` they are rotated into R^n, which they span: tokens (S, n, n).
    """
    x = jax.vmap(lambda key: Sphere(d).uniform_points(n, seed=key))(keys)
    if reduces:
        x = Sphere(n).to_manifold(_in_their_span(x))
    return x, others


def _in_their_span(x: Array) -> Array:
    """Tokens (S, n, n) with the same inner products as x (S, n, d), d > n."""
    n, d = x.shape[1:]
    if d >= 2 * n:
        # the Gram matrix L L^T of random tokens has a condition number below 40 then, and a GPU factors it in no time
        return jnp.linalg.cholesky(jnp.einsum("sid,sjd->sij", x, x, precision="highest"))
    # x^T = Q R, so the rows of R^T have the same inner products
    return jnp.swapaxes(jnp.linalg.qr(jnp.swapaxes(x, 1, 2), mode="r"), 1, 2)
