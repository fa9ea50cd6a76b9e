"""The sums of `fourier` by the nonuniform fast Fourier transform: their cost hardly depends on the number of modes.

For queries of one length only, where the coefficients of the modes are numbers, and on the CPU. The package jax-finufft
does the work; `is_available` says whether it can.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_batching import sequential_vmap

from tokenfield.errors import Unsupported
from tokenfield.sums import fourier
from tokenfield.sums.angles import arctan2, strengths
from tokenfield.sums.fast import Fast

TOLERANCE = 1e-13  # asked of the transforms; 1e-14 is the least that they can do
ROUNDINGS = 500.0  # of the scaled sums: at most 320 were seen, for 1 to 300,000 tokens and |u| from 0.1 to 1000


def is_available() -> bool:
    """Whether the transforms can be had: jax-finufft is installed and the arrays live on the CPU."""
    try:
        import jax_finufft  # noqa: F401
    except ImportError:
        return False
    return jax.default_backend() == "cpu"


def moments(points: Array, weights: Array, modes: int) -> Array:
    """As `fourier.moments`."""
    from jax_finufft import nufft1

    last = modes + 1

    # one after the other, because the package has no rule for batches of points that this JAX understands
    @sequential_vmap
    def transform(masses: Array, angles: Array) -> Array:
        return nufft1(2 * last + 1, masses, angles, iflag=1, eps=TOLERANCE)

    return transform(strengths(points, weights), _angles(points))[last:]


def evaluate(moments: Array, queries: Array, *, reach: float, is_uniform: bool) -> Fast:
    """As `fourier.evaluate`, for queries of one length.

    Raises `Unsupported` if `is_uniform` is false.
    """
    from jax_finufft import nufft2

    @sequential_vmap
    def transform(coefficients: Array, angles: Array) -> Array:
        return nufft2(coefficients, angles, iflag=1, eps=TOLERANCE)

    if not is_uniform:
        raise Unsupported("nonuniform transforms evaluate queries of one length only; use tokenfield.sums.fourier")
    radius, _ = fourier.polar(queries)
    shared = jnp.minimum(radius[0], reach)
    total, cosine, sine = fourier.scaled_coefficients(moments, shared)
    # two real sums are one complex one: a real sum has conjugate coefficients at -k and k
    pairs = jnp.stack([_both_sides(total) + 1j * _both_sides(cosine), _both_sides(sine)])
    first, second = transform(pairs, _angles(queries))
    sums = (first.real, first.imag, second.real)
    lost = fourier.tail(reach, moments.shape[0] - 2) + ROUNDINGS * fourier.EPS
    result = fourier.finished(sums, moments[0].real, radius, shared, reach=reach, lost=lost)
    return Fast(*(a.astype(queries.dtype) for a in result))


def _both_sides(coefficients: Array) -> Array:
    """c_k, k = -K ... K, for which sum_k c_k z^k is Re sum_{k >= 0} of `coefficients` z^k."""
    halves = coefficients[1:] / 2
    return jnp.concatenate([jnp.conj(halves[::-1]), coefficients[:1].real.astype(complex), halves])


def _angles(vectors: Array) -> Array:
    x, y = vectors[:, 0].astype(float), vectors[:, 1].astype(float)
    return arctan2(y, x)
