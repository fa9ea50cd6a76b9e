"""Absolute positions: vectors that are added to tokens at the start because of where they stand."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry
from tokenfield.measure import Measure, check_finite, float_array


def sinusoidal_positions(positions: ArrayLike, d: int, *, base: float = 10_000.0) -> Array:
    """The sinusoidal vectors of positions: sin and cos of p base^{-2m/d} at coordinates 2m and 2m + 1.

    See arXiv 1706.03762. As the table of `Embedding(..., positions=...)` or of `add_positions` take those of
    0, 1, 2, ...

    Args:
        positions: the places p, shape (n,).
        d: the number of coordinates.
        base: the base of the frequencies, a positive number; by default 10,000.

    Returns:
        The vectors, shape (n, d).

    Raises:
        InvalidInput: `positions` is no list of finite numbers, `d` is below 1, or the base is not positive.

    >>> sinusoidal_positions([0.0, jnp.pi / 2], 2).round(12).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    places = float_array(positions, "positions")
    check_finite(places, "positions")
    if places.ndim != 1:
        raise InvalidInput(f"positions must be a list of numbers, got shape {places.shape}")
    if d < 1 or not (np.isfinite(base) and base > 0):
        raise InvalidInput(f"sinusoidal positions need d >= 1 and a positive base, got d = {d} and base = {base!r}")
    pair = jnp.arange(d) // 2
    angles = places[:, None] * base ** (-2.0 * pair / d)
    return jnp.where(jnp.arange(d) % 2 == 0, jnp.sin(angles), jnp.cos(angles))


def add_positions(
    geometry: Geometry,
    tokens: Measure,
    *,
    table: ArrayLike | None = None,
    amplitude: float = 1.0,
    base: float = 10_000.0,
) -> Measure:
    """The tokens with the vectors of their positions added: x_i + amplitude w(p_i), back on the geometry.

    Args:
        geometry: where the tokens live; on the sphere the sum is normalized.
        tokens: the tokens with their positions.
        table: learned positions, shape (most positions, d): w(p) is row p, and positions must be whole numbers. By
            default w is sinusoidal.
        amplitude: the factor of w; by default 1.
        base: the base of sinusoidal positions; by default 10,000.

    Returns:
        The same tokens, of the same weights and positions, at other points.

    Raises:
        InvalidInput: the table has another dimension or no row for a position.

    >>> from tokenfield import Euclidean
    >>> tokens = Measure([[0.0, 0.0], [0.0, 0.0]])
    >>> add_positions(Euclidean(2), tokens, table=[[1.0, 2.0], [3.0, 4.0]], amplitude=0.5).points.tolist()
    [[0.5, 1.0], [1.5, 2.0]]
    """
    added = sinusoidal_positions(tokens.positions, tokens.d, base=base) if table is None else _rows(table, tokens)
    points = geometry.to_manifold(tokens.points + amplitude * added.astype(tokens.points.dtype))
    return tokens.at(points)


def _rows(table: ArrayLike, tokens: Measure) -> Array:
    """The row of each token's position."""
    rows = float_array(table, "table")
    check_finite(rows, "table")
    if rows.ndim != 2 or rows.shape[1] != tokens.d:
        raise InvalidInput(f"learned positions must be a table of shape (positions, {tokens.d}), got {rows.shape}")
    places = np.asarray(tokens.positions)
    if np.any(places != np.floor(places)):
        raise InvalidInput("learned positions are rows of a table: the positions of tokens must be whole numbers")
    if places.min() < 0 or places.max() >= rows.shape[0]:
        raise InvalidInput(
            f"positions go from {places.min():g} to {places.max():g}, but the table has {rows.shape[0]} rows"
        )
    return rows[places.astype(np.int64)]
