"""Harmonic spectra of measures on the sphere: how much of the measure is in each degree.

Both functions are traceable by JAX, so they can go into `Save(observables=...)`. On the circle and on S^2 time and
memory are O(n). In other dimensions the sums go over pairs of tokens, in tiles: O(n^2) time, O(n) memory.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.observables.cosines import COLUMNS, ROWS, blocks, directions

BLOCK = 2**13  # numbers in one block of harmonics or powers: the recurrence over degrees stays in cache


def harmonic_spectrum(mu: Measure, degrees: Sequence[int]) -> Array:
    """The power P_k = iint G_k(<x, y>) dmu(x) dmu(y) of a measure on S^{d-1} in each of the given degrees.

    G_k is the Gegenbauer polynomial of index d/2 - 1 with G_k(1) = 1. On the circle G_k(s) = cos(k arccos s), and P_k
    is |muhat_k|^2. On S^2 it is Legendre's polynomial, and P_k = 4 pi / (2k + 1) sum_m |int Y_km dmu|^2. A Dirac has
    P_k = 1. The uniform law has P_0 = 1 and P_k = 0 else, n independent uniform tokens have 1/n on average. Rotations
    do not change P_k.

    With K the largest degree, time is O(n K) on the circle, O(n K^2) on S^2 and O(n^2 K) for d > 3; memory is O(n).
    For d <= 3 the power is a sum of squares, hence right down to about 1e-30.

    Args:
        mu: tokens on the sphere, d >= 2. Of tokens in R^d the directions x/|x| are taken.
        degrees: the degrees k >= 0, in any order.

    Returns:
        The powers, shape (len(degrees),).

    Raises:
        InvalidInput: d = 1, or a degree is negative.

    >>> from tokenfield import Measure
    >>> poles = Measure([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    >>> harmonic_spectrum(poles, [0, 1, 2, 3]).round(12).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    if mu.d < 2:
        raise InvalidInput("harmonics are those of the sphere: tokens need a dimension d >= 2")
    orders = [operator.index(k) for k in degrees]
    if any(k < 0 for k in orders):
        raise InvalidInput(f"degrees must be >= 0, got {orders}")
    return _powers_of_degrees(mu.points, mu.weights, tuple(orders))


@functools.partial(jax.jit, static_argnames=("orders",))  # else each operation would be a program
def _powers_of_degrees(x: Array, w: Array, orders: tuple[int, ...]) -> Array:
    largest, d = max(orders, default=0), x.shape[1]
    if d == 2:
        modes = _coefficients(x, w, orders)
        return jnp.real(modes) ** 2 + jnp.imag(modes) ** 2
    if d == 3:
        amplitudes = _sum_over_blocks(x, w, _harmonic_amplitudes, largest, per_token=2 * (largest + 1))
        powers = jnp.sum(amplitudes**2, axis=(1, 2))
    else:
        powers = _by_pairs(x, w, largest)
    return powers[np.array(orders, int)]


def _by_pairs(x: Array, w: Array, largest: int) -> Array:
    """The powers of the degrees 0 ... largest, summed over all pairs in tiles."""
    u = directions(x)
    rows = (blocks(u, ROWS), blocks(w, ROWS, pad_with_zero=True))
    columns = (blocks(u, COLUMNS), blocks(w, COLUMNS, pad_with_zero=True))

    @jax.checkpoint
    def tile(row: tuple[Array, Array]) -> Array:
        def add(total: Array, column: tuple[Array, Array]) -> tuple[Array, None]:
            cosines = jnp.clip(row[0] @ column[0].T, -1.0, 1.0)
            return total + _gegenbauer_sums(cosines, row[1], column[1], x.shape[1], largest), None

        return lax.scan(add, jnp.zeros(largest + 1, u.dtype), columns)[0]

    return jnp.sum(lax.map(tile, rows), axis=0)


def _gegenbauer_sums(cosines: Array, w_rows: Array, w_columns: Array, d: int, largest: int) -> Array:
    """w^T C_k(cosines) w for k = 0 ... largest.

    By the recurrence (k + d - 2) C_{k+1}(t) = (2k + d - 2) t C_k(t) - k C_{k-1}(t), stable on [-1, 1].
    """

    def step(pair: tuple[Array, Array], k: Array) -> tuple[tuple[Array, Array], Array]:
        before, now = pair
        after = ((2 * k + d - 2) * cosines * now - k * before) / (k + d - 2)
        return (now, after), w_rows @ after @ w_columns

    start = (jnp.ones_like(cosines), cosines)
    first = jnp.stack([w_rows @ c @ w_columns for c in start])
    if largest < 2:
        return first[: largest + 1]
    later = lax.scan(step, start, jnp.arange(1, largest, dtype=cosines.dtype))[1]
    return jnp.concatenate([first, later])


def fourier_coefficients(mu: Measure, degrees: Sequence[int]) -> Array:
    """The Fourier coefficients muhat_k = sum_j w_j e^{-ik theta_j} of tokens on the circle.

    All degrees up to the largest |k| are made by multiplication, in O(n max |k|), with an error of 1e-16 |k|.

    Args:
        mu: tokens in R^2, of which the directions are taken.
        degrees: the degrees k, of either sign, in any order.

    Returns:
        Complex numbers, shape (len(degrees),).

    Raises:
        InvalidInput: the tokens are not in R^2.

    >>> from tokenfield import Measure
    >>> fourier_coefficients(Measure([[1.0, 0.0], [-1.0, 0.0]]), [0, 1, 2]).real.tolist()
    [1.0, 0.0, 1.0]
    """
    if mu.d != 2:
        raise InvalidInput(f"Fourier coefficients need tokens on the circle (d = 2), got d = {mu.d}")
    return _coefficients(mu.points, mu.weights, tuple(operator.index(k) for k in degrees))


@functools.partial(jax.jit, static_argnames=("orders",))
def _coefficients(x: Array, w: Array, orders: tuple[int, ...]) -> Array:
    degrees = np.abs(np.array(orders, int))
    sums = _sum_over_blocks(x, w, _powers, int(degrees.max(initial=0)), per_token=1)[degrees]
    return lax.complex(sums[:, 0], -np.sign(np.array(orders, int)) * sums[:, 1])


def _powers(x: Array, w: Array, largest: int) -> Array:
    """Real and imaginary parts of sum_j w_j (x_j1 + i x_j2)^k for k = 0 ... largest, shape (largest + 1, 2)."""

    def step(power: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], Array]:
        re, im = power
        total = jnp.stack([jnp.sum(re), jnp.sum(im)])
        return (re * x[:, 0] - im * x[:, 1], re * x[:, 1] + im * x[:, 0]), total

    return lax.scan(step, (w, jnp.zeros_like(w)), None, length=largest + 1)[1]


def _harmonic_amplitudes(x: Array, w: Array, largest: int) -> Array:
    """sum_j w_j S_lm(x_j) for degrees l and orders m up to `largest`, shape (largest + 1, 2, largest + 1).

    S_lm, real and imaginary part, are the harmonics in Schmidt's normalization: their squares add up to 1 in each
    degree. S_mm = c_m (x_1 + i x_2)^m, then sqrt(l^2 - m^2) S_lm = (2l - 1) x_3 S_{l-1,m} - sqrt((l-1)^2 - m^2)
    S_{l-2,m}: polynomials in the coordinates, so that the poles are points like others.
    """
    m = jnp.arange(largest + 1, dtype=x.dtype)[:, None]

    def step(state: tuple[Array, Array, Array], degree: Array) -> tuple[tuple[Array, Array, Array], Array]:
        sectoral, now, before = state
        re, im = sectoral
        factor = jnp.sqrt(jnp.where(degree > 1, (2 * degree - 1) / (2 * degree), 1.0))
        sectoral = factor * jnp.stack([re * x[:, 0] - im * x[:, 1], re * x[:, 1] + im * x[:, 0]])
        scale = 1 / jnp.sqrt(jnp.where(m < degree, degree**2 - m**2, 1.0))
        up = jnp.where(m < degree, (2 * degree - 1) * scale, 0.0)
        down = jnp.where(m < degree - 1, jnp.sqrt(jnp.maximum((degree - 1) ** 2 - m**2, 0.0)) * scale, 0.0)
        after = up * x[:, 2] * now - down * before + jnp.where(m == degree, 1.0, 0.0) * sectoral[:, None, :]
        return (sectoral, after, now), jnp.sum(after, axis=2)

    sectoral = jnp.stack([w, jnp.zeros_like(w)])  # the weights ride along: everything is linear in them
    first = jnp.where(m == 0, 1.0, 0.0) * sectoral[:, None, :]
    degrees = jnp.arange(1, largest + 1, dtype=x.dtype)
    later = lax.scan(step, (sectoral, first, jnp.zeros_like(first)), degrees)[1]
    return jnp.concatenate([jnp.sum(first, axis=2)[None], later])


# compiled here once per shape: the loops would be compiled in each call from outside of jit
@functools.partial(jax.jit, static_argnames=("partial", "largest", "per_token"))
def _sum_over_blocks(x: Array, w: Array, partial: Callable[..., Array], largest: int, *, per_token: int) -> Array:
    """The sum of partial(x, w, largest) over blocks of tokens with about BLOCK numbers, `per_token` for each token."""
    n, d = x.shape
    count = -(-n * per_token // BLOCK)
    size = -(-n // count)
    missing = count * size - n
    x = directions(x)
    x = jnp.concatenate([x, jnp.repeat(x[-1:], missing, axis=0)]).reshape(count, size, d)
    w = jnp.concatenate([w, jnp.zeros(missing, w.dtype)]).reshape(count, size)
    of_block = jax.checkpoint(lambda block: partial(block[0], block[1], largest))
    start = jnp.zeros_like(jax.eval_shape(of_block, (x[0], w[0])))
    return lax.scan(lambda total, block: (total + of_block(block), None), start, (x, w))[0]
