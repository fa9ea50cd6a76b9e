"""Where the systems of an ensemble start: uniform tokens on the sphere, the same however the work is cut."""

from __future__ import annotations

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.geometry import Sphere


@lru_cache(maxsize=4)
def starts(n: int, d: int, seed: int, reduces: bool, systems: range) -> tuple[Array, Array]:
    """The tokens (S, n, d) that the `systems` start from, and a key for each, on the default device; see `draw`."""
    # on the CPU, where this compiles in a second: for a GPU, XLA takes up to a minute
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        drawn = draw(n, d, reduces, jax.random.key(seed), jnp.arange(systems.start, systems.stop))
    return jax.block_until_ready(jax.device_put(drawn, jax.local_devices()[0]))


@partial(jax.jit, static_argnums=(0, 1, 2))
def draw(n: int, d: int, reduces: bool, key: Array, systems: Array) -> tuple[Array, Array]:
    """Uniform tokens (S, n, d) on S^{d-1} of the given `systems` (S,), and a key for each, both from `fold_in(key, s)`.

    With `reduces` they are rotated into R^n, which they span: tokens (S, n, n).
    """
    keys = jax.vmap(lambda s: jax.random.split(jax.random.fold_in(key, s)))(systems)
    x = jax.vmap(lambda key: Sphere(d).uniform_points(n, seed=key))(keys[:, 0])
    if reduces:
        x = Sphere(n).to_manifold(_in_their_span(x))
    return x, keys[:, 1]


def _in_their_span(x: Array) -> Array:
    """Tokens (S, n, n) with the same inner products as x (S, n, d), d > n."""
    n, d = x.shape[1:]
    if d >= 2 * n:
        # the Gram matrix L L^T of random tokens has a condition number below 40 then, and a GPU factors it in no time
        return jnp.linalg.cholesky(jnp.einsum("sid,sjd->sij", x, x, precision="highest"))
    # x^T = Q R, so the rows of R^T have the same inner products
    return jnp.swapaxes(jnp.linalg.qr(jnp.swapaxes(x, 1, 2), mode="r"), 1, 2)
