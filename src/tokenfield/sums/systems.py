"""Sums over the pairs of tokens of many small systems at once.

The tokens of S systems of n tokens in R^d are one array, in one of two arrangements. `SYSTEMS_FIRST`, (S, n, d), forms
the cosines (S, n, n) by products of matrices. `SYSTEMS_LAST`, (d, n, S), goes through the pairs of each system once and
works on neighboring systems at a time, which is faster on a CPU for d up to 3. A vmapped `dense` sum is several times
slower than either. Tokens are unit vectors. Arrays only: no model, no time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array, lax


class Arrangement(NamedTuple):
    """How the tokens of many systems are held in one array `x`, and the sums over their pairs."""

    axis: int
    """The axis of the coordinates; that of the tokens is always 1."""

    arrange: Callable[[Array], Array]
    """Tokens (S, n, d) in this arrangement, and back."""

    per_system: Callable[[Array], Array]
    """One number per system, (S,), in a shape that multiplies tokens."""

    kernel_sums: Callable[[Array, Array], tuple[Array, Array]]
    """sum_j e^{beta (<x_i, x_j> - 1)} x_j, and the same without x_j, with `per_system` values of beta.

    The exponent of a token with itself is 0 and for beta >= 0 none is larger: no total overflows or vanishes.
    """

    cosines: Callable[[Array], Array]
    """All <x_i, x_j> of each system, (S, n, n)."""

    fraction_above: Callable[[Array, float], Array]
    """The fraction (S,) of the pairs i != j of each system with <x_i, x_j> above a level below 1."""

    def dot(self, x: Array, y: Array) -> Array:
        """<x_i, y_i> for each token, with the axis of the coordinates kept."""
        return jnp.sum(x * y, axis=self.axis, keepdims=True)


# --- (S, n, d): products of matrices ------------------------------------------------------------------------------


def _cosines_first(x: Array) -> Array:
    return jnp.einsum("sid,sjd->sij", x, x)


def _kernel_sums_first(x: Array, beta: Array) -> tuple[Array, Array]:
    e = jnp.exp(beta * (_cosines_first(x) - 1))
    return jnp.einsum("sij,sjd->sid", e, x), jnp.sum(e, axis=2, keepdims=True)


def _fraction_above_first(x: Array, level: float) -> Array:
    n = x.shape[1]
    return (jnp.sum(_cosines_first(x) > level, axis=(1, 2)) - n) / (n * (n - 1))  # i = j is always among them


SYSTEMS_FIRST = Arrangement(
    axis=2,
    arrange=lambda x: x,
    per_system=lambda a: a[:, None, None],
    kernel_sums=_kernel_sums_first,
    cosines=_cosines_first,
    fraction_above=_fraction_above_first,
)


# --- (d, n, S): each pair once, token i meets the n/2 tokens after it on a ring -----------------------------------


def _window(n: int, dtype: Any) -> tuple[int, Array]:
    """How many tokens follow one on half a ring of n, and the shares (m, 1) in which it meets them.

    For even n the token opposite on the ring is met from both sides, half each time.
    """
    m = n // 2
    return m, jnp.ones((m, 1), dtype).at[m - 1].set(1.0 if n % 2 else 0.5)


def _kernel_sums_last(x: Array, beta: Array) -> tuple[Array, Array]:
    d, n, _ = x.shape
    m, share = _window(n, x.dtype)
    counted = jnp.concatenate([x, jnp.ones_like(x[:1])])  # the last row sums to the total
    ring = jnp.concatenate([counted, counted], axis=1)

    def meet(i: Array, sums: Array) -> Array:
        x_i = lax.dynamic_slice_in_dim(ring, i, 1, axis=1)
        after = lax.dynamic_slice_in_dim(ring, i + 1, m, axis=1)
        e = share * jnp.exp(beta * (jnp.sum(x_i[:d] * after[:d], axis=0) - 1))
        theirs = lax.dynamic_slice_in_dim(sums, i + 1, m, axis=1) + e * x_i
        sums = lax.dynamic_update_slice_in_dim(sums, theirs, i + 1, axis=1)
        mine = lax.dynamic_slice_in_dim(sums, i, 1, axis=1) + jnp.sum(e * after, axis=1, keepdims=True)
        return lax.dynamic_update_slice_in_dim(sums, mine, i, axis=1)

    sums = lax.fori_loop(0, n, meet, jnp.zeros_like(ring))
    sums = sums[:, :n] + sums[:, n:] + counted
    return sums[:d], sums[d:]


def _fraction_above_last(x: Array, level: float) -> Array:
    n = x.shape[1]
    m, share = _window(n, x.dtype)
    ring = jnp.concatenate([x, x], axis=1)

    def meet(i: Array, count: Array) -> Array:
        x_i = lax.dynamic_slice_in_dim(ring, i, 1, axis=1)
        cosines = jnp.sum(x_i * lax.dynamic_slice_in_dim(ring, i + 1, m, axis=1), axis=0)
        return count + jnp.sum(share * (cosines > level), axis=0)

    return lax.fori_loop(0, n, meet, jnp.zeros(x.shape[2], x.dtype)) / (n * (n - 1) / 2)


SYSTEMS_LAST = Arrangement(
    axis=0,
    arrange=lambda x: jnp.transpose(x, (2, 1, 0)),
    per_system=lambda a: a,
    kernel_sums=_kernel_sums_last,
    cosines=lambda x: jnp.einsum("dis,djs->sij", x, x),
    fraction_above=_fraction_above_last,
)
