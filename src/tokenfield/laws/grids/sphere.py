"""Densities on the sphere S^2 by spherical harmonics: `Harmonics`, spectrally accurate while the density is smooth.

Nodes are Gauss-Legendre latitudes times equispaced longitudes, where sums are exact integrals for degrees below twice
the band. A transform is an FFT along the longitudes and one matrix of Legendre functions per order: at these sizes
that is faster than recursions, and exact to rounding. Functions are orthonormal under the uniform probability law.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Sphere
from tokenfield.laws.field import Kernel, velocity_by_convolution, velocity_by_quadrature
from tokenfield.laws.grid import Grid
from tokenfield.laws.grids.circle import TAIL
from tokenfield.measure import is_whole
from tokenfield.model.transformer import Transformer

LARGEST_BAND = 512  # the Legendre functions of 512 degrees take a gigabyte, and twice that while they are made
KERNEL_NODES = 256  # more nodes than degrees in the integrals of a kernel: enough for e^{beta t} up to beta = 1000


class Harmonics(Grid):
    """Spherical harmonics of degrees below `size` on S^2, on `size` latitudes times 2 `size` longitudes.

    Nodes go along each latitude in turn, from south to north. The tables take 8 size^3 bytes.

    Args:
        size: The number of latitudes, a whole number from 4 to 512; there are 2 size^2 nodes.

    Raises:
        InvalidInput: If the size is not.

    >>> Harmonics(16).m
    512
    """

    size: int = eqx.field(static=True)
    nodes: Array  # (m, 3)
    bands: Array  # the quadrature weights of the latitudes (size,), of sum 1
    table: Array  # the Legendre function of order i and degree j at each latitude, (size, size, size)
    cosines: Array  # nodes in [-1, 1] for the integrals of a kernel
    moments: Array  # (size, nodes): the weighted Legendre polynomials there

    def __init__(self, size: int):
        if not is_whole(size) or not 4 <= size <= LARGEST_BAND:
            raise InvalidInput(f"Harmonics(size) needs a whole number from 4 to {LARGEST_BAND}, got {size!r}")
        self.size = int(size)
        z, weights = gauss_legendre(self.size)
        phi = np.pi * np.arange(2 * self.size) / self.size
        rho, height = np.sqrt((1 - z) * (1 + z))[:, None], np.broadcast_to(z[:, None], (self.size, 2 * self.size))
        self.nodes = _rounded(np.stack([rho * np.cos(phi), rho * np.sin(phi), height], axis=-1).reshape(-1, 3))
        self.bands = _rounded(weights)
        self.table = _rounded(legendre_functions(z, orders=self.size, degrees=self.size))
        t, weights = gauss_legendre(self.size + KERNEL_NODES)
        zonal = legendre_functions(t, orders=1, degrees=self.size)[0]
        self.cosines = _rounded(t)
        self.moments = _rounded(zonal * weights / np.sqrt(2 * np.arange(self.size)[:, None] + 1))

    @property
    def geometry(self) -> Sphere:
        return Sphere(3)

    @property
    def weights(self) -> Array:
        return jnp.repeat(self.bands / (2 * self.size), 2 * self.size)

    @property
    def points(self) -> Array:
        return self.nodes

    # --- the transforms ------------------------------------------------------------------------------------------

    @eqx.filter_jit
    def _analyze(self, fields: Array) -> Array:
        """int f conj(Y_km) of fields (m, p), complex (orders, degrees, p); Y_km = P_km(x_3) e^{i m phi}."""
        L, p = self.size, fields.shape[1]
        modes = jnp.fft.rfft(fields.reshape(L, 2 * L, p), axis=1)[:, :L] / (2 * L)
        modes = jnp.swapaxes(modes, 0, 1) * self.bands.astype(fields.dtype)[:, None]
        # both parts as columns of one real product for each order
        found = self._table(fields) @ jnp.concatenate([modes.real, modes.imag], axis=-1)
        return jax.lax.complex(found[..., :p], found[..., p:])

    @eqx.filter_jit
    def _synthesize(self, a: Array) -> Array:
        """The real fields (m, p) with the coefficients `a` (orders, degrees, p)."""
        L, p = self.size, a.shape[2]
        columns = jnp.concatenate([a.real, a.imag], axis=-1)
        modes = jnp.einsum("mkj,mkq->jmq", self._table(columns), columns)
        modes = jax.lax.complex(modes[..., :p], modes[..., p:])
        return jnp.fft.irfft(2 * L * modes, n=2 * L, axis=1).reshape(-1, p)

    def _table(self, like: Array) -> Array:
        return jax.lax.stop_gradient(self.table).astype(like.dtype)

    def _multiply(self, fields: Array, factors: Array) -> Array:
        """The fields (m, p) with the harmonics of degree k multiplied by factors[k]."""
        return self._synthesize(factors.astype(fields.dtype)[:, None] * self._analyze(fields))

    # --- the flow ------------------------------------------------------------------------------------------------

    def velocity(self, model: Transformer, t: Array | float, values: Array, *, convolve: bool) -> Array:
        """The velocity at the nodes in Cartesian coordinates.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).
            convolve: Whether transforms are used instead of quadrature; only right where the kernel sees cosines alone.

        Returns:
            Tangent vectors, shape (m, 3).
        """
        x = self.points.astype(values.dtype)
        if not convolve:
            return velocity_by_quadrature(model, t, x, x, self.weights.astype(values.dtype) * values)
        return velocity_by_convolution(
            model, t, x, x, values, lambda kernel, fields: self._multiply(fields, self.eigenvalues(kernel))
        )

    def eigenvalues(self, kernel: Kernel) -> Array:
        """(1/2) int kernel(t) P_k(t) dt for each degree k.

        Convolution with the kernel multiplies the harmonics of degree k by this number (Funk-Hecke).

        Args:
            kernel: A function of the cosine <x, y>, which JAX can trace.

        Returns:
            The eigenvalues from degree 0 on, shape (size,).
        """
        return self.moments @ kernel(self.cosines)

    def advect(self, values: Array, velocity: Array) -> Array:
        """-div(rho X) at the nodes.

        Its coefficients are the integrals of <rho X, grad Y_km>, so the mass is kept exactly. On tangent vectors the
        gradient of Y_km is that of the polynomial r^k Y_km, whose Cartesian components are harmonics of degree k - 1:
        no component is singular at the poles.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).
            velocity: Tangent vectors X at the nodes, shape (m, 3).

        Returns:
            The rate of change, shape (m,).
        """
        L = self.size
        a = self._analyze(values[:, None] * velocity)
        a = jnp.pad(a[:, :-1], ((0, 0), (1, 0), (0, 0)))  # of degree k - 1
        m, k = np.arange(L)[:, None], np.arange(L)
        rise, fall = np.maximum(k - m, 0), k + m
        s = np.sqrt((2 * k + 1) / np.abs(2 * k - 1))
        factors = (
            s * np.sqrt(rise * fall),
            s * np.sqrt(rise * np.maximum(rise - 1, 0)) / 2,
            s * np.sqrt(fall * np.maximum(fall - 1, 0)) / 2,
        )
        along, up, down = (jnp.asarray(factor, values.dtype) for factor in factors)
        # d/dz keeps the order m, d/dx + i d/dy raises it to m + 1 and d/dx - i d/dy lowers it to m - 1
        raised = -up * jnp.pad((a[..., 0] + 1j * a[..., 1])[1:], ((0, 1), (0, 0)))
        lowered = down[1:] * (a[..., 0] - 1j * a[..., 1])[:-1]
        lowered = jnp.concatenate([raised[:1].conj(), lowered])  # order -1 is the conjugate of order 1
        return self._synthesize((along * a[..., 2] + raised + lowered)[..., None])[:, 0]

    def laplacian(self, values: Array) -> Array:
        k = jnp.arange(self.size)
        return self._multiply(values[:, None], -k * (k + 1))[:, 0]

    def roughness(self, values: Array) -> Array:
        a = self._analyze(values[:, None])
        missed = values - self._synthesize(a)[:, 0]  # what no harmonic of the grid can hold
        missed = self.weights.astype(values.dtype) @ missed**2
        tail = jnp.max(self._power(a[..., 0])[2 * self.size // 3 :])
        return jnp.sqrt(jnp.maximum(tail, missed)) / TAIL

    def smooth(self, values: Array) -> Array:
        is_kept = jnp.arange(self.size) < self.size // 3  # the flow will steepen what is left
        return self._multiply(values[:, None], is_kept)[:, 0]

    def sample(self, values: Array, n: int, key: Array) -> Array:
        pick, height, turn = jax.random.split(key, 3)
        masses = jnp.cumsum(self.weights * jnp.maximum(values, 0.0))
        nodes = jnp.minimum(jnp.searchsorted(masses, jax.random.uniform(pick, (n,)) * masses[-1]), self.m - 1)
        band, column = nodes // (2 * self.size), nodes % (2 * self.size)
        # equal steps in x_3 have equal areas: the cell of a latitude has the height of its quadrature weight
        z = 2 * (jnp.cumsum(self.bands)[band] - self.bands[band] * jax.random.uniform(height, (n,))) - 1
        phi = jnp.pi * (column + jax.random.uniform(turn, (n,)) - 0.5) / self.size
        rho = jnp.sqrt(jnp.maximum((1 - z) * (1 + z), 0.0))
        return jnp.stack([rho * jnp.cos(phi), rho * jnp.sin(phi), z], axis=1)

    # --- harmonics of a density ----------------------------------------------------------------------------------

    def coefficients(self, values: Array) -> Array:
        """The coefficients in the real harmonics, which are orthonormal under the uniform law.

        Row k is the degree; column size - 1 + m belongs to sqrt(2) P_km(x_3) cos(m phi), column size - 1 - m to
        sqrt(2) P_km(x_3) sin(m phi), m > 0, and the column between them to P_k0(x_3). They are zero for m > k. The
        first one is the mass. `from_coefficients` is the inverse.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The coefficients, shape (size, 2 size - 1).
        """
        a = self._analyze(values[:, None])[..., 0].T
        turned = 2**0.5 * a[:, 1:]
        return jnp.concatenate([-turned.imag[:, ::-1], a.real[:, :1], turned.real], axis=1)

    def from_coefficients(self, coefficients: Array) -> Array:
        """The values of the function that has these coefficients; the inverse of `coefficients`.

        Args:
            coefficients: The coefficients, shape (size, 2 size - 1).

        Returns:
            The values at the nodes, shape (m,).

        Raises:
            InvalidInput: If the shape is another.
        """
        L = self.size
        if coefficients.shape != (L, 2 * L - 1):
            raise InvalidInput(f"coefficients must have shape {(L, 2 * L - 1)}, got {coefficients.shape}")
        cosine, sine = coefficients[:, L - 1 :], coefficients[:, L - 1 :: -1]
        is_zonal = np.arange(L) == 0
        a = jnp.where(is_zonal, cosine + 0j, (cosine - 1j * sine) / 2**0.5)
        return self._synthesize(a.T[..., None])[:, 0]

    def power(self, values: Array) -> Array:
        """The power of each degree: the sum of its squared coefficients, int rho_k^2 under the uniform law.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The powers from degree 0 on, shape (size,).
        """
        return self._power(self._analyze(values[:, None])[..., 0])

    def _power(self, a: Array) -> Array:
        squares = a.real**2 + a.imag**2
        return squares[0] + 2 * jnp.sum(squares[1:], axis=0)


def _rounded(array: np.ndarray) -> Array:
    return jnp.asarray(array.astype(np.float64))


def gauss_legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes in (-1, 1), increasing, and the weights, of sum 1, of the Gauss-Legendre rule of `n` nodes.

    By Newton's method in extended precision where the platform has it: rounding of nodes near the poles to double
    precision would cost two digits of every derivative at n = 256, and weights of NumPy and SciPy are off by 1e-11.
    """
    t = -np.cos(np.pi * (np.arange(n, dtype=np.longdouble) + 0.75) / (n + 0.5))
    for _ in range(6):
        before, now = np.ones_like(t), t
        for k in range(2, n + 1):
            before, now = now, ((2 * k - 1) * t * now - (k - 1) * before) / k
        slope = n * (before - t * now) / ((1 - t) * (1 + t))
        t = t - now / slope
    weights = 1 / ((1 - t) * (1 + t) * slope**2)
    return t, weights / weights.sum()


def legendre_functions(t: np.ndarray, *, orders: int, degrees: int) -> np.ndarray:
    """P_km(t) as an array (orders m, degrees k, nodes), zero for k < m, with int P_km^2 dt/2 = 1, in the type of `t`.

    By the recurrence in k, which is stable upwards. High orders underflow near the poles, where they are zero to
    rounding at all degrees of use.
    """
    P = np.zeros((orders, degrees, len(t)), t.dtype)
    P[0, 0] = 1
    sine = np.sqrt((1 - t) * (1 + t))
    for m in range(1, min(orders, degrees)):
        P[m, m] = np.sqrt(t.dtype.type(2 * m + 1) / (2 * m)) * sine * P[m - 1, m - 1]
    for k in range(1, degrees):
        rows = slice(min(k, orders))
        squares = np.arange(rows.stop, dtype=t.dtype)[:, None] ** 2  # of the orders
        P[rows, k] = t * P[rows, k - 1]
        if k > 1:
            P[rows, k] -= np.sqrt(np.maximum((k - 1) ** 2 - squares, 0) / (4 * (k - 1) ** 2 - 1)) * P[rows, k - 2]
        P[rows, k] *= np.sqrt((4 * k**2 - 1) / (k**2 - squares))
    return P
