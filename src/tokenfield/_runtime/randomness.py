"""Seeds: the one word for randomness. A seed is a whole number or a JAX key, given by the caller.

Every function of the library that draws takes `seed=` and turns it into a generator here, so that all accept the same
seeds and refuse others with the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput

if TYPE_CHECKING:
    from jax import Array


def random_key(seed: int | Array) -> Array:
    """The JAX key that belongs to a seed.

    `seed=7` and `seed=jax.random.key(7)` give the same key. Seeds may be traced, so that whoever draws works inside
    `jax.jit` and `jax.vmap`.

    Args:
        seed: a whole number of at most 64 bits, a typed key (`jax.random.key`) or an old one (`jax.random.PRNGKey`).

    Returns:
        A typed JAX key, a scalar.

    Raises:
        InvalidInput: `seed` is none of these; an array of several keys is refused too.

    >>> import jax
    >>> bool(random_key(7) == jax.random.key(7))
    True
    """
    import jax
    import jax.numpy as jnp

    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        try:
            return jax.random.key(int(seed))
        except OverflowError as error:
            raise InvalidInput(f"seed must fit in 64 bits, got {shown(seed)}") from error
    if isinstance(seed, jax.Array):
        if jnp.issubdtype(seed.dtype, jax.dtypes.prng_key) and seed.ndim == 0:
            return seed
        if seed.dtype == jnp.uint32 and seed.shape == (2,):
            return jax.random.wrap_key_data(seed)
        if jnp.issubdtype(seed.dtype, jnp.integer) and seed.ndim == 0:
            return jax.random.key(seed)
    raise InvalidInput(f"seed must be one integer or one JAX key (jax.vmap for several), got {shown(seed)}")


def numpy_generator(seed: int | Array) -> np.random.Generator:
    """The generator of NumPy that belongs to a seed, for code that draws outside of JAX.

    `seed=7` and `seed=jax.random.key(7)` give the same generator, that of `numpy.random.default_rng(7)`.

    Args:
        seed: as in `random_key`, but not traced. A whole number must not be negative.

    Returns:
        A fresh generator.

    Raises:
        InvalidInput: `seed` is neither a whole number >= 0 nor a JAX key.

    >>> int(numpy_generator(7).integers(100)) == int(numpy_generator(7).integers(100))
    True
    """
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        if seed < 0:
            raise InvalidInput(f"seed must not be negative here, got {seed}")
        return np.random.default_rng(int(seed))
    import jax

    words = np.ravel(np.asarray(jax.random.key_data(random_key(seed))))
    return np.random.default_rng(sum(int(word) << 32 * k for k, word in enumerate(reversed(words))))
