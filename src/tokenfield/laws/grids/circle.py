"""Densities on the circle: `Fourier` for smooth ones, spectrally accurate, and `Cells` for those that concentrate.

`Fourier` holds values at m equispaced nodes and differentiates by FFT. `Cells` holds averages over m cells and moves
mass across their faces by a limited upwind flux (MUSCL, van Leer's limiter): second order where the density is smooth,
and never negative under the step that `largest_step` allows. Both keep the mass to rounding.
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array

from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput
from tokenfield.geometry import Sphere, on_circle
from tokenfield.laws.field import Kernel, velocity_by_convolution, velocity_by_quadrature
from tokenfield.laws.grid import Grid
from tokenfield.measure import is_concrete, is_whole
from tokenfield.model.transformer import Transformer

TAIL = 1e-4  # Fourier coefficients of this size beyond two thirds of the band: the next ones are missed
PEAKED = 0.3  # a cell that exceeds the mean of its neighbors by this much of the maximum: a peak of about two cells
ALIASED = 0.02  # of the kernel's mean in its coefficient of degree m/2: the velocity is then off by 1e-6, soon by all
COURANT = 0.8  # of the step at which a cell could lose all its mass


def _check_count(m: int) -> int:
    if not is_whole(m) or m < 8:
        raise InvalidInput(f"a grid on the circle needs a whole number of nodes >= 8, got {m!r}")
    require_numbers(4 * int(m), f"densities of {int(m)} nodes", advice="take fewer nodes")
    return int(m)


def _check_kernel(m: int, model: Transformer) -> None:
    """Raises `InvalidInput` if m nodes are too few for e^{beta <Qx, Ky>}, however smooth the density is."""
    for head in model.heads(0.0):
        sharpness = head.attention.sharpness
        matrices = [matrix for matrix in (head.Q, head.K) if matrix is not None]
        if sharpness is None or not all(is_concrete(array) for array in (sharpness, *matrices)):
            continue
        factors = [float(np.linalg.norm(np.asarray(matrix), 2)) for matrix in matrices]
        beta = float(np.abs(np.asarray(sharpness)) * np.prod(factors))
        if scipy.special.ive(m // 2, beta) > ALIASED * scipy.special.ive(0, beta):
            enough = int(np.ceil(2 * np.sqrt(-2 * beta * np.log(ALIASED)))) + 4
            raise InvalidInput(
                f"{m} nodes on the circle do not resolve the kernel at beta = {beta:g}: take {enough} or more"
            )


def _points(m: int, shift: float = 0.0) -> Array:
    theta = 2 * jnp.pi * (jnp.arange(m) + shift) / m
    return on_circle(theta)


def _angular(points: Array, velocity: Array) -> Array:
    """The angular velocity of tangent vectors (q, 2)."""
    return points[:, 0] * velocity[:, 1] - points[:, 1] * velocity[:, 0]


def _convolve(m: int, shift: float, kernel: Kernel, fields: Array) -> Array:
    """int kernel(cos(theta - theta_j)) fields at nodes shifted by `shift` cells: the trapezoidal rule, by FFT."""
    offsets = 2 * jnp.pi * (jnp.arange(m) + shift) / m
    spectrum = jnp.fft.rfft(kernel(jnp.cos(offsets)).astype(fields.dtype))
    return jnp.fft.irfft(spectrum[:, None] * jnp.fft.rfft(fields, axis=0), n=m, axis=0) / m


def _velocity(model: Transformer, t: Array | float, values: Array, *, shift: float, convolve: bool) -> Array:
    """The angular velocity (m,) that the values at the nodes make at the nodes shifted by `shift` cells."""
    m = values.shape[0]
    nodes = _points(m).astype(values.dtype)
    at = nodes if shift == 0 else _points(m, shift).astype(values.dtype)
    if convolve:
        found = velocity_by_convolution(model, t, at, nodes, values, lambda k, f: _convolve(m, shift, k, f))
    else:
        found = velocity_by_quadrature(model, t, at, nodes, values / m)
    return _angular(at, found)


def _sample(values: Array, n: int, key: Array) -> Array:
    """Points of the density that is constant on each cell around a node, by inverting its distribution function."""
    pick, place = jax.random.split(key)
    m = values.shape[0]
    totals = jnp.cumsum(jnp.maximum(values, 0.0))
    cells = jnp.searchsorted(totals, jax.random.uniform(pick, (n,)) * totals[-1])
    theta = 2 * jnp.pi * (jnp.minimum(cells, m - 1) + jax.random.uniform(place, (n,)) - 0.5) / m
    return on_circle(theta)


def _power(values: Array) -> Array:
    m = values.shape[0]
    spectrum = jnp.abs(jnp.fft.rfft(values) / m) ** 2
    k = jnp.arange(len(spectrum))
    return spectrum * jnp.where((k == 0) | (2 * k == m), 1.0, 2.0)


def _eigenvalues(m: int, kernel: Kernel) -> Array:
    return jnp.real(jnp.fft.rfft(kernel(jnp.cos(2 * jnp.pi * jnp.arange(m) / m)))) / m


class Fourier(Grid):
    """Equispaced nodes on the circle, theta_j = 2 pi j / m; derivatives are exact below degree m/2.

    Errors fall faster than any power of m while the density is smooth; a flow ends where it no longer is.

    Args:
        size: The number m of nodes, a whole number from 8 on.

    Raises:
        InvalidInput: If the size is not.

    >>> Fourier(512).m
    512
    """

    size: int = eqx.field(static=True, converter=_check_count)

    @property
    def geometry(self) -> Sphere:
        return Sphere(2)

    @property
    def weights(self) -> Array:
        return jnp.full(self.size, 1.0 / self.size)

    @property
    def points(self) -> Array:
        return _points(self.size)

    def check(self, model: Transformer) -> None:
        """Does nothing if densities on this grid can follow `model`.

        Args:
            model: What would move the density.

        Raises:
            Unsupported: If they cannot; the message says why.
            InvalidInput: If the nodes are too few for the kernel.
        """
        super().check(model)
        _check_kernel(self.size, model)

    def velocity(self, model: Transformer, t: Array | float, values: Array, *, convolve: bool) -> Array:
        """The angular velocity at the nodes.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).
            convolve: Whether transforms are used instead of quadrature; only right where the kernel sees cosines alone.

        Returns:
            The angular velocity in radians per unit of time, shape (m,).
        """
        return _velocity(model, t, values, shift=0.0, convolve=convolve)

    def advect(self, values: Array, velocity: Array) -> Array:
        k = jnp.arange(self.size // 2 + 1)
        # the highest degree of an even number of nodes has no derivative on the nodes
        k = jnp.where(2 * k == self.size, 0, k)
        return -jnp.fft.irfft(1j * k * jnp.fft.rfft(values * velocity), n=self.size)

    def laplacian(self, values: Array) -> Array:
        k = jnp.arange(self.size // 2 + 1)
        return -jnp.fft.irfft(k * k * jnp.fft.rfft(values), n=self.size)

    def roughness(self, values: Array) -> Array:
        coefficients = jnp.abs(jnp.fft.rfft(values)) / self.size
        return jnp.max(coefficients[self.size // 3 :]) / TAIL

    def smooth(self, values: Array) -> Array:
        coefficients = jnp.fft.rfft(values)
        is_kept = jnp.arange(len(coefficients)) < self.size // 6  # the flow will steepen what is left
        return jnp.fft.irfft(jnp.where(is_kept, coefficients, 0.0), n=self.size)

    def power(self, values: Array) -> Array:
        return _power(values)

    def eigenvalues(self, kernel: Kernel) -> Array:
        return _eigenvalues(self.size, kernel)

    def sample(self, values: Array, n: int, key: Array) -> Array:
        return _sample(values, n, key)


class Cells(Grid):
    """Equal cells of the circle with centers 2 pi j / m; conservative, nonnegative, of order two.

    Once a peak is narrower than about two cells its shape is lost but its mass and place remain: the flow goes on.

    Args:
        size: The number m of cells, a whole number from 8 on.

    Raises:
        InvalidInput: If the size is not.

    >>> from tokenfield.laws import Density
    >>> float(Density.uniform(Cells(128)).values.min())
    1.0
    """

    is_positive: ClassVar[bool] = True
    goes_on: ClassVar[bool] = True

    size: int = eqx.field(static=True, converter=_check_count)

    @property
    def geometry(self) -> Sphere:
        return Sphere(2)

    @property
    def weights(self) -> Array:
        return jnp.full(self.size, 1.0 / self.size)

    @property
    def points(self) -> Array:
        return _points(self.size)

    @property
    def width(self) -> float:
        """The width of a cell, an angle."""
        return float(2 * jnp.pi / self.size)

    def check(self, model: Transformer) -> None:
        """Does nothing if densities on this grid can follow `model`.

        Args:
            model: What would move the density.

        Raises:
            Unsupported: If they cannot; the message says why.
            InvalidInput: If the cells are too few for the kernel.
        """
        super().check(model)
        _check_kernel(self.size, model)

    def velocity(self, model: Transformer, t: Array | float, values: Array, *, convolve: bool) -> Array:
        """The angular velocity at the faces theta_{j+1/2}.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).
            convolve: Whether transforms are used instead of quadrature; only right where the kernel sees cosines alone.

        Returns:
            The angular velocity in radians per unit of time, shape (m,).
        """
        return _velocity(model, t, values, shift=0.5, convolve=convolve)

    def advect(self, values: Array, velocity: Array) -> Array:
        after, before = jnp.roll(values, -1) - values, values - jnp.roll(values, 1)
        product = after * before
        # van Leer's slope: the harmonic mean of both differences, zero at extrema; edges stay between neighbors
        both = jnp.where(product > 0, after + before, 1.0)
        slope = jnp.where(product > 0, 2 * product / both, 0.0)
        left, right = values + slope / 2, jnp.roll(values - slope / 2, -1)
        flux = jnp.where(velocity > 0, left, right) * velocity
        return -(flux - jnp.roll(flux, 1)) / self.width

    def laplacian(self, values: Array) -> Array:
        return (jnp.roll(values, -1) - 2 * values + jnp.roll(values, 1)) / self.width**2

    def roughness(self, values: Array) -> Array:
        above = values - (jnp.roll(values, -1) + jnp.roll(values, 1)) / 2
        return jnp.max(above) / (PEAKED * jnp.max(values))

    def smooth(self, values: Array) -> Array:
        return values

    def power(self, values: Array) -> Array:
        return _power(values)

    def eigenvalues(self, kernel: Kernel) -> Array:
        return _eigenvalues(self.size, kernel)

    def sample(self, values: Array, n: int, key: Array) -> Array:
        return _sample(values, n, key)

    def largest_step(self, velocity: Array, diffusion: Array | float) -> Array:
        # a limited edge is at most twice the cell's average, and both faces may take from it
        loss = 2 * jnp.max(jnp.abs(velocity)) / self.width + 2 * diffusion / self.width**2
        return COURANT / jnp.maximum(loss, jnp.finfo(velocity.dtype).tiny)
