"""Random matrices: laws of weights of the layers of a random network."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.memory import require_numbers
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput


@checked
def ginibre(key: int | Array, d: int) -> Array:
    """A random matrix of independent standard Gaussian entries.

    Args:
        key: A JAX key, or a seed.
        d: The number of rows and columns.

    Returns:
        The matrix, shape (d, d).

    Raises:
        InvalidInput: If d is not positive, or an argument is of another kind.
        TooLarge: If the matrix does not fit in memory.

    >>> import jax
    >>> ginibre(jax.random.key(0), 4).shape
    (4, 4)
    """
    if d < 1:
        raise InvalidInput(f"a random matrix needs d >= 1 rows, got {d}")
    require_numbers(d * d, f"random matrices with {d} rows", advice="take a lower dimension")
    return jax.random.normal(random_key(key), (d, d))


@checked
def ginibre_product(key: int | Array, d: int) -> Array:
    """A random matrix G_1 G_2 / sqrt(d), with G_1, G_2 Ginibre: the law of Q^T K for independent Gaussian Q and K.

    Args:
        key: A JAX key, or a seed.
        d: The number of rows and columns.

    Returns:
        The matrix, shape (d, d).

    Raises:
        InvalidInput: If d is not positive, or an argument is of another kind.
        TooLarge: If the matrix does not fit in memory.

    >>> import jax
    >>> ginibre_product(jax.random.key(0), 4).shape
    (4, 4)
    """
    first, second = jax.random.split(random_key(key))
    return ginibre(first, d) @ ginibre(second, d) / jnp.sqrt(d)


@checked
def wigner(key: int | Array, d: int) -> Array:
    """A symmetric random Gaussian matrix (G + G^T) / sqrt(2): the GOE.

    Args:
        key: A JAX key, or a seed.
        d: The number of rows and columns.

    Returns:
        The matrix, shape (d, d).

    Raises:
        InvalidInput: If d is not positive, or an argument is of another kind.
        TooLarge: If the matrix does not fit in memory.

    >>> import jax
    >>> wigner(jax.random.key(0), 4).shape
    (4, 4)
    """
    g = ginibre(key, d)
    return (g + g.T) / jnp.sqrt(2.0)


@checked
def gram(key: int | Array, d: int) -> Array:
    """A positive semi-definite random matrix G G^T / sqrt(d).

    Args:
        key: A JAX key, or a seed.
        d: The number of rows and columns.

    Returns:
        The matrix, shape (d, d).

    Raises:
        InvalidInput: If d is not positive, or an argument is of another kind.
        TooLarge: If the matrix does not fit in memory.

    >>> import jax
    >>> gram(jax.random.key(0), 4).shape
    (4, 4)
    """
    g = ginibre(key, d)
    return g @ g.T / jnp.sqrt(d)


MatrixLaw = Callable[[Array, int], Array]


def mean_square(law: MatrixLaw | None, d: int) -> int:
    """E |B|_F^2 for B of the law: d^2 for entries of variance one; the GOE's diagonal has variance 2, Gram's a mean."""
    known: dict[MatrixLaw | None, int] = {wigner: d * (d + 1), gram: d * (2 * d + 1)}
    return known.get(law, d * d)
