"""Fast sums of e^{<u_i, y_j>} over unit vectors y_j of S^2: harmonics by matrix products, O(n L^2), to rounding.

e^{<u, y>} = sum_l i_l(|u|) sum_m Y_lm(u) conj(Y_lm(y)), with i_l the modified spherical Bessel functions and Y_lm
orthonormal under the uniform law, ends at a degree L ~ 8 sqrt(|u|). A harmonic is a Fourier polynomial of both angles:
Y_lm = P_lm(cos t) e^{i m f}, where P_lm(cos t) is a sum of cos(k t) for even m and of sin(k t) for odd m, k <= l, with
bounded coefficients. So the sum over the tokens is a product of the tables of cos(k t), sin(k t) and of e^{i m f}, and
so is its evaluation: no recursion runs over degrees for each token, and nothing is singular at the poles. Polynomials
of z times powers of x + i y would need no angles, but their coefficients grow like 2^L and cancel.

Arrays over orders have the axes (parity of m, m // 2), of sizes 2 and N / 2 for N = L + 1, which is even.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array, lax

from tokenfield.sums.fast import Fast

TABLE = 2**16  # entries of a table of one block of tokens: all tables of a block stay in cache
FARTHEST = 800.0  # the largest reach: degree 255, above which Legendre functions at the nodes take more than 130 MB
ROUNDING = 64.0  # roundings of the mass in a sum, and one more per degree; 50 measured, when equal weights add up
DRIFT = 4.0  # roundings per unit of |u| in logarithms and means: those of the angles and of |u| itself
EXTRA = 32  # degrees above the last one, from where the ratios of Bessel functions are followed downwards
TINIEST = 1e-290  # squares below it have lost digits


# --- how many modes -------------------------------------------------------------------------------------------------


def modes_for(reach: float, tolerance: float) -> int:
    """The smallest odd degree L with `tail(reach, L)` <= `tolerance`.

    >>> modes_for(9.0, 1e-15)
    31
    """
    tails = _tails(reach)
    return int(np.argmax(tails <= max(tolerance, tails[-1]))) | 1


def tail(reach: float, modes: int) -> float:
    """sum of (2 l + 1) i_l(r) e^{-r} over l >= L = `modes` at r = `reach`.

    It bounds what degrees up to L miss of e^{<u, y>} e^{-|u|} and of its product with y, for all |u| <= `reach`.
    """
    tails = _tails(reach)
    return float(tails[min(modes, len(tails) - 1)])


@lru_cache(maxsize=64)
def _tails(reach: float) -> np.ndarray:
    count = 40 + int(12 * np.sqrt(reach) + min(reach, 40))
    ell = np.arange(count)
    r = max(float(reach), 1e-3)
    terms = (2 * ell + 1) * scipy.special.ive(ell + 0.5, r) * np.sqrt(np.pi / (2 * r))
    return np.cumsum(terms[::-1])[::-1]


# --- moments --------------------------------------------------------------------------------------------------------


def moments(points: Array, weights: Array, modes: int) -> Array:
    """sum_j w_j T_k(y_j) e^{i m f_j}, (2, N, N): parity of m, k, and m // 2 of the real, then of the imaginary parts.

    T_k is cos(k t) for even m and sin(k t) for odd m. `points` (n, 3) are unit vectors, up to a factor that is
    ignored, `weights` (n,). Linear in the weights; float64. `modes` is the degree, an even one is raised by one.
    """
    size = 2 * (modes // 2) + 2
    rows = _rows(points.shape[0], size)
    arrays = jax.tree.map(lambda a: _blocks(a.astype(jnp.float64), rows), (points, weights))

    def add(total: Array, block: tuple[Array, Array]) -> tuple[Array, None]:
        points, weights = block
        along, around = _tables(points, size)
        return total + jnp.stack([t @ (weights * e).T for t, e in zip(along, around, strict=True)]), None

    return lax.scan(add, jnp.zeros((2, size, size)), arrays)[0]


# --- evaluation -----------------------------------------------------------------------------------------------------


def evaluate(moments: Array, queries: Array, *, reach: float, is_uniform: bool) -> Fast:
    """log sum_j w_j e^{<u_i, y_j>} and the mean of y_j under these terms, from the `moments` of the tokens.

    `queries` u_i (m, 3), of length up to `reach`, also 0; `is_uniform`: all of one length. Otherwise each query takes
    the functions of all degrees, times the kernel at its length: see `harmonics_lengths`.
    """
    size, dtype = moments.shape[-1], queries.dtype
    queries = queries.astype(jnp.float64)
    legendre = _legendre(size)
    fields = _fields(_analyze(moments, legendre))
    lengths = _lengths(queries)
    longest = jnp.max(lengths, initial=0.0)
    if is_uniform:
        scaled = _at_directions(fields * _kernel(longest, size), legendre, queries)
    else:
        from tokenfield.sums import harmonics_lengths  # here, because it needs what is below

        scaled = harmonics_lengths.at_queries(fields, queries, reach)
    mass = moments[0, 0, 0]
    total = jnp.maximum(scaled[:, 0], jnp.finfo(jnp.float64).tiny)
    eps = float(jnp.finfo(jnp.float64).eps)
    error = ((ROUNDING + size) * eps + tail(reach, size - 1)) * mass / total + DRIFT * eps * (1 + lengths)
    if is_uniform:  # or they were when somebody said so; what is rounding has been counted
        error = error + 2 * jnp.maximum(longest - lengths - DRIFT * eps * longest, 0.0)
    error = jnp.where(lengths <= reach * (1 + 1e-9), error, jnp.inf)
    log_sum, mean = jnp.log(total) + lengths, scaled[:, 1:] / total[:, None]
    return Fast(log_sum.astype(dtype), mean.astype(dtype), error)


def _at_directions(fields: Array, legendre: Array, vectors: Array) -> Array:
    """The `fields`, f of them with coefficients as from `_fields`, in the directions of `vectors` (m, 3): (m, f)."""
    matrices = _synthesize(fields, legendre)
    size, m = fields.shape[-1], vectors.shape[0]

    def one(vectors: Array) -> Array:
        return _sum(matrices, *_tables(vectors, size)).T

    return lax.map(one, _blocks(vectors, _rows(m, size))).reshape(-1, fields.shape[0])[:m]


def _sum(matrices: Array, along: tuple[Array, Array], around: tuple[Array, Array]) -> Array:
    """The fields at the tokens of these tables, (f, b)."""
    rows = jnp.zeros(())
    for matrix, t, e in zip(matrices, along, around, strict=True):
        # fused into the product, what follows would keep it from the fast path of matrix products
        rows = rows + lax.optimization_barrier(matrix @ t).reshape(-1, *e.shape) * e
    while rows.shape[1] > 1:  # by halves: vectorized over the tokens, which a sum along an axis is not everywhere
        half = rows.shape[1] // 2
        rest = rows[:, 2 * half :]
        rows = jnp.concatenate([rows[:, :half] + rows[:, half : 2 * half], rest], axis=1)
    return rows[:, 0]


# --- from moments to the coefficients of the fields ------------------------------------------------------------------


def _analyze(moments: Array, legendre: Array) -> Array:
    """sum_j w_j Y_lm(y_j), complex (orders m, degrees l), 0 for l < m."""
    size = moments.shape[-1]
    columns = moments.reshape(2, size, 2, size // 2)
    at_nodes = jnp.einsum("pkg,pkcj->pjgc", _constants(size).transforms, columns, precision=lax.Precision.HIGHEST)
    a = jnp.einsum("pjlg,pjgc->cjpl", legendre, at_nodes, precision=lax.Precision.HIGHEST)
    return lax.complex(a[0], a[1]).reshape(size, size)


def _fields(a: Array) -> Array:
    """The coefficients of the measure and of its products with x, y and z, real (4, 2, 2, N / 2, N).

    Axes: field, real or imaginary part, parity of m, m // 2, l. The coefficients of order m > 0 count for -m too.
    """
    size = a.shape[0]
    m, ell = np.arange(size)[:, None], np.arange(size)[None, :]
    is_there = m <= ell
    padded = jnp.pad(a, 1)  # one more order and degree on each side

    def at(order: int, degree: int) -> Array:
        return padded[1 + order : 1 + order + size, 1 + degree : 1 + degree + size]

    def root(p: np.ndarray, q: np.ndarray, c: int) -> np.ndarray:
        """sqrt(p q / (4 (l + c)^2 - 1)), 0 where there is no such harmonic."""
        square = np.where(is_there, np.maximum(p, 0) * np.maximum(q, 0), 0)
        return np.sqrt(square / np.abs(4.0 * (ell + c) ** 2 - 1))

    z = root(ell + 1 - m, ell + 1 + m, 1) * at(0, 1) + root(ell - m, ell + m, 0) * at(0, -1)
    # sums of w sin(t) P_lm e^{i (m + 1) f} and of w sin(t) P_lm e^{i (m - 1) f}
    up = root(ell + m + 1, ell + m + 2, 1) * at(1, 1) - root(ell - m, ell - m - 1, 0) * at(1, -1)
    down = root(ell + m, ell + m - 1, 0) * at(-1, -1) - root(ell - m + 1, ell - m + 2, 1) * at(-1, 1)
    down = jnp.where(m == 0, jnp.conj(up), down)
    fields = jnp.stack([a, (up + down) / 2, (up - down) / 2j, z]) * np.where(m == 0, 1, 2)
    parts = jnp.stack([fields.real, fields.imag], axis=1)
    return parts.reshape(4, 2, size // 2, 2, size).swapaxes(2, 3)


def _synthesize(fields: Array, legendre: Array) -> Array:
    """The matrices (2, f N, N) that take the tables of cos(k t) and sin(k t) to the rows of the tables around."""
    size = fields.shape[-1]
    at_nodes = jnp.einsum("fcpjl,pjlg->pfcjg", fields, legendre, precision=lax.Precision.HIGHEST)
    matrices = jnp.einsum("pfcjg,pkg->pfcjk", at_nodes, _constants(size).transforms, precision=lax.Precision.HIGHEST)
    return matrices.reshape(2, -1, size)


class _Constants(NamedTuple):
    """What makes the functions P_lm at the N nodes of a cosine transform; axes of the orders as everywhere.

    P_lm = slope_l cos(t) P_{l-1,m} - back_l P_{l-2,m}, plus P_mm where l = m.
    """

    slope: np.ndarray  # (N, 2, N / 2, 1), the first axis for the degrees
    back: np.ndarray
    is_first: np.ndarray
    cosines: np.ndarray  # (N,) of the nodes
    seeds: np.ndarray  # P_mm, (2, N / 2, N)
    transforms: np.ndarray  # from nodes to the coefficients of cos(k t), and of sin(k t), (2, N, N)


def _legendre(size: int) -> Array:
    """P_lm at the nodes, (2, N / 2, N, N): parity of m, m // 2, l, node; made anew, N^3 constants would compile long.

    The same recursion for the Fourier coefficients of P_lm would be unstable.
    """
    constants = _constants(size)

    def step(values: tuple[Array, Array], factors: tuple[Array, ...]) -> tuple[tuple[Array, Array], Array]:
        slope, back, is_first = factors
        now = slope * constants.cosines * values[1] - back * values[0] + is_first * constants.seeds
        return (values[1], now), now

    nothing = jnp.zeros(constants.seeds.shape)
    factors = tuple(jnp.asarray(a) for a in (constants.slope, constants.back, constants.is_first))
    found = lax.scan(step, (nothing, nothing), factors)[1]
    return jnp.moveaxis(found, 0, 2)


@lru_cache(maxsize=8)
def _constants(size: int) -> _Constants:
    nodes = 2 * np.arange(size) + 1  # in units of pi / (2 N)
    angles = np.pi * (nodes * np.arange(size)[:, None] % (4 * size)) / (2 * size)
    transforms = np.stack([np.cos(angles), np.sin(angles)]) * 2 / size
    transforms[0, 0] /= 2
    sines = np.sin(np.pi * nodes / (2 * size)).astype(np.longdouble)
    m, ell = np.arange(size), np.arange(size)[:, None]
    growth = np.sqrt((2 * m[1:] + 1) / (2 * m[1:]))[:, None] * sines
    seeds = np.cumprod(np.concatenate([np.ones_like(sines)[None], growth]), axis=0)
    square = np.where(m < ell, ell * ell - m * m, 1)
    slope = np.where(m < ell, np.sqrt((4 * ell * ell - 1) / square, where=ell > 0, out=np.zeros(square.shape)), 0.0)
    back = slope * np.sqrt(np.maximum((ell - 1) ** 2 - m * m, 0) / np.maximum(4 * (ell - 1) ** 2 - 1, 1))

    def by_parity(a: np.ndarray) -> np.ndarray:
        return a.reshape(-1, size // 2, 2).swapaxes(1, 2)[..., None].astype(np.float64)

    seeds = seeds.astype(np.float64).reshape(size // 2, 2, size).swapaxes(0, 1)
    slope, back, is_first = (by_parity(a) for a in (slope, back, np.equal(m, ell)))
    return _Constants(slope, back, is_first, np.cos(np.pi * nodes / (2 * size)), seeds, transforms)


def _kernel(r: Array, size: int) -> Array:
    """i_l(r) e^{-r}, l < size, (size, ...)."""
    first, ratios = _ratios(r, size)
    return first * jnp.concatenate([jnp.ones((1, *jnp.shape(r))), jnp.cumprod(ratios, axis=0)])


def _ratios(r: Array, size: int) -> tuple[Array, Array]:
    """i_0(r) e^{-r} and i_l / i_{l-1} = r / (2 l + 1 + r i_{l+1} / i_l), 0 < l < size, downwards."""
    degrees = np.arange(size - 1 + EXTRA, 0, -1)
    above = degrees[0] + 1.5
    start = r / (above + jnp.sqrt(above**2 + r * r))

    def down(ratio: Array, ell: Array) -> tuple[Array, Array]:
        ratio = r / (2 * ell + 1 + r * ratio)
        return ratio, ratio

    ratios = lax.scan(down, start, jnp.asarray(degrees, jnp.float64))[1][::-1][: size - 1]
    is_small = r < 1e-9
    return jnp.where(is_small, 1 - r, -jnp.expm1(-2 * r) / (2 * jnp.where(is_small, 1, r))), ratios


# --- tables over tokens -----------------------------------------------------------------------------------------------


def _tables(vectors: Array, size: int) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The tables along meridians, cos(k t) and sin(k t), k < N, and around the axis, for even and for odd orders.

    For vectors (b, 3) of any length: (N, b) each. Around the axis the rows are cos(m f), then sin(m f).
    """
    x, y, z = vectors.T
    flat = jnp.sqrt(x * x + y * y)
    r = jnp.sqrt(x * x + y * y + z * z)
    is_zero, is_pole = r < TINIEST**0.5, flat < TINIEST**0.5
    r, safe = jnp.where(is_zero, 1.0, r), jnp.where(is_pole, 1.0, flat)
    polar = jnp.where(is_zero, 1.0, z / r), jnp.where(is_zero, 0.0, flat / r)
    turn = jnp.where(is_pole, 1.0, x / safe), jnp.where(is_pole, 0.0, y / safe)
    even = _powers(_times(turn, turn), size // 2)
    return _powers(polar, size), (jnp.concatenate(even), jnp.concatenate(_times(even, turn)))


def _powers(a: tuple[Array, Array], count: int) -> tuple[Array, Array]:
    """a^0, ..., a^{count - 1} of complex numbers (b,) as real and imaginary parts (count, b).

    As products of two of about sqrt(count) powers, each from at most log2(count) multiplications.
    """
    width = int(np.ceil(np.sqrt(count)))
    low = _first_powers(a, width + 1)
    high = _first_powers(low[width], -(-count // width))
    low_parts, high_parts = (tuple(jnp.stack(p) for p in zip(*s, strict=True)) for s in (low[:width], high))
    products = _times(tuple(p[:, None] for p in high_parts), tuple(p[None] for p in low_parts))
    real, imaginary = (p.reshape(-1, p.shape[-1])[:count] for p in products)
    return real, imaginary


def _first_powers(a: tuple[Array, Array], count: int) -> list[tuple[Array, Array]]:
    powers = [(jnp.ones_like(a[0]), jnp.zeros_like(a[0])), a]
    for j in range(2, count):
        powers.append(_times(powers[j // 2], powers[j - j // 2]))
    return powers[:count]


def _times(a: tuple[Array, ...], b: tuple[Array, ...]) -> tuple[Array, Array]:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _lengths(vectors: Array) -> Array:
    x, y, z = vectors.T  # a sum along the axis is not vectorized and takes eight times as long
    return jnp.sqrt(x * x + y * y + z * z)


def _rows(n: int, size: int) -> int:
    """Tokens in a block: about TABLE / size, the same in all blocks."""
    most = max(TABLE // size, 1)
    return max(-(-n // max(-(-n // most), 1)), 1)


def _blocks(a: Array, rows: int) -> Array:
    """The rows of `a` in blocks of `rows`, the last one filled up with zeros: no weight, no length."""
    short = -a.shape[0] % rows
    return jnp.pad(a, ((0, short),) + ((0, 0),) * (a.ndim - 1)).reshape(-1, rows, *a.shape[1:])
