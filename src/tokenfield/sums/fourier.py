"""Sums of e^{<u_i, y_j>} over points y_j of the circle by Fourier modes: O(m + n) and no pairs.

With u = r e^{i phi} and y = e^{i theta}, e^{<u, y>} = sum_k I_k(r) e^{i k (theta - phi)}, where I_k is the modified
Bessel function. So the tokens enter through their moments C_k = sum_j w_j e^{i k theta_j} alone, and the sums over j
of w_j e^{<u, y_j>} times 1, cos theta_j and sin theta_j are trigonometric polynomials of phi. Everything is scaled by
e^{-r}, in float64, whatever the precision of the points. The absolute error of the scaled sums is a few roundings, so
the relative one grows as they get small: `Fast.error` says how large it is for each query.

Powers of z = x + i y come by multiplication. The mode k = s b + a, |a| <= h, s = 2 h + 1, is a product of one of the
powers z^a and one of z^(s b): some 2 sqrt(k) powers per token, and the rest is products with real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array, lax

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.sums.fast import Fast

EPS = 2.0**-52
FARTHEST = 1e6  # the largest reach: some 8000 modes
# The errors that were seen, for 1 to 300,000 tokens in clusters and spread out, weights over 12 orders of magnitude and
# |u| from 0.1 to 1000, stay below 0.6 of what these numbers allow.
ROUNDINGS = 8.0  # of the scaled sums, at reach 0: most from adding up the weights
ROUNDINGS_ROOT = 1.0  # what sqrt(reach) adds: modes up to about sqrt(reach) count, and mode k has k roundings of phi
ROUNDINGS_RADIUS = 2.0  # times |u|: those of <u, y> itself, which no way of summing escapes

# Shapes measured on two CPU cores; other devices want few large steps. Loops within loops, because XLA would otherwise
# write the formula of a direction into that of every power of it and compute it as often.
BLOCK = {"cpu": 2**16}  # tokens or queries: all that is kept of them at a time
PART = {"cpu": 2**13}  # their powers stay in cache
DEVICE_BLOCK = 2**21
RUN = 64  # tokens that are added one by one
MANY_MODES = 64  # from here on moments take longer strides
HALF_STRIDE = 4
LONG_HALF_STRIDE = 8
COARSE = 12  # multiples of the stride written out at a time, 104 modes: a loop over more of them is slower per mode
GROUP = 8  # modes written out at a time where |u| varies

Pair = tuple[Array, Array]  # real and imaginary part: complex arrays of JAX do not vectorize


def modes_for(reach: float, tolerance: float) -> int:
    """The least K >= 1 for which the modes |k| > K of e^{<u, y> - |u|} are at most `tolerance` in all, |u| <= `reach`.

    They are sum_{|k| > K} I_k(r) e^{-r} <= `tail(reach, K)`: the probability that the difference of two Poisson
    variables of mean r/2 exceeds K, which grows with r.

    >>> [modes_for(beta, 1e-13) for beta in (0.1, 1.0, 9.0, 100.0, 1000.0)]
    [7, 12, 26, 76, 236]
    """
    if not 0 < tolerance < 1:
        raise InvalidInput(f"the tolerance of a sum must lie between 0 and 1, got {tolerance}")
    if not 0 <= reach <= FARTHEST:
        raise Unsupported(f"Fourier sums reach |u| up to {FARTHEST:g}, got {reach:g}: sum directly")
    is_too_large = _tails(reach) > tolerance
    return max(1, int(np.count_nonzero(is_too_large)))


def tail(reach: float, modes: int) -> float:
    """What the modes beyond `modes` of e^{<u, y> - |u|} amount to at most, |u| <= `reach`."""
    tails = _tails(reach)
    return float(tails[modes]) if modes < tails.size else 0.0


def lost(reach: float, modes: int) -> float:
    """The error of a sum over `modes` modes of e^{<u, y> - |u|}, |u| <= `reach`, relative to the mass of the tokens."""
    return tail(reach, modes) + (ROUNDINGS + ROUNDINGS_ROOT * reach**0.5) * EPS


def _tails(reach: float) -> np.ndarray:
    """sum_{|k| > K} I_k(reach) e^{-reach}, K = 0, 1, ... until it underflows."""
    most = int(400 + 2 * reach ** (1 / 3) + 40 * np.sqrt(reach))  # Gaussian of variance r far below 1e-300, or k! is
    terms = 2 * scipy.special.ive(np.arange(1, most + 1), reach)
    return np.append(np.cumsum(terms[::-1])[::-1], 0.0)


def moments(points: Array, weights: Array, modes: int) -> Array:
    """C_k = sum_j w_j e^{i k theta_j}, k = 0 ... `modes` + 1: complex, (modes + 2,).

    `points` (n, 2) have the angles theta_j, `weights` is (n,). Only the directions of the points enter. Linear in the
    weights: the moments of shards add up.
    """
    half = HALF_STRIDE if modes < MANY_MODES else LONG_HALF_STRIDE
    coarse = _coarse(modes + 1, half)

    def add_block(carry: Pair, block: tuple[Array, ...]) -> tuple[Pair, None]:
        _, (x, y) = polar(block[0])
        return lax.scan(add_part, carry, _blocks((x, y, block[1].astype(float)), PART, multiple=RUN))[0], None

    def add_part(carry: Pair, part: tuple[Array, ...]) -> tuple[Pair, None]:
        x, y, w = (a.reshape(-1, RUN) for a in part)
        fine_powers, coarse_powers = _powers((x, y), half, coarse)
        # as one array each: the products of all powers, summed over the tokens, are matrix products
        fine_rows = jnp.stack([w * row for row in _rows(fine_powers)], axis=1)
        coarse_rows = jnp.stack(_rows(coarse_powers), axis=1)
        runs = lax.dot_general(fine_rows, coarse_rows, (((2,), (2,)), ((0,), (0,))))
        return _sum_exactly(carry, _sum_pairwise(runs)), None

    zero = jnp.zeros((2 * half + 1, 2 * coarse - 1))
    total, lost = lax.scan(add_block, (zero, zero), _blocks((points, weights), BLOCK))[0]
    return _from_products(total + lost, half)[: modes + 2]


def evaluate(moments: Array, queries: Array, *, reach: float, is_uniform: bool) -> Fast:
    """log sum_j w_j e^{<u_i, y_j>}, the mean of y_j under these weights, and their error, for `queries` u (m, 2).

    `moments` (K + 2,) as from the function of that name. `is_uniform` says that all |u_i| are equal: a deviation is
    added to the error. The error is infinite where |u_i| > `reach` or where nothing is left of the sum but rounding.
    """
    missed = lost(reach, moments.shape[0] - 2)
    shared = jnp.minimum(polar(queries[:1])[0][0], reach) if is_uniform else None
    table = _coefficients(moments) if shared is None else scaled_coefficients(moments, shared)

    def one_block(block: tuple[Array, ...]) -> Fast:
        radius, z = polar(block[0])
        # queries out of reach get a number, not NaN; their error says that it is none of theirs
        clipped = jnp.minimum(radius, reach)
        parts = _blocks((clipped, *z), PART)
        if is_uniform:
            sums = lax.map(lambda part: _polynomials(table, part[1:]), parts)
        else:
            sums = lax.map(lambda part: _bessel_polynomials(table, part[0], part[1:]), parts)
        sums = tuple(a.reshape(-1)[: radius.size] for a in sums)
        return finished(sums, moments[0].real, radius, shared, reach=reach, lost=missed)

    m = queries.shape[0]
    results = lax.map(one_block, _blocks((queries,), BLOCK))
    return jax.tree.map(lambda a: a.reshape(-1, *a.shape[2:])[:m].astype(queries.dtype), results)


def polar(vectors: Array) -> tuple[Array, Pair]:
    """The lengths (m,) of `vectors` (m, 2) and their directions (x, y) in float64; (1, 0) where the length is 0."""
    x, y = vectors[:, 0].astype(float), vectors[:, 1].astype(float)
    radius = jnp.sqrt(x * x + y * y)
    is_zero = radius == 0
    scale = 1 / jnp.where(is_zero, 1.0, radius)
    return radius, (jnp.where(is_zero, 1.0, x * scale), y * scale)


def scaled_coefficients(moments: Array, radius: Array) -> Array:
    """c_k (3, K + 1): the sums over j of w_j e^{<u, y_j> - r} times 1, cos and sin are Re sum_k c_k e^{i k phi}.

    For a scalar `radius` r = |u|.
    """
    coefficients = _coefficients(moments)
    return coefficients * bessel(radius, coefficients.shape[1])


def bessel(radius: Array, count: int) -> Array:
    """I_k(r) e^{-r}, k = 0 ... `count` - 1, of a scalar `radius`; the sum over all k, also negative, is 1 exactly."""

    def ratio(above: Array, k: Array) -> tuple[Array, Array]:
        here = radius / (2 * k + radius * above)
        return here, here

    k = jnp.arange(1.0, count)
    _, ratios = lax.scan(ratio, _first_ratio(radius, count), k, reverse=True, unroll=8)
    relative = jnp.concatenate([jnp.ones(1), jnp.cumprod(ratios)])
    return relative / (2 * jnp.sum(relative) - 1)


def finished(
    sums: Sequence[Array], total_weight: Array, radius: Array, shared: Array | None, *, reach: float, lost: float
) -> Fast:
    """The result from the sums over j of w_j e^{<u_i, y_j> - r} times 1, cos theta_j and sin theta_j, each (m,).

    Their absolute error is at most `lost` times the `total_weight`. r is |u_i|, `radius`, or `shared`.
    """
    is_empty = ~(total_weight > 0)
    total, *first = (part / jnp.where(is_empty, 1.0, total_weight) for part in sums)
    # a floor keeps the mean below 2 where the sum is rounding only
    safe = jnp.maximum(total, lost)
    error = jnp.where(total > 2 * lost, 2 * lost / (safe - 0.99 * lost), jnp.inf) + ROUNDINGS_RADIUS * EPS * radius
    if shared is not None:
        error = error + jnp.abs(radius - shared)
    # reach and |u| come from the same numbers along different ways: equal but for rounding
    error = jnp.where((radius <= reach * (1 + 1e-9)) & ~is_empty, error, jnp.inf)
    log_sum = (radius if shared is None else shared) + jnp.log(safe) + jnp.log(total_weight)
    return Fast(log_sum, jnp.stack([part / safe for part in first], axis=1), error)


def _coefficients(moments: Array) -> Array:
    """c_k (3, K + 1): the sums over j of w_j e^{<u, y_j>} times 1, cos and sin are Re sum_k c_k I_k(r) e^{i k phi}.

    The sums of w_j cos theta_j and w_j sin theta_j are those of other weights: their moments are combinations of
    C_{k - 1} and C_{k + 1}.
    """
    c = jnp.conj(moments)
    here, above, below = c[:-1], c[1:], jnp.concatenate([jnp.conj(c[1:2]), c[:-2]])
    twice = jnp.where(jnp.arange(here.size) == 0, 1.0, 2.0)
    return twice * jnp.stack([here, (above + below) / 2, (below - above) / 2j])


def _polynomials(coefficients: Array, z: Pair) -> tuple[Array, ...]:
    """Re sum_k c_k z^k for each row c (K + 1,) of the complex `coefficients`; further axes of them go along with z."""
    rows = coefficients.shape[0]
    half, count = HALF_STRIDE, _coarse(coefficients.shape[1] - 1, HALF_STRIDE)
    groups = -(-count // COARSE)
    size = -(-count // groups)
    # a table first: fused into the sums, it would be computed for every query
    table = lax.optimization_barrier(_by_stride(coefficients, half, size * groups))
    if groups == 1:
        return _group(table, z, None)
    real, imaginary = (jnp.moveaxis(a.reshape(rows, groups, size, *a.shape[2:]), 1, 0) for a in table)
    _, coarse = _powers(z, half, size + 1)
    step = coarse[-1]

    def add_group(carry: tuple[Pair, tuple[Array, ...]], group: Pair) -> tuple[tuple[Pair, tuple[Array, ...]], None]:
        start, sums = carry
        new = _group(group, z, start)
        return (_times(start, step), tuple(a + b for a, b in zip(sums, new, strict=True))), None

    zero = jnp.zeros_like(z[0])
    start = (zero + 1, zero)
    return lax.scan(add_group, (start, (zero,) * rows), (real, imaginary))[0][1]


def _group(table: Pair, z: Pair, start: Pair | None) -> tuple[Array, ...]:
    """Re sum_b start z^(s b) g_b for each g of `table` (rows, b, 2 h + 1), as from `_by_stride`.

    Written out: one loop over the queries with everything else in registers.
    """
    _, count, width = table[0].shape[:3]
    fine, coarse = _powers(z, width // 2, count)
    fine_rows = _rows(fine)
    if start is not None:
        coarse = [start] + [_times(start, power) for power in coarse[1:]]
    sums = []
    for real, imaginary in zip(*table, strict=True):
        total = _combined(real[0], fine_rows)
        if start is not None:
            total = total * start[0] - _combined(imaginary[0], fine_rows) * start[1]
        for b, (cosine, sine) in enumerate(coarse[1:], 1):
            total = total + cosine * _combined(real[b], fine_rows) - sine * _combined(imaginary[b], fine_rows)
        sums.append(total)
    return tuple(sums)


def _combined(numbers: Array, rows: list[Array]) -> Array:
    total = numbers[0] * rows[0]
    for number, row in zip(numbers[1:], rows[1:], strict=True):
        total = total + number * row
    return total


def _bessel_polynomials(coefficients: Array, radius: Array, z: Pair) -> tuple[Array, ...]:
    """Re sum_k c_k I_k(r) e^{-r} z^k for each row c of the complex `coefficients`, with r of each query.

    I_k(r) = (r/2)^k / k! lambda_k with lambda_{k-1} = lambda_k + (r/2)^2 lambda_{k+1} / (k (k + 1)), downwards from
    large k: positive terms, no division, right at r = 0. The powers nest by Horner's rule, and the same sum with
    z = c = 1 (c = 2 for k > 0) is e^r. All of it is known up to one factor, which is set to 1 between groups of modes.
    """
    rows, count, *rest = coefficients.shape
    groups = -(-count // GROUP)
    size = -(-count // groups)
    short = ((0, 0), (0, size * groups - count)) + ((0, 0),) * len(rest)
    k = np.arange(size * groups, dtype=float)
    # numbers by which lambda_{k+2} and z are multiplied, and whether a mode stands for k and -k: no division per query
    numbers = np.stack([1 / ((k + 1) * (k + 2)), 1 / (k + 1), 1.0 + (k > 0)])
    arrays = *(jnp.pad(part, short) for part in (coefficients.real, coefficients.imag)), jnp.asarray(numbers)
    by_group = tuple(jnp.moveaxis(a.reshape(-1, groups, size, *a.shape[2:]), 1, 0) for a in arrays)
    square, half = radius * radius / 4, radius / 2
    v = half * z[0], half * z[1]

    def add_group(carry: tuple, group: tuple[Array, ...]) -> tuple[tuple, None]:
        real, imaginary, (next_factors, steps, counts) = group
        scale = 1 / carry[0]
        last, above, norm, sums = jax.tree.map(lambda a: a * scale, carry)
        for i in reversed(range(size)):
            here = last + square * next_factors[i] * above
            turn = v[0] * steps[i], v[1] * steps[i]
            norm = here * counts[i] + half * steps[i] * norm
            cs = zip(real[:, i], imaginary[:, i], strict=True)
            sums = tuple(_horner(c, here, turn, so_far) for c, so_far in zip(cs, sums, strict=True))
            last, above = here, last
        return (last, above, norm, sums), None

    zero = jnp.zeros_like(radius)
    start = (zero + 1, _first_lambda_ratio(radius, k.size + 1), zero, ((zero, zero),) * rows)
    (_, _, norm, sums), _ = lax.scan(add_group, start, by_group, reverse=True)
    return tuple(real / norm for real, _ in sums)


def _horner(c: Pair, factor: Array, turn: Pair, so_far: Pair) -> Pair:
    real, imaginary = _times(so_far, turn)
    return real + c[0] * factor, imaginary + c[1] * factor


def _first_ratio(radius: Array, k: int) -> Array:
    """About I_k(r) / I_{k-1}(r), for large k: Amos' bound (Math. Comp. 28, 1974, 239)."""
    return radius / (k - 0.5 + jnp.sqrt((k + 0.5) ** 2 + radius * radius))


def _first_lambda_ratio(radius: Array, k: int) -> Array:
    """The same for lambda_k = k! (2/r)^k I_k(r)."""
    return 2 * k / (k - 0.5 + jnp.sqrt((k + 0.5) ** 2 + radius * radius))


def _coarse(last: int, half: int) -> int:
    """How many multiples s b, b >= 0, of the stride it takes to reach all modes up to `last`."""
    return (last + half) // (2 * half + 1) + 1


def _powers(z: Pair, half: int, coarse: int) -> tuple[list[Pair], list[Pair]]:
    """z^a, a = 0 ... half, and z^(s b), b = 0 ... coarse - 1."""
    fine = _first_powers(z, half + 1)
    stride = _times(_times(fine[half], fine[half]), z)
    return fine, _first_powers(stride, coarse)


def _first_powers(z: Pair, count: int) -> list[Pair]:
    """z^0 ... z^(count - 1), each from two of half its exponent: rounding grows with the exponent, not faster."""
    powers = [(jnp.ones_like(z[0]), jnp.zeros_like(z[0])), z]
    for k in range(2, count):
        powers.append(_times(powers[k // 2], powers[k - k // 2]))
    return powers[:count]


def _times(a: Pair, b: Pair) -> Pair:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _rows(powers: list[Pair]) -> list[Array]:
    """The real parts of all powers, then the imaginary parts of all but the first, which is 1."""
    return [real for real, _ in powers] + [imaginary for _, imaginary in powers[1:]]


def _sum_pairwise(runs: Array) -> Array:
    """The sum over the first axis by halves: many equal terms, added one by one, would all be rounded the same way."""
    while runs.shape[0] > 1:
        runs = jnp.pad(runs, ((0, runs.shape[0] % 2), (0, 0), (0, 0)))
        first, second = jnp.split(runs, 2)
        runs = first + second
    return runs[0]


def _sum_exactly(so_far: Pair, term: Array) -> Pair:
    """A sum and what rounding took from it, plus one more term (Knuth)."""
    total, lost = so_far
    new = total + term
    seen = new - total
    return new, lost + ((total - (new - seen)) + (term - seen))


def _from_products(products: Array, half: int) -> Array:
    """Moments from sums of w (cos or sin a theta) (cos or sin s b theta), `products` (..., 2 h + 1, 2 b - 1)."""
    coarse = (products.shape[-1] + 1) // 2
    zeros = ((0, 0),) * (products.ndim - 2)
    # with the sines of 0 theta in front of the others
    cosines, sines = products[..., : half + 1, :], jnp.pad(products[..., half + 1 :, :], (*zeros, (1, 0), (0, 0)))
    cos_cos, sin_cos = (rows[..., :coarse] for rows in (cosines, sines))
    cos_sin, sin_sin = (jnp.pad(rows[..., coarse:], (*zeros, (0, 0), (1, 0))) for rows in (cosines, sines))

    def in_order(minus: Array, plus: Array) -> Array:
        """Modes s b - a and s b + a by their numbers."""
        by_stride = jnp.concatenate([minus[..., :0:-1, :], plus], axis=-2).swapaxes(-1, -2)
        return by_stride.reshape(*products.shape[:-2], -1)[..., half:]

    real = in_order(cos_cos + sin_sin, cos_cos - sin_sin)
    return lax.complex(real, in_order(cos_sin - sin_cos, cos_sin + sin_cos))


def _by_stride(coefficients: Array, half: int, coarse: int) -> Pair:
    """g (rows, b, 2 h + 1, ...) with sum_k c_k z^k = sum_b z^(s b) <g_b, (1, cos ... cos h phi, sin ... sin h phi)>."""
    rows, count, *rest = coefficients.shape
    stride = 2 * half + 1

    def parts(a: Array) -> tuple[Array, Array, Array]:
        padded = jnp.pad(a, ((0, 0), (half, stride * coarse - half - count)) + ((0, 0),) * len(rest))
        a = padded.reshape(rows, coarse, stride, *rest)
        return a[:, :, half - 1 :: -1], a[:, :, half : half + 1], a[:, :, half + 1 :]

    (minus, middle, plus), (minus_i, middle_i, plus_i) = (parts(a) for a in (coefficients.real, coefficients.imag))
    real = jnp.concatenate([middle, plus + minus, minus_i - plus_i], axis=2)
    return real, jnp.concatenate([middle_i, plus_i + minus_i, plus - minus], axis=2)


def _blocks(arrays: tuple[Array, ...], sizes: dict[str, int], multiple: int = 1) -> tuple[Array, ...]:
    """Each array (n, ...) as (blocks, size, ...), zeros at the end: the fewest equal blocks good for the device."""
    n = arrays[0].shape[0]
    count = -(-n // sizes.get(jax.default_backend(), DEVICE_BLOCK))
    size = -(-n // (count * multiple)) * multiple

    def blocked(array: Array) -> Array:
        padded = jnp.pad(array, ((0, count * size - n),) + ((0, 0),) * (array.ndim - 1))
        return padded.reshape(count, size, *array.shape[1:])

    return tuple(blocked(a) for a in arrays)
