"""The sums of `harmonics` by nonuniform fast Fourier transforms in both angles: cost hardly grows with the degree.

For queries of one length only, where one function on the sphere is evaluated at all of them, and on the CPU. The
moments are those of `harmonics`, and so is everything between them and the Fourier coefficients of the sums: only the
two passes over the tokens are others. The package jax-finufft does the work; `nufft.is_available` says whether it
can.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax
from jax.custom_batching import sequential_vmap

from tokenfield.errors import Unsupported
from tokenfield.sums import fourier, harmonics
from tokenfield.sums.angles import arctan2, strengths
from tokenfield.sums.fast import Fast

TOLERANCE = 1e-14  # asked of the transforms, the least that they can do: as fast as 1e-13, ten times as exact
AS_THEY_COME = (
    0  # queries need no order: the grid that they are interpolated from is small, and sorting them took longer
)
# a grid four times finer than the modes instead of twice takes 12 instead of 15 of its lines in each direction, for the
# same error: a sixth of a sum is saved, where the grid is small beside the tokens
FINE, COARSE = 4.0, 2.0
BLOCK = 2**19  # tokens of one transform into moments: threads wait for one another at its end, and it bounds memory
RUN = 256  # tokens that are added one by one: equal ones, all rounded the same way, drift by their number
ROUNDINGS = 50.0  # of the scaled sums: at most 19 were seen, for 1 to 130,000 tokens and |u| from 0.1 to 800


def moments(points: Array, weights: Array, modes: int) -> Array:
    """As `harmonics.moments`."""
    from jax_finufft import nufft1
    from jax_finufft.options import Opts

    size = 2 * (modes // 2) + 2
    shape = (2 * size - 1, 2 * size - 1)

    # one after the other, because the package has no rule for batches of points that this JAX understands
    @sequential_vmap
    def transform(masses: Array, along: Array, around: Array) -> Array:
        options = Opts(spread_max_sp_size=RUN, upsampfac=_upsampling(size, masses.shape[0]))
        return nufft1(shape, masses, along, around, iflag=1, eps=TOLERANCE, opts=options)

    def add(sums: Array, block: tuple[Array, Array]) -> tuple[Array, None]:
        points, weights = block
        return sums + transform(strengths(points, weights), *_angles(points))[:, size - 1 :], None

    n = points.shape[0]
    rows = -(-n // max(-(-n // BLOCK), 1))
    blocks = (harmonics._blocks(points, max(rows, 1)), harmonics._blocks(weights, max(rows, 1)))
    sums = lax.scan(add, jnp.zeros((shape[0], size), complex), blocks)[0]
    above, below = sums[size - 1 :], sums[size - 1 :: -1]  # of e^{i k t} and of e^{-i k t}
    cosines, sines = (above + below)[:, ::2] / 2, (above - below)[:, 1::2] / 2j
    return jnp.stack([jnp.concatenate([a.real, a.imag], axis=1) for a in (cosines, sines)])


def evaluate(moments: Array, queries: Array, *, reach: float, is_uniform: bool) -> Fast:
    """As `harmonics.evaluate`, for queries of one length.

    Raises `Unsupported` if `is_uniform` is false.
    """
    from jax_finufft import nufft2
    from jax_finufft.options import Opts

    @sequential_vmap
    def transform(coefficients: Array, along: Array, around: Array) -> Array:
        options = Opts(spread_sort=AS_THEY_COME, upsampfac=_upsampling(size, along.shape[0]))
        return nufft2(coefficients, along, around, iflag=1, eps=TOLERANCE, opts=options)

    if not is_uniform:
        raise Unsupported("nonuniform transforms evaluate queries of one length only; use tokenfield.sums.harmonics")
    size = moments.shape[-1]
    lengths = harmonics._lengths(queries.astype(float))
    shared = jnp.minimum(jnp.max(jnp.where(lengths > 0, lengths, 0.0), initial=0.0), reach)  # NaN is that of one query
    legendre = harmonics._legendre(size)
    fields = harmonics._fields(harmonics._analyze(moments, legendre)) * harmonics._kernel(shared, size)
    coefficients = _on_both_sides(harmonics._synthesize(fields, legendre))
    # two real sums are one complex one: a real sum has conjugate coefficients at (-k, -m) and (k, m)
    pairs = coefficients[::2] + 1j * coefficients[1::2]
    first, second = transform(pairs, *_angles(queries))
    sums = (first.real, first.imag, second.real, second.imag)
    lost = harmonics.tail(reach, size - 1) + ROUNDINGS * fourier.EPS
    result = fourier.finished(sums, moments[0, 0, 0], lengths, shared, reach=reach, lost=lost)
    return Fast(*(a.astype(queries.dtype) for a in result))


def _upsampling(size: int, count: int) -> float:
    """How much finer than the modes the grid of a transform of `count` tokens is: fine if it then has half as many
    nodes as there are tokens, or fewer.
    """
    return FINE if 2 * (FINE * 2 * size) ** 2 <= count else COARSE


def _on_both_sides(matrices: Array) -> Array:
    """c_km (4, 2 N - 1, 2 N - 1), |k| and |m| < N: sum c_km e^{i (k t + m f)} is what the `matrices` stand for.

    Those are (2, 4 N, N): for even m the numbers before cos(k t) cos(m f) and cos(k t) sin(m f), for odd m before
    sin(k t) cos(m f) and sin(k t) sin(m f).
    """
    size = matrices.shape[-1]
    a = matrices.reshape(2, 4, 2, size // 2, size)
    a = lax.complex(a[:, :, 0], -a[:, :, 1])  # Re a e^{i m f}; axes: parity of m, field, m // 2, k
    above = jnp.stack([a[0], a[1] / 1j], axis=2) / 2  # of e^{i k t}, k >= 0; the parity next to m // 2
    below = jnp.stack([a[0], -a[1] / 1j], axis=2) / 2
    above, below = (jnp.swapaxes(c.reshape(4, size, size), 1, 2) for c in (above, below))
    both = jnp.concatenate([below[:, :0:-1], above[:, :1] + below[:, :1], above[:, 1:]], axis=1)
    half = both[:, :, 1:] / 2
    return jnp.concatenate([jnp.conj(half[:, ::-1, ::-1]), both[:, :, :1], half], axis=2)


def _angles(vectors: Array) -> tuple[Array, Array]:
    """The angles from the third axis and around it, (m,) each; both 0 where they have no meaning."""
    x, y, z = vectors.astype(float).T
    flat = jnp.sqrt(x * x + y * y)
    return arctan2(flat, z), jnp.where(flat < harmonics.TINIEST**0.5, 0.0, arctan2(y, x))
